// A backend in this process whose values a test chooses.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "interpret/interpret.h"
#include "probe/function_asker.h"

namespace bitpact::test {

/// Calls of operators; `change` may alter the values that the canonical program gives.
class FunctionBackend : public Backend {
 public:
  using Change = std::function<void(const Tensor& x, Tensor& y)>;
  explicit FunctionBackend(Change change = {}) : change_(std::move(change)) {}
  const BackendSpec& spec() const override { return spec_; }
  const Identity& identity() const override { return identity_; }
  Ways ways() const override { return {.operator_call = true}; }
  Answer call_operator(const Problem& problem, const ResultSpecs&, std::span<const Tensor> operands,
                       const RunOptions& options) override {
    const Resolved resolved = resolve(problem);
    const Operator& op = operator_named(problem.op);
    const BoundProgram program = bind(op.build(resolved.formats(), canonical_choices(op, resolved.formats())), resolved.binding);
    Answer answer;
    answer.results = {interpret(program, operands).results[0]};
    if (change_) change_(operands[0], answer.results[0]);
    answer.repeats_agree = agrees || options.repeat == 1;
    return answer;
  }
  bool agrees = true;

 private:
  BackendSpec spec_{"test", "", {}};
  Identity identity_{"test", "1", "none", "cpu", "a machine +feature", "none", "1", "unobserved"};
  Change change_;
  std::map<std::string, BoundProgram> programs_;
};

/// An operator whose arithmetic is known: one program for all shapes.
class Known : public Backend {
 public:
  explicit Known(NumericProgram program) : program_(std::move(program)) {}
  const BackendSpec& spec() const override { return spec_; }
  const Identity& identity() const override { return identity_; }
  Ways ways() const override { return {.operator_call = true, .stablehlo = false, .numeric_program = false}; }
  Answer call_operator(const Problem& problem, const ResultSpecs&, std::span<const Tensor> operands, const RunOptions&) override {
    const Resolved resolved = resolve(problem);
    Answer answer;
    answer.results = interpret(bind(program_, resolved.binding), operands).results;
    return answer;
  }

 private:
  NumericProgram program_;
  BackendSpec spec_{"known", "", {}};
  Identity identity_{"known", "1", "none", "cpu", "none", "none", "1", "unobserved"};
};

/// The operator's program with these choices, the others canonical.
inline NumericProgram program(const Resolved& problem, const Choices& changes) {
  const Operator& op = operator_named(problem.problem.op);
  return op.build(problem.formats(), complete_choices(op, problem.formats(), changes));
}

}  // namespace bitpact::test
