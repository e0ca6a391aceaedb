// Helpers of the plain StableHLO forms.
#pragma once

#include <string>
#include <vector>

#include "operators/problem.h"

namespace bitpact::plain {

/// "tensor<2x3xf32>", "tensor<f32>".
std::string type(const OperandSpec& tensor);

/// `func.func public @main` with arguments %arg0, %arg1, ... around `body`, whose lines give the result in `value`.
std::string module(const Problem& problem, const OperandSpec& result, const std::vector<std::string>& body,
                   const std::string& value);

/// "true" where the attribute is given and says so.
bool flag(const Problem& problem, const std::string& attribute);

/// The attribute `axis`, counted from 0; the last one where it is not given.
std::int64_t axis_of(const Problem& problem);

/// "dense<0xFF800000> : tensor<f32>": a constant of these bits.
std::string constant(Format format, Bits bits);

/// Appends a stablehlo.convert of `value` where the formats differ; gives the name of the value that has `to`'s format.
std::string converted(std::vector<std::string>& body, const std::string& value, const OperandSpec& from, const OperandSpec& to);

/// Elementwise lines on values of one type; each gives the name of its value.
class Lines {
 public:
  explicit Lines(OperandSpec like, std::vector<std::string> before = {}) : text(std::move(before)), like_(std::move(like)) {}
  std::string op(const std::string& name, const std::string& a) { return line(fmt_op(name, a) + " : " + type(like_)); }
  std::string op(const std::string& name, const std::string& a, const std::string& b) {
    return line(fmt_op(name, a) + ", " + b + " : " + type(like_));
  }
  /// A decimal constant in every element.
  std::string splat(const std::string& decimal);
  /// A scalar of this format in every element.
  std::string broadcast(const std::string& scalar, const OperandSpec& from);
  std::string convert(const std::string& value, const OperandSpec& to) { return convert_from(value, like_, to); }
  std::string convert_from(const std::string& value, const OperandSpec& from, const OperandSpec& to);

  std::vector<std::string> text;

 private:
  static std::string fmt_op(const std::string& name, const std::string& a) { return "stablehlo." + name + " " + a; }
  std::string line(const std::string& right);
  OperandSpec like_;
};

// One function a family; each refuses as plain_stablehlo does.
std::string matmul(const Problem& problem, const OperandSpec& result);
std::string dot(const Problem& problem, const OperandSpec& result);
std::string integer_matmul(const Problem& problem, const OperandSpec& result);
std::string mean(const Problem& problem, const OperandSpec& result);
std::string cumsum(const Problem& problem, const OperandSpec& result);
std::string reciprocal(const Problem& problem, const OperandSpec& result);
std::string sqrt(const Problem& problem, const OperandSpec& result);
std::string rsqrt(const Problem& problem, const OperandSpec& result);
std::string sum(const Problem& problem, const OperandSpec& result);
std::string add(const Problem& problem, const OperandSpec& result);
std::string multiply(const Problem& problem, const OperandSpec& result);
std::string multiply_add(const Problem& problem, const OperandSpec& result);
std::string divide(const Problem& problem, const OperandSpec& result);
std::string multiply_subtract(const Problem& problem, const OperandSpec& result);
std::string convert(const Problem& problem, const OperandSpec& result);
std::string exp(const Problem& problem, const OperandSpec& result);
std::string expm1(const Problem& problem, const OperandSpec& result);
std::string exp2(const Problem& problem, const OperandSpec& result);
std::string ceil(const Problem& problem, const OperandSpec& result);
std::string floor(const Problem& problem, const OperandSpec& result);
std::string log(const Problem& problem, const OperandSpec& result);
std::string log1p(const Problem& problem, const OperandSpec& result);
std::string round_nearest_afz(const Problem& problem, const OperandSpec& result);
std::string round_nearest_even(const Problem& problem, const OperandSpec& result);
std::string sigmoid(const Problem& problem, const OperandSpec& result);
std::string sin(const Problem& problem, const OperandSpec& result);
std::string cos(const Problem& problem, const OperandSpec& result);
std::string tanh(const Problem& problem, const OperandSpec& result);
std::string erf(const Problem& problem, const OperandSpec& result);
std::string gelu(const Problem& problem, const OperandSpec& result);
std::string quantize(const Problem& problem, const OperandSpec& result);
std::string dynamic_quantize(const Problem& problem, const OperandSpec& result);
std::string max(const Problem& problem, const OperandSpec& result);
std::string argmax(const Problem& problem, const OperandSpec& result);
std::string reverse(const Problem& problem, const OperandSpec& result);
std::string slice(const Problem& problem, const OperandSpec& result);
std::string pad(const Problem& problem, const OperandSpec& result);
std::string transpose(const Problem& problem, const OperandSpec& result);
std::string reshape(const Problem& problem, const OperandSpec& result);

}  // namespace bitpact::plain
