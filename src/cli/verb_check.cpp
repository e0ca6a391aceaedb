// bitpact check: whether backends still give the bits of bitpact.lock, and what changed where they do not.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <set>

#include "cli/verbs.h"
#include "diagnostic/diagnostic.h"
#include "verdict/lock_check.h"

namespace bitpact {
namespace {

/// "OLD=NEW": either may hold '=' itself, so OLD ends where it is one of the lock's.
std::pair<std::string, std::string> parse_mapping(const std::string& text, const Lock& lock) {
  for (size_t i = text.find('='); i != std::string::npos; i = text.find('=', i + 1)) {
    const std::string old = text.substr(0, i);
    for (const LockedLine& line : lock.lines)
      if (line.backend == old) return {line.backend, to_text(parse_backend(text.substr(i + 1)))};
  }
  std::set<std::string> known;
  for (const LockedLine& line : lock.lines) known.insert(line.backend);
  refuse(Code::Usage,
         fmt::format("--backend {}: it is OLD=NEW, and OLD a backend of the lock: {}", text, fmt::join(known, ", ")));
}

}  // namespace

void add_check(Program program) {
  struct Options {
    std::string lock = "bitpact.lock", junit;
    std::vector<std::string> backends;
    CheckRequest request;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb =
      program.app.add_subcommand("check", "asks backends for the bits of bitpact.lock again, and names what changed");
  verb->add_option("lock", o->lock, "what `bitpact lock` wrote")->capture_default_str();
  verb->add_flag("--full", o->request.full, "probe every line again, also where all answers are the locked ones");
  verb->add_option("--backend", o->backends, "ask another backend in the place of a locked one: OLD=NEW; again for more")
      ->allow_extra_args(false);
  verb->add_option("--junit", o->junit, "also write JUnit XML to this file, one test case a line");
  add_replay_options(verb, o->request.probe);
  verb->add_flag("--json", program.json, "print bitpact.check/1");
  add_worker_options(verb, o->request.settings);
  verb->callback([o, program] {
    program.run = [o, program] {
      const Lock lock = read_lock(read_text_file(o->lock), o->lock);
      for (const std::string& text : o->backends)
        if (const auto mapping = parse_mapping(text, lock); !o->request.backends.insert(mapping).second)
          refuse(Code::Usage, fmt::format("--backend {}: {} is mapped twice", text, mapping.first));
      o->request.say = say;
      BackendPool pool;
      CheckReport report = check_lock(lock, o->request, pool);
      report.path = o->lock;
      if (!o->junit.empty()) write_text_file(o->junit, to_junit(report));
      if (program.json) {
        print_json(to_json(report));
      } else {
        for (const CheckedLine& line : report.lines) print(to_text(line));
        print(summary(report));
      }
      for (const CheckedLine& line : report.lines)
        if (line.diagnostic) say(to_text(*line.diagnostic));
      return exit_code(report);
    };
  });
}

}  // namespace bitpact
