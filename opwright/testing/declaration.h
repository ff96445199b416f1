#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/testing/attribute.h"

// A declaration, read from the text in the table of an op library or in the file of one.
// docs/abi.md describes the lines.

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

struct AttrDeclaration {
  std::string name;
  std::string text;  // what stands behind the name: "int >= 1 = 2"
  int32_t kind = 0;  // of abi.h
  bool is_list = false;
  bool selects_kernel = false;  // a type attribute that kernels are chosen by

  // What a value, or each element of a list, must be; empty: anything.
  std::vector<DType> allowed_types;
  std::vector<std::string> allowed_strings;
  // Of an int: the least value. Of a list: the least length.
  std::optional<int64_t> minimum;

  std::optional<AttrValue> fallback;  // the default
};

enum class ArgumentKind { kInput, kHostInput, kShapeValue, kOptionalInput, kOutput };

struct ArgumentDeclaration {
  std::string name;
  std::string text;  // what stands behind the name: "N * T"
  ArgumentKind kind = ArgumentKind::kInput;

  DType dtype = DType::kInvalid;  // if it is fixed
  std::string type_attr;          // else the attribute that is the type, or
  std::string types_attr;         // a list(type), that is the types of a list of tensors
  std::string length_attr;        // of a list of tensors of one type: its length

  bool is_list() const { return !types_attr.empty() || !length_attr.empty(); }
};

struct OpDeclaration {
  std::string name;
  std::string sdk_version, abi_version, compiler;
  std::vector<AttrDeclaration> attrs;
  std::vector<ArgumentDeclaration> inputs, outputs;
  std::vector<std::pair<int, int>> forwards;  // from input to output
  bool stateful = false;
  bool has_gradient = false;
  std::string no_gradient;  // why there is none
  std::vector<std::string> devices;

  // Null: there is none of this name.
  const AttrDeclaration* attr(const std::string& attr_name) const;
};

// Throws an InvalidArgument that quotes the line for one that cannot be read.
OpDeclaration ParseDeclaration(std::string_view text);

// What stands behind "name:" in an attribute's line: "{float, double} = DT_FLOAT", "int >= 1".
AttrDeclaration ParseAttr(std::string name, std::string_view text);

// The dtype of a name as in "x: float"; kInvalid if there is none.
DType ParseDType(std::string_view name);

}  // namespace testing
}  // namespace opwright
