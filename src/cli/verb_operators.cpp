// bitpact operators: the catalogue.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

std::vector<ChoicePoint> choices_of(const Operator& op, Format format) {
  OperatorFormats formats;
  formats.operands.assign(op.operands.size(), format);
  formats.result = format;
  return op.choice_points(formats);
}

void print_text(const Operator& op, bool whole) {
  print(fmt::format("{:<14} {}\n", op.name, op.summary));
  if (!whole) return;
  if (!op.aliases.empty()) print(fmt::format("  aliases   {}\n", fmt::join(op.aliases, ", ")));
  print(fmt::format("  operands  {}\n", fmt::join(op.operands, ", ")));
  for (const AttributeSpec& a : op.attributes)
    print(fmt::format("  attribute {}{}: {}\n", a.name, a.fallback.empty() ? "" : "=" + a.fallback, a.summary));
  for (const Clause& c : op.clauses) print(fmt::format("  clause    {}.{}: {}\n", op.name, c.label, c.text));
  for (const ChoicePoint& c : choices_of(op, Format::BF16))
    print(fmt::format("  choice    {} ({}): {}\n", c.name, c.summary, fmt::join(c.values, " | ")));
}

nlohmann::json to_json(const Operator& op) {
  nlohmann::json j{{"name", op.name}, {"aliases", op.aliases}, {"summary", op.summary}, {"operands", op.operands}};
  j["attributes"] = j["clauses"] = j["choices"] = nlohmann::json::array();
  for (const AttributeSpec& a : op.attributes)
    j["attributes"].push_back({{"name", a.name}, {"default", a.fallback}, {"summary", a.summary}});
  for (const Clause& c : op.clauses) j["clauses"].push_back({{"label", op.name + "." + c.label}, {"text", c.text}});
  for (const ChoicePoint& c : choices_of(op, Format::BF16))
    j["choices"].push_back({{"name", c.name}, {"summary", c.summary}, {"values", c.values}});
  return j;
}

}  // namespace

void add_operators(Program program) {
  auto name = std::make_shared<std::string>();
  CLI::App* verb =
      program.app.add_subcommand("operators", "the catalogue: operands, attributes, clauses, choice points (those of bf16)");
  verb->add_option("operator", *name, "one operator, in full");
  verb->add_flag("--json", program.json, "print bitpact.operators/1");
  verb->callback([name, program] {
    program.run = [name, program] {
      std::vector<const Operator*> chosen;
      if (name->empty())
        for (const Operator& op : catalogue()) chosen.push_back(&op);
      else
        chosen.push_back(&operator_named(*name));
      nlohmann::json j{{"schema", "bitpact.operators/1"}, {"operators", nlohmann::json::array()}};
      for (const Operator* op : chosen) {
        if (program.json)
          j["operators"].push_back(to_json(*op));
        else
          print_text(*op, !name->empty());
      }
      if (program.json) print(j.dump(2) + "\n");
      return 0;
    };
  });
}

}  // namespace bitpact
