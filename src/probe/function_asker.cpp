#include "probe/function_asker.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"
#include "number/layout.h"

namespace bitpact {
namespace {

BoundProgram canonical(const Resolved& problem) {
  const Operator& op = operator_named(problem.problem.op);
  return bind(op.build(problem.formats(), canonical_choices(op, problem.formats())), problem.binding);
}

template <typename Word>
void make_quiet(Tensor& tensor) {
  const Layout& l = layout(tensor.format());
  const Word sign = static_cast<Word>(l.sign), quiet = static_cast<Word>(l.quiet_nan);
  // In formats with infinities the NaNs are what lies above them; the copy is only made where there is one.
  const Word* read = tensor.as<Word>();
  const Word infinite = static_cast<Word>(l.infinity);
  const std::int64_t size = tensor.size();
  std::int64_t nans = 0;
  for (std::int64_t i = 0; i < size; ++i) nans += static_cast<Word>(read[i] & ~sign) > infinite ? 1 : 0;
  if (nans == 0) return;
  Word* write = tensor.mutable_as<Word>();
  for (std::int64_t i = 0; i < size; ++i) write[i] = static_cast<Word>(write[i] & ~sign) > infinite ? quiet : write[i];
}

}  // namespace

void make_nans_quiet(Tensor& tensor) {
  if (!is_float(tensor.format()) || !has_nan(tensor.format())) return;
  if (has_infinities(tensor.format())) {
    switch (info(tensor.format()).storage_bytes) {
      case 2:
        return make_quiet<std::uint16_t>(tensor);
      case 4:
        return make_quiet<std::uint32_t>(tensor);
      default:
        break;
    }
  }
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    if (classify(tensor.format(), tensor.get(i)) == Class::NaN) tensor.set(i, quiet_nan(tensor.format()));
}

bool is_function(const Resolved& problem) {
  const Binding& binding = problem.binding;
  if (problem.problem.operands.size() != 1 || binding.operands[0] != binding.result) return false;
  const BoundProgram program = canonical(problem);
  return std::all_of(program.program.nodes.begin(), program.program.nodes.end(), [&](const Node& node) {
    return !std::holds_alternative<Fold>(node) && !std::holds_alternative<Index>(node) && axes_of(node) == binding.result;
  });
}

FunctionAsker::Asked& FunctionAsker::asked_at(const Shape& shape) {
  const std::lock_guard lock(guard_);
  const auto known = shapes_.find(shape);
  if (known != shapes_.end()) return known->second;
  Problem problem = problem_.problem;
  problem.operands[0].shape = shape;
  Resolved resolved = resolve(problem);
  BoundProgram program = canonical(resolved);
  return shapes_.emplace(shape, Asked{std::move(resolved), std::move(program)}).first->second;
}

const Resolved& FunctionAsker::at(const Shape& shape) { return asked_at(shape).problem; }

Tensor FunctionAsker::ask_raw(const Tensor& x, int repeat) {
  Asked& asked = asked_at(x.shape());
  const Problem& problem = asked.problem.problem;
  const RunOptions options{.repeat = repeat};
  const std::span<const Tensor> operands(&x, 1);
  const Ways ways = backend_.ways();
  Answer answer;
  try {
    answer = ways.operator_call || ways.stablehlo ? backend_.call_operator(problem, {asked.problem.result}, operands, options)
                                                  : backend_.run_program(asked.canonical, operands, options);
  } catch (const Refused& refused) {
    throw refused.at({to_text(problem), to_text(backend_.spec()), backend_.identity().machine()});
  }
  if (!answer.repeats_agree)
    refuse(Code::Nondeterministic, fmt::format("{} runs on the same operands did not agree", repeat),
           {to_text(problem), to_text(backend_.spec()), backend_.identity().machine()});
  ++calls_;
  seconds_ += answer.cost.run_ms * repeat * 1e-3;
  if (!asked.counted) lines_.push_back(to_text(problem));
  asked.counted = true;
  return std::move(answer.results[0]);
}

Tensor FunctionAsker::ask(const Tensor& x, int repeat) {
  Tensor y = ask_raw(x, repeat);
  make_nans_quiet(y);
  return y;
}

}  // namespace bitpact
