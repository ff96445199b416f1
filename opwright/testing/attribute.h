#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/testing/tensor.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// The value of an attribute: 2, 0.5, true, "open", DType::kFloat, Shape{2, -1}, or a std::vector of
// one of these. The alternatives are in the order of the kinds in abi.h.
class AttrValue {
 public:
  using Element = std::variant<int64_t, double, bool, std::string, DType, Shape>;

  template <typename T>
  static constexpr bool kIsValue =
      std::is_arithmetic_v<T> || std::is_same_v<T, DType> || std::is_same_v<T, Shape> ||
      std::is_convertible_v<const T&, std::string>;

  template <typename T, typename = std::enable_if_t<kIsValue<T>>>
  AttrValue(const T& value) : kind_(KindOf<T>()), elements_{ToElement(value)} {}
  template <typename T, typename = std::enable_if_t<kIsValue<T>>>
  AttrValue(const std::vector<T>& values) : kind_(KindOf<T>()), is_list_(true) {
    for (const auto& value : values) elements_.push_back(ToElement<T>(value));
  }
  AttrValue(int32_t kind, bool is_list, std::vector<Element> elements)
      : kind_(kind), is_list_(is_list), elements_(std::move(elements)) {}
  // A copy of what a table says.
  static AttrValue FromTable(const OpwrightAttr& attr);

  int32_t kind() const { return kind_; }
  bool is_list() const { return is_list_; }
  const std::vector<Element>& elements() const { return elements_; }

  // Of one that is no list: its value. T is the alternative's own type.
  template <typename T>
  const T& as() const {
    return std::get<T>(elements_.at(0));
  }
  // Integers become floats, as in Python.
  AttrValue ToFloat() const;

  bool operator==(const AttrValue& other) const {
    return kind_ == other.kind_ && is_list_ == other.is_list_ && elements_ == other.elements_;
  }

 private:
  template <typename T>
  static constexpr int32_t KindOf() {
    if constexpr (std::is_same_v<T, bool>)
      return OPWRIGHT_BOOL;
    else if constexpr (std::is_integral_v<T>)
      return OPWRIGHT_INT;
    else if constexpr (std::is_floating_point_v<T>)
      return OPWRIGHT_FLOAT;
    else if constexpr (std::is_same_v<T, DType>)
      return OPWRIGHT_TYPE;
    else if constexpr (std::is_same_v<T, Shape>)
      return OPWRIGHT_SHAPE;
    else
      return OPWRIGHT_STRING;
  }
  template <typename T>
  static Element ToElement(const T& value) {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, DType> || std::is_same_v<T, Shape>) {
      return value;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else {
      return std::string(value);
    }
  }

  int32_t kind_;
  bool is_list_ = false;
  std::vector<Element> elements_;
};

// An attribute's value in the form of the table, valid while this lives.
class AttrTable {
 public:
  explicit AttrTable(const AttrValue& value);
  AttrTable(const AttrTable&) = delete;
  AttrTable& operator=(const AttrTable&) = delete;

  // All but the name.
  OpwrightAttr table() const;

 private:
  AttrValue value_;
  std::vector<int64_t> ints_;
  std::vector<double> floats_;
  std::vector<const char*> strings_;
  std::vector<const int64_t*> dims_;
};

std::string Text(const AttrValue& value);  // 2, 'open', float, [2,?], {1, 2}
inline std::ostream& operator<<(std::ostream& out, const AttrValue& v) { return out << Text(v); }

// "int", "list(type)".
std::string KindText(int32_t kind, bool is_list);

}  // namespace testing
}  // namespace opwright
