#include <string>
#include <vector>

#include "opwright/op.h"

// Attributes of every kind, single and in lists, come out as outputs. Both ops have no input.

namespace {

// A text as a vector of its bytes, since tensors of strings are not supported.
void WriteBytes(const opwright::CpuCall& call, int output, const std::string& text) {
  auto bytes = call.output<uint8_t>(output);
  for (int64_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(text[static_cast<size_t>(i)]);
  }
}

int64_t Length(const std::string& text) { return static_cast<int64_t>(text.size()); }

struct EchoOne {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>EchoOne")
        .Attr("integer: int = -7")
        .Attr("real: float = 0.5")
        .Attr("boolean: bool = true")
        .Attr("text: string = 'default'")
        .Attr("dtype: type = DT_BFLOAT16")
        .Attr("shape: shape = { unknown_rank: true }")
        .Attr("mode: {'open', 'closed'} = 'closed'")
        .Output("out_integer: int64")
        .Output("out_real: double")
        .Output("out_boolean: bool")
        .Output("out_text: uint8")
        .Output("out_dtype: int32")
        .Output("out_rank: int32")
        .Output("out_dims: int64")
        .Output("out_mode: uint8");
  }
  static constexpr auto kNoGradient = "it has no input";

  explicit EchoOne(const opwright::Attributes& a)
      : integer_(a.Get<int64_t>("integer")),
        real_(a.Get<double>("real")),
        boolean_(a.Get<bool>("boolean")),
        text_(a.Get<std::string>("text")),
        dtype_(a.Get<opwright::DType>("dtype")),
        shape_(a.Get<opwright::Shape>("shape")),
        mode_(a.Get<std::string>("mode")) {}

  void Shape(opwright::ShapeContext& c) const {
    const auto scalar = opwright::Shape::OfRank(0);
    c.SetOutput(0, scalar);
    c.SetOutput(1, scalar);
    c.SetOutput(2, scalar);
    c.SetOutput(3, {Length(text_)});
    c.SetOutput(4, scalar);
    c.SetOutput(5, scalar);
    c.SetOutput(6, {shape_.known_rank() ? shape_.rank() : 0});
    c.SetOutput(7, {Length(mode_)});
  }

  void Compute(opwright::CpuCall& call) const {
    call.output<int64_t>(0)[0] = integer_;
    call.output<double>(1)[0] = real_;
    call.output<bool>(2)[0] = boolean_;
    WriteBytes(call, 3, text_);
    call.output<int32_t>(4)[0] = static_cast<int32_t>(dtype_);
    call.output<int32_t>(5)[0] = shape_.rank();
    for (int k = 0; k < shape_.rank(); ++k) call.output<int64_t>(6)[k] = shape_[k];
    WriteBytes(call, 7, mode_);
  }

 private:
  int64_t integer_;
  double real_;
  bool boolean_;
  std::string text_;
  opwright::DType dtype_;
  opwright::Shape shape_;
  std::string mode_;
};

// Texts come out as their lengths and all bytes in a row, shapes as their ranks and all dimensions.
struct EchoLists {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>EchoLists")
        .Attr("integers: list(int) = [3, -4]")
        .Attr("reals: list(float) = [0.25]")
        .Attr("booleans: list(bool) = [true, false, true]")
        .Attr("texts: list(string) = ['a', 'bc']")
        .Attr("dtypes: list(type) = [DT_HALF, DT_INT64]")
        .Attr("shapes: list(shape) = []")
        .Output("out_integers: int64")
        .Output("out_reals: double")
        .Output("out_booleans: bool")
        .Output("out_lengths: int64")
        .Output("out_bytes: uint8")
        .Output("out_dtypes: int32")
        .Output("out_ranks: int32")
        .Output("out_dims: int64");
  }
  static constexpr auto kNoGradient = "it has no input";

  explicit EchoLists(const opwright::Attributes& a)
      : integers_(a.Get<std::vector<int64_t>>("integers")),
        reals_(a.Get<std::vector<double>>("reals")),
        booleans_(a.Get<std::vector<bool>>("booleans")),
        texts_(a.Get<std::vector<std::string>>("texts")) {
    for (const std::string& text : texts_) bytes_ += text;
    for (opwright::DType dtype : a.Get<std::vector<opwright::DType>>("dtypes")) {
      dtypes_.push_back(static_cast<int32_t>(dtype));
    }
    for (const opwright::Shape& shape : a.Get<std::vector<opwright::Shape>>("shapes")) {
      ranks_.push_back(shape.rank());
      for (int k = 0; k < shape.rank(); ++k) dims_.push_back(shape[k]);
    }
  }

  void Shape(opwright::ShapeContext& c) const {
    const size_t lengths[] = {integers_.size(), reals_.size(),  booleans_.size(), texts_.size(),
                              bytes_.size(),    dtypes_.size(), ranks_.size(),    dims_.size()};
    for (int i = 0; i < 8; ++i) c.SetOutput(i, {static_cast<int64_t>(lengths[i])});
  }

  void Compute(opwright::CpuCall& call) const {
    std::vector<int64_t> lengths;
    for (const std::string& text : texts_) lengths.push_back(Length(text));
    Write<int64_t>(call, 0, integers_);
    Write<double>(call, 1, reals_);
    Write<bool>(call, 2, booleans_);
    Write<int64_t>(call, 3, lengths);
    WriteBytes(call, 4, bytes_);
    Write<int32_t>(call, 5, dtypes_);
    Write<int32_t>(call, 6, ranks_);
    Write<int64_t>(call, 7, dims_);
  }

 private:
  template <typename T>
  static void Write(const opwright::CpuCall& call, int output, const std::vector<T>& values) {
    auto out = call.output<T>(output);
    for (int64_t i = 0; i < out.size(); ++i) out[i] = values[static_cast<size_t>(i)];
  }

  std::vector<int64_t> integers_;
  std::vector<double> reals_;
  std::vector<bool> booleans_;
  std::vector<std::string> texts_;
  std::string bytes_;
  std::vector<int32_t> dtypes_, ranks_;
  std::vector<int64_t> dims_;
};

}  // namespace

OPWRIGHT_OP(EchoOne);
OPWRIGHT_OP(EchoLists);
