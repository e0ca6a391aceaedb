// bitpact diagnostics: the registry.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {

void add_diagnostics(Program program) {
  struct Options {
    std::string code;
    bool markdown = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = program.app.add_subcommand("diagnostics", "every code a request can be refused with");
  verb->add_option("code", o->code, "one code");
  verb->add_flag("--markdown", o->markdown, "the page docs/diagnostics.md");
  verb->add_flag("--json", program.json, "print bitpact.diagnostics/1");
  verb->callback([o, program] {
    program.run = [o, program] {
      nlohmann::json j{{"schema", "bitpact.diagnostics/1"}, {"diagnostics", nlohmann::json::array()}};
      std::string page =
          "# Diagnostics\n\nGenerated from the registry by `bitpact diagnostics --markdown`; do not edit.\n\n"
          "Exit codes: 2 bad input or usage, 3 refused, 4 no verdict.\n\n| code | exit | what it means | what helps "
          "|\n|---|---|---|---|\n";
      bool found = o->code.empty();
      for (const CodeInfo& code : all_codes()) {
        if (!o->code.empty() && code.name != o->code) continue;
        found = true;
        j["diagnostics"].push_back({{"code", code.name}, {"exit", code.exit}, {"summary", code.summary}, {"help", code.help}});
        page += fmt::format("| `{}` | {} | {} | {} |\n", code.name, code.exit, code.summary, code.help);
        if (!o->markdown && !program.json)
          print(fmt::format("{:<26} exit {}  {}\n{:<34}{}\n", code.name, code.exit, code.summary, "", code.help));
      }
      if (!found) refuse(Code::Usage, fmt::format("no diagnostic has the code '{}'", o->code));
      if (program.json)
        print(j.dump(2) + "\n");
      else if (o->markdown)
        print(page);
      return 0;
    };
  });
}

}  // namespace bitpact
