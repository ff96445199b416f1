#include "opwright/testing/attribute.h"

#include <sstream>

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {

AttrValue::Element ReadElement(const OpwrightAttr& a, int64_t i) {
  switch (a.kind) {
    case OPWRIGHT_INT:
      return a.ints[i];
    case OPWRIGHT_FLOAT:
      return a.floats[i];
    case OPWRIGHT_BOOL:
      return a.ints[i] != 0;
    case OPWRIGHT_STRING:
      return std::string(a.strings[i], static_cast<size_t>(a.ints[i]));
    case OPWRIGHT_TYPE:
      return static_cast<DType>(a.ints[i]);
    case OPWRIGHT_SHAPE:
      return Shape(static_cast<int>(a.ints[i]), a.dims[i]);
    default:
      throw Error(Code::kInternal, "attribute ", a.name, " is of the unknown kind ", a.kind);
  }
}

void Print(std::ostream& out, const AttrValue::Element& element) {
  if (const auto* text = std::get_if<std::string>(&element)) {
    out << '\'' << *text << '\'';
  } else if (const auto* truth = std::get_if<bool>(&element)) {
    out << (*truth ? "true" : "false");
  } else {
    std::visit([&out](const auto& value) { out << value; }, element);
  }
}

}  // namespace

AttrValue AttrValue::FromTable(const OpwrightAttr& attr) {
  std::vector<Element> elements;
  for (int64_t i = 0; i < attr.count; ++i) elements.push_back(ReadElement(attr, i));
  return AttrValue(attr.kind, attr.is_list != 0, std::move(elements));
}

AttrValue AttrValue::ToFloat() const {
  std::vector<Element> floats;
  for (const Element& element : elements_) {
    floats.emplace_back(static_cast<double>(std::get<int64_t>(element)));
  }
  return AttrValue(OPWRIGHT_FLOAT, is_list_, std::move(floats));
}

AttrTable::AttrTable(const AttrValue& value) : value_(value) {
  for (const AttrValue::Element& element : value_.elements()) {
    if (const auto* integer = std::get_if<int64_t>(&element)) ints_.push_back(*integer);
    if (const auto* real = std::get_if<double>(&element)) floats_.push_back(*real);
    if (const auto* truth = std::get_if<bool>(&element)) ints_.push_back(*truth ? 1 : 0);
    if (const auto* dtype = std::get_if<DType>(&element)) {
      ints_.push_back(static_cast<int64_t>(*dtype));
    }
    if (const auto* text = std::get_if<std::string>(&element)) {
      ints_.push_back(static_cast<int64_t>(text->size()));
      strings_.push_back(text->data());
    }
    if (const auto* shape = std::get_if<Shape>(&element)) {
      ints_.push_back(shape->rank());
      dims_.push_back(shape->dims());
    }
  }
}

OpwrightAttr AttrTable::table() const {
  auto a = detail::Sized<OpwrightAttr>();
  a.kind = value_.kind();
  a.is_list = value_.is_list();
  a.count = static_cast<int64_t>(value_.elements().size());
  a.ints = ints_.data();
  a.floats = floats_.data();
  a.strings = strings_.data();
  a.dims = dims_.data();
  return a;
}

std::string Text(const AttrValue& value) {
  std::ostringstream out;
  if (value.is_list()) out << '{';
  const char* separator = "";
  for (const AttrValue::Element& element : value.elements()) {
    out << separator;
    Print(out, element);
    separator = ", ";
  }
  if (value.is_list()) out << '}';
  return out.str();
}

std::string KindText(int32_t kind, bool is_list) {
  const char* const names[] = {"?", "int", "float", "bool", "string", "type", "shape"};
  const std::string name = names[kind >= OPWRIGHT_INT && kind <= OPWRIGHT_SHAPE ? kind : 0];
  return is_list ? "list(" + name + ")" : name;
}

}  // namespace testing
}  // namespace opwright
