#pragma once

#include <cstdint>

#include "opwright/op/dtype.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace detail {

// A declaration as its author wrote it, item by item; known at compile time.
enum class ItemKind : uint8_t {
  kName,      // spec: the op's name
  kTypeAttr,  // spec: the attribute's name; kernels are chosen by it
  kAttr,      // spec: "name: kind = default"
  kInput,     // spec: "name: type" for this kind and the next four
  kHostInput,
  kShapeValue,
  kOptionalInput,
  kOutput,
  kForward,  // from input `first` to output `second`
  kStateful,
};

struct Item {
  ItemKind kind = ItemKind::kName;
  const char* spec = nullptr;
  const int32_t* dtypes = nullptr;  // ended by 0
  DType fallback = DType::kInvalid;
  int first = 0, second = 0;
};

constexpr bool IsInput(ItemKind kind) {
  return kind == ItemKind::kInput || kind == ItemKind::kHostInput ||
         kind == ItemKind::kShapeValue || kind == ItemKind::kOptionalInput;
}
constexpr bool IsOutput(ItemKind kind) { return kind == ItemKind::kOutput; }

struct Schema {
  static constexpr int kMaxItems = 96;

  Item items[kMaxItems];
  int n_items = 0;  // may count past kMaxItems; the compile-time check refuses that
  uint8_t input_items[kMaxItems] = {}, output_items[kMaxItems] = {};
  int n_inputs = 0, n_outputs = 0;

  constexpr void Add(const Item& item) {
    if (n_items < kMaxItems) {
      const uint8_t index = static_cast<uint8_t>(n_items);
      items[n_items] = item;
      if (IsInput(item.kind)) input_items[n_inputs++] = index;
      if (IsOutput(item.kind)) output_items[n_outputs++] = index;
    }
    ++n_items;
  }
  constexpr const Item& input(int i) const { return items[input_items[i]]; }
  constexpr const Item& output(int i) const { return items[output_items[i]]; }
};

}  // namespace detail
}  // namespace opwright
