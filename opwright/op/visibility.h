#pragma once

// People compile ops with a bare g++ line, so the headers themselves keep their symbols out of the
// dynamic symbol table: else two op libraries in one process would share one registry, even under
// RTLD_LOCAL. A type that an author may capture in a lambda or keep as a member must have default
// visibility (g++ warns otherwise); its functions are hidden one by one.
#define OPWRIGHT_VISIBLE __attribute__((visibility("default")))
#define OPWRIGHT_HIDDEN __attribute__((visibility("hidden")))

namespace opwright OPWRIGHT_HIDDEN {
namespace detail {
// A standard container of a visible type would put its own functions into the symbol table; a
// container of Hidden<T> does not.
template <typename T>
struct Hidden : T {
  using T::T;
  Hidden() = default;
  Hidden(const T& value) : T(value) {}
};
}  // namespace detail
}  // namespace opwright
