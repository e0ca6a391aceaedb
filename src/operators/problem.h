// A problem: one operator with formats, shapes and attributes, on one line.
//   problem   = operator , " " , operands , { " " , attribute } ;
//   operands  = operand , { "," , operand } ;
//   operand   = { extent , "x" } , format ;                    e.g. 64x128xbf16, or f32 for a scalar
//   attribute = name , "=" , value ;
// The whole grammar with its lexical rules is in docs/problem-lines.md.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace bitpact {

struct OperandSpec {
  Format format = Format::F32;
  Shape shape;
  bool operator==(const OperandSpec&) const = default;
};

struct Problem {
  std::string op;  ///< as written until resolved; canonical afterwards
  std::vector<OperandSpec> operands;
  std::map<std::string, std::string> attributes;
  bool operator==(const Problem&) const = default;
};

/// Strict: refuses `problem-syntax` with the column, or `unknown-format`. Does not look the operator up.
Problem parse_problem(std::string_view line);
/// The canonical line: attributes in alphabetical order. parse_problem(to_text(p)) == p.
std::string to_text(const Problem& problem);

}  // namespace bitpact
