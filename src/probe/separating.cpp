#include "probe/separating.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <numeric>

#include "contract/region.h"
#include "probe/constants.h"
#include "probe/distinct.h"
#include "probe/elimination.h"
#include "probe/function_asker.h"
#include "probe/function_match.h"
#include "tensor/digest.h"

namespace bitpact {
namespace {

constexpr std::string_view kConstants = "constants ";
constexpr size_t kFewest = 3, kMost = 6;
constexpr std::uint64_t kRounds = 5;
constexpr double kSeconds = 30;  // of striking out; what is left then counts as not parted

/// A program, and those that its outputs may follow as well as far as is known.
struct Others {
  Candidate own;
  std::vector<std::int64_t> outputs;
  std::vector<Candidate> left;
};

const Piece& piece_of(const Contract& contract, const std::string& region) {
  for (const Piece& piece : contract.pieces)
    if (piece.region == region) return piece;
  refuse(Code::Internal, fmt::format("a probed part '{}' has no piece", region));
}

std::vector<Candidate> with_orders_of(const Resolved& problem, const std::vector<ProbedPart>& parts) {
  std::vector<Order> orders;
  for (const ProbedPart& part : parts)
    if (!part.order.empty()) orders.push_back(parse_order(part.order));
  if (orders.empty()) return candidates(problem, {});
  for (const ChoicePoint& point : operator_named(problem.problem.op).choice_points(problem.formats()))
    if (point.name == "order")
      for (const std::string& value : point.values) orders.push_back(parse_order(value));
  return candidates(problem, orders);
}

std::vector<Candidate> may_be(const Resolved& problem, const Probed& probed, const ProbedPart& part) {
  std::vector<Candidate> all;
  if (is_function(problem)) {
    for (FunctionCandidate& c : function_candidates(problem)) all.push_back({c.choices, c.flush, std::move(c.program), {}});
    return all;
  }
  all = with_orders_of(problem, probed.parts);
  Candidate kept{part.choices, "", piece_of(*probed.contract, part.region).program, {}};
  if (!part.flush.empty()) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Candidate& c) { return c.choices == part.choices; });
    if (same == all.end()) return all;
    kept.program = same->program;
  }
  for (Candidate& flushed : flushing(kept)) all.push_back(std::move(flushed));
  return all;
}

/// Without those that are the part's own program, however spelled.
Others others_of(const Resolved& problem, const Probed& probed, const ProbedPart& part) {
  std::vector<Hypothesis> all{{part.choices, piece_of(*probed.contract, part.region).program, ""}};
  for (Candidate& c : may_be(problem, probed, part)) all.push_back({std::move(c.choices), std::move(c.program), c.flush});
  all = distinct_at(std::move(all), problem.binding);
  Others others;
  const Piece& piece = piece_of(*probed.contract, part.region);
  others.own = {part.choices, part.flush, piece.program, piece.operands};
  const std::vector<std::uint8_t> mask = region_mask(parse_region(part.region), problem.binding.result, problem.result.shape);
  for (size_t o = 0; o < mask.size(); ++o)
    if (mask[o] != 0) others.outputs.push_back(static_cast<std::int64_t>(o));
  for (size_t h = 1; h < all.size(); ++h) others.left.push_back({std::move(all[h].choices), "", std::move(all[h].program), {}});
  return others;
}

Recipe recipe(std::uint64_t seed, bool gentle) {
  Recipe r;
  r.seed = seed;
  if (gentle) r.classes = {"normal", "wide", "cancellation", "ties"};
  return r;
}

std::vector<Question> possible_questions(const Resolved& problem, std::uint64_t seed) {
  std::vector<Question> all;
  const std::string line = to_text(problem.problem);
  if (is_function(problem)) {
    const int bits = info(problem.problem.operands[0].format).bits;
    Problem row = problem.problem;
    row.operands[0].shape = {std::int64_t{1} << std::min(bits, 16)};
    Recipe r = recipe(seed, false);
    r.all_values = bits <= 16;
    all.push_back({to_text(resolve(row).problem), r});
  }
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    for (const bool gentle : {true, false}) all.push_back({line, recipe(seed + round, gentle)});
    if (round == 0)
      if (std::vector<Bits> zeros = negative_zeros(problem); !zeros.empty()) all.push_back({line, {}, std::move(zeros)});
  }
  return all;
}

/// How many of them the answer strikes out. Where the question has a shape of its own, they are for all of its outputs.
/// Refuses `probe-unknown` where the answer strikes out the program itself.
std::int64_t strike(Others& others, const std::string& line, const Question& question, const QuestionAnswer& answer) {
  const Resolved problem = resolve(question.problem);
  std::vector<std::int64_t> outputs = others.outputs;
  if (question.problem != line) {
    outputs.resize(static_cast<size_t>(answer.result.size()));
    std::iota(outputs.begin(), outputs.end(), 0);
  }
  const Asked asked{operands_of(question), answer.result};
  if (const size_t wrong = differing(others.own, problem, asked, outputs).size(); wrong > 0)
    refuse(Code::ProbeUnknown, fmt::format("the program that was found, {}, does not give {} output(s) of {} with operands {}",
                                           to_text(others.own), wrong, question.problem, operands_text(question)));
  const auto begin = std::chrono::steady_clock::now();
  return static_cast<std::int64_t>(std::erase_if(others.left, [&](const Candidate& c) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (spent.count() > kSeconds) return false;
    return !fits_window(c, problem, asked, outputs, outputs.front()) || !differing(c, problem, asked, outputs).empty();
  }));
}

}  // namespace

std::vector<Tensor> operands_of(const Question& question) {
  const Resolved problem = resolve(question.problem);
  if (!question.constants.empty()) return constant_operands(problem, question.constants);
  return make_operands(question.recipe, problem.problem.operands, problem.binding.operands, independent_axes(problem));
}

std::string operands_text(const Question& question) {
  if (question.constants.empty()) return question.recipe.to_text();
  std::string text;
  for (const Bits bits : question.constants) text += fmt::format("{}0x{:x}", text.empty() ? kConstants : ",", bits);
  return text;
}

void parse_operands(std::string_view text, Question& question) {
  if (!text.starts_with(kConstants)) {
    question.recipe = Recipe::parse(text);
    return;
  }
  for (size_t at = kConstants.size() - 1; at != std::string_view::npos; at = text.find(',', at)) {
    Bits bits = 0;
    const char* end = text.data() + text.size();
    const std::string_view number = text.substr(++at);
    if (!number.starts_with("0x")) refuse(Code::Usage, fmt::format("'{}' holds a constant without 0x", text));
    std::from_chars(number.data() + 2, end, bits, 16);
    question.constants.push_back(bits);
  }
  const Resolved problem = resolve(question.problem);
  bool fit = problem.problem.operands.size() == question.constants.size();
  for (size_t o = 0; fit && o < question.constants.size(); ++o) {
    const int width = info(problem.problem.operands[o].format).bits;
    fit = width >= 64 || question.constants[o] >> width == 0;
  }
  if (!fit || operands_text(question) != text)
    refuse(Code::Usage, fmt::format("'{}' is not one constant an operand of {}", text, question.problem));
}

QuestionAnswer ask(Backend& backend, const Question& question, int repeats) {
  const Resolved problem = resolve(question.problem);
  const Where where{question.problem, to_text(backend.spec()), backend.identity().machine()};
  const Ways ways = backend.ways();
  if (!ways.operator_call && !ways.stablehlo)
    refuse(Code::ProbeUnsupported, "the backend runs programs that it is given; it has no way of its own to compute an operator",
           where);
  try {
    Answer answer =
        backend.call_operator(problem.problem, {problem.result}, operands_of(question), {.repeat = std::max(1, repeats)});
    if (!answer.repeats_agree)
      refuse(Code::Nondeterministic, fmt::format("{} runs on the same operands did not agree", repeats), where);
    QuestionAnswer a{std::move(answer.results[0]), "", answer.kernel};
    make_nans_quiet(a.result);
    a.digest = sha256(a.result.span());
    return a;
  } catch (const Refused& refused) {
    throw refused.at(where);
  }
}

Separation separate(const Resolved& problem, Backend& backend, const Probed& probed, std::uint64_t seed) {
  std::vector<Others> parts;
  Separation found;
  if (probed.contract)
    for (const ProbedPart& part : probed.parts) {
      parts.push_back(others_of(problem, probed, part));
      found.others += static_cast<std::int64_t>(parts.back().left.size());
    }
  constexpr int kRepeats = 3;
  for (const Question& question : possible_questions(problem, seed)) {
    const bool enough = found.questions.size() >= kFewest;
    const bool done = std::all_of(parts.begin(), parts.end(), [](const Others& o) { return o.left.empty(); });
    if (found.questions.size() == kMost || (enough && done)) break;
    const QuestionAnswer answer = ask(backend, question, kRepeats);
    std::int64_t struck = 0;
    for (Others& others : parts) struck += strike(others, to_text(problem.problem), question, answer);
    found.kernel = answer.kernel;
    if (struck == 0 && (enough || !question.constants.empty())) continue;
    found.parted += struck;
    found.questions.push_back({question, answer.result.size(), answer.digest});
  }
  return found;
}

}  // namespace bitpact
