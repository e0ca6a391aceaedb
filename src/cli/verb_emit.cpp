// bitpact emit: StableHLO that computes a contract.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "backends/traits/ask.h"
#include "cli/verbs.h"
#include "diagnostic/diagnostic.h"
#include "emit/emit.h"
#include "emit/insert.h"
#include "operators/catalogue.h"

namespace bitpact {

void add_emit(Program program) {
  struct Options {
    std::string contract, target = "iree", problem, form, output, into, replace;
    BackendSettings settings;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = program.app.add_subcommand("emit", "StableHLO that computes a contract, for one problem");
  verb->add_option("contract", o->contract, "contract file")->required();
  verb->add_option("--for", o->target, "the backend that will compile it")->capture_default_str();
  verb->add_option("--problem", o->problem, "problem line; the contract's first verified one unless given");
  verb->add_option(
      "--form", o->form,
      "dot_general, reduce, while, batched-dot_general, batched-reduce, batched-while, written-out, table; the likely "
      "cheapest unless given");
  verb->add_option("--into", o->into, "a module of yours: the function is added to it");
  verb->add_option("--replace", o->replace, "with --into: the value, e.g. %3, whose operation becomes a call of it");
  verb->add_option("-o,--output", o->output, "file; stdout unless given");
  verb->add_flag("--json", program.json, "print bitpact.emission/1");
  add_worker_options(verb, o->settings);
  verb->callback([o, program] {
    program.run = [o, program] {
      if (o->into.empty() != o->replace.empty()) refuse(Code::Usage, "--into and --replace go together");
      const Contract contract = read_contract_file(o->contract);
      if (o->problem.empty() && contract.verified.empty())
        refuse(Code::Usage, "the contract lists no problem; give one with --problem");
      const Resolved problem = resolve(o->problem.empty() ? contract.verified.front() : o->problem);
      const Covered covered = cover(contract, problem);
      const auto backend = open_backend(parse_backend(o->target), o->settings);
      const Traits traits = traits_of(*backend);
      EmitOptions options;
      if (!o->into.empty()) {
        options.in_module = true;
        options.function = function_name(problem.problem.op, covered.arithmetic(), problem.problem);
      }
      std::optional<Emitted> chosen;
      for (Emitted& form : emit(covered, traits, options))
        if (!chosen && (o->form.empty() || form.form == o->form)) chosen = std::move(form);
      if (!chosen)
        refuse(Code::EmitUnsupported, fmt::format("no form '{}' for this program on {}", o->form, o->target),
               {to_text(problem.problem), o->target, ""});
      const std::string text =
          o->into.empty() ? chosen->module : insert_call(read_text_file(o->into), chosen->module, options.function, o->replace);
      if (program.json) {
        nlohmann::json excludes = nlohmann::json::array();
        for (const Exclusion e : (covered.domain() | chosen->carries).excludes) excludes.push_back(name(e));
        print(nlohmann::json{{"schema", "bitpact.emission/1"},
                             {"problem", to_text(problem.problem)},
                             {"for", to_text(backend->spec())},
                             {"form", chosen->form},
                             {"domain", to_text(covered.domain() | chosen->carries)},
                             {"excludes", excludes},
                             {"module", text}}
                  .dump(2) +
              "\n");
      } else if (o->output.empty()) {
        print(text);
      }
      if (!o->output.empty()) write_text_file(o->output, text);
      say(fmt::format("form {}; exact only once checked on the compiled module (bitpact compare); domain: {}; traits {}",
                      chosen->form, to_text(covered.domain() | chosen->carries), traits.source));
      return 0;
    };
  });
}

}  // namespace bitpact
