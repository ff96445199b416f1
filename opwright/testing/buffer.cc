#include "opwright/testing/buffer.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(begin, size) static_cast<void>(begin)
#define ASAN_UNPOISON_MEMORY_REGION(begin, size) static_cast<void>(begin)
#endif

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {

constexpr unsigned char kGuardByte = 0xC3;

int64_t PhysicalMemory() {
  static const int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return bytes;
}

// Bytes of the whole block: aligned_alloc wants a multiple of the alignment.
int64_t BlockSize(int64_t bytes) {
  constexpr int64_t kMask = Buffer::kAlignment - 1;
  return (Buffer::kGuard + bytes + Buffer::kGuard + kMask) & ~kMask;
}

// Reads poisoned memory, so it is not instrumented and calls nothing that is.
__attribute__((noinline, no_sanitize("address"))) bool Whole(const unsigned char* p) {
  return *p == kGuardByte;
}

}  // namespace

Buffer::Buffer(int64_t bytes) : bytes_(bytes), memory_(nullptr) {
  // Refused here: an allocation beyond memory may seem to succeed, and kill the process when used.
  if (bytes >= 0 && bytes < PhysicalMemory()) {
    memory_ = static_cast<unsigned char*>(
        std::aligned_alloc(static_cast<size_t>(kAlignment), static_cast<size_t>(BlockSize(bytes))));
  }
  if (!memory_) {
    throw Error(Code::kResourceExhausted, bytes, " bytes were asked for, this machine has ",
                PhysicalMemory());
  }
  unsigned char* end = data() + bytes_;
  memset(memory_, kGuardByte, static_cast<size_t>(kGuard));
  memset(end, kGuardByte, static_cast<size_t>(kGuard));
  ASAN_POISON_MEMORY_REGION(memory_, static_cast<size_t>(kGuard));
  ASAN_POISON_MEMORY_REGION(end, static_cast<size_t>(memory_ + BlockSize(bytes_) - end));
}

Buffer::~Buffer() {
  ASAN_UNPOISON_MEMORY_REGION(memory_, static_cast<size_t>(BlockSize(bytes_)));
  std::free(memory_);
}

void Buffer::Fill(unsigned char value) const { memset(data(), value, static_cast<size_t>(bytes_)); }

std::optional<int64_t> Buffer::Damage() const {
  for (int64_t k = 0; k < kGuard; ++k) {
    if (!Whole(data() + bytes_ + k)) return bytes_ + k;
    if (!Whole(data() - 1 - k)) return -1 - k;
  }
  return std::nullopt;
}

}  // namespace testing
}  // namespace opwright
