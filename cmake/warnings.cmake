# For our own code; never for an author's, who chooses for himself.
add_library(opwright_warnings INTERFACE)
target_compile_options(
  opwright_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor
                              -Wundef -Werror)
