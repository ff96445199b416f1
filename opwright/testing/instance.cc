#include "opwright/testing/instance.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {

class CreatePhase : public Phase {
 public:
  CreatePhase(const OpwrightOp* op, const Binding& binding) : Phase("create", op, binding, 0) {}

  const AttrValue* Attribute(const std::string& name) override {
    const auto found = binding().attrs.find(name);
    return found == binding().attrs.end() ? nullptr : &found->second;
  }
};

class GraphShapePhase : public ShapePhase {
 public:
  GraphShapePhase(const Instance& instance, const std::vector<Known>& inputs)
      : ShapePhase(instance, 0), inputs_(inputs), shapes_(instance.binding().outputs.size()) {
    for (size_t i = 0; i < inputs.size(); ++i) table_.push_back(Describe(i));
    context()->inputs = table_.empty() ? nullptr : &table_[0].tensor;
  }

  std::vector<Shape> Infer(const std::string& where) {
    RunShape();
    ThrowFailure(where);
    return std::move(shapes_);
  }

  int32_t ValueAsShape(int32_t tensor, int64_t* dims) override {
    const Known& input = inputs_.at(static_cast<size_t>(tensor));
    Require(!input.shape.known_rank() || input.shape.rank() == 1, "input ",
            instance().InputName(tensor), " must be a vector, its shape is ", input.shape);
    Shape known = input.value_as_shape;
    if (!known.known_rank() && input.shape.known()) {
      Require(input.shape[0] <= OPWRIGHT_MAX_RANK, "input ", instance().InputName(tensor),
              " is a shape of rank ", input.shape[0]);
      known = Shape::OfRank(static_cast<int>(input.shape[0]));
    }
    for (int k = 0; k < known.rank(); ++k) dims[k] = known[k];
    return known.rank();
  }

 protected:
  void TakeOutput(size_t tensor, const Shape& shape) override { shapes_[tensor] = shape; }

 private:
  TensorTable Describe(size_t flat) const {
    const Known& known = inputs_[flat];
    TensorTable table;
    OpwrightTensor& t = table.tensor;
    t.dtype = static_cast<int32_t>(instance().binding().inputs[flat]);
    t.rank = known.shape.rank();
    t.dims = known.shape.known_rank() ? known.shape.dims() : nullptr;
    t.elements = OPWRIGHT_UNKNOWN;
    if (known.shape.known()) {
      t.elements = CheckedSize("input " + instance().InputName(static_cast<int>(flat)),
                               instance().binding().inputs[flat], known.shape);
    }
    if (HasValue(flat)) t.data = known.value.raw();
    return table;
  }
  // Only of ShapeValue inputs: TensorFlow looks for the value of no other.
  bool HasValue(size_t flat) const {
    const auto& begin = instance().binding().input_begin;
    size_t i = 0;
    while (static_cast<size_t>(begin[i + 1]) <= flat) ++i;
    return instance().declaration().inputs[i].kind == ArgumentKind::kShapeValue;
  }

  const std::vector<Known>& inputs_;
  std::vector<TensorTable> table_;
  std::vector<Shape> shapes_;
};

}  // namespace

Instance::Instance(const Library::Entry& entry, Binding binding, const std::string& where)
    : entry_(entry), binding_(std::move(binding)) {
  CreatePhase phase(op(), binding_);
  self_ = op()->create(phase.context());
  if (!self_) phase.Fail(Code::kInternal, "the op could not be made");
  if (!phase.failed()) return;
  if (self_) op()->destroy(self_);
  phase.ThrowFailure(where);
}

Instance::~Instance() { op()->destroy(self_); }

void ShapePhase::SetOutput(int32_t tensor, const Shape& shape) {
  const size_t index = static_cast<size_t>(tensor);
  if (index >= set_.size()) {
    throw Error(Code::kInternal, "Shape sets output tensor ", tensor, ", there are ", set_.size());
  }
  const std::string name = instance_.OutputName(tensor);
  const bool running = (context()->flags & OPWRIGHT_RUNNING) != 0;
  if (set_[index]) throw Error(Code::kInternal, "Shape twice sets output ", name);
  set_[index] = true;
  if (running && !shape.known_rank()) {
    throw Error(Code::kInternal, "Shape leaves open, before a run, the rank of output ", name);
  }
  for (int k = 0; k < shape.rank(); ++k) {
    if (shape[k] >= (running ? 0 : OPWRIGHT_UNKNOWN)) continue;
    throw Error(Code::kInternal, "Shape sets", running ? ", before a run," : "", " dimension ", k,
                " to ", shape[k], " of output ", name);
  }
  if (!failed()) TakeOutput(index, shape);
}

void ShapePhase::RunShape() {
  set_.assign(set_.size(), false);
  instance_.op()->shape(instance_.self(), context());
  for (size_t i = 0; i < set_.size() && !failed(); ++i) {
    if (set_[i]) continue;
    Fail(Code::kInternal, "Shape does not set output " + instance_.OutputName(static_cast<int>(i)));
  }
}

std::vector<Shape> InferShapes(const Instance& instance, const std::vector<Known>& inputs,
                               const std::string& where) {
  return GraphShapePhase(instance, inputs).Infer(where);
}

}  // namespace testing
}  // namespace opwright
