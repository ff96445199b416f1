# cmake -DFILES=A;B -DDESTINATION=DIR -P copy_libraries.cmake
# Each file arrives by renaming: writing into a library that a running process has mapped would kill that process.
file(MAKE_DIRECTORY "${DESTINATION}")
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${file}" "${DESTINATION}/${name}"
                  RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
  if(differs)
    file(COPY_FILE "${file}" "${DESTINATION}/${name}.new")
    file(RENAME "${DESTINATION}/${name}.new" "${DESTINATION}/${name}")
  endif()
endforeach()
