#include <algorithm>
#include <cstring>
#include <iterator>

#include "opwright/testing/run.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {

// Fills memory before a run. The floats are NaN, so that a result made from them is one too. The
// second round is for telling what was never written from what has this value by chance.
struct Pattern {
  unsigned char integers, floats;
};
constexpr Pattern kFirst = {0xA5, 0xFF}, kSecond = {0x5A, 0xFE};
constexpr unsigned char kScratch = 0xFF;

unsigned char ByteFor(DType dtype, Pattern pattern) {
  return IsDifferentiable(dtype) ? pattern.floats : pattern.integers;
}

// The elements that consist of this byte.
std::vector<int64_t> ElementsOf(const Tensor& tensor, unsigned char byte) {
  std::vector<int64_t> found;
  const auto* data = static_cast<const unsigned char*>(tensor.raw());
  const int64_t size = SizeOf(tensor.dtype());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const auto* element = data + i * size;
    if (std::all_of(element, element + size, [byte](unsigned char b) { return b == byte; })) {
      found.push_back(i);
    }
  }
  return found;
}

uint64_t Checksum(const Tensor& tensor) {
  uint64_t sum = 0;
  const auto* data = static_cast<const unsigned char*>(tensor.raw());
  for (int64_t i = 0; i < tensor.bytes(); i += 8) {
    uint64_t word = 0;
    memcpy(&word, data + i, static_cast<size_t>(std::min<int64_t>(8, tensor.bytes() - i)));
    sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 29;
  }
  return sum;
}

class CheckedRun {
 public:
  explicit CheckedRun(RunPhase& run) : run_(run) {}

  void Run() {
    run_.set_scratch_fill(kScratch);
    run_.Allocate();
    std::vector<uint64_t> sums;
    for (const Tensor& input : run_.inputs()) sums.push_back(Checksum(input));
    Poison(kFirst);
    run_.Compute();
    // Before the op's own failure: what wrote out of bounds may have caused it.
    CheckGuards();
    CheckInputs(sums);
    run_.ThrowIfFailed();
    CheckWritten();
  }

 private:
  [[noreturn]] void Fault(const std::string& fault) const {
    throw Error(Code::kInternal, run_.Where(), ": ", fault);
  }

  void Poison(Pattern pattern) const {
    for (const Tensor& output : run_.outputs()) {
      if (!run_.IsForwarded(output)) output.buffer()->Fill(ByteFor(output.dtype(), pattern));
    }
  }

  void CheckGuard(const std::string& what, const Buffer& buffer) const {
    const std::optional<int64_t> damage = buffer.Damage();
    if (!damage) return;
    Fault("the op writes outside of " + what + ", which has " + std::to_string(buffer.bytes()) +
          " bytes: at byte " + std::to_string(*damage));
  }

  void CheckGuards() const {
    for (size_t i = 0; i < run_.outputs().size(); ++i) {
      CheckGuard("output " + run_.node().OutputName(static_cast<int>(i)),
                 *run_.outputs()[i].buffer());
    }
    for (size_t i = 0; i < run_.inputs().size(); ++i) {
      CheckGuard("input " + run_.node().InputName(static_cast<int>(i)), *run_.inputs()[i].buffer());
    }
    for (const Buffer& scratch : run_.scratch()) {
      CheckGuard("its scratch memory", scratch);
    }
  }

  void CheckInputs(const std::vector<uint64_t>& sums) const {
    for (size_t i = 0; i < sums.size(); ++i) {
      const Tensor& input = run_.inputs()[i];
      if (Forwarded(input) || Checksum(input) == sums[i]) continue;
      Fault("the op writes to its input " + run_.node().InputName(static_cast<int>(i)));
    }
  }

  bool Forwarded(const Tensor& input) const {
    return std::any_of(run_.outputs().begin(), run_.outputs().end(),
                       [&](const Tensor& output) { return output.buffer() == input.buffer(); });
  }

  // An element that still has its value may have been given it: then it does not keep another one,
  // in a second run.
  void CheckWritten() {
    std::vector<std::vector<int64_t>> suspects;
    bool any = false, repeatable = !run_.node().declaration().stateful;
    for (const Tensor& output : run_.outputs()) {
      repeatable = repeatable && !run_.IsForwarded(output);
      suspects.push_back(ElementsOf(output, ByteFor(output.dtype(), kFirst)));
      any = any || !suspects.back().empty();
    }
    if (!any || !repeatable) return;
    Poison(kSecond);
    run_.Compute();
    for (size_t i = 0; i < suspects.size(); ++i) CheckWritten(static_cast<int>(i), suspects[i]);
    run_.ThrowIfFailed();
  }

  void CheckWritten(int output, const std::vector<int64_t>& suspects) const {
    const Tensor& tensor = run_.outputs()[static_cast<size_t>(output)];
    const auto still = ElementsOf(tensor, ByteFor(tensor.dtype(), kSecond));
    std::vector<int64_t> unwritten;
    std::set_intersection(suspects.begin(), suspects.end(), still.begin(), still.end(),
                          std::back_inserter(unwritten));
    if (unwritten.empty()) return;
    Fault("the op leaves " + std::to_string(unwritten.size()) + " of " +
          std::to_string(tensor.size()) + " elements of output " + run_.node().OutputName(output) +
          " unwritten, the first is element " + std::to_string(unwritten[0]) + " of " +
          Text(tensor.shape()));
  }

  RunPhase& run_;
};

}  // namespace

void RunChecked(RunPhase& run) { CheckedRun(run).Run(); }

}  // namespace testing
}  // namespace opwright
