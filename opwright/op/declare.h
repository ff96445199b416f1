#pragma once

#include "opwright/op/schema.h"

namespace opwright OPWRIGHT_HIDDEN {

// An op's declaration, the value of `static constexpr auto Declare()`:
//
//   return opwright::Declare().Attr<T>("T").Attr("power: int = 1").Input("x: T").Output("y: T");
//
// "name: type" and the attributes' grammar are TensorFlow's own (see OpDefBuilder). A type is a
// dtype ("float"), an attribute ("T"), or "N * T" for a list whose length is the attribute N.
// Lists: the Types<...> of the type attributes, in their order.
template <typename... Lists>
class Declaration : public detail::Schema {
 public:
  constexpr Declaration() = default;
  constexpr explicit Declaration(const detail::Schema& schema) : detail::Schema(schema) {}

  // A type attribute by which the kernel is chosen: Compute has a template parameter for each, in
  // this order. `fallback` is the type if nothing says one.
  template <typename List>
  constexpr Declaration<Lists..., List> Attr(const char* name,
                                             DType fallback = DType::kInvalid) const {
    Declaration<Lists..., List> longer(*this);
    detail::Item item;
    item.kind = detail::ItemKind::kTypeAttr;
    item.spec = name;
    item.dtypes = List::kCodes;
    item.fallback = fallback;
    longer.Add(item);
    return longer;
  }
  // Any other attribute: "power: int = 1", "mode: {'open', 'closed'} = 'open'", "N: int >= 1",
  // "sizes: list(int)", "Ts: list(type)".
  constexpr Declaration& Attr(const char* spec) { return Put(detail::ItemKind::kAttr, spec); }

  constexpr Declaration& Input(const char* spec) { return Put(detail::ItemKind::kInput, spec); }
  // An input that Compute reads on the host, on every device: a parameter, an axis, a seed.
  constexpr Declaration& HostInput(const char* spec) {
    return Put(detail::ItemKind::kHostInput, spec);
  }
  // An input whose value Shape may ask for. It is on the host, and a compile-time constant in XLA.
  constexpr Declaration& ShapeValue(const char* spec) {
    return Put(detail::ItemKind::kShapeValue, spec);
  }
  // An input that may be absent. To TensorFlow it is a list of no or one tensor; so its type must
  // be known without it: a dtype, or the type of an input that is always there.
  constexpr Declaration& OptionalInput(const char* spec) {
    return Put(detail::ItemKind::kOptionalInput, spec);
  }
  constexpr Declaration& Output(const char* spec) { return Put(detail::ItemKind::kOutput, spec); }

  // The output may take over the buffer of the input if nobody else reads it: Compute must then be
  // right when both are one memory. Never relied upon: often there are two buffers.
  constexpr Declaration& Forward(int input, int output) {
    detail::Item item;
    item.kind = detail::ItemKind::kForward;
    item.first = input;
    item.second = output;
    Add(item);
    return *this;
  }
  // Two runs with equal inputs may differ, or have effects: never merged, folded, or left out.
  constexpr Declaration& Stateful() { return Put(detail::ItemKind::kStateful, nullptr); }
  // The op's registered name, if it is not that of the struct: "MyProject>ElementMul".
  constexpr Declaration& Name(const char* name) { return Put(detail::ItemKind::kName, name); }

 private:
  constexpr Declaration& Put(detail::ItemKind kind, const char* spec) {
    detail::Item item;
    item.kind = kind;
    item.spec = spec;
    Add(item);
    return *this;
  }
};

constexpr Declaration<> Declare() { return {}; }

}  // namespace opwright
