// The limits of worker processes: the same options wherever a verb starts some.
#include "backends/backend.h"
#include "cli/verbs.h"

namespace bitpact {

void add_worker_options(CLI::App* verb, BackendSettings& settings) {
  constexpr const char* kGroup = "Workers";
  const auto bytes = [] { return CLI::AsSizeValue(false); };  // KiB, MiB, GiB; a plain number is bytes
  verb->add_option("--timeout", settings.timeout_seconds, "seconds a backend may take for one request")
      ->check(CLI::PositiveNumber)
      ->group(kGroup);
  verb->add_option("--start-timeout", settings.start_timeout_seconds, "seconds a backend may take to start")
      ->check(CLI::PositiveNumber)
      ->group(kGroup);
  verb->add_option("--worker-memory", settings.worker_memory_bytes,
                   "private memory a backend's process may have, e.g. 8GiB; no limit unless given")
      ->transform(bytes())
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 62))
      ->group(kGroup);
  verb->add_option("--worker-output", settings.worker_output_bytes,
                   "what a backend may write during one request, and say in its answer beside the tensors")
      ->transform(bytes())
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 62))
      ->group(kGroup);
}

}  // namespace bitpact
