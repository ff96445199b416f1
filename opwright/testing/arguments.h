#pragma once

#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "opwright/testing/tensor.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// One argument of an op: a tensor, or a list of them. {} is the empty list, also for an optional
// input that is absent.
template <typename Item>
class Argument {
 public:
  Argument() : is_list_(true) {}
  template <typename T, typename = std::enable_if_t<std::is_convertible_v<T&&, Item> &&
                                                    !std::is_same_v<std::decay_t<T>, Argument>>>
  Argument(T&& item) {
    items_.push_back(Item(std::forward<T>(item)));
  }
  template <typename T, typename = std::enable_if_t<std::is_convertible_v<T, Item>>>
  Argument(const std::vector<T>& items) : is_list_(true), items_(items.begin(), items.end()) {}
  Argument(std::initializer_list<Item> items) : is_list_(true), items_(items) {}

  bool is_list() const { return is_list_; }
  const std::vector<Item>& items() const { return items_; }
  // Moves the items out. The elements of a braced list are const, and yet must be given away: else
  // an input could never be forwarded.
  Argument Release() const { return Argument(is_list_, std::move(items_)); }
  std::vector<Item> ReleaseItems() const { return std::move(items_); }

 private:
  Argument(bool is_list, std::vector<Item>&& items) : is_list_(is_list), items_(std::move(items)) {}

  bool is_list_ = false;
  mutable std::vector<Item> items_;
};

// All arguments: {a, b}, {a, {x, y, z}}. Of a vector, each element is an argument.
template <typename Item>
class Arguments {
 public:
  Arguments() = default;
  Arguments(std::initializer_list<Argument<Item>> arguments) {
    for (const Argument<Item>& argument : arguments) all_.push_back(argument.Release());
  }
  template <typename T, typename = std::enable_if_t<std::is_convertible_v<T, Argument<Item>>>>
  Arguments(const std::vector<T>& arguments) : all_(arguments.begin(), arguments.end()) {}

  template <typename T, typename = std::enable_if_t<std::is_convertible_v<T, Argument<Item>>>>
  Arguments(std::vector<T>&& arguments) {
    for (T& argument : arguments) all_.emplace_back(std::move(argument));
  }

  const std::vector<Argument<Item>>& all() const { return all_; }

 private:
  std::vector<Argument<Item>> all_;
};

// What is known of an input while a graph is built.
struct Known {
  Known(const Shape& s) : shape(s) {}
  Known(DType d, const Shape& s) : dtype(d), shape(s) {}
  // All: the type, the shape and the value. Shape functions see the values of ShapeValue inputs
  // only.
  Known(const Tensor& t) : dtype(t.dtype()), shape(t.shape()), value(t) {}
  // A vector of dtype int32 or int64 whose value, read as a shape, is partly known: -1 where it is
  // not, as the value of tf.stack([n, 3]) is {-1, 3}.
  static Known Partly(DType dtype, const Shape& value) {
    Known known(dtype, value.known_rank() ? Shape{value.rank()} : Shape{kUnknown});
    known.value_as_shape = value;
    return known;
  }

  DType dtype = DType::kInvalid;  // not known
  Shape shape = Shape::Unknown();
  Tensor value;  // dtype kInvalid: not known
  Shape value_as_shape = Shape::Unknown();
};

}  // namespace testing
}  // namespace opwright
