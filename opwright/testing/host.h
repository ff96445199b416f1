#pragma once

#include <memory>
#include <string>
#include <vector>

#include "opwright/testing/recording.h"
#include "opwright/testing/run.h"

// Runs ops without TensorFlow:
//
//   Host host;
//   auto mul = host.Op("ElementMul");
//   auto y = mul.Run({Tensor::Of<float>({2}, {1, 2}), Tensor::Of<float>({2}, {3, 4})});
//   y[0].values<float>()                                        // {3, 8}
//   mul.InferShapes({Shape{-1, 3}, Shape{2, -1}})               // {[2,3]}
//   mul.RecordGradient({Shape{2}, Shape{2}}).text               // the calls, see recording.h
//
// A failure is an opwright::Error with the message that TensorFlow would show:
// "ElementMul (a: float [2], b: float [3]): inputs a and b must have the same shape, they have
// ...".

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// Runs of a node, step by step, without the checks of Node::Run; for benchmarks, and to look at
// what lies between the steps. No input is forwarded, so that all steps can be repeated.
class Prepared {
 public:
  explicit Prepared(std::unique_ptr<RunPhase> run)
      : run_(std::move(run)), inputs_(run_->inputs()) {}

  // The shape function alone: validates the inputs.
  void CheckShapes() { run_->CheckShapes(); }
  // The shape function and new outputs, uninitialised.
  void Allocate() { run_->Allocate(); }
  // The kernel alone, on the outputs of the last Allocate.
  void Compute() {
    run_->Compute();
    run_->ThrowIfFailed();
  }
  const std::vector<Tensor>& outputs() const { return run_->outputs(); }

 private:
  std::unique_ptr<RunPhase> run_;
  std::vector<Tensor> inputs_;  // shared with the run
};

// An op with attributes. Lists of inputs and outputs are counted flat in results. May be used by
// several threads at once.
class Node {
 public:
  // The outputs for these inputs. Types and lengths follow from them. One that is given away,
  // std::move(x), may be forwarded to an output.
  //
  // Checks the op: a write out of bounds or to an input, and an element of an output that is never
  // written, are errors. Outputs and scratch memory are NaN, or odd numbers, before the run.
  std::vector<Tensor> Run(Arguments<Tensor> inputs) const;

  // The outputs' shapes while a graph is built: Shape::Unknown() is an unknown rank, -1 an unknown
  // dimension. A Tensor says its value too, Known::Partly a part of it. A type that nothing says is
  // the first that is allowed.
  std::vector<Shape> InferShapes(const Arguments<Known>& inputs) const;

  // What Gradient asks for. needed: for each input tensor; without it, all that are floating point
  // or complex.
  Recording RecordGradient(const Arguments<Known>& inputs, std::vector<bool> needed = {}) const;

  Prepared Prepare(Arguments<Tensor> inputs) const;

  const OpDeclaration& declaration() const { return entry_->declaration; }

 private:
  friend class Host;
  Node(std::shared_ptr<const Library> library, std::shared_ptr<Engine> engine,
       const Library::Entry* entry, AttrMap attrs);

  // Takes the tensors out of the arguments.
  std::unique_ptr<RunPhase> MakeRun(const Arguments<Tensor>& inputs) const;
  Binding BindOrThrow(const std::vector<Actual>& actuals, bool guess) const;
  std::shared_ptr<const Instance> InstanceFor(const std::vector<Actual>& actuals) const;

  struct Cache;
  std::shared_ptr<const Library> library_;
  std::shared_ptr<Engine> engine_;
  const Library::Entry* entry_;
  AttrMap attrs_;
  std::shared_ptr<Cache> cache_;
};

class Host {
 public:
  // For the ops that are linked into this program.
  explicit Host(int threads = 1);
  // For those of a library: Host host(Library::Open("libmy_op.so")).
  explicit Host(Library library, int threads = 1);

  // Throws for an op or an attribute that does not exist. Attributes that follow from the inputs,
  // or have defaults, may be left out.
  Node Op(const std::string& name, const AttrMap& attrs = {}) const;
  const Library& library() const { return *library_; }

  // Parallel loops run in blocks of this size, from the last to the first; 0: a few blocks for each
  // thread. Not while an op runs, as the next.
  void set_blocks(int64_t size) { engine_->block = size; }
  // What CpuCall::deterministic says.
  void set_deterministic(bool deterministic) { engine_->deterministic = deterministic; }

 private:
  std::shared_ptr<const Library> library_;
  std::shared_ptr<Engine> engine_;
};

}  // namespace testing
}  // namespace opwright
