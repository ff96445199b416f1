#pragma once

// As ArrayRef.h.

#include <vector>

namespace llvm {

template <typename T>
class SmallVector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
};

}  // namespace llvm
