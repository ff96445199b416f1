#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "opwright/op/context.h"

namespace opwright OPWRIGHT_HIDDEN {

// The attributes of one node. Get<T>("name") reads one of them:
//
//   declared as      T
//   int              int64_t (or a smaller integer; a value out of its range is an error)
//   float            float, double (TensorFlow keeps 32 bits)
//   bool             bool
//   string           std::string (any bytes)
//   type             opwright::DType; so are the attributes that Attr<Types<...>> declares
//   shape            opwright::Shape
//   list(...)        std::vector of int64_t, float, bool, std::string, DType or Shape
class OPWRIGHT_VISIBLE Attributes {
 public:
  OPWRIGHT_HIDDEN explicit Attributes(OpwrightContext* c) : context_(c) {}

  template <typename T>
  OPWRIGHT_HIDDEN T Get(const char* name) const {
    return Reader<T>::Read(*this, name);
  }

 private:
  // The kind of attribute that a C++ type reads, and how to read value i of it.
  template <typename T, typename = void>
  struct Element {
    static_assert(sizeof(T) == 0,
                  "opwright: attributes are read as int64_t, float, bool, std::string, "
                  "opwright::DType, opwright::Shape, or a std::vector of one of these");
    // What follows keeps the compiler from more errors.
    static constexpr int32_t kKind = 0;
    OPWRIGHT_HIDDEN static T At(const OpwrightAttr& a, int64_t i);
  };
  template <typename T>
  struct Element<T, std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value>> {
    static constexpr int32_t kKind = OPWRIGHT_INT;
    OPWRIGHT_HIDDEN static T At(const OpwrightAttr& a, int64_t i) {
      const T value = static_cast<T>(a.ints[i]);
      Require(static_cast<int64_t>(value) == a.ints[i] && (value < T(0)) == (a.ints[i] < 0),
              "attribute ", a.name, " is ", a.ints[i], ", which ",
              std::is_signed<T>::value ? "a signed" : "an unsigned", " integer of ", 8 * sizeof(T),
              " bits cannot hold");
      return value;
    }
  };
  template <typename T>
  struct Element<T, std::enable_if_t<std::is_floating_point<T>::value>> {
    static constexpr int32_t kKind = OPWRIGHT_FLOAT;
    OPWRIGHT_HIDDEN static T At(const OpwrightAttr& a, int64_t i) {
      return static_cast<T>(a.floats[i]);
    }
  };

  template <typename T>
  struct Reader {
    OPWRIGHT_HIDDEN static T Read(const Attributes& all, const char* name) {
      return Element<T>::At(all.Find(name, Element<T>::kKind, false), 0);
    }
  };
  template <typename T>
  struct Reader<std::vector<T>> {
    OPWRIGHT_HIDDEN static std::vector<T> Read(const Attributes& all, const char* name) {
      const OpwrightAttr a = all.Find(name, Element<T>::kKind, true);
      std::vector<T> values;
      values.reserve(static_cast<size_t>(a.count));
      for (int64_t i = 0; i < a.count; ++i) values.push_back(Element<T>::At(a, i));
      return values;
    }
  };

  [[gnu::noinline]] OPWRIGHT_HIDDEN OpwrightAttr Find(const char* name, int32_t kind,
                                                      bool list) const {
    OpwrightAttr a = detail::Sized<OpwrightAttr>();
    if (!context_->api->attribute(context_, name, &a)) {
      detail::Misuse("the op has no attribute ", name);
    }
    if (a.kind != kind || (a.is_list != 0) != list) {
      detail::Misuse("attribute ", name, " is declared as ", a.is_list ? "list(" : "",
                     KindName(a.kind), a.is_list ? ")" : "", " and read as ", list ? "list(" : "",
                     KindName(kind), list ? ")" : "");
    }
    a.name = name;
    return a;
  }
  OPWRIGHT_HIDDEN static const char* KindName(int32_t kind) {
    const char* const names[] = {"?", "int", "float", "bool", "string", "type", "shape"};
    return names[kind >= OPWRIGHT_INT && kind <= OPWRIGHT_SHAPE ? kind : 0];
  }

  OpwrightContext* context_;
};

template <>
struct Attributes::Element<bool> {
  static constexpr int32_t kKind = OPWRIGHT_BOOL;
  OPWRIGHT_HIDDEN static bool At(const OpwrightAttr& a, int64_t i) { return a.ints[i] != 0; }
};
template <>
struct Attributes::Element<DType> {
  static constexpr int32_t kKind = OPWRIGHT_TYPE;
  OPWRIGHT_HIDDEN static DType At(const OpwrightAttr& a, int64_t i) {
    return static_cast<DType>(a.ints[i]);
  }
};
template <>
struct Attributes::Element<std::string> {
  static constexpr int32_t kKind = OPWRIGHT_STRING;
  OPWRIGHT_HIDDEN static std::string At(const OpwrightAttr& a, int64_t i) {
    return std::string(a.strings[i], static_cast<size_t>(a.ints[i]));
  }
};
template <>
struct Attributes::Element<Shape> {
  static constexpr int32_t kKind = OPWRIGHT_SHAPE;
  OPWRIGHT_HIDDEN static Shape At(const OpwrightAttr& a, int64_t i) {
    return Shape(static_cast<int>(a.ints[i]), a.dims[i]);
  }
};

}  // namespace opwright
