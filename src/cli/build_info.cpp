// bitpact --build-info: how this program was built. With --json a bitpact.build-info/1.
#include "cli/build_info.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/verbs.h"
#include "contract/contract.h"

namespace bitpact {

namespace {

std::vector<std::pair<std::string, std::string>> facts() {
  return {{"version", BITPACT_VERSION},         {"profile", BITPACT_BUILD_PROFILE},
          {"compiler", BITPACT_BUILD_COMPILER}, {"target", BITPACT_BUILD_TARGET},
          {"flags", BITPACT_BUILD_FLAGS},       {"sanitizers", BITPACT_BUILD_SANITIZERS},
          {"mlx", BITPACT_BUILD_MLX},           {"contract version", std::to_string(kContractVersion)},
          {"fmt", BITPACT_BUILD_FMT},           {"nlohmann-json", BITPACT_BUILD_JSON},
          {"cli11", BITPACT_BUILD_CLI11},       {"openssl", BITPACT_BUILD_OPENSSL}};
}

}  // namespace

void add_build_info(Program program) {
  CLI::Option* json = program.app.add_flag("--json", program.json, "with --build-info: print bitpact.build-info/1");
  auto given = std::make_shared<bool>(false);
  CLI::Option* asked =
      program.app.add_flag("--build-info", *given, "profile, compiler, flags, features and versions of this program");
  json->needs(asked);
  program.app.callback([given, asked, program] {
    if (asked->count() == 0) return;
    program.run = [program] {
      nlohmann::json j{{"schema", "bitpact.build-info/1"}};
      for (const auto& [name, value] : facts()) {
        j[name] = value;
        if (!program.json) print(fmt::format("{:<17} {}\n", name, value));
      }
      if (program.json) print(j.dump(2) + "\n");
      return 0;
    };
  });
}

}  // namespace bitpact
