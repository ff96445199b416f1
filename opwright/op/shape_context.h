#pragma once

#include <cstdint>
#include <optional>

#include "opwright/op/view.h"

namespace opwright OPWRIGHT_HIDDEN {

// What Shape sees and sets. Shape runs while a graph is built, when ranks, dimensions and values
// may be unknown, and again before every run, when all are known and its result allocates the
// outputs. It validates the shapes of the inputs (and the values of ShapeValue inputs) in one place
// for both: a kernel never sees what Shape refuses. Every check here accepts what is unknown.
class OPWRIGHT_VISIBLE ShapeContext : public detail::Context {
 public:
  OPWRIGHT_HIDDEN explicit ShapeContext(OpwrightContext* c) : Context(c) {}

  // True before a run: nothing is unknown.
  OPWRIGHT_HIDDEN bool running() const { return (c_->flags & OPWRIGHT_RUNNING) != 0; }

  // The shape of tensor k of input i.
  OPWRIGHT_HIDDEN Shape input(int i, int k = 0) const {
    const OpwrightTensor& t = At(c_->inputs, Input(i, k));
    return Shape(t.rank, t.dims);
  }
  OPWRIGHT_HIDDEN DType input_dtype(int i, int k = 0) const {
    return static_cast<DType>(At(c_->inputs, Input(i, k)).dtype);
  }

  // The shape of input i, which must have this rank.
  OPWRIGHT_HIDDEN Shape WithRank(int i, int rank) const {
    Shape shape = input(i);
    if (!shape.known_rank()) return Shape::OfRank(rank);
    if (shape.rank() != rank) {
      Fail("input ", name(i), " must have rank ", rank, ", its shape is ", shape);
    }
    return shape;
  }
  // The shape of input i, which must have this rank or more. The result's rank may be unknown.
  OPWRIGHT_HIDDEN Shape WithRankAtLeast(int i, int rank) const {
    Shape shape = input(i);
    if (shape.known_rank() && shape.rank() < rank) {
      Fail("input ", name(i), " must have rank ", rank, " or more, its shape is ", shape);
    }
    return shape;
  }

  // The one shape that inputs i and j have; what is known of either is known of the result.
  OPWRIGHT_HIDDEN Shape Same(int i, int j) const {
    Shape result = input(i);
    const OpwrightTensor& other = At(c_->inputs, Input(j, 0));
    if (!MergeInto(result, other.rank, other.dims)) {
      Fail("inputs ", name(i), " and ", name(j), " must have the same shape, they have ", input(i),
           " and ", input(j));
    }
    return result;
  }
  // The same for two shapes of any origin; `what` says what differs: "the rows of x and of y".
  OPWRIGHT_HIDDEN Shape Merge(const Shape& a, const Shape& b, const char* what) const {
    Shape result = a;
    if (!MergeInto(result, b.rank(), b.dims())) Fail(what, ": ", a, " and ", b, " differ");
    return result;
  }
  // The same for two dimensions.
  OPWRIGHT_HIDDEN int64_t MergeDims(int64_t a, int64_t b, const char* what) const {
    if (a >= 0 && b >= 0 && a != b) Fail(what, ": ", a, " and ", b, " differ");
    return a < 0 ? b : a;
  }

  // a * b and a + b for dimensions: unknown if one is, but 0 times anything is 0; an error if the
  // result has over 63 bits.
  OPWRIGHT_HIDDEN int64_t MultiplyDims(int64_t a, int64_t b) const {
    int64_t result;
    if (a == 0 || b == 0) return 0;
    if (a < 0 || b < 0) return kUnknown;
    Require(!__builtin_mul_overflow(a, b, &result), "a dimension of ", a, " times ", b,
            " is too large");
    return result;
  }
  OPWRIGHT_HIDDEN int64_t AddDims(int64_t a, int64_t b) const {
    int64_t result;
    if (a < 0 || b < 0) return kUnknown;
    Require(!__builtin_add_overflow(a, b, &result), "a dimension of ", a, " plus ", b,
            " is too large");
    return result;
  }

  // The value of a ShapeValue input, or nothing while it is not known.
  template <typename T>
  OPWRIGHT_HIDDEN std::optional<View<const T>> value(int i) const {
    const OpwrightTensor* t = Value(i);
    if (!t) return std::nullopt;
    return detail::TypedView<const T>(*t, "the value of ", schema().input(i).spec);
  }
  // The value of a ShapeValue input of int32 or int64, read as a shape, as far as it is known:
  // tf.stack([n, 3]) is [?,3]. A negative dimension is an error.
  OPWRIGHT_HIDDEN Shape value_as_shape(int i) const {
    if (const OpwrightTensor* t = Value(i)) return ReadShape(i, *t);
    int64_t dims[OPWRIGHT_MAX_RANK];
    const int rank = c_->api->value_as_shape(c_, Input(i, 0), dims);
    return Shape(rank, dims);
  }

  // The shape of tensor k of output i. Every output must be set, once.
  OPWRIGHT_HIDDEN void SetOutput(int i, const Shape& shape, int k = 0) const {
    c_->api->set_output(c_, Output(i, k), shape.rank(), shape.dims());
  }

  // For messages: Fail("input ", c.name(0), " must ...").
  OPWRIGHT_HIDDEN detail::Spec name(int i) const {
    count(i);  // throws if there is no input i
    return detail::Spec(schema().input(i).spec);
  }

 private:
  OPWRIGHT_HIDDEN static bool MergeInto(Shape& shape, int rank, const int64_t* dims) {
    if (rank < 0) return true;
    if (!shape.known_rank()) {
      shape = Shape(rank, dims);
      return true;
    }
    if (shape.rank() != rank) return false;
    for (int k = 0; k < rank; ++k) {
      if (shape[k] < 0) shape[k] = dims[k];
      if (dims[k] >= 0 && dims[k] != shape[k]) return false;
    }
    return true;
  }

  OPWRIGHT_HIDDEN const OpwrightTensor* Value(int i) const {
    const OpwrightTensor& t = At(c_->inputs, Input(i, 0));
    if (schema().input(i).kind != detail::ItemKind::kShapeValue) {
      detail::Misuse("Shape asks for the value of input ", name(i),
                     ", which is declared otherwise; declare it with ShapeValue(\"",
                     schema().input(i).spec, "\")");
    }
    return t.data || t.elements == 0 ? &t : nullptr;
  }

  OPWRIGHT_HIDDEN Shape ReadShape(int i, const OpwrightTensor& t) const {
    if (t.rank != 1)
      Fail("input ", name(i), " must be a vector, its shape is ", Shape(t.rank, t.dims));
    Shape result;
    if (t.elements == 0) return result;
    const DType dtype = static_cast<DType>(t.dtype);
    if (dtype != DType::kInt32 && dtype != DType::kInt64) {
      detail::Misuse("input ", name(i), " is ", dtype, "; a shape is int32 or int64");
    }
    for (int64_t k = 0; k < t.elements; ++k) {
      const int64_t dim = dtype == DType::kInt32 ? static_cast<const int32_t*>(t.data)[k]
                                                 : static_cast<const int64_t*>(t.data)[k];
      Require(dim >= 0, "input ", name(i), " asks for dimension ", k, " to be ", dim);
      result.Append(dim);
    }
    return result;
  }
};

}  // namespace opwright
