# Which requests find_package(opwright VERSION) this package satisfies: until 1.0 those for the same minor version.
get_filename_component(_opwright_include "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
if(NOT EXISTS "${_opwright_include}/opwright/op.h") # installed: this file lies in the package
  get_filename_component(_opwright_include "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
endif()
file(STRINGS "${_opwright_include}/opwright/op/version.h" _opwright_line REGEX "#define OPWRIGHT_VERSION ")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" PACKAGE_VERSION "${_opwright_line}")

set(PACKAGE_VERSION_COMPATIBLE FALSE)
if(PACKAGE_VERSION VERSION_GREATER_EQUAL PACKAGE_FIND_VERSION)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" _opwright_minor "${PACKAGE_VERSION}")
  if("${PACKAGE_FIND_VERSION_MAJOR}.${PACKAGE_FIND_VERSION_MINOR}" VERSION_EQUAL _opwright_minor)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
  if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
