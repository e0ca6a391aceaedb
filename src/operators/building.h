// Pieces that the operators' files share. Graphs only.
#pragma once

#include "operators/operator.h"

namespace bitpact {

/// The value of a choice point; refuses `bad-attribute` naming the values where it is none of `allowed`.
std::string chosen(const Choices& choices, const std::string& point, const std::vector<std::string>& allowed);

/// Formats as choice values, duplicates left out, the first one canonical.
std::vector<std::string> format_values(const std::vector<Format>& formats);

/// f32 for 16-bit floats and f32, else the format itself: what an accumulator of that format is by default.
Format default_accumulator(Format format);

/// What partial sums are kept in: a format, or "f32/bf16@16": f32, rounded to bf16 after every 16 terms, which is what compilers
/// make of a bf16 sum that they cut into blocks of terms. The latter only in sequence, from zero. Or one of compensations().
struct Accumulator {
  Format format = Format::F32;
  Format rounded = Format::F32;
  std::int64_t every = 0;         ///< 0: never
  std::string compensation = {};  ///< empty: none
};
/// Refuses `bad-attribute` for what is none of accumulator_values().
Accumulator parse_accumulator(const OperatorFormats& formats, const Choices& choices);
std::vector<std::string> accumulator_values(const OperatorFormats& formats);

/// Values for an `order` choice point that hypotheses are made of.
std::vector<std::string> common_orders();

/// Choice points that every sum has: accumulator, order, start, result; of f32 also `tail` = as-body | f64.
std::vector<ChoicePoint> sum_choice_points(const OperatorFormats& formats);
/// The value of `tail`, which must be one of these; the first, "as-body", where there is no such choice point.
std::string chosen_tail(const Choices& choices, const std::vector<std::string>& allowed);

/// How a sum's terms come about from a leaf's operands, in accumulator format.
struct SumTerm {
  ScalarBody leaf;  ///< operands -> leaf values
  ScalarBody step;  ///< accumulator, leaf values -> accumulator
  ScalarBody lift;  ///< leaf values -> accumulator: the first leaf of a chain
};
/// One operand, widened to the accumulator and added.
SumTerm plain_term(Format operand, Format accumulator);

/// The fold with choice points `order`, `start` and, where there is one, `result` (and `accumulator`, given) filled in, its
/// result converted to `result`.
Fold sum_fold(std::vector<int> operands, Axes over, Axes axes, const SumTerm& term, const Accumulator& accumulator, Format result,
              const Choices& choices);

/// Where the fold's order joins partial results from the start value: `enter`, which joins the first of them to `start`.
void set_enter(Fold& fold, const std::vector<Bits>& start);

/// A sum_fold whose tail is added up with other terms, `term`, in `format`: f64, from +0, or the accumulator's own, from the
/// first term. Refuses `bad-attribute` where the other choices do not go with it.
/// `fused`: in f64 from the first term, and rounded once with the rows' sum, as an FMA of one term rounds.
Fold with_tail(Fold fold, Format format, const SumTerm& term, const Choices& choices, bool fused = false);

/// The sum of node 0 over axis n of [*o, n, *i], whatever its tail.
Fold plain_sum(Format operand, const Accumulator& accumulator, Format result, const Choices& choices);

/// How many elements axis `n` has, as a number in the program: a fold that reads nothing counts its leaves. `finish` makes of
/// the count, in i64, what is given; it has no axes.
Fold count_of(const std::string& n, ScalarBody finish);

/// The position along `axis`, from 0, as a number in the program: a fold that reads nothing gives every prefix of a count.
/// `finish` makes of it, in i64, what is given; its axis is `axis`.
Fold position_of(const std::string& axis, ScalarBody finish);

/// A function of every element of x in what functions.h has bodies for, f32, bf16 and f16 (C1); choice points and `build` are
/// left to be filled in.
Operator function_of_x(const std::string& name, const std::string& summary);

/// Refuses C-labelled clauses where operands are not of one shape / format / a float format.
void require_same_shapes(const Operator& op, const Problem& problem, const std::string& label);
void require_same_formats(const Operator& op, const Problem& problem, const std::string& label);
void require_floats(const Operator& op, const Problem& problem, const std::string& label);

/// The float format that attribute `out` names, else the first operand's. An `out` that says nothing new is erased from
/// `problem`. Violates `label` where it is not a float.
Format float_result(const Operator& op, Problem& problem, const std::string& label);

/// Nearest even, toward zero, ...: as the choice point `rounding` has it.
std::vector<std::string> rounding_values();
Rounding parse_rounding(const Choices& choices);

/// The axis that attribute `axis` names, counted from 0; violates `label` where the operand has no such dimension. The problem
/// then names it counted from 0.
std::int64_t reduced_axis(const Operator& op, Problem& problem, const std::string& label);
/// Axes of an operator that takes [*o, n, *i] to [*o, *i]; the result's format is left to the caller.
Resolved resolve_reduction(const Operator& op, const Problem& problem, const std::string& label);

/// Labels of the clauses of a product of matrices.
struct ContractionClauses {
  std::string rank, batch, depth;
};
/// Axes of an operator that takes [*b, m, k] and [*b, k, n] to [*b, m, n], each operand transposed where transpose_a or
/// transpose_b says so; the result's format is left to the caller.
Resolved resolve_contraction(const Operator& op, const Problem& problem, const ContractionClauses& clauses);

/// The body's values as part of another body, with `arguments` for its arguments; gives its results.
std::vector<int> inlined(BodyBuilder& builder, const ScalarBody& body, std::vector<int> arguments);

/// One Map of elementwise operands.
NumericProgram one_map(const std::vector<std::string>& names, const std::vector<Format>& formats, ScalarBody body);

/// compare / select in few words.
int compare(BodyBuilder& b, Comparison comparison, int left, int right);
int select(BodyBuilder& b, int condition, int then, int otherwise);

/// Binding of an operator whose operands and result all have the axes of the pack "*d".
Resolved resolve_elementwise(const Problem& problem, Format result);

}  // namespace bitpact
