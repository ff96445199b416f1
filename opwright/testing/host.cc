#include "opwright/testing/host.h"

#include <mutex>
#include <utility>

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {

// Calls function(), and puts "where: " before the message of what it throws.
template <typename Function>
auto Prefixed(const std::string& where, const Function& function) {
  try {
    return function();
  } catch (const Error& e) {
    throw Error(e.code(), where, ": ", e.what());
  }
}

template <typename Item>
std::vector<Actual> Describe(const Arguments<Item>& inputs) {
  std::vector<Actual> actuals;
  for (const Argument<Item>& argument : inputs.all()) {
    Actual& actual = actuals.emplace_back();
    actual.is_list = argument.is_list();
    for (const Item& item : argument.items()) {
      const Known known(item);
      actual.dtypes.push_back(known.dtype);
      actual.shapes.push_back(known.shape);
    }
  }
  return actuals;
}

template <typename Item>
std::vector<Item> Flatten(const Arguments<Item>& inputs) {
  std::vector<Item> flat;
  for (const Argument<Item>& argument : inputs.all()) {
    for (const Item& item : argument.items()) flat.push_back(item);
  }
  return flat;
}

}  // namespace

// The op object of the last run: TensorFlow makes one for a node, and runs it often.
struct Node::Cache {
  std::mutex mutex;
  std::vector<std::pair<bool, std::vector<DType>>> key;
  std::shared_ptr<const Instance> instance;
};

Node::Node(std::shared_ptr<const Library> library, std::shared_ptr<Engine> engine,
           const Library::Entry* entry, AttrMap attrs)
    : library_(std::move(library)),
      engine_(std::move(engine)),
      entry_(entry),
      attrs_(std::move(attrs)),
      cache_(std::make_shared<Cache>()) {}

Binding Node::BindOrThrow(const std::vector<Actual>& actuals, bool guess) const {
  return Prefixed(Describe(declaration(), actuals),
                  [&] { return Bind(declaration(), attrs_, actuals, guess); });
}

std::shared_ptr<const Instance> Node::InstanceFor(const std::vector<Actual>& actuals) const {
  std::vector<std::pair<bool, std::vector<DType>>> key;
  for (const Actual& actual : actuals) key.emplace_back(actual.is_list, actual.dtypes);
  const std::lock_guard<std::mutex> lock(cache_->mutex);
  if (!cache_->instance || cache_->key != key) {
    cache_->instance = std::make_shared<Instance>(*entry_, BindOrThrow(actuals, false),
                                                  Describe(declaration(), actuals));
    cache_->key = key;
  }
  return cache_->instance;
}

std::unique_ptr<RunPhase> Node::MakeRun(const Arguments<Tensor>& inputs) const {
  std::vector<Actual> actuals = Describe(inputs);
  std::shared_ptr<const Instance> instance = InstanceFor(actuals);
  const std::vector<DType> types = instance->binding().KernelTypes(declaration());
  const OpwrightKernel* kernel = library_->FindKernel(declaration().name, "CPU", types);
  if (!kernel) {
    throw Error(Code::kUnimplemented, Describe(declaration(), actuals),
                ": there is no CPU kernel for the types ", Text(AttrValue(types)));
  }
  std::vector<Tensor> flat;
  for (const Argument<Tensor>& argument : inputs.all()) {
    for (Tensor& tensor : argument.ReleaseItems()) flat.push_back(std::move(tensor));
  }
  return std::make_unique<RunPhase>(engine_, std::move(instance), kernel, std::move(flat),
                                    std::move(actuals));
}

std::vector<Tensor> Node::Run(Arguments<Tensor> inputs) const {
  const std::unique_ptr<RunPhase> run = MakeRun(inputs);
  RunChecked(*run);
  return run->outputs();
}

Prepared Node::Prepare(Arguments<Tensor> inputs) const { return Prepared(MakeRun(inputs)); }

std::vector<Shape> Node::InferShapes(const Arguments<Known>& inputs) const {
  const std::vector<Actual> actuals = Describe(inputs);
  const std::string where = Describe(declaration(), actuals);
  const Instance instance(*entry_, BindOrThrow(actuals, true), where);
  return testing::InferShapes(instance, Flatten(inputs), where);
}

Recording Node::RecordGradient(const Arguments<Known>& inputs, std::vector<bool> needed) const {
  const std::vector<Actual> actuals = Describe(inputs);
  const std::string where = Describe(declaration(), actuals);
  const Binding binding = BindOrThrow(actuals, true);
  const size_t n = binding.inputs.size();
  if (needed.empty()) needed.assign(n, true);
  Require(needed.size() == n, where, ": `needed` has ", needed.size(), " elements for ", n,
          " input tensors");
  for (size_t i = 0; i < n; ++i) needed[i] = needed[i] && IsDifferentiable(binding.inputs[i]);
  return testing::RecordGradient(*library_, *entry_, binding, needed, where);
}

Host::Host(int threads)
    // The ops of this program live as long as it does.
    : library_(std::shared_ptr<void>(), &Library::Linked()),
      engine_(std::make_shared<Engine>(threads)) {}

Host::Host(Library library, int threads)
    : library_(std::make_shared<const Library>(std::move(library))),
      engine_(std::make_shared<Engine>(threads)) {}

Node Host::Op(const std::string& name, const AttrMap& attrs) const {
  const Library::Entry& entry = library_->Get(name);
  Prefixed(name, [&] { return CheckAttributes(entry.declaration, attrs); });
  return Node(library_, engine_, &entry, attrs);
}

}  // namespace testing
}  // namespace opwright
