#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "opwright/bridge/bridge.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/op_def.pb.h"

namespace opwright::bridge {

// Reads attributes of one node for OpwrightApi.attribute, and keeps what it hands out.
class OPWRIGHT_SHARED AttributeReader {
 public:
  // find: the node's attribute of this name, or null.
  using Find = std::function<const tensorflow::AttrValue*(const std::string& name)>;
  AttributeReader(const tensorflow::OpDef& def, Find find) : def_(def), find_(std::move(find)) {}

  bool Read(const char* name, OpwrightAttr* result);

 private:
  bool ReadWhole(const char* name, OpwrightAttr* attr);

  const tensorflow::OpDef& def_;
  Find find_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
  std::deque<std::vector<const char*>> strings_;
  std::deque<std::vector<const int64_t*>> dims_;
};

// The other way: an attribute of a call that a gradient makes. type: as the called op declares it,
// "list(float)"; integers become floats where floats are declared, and nothing else is converted.
tensorflow::AttrValue ToAttrValue(const OpwrightAttr& attr, const std::string& type);

}  // namespace opwright::bridge
