#pragma once

#include <cstdint>

#include "opwright/op/half.h"

namespace opwright OPWRIGHT_HIDDEN {

// The element types of tensors, numbered as in TensorFlow's types.proto. String, resource and
// variant tensors are not among them: a kernel could do nothing with their bytes.
enum class DType : int32_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};

namespace detail {
struct DTypeInfo {
  DType dtype;
  const char* name;  // as in a declaration: "x: float"
  int32_t bytes;
};
inline constexpr DTypeInfo kDTypes[] = {
    {DType::kFloat, "float", 4},         {DType::kDouble, "double", 8},
    {DType::kInt32, "int32", 4},         {DType::kUint8, "uint8", 1},
    {DType::kInt16, "int16", 2},         {DType::kInt8, "int8", 1},
    {DType::kComplex64, "complex64", 8}, {DType::kInt64, "int64", 8},
    {DType::kBool, "bool", 1},           {DType::kBfloat16, "bfloat16", 2},
    {DType::kUint16, "uint16", 2},       {DType::kComplex128, "complex128", 16},
    {DType::kHalf, "half", 2},           {DType::kUint32, "uint32", 4},
    {DType::kUint64, "uint64", 8},
};
}  // namespace detail

// The name that a declaration uses ("float", "int64"); "?" for a number that is none of them.
constexpr const char* Name(DType dtype) {
  for (const detail::DTypeInfo& info : detail::kDTypes) {
    if (info.dtype == dtype) return info.name;
  }
  return "?";
}

// Bytes of one element; 0 for a number that is no dtype.
constexpr int32_t SizeOf(DType dtype) {
  for (const detail::DTypeInfo& info : detail::kDTypes) {
    if (info.dtype == dtype) return info.bytes;
  }
  return 0;
}

// Has a gradient: floating point or complex.
constexpr bool IsDifferentiable(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kDouble || dtype == DType::kHalf ||
         dtype == DType::kBfloat16 || dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

// The dtype of a C++ type. complex64 and complex128 are std::complex<float> and <double>, known
// after #include "opwright/complex.h" (<complex> alone would double the compile time of an op).
template <typename T>
struct DTypeOf {
  static_assert(
      sizeof(T) == 0,
      "opwright: this C++ type is not an element type of tensors. They are bool, (u)int8_t to "
      "(u)int64_t, opwright::half, opwright::bfloat16, float, double, and, after "
      "#include \"opwright/complex.h\", std::complex<float> and std::complex<double>");
  static constexpr DType value = DType::kInvalid;  // keeps the compiler from more errors
};

#define OPWRIGHT_DTYPE(TYPE, DTYPE)              \
  template <>                                    \
  struct DTypeOf<TYPE> {                         \
    static constexpr DType value = DType::DTYPE; \
  };
OPWRIGHT_DTYPE(float, kFloat)
OPWRIGHT_DTYPE(double, kDouble)
OPWRIGHT_DTYPE(half, kHalf)
OPWRIGHT_DTYPE(bfloat16, kBfloat16)
OPWRIGHT_DTYPE(bool, kBool)
OPWRIGHT_DTYPE(int8_t, kInt8)
OPWRIGHT_DTYPE(int16_t, kInt16)
OPWRIGHT_DTYPE(int32_t, kInt32)
OPWRIGHT_DTYPE(int64_t, kInt64)
OPWRIGHT_DTYPE(uint8_t, kUint8)
OPWRIGHT_DTYPE(uint16_t, kUint16)
OPWRIGHT_DTYPE(uint32_t, kUint32)
OPWRIGHT_DTYPE(uint64_t, kUint64)

// A list of element types, for a type attribute: Types<float, double>.
template <typename... T>
struct Types {
  static constexpr int32_t kCodes[sizeof...(T) + 1] = {static_cast<int32_t>(DTypeOf<T>::value)...,
                                                       0};
};

}  // namespace opwright
