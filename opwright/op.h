#pragma once

// opwright: a TensorFlow op is one C++ struct.
//
//   #include "opwright/op.h"
//
//   struct Scale {
//     using T = opwright::Types<float, double>;
//
//     static constexpr auto Declare() {                           // the op's signature
//       return opwright::Declare().Attr<T>("T").Attr("by: int = 2").Input("x: T").Output("y: T");
//     }
//     static void Gradient(opwright::Gradient& g) {               // or: static constexpr auto
//       g.d_input(0) = g.Call("Scale", {g.d_output(0)});          //     kNoGradient = "why";
//     }
//     explicit Scale(const opwright::Attributes& a) : by_(a.Get<int64_t>("by")) {}
//
//     void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
//
//     template <typename T>
//     void Compute(opwright::CpuCall& call) const {
//       auto x = call.input<T>(0);
//       auto y = call.output<T>(0);
//       call.ParallelFor(y.size(), 1, [&](int64_t begin, int64_t end) {
//         for (int64_t i = begin; i < end; ++i) y[i] = x[i] * static_cast<T>(by_);
//       });
//     }
//
//     int64_t by_;
//   };
//   OPWRIGHT_OP(Scale);
//
//   g++ -std=c++17 -O2 -shared -fPIC -I<include root> scale.cc -o libscale.so
//
// The library that comes out loads in every TensorFlow that has a bridge, by tf.load_op_library.
//
// In opwright/op/:
//   declare.h        Declare: attributes, inputs, outputs
//   attributes.h     Attributes: what a node was given, read once, in the constructor
//   shape_context.h  ShapeContext: the shapes of the outputs, and the validation of the inputs
//   call.h           CpuCall: tensors, threads, memory
//   gradient.h       Gradient: which ops to call for the gradient
//   error.h          Require, Fail, Error: a bad input is a sentence, never an abort
//   dtype.h, shape.h, view.h, half.h
//
// Standard library only. Everything is hidden from the dynamic linker except opwright_init.

#include "opwright/op/registry.h"

#define OPWRIGHT_CONCAT_(a, b) a##b
#define OPWRIGHT_CONCAT(a, b) OPWRIGHT_CONCAT_(a, b)

// Registers an op. It stands once, in the file that defines Compute(opwright::CpuCall&).
#define OPWRIGHT_OP(...) OPWRIGHT_OP_(__COUNTER__, #__VA_ARGS__, __VA_ARGS__)

// The declaration lies in a section of its own, where it can be read without loading the library.
// Priority 200 is before every ordinary initialiser, in whatever order the object files are linked:
// all ops are in the table when the first ordinary one attaches the library.
#define OPWRIGHT_OP_(N, SPELLING, ...)                                                        \
  __attribute__((section(".opwright"), used)) static constexpr auto OPWRIGHT_CONCAT(          \
      opwright_declaration_, N) =                                                             \
      ::opwright::detail::DeclarationText<                                                    \
          __VA_ARGS__, ::opwright::detail::DeclarationSize<__VA_ARGS__>(SPELLING)>(SPELLING); \
  __attribute__((constructor(200))) static void OPWRIGHT_CONCAT(opwright_register_, N)() {    \
    ::opwright::detail::RegisterOp<__VA_ARGS__>(                                              \
        ::opwright::detail::OpNameOf<__VA_ARGS__>(SPELLING),                                  \
        OPWRIGHT_CONCAT(opwright_declaration_, N).chars);                                     \
  }                                                                                           \
  static const bool OPWRIGHT_CONCAT(opwright_attach_, N) __attribute__((unused)) =            \
      (::opwright::detail::Attach(true), true)
