#include <exception>

#include "opwright/bridge/cc/cc.h"

// See CcAttach in bridge.h.
extern "C" OPWRIGHT_SHARED void opwright_cc_attach(const opwright::bridge::Op* const* ops,
                                                   size_t count, std::string* why) noexcept {
  try {
    const std::vector<const opwright::bridge::Op*> all(ops, ops + count);
    for (const opwright::bridge::Op* op : all) opwright::bridge::RegisterCcGradient(*op);
    opwright::bridge::RegisterXla(all);
  } catch (const std::exception& e) {
    *why = e.what();
  }
}
