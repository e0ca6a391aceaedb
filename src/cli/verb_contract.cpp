// bitpact contract: writes one by hand, from an operator's choice points.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "backends/backend.h"
#include "cli/verbs.h"
#include "diagnostic/diagnostic.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

Choices parse_choices(const std::vector<std::string>& texts) {
  Choices choices;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) refuse(Code::Usage, fmt::format("--set {}: expected CHOICE=VALUE", text));
    choices[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return choices;
}

Domain parse_domain(const std::vector<std::string>& names) {
  Domain domain;
  for (const std::string& text : names) {
    const auto exclusion = exclusion_named(text);
    if (!exclusion) refuse(Code::Usage, fmt::format("--exclude {}: no such exclusion", text));
    domain.excludes.insert(*exclusion);
  }
  return domain;
}

Identity no_identity() { return {"none", "none", "none", "none", "none", "none", "none", "unobserved"}; }

}  // namespace

void add_contract(Program program) {
  struct Options {
    std::string problem, output, backend, note;
    std::vector<std::string> set, exclude, verified;
    bool canonical = false;
    BackendSettings settings;
  };
  auto o = std::make_shared<Options>();
  CLI::App* verb = program.app.add_subcommand("contract", "writes a contract by hand, from the operator's choice points");
  verb->add_option("problem", o->problem, "a problem line: operator and formats count, shapes do not")->required();
  verb->add_option("--set", o->set, "a choice, e.g. order=\"interleaved(8)\"; canonical unless set")->take_all();
  verb->add_option("--exclude", o->exclude,
                   "values outside the domain: subnormal-input subnormal-intermediate subnormal-result overflow-intermediate");
  verb->add_option("--backend", o->backend, "whose identity it carries, e.g. mlx");
  verb->add_option("--verified", o->verified, "problem lines that it was verified on");
  verb->add_option("--note", o->note, "where it comes from, in words");
  verb->add_option("-o,--output", o->output, "file; stdout unless given");
  verb->add_flag("--json", program.json, "the contract is JSON anyway; accepted for uniformity");
  add_worker_options(verb, o->settings);
  verb->callback([o, program] {
    program.run = [o] {
      const Resolved problem = resolve(o->problem);
      Contract contract = contract_from_choices(problem, parse_choices(o->set), parse_domain(o->exclude));
      contract.identity = o->backend.empty() ? no_identity() : open_backend(parse_backend(o->backend), o->settings)->identity();
      for (const std::string& line : o->verified) contract.verified.push_back(to_text(resolve(line).problem));
      contract.established = {"hand-written", contract.verified.empty() ? "assumed" : "sampled", o->note};
      if (o->output.empty())
        print(write_contract(contract));
      else
        write_contract_file(contract, o->output);
      return 0;
    };
  });
}

}  // namespace bitpact
