#pragma once

#include <memory>
#include <string>
#include <vector>

#include "opwright/testing/arguments.h"
#include "opwright/testing/library.h"
#include "opwright/testing/phase.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// A node with its op object: what a kernel is in TensorFlow.
class Instance {
 public:
  // Throws what the op's constructor throws, behind "where: ".
  Instance(const Library::Entry& entry, Binding binding, const std::string& where);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const OpwrightOp* op() const { return entry_.op; }
  const OpDeclaration& declaration() const { return entry_.declaration; }
  const Binding& binding() const { return binding_; }
  const void* self() const { return self_; }

  std::string InputName(int flat) const {
    return TensorName(declaration().inputs, binding_.input_begin, flat);
  }
  std::string OutputName(int flat) const {
    return TensorName(declaration().outputs, binding_.output_begin, flat);
  }

 private:
  const Library::Entry& entry_;
  Binding binding_;
  void* self_ = nullptr;
};

// A shape function, for both of its uses. Shapes of outputs are checked here.
class ShapePhase : public Phase {
 public:
  ShapePhase(const Instance& instance, uint32_t flags)
      : Phase("shape", instance.op(), instance.binding(), flags),
        instance_(instance),
        set_(instance.binding().outputs.size()) {}

  void SetOutput(int32_t tensor, const Shape& shape) final;

 protected:
  const Instance& instance() const { return instance_; }
  // Runs the shape function. A failure is kept.
  void RunShape();
  // Output `tensor` has this shape, which is known all if the flags say OPWRIGHT_RUNNING.
  virtual void TakeOutput(size_t tensor, const Shape& shape) = 0;

 private:
  const Instance& instance_;
  std::vector<bool> set_;
};

// What shape inference finds while a graph is built.
std::vector<Shape> InferShapes(const Instance& instance, const std::vector<Known>& inputs,
                               const std::string& where);

}  // namespace testing
}  // namespace opwright
