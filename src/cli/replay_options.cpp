// How much a probe's replay compares: the same options wherever a verb probes.
#include "cli/verbs.h"
#include "probe/sum_probe.h"

namespace bitpact {

void add_replay_options(CLI::App* verb, ProbeSettings& settings) {
  verb->add_option("--replay-outputs", settings.replay_outputs, "sums: outputs that the replay compares, at least")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--replay-seconds", settings.replay_seconds, "sums: the replay's time limit")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--repeat", settings.repeats, "sums: runs on the same operands that must agree")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
}

}  // namespace bitpact
