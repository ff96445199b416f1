#include <string>
#include <vector>

#include "opwright/bridge/cc/cc.h"
#include "opwright/bridge/phase.h"
#include "opwright/op/version.h"

namespace opwright::bridge {
namespace {

void Attach(const Op* const* ops, size_t count, std::string* why) noexcept {
  try {
    const std::vector<const Op*> all(ops, ops + count);
    for (const Op* op : all) RegisterCcGradient(*op);
    RegisterXla(all);
  } catch (...) {
    *why = WhatIsThrown();
  }
}

}  // namespace
}  // namespace opwright::bridge

extern "C" OPWRIGHT_SHARED const opwright::bridge::CcLibrary opwright_cc = {
    OPWRIGHT_VERSION, sizeof(opwright::bridge::Op), &opwright::bridge::Attach};
