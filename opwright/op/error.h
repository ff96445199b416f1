#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "opwright/op/dtype.h"
#include "opwright/op/shape.h"

namespace opwright OPWRIGHT_HIDDEN {

// What an error is to the caller; the numbers of absl::StatusCode.
enum class Code : int32_t {
  kInvalidArgument = 3,
  kNotFound = 5,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
};

namespace detail {

// A piece of a message. One formatter for all of them keeps ops quick to compile.
struct Part {
  enum Kind { kText, kSpec, kShape, kInt, kUint, kFloat };
  Kind kind;
  union {
    const char* text;
    const Shape* shape;
    int64_t integer;
    double real;
  };

  Part(const char* x) : kind(kText), text(x) {}
  Part(const std::string& x) : kind(kText), text(x.c_str()) {}
  Part(DType x) : kind(kText), text(Name(x)) {}
  Part(const Shape& x) : kind(kShape), shape(&x) {}
  Part(bool x) : kind(kText), text(x ? "true" : "false") {}
  template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>>
  Part(T x) : kind(std::is_signed<T>::value ? kInt : kUint), integer(static_cast<int64_t>(x)) {}
  Part(float x) : kind(kFloat), real(static_cast<double>(x)) {}
  Part(double x) : kind(kFloat), real(x) {}
  Part(half x) : Part(static_cast<float>(x)) {}
  Part(bfloat16 x) : Part(static_cast<float>(x)) {}

 protected:
  Part(Kind k, const char* x) : kind(k), text(x) {}
};

// "name: type", of which a message shows the name.
struct Spec : Part {
  explicit Spec(const char* x) : Part(kSpec, x) {}
};

}  // namespace detail

// The one exception of ops. Its message is made of parts: text, numbers, shapes, dtypes.
class Error : public std::exception {
 public:
  template <typename... P>
  explicit Error(Code code, const P&... parts) : code_(code) {
    Write({detail::Part(parts)...});
  }
  Error(Code code, std::initializer_list<detail::Part> parts) : code_(code) { Write(parts); }

  Code code() const { return code_; }
  const char* what() const noexcept override { return text_; }

 private:
  [[gnu::noinline, gnu::cold]] void Write(std::initializer_list<detail::Part> parts) {
    for (const detail::Part& part : parts) {
      switch (part.kind) {
        case detail::Part::kText:
          Put("%s", part.text);
          break;
        case detail::Part::kSpec:
          Put("%.*s", static_cast<int>(strcspn(part.text, ":")), part.text);
          break;
        case detail::Part::kInt:
          Put("%lld", static_cast<long long>(part.integer));
          break;
        case detail::Part::kUint:
          Put("%llu", static_cast<unsigned long long>(part.integer));
          break;
        case detail::Part::kFloat:
          Put("%.9g", part.real);
          break;
        case detail::Part::kShape:
          Put(*part.shape);
          break;
      }
    }
  }
  void Put(const Shape& shape) {
    if (!shape.known_rank()) return Put("%s", "[unknown rank]");
    Put("%s", "[");
    for (int k = 0; k < shape.rank(); ++k) {
      if (k) Put("%s", ",");
      if (shape[k] < 0) {
        Put("%s", "?");
      } else {
        Put("%lld", static_cast<long long>(shape[k]));
      }
    }
    Put("%s", "]");
  }
  template <typename... A>
  void Put(const char* format, A... args) {
    if (used_ + 1 >= static_cast<int>(sizeof text_)) return;
    const int n =
        snprintf(text_ + used_, sizeof text_ - static_cast<size_t>(used_), format, args...);
    if (n > 0) used_ += n;
  }

  Code code_;
  int used_ = 0;
  char text_[1000] = "";
};

namespace detail {
[[noreturn, gnu::noinline, gnu::cold]] inline void FailWith(std::initializer_list<Part> parts) {
  throw Error(Code::kInvalidArgument, parts);
}
[[noreturn, gnu::noinline, gnu::cold]] inline void ShapeIndexError(int index, int rank) {
  if (rank < 0) {
    throw Error(Code::kInternal, "dimension ", index,
                " was asked for of a shape whose rank is not known; ask for WithRank first");
  }
  throw Error(Code::kInternal, "dimension ", index, " was asked for of a shape of rank ", rank);
}
[[noreturn, gnu::noinline, gnu::cold]] inline void RankError(int64_t rank) {
  throw Error(Code::kInvalidArgument, "a tensor of rank ", rank,
              " was asked for; TensorFlow's limit is ", OPWRIGHT_MAX_RANK);
}
}  // namespace detail

// A mistake of the op's author, not of its caller.
namespace detail {
template <typename... P>
[[noreturn, gnu::cold]] inline void Misuse(const P&... parts) {
  throw Error(Code::kInternal, {Part(parts)...});
}
}  // namespace detail

// Throws an InvalidArgument whose sentence is made of the parts:
//   Fail("radius must be positive, it is ", radius);
template <typename... P>
[[noreturn, gnu::cold]] inline void Fail(const P&... parts) {
  detail::FailWith({detail::Part(parts)...});
}

// Fail(parts...) unless ok.
template <typename... P>
inline void Require(bool ok, const P&... parts) {
  if (!ok) detail::FailWith({detail::Part(parts)...});
}

}  // namespace opwright
