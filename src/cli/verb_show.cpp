// bitpact show, bitpact diff: contracts in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "contract/contract.h"

namespace bitpact {
namespace {

std::string formats_text(const ContractOperator& op) {
  std::vector<std::string_view> names;
  for (const Format format : op.operands) names.push_back(name(format));
  return fmt::format("{} {} -> {}", op.name, fmt::join(names, ","), name(op.result));
}

std::string shapes_text(const Piece& piece) {
  if (piece.shapes.empty() && piece.when.empty()) return "any";
  std::vector<std::string> parts;
  for (const AxisBound& b : piece.shapes) {
    std::string text = fmt::format("{} >= {}", b.axis, b.min);
    if (b.max) text += fmt::format(" and <= {}", *b.max);
    if (b.multiple != 1) text += fmt::format(" and a multiple of {}", b.multiple);
    parts.push_back(text);
  }
  for (const auto& [key, value] : piece.when) parts.push_back(fmt::format("{}={}", key, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print_text(const Contract& c) {
  const auto row = [](std::string_view label, const std::string& text) { print(fmt::format("{:<12} {}\n", label, text)); };
  row("contract", formats_text(c.op));
  const Identity& i = c.identity;
  row("of", fmt::format("{} {} ({})", i.backend, i.version, i.build));
  row("", fmt::format("device {}, target {}, flags {}, threads {}, kernel {}", i.device, i.target, i.flags, i.threads, i.kernel));
  row("established", fmt::format("{}, strength {}{}{}", c.established.how, c.established.strength,
                                 c.established.note.empty() ? "" : ": ", c.established.note));
  for (size_t p = 0; p < c.pieces.size(); ++p) {
    const Piece& piece = c.pieces[p];
    row(c.pieces.size() == 1 ? "program" : fmt::format("piece {}", p + 1), arithmetic_fingerprint(piece.program, piece.operands));
    row("  shapes", shapes_text(piece));
    row("  region", piece.region);
    row("  domain", to_text(piece.operands));
    for (const std::string& sentence : in_words(piece.program)) row("", sentence);
  }
  row("verified on", c.verified.empty() ? "nothing: every shape is predicted"
                                        : fmt::format("{} problem(s); every other shape is predicted", c.verified.size()));
  for (const std::string& line : c.verified) row("", line);
  row("fingerprint", contract_fingerprint(c));
}

nlohmann::json to_json(const Contract& c) {
  nlohmann::json j{
      {"schema", "bitpact.show/1"}, {"contract", nlohmann::json::parse(write_contract(c))}, {"words", nlohmann::json::array()}};
  for (const Piece& piece : c.pieces) j["words"].push_back(in_words(piece.program));
  return j;
}

}  // namespace

void add_show(Program program) {
  auto path = std::make_shared<std::string>();
  CLI::App* verb = program.app.add_subcommand("show", "a contract in words");
  verb->add_option("contract", *path, "contract file")->required();
  verb->add_flag("--json", program.json, "print bitpact.show/1");
  verb->callback([path, program] {
    program.run = [path, program] {
      const Contract contract = read_contract_file(*path);
      if (program.json)
        print(to_json(contract).dump(2) + "\n");
      else
        print_text(contract);
      return 0;
    };
  });
}

void add_diff(Program program) {
  auto paths = std::make_shared<std::pair<std::string, std::string>>();
  CLI::App* verb =
      program.app.add_subcommand("diff", "what differs between two contracts, in words; exit 1 where the arithmetic does");
  verb->add_option("a", paths->first, "contract file")->required();
  verb->add_option("b", paths->second, "contract file")->required();
  verb->add_flag("--json", program.json, "print bitpact.diff/1");
  verb->callback([paths, program] {
    program.run = [paths, program] {
      const Contract a = read_contract_file(paths->first), b = read_contract_file(paths->second);
      bool same = a.pieces.size() == b.pieces.size();
      for (size_t i = 0; same && i < a.pieces.size(); ++i)
        same = arithmetic_fingerprint(a.pieces[i].program, a.pieces[i].operands) ==
               arithmetic_fingerprint(b.pieces[i].program, b.pieces[i].operands);
      const std::vector<std::string> words = differences(a, b);
      if (program.json) {
        print(nlohmann::json{{"schema", "bitpact.diff/1"}, {"same_arithmetic", same}, {"differences", words}}.dump(2) + "\n");
      } else {
        print(same ? "same arithmetic: equal fingerprints, equal bits\n" : "the arithmetic differs\n");
        for (const std::string& line : words) print("  " + line + "\n");
      }
      return same ? 0 : 1;
    };
  });
}

}  // namespace bitpact
