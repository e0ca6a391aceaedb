#include "backends/traits/question.h"

#include <fmt/format.h>

namespace bitpact::traits {
namespace {

bool not_looked_at(const Tensor& t) { return t.format() == Format::I1 && t.shape().empty(); }

bool same(Format format, Bits a, Bits b, bool raw_nans) {
  if (a == b) return true;
  return !raw_nans && is_float(format) && classify(format, a) == Class::NaN && classify(format, b) == Class::NaN;
}

/// Index of the first element that is not the word's; -1 where all are.
std::int64_t first_other(const Tensor& wanted, const Tensor& given, bool raw_nans) {
  for (std::int64_t i = 0; i < wanted.size(); ++i)
    if (!same(wanted.format(), wanted.get(i), given.get(i), raw_nans)) return i;
  return -1;
}

struct Miss {
  size_t result = 0;
  std::int64_t element = 0;
};

std::optional<Miss> miss(const Question& q, const Word& word, std::span<const Tensor> results) {
  for (size_t r = 0; r < word.results.size(); ++r) {
    if (not_looked_at(word.results[r])) continue;
    const std::int64_t at = first_other(word.results[r], results[r], q.raw_nans);
    if (at >= 0) return Miss{r, at};
  }
  return {};
}

std::string value(const Tensor& t, std::int64_t at) {
  const Scalar x{t.format(), t.get(at)};
  return fmt::format("{} ({})", to_text(x), to_hex(x));
}

// Of the words, the one that explains most before it fails.
std::string what_was_seen(const Question& q, std::span<const Tensor> results) {
  const Word* best = nullptr;
  Miss furthest;
  for (const Word& word : q.words) {
    if (word.results.empty()) continue;
    const Miss m = *miss(q, word, results);
    if (!best || m.result > furthest.result || (m.result == furthest.result && m.element > furthest.element)) {
      best = &word;
      furthest = m;
    }
  }
  if (!best) return "nothing that a word stands for";
  const Tensor& given = results[furthest.result];
  const std::int64_t at = furthest.element;
  std::string text = fmt::format("element {} of {} is {}; {} gives {}", at, given.size(), value(given, at), best->word,
                                 value(best->results[furthest.result], at));
  if (q.module.empty() && !q.operands.empty() && q.operands[0].shape() == given.shape() && given.shape().size() == 1) {
    text += "; operands";
    for (const Tensor& operand : q.operands)
      text += " " + to_text(Scalar{operand.format(), operand.get(operand.size() == given.size() ? at : 0)});
  }
  return text;
}

}  // namespace

std::string type(const Tensor& tensor) { return fmt::format("tensor<{}>", to_text(tensor.shape(), tensor.format())); }
std::string type(const OperandSpec& spec) { return fmt::format("tensor<{}>", to_text(spec.shape, spec.format)); }

Judged judge(const Question& question, std::span<const Tensor> results) {
  if (question.judge) return question.judge(results);
  for (const Word& word : question.words)
    if (!word.results.empty() && !miss(question, word, results)) return {word.word, ""};
  return {std::string(kUnknown), what_was_seen(question, results)};
}

const std::vector<Question>& all_questions() {
  static const std::vector<Question> questions = [] {
    std::vector<Question> all;
    for (const auto family : {contraction_questions, narrowing_questions, reduce_questions, dot_questions, accumulator_questions,
                              subnormal_questions, special_questions, division_questions, conversion_questions, wide_questions})
      for (Question& q : family()) all.push_back(std::move(q));
    return all;
  }();
  return questions;
}

}  // namespace bitpact::traits
