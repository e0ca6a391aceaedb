// sin and cos of an f64 value that has at most 24 significant bits and is below 2^128: every value of f32, bf16 and f16.
#pragma once

#include "operators/function_lines.h"

namespace bitpact {

/// Within about an ulp of f64; rounded to f32 it is the correctly rounded value. Zeros keep their sign, infinities give NaN.
int sin_of(Lines& l, int x);
int cos_of(Lines& l, int x);

}  // namespace bitpact
