#include "backends/traits/ask.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "backends/traits/cache.h"
#include "backends/traits/question.h"
#include "diagnostic/diagnostic.h"
#include "tensor/file.h"

namespace bitpact {
namespace {

using traits::Question;

// Every name of a body gets the question's own prefix, operands become @main's arguments.
std::string renamed(const std::string& line, const std::string& prefix) {
  std::string text;
  for (const char c : line) {
    text += c;
    if (c == '%') text += prefix;
  }
  return text;
}

std::string module_of(const std::vector<const Question*>& sheet) {
  std::vector<std::string> arguments, types, returns, lines;
  for (size_t i = 0; i < sheet.size(); ++i) {
    const Question& q = *sheet[i];
    const std::string prefix = fmt::format("q{}_", i);
    for (size_t k = 0; k < q.operands.size(); ++k)
      arguments.push_back(fmt::format("%{}{}: {}", prefix, static_cast<char>('a' + k), traits::type(q.operands[k])));
    for (const std::string& line : q.body) lines.push_back("  " + renamed(line, prefix) + "\n");
    for (const std::string& name : q.returns) returns.push_back(renamed(name, prefix));
    for (const OperandSpec& result : q.results) types.push_back(traits::type(result));
  }
  return fmt::format("func.func public @main({}) -> {} {{\n{}  return {} : {}\n}}\n", fmt::join(arguments, ", "),
                     types.size() == 1 ? types[0] : fmt::format("({})", fmt::join(types, ", ")), fmt::join(lines, ""),
                     fmt::join(returns, ", "), fmt::join(types, ", "));
}

// The worker itself failed: the next time it may not.
bool passing(Code code) {
  const std::string_view name = info(code).name;
  return (name.starts_with("worker-") && code != Code::WorkerRefused) || code == Code::TooLarge;
}

class Asking {
 public:
  explicit Asking(Backend& backend) : backend_(backend) {}

  void ask(const std::vector<const Question*>& sheet) {
    ResultSpecs specs;
    std::vector<Tensor> operands;
    for (const Question* q : sheet) {
      specs.insert(specs.end(), q->results.begin(), q->results.end());
      operands.insert(operands.end(), q->operands.begin(), q->operands.end());
    }
    ++modules;
    try {
      const std::string& own = sheet.front()->module;
      const Answer answer = backend_.run_stablehlo(own.empty() ? module_of(sheet) : own, specs, operands, {.repeat = 2});
      size_t at = 0;
      for (const Question* q : sheet) {
        const traits::Judged judged = traits::judge(*q, std::span(answer.results).subspan(at, q->results.size()));
        at += q->results.size();
        note({q->id, answer.repeats_agree ? judged.answer : std::string(traits::kUnknown),
              answer.repeats_agree ? judged.seen : "two runs on the same operands did not agree"});
      }
    } catch (const Refused& refused) {
      const Diagnostic& d = refused.diagnostic();
      if (d.code == Code::Internal) throw;
      if (sheet.size() > 1) {  // one of them: which one?
        for (const Question* q : sheet) ask({q});
        return;
      }
      note({sheet.front()->id, std::string(traits::kRefused), fmt::format("[{}] {}", info(d.code).name, d.reason)});
      if (passing(d.code)) not_kept.push_back(sheet.front()->id);
    }
  }

  std::map<std::string, TraitAnswer> answers;
  std::vector<std::string> not_kept;
  int modules = 0;

 private:
  void note(TraitAnswer answer) { answers[answer.question] = std::move(answer); }

  Backend& backend_;
};

void talk(const AskOptions& options, const std::string& text) {
  if (options.say)
    options.say(text);
  else
    fmt::print(stderr, "{}\n", text);
}

bool wanted(const Question& q, const AskOptions& options) {
  if (options.emission_only && !q.for_emission) return false;
  return options.only.empty() || std::find(options.only.begin(), options.only.end(), q.id) != options.only.end();
}

std::map<std::string, TraitAnswer> remembered(const std::string& path, const Identity& identity, const AskOptions& options) {
  std::map<std::string, TraitAnswer> answers;
  std::error_code ignored;
  if (options.fresh || path.empty() || !std::filesystem::exists(path, ignored)) return answers;
  try {
    const MappedFile file(path);
    const std::span<const std::byte> bytes = file.bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (TraitAnswer& a : traits::read_cache(text, identity, traits::all_questions())) answers[a.question] = std::move(a);
  } catch (const Refused& refused) {
    talk(options, fmt::format("traits are asked again: {} is not taken: [{}] {}", path, info(refused.diagnostic().code).name,
                              refused.diagnostic().reason));
    answers.clear();
  }
  return answers;
}

void remember(const std::string& folder, const std::string& path, const Identity& identity, const TraitAnswers& answers,
              const AskOptions& options) {
  if (path.empty()) return;
  try {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) refuse(Code::FileUnwritable, fmt::format("{}: {}", folder, error.message()));
    const std::string text = traits::write_cache(identity, answers);
    const std::span<const std::byte> piece = std::as_bytes(std::span(text));
    write_file(path, {&piece, 1});
  } catch (const Refused& refused) {
    talk(options, fmt::format("traits are not remembered: {}", refused.what()));
  }
}

}  // namespace

std::string TraitReport::source() const {
  const auto all = static_cast<int>(answers.size());
  if (asked == 0) return "from the cache";
  if (asked == all) return "asked of this identity";
  return fmt::format("{} asked of this identity, {} from the cache", asked, all - asked);
}

std::string trait_cache_folder() {
  const auto absolute = [](const char* text) { return text != nullptr && *text == '/'; };
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); absolute(cache)) return std::string(cache) + "/bitpact/traits";
  if (const char* home = std::getenv("HOME"); absolute(home)) return std::string(home) + "/.cache/bitpact/traits";
  return {};
}

TraitReport ask_traits(Backend& backend, const AskOptions& options) {
  if (!backend.ways().stablehlo)
    refuse(Code::BackendLacksForm, "it takes no StableHLO, so it has no traits and nothing can be emitted for it",
           {"", to_text(backend.spec()), ""});
  const auto begin = std::chrono::steady_clock::now();
  const std::string folder = options.cache.empty() ? trait_cache_folder() : options.cache;
  // Of an identity that does not name what runs, nothing is remembered.
  const Identity& who = backend.identity();
  const bool named = who.build != "unobserved" && who.target != "unobserved";
  const std::string path = folder.empty() || !named ? "" : folder + "/" + traits::cache_file_name(backend.identity());
  std::map<std::string, TraitAnswer> known = remembered(path, backend.identity(), options);

  std::vector<std::pair<std::string, std::vector<const Question*>>> sheets;
  for (const Question& q : traits::all_questions()) {
    if (!wanted(q, options) || known.contains(q.id)) continue;
    auto sheet = std::find_if(sheets.begin(), sheets.end(), [&](const auto& s) { return s.first == q.sheet; });
    if (sheet == sheets.end()) sheet = sheets.insert(sheets.end(), {q.sheet, {}});
    sheet->second.push_back(&q);
  }
  Asking asking(backend);
  for (const auto& [name, sheet] : sheets) asking.ask(sheet);

  TraitReport report;
  report.asked = static_cast<int>(asking.answers.size());
  report.modules = asking.modules;
  TraitAnswers kept;
  for (const Question& q : traits::all_questions()) {
    const bool now = asking.answers.contains(q.id);
    if (!now && !known.contains(q.id)) continue;
    const TraitAnswer& answer = now ? asking.answers[q.id] : known[q.id];
    if (wanted(q, options)) report.answers.push_back(answer);
    if (std::find(asking.not_kept.begin(), asking.not_kept.end(), q.id) == asking.not_kept.end()) kept.push_back(answer);
  }
  if (report.asked > 0) remember(folder, path, backend.identity(), kept, options);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

Traits traits_of(Backend& backend, const AskOptions& options) {
  AskOptions emission = options;
  emission.emission_only = true;
  const TraitReport report = ask_traits(backend, emission);
  Traits traits = emission_traits(report.answers);
  traits.source = report.source();
  return traits;
}

TraitWords words_of(const TraitAnswer& answer) {
  for (const Question& q : traits::all_questions()) {
    if (q.id != answer.question) continue;
    for (const traits::Word& word : q.words)
      if (word.word == answer.answer) return {q.topic, q.title, word.sentence};
    return {q.topic, q.title,
            answer.answer == traits::kRefused ? "the backend does not take the question" : "none of the words fits"};
  }
  return {};
}

}  // namespace bitpact
