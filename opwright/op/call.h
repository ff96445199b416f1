#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>

#include "opwright/op/view.h"

namespace opwright OPWRIGHT_HIDDEN {

// What Compute sees on the CPU: the inputs, which Shape accepted, and the outputs, allocated from
// what Shape set. Several runs of one node may go on at once, so Compute is const.
class OPWRIGHT_VISIBLE CpuCall : public detail::Context {
 public:
  static constexpr const char* kDevice = "CPU";

  OPWRIGHT_HIDDEN explicit CpuCall(OpwrightContext* c) : Context(c) {}

  // Tensor k of input or output i, aligned to 64 bytes. T must be its dtype.
  template <typename T>
  OPWRIGHT_HIDDEN View<const T> input(int i, int k = 0) const {
    const OpwrightTensor& t = At(c_->inputs, Input(i, k));
    return detail::TypedView<const T>(t, "input ", schema().input(i).spec);
  }
  template <typename T>
  OPWRIGHT_HIDDEN View<T> output(int i, int k = 0) const {
    const OpwrightTensor& t = At(c_->outputs, Output(i, k));
    return detail::TypedView<T>(t, "output ", schema().output(i).spec);
  }
  OPWRIGHT_HIDDEN DType input_dtype(int i, int k = 0) const {
    return static_cast<DType>(At(c_->inputs, Input(i, k)).dtype);
  }
  OPWRIGHT_HIDDEN Shape input_shape(int i, int k = 0) const {
    const OpwrightTensor& t = At(c_->inputs, Input(i, k));
    return Shape(t.rank, t.dims);
  }

  // Calls body(begin, end) for parts of [0, n) that cover it, on TensorFlow's threads, and returns
  // when all are done. cost: about how many cycles one of the n takes; small loops stay on this
  // thread. A loop inside body runs on the thread of its part. What body throws is thrown here: of
  // several, what the part nearest to 0 threw.
  template <typename Body>
  OPWRIGHT_HIDDEN void ParallelFor(int64_t n, int64_t cost, const Body& body) const {
    if (n <= 0) return;
    Loop<Body> loop(body);
    c_->api->parallel_for(c_, n, cost < 1 ? 1 : cost, &Loop<Body>::Part, &loop);
    if (loop.error) std::rethrow_exception(loop.error);
  }

  // Memory for n values of T until the end of this run, uninitialised, aligned to 64 bytes.
  // Not to be called inside ParallelFor.
  template <typename T>
  OPWRIGHT_HIDDEN T* scratch(int64_t n) const {
    static_assert(std::is_trivially_destructible<T>::value,
                  "opwright: scratch is for plain values");
    return static_cast<T*>(Scratch(n, sizeof(T)));
  }

  // tf.config.experimental.enable_op_determinism() was called: the same inputs must give the same
  // bits, whatever the threads do; if the op cannot, it must fail.
  OPWRIGHT_HIDDEN bool deterministic() const { return c_->api->deterministic(c_) != 0; }

 private:
  template <typename Body>
  struct Loop {
    OPWRIGHT_HIDDEN explicit Loop(const Body& b) : body(b) {}
    OPWRIGHT_HIDDEN static void Part(void* self, int64_t begin, int64_t end) noexcept {
      Loop& loop = *static_cast<Loop*>(self);
      try {
        loop.body(begin, end);
      } catch (...) {
        loop.Keep(begin);
      }
    }
    OPWRIGHT_HIDDEN void Keep(int64_t begin) {
      while (busy.test_and_set(std::memory_order_acquire)) {
      }
      if (!error || begin < error_begin) {
        error = std::current_exception();
        error_begin = begin;
      }
      busy.clear(std::memory_order_release);
    }

    const Body& body;
    std::atomic_flag busy = ATOMIC_FLAG_INIT;
    std::exception_ptr error;
    int64_t error_begin = 0;
  };

  [[gnu::noinline]] OPWRIGHT_HIDDEN void* Scratch(int64_t n, size_t bytes_of_one) const {
    int64_t bytes;
    if (n < 0 || __builtin_mul_overflow(n, static_cast<int64_t>(bytes_of_one), &bytes)) {
      throw Error(Code::kResourceExhausted, "scratch memory for ", n, " values of ", bytes_of_one,
                  " bytes was asked for");
    }
    void* memory = c_->api->scratch(c_, bytes > 0 ? bytes : 1);
    if (!memory)
      throw Error(Code::kResourceExhausted, "scratch memory of ", bytes,
                  " bytes could not be allocated");
    return memory;
  }
};

}  // namespace opwright
