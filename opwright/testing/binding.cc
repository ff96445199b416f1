#include "opwright/testing/binding.h"

#include <algorithm>

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {

// {"half", "float"}: "half or float".
std::string OneOf(const std::vector<std::string>& words) {
  std::string all;
  for (size_t k = 0; k < words.size(); ++k) {
    all += (k == 0 ? "" : k + 1 == words.size() ? " or " : ", ") + words[k];
  }
  return all;
}

void CheckElement(const AttrDeclaration& declared, const AttrValue& whole,
                  const AttrValue::Element& element) {
  std::vector<std::string> choice;
  bool allowed = false;
  if (const auto* dtype = std::get_if<DType>(&element)) {
    for (const DType type : declared.allowed_types) {
      allowed = allowed || type == *dtype;
      choice.emplace_back(Name(type));
    }
  }
  if (const auto* text = std::get_if<std::string>(&element)) {
    for (const std::string& word : declared.allowed_strings) {
      allowed = allowed || word == *text;
      choice.push_back("'" + word + "'");
    }
  }
  Require(choice.empty() || allowed, "attribute ", declared.name, " is ", Text(whole),
          ", it must be ", OneOf(choice));
}

void CheckValue(const AttrDeclaration& declared, const AttrValue& value) {
  for (const AttrValue::Element& element : value.elements()) CheckElement(declared, value, element);
  if (!declared.minimum) return;
  if (declared.is_list) {
    Require(static_cast<int64_t>(value.elements().size()) >= *declared.minimum, "attribute ",
            declared.name, " has ", value.elements().size(), " values, it must have ",
            *declared.minimum, " or more");
  } else if (declared.kind == OPWRIGHT_INT) {
    Require(value.as<int64_t>() >= *declared.minimum, "attribute ", declared.name, " is ",
            value.as<int64_t>(), ", it must be ", *declared.minimum, " or more");
  }
}

class Binder {
 public:
  Binder(const OpDeclaration& op, const AttrMap& given, bool guess) : op_(op), guess_(guess) {
    binding_.attrs = CheckAttributes(op, given);
  }

  void Inputs(const std::vector<Actual>& inputs) {
    if (inputs.size() != op_.inputs.size()) {
      std::vector<std::string> names;
      for (const ArgumentDeclaration& input : op_.inputs) names.push_back(input.name);
      std::string all;
      for (const std::string& name : names) all += (all.empty() ? " (" : ", ") + name;
      Fail("the op takes ", names.size(), names.size() == 1 ? " input" : " inputs", all,
           names.empty() ? "" : ")", ", ", inputs.size(), inputs.size() == 1 ? " was" : " were",
           " given");
    }
    for (size_t i = 0; i < inputs.size(); ++i) CheckInput(op_.inputs[i], inputs[i]);
  }

  void Attributes() {
    for (const AttrDeclaration& declared : op_.attrs) {
      if (binding_.attrs.count(declared.name) == 0) {
        if (declared.fallback) {
          Set(declared.name, *declared.fallback);
        } else if (guess_ && declared.kind == OPWRIGHT_TYPE && !declared.is_list &&
                   !declared.allowed_types.empty()) {
          Set(declared.name, declared.allowed_types[0]);
        } else {
          Fail("attribute ", declared.name,
               " is not given, has no default, and does not follow "
               "from the inputs");
        }
      }
      CheckValue(declared, binding_.attrs.at(declared.name));
    }
  }

  Binding Finish(const std::vector<Actual>& inputs) {
    binding_.input_begin = binding_.output_begin = {0};
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto types = Types(op_.inputs[i], static_cast<int64_t>(inputs[i].dtypes.size()));
      Append(types, binding_.inputs, binding_.input_begin);
    }
    for (const ArgumentDeclaration& output : op_.outputs) {
      const int64_t count =
          output.length_attr.empty() ? 1 : binding_.attrs.at(output.length_attr).as<int64_t>();
      Require(count >= 0 && count <= INT16_MAX, "attribute ", output.length_attr, " is ", count,
              ", which is no length of a list");
      Append(Types(output, count), binding_.outputs, binding_.output_begin);
    }
    return std::move(binding_);
  }

 private:
  void Set(const std::string& attr, const AttrValue& value) {
    binding_.attrs.insert_or_assign(attr, value);
  }
  static void Append(const std::vector<DType>& types, std::vector<DType>& to,
                     std::vector<int32_t>& begin) {
    to.insert(to.end(), types.begin(), types.end());
    begin.push_back(static_cast<int32_t>(to.size()));
  }

  void CheckInput(const ArgumentDeclaration& input, const Actual& actual) {
    Require(input.is_list() || !actual.is_list, "input ", input.name,
            " is one tensor, a list was given");
    for (const DType dtype : actual.dtypes) {
      Require(guess_ || dtype != DType::kInvalid, "input ", input.name, " is given no tensor");
    }
    const auto count = static_cast<int64_t>(actual.dtypes.size());
    if (!input.length_attr.empty()) SetLength(input, count);
    if (!input.types_attr.empty()) return SetTypes(input, actual);
    for (const DType dtype : actual.dtypes) {
      if (dtype != DType::kInvalid) CheckType(input, dtype);
    }
  }

  void SetLength(const ArgumentDeclaration& input, int64_t count) {
    const auto found = binding_.attrs.find(input.length_attr);
    if (found == binding_.attrs.end()) return Set(input.length_attr, count);
    Require(found->second.as<int64_t>() == count, "input ", input.name, " is a list of ", count,
            ", by attribute ", input.length_attr, " it must be one of ",
            found->second.as<int64_t>());
  }

  void SetTypes(const ArgumentDeclaration& input, const Actual& actual) {
    const auto found = binding_.attrs.find(input.types_attr);
    const bool known = std::find(actual.dtypes.begin(), actual.dtypes.end(), DType::kInvalid) ==
                       actual.dtypes.end();
    if (found == binding_.attrs.end()) {
      if (known) Set(input.types_attr, actual.dtypes);
      return;
    }
    const AttrValue types(actual.dtypes);
    Require(found->second.elements().size() == actual.dtypes.size() &&
                (!known || found->second == types),
            "input ", input.name, " is a list of ", Text(types), ", by attribute ",
            input.types_attr, " it must be one of ", Text(found->second));
  }

  void CheckType(const ArgumentDeclaration& input, DType dtype) {
    if (input.type_attr.empty()) {
      Require(dtype == input.dtype, "input ", input.name, " is ", dtype, ", it must be ",
              input.dtype);
      return;
    }
    const auto found = binding_.attrs.find(input.type_attr);
    if (found == binding_.attrs.end()) {
      CheckValue(*op_.attr(input.type_attr), dtype);
      return Set(input.type_attr, dtype);
    }
    const DType expected = found->second.as<DType>();
    Require(dtype == expected, "input ", input.name, " is ", dtype, ", by attribute ",
            input.type_attr, " it must be ", expected);
  }

  std::vector<DType> Types(const ArgumentDeclaration& argument, int64_t count) const {
    std::vector<DType> types;
    if (!argument.types_attr.empty()) {
      for (const auto& type : binding_.attrs.at(argument.types_attr).elements()) {
        types.push_back(std::get<DType>(type));
      }
      return types;
    }
    const DType type = argument.type_attr.empty()
                           ? argument.dtype
                           : binding_.attrs.at(argument.type_attr).as<DType>();
    types.assign(static_cast<size_t>(count), type);
    return types;
  }

  const OpDeclaration& op_;
  bool guess_;
  Binding binding_;
};

}  // namespace

std::vector<DType> Binding::KernelTypes(const OpDeclaration& op) const {
  std::vector<DType> types;
  for (const AttrDeclaration& attr : op.attrs) {
    if (attr.selects_kernel) types.push_back(attrs.at(attr.name).as<DType>());
  }
  return types;
}

AttrMap CheckAttributes(const OpDeclaration& op, const AttrMap& given) {
  AttrMap checked;
  for (const auto& [name, value] : given) {
    const AttrDeclaration* declared = op.attr(name);
    if (!declared) {
      std::string names;
      for (const AttrDeclaration& attr : op.attrs) names += (names.empty() ? "" : ", ") + attr.name;
      Fail("the op has no attribute ", name, "; it has ", names.empty() ? "none" : names);
    }
    const bool to_float = declared->kind == OPWRIGHT_FLOAT && value.kind() == OPWRIGHT_INT;
    // Without elements, a list of one kind is as good as a list of another.
    const bool kind =
        value.kind() == declared->kind || to_float || (value.is_list() && value.elements().empty());
    Require(kind && value.is_list() == declared->is_list, "attribute ", name, " is ", Text(value),
            ", which is of kind ", KindText(value.kind(), value.is_list()), ", not ",
            KindText(declared->kind, declared->is_list));
    const AttrValue converted = to_float ? value.ToFloat() : value;
    const AttrValue typed(declared->kind, declared->is_list, converted.elements());
    CheckValue(*declared, typed);
    checked.emplace(name, typed);
  }
  return checked;
}

Binding Bind(const OpDeclaration& op, const AttrMap& given, const std::vector<Actual>& inputs,
             bool guess) {
  Binder binder(op, given, guess);
  binder.Inputs(inputs);
  binder.Attributes();
  return binder.Finish(inputs);
}

std::string TensorName(const std::vector<ArgumentDeclaration>& arguments,
                       const std::vector<int32_t>& begin, int flat) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (flat >= begin[i + 1]) continue;
    const std::string index = "[" + std::to_string(flat - begin[i]) + "]";
    return arguments[i].is_list() ? arguments[i].name + index : arguments[i].name;
  }
  return "?";
}

std::string Describe(const OpDeclaration& op, const std::vector<Actual>& inputs) {
  constexpr size_t kShown = 8;
  std::string text;
  size_t n = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Actual& input = inputs[i];
    const std::string name =
        i < op.inputs.size() ? op.inputs[i].name : "input " + std::to_string(i);
    for (size_t k = 0; k < input.shapes.size(); ++k) {
      if (n++ >= kShown) continue;
      const bool list = input.is_list || (i < op.inputs.size() && op.inputs[i].is_list());
      text += (text.empty() ? "" : ", ") + name + (list ? "[" + std::to_string(k) + "]: " : ": ");
      if (input.dtypes[k] != DType::kInvalid) text += std::string(Name(input.dtypes[k])) + " ";
      text += Text(input.shapes[k]);
    }
  }
  if (n > kShown) text += ", " + std::to_string(n - kShown) + " more";
  return text.empty() ? op.name : op.name + " (" + text + ")";
}

}  // namespace testing
}  // namespace opwright
