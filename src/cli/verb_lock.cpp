// bitpact lock: what the operators of a list compute on their backends, written to a file that `bitpact check` goes by.
#include <fmt/format.h>

#include <memory>

#include "cli/verbs.h"
#include "verdict/lock.h"

namespace bitpact {
namespace {

std::string line_text(const LockedLine& line) {
  const std::string title = fmt::format("{} on {}", line.problem, line.backend);
  if (line.unknown)
    return fmt::format("UNKNOWN   {}: the digests of {} answers are locked, no contract ([{}] {})\n", title,
                       line.questions.size(), line.unknown->code, line.unknown->reason);
  return fmt::format("CONTRACT  {}: {} questions part it from {} of {} other programs\n", title, line.questions.size(),
                     line.parted, line.others);
}

}  // namespace

void add_lock(Program program) {
  struct Options {
    std::string list, output = "bitpact.lock";
    bool one_length = false;
    LockRequest request;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb =
      program.app.add_subcommand("lock", "probes the problems of a list and writes their contracts and digests to bitpact.lock");
  verb->add_option("list", o->list, "a file with a line each: \"PROBLEM ; backend=BACKEND\"")->required();
  verb->add_option("-o,--output", o->output, "file for the lock")->capture_default_str();
  verb->add_flag("--allow-unknown", o->request.allow_unknown,
                 "lines that have no contract are locked by the digests of answers alone");
  add_replay_options(verb, o->request.probe);
  verb->add_flag("--one-length", o->one_length, "sums: ask at no other lengths than the problem's; the lock keeps this");
  verb->add_flag("--json", program.json, "print the lock, bitpact.lock/1");
  add_worker_options(verb, o->request.settings);
  verb->callback([o, program] {
    program.run = [o, program] {
      LockRequest& request = o->request;
      request.probe.other_lengths = !o->one_length;
      request.say = say;
      if (!program.json) request.each = [](const LockedLine& line) { print(line_text(line)); };
      BackendPool pool;
      const Lock lock = make_lock(parse_lock_list(read_text_file(o->list), o->list), request, pool);
      write_text_file(o->output, write_lock(lock));
      if (program.json) print_json(to_json(lock));
      say(fmt::format("wrote {}: {} line(s)", o->output, lock.lines.size()));
      return 0;
    };
  });
}

}  // namespace bitpact
