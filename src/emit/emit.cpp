#include "emit/emit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "diagnostic/diagnostic.h"
#include "emit/fold_text.h"
#include "emit/index_text.h"
#include "emit/table_text.h"
#include "interpret/interpret.h"

namespace bitpact {
namespace {

struct Written {
  std::string text;
  std::vector<std::string> forms;  ///< of the folds, in order
  Domain carries;
};

// An operand from a user's module. Where a barrier does not stop a contraction, "+ -0.0" does: contracted into it, his product is
// rounded.
TensorValue behind_barrier(FunctionText& f, Shield& shield, const Traits& traits, const TensorValue& x) {
  const TensorValue value = f.barrier(x);
  if (traits.barrier_stops_contraction || !traits.contracts_multiply_add || (x.format != Format::F32 && x.format != Format::F64))
    return value;
  return f.elementwise("stablehlo.add", {value, f.broadcast(shield.minus_zero(x.format), x.axes, x.shape)}, x.format);
}

// The nodes that other nodes read.
std::set<int> read_by_others(const NumericProgram& program) {
  std::set<int> read;
  for (const Node& node : program.nodes)
    for (const int operand : operands_of(node)) read.insert(operand);
  return read;
}

std::int64_t leaves_of(const BoundProgram& bound, const Fold& fold) {
  std::int64_t leaves = 1;
  for (const std::string& axis : fold.over) leaves *= bound.extents.at(axis);
  return leaves;
}

// A fold that reads nothing, as the count of an axis' elements, or the positions along it: its values are computed here.
TensorValue constant_fold(FunctionText& f, const BoundProgram& bound, const Fold& fold, const Shape& shape) {
  Fold alone = fold;
  alone.axes = fold.emit == Emit::Last ? Axes{} : fold.over;
  const Tensor values = interpret({{{alone}, {0}}, bound.extents}, {}).results[0];
  if (fold.emit == Emit::Last) return f.constant(values.format(), values.get(0), fold.axes, shape);
  return f.broadcast(f.constants(values, alone.axes), fold.axes, shape);
}

// One function; every other fold in `form`.
Written write_function(const BoundProgram& bound, const Traits& traits, FoldForm form, const EmitOptions& options) {
  const NumericProgram& program = bound.program;
  Written written;
  // A table is looked up by bits, and an index moves them: where there is nothing else, nothing is flushed.
  const bool computes = std::ranges::any_of(
      program.nodes, [](const Node& node) { return std::holds_alternative<Map>(node) || std::holds_alternative<Fold>(node); });
  if (computes && traits.flushes_subnormal_inputs)
    written.carries.excludes.insert({Exclusion::SubnormalInput, Exclusion::SubnormalIntermediate});
  if (computes && traits.flushes_subnormal_results)
    written.carries.excludes.insert({Exclusion::SubnormalIntermediate, Exclusion::SubnormalResult});

  std::vector<TensorValue> values;
  std::vector<std::string> arguments;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const auto* input = std::get_if<Input>(&program.nodes[i]);
    TensorValue value;
    if (input) {
      value = {"%" + input->name, input->format, input->axes, bound.shape_of(static_cast<int>(i))};
      arguments.push_back(fmt::format("{}: {}", value.ssa, tensor_type(value.shape, value.format)));
    }
    values.push_back(value);
  }
  if (arguments.empty()) refuse(Code::EmitUnsupported, "a program without inputs");
  const auto first =
      std::find_if(values.begin(), values.end(), [](const TensorValue& v) { return !v.ssa.empty() && is_float(v.format); });

  FunctionText f;
  Shield shield(first == values.end() ? values.front() : *first);
  // In a user's module a compiler would contract his product into an addition here, drop the rounding of a 16-bit operand that he
  // made from f32, and do the same to what he makes of the result: nothing passes a barrier.
  if (options.in_module)
    for (TensorValue& value : values)
      if (!value.ssa.empty()) value = computes ? behind_barrier(f, shield, traits, value) : f.barrier(value);
  ScalarText scalar(f, shield, traits);
  const std::set<int> read = read_by_others(program);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const Shape shape = bound.shape_of(static_cast<int>(i));
    scalar.round_results(options.in_module || read.contains(static_cast<int>(i)));
    const auto operands_of = [&values](const std::vector<int>& ids) {
      std::vector<TensorValue> operands;
      for (const int id : ids) operands.push_back(values[static_cast<size_t>(id)]);
      return operands;
    };
    if (const auto* map = std::get_if<Map>(&program.nodes[i])) {
      std::vector<LaneValue> lanes;
      for (const TensorValue& operand : operands_of(map->operands)) {
        Axes kept;
        for (const std::string& axis : map->axes)
          if (std::find(operand.axes.begin(), operand.axes.end(), axis) != operand.axes.end()) kept.push_back(axis);
        lanes.push_back(ScalarText::argument(f.broadcast(f.transpose(operand, kept), map->axes, shape)));
      }
      values[i] = scalar.materialize(scalar.run(map->body, std::move(lanes)).front());
    } else if (const auto* table = std::get_if<Table>(&program.nodes[i])) {
      values[i] = emit_table(f, *table, values[static_cast<size_t>(table->operands[0])]);
    } else if (const auto* index = std::get_if<Index>(&program.nodes[i])) {
      values[i] = emit_index(f, scalar, *index, plain_coordinates(bound, static_cast<int>(i)),
                             values[static_cast<size_t>(index->operands[0])], shape);
    } else if (const auto* fold = std::get_if<Fold>(&program.nodes[i]); fold && fold->operands.empty()) {
      values[i] = constant_fold(f, bound, *fold, shape);
    } else if (fold) {
      values[i] = emit_fold({f, scalar, traits, written.carries}, form, *fold, operands_of(fold->operands), shape,
                            leaves_of(bound, *fold));
      written.forms.emplace_back(name(form));
    }
  }
  std::vector<std::string> results, types;
  for (const int id : program.results) {
    const TensorValue value = options.in_module ? f.barrier(values[static_cast<size_t>(id)]) : values[static_cast<size_t>(id)];
    results.push_back(value.ssa);
    types.push_back(tensor_type(value.shape, value.format));
  }
  written.text = fmt::format("func.func {} @{}({}) -> {} {{\n", options.in_module || options.is_private ? "private" : "public",
                             options.function, fmt::join(arguments, ", "),
                             types.size() == 1 ? types[0] : fmt::format("({})", fmt::join(types, ", ")));
  written.text += shield.prologue() + f.text();
  written.text += fmt::format("  return {} : {}\n}}\n", fmt::join(results, ", "), fmt::join(types, ", "));
  return written;
}

/// Formats in which no emitted form was ever checked on a compiled module. Their types have StableHLO's names, but what compilers
/// make of arithmetic in them is another matter.
void require_emitted(Format format) {
  const FormatInfo& row = info(format);
  const bool small = is_float(format) ? row.bits < 16 || format == Format::TF32 : row.bits == 4;
  if (small) refuse(Code::EmitUnsupported, fmt::format("nothing is emitted in {} yet; the interpreter runs it", name(format)));
}

void require_emitted(const ScalarBody& body) {
  for (const Instruction& instruction : body.code) require_emitted(instruction.format);
}

void require_emitted(const NumericProgram& program) {
  for (const Node& node : program.nodes) {
    if (const auto* input = std::get_if<Input>(&node)) require_emitted(input->format);
    if (const auto* map = std::get_if<Map>(&node)) require_emitted(map->body);
    if (const auto* table = std::get_if<Table>(&node)) require_emitted(table->values.format());
    if (const auto* fold = std::get_if<Fold>(&node); fold && !fold->operands.empty()) {
      Fold own = *fold;
      for (const auto& [part, body] : bodies_of(own)) require_emitted(*body);
    }
  }
}

bool moves_only(const NumericProgram& program) {
  return std::ranges::all_of(
      program.nodes, [](const Node& node) { return std::holds_alternative<Input>(node) || std::holds_alternative<Index>(node); });
}

/// A map that hands on its operand moves elements and computes nothing: nothing is flushed there.
BoundProgram with_moves_told(BoundProgram bound) {
  for (Node& node : bound.program.nodes) {
    const auto* map = std::get_if<Map>(&node);
    if (!map || !map->body.code.empty()) continue;
    const int operand = map->operands[static_cast<size_t>(map->body.results[0])];
    node = Index{{operand}, format_of(node), {}, map->axes};
  }
  return bound;
}

/// The likely cheapest first: few leaves are cheapest written out, which is one loop over the outputs.
std::vector<FoldForm> forms_of(const BoundProgram& program) {
  constexpr std::int64_t kFewLeaves = 32;
  std::int64_t most = 0;
  for (const Node& node : program.program.nodes)
    if (const auto* fold = std::get_if<Fold>(&node); fold && !fold->operands.empty())
      most = std::max(most, leaves_of(program, *fold));
  std::vector<FoldForm> forms{FoldForm::DotGeneral, FoldForm::Reduce, FoldForm::While};
  if (most <= kFewLeaves) forms.push_back(FoldForm::WrittenOut);
  forms.insert(forms.end(), {FoldForm::BatchedDotGeneral, FoldForm::BatchedReduce, FoldForm::BatchedWhile});
  if (most > kFewLeaves) forms.push_back(FoldForm::WrittenOut);
  return forms;
}

/// What no form gets around comes alone; else what each form says. Too large is what it is where one form would carry it but for
/// that.
[[noreturn]] void refuse_all(const std::vector<Refused>& refusals) {
  std::vector<std::string> reasons;
  Code code = Code::EmitUnsupported;
  for (const Refused& refused : refusals) {
    const Diagnostic& d = refused.diagnostic();
    // A form that lacks something says so of itself ("the while form: ..."), or is too large.
    if (d.code == Code::EmitTooLarge)
      code = d.code;
    else if (!d.reason.starts_with("the "))
      throw refused;
    if (std::ranges::find(reasons, d.reason) == reasons.end()) reasons.push_back(d.reason);
  }
  refuse(code, reasons.size() == 1 ? reasons[0] : fmt::format("no form carries it; {}", fmt::join(reasons, "; ")));
}

}  // namespace

std::vector<Emitted> emit(const BoundProgram& given, const Traits& traits, const EmitOptions& options) {
  const BoundProgram program = with_moves_told(given);
  require_emitted(program.program);
  std::vector<Emitted> all;
  std::vector<Refused> refusals;
  for (const FoldForm form : forms_of(program)) {
    try {
      Written written = write_function(program, traits, form, options);
      const bool elementwise = written.forms.empty();
      all.push_back({moves_only(program.program) ? "moves"
                     : elementwise               ? "elementwise"
                                                 : std::string(name(form)),
                     std::move(written.text), std::move(written.carries)});
      if (elementwise) break;
    } catch (const Refused& refused) {
      if (refused.diagnostic().code == Code::Internal) throw;
      refusals.push_back(refused);
    }
  }
  if (!all.empty()) return all;
  // What a target has no arithmetic for (f64, say) it can still look up.
  const std::optional<BoundProgram> table = tabulated(program);
  if (!table) refuse_all(refusals);
  Written written = write_function(*table, traits, FoldForm::While, options);
  return {{"table", std::move(written.text), std::move(written.carries)}};
}

}  // namespace bitpact
