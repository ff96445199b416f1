#pragma once

#include <cstdint>
#include <initializer_list>

#include "opwright/op/abi.h"
#include "opwright/op/visibility.h"

namespace opwright OPWRIGHT_HIDDEN {

// An unknown dimension. Shapes have some only while a graph is built, never before a run.
inline constexpr int64_t kUnknown = OPWRIGHT_UNKNOWN;

namespace detail {
// Defined in error.h, which includes this file.
[[noreturn]] void ShapeIndexError(int index, int rank);
[[noreturn]] void RankError(int64_t rank);
}  // namespace detail

// The shape of a tensor: an unknown rank, or dimensions of which each may be kUnknown.
// Holds its dimensions itself and copies only as many as there are: no allocation, any rank.
class OPWRIGHT_VISIBLE Shape {
 public:
  // A scalar's.
  OPWRIGHT_HIDDEN Shape() {}
  OPWRIGHT_HIDDEN Shape(std::initializer_list<int64_t> dims) {
    for (int64_t dim : dims) Append(dim);
  }
  // rank may be kUnknown, dims then null.
  OPWRIGHT_HIDDEN Shape(int rank, const int64_t* dims) { Assign(rank, dims); }
  OPWRIGHT_HIDDEN Shape(const Shape& other) { Assign(other.rank_, other.dims_); }
  OPWRIGHT_HIDDEN Shape& operator=(const Shape& other) {
    if (this != &other) Assign(other.rank_, other.dims_);
    return *this;
  }

  // Nothing is known.
  OPWRIGHT_HIDDEN static Shape Unknown() { return Shape(OPWRIGHT_UNKNOWN, nullptr); }
  // A known rank, all dimensions unknown.
  OPWRIGHT_HIDDEN static Shape OfRank(int rank) {
    Shape shape;
    for (int k = 0; k < rank; ++k) shape.Append(kUnknown);
    return shape;
  }

  OPWRIGHT_HIDDEN bool known_rank() const { return rank_ >= 0; }
  // -1 if it is not known.
  OPWRIGHT_HIDDEN int rank() const { return rank_; }
  OPWRIGHT_HIDDEN const int64_t* dims() const { return dims_; }

  // Dimension k, counted from the end if k is negative. Throws if there is none.
  OPWRIGHT_HIDDEN int64_t& operator[](int k) { return dims_[Index(k)]; }
  OPWRIGHT_HIDDEN int64_t operator[](int k) const { return dims_[Index(k)]; }

  // One more dimension at the end. A shape of unknown rank stays one.
  OPWRIGHT_HIDDEN void Append(int64_t dim) {
    if (rank_ < 0) return;
    if (rank_ >= OPWRIGHT_MAX_RANK) detail::RankError(rank_ + int64_t{1});
    dims_[rank_++] = dim;
  }

  // All of it is known.
  OPWRIGHT_HIDDEN bool known() const {
    for (int k = 0; k < rank_; ++k) {
      if (dims_[k] < 0) return false;
    }
    return rank_ >= 0;
  }

 private:
  OPWRIGHT_HIDDEN int Index(int k) const {
    const int index = k < 0 ? k + rank_ : k;
    if (index < 0 || index >= rank_) detail::ShapeIndexError(k, rank_);
    return index;
  }
  OPWRIGHT_HIDDEN void Assign(int rank, const int64_t* dims) {
    if (rank > OPWRIGHT_MAX_RANK) detail::RankError(rank);
    rank_ = rank;
    for (int k = 0; k < rank; ++k) dims_[k] = dims[k];
  }

  int32_t rank_ = 0;
  int64_t dims_[OPWRIGHT_MAX_RANK];
};

}  // namespace opwright
