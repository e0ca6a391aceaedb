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

// One function a family; each refuses as plain_stablehlo does.
std::string matmul(const Problem& problem, const OperandSpec& result);
std::string sum(const Problem& problem, const OperandSpec& result);
std::string add(const Problem& problem, const OperandSpec& result);
std::string multiply(const Problem& problem, const OperandSpec& result);
std::string multiply_add(const Problem& problem, const OperandSpec& result);
std::string divide(const Problem& problem, const OperandSpec& result);
std::string multiply_subtract(const Problem& problem, const OperandSpec& result);
std::string convert(const Problem& problem, const OperandSpec& result);
std::string max(const Problem& problem, const OperandSpec& result);
std::string argmax(const Problem& problem, const OperandSpec& result);

}  // namespace bitpact::plain
