#pragma once

#include <cstdint>
#include <new>

#include "opwright/op/abi.h"
#include "opwright/op/error.h"
#include "opwright/op/schema.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace detail {

template <typename T>
inline T Sized() {
  T value{};
  value.size = sizeof value;
  return value;
}

// Turns the exception being handled into the failure of a phase. Nothing else crosses the table.
[[gnu::noinline, gnu::cold]] inline void Report(OpwrightContext* c) noexcept {
  try {
    throw;
  } catch (const Error& e) {
    c->api->fail(c, static_cast<int32_t>(e.code()), e.what());
  } catch (const std::bad_alloc&) {
    c->api->fail(c, static_cast<int32_t>(Code::kResourceExhausted), "out of host memory");
  } catch (const std::exception& e) {
    c->api->fail(c, static_cast<int32_t>(Code::kInternal), e.what());
  } catch (...) {
    c->api->fail(c, static_cast<int32_t>(Code::kInternal),
                 "the op threw something that is not a std::exception");
  }
}

// What all phases know: the op's arguments and how many tensors each has.
class OPWRIGHT_VISIBLE Context {
 public:
  OPWRIGHT_HIDDEN explicit Context(OpwrightContext* c) : c_(c) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Tensors of input i: 1; of a list its length; of an optional input 0 or 1.
  OPWRIGHT_HIDDEN int count(int i) const {
    if (static_cast<uint32_t>(i) >= static_cast<uint32_t>(schema().n_inputs)) {
      NoTensor(i, 0, false);
    }
    return c_->input_begin[i + 1] - c_->input_begin[i];
  }
  // An optional input is given.
  OPWRIGHT_HIDDEN bool has(int i) const { return count(i) > 0; }

 protected:
  OPWRIGHT_HIDDEN const Schema& schema() const { return *static_cast<const Schema*>(c_->op->sdk); }

  // The flat number of tensor k of argument i; throws if there is none.
  OPWRIGHT_HIDDEN int Input(int i, int k) const {
    if (static_cast<uint32_t>(i) >= static_cast<uint32_t>(schema().n_inputs) ||
        static_cast<uint32_t>(k) >=
            static_cast<uint32_t>(c_->input_begin[i + 1] - c_->input_begin[i])) {
      NoTensor(i, k, false);
    }
    return c_->input_begin[i] + k;
  }
  OPWRIGHT_HIDDEN int Output(int i, int k) const {
    if (static_cast<uint32_t>(i) >= static_cast<uint32_t>(schema().n_outputs) ||
        static_cast<uint32_t>(k) >=
            static_cast<uint32_t>(c_->output_begin[i + 1] - c_->output_begin[i])) {
      NoTensor(i, k, true);
    }
    return c_->output_begin[i] + k;
  }

  // The runner's structs may be longer than ours.
  OPWRIGHT_HIDDEN static const OpwrightTensor& At(const OpwrightTensor* first, int i) {
    return *reinterpret_cast<const OpwrightTensor*>(reinterpret_cast<const char*>(first) +
                                                    static_cast<size_t>(i) * first->size);
  }

  OpwrightContext* c_;

 private:
  [[noreturn, gnu::noinline, gnu::cold]] OPWRIGHT_HIDDEN void NoTensor(int i, int k,
                                                                       bool output) const {
    const char* what = output ? "output " : "input ";
    const int n = output ? schema().n_outputs : schema().n_inputs;
    if (i < 0 || i >= n) {
      Misuse(what, i, " was asked for, the op has ", n);
    }
    const int32_t* begin = output ? c_->output_begin : c_->input_begin;
    Misuse("tensor ", k, " of ", what, Spec((output ? schema().output(i) : schema().input(i)).spec),
           " was asked for, it has ", begin[i + 1] - begin[i], ": ask has(i) or count(i) first");
  }
};

}  // namespace detail
}  // namespace opwright
