// The makers in the operators' files; catalogue.cpp lists them, a line each.
#pragma once

#include "operators/operator.h"

namespace bitpact {

// elementwise.cpp
Operator add();
Operator convert();
Operator multiply();
Operator multiply_add();
Operator residual_add();
// matmul.cpp
Operator matmul();
// sum.cpp
Operator sum();

}  // namespace bitpact
