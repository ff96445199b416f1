#include "opwright/testing/tensor.h"

#include <cstring>
#include <sstream>

namespace opwright OPWRIGHT_HIDDEN {

bool operator==(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int k = 0; k < a.rank(); ++k) {
    if (a[k] != b[k] && (a[k] >= 0 || b[k] >= 0)) return false;
  }
  return true;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  if (!shape.known_rank()) return out << "[unknown rank]";
  out << '[';
  for (int k = 0; k < shape.rank(); ++k) {
    if (k > 0) out << ',';
    if (shape[k] < 0) {
      out << '?';
    } else {
      out << shape[k];
    }
  }
  return out << ']';
}

namespace testing {
namespace {

template <typename T>
void Print(std::ostream& out, const T& value) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    out << static_cast<float>(value);
  } else if constexpr (sizeof(T) == 1) {
    out << static_cast<int>(value);
  } else {
    out << value;
  }
}

}  // namespace

int64_t CheckedSize(const std::string& what, DType dtype, const Shape& shape) {
  int64_t size = 1;
  bool empty = false;
  for (int k = 0; k < shape.rank(); ++k) {
    if (shape[k] < 0) {
      throw Error(Code::kInvalidArgument, what, " has dimension ", k, " = ", shape[k]);
    }
    empty = empty || shape[k] == 0;
  }
  if (empty) return 0;
  bool overflow = false;
  for (int k = 0; k < shape.rank(); ++k) {
    overflow = overflow || __builtin_mul_overflow(size, shape[k], &size);
  }
  int64_t bytes;
  if (overflow || __builtin_mul_overflow(size, int64_t{SizeOf(dtype)}, &bytes)) {
    throw Error(Code::kInvalidArgument, what, " of shape ", shape, " and type ", dtype,
                " has more than 2^63 bytes");
  }
  return size;
}

Tensor::Tensor(DType dtype, Dims dims) : dtype_(dtype), dims_(std::move(dims)) {
  size_ = CheckedSize("a tensor", dtype_, shape());
  buffer_ = std::make_shared<Buffer>(bytes());
}

void Tensor::CheckCount(int64_t values) const {
  if (values == size_) return;
  throw Error(Code::kInvalidArgument, "a tensor of shape ", shape(), " has ", size_,
              " elements, but ", values, " values were given");
}

void Tensor::CheckType(DType asked) const {
  if (asked == dtype_) return;
  throw Error(Code::kInvalidArgument, "a tensor of type ", dtype_, " was read as ", asked);
}

std::vector<double> Tensor::doubles() const {
  return WithType(dtype_, [this](auto type) {
    using T = decltype(type);
    std::vector<double> all;
    if constexpr (std::is_convertible_v<T, double>) {
      for (int64_t i = 0; i < size_; ++i) all.push_back(static_cast<double>(data<T>()[i]));
    } else {
      throw Error(Code::kInvalidArgument, "a tensor of type ", dtype_, " was read as real numbers");
    }
    return all;
  });
}

Tensor Tensor::Clone() const {
  if (dtype_ == DType::kInvalid) return {};
  Tensor clone(dtype_, dims_);
  if (size_ > 0) memcpy(clone.raw(), raw(), static_cast<size_t>(bytes()));
  return clone;
}

bool SameBits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.dims() == b.dims() &&
         (a.size() == 0 || memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0);
}

std::string Text(const Shape& shape) {
  std::ostringstream out;
  out << shape;
  return out.str();
}

std::string Text(const Tensor& tensor) {
  if (tensor.dtype() == DType::kInvalid) return "no tensor";
  std::ostringstream out;
  out << Name(tensor.dtype()) << ' ' << tensor.shape() << " {";
  constexpr int64_t kShown = 24;
  WithType(tensor.dtype(), [&](auto type) {
    const auto* data = tensor.data<decltype(type)>();
    for (int64_t i = 0; i < tensor.size() && i < kShown; ++i) {
      if (i > 0) out << ", ";
      Print(out, data[i]);
    }
  });
  out << (tensor.size() > kShown ? ", ...}" : "}");
  return out.str();
}

}  // namespace testing
}  // namespace opwright
