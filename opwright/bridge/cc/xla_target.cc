#include <string>
#include <string_view>
#include <vector>

#include "opwright/bridge/cc/xla_call.h"

// The function that XLA calls, registered when this library is opened. TensorFlow 2.20 and later
// have XLA's typed interface, in which an error keeps its code; before, there is the older one.

#if OPWRIGHT_TF_MINOR >= 20

#include "xla/ffi/api/ffi.h"

// Its own header, xla/ffi/ffi_api.h, includes headers that are not in the wheels.
namespace xla::ffi {
const XLA_FFI_Api* GetXlaFfiApi();
}

namespace opwright::bridge {
namespace {

namespace ffi = xla::ffi;

ffi::Error Run(std::string_view text, ffi::RemainingArgs arguments, ffi::RemainingRets results) {
  std::vector<void*> inputs, outputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto buffer = arguments.get<ffi::AnyBuffer>(i);
    if (!buffer) return buffer.error();
    inputs.push_back(buffer->untyped_data());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    auto buffer = results.get<ffi::AnyBuffer>(i);
    if (!buffer) return buffer.error();
    outputs.push_back((*buffer)->untyped_data());
  }
  const absl::Status status = RunXlaCall(text, inputs.data(), outputs.data());
  if (status.ok()) return ffi::Error::Success();
  return ffi::Error(static_cast<ffi::ErrorCode>(status.code()), std::string(status.message()));
}

XLA_FFI_DEFINE_HANDLER(
    kHandler, Run, ffi::Ffi::Bind().Attr<std::string_view>("call").RemainingArgs().RemainingRets());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), kXlaTarget, "Host", kHandler);

}  // namespace
}  // namespace opwright::bridge

#else

#include "xla/service/custom_call_status_internal.h"
#include "xla/service/custom_call_target_registry.h"

namespace opwright::bridge {
namespace {

// XlaCustomCallStatusSetFailure is not exported by the wheels, so the message is assigned; its code
// is lost on the way, hence in the text.
void Run(void* outputs, const void** inputs, const char* text, size_t size,
         XlaCustomCallStatus* status) {
  const absl::Status ran = RunXlaCall({text, size}, const_cast<void* const*>(inputs),
                                      static_cast<void* const*>(outputs));
  if (!ran.ok()) status->message = ran.ToString();
}

XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(kXlaTarget, Run);

}  // namespace
}  // namespace opwright::bridge

#endif
