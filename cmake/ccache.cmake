# Compiled once, found again from any checkout: paths below the checkout are made relative for ccache and in the objects.
find_program(OPWRIGHT_CCACHE ccache)
if(OPWRIGHT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${OPWRIGHT_CCACHE}")
endif()
add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
