// bitpact operators: the catalogue.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

// Which choice points there are depends on formats and attributes: those of bf16, then what f32, i8 as the result and an
// attribute add.
std::vector<ChoicePoint> choices_of(const Operator& op) {
  std::vector<ChoicePoint> all;
  const auto add = [&](const OperatorFormats& formats) {
    for (ChoicePoint& point : op.choice_points(formats))
      if (std::none_of(all.begin(), all.end(), [&point](const ChoicePoint& known) { return known.name == point.name; }))
        all.push_back(std::move(point));
  };
  OperatorFormats formats;
  formats.operands.assign(op.operands.size(), Format::BF16);
  formats.result = Format::BF16;
  add(formats);
  formats.operands.assign(op.operands.size(), Format::F32);
  formats.result = Format::F32;
  add(formats);
  formats.operands.assign(op.operands.size(), Format::BF16);
  formats.result = Format::I8;
  add(formats);
  formats.result = Format::BF16;
  for (const AttributeSpec& a : op.attributes)
    if (a.in_program && a.kind == AttributeKind::FormatName) formats.attributes[a.name] = "f16";
  add(formats);
  return all;
}

void print_text(const Operator& op, bool whole) {
  print(fmt::format("{:<14} {}\n", op.name, op.summary));
  if (!whole) return;
  if (!op.aliases.empty()) print(fmt::format("  aliases   {}\n", fmt::join(op.aliases, ", ")));
  print(fmt::format("  operands  {}\n", fmt::join(op.operands, ", ")));
  for (const AttributeSpec& a : op.attributes)
    print(fmt::format("  attribute {}{}: {}\n", a.name, a.fallback.empty() ? "" : "=" + a.fallback, a.summary));
  for (const Clause& c : op.clauses) print(fmt::format("  clause    {}.{}: {}\n", op.name, c.label, c.text));
  for (const ChoicePoint& c : choices_of(op)) {
    print(fmt::format("  choice    {} ({}): {}\n", c.name, c.summary, fmt::join(c.values, " | ")));
    for (const std::string& value : c.values)
      if (const auto meaning = c.meanings.find(value); meaning != c.meanings.end())
        print(fmt::format("            {}: {}\n", value, meaning->second));
  }
}

// A page of the documentation: every operator, and each choice point with its values.
void print_markdown(const Operator& op) {
  print(fmt::format("\n## {}\n\n{}. Operands: {}.", op.name, op.summary, fmt::join(op.operands, ", ")));
  if (!op.aliases.empty()) print(fmt::format(" Also called {}.", fmt::join(op.aliases, ", ")));
  print("\n");
  if (!op.attributes.empty()) print("\n");
  for (const AttributeSpec& a : op.attributes)
    print(fmt::format("- `{}=`{}: {}\n", a.name, a.fallback.empty() ? "" : fmt::format(" (`{}` unless given)", a.fallback),
                      a.summary));
  print("\n");
  for (const Clause& c : op.clauses) print(fmt::format("- {}.{}: {}\n", op.name, c.label, c.text));
  const std::vector<ChoicePoint> points = choices_of(op);
  if (points.empty()) {
    print("\nImplementations have no choice.\n");
    return;
  }
  print("\n| choice point | values, the canonical one first | |\n|---|---|---|\n");
  for (const ChoicePoint& c : points) {
    std::vector<std::string> values;
    for (const std::string& value : c.values) {
      const auto meaning = c.meanings.find(value);
      values.push_back(meaning == c.meanings.end() ? fmt::format("`{}`", value)
                                                   : fmt::format("`{}`: {}", value, meaning->second));
    }
    print(fmt::format("| {} | {} | {} |\n", c.name, fmt::join(values, "<br>"), c.summary));
  }
}

nlohmann::json to_json(const Operator& op) {
  nlohmann::json j{{"name", op.name}, {"aliases", op.aliases}, {"summary", op.summary}, {"operands", op.operands}};
  j["attributes"] = j["clauses"] = j["choices"] = nlohmann::json::array();
  for (const AttributeSpec& a : op.attributes)
    j["attributes"].push_back({{"name", a.name}, {"default", a.fallback}, {"summary", a.summary}});
  for (const Clause& c : op.clauses) j["clauses"].push_back({{"label", op.name + "." + c.label}, {"text", c.text}});
  for (const ChoicePoint& c : choices_of(op))
    j["choices"].push_back({{"name", c.name}, {"summary", c.summary}, {"values", c.values}, {"meanings", c.meanings}});
  return j;
}

}  // namespace

void add_operators(Program program) {
  auto name = std::make_shared<std::string>();
  auto markdown = std::make_shared<bool>(false);
  CLI::App* verb = program.app.add_subcommand("operators", "the catalogue: operands, attributes, clauses, choice points");
  verb->add_option("operator", *name, "one operator, in full");
  verb->add_flag("--json", program.json, "print bitpact.operators/1");
  verb->add_flag("--markdown", *markdown, "print the documentation's page");
  verb->callback([name, markdown, program] {
    program.run = [name, markdown, program] {
      std::vector<const Operator*> chosen;
      if (name->empty())
        for (const Operator& op : catalogue()) chosen.push_back(&op);
      else
        chosen.push_back(&operator_named(*name));
      nlohmann::json j{{"schema", "bitpact.operators/1"}, {"operators", nlohmann::json::array()}};
      if (*markdown)
        print(
            "# Operators\n\nEvery operator, its clauses, and its choice points: where implementations differ. The first value of "
            "each is the "
            "canonical\none. Written by `make docs`.\n");
      for (const Operator* op : chosen) {
        if (*markdown)
          print_markdown(*op);
        else if (program.json)
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
