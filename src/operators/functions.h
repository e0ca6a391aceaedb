// exp, exp2, expm1, log, log1p, tanh, erf, sigmoid, sin and cos spelled out in f64 arithmetic. A function is a body, never a
// name: these are the canonical ones, and canonical means correctly rounded.
//
// From a value of f32, bf16 or f16 comes an f64 value that, rounded to nearest even in any of these three formats, is the
// correctly rounded result of the function there. The f64 value itself is within about an ulp of f64; that this suffices is not
// argued but tested: on all inputs of bf16 and f16, and on all 2^32 of f32 (tests/functions; the latter with the label long).
// Inputs of f32 whose result lies too close to the middle between two values are given theirs one by one. exp(NaN), log(x < 0)
// ... are NaN; exp(-inf) = +0, log(+-0) = -inf, and zeros keep their sign in expm1, log1p, tanh and erf.
#pragma once

#include "contract/scalar.h"

namespace bitpact {

enum class Function : std::uint8_t { Exp, Exp2, Expm1, Log, Log1p, Tanh, Erf, Sigmoid, Sin, Cos };

/// Appends the function of the value `x`, rounded to `format`: correctly where x is of f32, bf16 or f16 and `format` too.
/// In f64 (operand or result) it is within a few ulps, and those made of e^x or 2^x end at |x| = 200; for steps inside a wider
/// formula. sin and cos are that good only of an x of at most 24 significant bits.
int apply(BodyBuilder& builder, Function function, int x, Format format);

}  // namespace bitpact
