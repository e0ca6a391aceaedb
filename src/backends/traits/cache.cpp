#include "backends/traits/cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/protocol.h"
#include "contract/canonical_json.h"
#include "contract/json_view.h"
#include "tensor/digest.h"

namespace bitpact::traits {
namespace {

using nlohmann::json;

constexpr std::string_view kSchema = "bitpact.traits/1";

// Questions also come from the emitter's own text: a digest of them all notices what nobody counted.
const std::string& question_set() {
  static const std::string digest = [] {
    json all = json::array({kQuestionSet});
    for (const Question& q : all_questions()) {
      json words = json::array();
      for (const Word& w : q.words) words.push_back({w.word, sha256(std::span<const Tensor>(w.results))});
      all.push_back({q.id, q.sheet, q.body, q.returns, q.module, sha256(std::span<const Tensor>(q.operands)), words});
    }
    return sha256(canonical_json(all));
  }();
  return digest;
}

json content(const Identity& identity, const TraitAnswers& answers) {
  json list = json::array();
  for (const TraitAnswer& a : answers) list.push_back({{"question", a.question}, {"answer", a.answer}, {"seen", a.seen}});
  return {{"schema", kSchema}, {"question_set", question_set()}, {"identity", protocol::to_json(identity)}, {"answers", list}};
}

bool is_word_of(const Question& q, const std::string& answer) {
  return answer == kUnknown || answer == kRefused ||
         std::any_of(q.words.begin(), q.words.end(), [&](const Word& w) { return w.word == answer; });
}

}  // namespace

std::string cache_file_name(const Identity& identity) {
  const std::string digest =
      sha256(canonical_json({{"question_set", question_set()}, {"identity", protocol::to_json(identity)}}));
  return digest.substr(digest.find(':') + 1) + ".json";
}

std::string write_cache(const Identity& identity, const TraitAnswers& answers) {
  json j = content(identity, answers);
  j["sha256"] = sha256(canonical_json(j));
  return canonical_json(j) + "\n";
}

TraitAnswers read_cache(std::string_view text, const Identity& identity, const std::vector<Question>& questions) {
  const json j = parse_json(text);
  const JsonView top(j, "");
  JsonFields fields(top);
  const JsonView schema = fields.take("schema");
  if (schema.string() != kSchema) schema.bad_value("is another schema");
  const JsonView set = fields.take("question_set");
  if (set.string() != question_set()) set.bad_value("is another set of questions");
  fields.take("identity");
  const JsonView digest = fields.take("sha256");
  json rest = j;
  rest.erase("sha256");
  if (digest.string() != sha256(canonical_json(rest))) digest.bad_value("is not the content's");
  if (j["identity"] != protocol::to_json(identity)) top.bad_value("is about another identity");
  TraitAnswers answers;
  for (const JsonView& entry : fields.take("answers").array()) {
    JsonFields answer(entry);
    TraitAnswer a{answer.take("question").string(), answer.take("answer").string(), answer.take("seen").string()};
    answer.done();
    const auto q =
        std::find_if(questions.begin(), questions.end(), [&](const Question& known) { return known.id == a.question; });
    if (q == questions.end()) entry.bad_value(fmt::format("no question is named `{}`", a.question));
    if (!is_word_of(*q, a.answer)) entry.bad_value(fmt::format("`{}` is no answer to {}", a.answer, a.question));
    if (std::any_of(answers.begin(), answers.end(), [&](const TraitAnswer& b) { return b.question == a.question; }))
      entry.bad_value(fmt::format("{} is answered twice", a.question));
    answers.push_back(std::move(a));
  }
  fields.done();
  return answers;
}

}  // namespace bitpact::traits
