// bitpact diff: what differs between two contracts, in words, and where their orders part, as a picture.
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

struct Request {
  std::string a, b, svg;
  std::int64_t length = 0;  ///< 0: not given
  bool ascii = false;
};

/// Two folds that stand for each other, and where their orders part.
struct PairedOrders {
  FoldOrder a, b;
  std::optional<OrderDifference> difference;  ///< none where one of the two has no schedule for any number that was tried
  std::vector<std::int64_t> tried;
  std::string refused;  ///< why there is none
};

/// Lengths at which two orders are compared unasked. They may part only where there are enough leaves.
std::vector<std::int64_t> lengths(const FoldOrder& a, const FoldOrder& b, std::int64_t asked) {
  if (asked > 0) return {asked};
  std::vector<std::int64_t> all;
  const auto add = [&all](std::int64_t n) {
    if (std::ranges::find(all, n) == all.end()) all.push_back(n);
  };
  for (const FoldOrder* fold : {&a, &b}) add(drawn_leaves(*fold, std::nullopt));
  for (const std::int64_t n : {16, 100, 1000, 10000, 100000}) add(n);
  return all;
}

void compare(PairedOrders& pair, std::int64_t asked) {
  try {
    for (const std::int64_t n : lengths(pair.a, pair.b, asked)) {
      try {
        OrderDifference found = difference(*pair.a.order, *pair.b.order, n);
        pair.tried.push_back(n);
        if (pair.difference && found.kind == OrderDifference::Kind::None) continue;
        pair.difference = std::move(found);
        if (pair.difference->kind != OrderDifference::Kind::None) return;
      } catch (const Refused& refused) {
        if (pair.refused.empty()) pair.refused = refused.diagnostic().reason;
      }
    }
  } catch (const Refused& refused) {
    pair.refused = refused.diagnostic().reason;
  }
}

/// Folds whose orders are not the same. Where pieces or folds do not stand for each other, none.
std::vector<PairedOrders> paired_orders(const Contract& a, const Contract& b, std::int64_t asked) {
  const std::vector<FoldOrder> x = fold_orders(a), y = fold_orders(b);
  std::vector<PairedOrders> pairs;
  if (x.size() != y.size()) return pairs;
  for (size_t f = 0; f < x.size(); ++f) {
    if (x[f].piece != y[f].piece) return {};
    if (*x[f].order == *y[f].order) continue;
    pairs.push_back({x[f], y[f]});
    compare(pairs.back(), asked);
  }
  return pairs;
}

std::string fold_name(const Contract& c, const FoldOrder& fold) {
  return c.pieces.size() == 1 ? fold.name : fmt::format("piece {}, {}", fold.piece + 1, fold.name);
}

bool part(const PairedOrders& pair) { return pair.difference && pair.difference->kind != OrderDifference::Kind::None; }

std::string side_text(std::string_view which, const FoldOrder& fold, const OrderTree& tree) {
  const bool all = worth_drawing(tree).root == tree.root;
  return fmt::format("the {}: {}{}", which, order_words(*fold.order), all ? "" : "; of it, that part");
}

void print_pair(const Contract& a, const PairedOrders& pair, bool ascii) {
  const std::string name = fold_name(a, pair.a);
  if (!part(pair)) {
    print(pair.tried.empty() ? fmt::format("\nthe orders of {} are not drawn: {}\n", name, pair.refused)
                             : fmt::format("\nthe orders of {} do not part at {} leaves\n", name, fmt::join(pair.tried, ", ")));
    return;
  }
  const OrderDifference& d = *pair.difference;
  print(fmt::format("\nwhere the orders of {} part, of {}:\n", name, leaf_count(d.leaves)));
  for (const std::string& line : in_words(d)) print("  " + line + "\n");
  const auto side = [&](std::string_view which, const FoldOrder& fold, const OrderTree& tree) {
    print(side_text(which, fold, tree) + "\n");
    print(to_text(draw(worth_drawing(tree), kHalfTextItems), ascii, "  "));
  };
  side("first", pair.a, d.first);
  side("second", pair.b, d.second);
}

void write_svg(const Contract& a, const std::vector<PairedOrders>& pairs, const std::string& path) {
  std::vector<SvgPanel> panels;
  for (const PairedOrders& pair : pairs) {
    if (!part(pair)) continue;
    const OrderDifference& d = *pair.difference;
    panels.push_back({fmt::format("{}, {}", fold_name(a, pair.a), leaf_count(d.leaves)), in_words(d), {}});
    const auto side = [&](std::string_view which, const FoldOrder& fold, const OrderTree& tree) {
      panels.push_back({side_text(which, fold, tree), {}, draw(worth_drawing(tree), kSvgItems)});
    };
    side("first", pair.a, d.first);
    side("second", pair.b, d.second);
  }
  if (panels.empty()) panels.push_back({"no two orders part", {}, {}});
  write_text_file(path, to_svg(panels, "where two orders part"));
}

nlohmann::json to_json(bool same, const std::vector<std::string>& words, const std::vector<PairedOrders>& pairs) {
  nlohmann::json j{
      {"schema", "bitpact.diff/1"}, {"same_arithmetic", same}, {"differences", words}, {"orders", nlohmann::json::array()}};
  for (const PairedOrders& pair : pairs) {
    if (!pair.difference) continue;
    nlohmann::json order = to_json(*pair.difference);
    order["piece"] = pair.a.piece;
    order["name"] = pair.a.name;
    j["orders"].push_back(std::move(order));
  }
  return j;
}

}  // namespace

void add_diff(Program program) {
  auto request = std::make_shared<Request>();
  CLI::App* verb = program.app.add_subcommand(
      "diff", "what differs between two contracts, in words and as a picture; exit 1 where the arithmetic does");
  verb->add_option("a", request->a, "contract file")->required();
  verb->add_option("b", request->b, "contract file")->required();
  verb->add_option("--svg", request->svg, "write the picture of where the orders part to this file, as SVG");
  verb->add_option("--length", request->length,
                   "leaves at which orders are compared; the first of several at which they part unless given")
      ->check(CLI::Range(std::int64_t{1}, kMostLeaves));
  verb->add_flag("--ascii", request->ascii, "draw in ASCII; so it is where the locale is not UTF-8");
  verb->add_flag("--json", program.json, "print bitpact.diff/1");
  verb->callback([request, program] {
    program.run = [request, program] {
      const Contract a = read_contract_file(request->a), b = read_contract_file(request->b);
      bool same = a.pieces.size() == b.pieces.size();
      for (size_t i = 0; same && i < a.pieces.size(); ++i)
        same = arithmetic_fingerprint(a.pieces[i].program, a.pieces[i].operands) ==
               arithmetic_fingerprint(b.pieces[i].program, b.pieces[i].operands);
      const std::vector<std::string> words = differences(a, b);
      const std::vector<PairedOrders> pairs = paired_orders(a, b, request->length);
      if (!request->svg.empty()) write_svg(a, pairs, request->svg);
      if (program.json) {
        print_json(to_json(same, words, pairs));
      } else {
        print(same ? "same arithmetic: equal fingerprints, equal bits\n" : "the arithmetic differs\n");
        for (const std::string& line : words) print("  " + line + "\n");
        for (const PairedOrders& pair : pairs) print_pair(a, pair, request->ascii || !locale_is_utf8());
      }
      return same ? 0 : 1;
    };
  });
}

}  // namespace bitpact
