#pragma once

#include <memory>

#include "opwright/bridge/attributes.h"
#include "opwright/bridge/phase.h"
#include "tensorflow/core/framework/node_def_util.h"

namespace opwright::bridge {

// An op with the attributes of one node.
struct Destroy {
  const OpwrightOp* table = nullptr;
  void operator()(void* self) const { table->destroy(self); }
};
using Instance = std::unique_ptr<void, Destroy>;

// The phase in which it is made, outside of shape inference.
struct CreatePhase : Phase {
  CreatePhase(const Op& op, const tensorflow::NodeDef& node)
      : node_attrs(node),
        attributes(op.def, [this](const std::string& name) { return node_attrs.Find(name); }) {}

  tensorflow::AttrSlice node_attrs;
  AttributeReader attributes;
};

constexpr OpwrightApi MakeCreateApi() {
  OpwrightApi api = {};
  api.size = sizeof api;
  api.fail = &FailPhase;
  api.attribute = &ReadAttribute<CreatePhase>;
  return api;
}
inline constexpr OpwrightApi kCreateApi = MakeCreateApi();

// Null, and a failure that names the op, if the attributes are refused.
inline Instance Create(const Op& op, const tensorflow::NodeDef& node, const Layout& layout,
                       absl::Status* status) {
  CreatePhase phase(op, node);
  OpwrightContext context = MakeContext(op, kCreateApi, &phase, layout, 0);
  Instance self(op.table->create(&context), {op.table});
  if (!self) phase.Fail(absl::InternalError("the op could not be made"));
  if (phase.status.ok()) return self;
  *status = Explain(op, "", phase.status);
  return nullptr;
}

}  // namespace opwright::bridge
