#include "opwright/bridge/cc/cc.h"

namespace opwright::bridge {

void RegisterCcGradient(const Op&) {}

}  // namespace opwright::bridge
