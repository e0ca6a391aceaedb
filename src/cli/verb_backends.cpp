// bitpact backends: what is here, resolved; what is not, and why.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "backends/backend.h"
#include "backends/traits/ask.h"
#include "cli/verbs.h"
#include "diagnostic/diagnostic.h"
#include "verdict/comparison.h"

namespace bitpact {
namespace {

struct Seen {
  BackendKind kind;
  std::string spec;
  std::optional<Identity> identity;
  Ways ways;
  std::optional<TraitReport> traits;
  std::optional<Diagnostic> absent;
};

struct Asked {
  bool traits = false;
  bool fresh = false;
};

Seen look(const BackendKind& kind, const std::string& spec, const Asked& asked, const BackendSettings& settings) {
  Seen seen{kind, spec, {}, {}, {}, {}};
  try {
    const auto backend = open_backend(parse_backend(spec), settings);
    seen.identity = backend->identity();
    seen.ways = backend->ways();
    if (asked.traits && seen.ways.stablehlo) seen.traits = ask_traits(*backend, {.fresh = asked.fresh, .say = say});
  } catch (const Refused& refused) {
    seen.absent = refused.diagnostic();
  }
  return seen;
}

std::vector<std::string> ways_text(const Ways& ways) {
  std::vector<std::string> all;
  if (ways.operator_call) all.emplace_back("operator calls");
  if (ways.stablehlo) all.emplace_back("StableHLO modules");
  if (ways.numeric_program) all.emplace_back("numeric programs");
  return all;
}

void print_traits(const TraitReport& report) {
  print(fmt::format("         traits   {}", report.source()));
  if (report.asked > 0) print(fmt::format(" ({} modules, {:.1f} s)", report.modules, report.seconds));
  print("\n");
  std::string topic;
  for (const TraitAnswer& a : report.answers) {
    const TraitWords words = words_of(a);
    if (words.topic != topic) print(fmt::format("           {}\n", words.topic));
    topic = words.topic;
    std::string text = a.answer;
    const bool fits = a.answer != "unknown" && a.answer != "refused";
    if (fits && !words.sentence.empty()) text += ": " + words.sentence;
    if (!a.seen.empty()) text += fits ? fmt::format(" ({})", a.seen) : ": " + a.seen;
    print(fmt::format("             {:<52} {}\n", words.title, text));
  }
}

nlohmann::json to_json(const TraitReport& report) {
  nlohmann::json answers = nlohmann::json::array();
  for (const TraitAnswer& a : report.answers) {
    const TraitWords words = words_of(a);
    answers.push_back({{"question", a.question},
                       {"topic", words.topic},
                       {"title", words.title},
                       {"answer", a.answer},
                       {"words", words.sentence},
                       {"seen", a.seen}});
  }
  return {{"source", report.source()}, {"asked", report.asked}, {"modules", report.modules}, {"answers", answers}};
}

bool unverified(const Seen& s) {
  const std::string device = parse_backend(s.spec).device;
  return std::find(s.kind.unverified.begin(), s.kind.unverified.end(), device) != s.kind.unverified.end();
}

void print_text(const Seen& s, const Asked& asked) {
  if (!s.identity) {
    print(fmt::format("{:<11} not here{}: {}\n", s.spec, unverified(s) ? " (and unverified)" : "",
                      s.absent ? s.absent->reason : ""));
    if (s.absent) print(fmt::format("         [{}] {}\n", info(s.absent->code).name, info(s.absent->code).help));
    return;
  }
  const Identity& i = *s.identity;
  print(fmt::format("{:<11} {} {}\n", s.spec, i.backend, i.version));
  const auto row = [](std::string_view label, const std::string& value) {
    print(fmt::format("         {:<8} {}\n", label, value));
  };
  row("build", i.build);
  row("device", i.device);
  row("target", i.target);
  row("flags", i.flags);
  row("threads", i.threads);
  row("kernel", i.kernel);
  row("takes", fmt::format("{}", fmt::join(ways_text(s.ways), ", ")));
  if (unverified(s)) row("note", "UNVERIFIED: written for this device, never yet run on one");
  for (const std::string& option : s.kind.options) row("option", option);
  if (s.traits) print_traits(*s.traits);
  if (asked.traits && !s.traits) row("traits", "none: it compiles no StableHLO that could be asked about");
}

nlohmann::json to_json(const Seen& s) {
  nlohmann::json j{{"spec", s.spec},
                   {"summary", s.kind.summary},
                   {"options", s.kind.options},
                   {"available", s.identity.has_value()},
                   {"verified", !unverified(s)}};
  if (s.identity) {
    j["identity"] = to_json(*s.identity);
    j["takes"] = ways_text(s.ways);
    if (s.traits) j["traits"] = to_json(*s.traits);
  }
  if (s.absent)
    j["diagnostic"] = {{"code", info(s.absent->code).name}, {"reason", s.absent->reason}, {"help", info(s.absent->code).help}};
  return j;
}

}  // namespace

void add_backends(Program program) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto asked = std::make_shared<Asked>();
  CLI::App* verb =
      program.app.add_subcommand("backends", "what is here: versions, devices, targets, options; what is not here, and why");
  verb->add_option("backend", *names, "only these, e.g. iree or iree[opt=O2]");
  verb->add_flag("--traits", asked->traits, "also ask those that take StableHLO what they do to arithmetic (docs/traits.md)");
  verb->add_flag("--fresh", asked->fresh, "with --traits: ask again, whatever is remembered of this identity");
  verb->add_flag("--json", program.json, "print bitpact.backends/1");
  auto settings = std::make_shared<BackendSettings>();
  add_worker_options(verb, *settings);
  verb->callback([names, asked, settings, program] {
    program.run = [names, asked, settings, program] {
      if (asked->fresh && !asked->traits) refuse(Code::Usage, "--fresh goes with --traits");
      std::vector<Seen> all;
      if (names->empty()) {
        for (const BackendKind& kind : backend_kinds())
          if (kind.name != "worker") all.push_back(look(kind, kind.name, *asked, *settings));
        for (const BackendKind& kind : backend_kinds())
          for (const std::string& device : kind.unverified)
            all.push_back(look(kind, kind.name + ":" + device, *asked, *settings));
      }
      for (const std::string& name : *names) {
        const BackendSpec spec = parse_backend(name);
        BackendKind kind;
        for (const BackendKind& known : backend_kinds())
          if (known.name == spec.name) kind = known;
        all.push_back(look(kind, name, *asked, *settings));
        if (kind.name.empty() && all.back().absent) throw Refused(*all.back().absent);
      }
      if (program.json) {
        nlohmann::json j{{"schema", "bitpact.backends/1"}, {"backends", nlohmann::json::array()}};
        for (const Seen& seen : all) j["backends"].push_back(to_json(seen));
        print_json(j);
      } else {
        for (const Seen& seen : all) print_text(seen, *asked);
        if (names->empty()) print("worker      anyone's own kernel: worker:COMMAND (docs/protocol.md)\n");
      }
      return 0;
    };
  });
}

}  // namespace bitpact
