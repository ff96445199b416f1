/* The table between an op library and whoever runs its ops: a bridge to TensorFlow, or the host
 * runner of the tests. Plain C. docs/abi.md states what may change and what may not.
 *
 * Rules
 *   - Every struct begins with its size, as its writer knew it. A reader takes a field only if the
 *     size covers it, and walks an array of structs by the size in its first element.
 *   - New fields go to the end and raise the minor version; anything else raises the major one.
 *   - No exception crosses a function of this table.
 *   - Tensors are counted flat: argument i of an op holds the tensors input_begin[i] up to, and
 *     without, input_begin[i + 1]. A list has any number of them, an optional input none or one.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OPWRIGHT_ABI_MAJOR 1
#define OPWRIGHT_ABI_MINOR 0

/* TensorFlow's own limit on the rank of a tensor. */
#define OPWRIGHT_MAX_RANK 254

/* An unknown rank or dimension; only while a graph is built. */
#define OPWRIGHT_UNKNOWN (-1)

/* Kinds of attribute. dtypes are numbered as in TensorFlow's types.proto. */
enum {
  OPWRIGHT_INT = 1,
  OPWRIGHT_FLOAT = 2,
  OPWRIGHT_BOOL = 3,
  OPWRIGHT_STRING = 4,
  OPWRIGHT_TYPE = 5,
  OPWRIGHT_SHAPE = 6
};

/* OpwrightContext.flags */
enum {
  OPWRIGHT_RUNNING = 1 /* before or in a run: shapes and values are all known */
};

/* OpwrightRef.source: whose tensor `index` counts in. The results of call k are OPWRIGHT_CALL + k.
 */
enum {
  OPWRIGHT_NONE = -1,
  OPWRIGHT_INPUT = 0,
  OPWRIGHT_OUTPUT = 1,
  OPWRIGHT_D_OUTPUT = 2,
  OPWRIGHT_CALL = 3
};

/* A tensor, or what is known of it. */
typedef struct OpwrightTensor {
  uint32_t size;
  int32_t dtype;
  int32_t rank; /* OPWRIGHT_UNKNOWN: dims is null */
  int32_t reserved;
  const int64_t* dims;
  int64_t elements; /* OPWRIGHT_UNKNOWN unless all dims are known */
  void* data;       /* null: the value is not known, or there are no elements */
} OpwrightTensor;

/* An attribute: `count` values (one, unless is_list). */
typedef struct OpwrightAttr {
  uint32_t size;
  int32_t kind;
  int32_t is_list;
  int32_t reserved;
  int64_t count;
  const char* name;
  const int64_t* ints; /* INT, BOOL, TYPE: the values; STRING: lengths; SHAPE: ranks or UNKNOWN */
  const double* floats;
  const char* const* strings;
  const int64_t* const* dims; /* SHAPE: the dims of each, UNKNOWN where not known */
} OpwrightAttr;

/* A tensor that a gradient refers to. The only struct without a size: it is a value, and fixed. */
typedef struct OpwrightRef {
  int32_t source;
  int32_t index;
} OpwrightRef;

/* One argument of a call that a gradient makes. */
typedef struct OpwrightArg {
  uint32_t size;
  int32_t is_list;
  int64_t count;
  const OpwrightRef* refs;
} OpwrightArg;

typedef struct OpwrightContext OpwrightContext;

/* What the runner offers. Each function is valid in the phases that its comment names. */
typedef struct OpwrightApi {
  uint32_t size;
  uint32_t reserved;

  /* Any phase: the first failure counts. The codes are those of absl::StatusCode. */
  void (*fail)(OpwrightContext*, int32_t code, const char* message);

  /* create, gradient: fills *attr, whose memory lives as long as the phase; 0: no such attribute.
   */
  int32_t (*attribute)(OpwrightContext*, const char* name, OpwrightAttr* attr);

  /* shape, while a graph is built: the value of a tensor, read as a shape, as far as it is known.
   * dims has room for OPWRIGHT_MAX_RANK. Returns the rank or OPWRIGHT_UNKNOWN. */
  int32_t (*value_as_shape)(OpwrightContext*, int32_t tensor, int64_t* dims);

  /* shape: the shape of an output tensor. Before a run it allocates the output. */
  void (*set_output)(OpwrightContext*, int32_t tensor, int32_t rank, const int64_t* dims);

  /* compute: calls body(arg, begin, end) for parts of [0, n), on the runner's own threads, and
   * returns when all are done. cost: cycles for one of the n, 1 or more. body does not throw. */
  void (*parallel_for)(OpwrightContext*, int64_t n, int64_t cost,
                       void (*body)(void* arg, int64_t begin, int64_t end), void* arg);

  /* compute: memory until the end of the run, aligned to 64 bytes; null after a failure. */
  void* (*scratch)(OpwrightContext*, int64_t bytes);

  /* compute: did the process ask for deterministic ops? */
  int32_t (*deterministic)(OpwrightContext*);

  /* gradient: is the gradient of this input tensor wanted? */
  int32_t (*needed)(OpwrightContext*, int32_t tensor);

  /* gradient: records a call, or a constant; returns its number, or -1 after a failure. */
  int32_t (*call)(OpwrightContext*, const char* op, int32_t n_args, const OpwrightArg* args,
                  int32_t n_attrs, const OpwrightAttr* attrs);
  int32_t (*constant)(OpwrightContext*, const OpwrightTensor* value);

  /* gradient: the gradient of an input tensor; OPWRIGHT_NONE: there is none. */
  void (*set_d_input)(OpwrightContext*, int32_t tensor, OpwrightRef ref);
} OpwrightApi;

typedef struct OpwrightOp OpwrightOp;

/* One phase of one op. Made by the runner. */
struct OpwrightContext {
  uint32_t size;
  uint32_t flags;
  const OpwrightApi* api;
  void* runner; /* the runner's own */
  const OpwrightOp* op;
  const int32_t* input_begin;
  const int32_t* output_begin;
  const OpwrightTensor* inputs;  /* shape, compute */
  const OpwrightTensor* outputs; /* compute */
};

/* A kernel: the dtypes of the type_attr lines of the op's declaration, in their order. */
typedef struct OpwrightKernel {
  uint32_t size;
  int32_t n_dtypes;
  const char* op;
  const char* device; /* "CPU" */
  const int32_t* dtypes;
  void (*compute)(const void* self, OpwrightContext*);
  const struct OpwrightKernel* next;
} OpwrightKernel;

struct OpwrightOp {
  uint32_t size;
  uint32_t reserved;
  const char* name;
  const char* declaration; /* lines of text: see docs/abi.md */
  const void* sdk;         /* the op library's own */

  /* The op with the attributes of one node, validated; null after a failure. */
  void* (*create)(OpwrightContext*);
  void (*destroy)(void* self);
  void (*shape)(const void* self, OpwrightContext*);
  void (*gradient)(OpwrightContext*); /* null: the declaration says why there is none */
  const OpwrightOp* next;
};

typedef struct OpwrightLibrary {
  uint32_t size;
  uint16_t major, minor; /* of this ABI */
  const char* version;   /* of the SDK */
  const OpwrightOp* ops;
  const OpwrightKernel* kernels;
} OpwrightLibrary;

/* An op library exports this one function. It registers the library's ops with the TensorFlow of
 * this process, if that was not done when the library was opened, and returns the table.
 * *message is empty, or says in a sentence why the ops are not registered. */
typedef const OpwrightLibrary* (*OpwrightInit)(const char** message);
#define OPWRIGHT_INIT_NAME "opwright_init"

/* A bridge exports this one for op libraries: 1 if all ops are registered, else 0 and a sentence.
 * Any number of libraries, each any number of times. */
typedef int32_t (*OpwrightAttach)(const OpwrightLibrary*, char* message, int32_t message_size);
#define OPWRIGHT_ATTACH_NAME "opwright_attach"

#ifdef __cplusplus
}
#endif
