#pragma once

// The wheel of TensorFlow 2.19 includes this header and lacks it. What XLA's headers need of it to
// be read; nothing of it is called.

#include <cstddef>

namespace llvm {

template <typename T>
class ArrayRef {
 public:
  ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  template <typename Container>
  ArrayRef(const Container& values) : data_(values.data()), size_(values.size()) {}
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  const T* data_;
  size_t size_;
};

}  // namespace llvm
