#include "opwright/testing/phase.h"

#include <algorithm>
#include <cstring>

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {

Phase& Of(OpwrightContext* c) { return *static_cast<Phase*>(c->runner); }

// No exception crosses the table: what `function` throws becomes the phase's failure, and the
// result is then `failed`.
template <typename Function, typename Result>
Result Guard(OpwrightContext* c, Result failed, const Function& function) noexcept {
  try {
    return function(Of(c));
  } catch (const Error& e) {
    Of(c).Fail(e.code(), e.what());
  } catch (const std::exception& e) {
    Of(c).Fail(Code::kInternal, e.what());
  }
  return failed;
}
template <typename Function>
void Guard(OpwrightContext* c, const Function& function) noexcept {
  Guard(c, 0, [&](Phase& phase) { return function(phase), 0; });
}

int32_t ReadAttribute(OpwrightContext* c, const char* name, OpwrightAttr* attr) {
  return Guard(c, 0, [&](Phase& phase) {
    const AttrValue* value = phase.Attribute(name);
    if (!value) return 0;
    OpwrightAttr table = phase.KeepTable(*value);
    table.name = name;
    table.size = std::min(attr->size, table.size);
    memcpy(attr, &table, table.size);
    return 1;
  });
}

const OpwrightApi kApi = {
    sizeof(OpwrightApi),
    0,
    [](OpwrightContext* c, int32_t code, const char* message) {
      Guard(c, [&](Phase& phase) { phase.Fail(static_cast<Code>(code), message); });
    },
    &ReadAttribute,
    [](OpwrightContext* c, int32_t tensor, int64_t* dims) {
      return Guard(c, OPWRIGHT_UNKNOWN,
                   [&](Phase& phase) { return phase.ValueAsShape(tensor, dims); });
    },
    [](OpwrightContext* c, int32_t tensor, int32_t rank, const int64_t* dims) {
      Guard(c, [&](Phase& phase) { phase.SetOutput(tensor, Shape(rank, dims)); });
    },
    [](OpwrightContext* c, int64_t n, int64_t cost, void (*body)(void*, int64_t, int64_t),
       void* arg) { Guard(c, [&](Phase& phase) { phase.ParallelFor(n, cost, body, arg); }); },
    [](OpwrightContext* c, int64_t bytes) {
      return Guard(c, static_cast<void*>(nullptr),
                   [&](Phase& phase) { return phase.Scratch(bytes); });
    },
    [](OpwrightContext* c) {
      return Guard(c, 0, [&](Phase& phase) { return phase.Deterministic() ? 1 : 0; });
    },
    [](OpwrightContext* c, int32_t tensor) {
      return Guard(c, 0, [&](Phase& phase) { return phase.Needed(tensor) ? 1 : 0; });
    },
    [](OpwrightContext* c, const char* op, int32_t n_args, const OpwrightArg* args, int32_t n_attrs,
       const OpwrightAttr* attrs) {
      return Guard(c, -1,
                   [&](Phase& phase) { return phase.Call(op, n_args, args, n_attrs, attrs); });
    },
    [](OpwrightContext* c, const OpwrightTensor* value) {
      return Guard(c, -1, [&](Phase& phase) { return phase.Constant(*value); });
    },
    [](OpwrightContext* c, int32_t tensor, OpwrightRef ref) {
      Guard(c, [&](Phase& phase) { phase.SetDInput(tensor, ref); });
    },
};

}  // namespace

Phase::Phase(const char* name, const OpwrightOp* op, const Binding& binding, uint32_t flags)
    : name_(name), binding_(binding), context_(detail::Sized<OpwrightContext>()) {
  context_.flags = flags;
  context_.api = &kApi;
  context_.runner = this;
  context_.op = op;
  context_.input_begin = binding.input_begin.data();
  context_.output_begin = binding.output_begin.data();
}

void Phase::Fail(Code code, const std::string& message) {
  if (!failure_) failure_.emplace(code, message);
}

void Phase::ThrowFailure(const std::string& where) const {
  if (failure_) throw Error(failure_->code(), where, ": ", failure_->what());
}

void Phase::NotHere(const char* function) const {
  throw Error(Code::kInternal, function, " was called in the phase ", name_,
              ", to which it does not belong");
}

const AttrValue* Phase::Attribute(const std::string&) { NotHere("attribute"); }
int32_t Phase::ValueAsShape(int32_t, int64_t*) { NotHere("value_as_shape"); }
void Phase::SetOutput(int32_t, const Shape&) { NotHere("set_output"); }
void Phase::ParallelFor(int64_t, int64_t, void (*)(void*, int64_t, int64_t), void*) {
  NotHere("parallel_for");
}
void* Phase::Scratch(int64_t) { NotHere("scratch"); }
bool Phase::Deterministic() { NotHere("deterministic"); }
bool Phase::Needed(int32_t) { NotHere("needed"); }
int32_t Phase::Call(const char*, int32_t, const OpwrightArg*, int32_t, const OpwrightAttr*) {
  NotHere("call");
}
int32_t Phase::Constant(const OpwrightTensor&) { NotHere("constant"); }
void Phase::SetDInput(int32_t, OpwrightRef) { NotHere("set_d_input"); }

}  // namespace testing
}  // namespace opwright
