#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "opwright/testing/instance.h"
#include "opwright/testing/pool.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// What runs have in common.
struct Engine {
  explicit Engine(int threads) : pool(threads) {}
  Pool pool;
  int64_t block = 0;  // of a parallel loop; 0: some blocks for each thread
  bool deterministic = false;
};

// Runs of one node on the same inputs: shape function, then kernel. No checks but those of the op.
class RunPhase : public ShapePhase {
 public:
  RunPhase(std::shared_ptr<Engine> engine, std::shared_ptr<const Instance> instance,
           const OpwrightKernel* kernel, std::vector<Tensor> inputs, std::vector<Actual> actuals);

  // The shape function alone: validates the inputs.
  void CheckShapes();
  // The shape function, which allocates the outputs. They are uninitialised, or are an input's
  // memory that the caller gave away and that the op may forward.
  void Allocate();
  // The kernel alone, on the outputs of the last Allocate. A failure is kept.
  void Compute();
  void ThrowIfFailed() const;

  const Instance& node() const { return *held_; }
  const std::vector<Tensor>& inputs() const { return inputs_; }
  const std::vector<Tensor>& outputs() const { return outputs_; }
  // Of the last Compute.
  const std::list<Buffer>& scratch() const { return scratch_; }
  void set_scratch_fill(unsigned char byte) { scratch_fill_ = byte; }
  // The output lies in the memory of an input.
  bool IsForwarded(const Tensor& output) const;
  // The begin of messages.
  std::string Where() const { return Describe(held_->declaration(), actuals_); }

  void ParallelFor(int64_t n, int64_t cost, void (*body)(void*, int64_t, int64_t),
                   void* arg) override;
  void* Scratch(int64_t bytes) override;
  bool Deterministic() override { return engine_->deterministic; }

 protected:
  void TakeOutput(size_t tensor, const Shape& shape) override;

 private:
  // The input that gives its memory to the output; null: none may.
  const Tensor* Forwarded(size_t output, const Shape& shape) const;

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<const Instance> held_;
  const OpwrightKernel* kernel_;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<Actual> actuals_;
  std::vector<TensorTable> input_table_, output_table_;
  std::list<Buffer> scratch_;
  std::optional<unsigned char> scratch_fill_;
  bool allocate_ = false, computing_ = false;
};

// Allocate and Compute, and the errors that the op does not notice itself: writes outside of its
// tensors and scratch memory, or to an input; elements of the outputs that are never written.
void RunChecked(RunPhase& run);

}  // namespace testing
}  // namespace opwright
