// A body of a normal form with names for its arguments: what words.cpp and fold_words.cpp look at.
#pragma once

#include <string>
#include <vector>

#include "contract/program.h"
#include "contract/value_set.h"

namespace bitpact {

class BodyWords {
 public:
  BodyWords(const ScalarBody& body, std::vector<std::string> arguments) : body_(&body), arguments_(std::move(arguments)) {}

  const std::vector<Instruction>& instructions() const { return body_->code; }
  /// Nothing for an argument.
  const Instruction* code(int value) const;
  Format format_of(int value) const { return body_->format_of(value); }
  int result() const { return body_->results.at(0); }

  std::string text(int value) const;
  std::string all_results() const;

  /// The value before exact widenings, which change nothing.
  int origin(int value) const;
  /// "lhs * rhs": the factors before exact widenings.
  std::string product(const Instruction& multiply) const;
  Exactness exactness_of_product(const Instruction& multiply) const;
  /// A rounding that some operand sees.
  bool is_rounding(const Instruction& instruction) const;

 private:
  const ScalarBody* body_;
  std::vector<std::string> arguments_;
};

/// "f32", "bf16 (toward-zero, saturating)".
std::string rounded_to(Format format, const Policy& policy);
std::string axes_text(const Axes& axes);
std::string formats_text(const std::vector<Format>& formats);

}  // namespace bitpact
