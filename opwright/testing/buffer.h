#pragma once

#include <cstdint>
#include <optional>

#include "opwright/op.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// Memory for a tensor or for scratch, aligned to 64 bytes, uninitialised, between two guards.
// AddressSanitizer stops instrumented code that touches a guard; what other code writes there is
// found by Damage.
class Buffer {
 public:
  static constexpr int64_t kAlignment = 64;
  static constexpr int64_t kGuard = 256;

  // Throws a ResourceExhausted for more memory than the machine has.
  explicit Buffer(int64_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  unsigned char* data() const { return memory_ + kGuard; }
  int64_t bytes() const { return bytes_; }
  void Fill(unsigned char value) const;

  // The byte of the guards that was overwritten and is nearest to the memory, counted from its
  // begin: -1 lies before it, bytes() behind it. Nothing if both guards are whole.
  std::optional<int64_t> Damage() const;

 private:
  int64_t bytes_;
  unsigned char* memory_;
};

}  // namespace testing
}  // namespace opwright
