#include "opwright/testing/recording.h"

#include <cstring>

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {

// It follows from the arguments of a call, as their type or length.
bool FollowsFromInputs(const OpDeclaration& op, const std::string& attr) {
  for (const ArgumentDeclaration& input : op.inputs) {
    if (input.type_attr == attr || input.types_attr == attr || input.length_attr == attr)
      return true;
  }
  return false;
}

class GradientPhase : public Phase {
 public:
  GradientPhase(const Library& library, const Library::Entry& entry, const Binding& binding,
                const std::vector<bool>& needed)
      : Phase("gradient", entry.op, binding, 0), library_(library), op_(entry.declaration) {
    recording_.needed = needed;
    recording_.d_inputs.assign(needed.size(), OpwrightRef{OPWRIGHT_NONE, 0});
  }

  const AttrValue* Attribute(const std::string& name) override {
    const auto found = binding().attrs.find(name);
    return found == binding().attrs.end() ? nullptr : &found->second;
  }

  bool Needed(int32_t tensor) override { return recording_.needed.at(static_cast<size_t>(tensor)); }

  int32_t Call(const char* op, int32_t n_args, const OpwrightArg* args, int32_t n_attrs,
               const OpwrightAttr* attrs) override {
    Recording::Call call;
    call.op = op;
    for (int32_t i = 0; i < n_args; ++i) {
      const OpwrightArg& arg = At(args, i);
      call.args.push_back({arg.is_list != 0, {arg.refs, arg.refs + arg.count}});
      for (const OpwrightRef& ref : call.args.back().refs) CheckRef(ref, call.op);
    }
    for (int32_t i = 0; i < n_attrs; ++i) {
      const OpwrightAttr& attr = At(attrs, i);
      call.attrs.insert_or_assign(attr.name, AttrValue::FromTable(attr));
    }
    // What TensorFlow's own ops take, this runner does not know.
    if (const Library::Entry* called = library_.Find(call.op)) Complete(called->declaration, call);
    return Put(std::move(call));
  }

  int32_t Constant(const OpwrightTensor& value) override {
    Recording::Call call;
    call.constant =
        Tensor(static_cast<DType>(value.dtype), Dims(value.dims, value.dims + value.rank));
    if (call.constant.size() > 0) {
      memcpy(call.constant.raw(), value.data, static_cast<size_t>(call.constant.bytes()));
    }
    return Put(std::move(call));
  }

  void SetDInput(int32_t tensor, OpwrightRef ref) override {
    const std::string what = "d_" + TensorName(op_.inputs, binding().input_begin, tensor);
    if (ref.source != OPWRIGHT_NONE) CheckRef(ref, what);
    recording_.d_inputs.at(static_cast<size_t>(tensor)) = ref;
  }

  Recording Finish() {
    for (size_t k = 0; k < recording_.calls.size(); ++k) {
      recording_.text += "call" + std::to_string(k) + " = " + CallText(recording_.calls[k]) + "\n";
    }
    for (size_t k = 0; k < recording_.d_inputs.size(); ++k) {
      if (!recording_.needed[k]) continue;
      const std::string name = TensorName(op_.inputs, binding().input_begin, static_cast<int>(k));
      recording_.text += "d_" + name + " = " + RefText(recording_.d_inputs[k]) + "\n";
    }
    return std::move(recording_);
  }

 private:
  int32_t Put(Recording::Call call) {
    recording_.calls.push_back(std::move(call));
    return static_cast<int32_t>(recording_.calls.size()) - 1;
  }

  void CheckRef(const OpwrightRef& ref, const std::string& user) const {
    const int32_t calls = static_cast<int32_t>(recording_.calls.size());
    bool exists =
        ref.index >= 0 && ref.source >= OPWRIGHT_INPUT && ref.source < OPWRIGHT_CALL + calls;
    if (ref.source == OPWRIGHT_INPUT) exists = exists && ref.index < binding().input_begin.back();
    if (ref.source == OPWRIGHT_OUTPUT || ref.source == OPWRIGHT_D_OUTPUT) {
      exists = exists && ref.index < binding().output_begin.back();
    }
    if (exists) return;
    throw Error(Code::kInternal, "Gradient gives ", user, " a tensor that does not exist: source ",
                ref.source, ", index ", ref.index);
  }

  // Checks a call of an op of the library, and adds what it takes over from this node: a default
  // that the node overrode would be a wrong number that nobody sees.
  void Complete(const OpDeclaration& called, Recording::Call& call) const {
    if (call.args.size() != called.inputs.size()) {
      throw Error(Code::kInternal, "Gradient calls ", called.name, " with ", call.args.size(),
                  " arguments, it takes ", called.inputs.size());
    }
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (call.args[i].is_list == called.inputs[i].is_list()) continue;
      throw Error(Code::kInternal, "Gradient calls ", called.name, " with ",
                  call.args[i].is_list ? "a list" : "a tensor", " for its argument ",
                  called.inputs[i].name, ", which is ",
                  called.inputs[i].is_list() ? "a list" : "a tensor");
    }
    call.attrs = CheckAttributes(called, call.attrs);
    for (const AttrDeclaration& attr : called.attrs) {
      const AttrDeclaration* own = op_.attr(attr.name);
      if (!own || own->kind != attr.kind || own->is_list != attr.is_list) continue;
      if (FollowsFromInputs(called, attr.name)) continue;
      call.attrs.emplace(attr.name, binding().attrs.at(attr.name));
    }
  }

  std::string RefText(const OpwrightRef& ref) const {
    switch (ref.source) {
      case OPWRIGHT_NONE:
        return "none";
      case OPWRIGHT_INPUT:
        return TensorName(op_.inputs, binding().input_begin, ref.index);
      case OPWRIGHT_OUTPUT:
        return TensorName(op_.outputs, binding().output_begin, ref.index);
      case OPWRIGHT_D_OUTPUT:
        return "d_" + TensorName(op_.outputs, binding().output_begin, ref.index);
      default:
        break;
    }
    const std::string call = "call" + std::to_string(ref.source - OPWRIGHT_CALL);
    return ref.index == 0 ? call : call + "[" + std::to_string(ref.index) + "]";
  }

  std::string CallText(const Recording::Call& call) const {
    if (call.op.empty()) return Text(call.constant);
    std::string text = call.op + "(", separator;
    for (const Recording::Argument& arg : call.args) {
      std::string refs;
      for (const OpwrightRef& ref : arg.refs) refs += (refs.empty() ? "" : ", ") + RefText(ref);
      text += separator + (arg.is_list ? "[" + refs + "]" : refs);
      separator = ", ";
    }
    for (const auto& [name, value] : call.attrs) {
      text += separator + name + "=" + Text(value);
      separator = ", ";
    }
    return text + ")";
  }

  const Library& library_;
  const OpDeclaration& op_;
  Recording recording_;
};

}  // namespace

Recording RecordGradient(const Library& library, const Library::Entry& entry,
                         const Binding& binding, const std::vector<bool>& needed,
                         const std::string& where) {
  if (!entry.op->gradient) {
    throw Error(Code::kUnimplemented, where,
                ": the op has no gradient: ", entry.declaration.no_gradient);
  }
  GradientPhase phase(library, entry, binding, needed);
  entry.op->gradient(phase.context());
  phase.ThrowFailure(where);
  return phase.Finish();
}

}  // namespace testing
}  // namespace opwright
