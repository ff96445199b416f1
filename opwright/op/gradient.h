#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "opwright/op/attributes.h"

namespace opwright OPWRIGHT_HIDDEN {

// A tensor that Gradient refers to: an input, an output, the gradient of an output, a constant, or
// a result of a call.
class OPWRIGHT_VISIBLE Ref {
 public:
  OPWRIGHT_HIDDEN explicit Ref(OpwrightRef ref) : ref_(ref) {}
  OPWRIGHT_HIDDEN OpwrightRef ref() const { return ref_; }

 private:
  OpwrightRef ref_;
};

// The results of one call; where one tensor is wanted, the first of them.
class OPWRIGHT_VISIBLE Results {
 public:
  OPWRIGHT_HIDDEN explicit Results(int32_t call) : call_(call) {}
  OPWRIGHT_HIDDEN Ref operator[](int k) const { return Ref(OpwrightRef{OPWRIGHT_CALL + call_, k}); }
  OPWRIGHT_HIDDEN operator Ref() const { return (*this)[0]; }

 private:
  int32_t call_;
};

namespace detail {

// One argument of a call: a tensor, or a list of them; {} is the empty list.
struct Arg {
  // Out of line, as is all here: this is compiled into every op, and runs but once for a node.
  [[gnu::noinline, gnu::cold]] ~Arg() {}
  Arg() : is_list(true) {}
  [[gnu::noinline, gnu::cold]] Arg(const Ref& x) : refs(1, x.ref()), is_list(false) {}
  Arg(const Results& x) : Arg(static_cast<Ref>(x)) {}
  Arg(const std::vector<Ref>& list) : is_list(true) {
    for (const Ref& x : list) refs.push_back(x.ref());
  }
  std::vector<Hidden<OpwrightRef>> refs;
  bool is_list;
};

// {"name", value} for a call; the kinds are those of Attributes.
struct NamedAttr {
  [[gnu::noinline, gnu::cold]] ~NamedAttr() {}
  template <typename T>
  NamedAttr(const char* attr_name, const T& value) : name(attr_name) {
    Add(value);
  }
  template <typename T>
  NamedAttr(const char* attr_name, const std::vector<T>& values) : name(attr_name), is_list(true) {
    Kind(static_cast<const T*>(nullptr));
    for (const T& value : values) Add(value);
  }

  // Valid while this lives and is not moved.
  [[gnu::noinline, gnu::cold]] OpwrightAttr Table() const {
    OpwrightAttr a = Sized<OpwrightAttr>();
    a.kind = kind;
    a.is_list = is_list;
    a.name = name;
    a.count = static_cast<int64_t>(kind == OPWRIGHT_FLOAT ? floats.size() : ints.size());
    for (const std::string& s : strings) string_pointers.push_back(s.data());
    for (const Hidden<Shape>& s : shapes) dims.push_back(s.dims());
    a.ints = ints.data();
    a.floats = floats.data();
    a.strings = string_pointers.data();
    a.dims = dims.data();
    return a;
  }

  const char* name;
  int32_t kind = 0;
  bool is_list = false;
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> strings;
  std::vector<Hidden<Shape>> shapes;
  mutable std::vector<const char*> string_pointers;
  mutable std::vector<const int64_t*> dims;

 private:
  template <typename T>
  void Kind(const T*) {
    kind = std::is_same<T, bool>::value       ? OPWRIGHT_BOOL
           : std::is_integral<T>::value       ? OPWRIGHT_INT
           : std::is_floating_point<T>::value ? OPWRIGHT_FLOAT
           : std::is_same<T, DType>::value    ? OPWRIGHT_TYPE
           : std::is_same<T, Shape>::value    ? OPWRIGHT_SHAPE
                                              : OPWRIGHT_STRING;
  }
  template <typename T>
  void Add(const T& value) {
    Kind(&value);
    if constexpr (std::is_integral<T>::value || std::is_same<T, DType>::value) {
      ints.push_back(static_cast<int64_t>(value));
    } else if constexpr (std::is_floating_point<T>::value) {
      floats.push_back(static_cast<double>(value));
    } else if constexpr (std::is_same<T, Shape>::value) {
      ints.push_back(value.rank());
      shapes.push_back(value);
    } else {
      strings.emplace_back(value);
      ints.push_back(static_cast<int64_t>(strings.back().size()));
    }
  }
};

}  // namespace detail

// What Gradient sees and sets, once for each node that is differentiated: the node's attributes
// (Get<T>, as in Attributes), and which ops to call for the gradient of each input.
class OPWRIGHT_VISIBLE Gradient : public detail::Context, public Attributes {
 public:
  OPWRIGHT_HIDDEN explicit Gradient(OpwrightContext* c)
      : Context(c), Attributes(c), answered_(static_cast<size_t>(Total(c)), false) {}

  // The gradient of tensor k of input i is wanted. Integer inputs have none. Eager execution knows
  // what is wanted; a graph wants all, and prunes the calls of which nothing comes.
  OPWRIGHT_HIDDEN bool Needed(int i, int k = 0) const {
    return k < count(i) && c_->api->needed(c_, Input(i, k)) != 0;
  }

  OPWRIGHT_HIDDEN Ref input(int i, int k = 0) const { return Make(OPWRIGHT_INPUT, Input(i, k)); }
  OPWRIGHT_HIDDEN std::vector<Ref> inputs(int i) const {
    std::vector<Ref> list;
    for (int k = 0; k < count(i); ++k) list.push_back(input(i, k));
    return list;
  }
  OPWRIGHT_HIDDEN Ref output(int i, int k = 0) const { return Make(OPWRIGHT_OUTPUT, Output(i, k)); }
  // The gradient of tensor k of output i: zeros if nothing depends on it.
  OPWRIGHT_HIDDEN Ref d_output(int i, int k = 0) const {
    return Make(OPWRIGHT_D_OUTPUT, Output(i, k));
  }

  // g.d_input(i) = ref: the gradient of tensor k of input i. Each that is needed must be set, or be
  // declared to have none by NoGradient(i).
  class OPWRIGHT_VISIBLE Slot {
   public:
    OPWRIGHT_HIDDEN Slot(Gradient& g, int tensor) : g_(g), tensor_(tensor) {}
    OPWRIGHT_HIDDEN void operator=(const Ref& ref) const { g_.Set(tensor_, ref.ref()); }
    OPWRIGHT_HIDDEN void operator=(const Results& results) const { *this = results[0]; }

   private:
    Gradient& g_;
    int tensor_;
  };
  OPWRIGHT_HIDDEN Slot d_input(int i, int k = 0) { return Slot(*this, Input(i, k)); }
  OPWRIGHT_HIDDEN void NoGradient(int i, int k = 0) {
    Set(Input(i, k), OpwrightRef{OPWRIGHT_NONE, 0});
  }

  // Calls an op by its registered name: one of this library, or of TensorFlow ("MatMul", "Sum").
  //   g.Call("Sum", {x, g.Constant<int32_t>({1})}, {{"keep_dims", true}})
  // Arguments in the op's order; a list is a std::vector<Ref>, {} the empty one. Attributes that
  // follow from the arguments (types, lengths) need not be given. An attribute that is not given
  // has this node's value if the called op is opwright's and both declare that name and kind, else
  // the called op's default.
  [[gnu::noinline, gnu::cold]] OPWRIGHT_HIDDEN Results
  Call(const char* op, std::initializer_list<detail::Arg> args,
       std::initializer_list<detail::NamedAttr> attrs = {}) const {
    std::vector<detail::Hidden<OpwrightArg>> arg_table;
    for (const detail::Arg& arg : args) {
      arg_table.push_back(OpwrightArg{sizeof(OpwrightArg), arg.is_list,
                                      static_cast<int64_t>(arg.refs.size()), arg.refs.data()});
    }
    std::vector<detail::Hidden<OpwrightAttr>> attr_table;
    for (const detail::NamedAttr& attr : attrs) attr_table.push_back(attr.Table());
    return Results(c_->api->call(c_, op, static_cast<int32_t>(arg_table.size()), arg_table.data(),
                                 static_cast<int32_t>(attr_table.size()), attr_table.data()));
  }

  // A constant vector, as for axes: Constant<int32_t>({0, 2}).
  template <typename T>
  OPWRIGHT_HIDDEN Ref Constant(std::initializer_list<T> values) const {
    return Constant<T>(values.begin(), static_cast<int64_t>(values.size()));
  }
  template <typename T>
  OPWRIGHT_HIDDEN Ref Constant(const std::vector<T>& values) const {
    return Constant<T>(values.data(), static_cast<int64_t>(values.size()));
  }
  template <typename T>
  OPWRIGHT_HIDDEN Ref Constant(const T* values, int64_t n) const {
    return Put(DTypeOf<T>::value, 1, &n, n, values);
  }
  // A constant scalar of a dtype that is known only now, as that of attribute T.
  [[gnu::noinline, gnu::cold]] OPWRIGHT_HIDDEN Ref Scalar(DType dtype, double value) const {
    switch (dtype) {
      case DType::kHalf:
        return PutScalar(dtype, half(static_cast<float>(value)));
      case DType::kBfloat16:
        return PutScalar(dtype, bfloat16(static_cast<float>(value)));
      case DType::kFloat:
        return PutScalar(dtype, static_cast<float>(value));
      case DType::kDouble:
        return PutScalar(dtype, value);
      case DType::kComplex64: {
        const float parts[2] = {static_cast<float>(value), 0};
        return Put(dtype, 0, nullptr, 1, parts);
      }
      case DType::kComplex128: {
        const double parts[2] = {value, 0};
        return Put(dtype, 0, nullptr, 1, parts);
      }
      case DType::kInt32:
        return PutScalar(dtype, Exact<int32_t>(value));
      case DType::kInt64:
        return PutScalar(dtype, Exact<int64_t>(value));
      default:
        detail::Misuse("no scalar constant of dtype ", dtype);
    }
  }

  // After Gradient: every needed input has an answer.
  [[gnu::noinline, gnu::cold]] OPWRIGHT_HIDDEN void CheckComplete() const {
    for (int i = 0; i < schema().n_inputs; ++i) {
      for (int k = 0; k < count(i); ++k) {
        if (Needed(i, k) && !answered_[static_cast<size_t>(Input(i, k))]) {
          detail::Misuse("Gradient does not set d_input(", i, ") (",
                         detail::Spec(schema().input(i).spec), "); set it, or say NoGradient(", i,
                         ")");
        }
      }
    }
  }

 private:
  OPWRIGHT_HIDDEN static int Total(OpwrightContext* c) {
    return c->input_begin[static_cast<const detail::Schema*>(c->op->sdk)->n_inputs];
  }
  OPWRIGHT_HIDDEN static Ref Make(int32_t source, int32_t index) {
    return Ref(OpwrightRef{source, index});
  }
  OPWRIGHT_HIDDEN void Set(int tensor, OpwrightRef ref) {
    answered_[static_cast<size_t>(tensor)] = true;
    c_->api->set_d_input(c_, tensor, ref);
  }
  template <typename T>
  OPWRIGHT_HIDDEN static T Exact(double value) {
    constexpr double kEnd = static_cast<double>(T{1} << (8 * sizeof(T) - 2)) * 2;  // one past
    const T result = static_cast<T>(value >= -kEnd && value < kEnd ? value : 0);
    if (static_cast<double>(result) != value) {
      detail::Misuse("the constant ", value, " is not an integer of ", 8 * sizeof(T), " bits");
    }
    return result;
  }
  template <typename T>
  OPWRIGHT_HIDDEN Ref PutScalar(DType dtype, T value) const {
    return Put(dtype, 0, nullptr, 1, &value);
  }
  OPWRIGHT_HIDDEN Ref Put(DType dtype, int rank, const int64_t* dims, int64_t n,
                          const void* data) const {
    OpwrightTensor t = detail::Sized<OpwrightTensor>();
    t.dtype = static_cast<int32_t>(dtype);
    t.rank = rank;
    t.dims = dims;
    t.elements = n;
    t.data = const_cast<void*>(data);
    return Results(c_->api->constant(c_, &t));
  }

  std::vector<bool> answered_;
};

}  // namespace opwright
