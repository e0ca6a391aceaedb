// bitpact show: a contract in words, its orders as pictures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/order_pictures.h"
#include "cli/verbs.h"
#include "contract/contract.h"
#include "diagnostic/diagnostic.h"
#include "picture/json.h"
#include "picture/text.h"
#include "picture/words.h"

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

struct Request {
  std::string path, svg;
  std::int64_t length = 0;  ///< 0: not given
  bool tree = false, ascii = false;
  std::optional<std::int64_t> leaves() const { return length > 0 ? std::optional(length) : std::nullopt; }
};

std::string fold_name(const Contract& c, const FoldOrder& fold) {
  return c.pieces.size() == 1 ? fold.name : fmt::format("piece {}, {}", fold.piece + 1, fold.name);
}

/// What is drawn of a fold. Where no number of leaves was asked for and none is found, only that is said; what is asked for is
/// drawn or refused.
struct Drawn {
  OrderTree tree;
  std::string refused;  ///< why there is no tree
};

Drawn drawn(const FoldOrder& fold, const Request& request) {
  try {
    return {order_tree(schedule(*fold.order, drawn_leaves(fold, request.leaves()))), ""};
  } catch (const Refused& refused) {
    if (request.length > 0) throw;
    return {{}, fmt::format("not drawn, since no length is known for it (give --length): {}", refused.diagnostic().reason)};
  }
}

std::string heading(const Contract& c, const FoldOrder& fold, const Drawn& what) {
  if (!what.refused.empty()) return fmt::format("{}: {}", fold_name(c, fold), what.refused);
  const OrderTree& tree = what.tree;
  return fmt::format("{}, {}: {}", fold_name(c, fold), leaf_count(tree.shape(tree.root).leaves), order_words(*fold.order));
}

nlohmann::json to_json(const Contract& c, const Request& request) {
  nlohmann::json j{{"schema", "bitpact.show/1"},
                   {"contract", nlohmann::json::parse(write_contract(c))},
                   {"words", nlohmann::json::array()},
                   {"orders", nlohmann::json::array()}};
  for (const Piece& piece : c.pieces) j["words"].push_back(in_words(piece.program));
  for (const FoldOrder& fold : fold_orders(c)) {
    const Drawn what = drawn(fold, request);
    nlohmann::json order{{"piece", fold.piece}, {"node", fold.node}, {"name", fold.name}};
    if (what.refused.empty()) {
      order["leaves"] = what.tree.shape(what.tree.root).leaves;
      order["tree"] = to_json(what.tree);
    } else {
      order["refused"] = what.refused;
    }
    j["orders"].push_back(std::move(order));
  }
  return j;
}

constexpr std::string_view kNoFold = "no fold: nothing is joined, so there is no order";

void print_trees(const Contract& c, const Request& request) {
  const std::vector<FoldOrder> folds = fold_orders(c);
  if (folds.empty()) print(std::string(kNoFold) + "\n");
  for (const FoldOrder& fold : folds) {
    const Drawn what = drawn(fold, request);
    print((&fold == &folds.front() ? "" : "\n") + heading(c, fold, what) + "\n");
    if (what.refused.empty()) print(to_text(draw(what.tree, kTextItems), request.ascii || !locale_is_utf8()));
  }
}

void write_svg(const Contract& c, const Request& request) {
  std::vector<SvgPanel> panels;
  for (const FoldOrder& fold : fold_orders(c)) {
    const Drawn what = drawn(fold, request);
    panels.push_back({heading(c, fold, what), {}, what.refused.empty() ? draw(what.tree, kSvgItems) : Drawing{}});
  }
  if (panels.empty()) panels.push_back({std::string(kNoFold), {}, {}});
  write_text_file(request.svg, to_svg(panels, formats_text(c.op) + ": in which order it joins"));
}

}  // namespace

void add_show(Program program) {
  auto request = std::make_shared<Request>();
  CLI::App* verb = program.app.add_subcommand("show", "a contract in words, and its orders as pictures");
  verb->add_option("contract", request->path, "contract file")->required();
  verb->add_flag("--tree", request->tree, "draw each fold's order, and print nothing else");
  verb->add_option("--svg", request->svg, "write the drawing to this file, as SVG");
  verb->add_option("--length", request->length, "leaves that are drawn; those of a verified problem, or 16, unless given")
      ->check(CLI::Range(std::int64_t{1}, kMostLeaves));
  verb->add_flag("--ascii", request->ascii, "draw in ASCII; so it is where the locale is not UTF-8");
  verb->add_flag("--json", program.json, "print bitpact.show/1");
  verb->callback([request, program] {
    program.run = [request, program] {
      const Contract contract = read_contract_file(request->path);
      if (!request->svg.empty()) write_svg(contract, *request);
      if (program.json) {
        print_json(to_json(contract, *request));
        return 0;
      }
      if (request->tree || (request->length > 0 && request->svg.empty()))
        print_trees(contract, *request);
      else
        print_text(contract);
      return 0;
    };
  });
}

}  // namespace bitpact
