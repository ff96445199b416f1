#include "opwright/testing/run.h"

#include <algorithm>

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {

TensorTable Table(const Tensor& tensor) {
  TensorTable table;
  OpwrightTensor& t = table.tensor;
  t.dtype = static_cast<int32_t>(tensor.dtype());
  t.rank = tensor.rank();
  t.dims = tensor.dims().data();
  t.elements = tensor.size();
  t.data = tensor.raw();
  return table;
}

}  // namespace

RunPhase::RunPhase(std::shared_ptr<Engine> engine, std::shared_ptr<const Instance> instance,
                   const OpwrightKernel* kernel, std::vector<Tensor> inputs,
                   std::vector<Actual> actuals)
    : ShapePhase(*instance, OPWRIGHT_RUNNING),
      engine_(std::move(engine)),
      held_(std::move(instance)),
      kernel_(kernel),
      inputs_(std::move(inputs)),
      outputs_(held_->binding().outputs.size()),
      actuals_(std::move(actuals)),
      output_table_(outputs_.size()) {
  for (const Tensor& input : inputs_) input_table_.push_back(Table(input));
  context()->inputs = input_table_.empty() ? nullptr : &input_table_[0].tensor;
  context()->outputs = output_table_.empty() ? nullptr : &output_table_[0].tensor;
}

void RunPhase::CheckShapes() {
  allocate_ = false;
  RunShape();
  ThrowIfFailed();
}

void RunPhase::Allocate() {
  allocate_ = true;
  for (Tensor& output : outputs_) output = Tensor();
  RunShape();
  ThrowIfFailed();
}

void RunPhase::TakeOutput(size_t tensor, const Shape& shape) {
  const DType dtype = held_->binding().outputs[tensor];
  const std::string name = "output " + held_->OutputName(static_cast<int>(tensor));
  CheckedSize(name, dtype, shape);
  if (!allocate_) return;
  const Tensor* input = Forwarded(tensor, shape);
  outputs_[tensor] =
      input ? *input : Tensor(dtype, Dims(shape.dims(), shape.dims() + shape.rank()));
  output_table_[tensor] = Table(outputs_[tensor]);
}

const Tensor* RunPhase::Forwarded(size_t output, const Shape& shape) const {
  const Binding& binding = held_->binding();
  for (const auto& [from, to] : held_->declaration().forwards) {
    if (static_cast<size_t>(binding.output_begin[static_cast<size_t>(to)]) != output) continue;
    const auto flat = static_cast<size_t>(binding.input_begin[static_cast<size_t>(from)]);
    const Tensor& input = inputs_[flat];
    if (input.unshared() && input.dtype() == binding.outputs[output] && input.shape() == shape) {
      return &input;
    }
  }
  return nullptr;
}

bool RunPhase::IsForwarded(const Tensor& output) const {
  return std::any_of(inputs_.begin(), inputs_.end(),
                     [&](const Tensor& input) { return input.buffer() == output.buffer(); });
}

void RunPhase::Compute() {
  scratch_.clear();
  computing_ = true;
  kernel_->compute(held_->self(), context());
  computing_ = false;
}

void RunPhase::ThrowIfFailed() const {
  if (failed()) ThrowFailure(Where());
}

void RunPhase::ParallelFor(int64_t n, int64_t, void (*body)(void*, int64_t, int64_t), void* arg) {
  if (!computing_) return Phase::ParallelFor(n, 0, body, arg);
  const int64_t block =
      engine_->block > 0 ? engine_->block : (n - 1) / (int64_t{4} * engine_->pool.threads()) + 1;
  engine_->pool.Run(n, block, engine_->block > 0, body, arg);
}

void* RunPhase::Scratch(int64_t bytes) {
  if (!computing_) return Phase::Scratch(bytes);
  if (Pool::InBody()) {
    throw Error(Code::kInternal,
                "scratch memory was asked for inside a ParallelFor; ask before it");
  }
  const Buffer& buffer = scratch_.emplace_back(bytes);
  if (scratch_fill_) buffer.Fill(*scratch_fill_);
  return buffer.data();
}

}  // namespace testing
}  // namespace opwright
