#pragma once

#include <cstdint>

namespace opwright::bridge {

// As OpwrightApi.parallel_for, on TensorFlow's threads, also when called on one of them.
void ParallelForInPool(int64_t n, int64_t cost, void (*body)(void* arg, int64_t begin, int64_t end),
                       void* arg);

}  // namespace opwright::bridge
