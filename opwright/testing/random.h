#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "opwright/testing/tensor.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// Random tensors. The seed is OPWRIGHT_SEED of the environment, else another one each time; so a
// test begins with
//   Random random;
//   SCOPED_TRACE(random.note());
class Random {
 public:
  Random() : Random(Seed()) {}
  explicit Random(uint64_t seed) : seed_(seed), engine_(seed) {}

  std::string note() const { return "to replicate: OPWRIGHT_SEED=" + std::to_string(seed_); }

  // Both bounds can come.
  int64_t Integer(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(engine_);
  }
  double Real(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(engine_);
  }
  Dims SomeDims(int rank, int64_t least, int64_t most) {
    Dims dims;
    for (int k = 0; k < rank; ++k) dims.push_back(Integer(least, most));
    return dims;
  }
  // Between the bounds, of any dtype; both parts of a complex number.
  Tensor Values(DType dtype, Dims dims, double least, double most) {
    return WithType(dtype, [&](auto type) {
      using T = decltype(type);
      Tensor tensor(dtype, std::move(dims));
      for (int64_t i = 0; i < tensor.size(); ++i) tensor.data<T>()[i] = Value<T>(least, most);
      return tensor;
    });
  }

 private:
  static uint64_t Seed() {
    const char* chosen = std::getenv("OPWRIGHT_SEED");
    return chosen ? std::strtoull(chosen, nullptr, 10) : std::random_device()();
  }
  template <typename T>
  T Value(double least, double most) {
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
      return T(static_cast<float>(Real(least, most)));
    } else if constexpr (std::is_same_v<T, bool>) {
      return Integer(0, 1) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(Integer(static_cast<int64_t>(least), static_cast<int64_t>(most)));
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(Real(least, most));
    } else {
      using Part = typename T::value_type;
      const auto real = static_cast<Part>(Real(least, most));
      return T(real, static_cast<Part>(Real(least, most)));
    }
  }

  uint64_t seed_;
  std::mt19937_64 engine_;
};

}  // namespace testing
}  // namespace opwright
