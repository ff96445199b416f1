# One bridge for each TensorFlow.
#
#   opwright_bridge_pythons(VARIABLE)             the Pythons whose TensorFlow gets a bridge
#   opwright_add_bridge(PYTHON SOURCES FILE... CC_SOURCES FILE...)
#     libopwright_bridge_tf2.NN.so and libopwright_bridge_cc_tf2.NN.so, NN being that TensorFlow's minor version
set(OPWRIGHT_TENSORFLOW_PYTHONS "" CACHE STRING
    "Pythons with TensorFlow, one bridge each; empty: those of .venv and .venv-2.15.1, where they exist")

function(opwright_bridge_pythons result)
  set(pythons ${OPWRIGHT_TENSORFLOW_PYTHONS})
  if(OPWRIGHT_SANITIZER STREQUAL "address")
    # One is enough to try the bridge, in a Python that has the sanitizer preloaded.
    set(pythons "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  elseif(OPWRIGHT_SANITIZER)
    set(pythons "")
  elseif(NOT pythons)
    foreach(environment .venv .venv-2.15.1)
      if(EXISTS "${PROJECT_SOURCE_DIR}/${environment}/bin/python")
        list(APPEND pythons "${PROJECT_SOURCE_DIR}/${environment}/bin/python")
      endif()
    endforeach()
    if(NOT pythons)
      message(WARNING "No bridge is built, because no TensorFlow is here: run scripts/setup.sh demo.")
    endif()
  endif()
  set(${result} "${pythons}" PARENT_SCOPE)
endfunction()

# The folder and the version of a Python's TensorFlow. Asked of its metadata: importing it would take seconds.
function(opwright_find_tensorflow python folder_result version_result)
  execute_process(
    COMMAND "${python}" -I "${PROJECT_SOURCE_DIR}/cmake/find_tensorflow.py"
    OUTPUT_VARIABLE answer
    OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${python} has no TensorFlow: install one there, or leave it out of OPWRIGHT_TENSORFLOW_PYTHONS.")
  endif()
  list(GET answer 0 folder)
  list(GET answer 1 version)
  set(${folder_result} "${folder}" PARENT_SCOPE)
  set(${version_result} "${version}" PARENT_SCOPE)
endfunction()

# The flags that TensorFlow's headers need; they stand in a file because `opwright bridge` reads them too.
function(opwright_bridge_flags folder minor result)
  set(file "${PROJECT_SOURCE_DIR}/opwright/bridge/flags.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(STRINGS "${file}" flags REGEX "^-")
  string(REPLACE "{include}" "${folder}/include" flags "${flags}")
  string(REPLACE "{bridge}" "${PROJECT_SOURCE_DIR}/opwright/bridge" flags "${flags}")
  string(REPLACE "{minor}" "${minor}" flags "${flags}")
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()

function(opwright_add_bridge_library target folder minor)
  add_library(${target} SHARED ${ARGN})
  target_link_libraries(${target} PRIVATE opwright::op opwright_warnings "${folder}/libtensorflow_framework.so.2"
                                          ${CMAKE_DL_LIBS})
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
  opwright_bridge_flags("${folder}" "${minor}" flags)
  # Whatever the preset, one sort of bridge: debug information of TensorFlow's headers is of no use and 20 times the code.
  target_compile_options(${target} PRIVATE ${flags} -g0)
  if(OPWRIGHT_SANITIZER)
    # The checks of undefined behaviour ask for type information that TensorFlow does not export, and
    # the sanitizer's own symbols come with the process.
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  else()
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  opwright_stage(${target})
endfunction()

function(opwright_add_bridge python)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;CC_SOURCES")
  opwright_find_tensorflow("${python}" folder version)
  if(NOT version MATCHES "^2\\.([0-9]+)" OR CMAKE_MATCH_1 LESS 15)
    message(FATAL_ERROR "opwright needs TensorFlow 2.15 or newer, and ${python} has ${version}: upgrade it there.")
  endif()
  set(minor ${CMAKE_MATCH_1})
  message(STATUS "Bridge for TensorFlow ${version}")
  opwright_add_bridge_library(opwright_bridge_tf2.${minor} "${folder}" ${minor} ${arg_SOURCES})
  opwright_add_bridge_library(opwright_bridge_cc_tf2.${minor} "${folder}" ${minor} ${arg_CC_SOURCES})
  # After the framework library, of which it carries some symbols a second time.
  target_link_libraries(opwright_bridge_cc_tf2.${minor} PRIVATE opwright_bridge_tf2.${minor}
                                                                "${folder}/libtensorflow_cc.so.2")
endfunction()
