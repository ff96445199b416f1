# The package is used in place, from the source tree: its libraries are copied into opwright/lib/. A copy, because the
# presets share that folder: building one brings its libraries there, also when nothing was left to compile.
#
#   opwright_stage(TARGET...)          these libraries belong to the package (nothing happens under a sanitizer)
#   opwright_stage_program(TARGET...)  these programs too, in opwright/bin/
#   opwright_finish_stage()            once, at the end: the target "stage", part of "all"
function(opwright_stage)
  set_property(GLOBAL APPEND PROPERTY OPWRIGHT_STAGED ${ARGN})
endfunction()

function(opwright_stage_program)
  set_property(GLOBAL APPEND PROPERTY OPWRIGHT_STAGED_PROGRAMS ${ARGN})
endfunction()

function(opwright_finish_stage)
  get_property(targets GLOBAL PROPERTY OPWRIGHT_STAGED)
  get_property(programs GLOBAL PROPERTY OPWRIGHT_STAGED_PROGRAMS)
  if(OPWRIGHT_SANITIZER OR NOT targets)
    return()
  endif()
  list(TRANSFORM targets REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  list(TRANSFORM programs REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE program_files)
  add_custom_target(
    stage ALL
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${files}" "-DDESTINATION=${PROJECT_SOURCE_DIR}/opwright/lib" -P
            "${PROJECT_SOURCE_DIR}/cmake/copy_libraries.cmake"
    COMMAND "${CMAKE_COMMAND}" "-DFILES=${program_files}" "-DDESTINATION=${PROJECT_SOURCE_DIR}/opwright/bin" -P
            "${PROJECT_SOURCE_DIR}/cmake/copy_libraries.cmake"
    DEPENDS ${targets} ${programs}
    COMMENT "Libraries into opwright/lib, programs into opwright/bin"
    VERBATIM)
endfunction()
