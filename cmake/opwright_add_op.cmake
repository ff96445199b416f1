# How libraries of ops and their tests come into the build.
#
#   opwright_add_op(NAME LIBRARY FAMILY)
#       The only way to add an op to the pack: the folder opwright/ops/NAME goes into libopwright_FAMILY.so, which
#       several ops may share; NAME_test and NAME_bench run it without TensorFlow.
#   opwright_add_module(TARGET OUTPUT_DIRECTORY DIR SOURCES FILE...)
#       An op library as an author builds it: it links nothing but the SDK.
#   opwright_add_cc_test(NAME SOURCES FILE... [LIBRARIES TARGET...])
#       A GoogleTest program; each of its tests is one of ctest's, and may take two minutes.
include(GoogleTest)

function(opwright_add_module target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT_DIRECTORY" "SOURCES")
  add_library(${target} MODULE)
  target_sources(${target} PRIVATE ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE opwright::op opwright_warnings)
  target_link_options(${target} PRIVATE -Wl,--no-undefined)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}")
endfunction()

function(opwright_add_cc_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} opwright::op opwright_warnings GTest::gtest_main)
  # PRE_TEST: a build does not run what it has just linked. The prefix keeps equal test names of two programs apart.
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT
                                                                                                       120)
endfunction()

function(opwright_add_op name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LIBRARY" "")
  set(folder "${PROJECT_SOURCE_DIR}/opwright/ops/${name}")
  set(sources "${folder}/op.cc")
  if(EXISTS "${folder}/cpu.cc")
    list(APPEND sources "${folder}/cpu.cc")
  endif()

  # Compiled once, for the library, the test and the benchmark.
  add_library(${name}_op OBJECT ${sources})
  target_link_libraries(${name}_op PUBLIC opwright::op PRIVATE opwright_warnings)
  set_target_properties(${name}_op PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

  set(library opwright_${arg_LIBRARY})
  if(NOT TARGET ${library})
    opwright_add_module(${library} OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib" SOURCES)
    opwright_stage(${library})
  endif()
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:${name}_op>)

  opwright_add_cc_test(${name}_test SOURCES "${folder}/test.cc" "${folder}/reference.cc" LIBRARIES ${name}_op
                       opwright_testing)
  if(NOT OPWRIGHT_SANITIZER)
    add_executable(${name}_bench "${folder}/bench.cc")
    target_link_libraries(${name}_bench PRIVATE ${name}_op opwright_testing opwright_warnings
                                                benchmark::benchmark_main)
  endif()
endfunction()
