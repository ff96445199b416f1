#pragma once

#include <cstdint>
#include <type_traits>

#include "opwright/op/context.h"

#if !defined(OPWRIGHT_BOUNDS_CHECK)
#if defined(NDEBUG) || defined(__OPTIMIZE__)
#define OPWRIGHT_BOUNDS_CHECK 0
#else
#define OPWRIGHT_BOUNDS_CHECK 1
#endif
#endif

namespace opwright OPWRIGHT_HIDDEN {

// The elements of a tensor, row after row (the last index runs fastest). A View<const T> reads,
// a View<T> writes. It refers to the tensor and is as cheap as a pointer to copy.
// Indices are checked in builds without optimisation and without NDEBUG, or with
// -DOPWRIGHT_BOUNDS_CHECK=1.
template <typename T>
class OPWRIGHT_VISIBLE View {
 public:
  OPWRIGHT_HIDDEN explicit View(const OpwrightTensor& t)
      : data_(static_cast<T*>(t.data)), size_(t.elements), dims_(t.dims), rank_(t.rank) {}

  OPWRIGHT_HIDDEN T* data() const { return data_; }
  // The number of elements.
  OPWRIGHT_HIDDEN int64_t size() const { return size_; }
  OPWRIGHT_HIDDEN int rank() const { return rank_; }
  // Dimension k, counted from the end if k is negative. Throws if there is none.
  OPWRIGHT_HIDDEN int64_t dim(int k) const {
    const int index = k < 0 ? k + rank_ : k;
    if (index < 0 || index >= rank_) detail::ShapeIndexError(k, rank_);
    return dims_[index];
  }
  OPWRIGHT_HIDDEN Shape shape() const { return Shape(rank_, dims_); }
  OPWRIGHT_HIDDEN T* begin() const { return data_; }
  OPWRIGHT_HIDDEN T* end() const { return data_ + size_; }

  // Element i of all, in memory order.
  OPWRIGHT_HIDDEN T& operator[](int64_t i) const {
#if OPWRIGHT_BOUNDS_CHECK
    if (i < 0 || i >= size_) {
      detail::Misuse("element ", i, " was asked for of a tensor with ", size_);
    }
#endif
    return data_[i];
  }

  // Element (i, j, ...): one index for each dimension.
  template <typename... Index>
  OPWRIGHT_HIDDEN T& operator()(Index... index) const {
    static_assert((std::is_integral<Index>::value && ...), "opwright: indices are integers");
    const int64_t at[] = {static_cast<int64_t>(index)..., 0};
    constexpr int kIndices = sizeof...(Index);
#if OPWRIGHT_BOUNDS_CHECK
    if (kIndices != rank_) {
      detail::Misuse(kIndices, " indices for a tensor of rank ", rank_);
    }
    for (int k = 0; k < kIndices; ++k) {
      if (at[k] < 0 || at[k] >= dims_[k]) {
        detail::Misuse("index ", at[k], " was asked for in dimension ", k, " of ", shape());
      }
    }
#endif
    int64_t offset = 0;
    for (int k = 0; k < kIndices; ++k) offset = offset * dims_[k] + at[k];
    return data_[offset];
  }

 private:
  T* data_;
  int64_t size_;
  const int64_t* dims_;
  int32_t rank_;
};

namespace detail {
[[noreturn, gnu::noinline, gnu::cold]] inline void WrongType(const char* what, const char* spec,
                                                             DType is, DType asked) {
  detail::Misuse(what, Spec(spec), " is ", is, ", the op reads it as ", asked);
}
template <typename T>
inline View<T> TypedView(const OpwrightTensor& t, const char* what, const char* spec) {
  constexpr DType dtype = DTypeOf<std::remove_const_t<T>>::value;
  if (t.dtype != static_cast<int32_t>(dtype)) {
    WrongType(what, spec, static_cast<DType>(t.dtype), dtype);
  }
  return View<T>(t);
}
}  // namespace detail

}  // namespace opwright
