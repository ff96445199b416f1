#pragma once

#include "opwright/bridge/attributes.h"
#include "opwright/bridge/phase.h"
#include "tensorflow/core/framework/node_def_util.h"

namespace opwright::bridge {

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

// The op with the attributes of a node, for op.table->destroy; null, and a failure that names the
// op, if they are refused.
inline void* Create(const Op& op, const tensorflow::NodeDef& node, const Layout& layout,
                    absl::Status* status) {
  CreatePhase phase(op, node);
  OpwrightContext context = MakeContext(op, kCreateApi, &phase, layout, 0);
  void* self = op.table->create(&context);
  if (!self) phase.Fail(absl::InternalError("the op could not be made"));
  if (phase.status.ok()) return self;
  if (self) op.table->destroy(self);
  *status = Explain(op, "", phase.status);
  return nullptr;
}

}  // namespace opwright::bridge
