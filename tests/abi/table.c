/* An op library in plain C, its table written by hand: AbiAdd adds the attribute `by`. What a test
 * wants to be otherwise is defined on the command line. */

#include "opwright/op/abi.h"

#include <stddef.h>
#include <string.h>

#ifndef MAJOR
#define MAJOR OPWRIGHT_ABI_MAJOR
#endif
#ifndef MINOR
#define MINOR OPWRIGHT_ABI_MINOR
#endif
#ifndef LIBRARY_SIZE
#define LIBRARY_SIZE sizeof(Library)
#endif
#ifndef OP_SIZE
#define OP_SIZE sizeof(Op)
#endif
#ifndef KERNEL_SIZE
#define KERNEL_SIZE sizeof(Kernel)
#endif
#ifndef N_DTYPES
#define N_DTYPES 1
#endif
#ifndef DTYPE
#define DTYPE 1
#endif
#ifndef LINES
#define LINES ""
#endif
#ifndef ATTR_SIZE
#define ATTR_SIZE sizeof(OpwrightAttr)
#endif

/* Those of a newer minor version have fields that the bridge does not know. */
typedef struct { OpwrightLibrary now; void* later[2]; } Library;
typedef struct { OpwrightOp now; void* later[3]; } Op;
typedef struct { OpwrightKernel now; void* later; } Kernel;
typedef struct { OpwrightArg now; void* later; } Arg;

static float by = 0;

static void* Create(OpwrightContext* c) {
  struct { OpwrightAttr attr; char guard[16]; } read;
  memset(&read, 0x5a, sizeof read);
  read.attr.size = ATTR_SIZE;
  if (!c->api->attribute(c, "by", &read.attr)) return 0;
  /* A bridge that writes more than the size says destroys what lies behind. */
  for (size_t i = ATTR_SIZE; i < sizeof read; ++i) {
    if (((char*)&read)[i] != 0x5a) {
      c->api->fail(c, 13, "the bridge wrote past the end of the attribute");
      return 0;
    }
  }
  by = (float)read.attr.floats[0];
  return &by;
}
static void Destroy(void* self) { (void)self; }
static void Shape(const void* self, OpwrightContext* c) {
  (void)self;
  c->api->set_output(c, 0, c->inputs->rank, c->inputs->dims);
}
static void Compute(const void* self, OpwrightContext* c) {
  const float* x = c->inputs->data;
  float* y = c->outputs->data;
  for (int64_t i = 0; i < c->inputs->elements; ++i) y[i] = x[i] + *(const float*)self;
}
/* d_x = d_y * 1, by an array of arguments with the stride of a newer version. */
static void Gradient(OpwrightContext* c) {
  const float one = 1;
  OpwrightTensor value = {sizeof value, 1, 0, 0, 0, 1, (void*)&one};
  OpwrightRef refs[2] = {{OPWRIGHT_D_OUTPUT, 0}, {OPWRIGHT_CALL, 0}};
  Arg args[2] = {{{sizeof(Arg), 0, 1, &refs[0]}, 0}, {{sizeof(Arg), 0, 1, &refs[1]}, 0}};
  c->api->constant(c, &value);
  OpwrightRef result = {OPWRIGHT_CALL + c->api->call(c, "Mul", 2, &args[0].now, 0, 0), 0};
  c->api->set_d_input(c, 0, result);
}

static const int32_t dtypes[] = {DTYPE, 0};
static const Kernel kernel = {
    {KERNEL_SIZE, N_DTYPES, "AbiAdd", "CPU", dtypes, Compute, 0}, 0};
static const Op op = {{OP_SIZE, 0, "AbiAdd",
                       "op AbiAdd\ntype_attr T: {float}\nattr by: float = 2.0\ninput x: T\n"
                       "output y: T\ngradient\n" LINES,
                       0, Create, Destroy, Shape, Gradient, 0},
                      {0}};
static const Library library = {
    {LIBRARY_SIZE, MAJOR, MINOR, "test", &op.now, &kernel.now}, {0}};

const OpwrightLibrary* table(void) { return &library.now; }
