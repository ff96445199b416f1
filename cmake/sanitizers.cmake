# A sanitizer is for a whole build: TensorFlow's wheels have none, so no bridge is built with one.
set(OPWRIGHT_SANITIZER "" CACHE STRING "address (with undefined), thread, or empty for none")
set_property(CACHE OPWRIGHT_SANITIZER PROPERTY STRINGS "" address thread)

if(OPWRIGHT_SANITIZER STREQUAL "address")
  set(flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(OPWRIGHT_SANITIZER STREQUAL "thread")
  set(flags -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT OPWRIGHT_SANITIZER STREQUAL "")
  message(FATAL_ERROR "OPWRIGHT_SANITIZER is '${OPWRIGHT_SANITIZER}': say address or thread, or leave it empty.")
endif()

if(OPWRIGHT_SANITIZER)
  add_compile_options(${flags})
  # Optimised, a view would not check its indices; and one past a row is inside the tensor still.
  add_compile_definitions(OPWRIGHT_BOUNDS_CHECK=1)
  add_link_options(${flags})
endif()
