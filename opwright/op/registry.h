#pragma once

#include <type_traits>
#include <utility>

#include "opwright/op/attach.h"
#include "opwright/op/call.h"
#include "opwright/op/declare.h"
#include "opwright/op/gradient.h"
#include "opwright/op/shape_context.h"
#include "opwright/op/text.h"

// From an author's struct to the table: compile-time checks, and functions that let no exception
// out.

namespace opwright OPWRIGHT_HIDDEN {
namespace detail {

// ---- what a struct has --------------------------------------------------------------------------

template <typename Op, typename = void>
struct Declares : std::false_type {};
template <typename Op>
struct Declares<Op, std::enable_if_t<(static_cast<void>(Op::Declare()), true)>> : std::true_type {};

#define OPWRIGHT_DETECT(NAME, EXPRESSION) \
  template <typename Op, typename = void> \
  struct NAME : std::false_type {};       \
  template <typename Op>                  \
  struct NAME<Op, std::void_t<decltype(EXPRESSION)>> : std::true_type {};
OPWRIGHT_DETECT(HasShape, std::declval<const Op&>().Shape(std::declval<ShapeContext&>()))
OPWRIGHT_DETECT(HasGradient, Op::Gradient(std::declval<Gradient&>()))
OPWRIGHT_DETECT(HasNoGradient, static_cast<const char*>(Op::kNoGradient))
#undef OPWRIGHT_DETECT

// Compute for the first type of each list.
template <typename Void, typename Op, typename Call, typename... First>
struct HasCompute : std::false_type {};
template <typename Op, typename Call>
struct HasCompute<std::void_t<decltype(std::declval<const Op&>().Compute(std::declval<Call&>()))>,
                  Op, Call> : std::true_type {};
template <typename Op, typename Call, typename T, typename... Rest>
struct HasCompute<std::void_t<decltype(std::declval<const Op&>().template Compute<T, Rest...>(
                      std::declval<Call&>()))>,
                  Op, Call, T, Rest...> : std::true_type {};

template <typename List>
struct First;
template <typename T, typename... Rest>
struct First<Types<T, Rest...>> {
  using type = T;
};

template <typename Declaration>
struct Lists;
template <typename... L>
struct Lists<Declaration<L...>> {
  template <typename Op, typename Call>
  static constexpr bool kComputes = HasCompute<void, Op, Call, typename First<L>::type...>::value;
};

template <typename Op>
constexpr auto kDeclaration = Op::Declare();

// ---- the functions of the table -----------------------------------------------------------------

template <typename Op, typename Call, typename... T>
void Compute(const void* self, OpwrightContext* c) noexcept {
  try {
    Call call(c);
    if constexpr (sizeof...(T) == 0) {
      static_cast<const Op*>(self)->Compute(call);
    } else {
      static_cast<const Op*>(self)->template Compute<T...>(call);
    }
  } catch (...) {
    Report(c);
  }
}

// TensorFlow cannot bound the length of a list from above.
[[gnu::noinline]] inline void CheckOptional(const Schema& schema, const OpwrightContext* c) {
  for (int i = 0; i < schema.n_inputs; ++i) {
    const int n = c->input_begin[i + 1] - c->input_begin[i];
    if (schema.input(i).kind != ItemKind::kOptionalInput || n <= 1) continue;
    Fail("input ", Spec(schema.input(i).spec),
         " is optional: it takes a list of no or one tensor, not of ", n);
  }
}

template <typename Op>
[[gnu::cold]] void* Create(OpwrightContext* c) noexcept {
  try {
    CheckOptional(kDeclaration<Op>, c);
    return new Op(Attributes(c));
  } catch (...) {
    Report(c);
    return nullptr;
  }
}

template <typename Op>
void Destroy(void* self) noexcept {
  delete static_cast<Op*>(self);
}

template <typename Op>
void InferShape(const void* self, OpwrightContext* c) noexcept {
  try {
    ShapeContext context(c);
    static_cast<const Op*>(self)->Shape(context);
  } catch (...) {
    Report(c);
  }
}

template <typename Op>
[[gnu::cold]] void RecordGradient(OpwrightContext* c) noexcept {
  try {
    Gradient g(c);
    Op::Gradient(g);
    g.CheckComplete();
  } catch (...) {
    Report(c);
  }
}

// ---- registration -------------------------------------------------------------------------------

[[gnu::noinline, gnu::cold]] inline void AddKernel(OpwrightKernel* kernel, const char* op) {
  kernel->op = op;
  kernel->next = library.kernels;
  library.kernels = kernel;
}

// Every combination of the types of all lists.
template <typename Op, typename Call, typename Done, typename... Lists>
struct Combinations;
template <typename Op, typename Call, typename... T>
struct Combinations<Op, Call, Types<T...>> {
  static void Add(const char* op) {
    static OpwrightKernel kernel = {
        sizeof(OpwrightKernel),   sizeof...(T), nullptr, Call::kDevice, Types<T...>::kCodes,
        &Compute<Op, Call, T...>, nullptr};
    AddKernel(&kernel, op);
  }
};
template <typename Op, typename Call, typename... T, typename... Next, typename... Rest>
struct Combinations<Op, Call, Types<T...>, Types<Next...>, Rest...> {
  static void Add(const char* op) {
    (Combinations<Op, Call, Types<T..., Next>, Rest...>::Add(op), ...);
  }
};
template <typename Op, typename Call, typename... L>
void AddKernels(const Declaration<L...>&, const char* op) {
  Combinations<Op, Call, Types<>, L...>::Add(op);
}

template <typename Op>
constexpr const char* NoGradientReason() {
  if constexpr (HasNoGradient<Op>::value) {
    return Op::kNoGradient;
  } else {
    return nullptr;
  }
}

// 1, for an empty text, if the declaration is faulty; RegisterOp says how.
template <typename Op>
constexpr size_t DeclarationSize(const char* spelling) {
  if constexpr (Declares<Op>::value) {
    if (CheckSchema(kDeclaration<Op>) != Fault::kNone) return 1;
    return WriteDeclaration(kDeclaration<Op>, spelling, NoGradientReason<Op>(), nullptr);
  } else {
    return 1;
  }
}
template <typename Op>
constexpr const char* OpNameOf(const char* spelling) {
  if constexpr (Declares<Op>::value) {
    return OpName(kDeclaration<Op>, spelling);
  } else {
    return spelling;
  }
}
template <typename Op, size_t kSize>
constexpr Text<kSize> DeclarationText(const char* spelling) {
  Text<kSize> text;
  if constexpr (Declares<Op>::value) {
    if (kSize > 1) WriteDeclaration(kDeclaration<Op>, spelling, NoGradientReason<Op>(), text.chars);
  }
  return text;
}

template <typename Op>
constexpr void CheckDeclaration() {
  constexpr Fault fault = CheckSchema(kDeclaration<Op>);
  static_assert(fault != Fault::kArgumentName,
                "opwright: the name of an input or output begins with a lower-case letter and has "
                "lower-case letters, digits and _");
  static_assert(
      fault != Fault::kMinimum,
      "opwright: a least value, as in \"N: int >= 1\", is for int and for the length of a "
      "list; other ranges are for the constructor: Require(x >= 0, \"x must ...\")");
  static_assert(fault != Fault::kTooMany, "opwright: a declaration has at most 96 items");
  static_assert(fault != Fault::kSpec,
                "opwright: attributes, inputs and outputs are declared as \"name: type\"");
  static_assert(
      fault != Fault::kTypeAttrName,
      "opwright: Attr<Types<...>> takes the attribute's name alone, as in Attr<T>(\"T\")");
  static_assert(
      fault != Fault::kAttrKind,
      "opwright: an attribute is int, float, bool, string, type, shape, a list(...) of one "
      "of these, or a choice as in {'open', 'closed'}");
  static_assert(fault != Fault::kChoices,
                "opwright: what an attribute may be stands in quotes, as in \"mode: {'open', "
                "'closed'} = 'open'\", or is a dtype, as in \"T: {float, double}\"");
  static_assert(fault != Fault::kPythonName,
                "opwright: an attribute cannot have a Python keyword, name, print or exec as its "
                "name: it becomes an argument of a Python function");
  static_assert(fault != Fault::kUnsupportedType,
                "opwright: string, resource and variant tensors are not supported");
  static_assert(
      fault != Fault::kUnknownType,
      "opwright: the type of an input or output is a dtype (bool, int8 to int64, uint8 to "
      "uint64, half, bfloat16, float, double, complex64, complex128) or a declared "
      "attribute; a list is \"N * T\" with a declared attribute N");
  static_assert(fault != Fault::kTwice,
                "opwright: two attributes, inputs or outputs have the same name");
  static_assert(fault != Fault::kOptionalList,
                "opwright: an optional input is one tensor; for a list of any length use "
                "Input(\"xs: N * T\") with Attr(\"N: int >= 0\")");
  static_assert(fault != Fault::kOptionalType,
                "opwright: the type of an optional input must be known when it is absent: a dtype, "
                "or the type of an input that is always there");
  static_assert(
      fault != Fault::kForward,
      "opwright: Forward(input, output) takes the numbers of an Input and an Output of one "
      "type, neither of them a list");
}

template <typename Op>
void RegisterOp(const char* name, const char* declaration) noexcept {
  static_assert(Declares<Op>::value,
                "opwright: the op needs `static constexpr auto Declare() { return "
                "opwright::Declare().Input(\"x: float\").Output(\"y: float\"); }`");
  static_assert(
      HasShape<Op>::value,
      "opwright: the op needs `void Shape(opwright::ShapeContext& c) const`, which sets the "
      "shape of each output, as in c.SetOutput(0, c.input(0));");
  static_assert(HasGradient<Op>::value || HasNoGradient<Op>::value,
                "opwright: the op needs `static void Gradient(opwright::Gradient& g)`, or `static "
                "constexpr auto kNoGradient = \"why there is none\";`");
  static_assert(!(HasGradient<Op>::value && HasNoGradient<Op>::value),
                "opwright: the op has both Gradient and kNoGradient; keep one");
  constexpr bool kConstructible = std::is_constructible<Op, const Attributes&>::value;
  static_assert(
      kConstructible,
      "opwright: the op needs the constructor `explicit Op(const opwright::Attributes& a)`, "
      "which reads and validates the attributes");
  if constexpr (Declares<Op>::value && HasShape<Op>::value && kConstructible) {
    CheckDeclaration<Op>();
    constexpr bool kComputes =
        Lists<std::decay_t<decltype(kDeclaration<Op>)>>::template kComputes<Op, CpuCall>;
    static_assert(kComputes,
                  "opwright: the op needs `template <typename T> void Compute(opwright::CpuCall& "
                  "call) const`, with one type parameter for each Attr<Types<...>>, in their order "
                  "(no template if there is none)");
    if constexpr (kComputes) {
      static OpwrightOp op = {
          sizeof(OpwrightOp), 0,       nullptr, nullptr, nullptr, &Create<Op>, &Destroy<Op>,
          &InferShape<Op>,    nullptr, nullptr};
      op.name = name;
      op.declaration = declaration;
      op.sdk = static_cast<const Schema*>(&kDeclaration<Op>);
      if constexpr (HasGradient<Op>::value) op.gradient = &RecordGradient<Op>;
      op.next = library.ops;
      library.ops = &op;
      AddKernels<Op, CpuCall>(kDeclaration<Op>, name);
    }
  }
}

}  // namespace detail
}  // namespace opwright
