#include "opwright/op/abi.h"

#include <gtest/gtest.h>

#include <cstddef>

// What libraries and bridges that are built apart agree on. A line that does not compile any more
// is a change of the major version; a new field adds a line.

#define AT(STRUCT, FIELD, OFFSET) \
  static_assert(offsetof(STRUCT, FIELD) == (OFFSET), #STRUCT "." #FIELD " has moved")

AT(OpwrightTensor, size, 0);
AT(OpwrightTensor, dtype, 4);
AT(OpwrightTensor, rank, 8);
AT(OpwrightTensor, dims, 16);
AT(OpwrightTensor, elements, 24);
AT(OpwrightTensor, data, 32);

AT(OpwrightAttr, size, 0);
AT(OpwrightAttr, kind, 4);
AT(OpwrightAttr, is_list, 8);
AT(OpwrightAttr, count, 16);
AT(OpwrightAttr, name, 24);
AT(OpwrightAttr, ints, 32);
AT(OpwrightAttr, floats, 40);
AT(OpwrightAttr, strings, 48);
AT(OpwrightAttr, dims, 56);

AT(OpwrightRef, source, 0);
AT(OpwrightRef, index, 4);

AT(OpwrightArg, size, 0);
AT(OpwrightArg, is_list, 4);
AT(OpwrightArg, count, 8);
AT(OpwrightArg, refs, 16);

AT(OpwrightApi, size, 0);
AT(OpwrightApi, fail, 8);
AT(OpwrightApi, attribute, 16);
AT(OpwrightApi, value_as_shape, 24);
AT(OpwrightApi, set_output, 32);
AT(OpwrightApi, parallel_for, 40);
AT(OpwrightApi, scratch, 48);
AT(OpwrightApi, deterministic, 56);
AT(OpwrightApi, needed, 64);
AT(OpwrightApi, call, 72);
AT(OpwrightApi, constant, 80);
AT(OpwrightApi, set_d_input, 88);

AT(OpwrightContext, size, 0);
AT(OpwrightContext, flags, 4);
AT(OpwrightContext, api, 8);
AT(OpwrightContext, runner, 16);
AT(OpwrightContext, op, 24);
AT(OpwrightContext, input_begin, 32);
AT(OpwrightContext, output_begin, 40);
AT(OpwrightContext, inputs, 48);
AT(OpwrightContext, outputs, 56);

AT(OpwrightKernel, size, 0);
AT(OpwrightKernel, n_dtypes, 4);
AT(OpwrightKernel, op, 8);
AT(OpwrightKernel, device, 16);
AT(OpwrightKernel, dtypes, 24);
AT(OpwrightKernel, compute, 32);
AT(OpwrightKernel, next, 40);

AT(OpwrightOp, size, 0);
AT(OpwrightOp, name, 8);
AT(OpwrightOp, declaration, 16);
AT(OpwrightOp, sdk, 24);
AT(OpwrightOp, create, 32);
AT(OpwrightOp, destroy, 40);
AT(OpwrightOp, shape, 48);
AT(OpwrightOp, gradient, 56);
AT(OpwrightOp, next, 64);

AT(OpwrightLibrary, size, 0);
AT(OpwrightLibrary, major, 4);
AT(OpwrightLibrary, minor, 6);
AT(OpwrightLibrary, version, 8);
AT(OpwrightLibrary, ops, 16);
AT(OpwrightLibrary, kernels, 24);

// A field that is added without a line above changes one of these.
TEST(Abi, EveryFieldIsListed) {
  EXPECT_EQ(sizeof(OpwrightTensor), 40u);
  EXPECT_EQ(sizeof(OpwrightAttr), 64u);
  EXPECT_EQ(sizeof(OpwrightRef), 8u);
  EXPECT_EQ(sizeof(OpwrightArg), 24u);
  EXPECT_EQ(sizeof(OpwrightApi), 96u);
  EXPECT_EQ(sizeof(OpwrightContext), 64u);
  EXPECT_EQ(sizeof(OpwrightKernel), 48u);
  EXPECT_EQ(sizeof(OpwrightOp), 72u);
  EXPECT_EQ(sizeof(OpwrightLibrary), 32u);
}
