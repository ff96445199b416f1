# What an author's CMake project gets by find_package(opwright).
#
#   opwright::op        for op libraries: the headers, C++17
#   opwright::testing   for C++ tests and benchmarks: runs ops without TensorFlow; compiled in the project itself, with its
#                       compiler and flags, when something links it
#   opwright_add_library(NAME SOURCES FILE...)
#       libNAME.so, for tf.load_op_library, at the top of the build folder.
#   opwright_add_test(NAME SOURCES FILE...)
#       A GoogleTest program, known to ctest. Give it the op's own sources too: it links no library. It is no part of "all":
#       the target opwright_tests builds all tests.
#   opwright_add_bench(NAME SOURCES FILE...)
#       The same with Google Benchmark; built only by its name.
#   OPWRIGHT_SANITIZE   address, undefined, thread, or empty: for all targets that are made after find_package
get_filename_component(_opwright_include "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
if(NOT EXISTS "${_opwright_include}/opwright/op.h") # installed: this file lies in the package
  get_filename_component(_opwright_include "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
endif()
if(NOT EXISTS "${_opwright_include}/opwright/op.h")
  set(opwright_FOUND FALSE)
  set(opwright_NOT_FOUND_MESSAGE "opwright/op.h is not where ${CMAKE_CURRENT_LIST_DIR} says: install opwright again.")
  return()
endif()

set(OPWRIGHT_SANITIZE "" CACHE STRING "address, undefined, thread, or empty for none")
if(NOT OPWRIGHT_SANITIZE MATCHES "^(address|undefined|thread|)$")
  message(FATAL_ERROR "OPWRIGHT_SANITIZE is '${OPWRIGHT_SANITIZE}': say address, undefined or thread, or leave it empty.")
endif()
if(OPWRIGHT_SANITIZE)
  set(_opwright_flags -fsanitize=${OPWRIGHT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  add_compile_options(${_opwright_flags})
  add_link_options(${_opwright_flags})
endif()

if(NOT TARGET opwright::op)
  add_library(opwright::op INTERFACE IMPORTED)
  set_target_properties(opwright::op PROPERTIES INTERFACE_COMPILE_FEATURES cxx_std_17)
  target_include_directories(opwright::op INTERFACE "${_opwright_include}")

  find_package(Threads REQUIRED)
  file(GLOB _opwright_sources CONFIGURE_DEPENDS "${_opwright_include}/opwright/testing/*.cc")
  list(FILTER _opwright_sources EXCLUDE REGEX "_test\\.cc$")
  add_library(opwright_testing STATIC EXCLUDE_FROM_ALL ${_opwright_sources})
  add_library(opwright::testing ALIAS opwright_testing)
  target_link_libraries(opwright_testing PUBLIC opwright::op Threads::Threads ${CMAKE_DL_LIBS})
  # In one piece it compiles in a third of the time.
  set_target_properties(opwright_testing PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  set_source_files_properties("${_opwright_include}/opwright/testing/recording.cc" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

  add_custom_target(opwright_tests)
endif()
enable_testing()

function(opwright_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE opwright::op ${CMAKE_DL_LIBS})
  # A forgotten definition is an error here, and not when TensorFlow opens the library. clang leaves the sanitizers' own
  # functions to the program.
  if(NOT OPWRIGHT_SANITIZE OR CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()
  set_target_properties(
    ${name}
    PROPERTIES PREFIX lib
               CXX_EXTENSIONS OFF
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()

function(opwright_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    message(STATUS "${name} is left out, because GoogleTest is missing: install it (Debian: apt-get install libgtest-dev)")
    return()
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE opwright::testing GTest::gtest_main)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  add_dependencies(opwright_tests ${name})
endfunction()

function(opwright_add_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    message(STATUS "${name} is left out, because Google Benchmark is missing: install it (Debian: apt-get install "
                   "libbenchmark-dev)")
    return()
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE opwright::testing benchmark::benchmark_main)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()
