#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "opwright/complex.h"
#include "opwright/testing/buffer.h"

namespace opwright OPWRIGHT_HIDDEN {

// In Shape's own namespace, where tests and GoogleTest look for them. Unknown equals unknown.
bool operator==(const Shape& a, const Shape& b);
inline bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }
std::ostream& operator<<(std::ostream& out, const Shape& shape);  // [2,?]
inline std::ostream& operator<<(std::ostream& out, DType dtype) { return out << Name(dtype); }

namespace testing {

using Dims = std::vector<int64_t>;

// Calls function(T()) with the C++ type of a dtype. Throws if the number is no dtype.
template <typename Function>
auto WithType(DType dtype, const Function& function) {
  switch (dtype) {
    case DType::kFloat:
      return function(float());
    case DType::kDouble:
      return function(double());
    case DType::kInt32:
      return function(int32_t());
    case DType::kUint8:
      return function(uint8_t());
    case DType::kInt16:
      return function(int16_t());
    case DType::kInt8:
      return function(int8_t());
    case DType::kComplex64:
      return function(std::complex<float>());
    case DType::kInt64:
      return function(int64_t());
    case DType::kBool:
      return function(bool());
    case DType::kBfloat16:
      return function(bfloat16());
    case DType::kUint16:
      return function(uint16_t());
    case DType::kComplex128:
      return function(std::complex<double>());
    case DType::kHalf:
      return function(half());
    case DType::kUint32:
      return function(uint32_t());
    case DType::kUint64:
      return function(uint64_t());
    case DType::kInvalid:
      break;
  }
  throw Error(Code::kInvalidArgument, static_cast<int32_t>(dtype), " is no dtype");
}

// A tensor on the host. Copies share one memory, as copies of a TensorFlow tensor do; Clone has its
// own.
class Tensor {
 public:
  // What the values of a braced list are given as.
  template <typename T>
  using Literal =
      std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;

  Tensor() = default;  // no tensor: dtype kInvalid, no elements
  // Uninitialised.
  Tensor(DType dtype, Dims dims);

  // Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6}); the dims {} are those of a scalar.
  template <typename T>
  static Tensor Of(Dims dims, std::initializer_list<Literal<T>> values) {
    return FromRange<T>(std::move(dims), values);
  }
  // The same from any vector; its values are converted.
  template <typename T, typename Value>
  static Tensor Of(Dims dims, const std::vector<Value>& values) {
    return FromRange<T>(std::move(dims), values);
  }
  // All elements alike.
  template <typename T>
  static Tensor Filled(Dims dims, Literal<T> value) {
    Tensor tensor(DTypeOf<T>::value, std::move(dims));
    for (int64_t i = 0; i < tensor.size(); ++i) tensor.data<T>()[i] = Convert<T>(value);
    return tensor;
  }

  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  Shape shape() const { return Shape(static_cast<int>(dims_.size()), dims_.data()); }
  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t size() const { return size_; }
  int64_t bytes() const { return size_ * SizeOf(dtype_); }

  // The elements, row after row. T must be the tensor's type.
  template <typename T>
  T* data() {
    CheckType(DTypeOf<T>::value);
    return static_cast<T*>(raw());
  }
  template <typename T>
  const T* data() const {
    CheckType(DTypeOf<T>::value);
    return static_cast<const T*>(raw());
  }
  // The same whatever the type; null without elements, as in TensorFlow.
  void* raw() const { return size_ > 0 ? buffer_->data() : nullptr; }

  template <typename T>
  std::vector<T> values() const {
    return std::vector<T>(data<T>(), data<T>() + size_);
  }
  // The values of a tensor of any type but the complex ones, converted.
  std::vector<double> doubles() const;

  Tensor Clone() const;
  // Nobody else holds this tensor's memory.
  bool unshared() const { return buffer_.use_count() == 1; }
  const std::shared_ptr<const Buffer>& buffer() const { return buffer_; }

 private:
  template <typename T, typename Value>
  static T Convert(const Value& value) {
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
      return T(static_cast<float>(value));
    } else {
      return static_cast<T>(value);
    }
  }
  template <typename T, typename Range>
  static Tensor FromRange(Dims dims, const Range& values) {
    Tensor tensor(DTypeOf<T>::value, std::move(dims));
    tensor.CheckCount(static_cast<int64_t>(values.size()));
    int64_t i = 0;
    for (const auto& value : values) tensor.data<T>()[i++] = Convert<T>(value);
    return tensor;
  }
  void CheckCount(int64_t values) const;
  void CheckType(DType asked) const;

  DType dtype_ = DType::kInvalid;
  Dims dims_;
  int64_t size_ = 0;
  std::shared_ptr<const Buffer> buffer_;
};

// The number of elements of a shape that is all known, if they can be counted and addressed: a
// negative dimension, or more than 2^63 bytes, is an error that begins with `what`.
int64_t CheckedSize(const std::string& what, DType dtype, const Shape& shape);

// The same dtype, shape and bytes: a NaN equals itself, 0 differs from -0.
bool SameBits(const Tensor& a, const Tensor& b);

std::string Text(const Shape& shape);    // [2,?]
std::string Text(const Tensor& tensor);  // float [2] {1, 2}; of a long one, the first values
inline std::ostream& operator<<(std::ostream& out, const Tensor& t) { return out << Text(t); }

}  // namespace testing
}  // namespace opwright
