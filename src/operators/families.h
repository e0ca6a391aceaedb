// The makers in the operators' files; catalogue.cpp lists them, a line each.
#pragma once

#include "operators/operator.h"

namespace bitpact {

// elementwise.cpp
Operator add();
Operator divide();
Operator multiply();
Operator multiply_add();
Operator multiply_subtract();
Operator residual_add();
// convert.cpp
Operator convert();
// extremum.cpp
Operator argmax();
Operator max();
// function_maps.cpp
Operator erf();
Operator exp();
Operator exp2();
Operator expm1();
Operator log();
Operator log1p();
Operator sigmoid();
Operator sin();
Operator cos();
Operator tanh();
// gelu.cpp
Operator gelu();
// integral_maps.cpp
Operator ceil();
Operator floor();
Operator round_nearest_afz();
Operator round_nearest_even();
// integer_matmul.cpp
Operator integer_matmul();
// matmul.cpp
Operator dot();
Operator matmul();
// mean.cpp
Operator mean();
// quantize.cpp
Operator dynamic_quantize();
Operator quantize();
// rearrange.cpp
Operator pad();
Operator reshape();
Operator reverse();
Operator slice();
Operator transpose();
// roots.cpp
Operator reciprocal();
Operator rsqrt();
Operator sqrt();
// scan.cpp
Operator cumsum();
// sum.cpp
Operator sum();

}  // namespace bitpact
