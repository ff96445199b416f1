#pragma once

#include <list>
#include <optional>
#include <string>

#include "opwright/testing/binding.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// One phase of one op, see docs/abi.md: what stands behind the functions that a runner offers. A
// phase overrides those that belong to it; any other is a failure.
class Phase {
 public:
  // All but the context of the op outlives the phase.
  Phase(const char* name, const OpwrightOp* op, const Binding& binding, uint32_t flags);
  virtual ~Phase() = default;
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

  OpwrightContext* context() { return &context_; }

  // The first failure counts.
  void Fail(Code code, const std::string& message);
  bool failed() const { return failure_.has_value(); }
  // Throws the failure, if there is one, behind "where: ".
  void ThrowFailure(const std::string& where) const;

  // What they throw becomes the failure.
  virtual const AttrValue* Attribute(const std::string& name);
  virtual int32_t ValueAsShape(int32_t tensor, int64_t* dims);
  virtual void SetOutput(int32_t tensor, const Shape& shape);
  virtual void ParallelFor(int64_t n, int64_t cost, void (*body)(void*, int64_t, int64_t),
                           void* arg);
  virtual void* Scratch(int64_t bytes);
  virtual bool Deterministic();
  virtual bool Needed(int32_t tensor);
  virtual int32_t Call(const char* op, int32_t n_args, const OpwrightArg* args, int32_t n_attrs,
                       const OpwrightAttr* attrs);
  virtual int32_t Constant(const OpwrightTensor& value);
  virtual void SetDInput(int32_t tensor, OpwrightRef ref);

  // Keeps a table until the end of the phase.
  OpwrightAttr KeepTable(const AttrValue& value) { return tables_.emplace_back(value).table(); }

 protected:
  const Binding& binding() const { return binding_; }

 private:
  [[noreturn]] void NotHere(const char* function) const;

  const char* name_;
  const Binding& binding_;
  OpwrightContext context_;
  std::optional<Error> failure_;
  std::list<AttrTable> tables_;
};

// A tensor of the table as a newer runner may write it: an op library must walk arrays by the size
// that stands in them.
struct TensorTable {
  OpwrightTensor tensor = Sized();
  int64_t newer_field = -1;

 private:
  static OpwrightTensor Sized() {
    OpwrightTensor t = {};
    t.size = sizeof(TensorTable);
    return t;
  }
};

// Element i of an array of the table: its writer's structs may be longer than ours.
template <typename T>
const T& At(const T* first, int64_t i) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(first) +
                                     static_cast<size_t>(i) * first->size);
}

}  // namespace testing
}  // namespace opwright
