#pragma once

// For ops with complex64 or complex128 tensors: std::complex<float>, std::complex<double>.

#include <complex>

#include "opwright/op.h"

namespace opwright OPWRIGHT_HIDDEN {
OPWRIGHT_DTYPE(std::complex<float>, kComplex64)
OPWRIGHT_DTYPE(std::complex<double>, kComplex128)
}  // namespace opwright
