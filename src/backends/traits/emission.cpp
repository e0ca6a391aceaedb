// From answers to what the emitter goes by.
#include <algorithm>

#include "backends/traits/ask.h"

namespace bitpact {
namespace {

class Answers {
 public:
  explicit Answers(const TraitAnswers& answers) : answers_(answers) {}

  std::string of(const std::string& question) const {
    for (const TraitAnswer& a : answers_)
      if (a.question == question) return a.answer;
    return "unknown";
  }
  /// All questions whose name begins so have one of the answers; false where there are none.
  bool all(const std::string& prefix, std::initializer_list<std::string_view> words) const {
    bool any = false;
    for (const TraitAnswer& a : answers_) {
      if (!a.question.starts_with(prefix)) continue;
      any = true;
      if (std::find(words.begin(), words.end(), a.answer) == words.end()) return false;
    }
    return any;
  }
  /// All questions whose name ends so are answered "kept".
  bool all_kept(const std::string& suffix) const {
    bool any = false;
    for (const TraitAnswer& a : answers_) {
      if (!a.question.ends_with(suffix)) continue;
      any = true;
      if (a.answer != "kept") return false;
    }
    return any;
  }

 private:
  const TraitAnswers& answers_;
};

}  // namespace

Traits emission_traits(const TraitAnswers& given) {
  const Answers answers(given);
  Traits t;
  bool rounds = true;
  for (const char* question : {"multiply_add", "multiply_subtract", "subtract_product", "product_used_twice"})
    rounds &= answers.of(question) == "rounded";
  t.contracts_multiply_add = !rounds;
  t.barrier_stops_contraction = answers.of("barrier_multiply_add") == "rounded";
  t.reduce_sequential = answers.all("reduce_rows", {"sequential"}) && answers.all("reduce_columns", {"sequential"}) &&
                        answers.all("reduce_vector", {"sequential"});
  t.dot_sequential = true;
  for (const char* question : {"dot_32", "dot_64", "dot_row_64", "dot_column_64", "dot_1100", "dot_bf16_1100", "dot_f16_1100"})
    t.dot_sequential &= answers.of(question) == "sequential";
  t.dot_fuses_products = answers.of("dot_products") != "rounded";
  t.flushes_subnormal_inputs = !answers.all_kept("_subnormal_operand");
  t.flushes_subnormal_results = !answers.all_kept("_subnormal_result") || !answers.all_kept("_subnormal");
  // An exact FMA rests on f64 that is kept; that its steps hold is asked, too.
  t.keeps_f64 = answers.of("f64_inside") == "kept" && answers.of("fma_through_f64") == "exact";
  t.rewrites_divisions = answers.of("divide_by_constant") != "rounded" || answers.of("divide_by_broadcast") != "rounded" ||
                         answers.of("one_over_sqrt") != "root-then-divide" || answers.of("divide") != "rounded" ||
                         answers.of("reciprocal") != "rounded";
  return t;
}

}  // namespace bitpact
