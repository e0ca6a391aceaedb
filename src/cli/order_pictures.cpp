#include "cli/order_pictures.h"

#include <langinfo.h>
#include <locale.h>

#include "contract/words.h"
#include "diagnostic/diagnostic.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

constexpr std::int64_t kMostByDefault = 1 << 20, kMostTried = 4096;

bool has_schedule(const Order& order, std::int64_t leaves) {
  try {
    schedule(order, leaves);
    return true;
  } catch (const Refused&) {
    return false;  // an explicit tree is for one number of leaves
  }
}

/// Folds keep their order when a program is bound: the leaves of each.
std::vector<std::int64_t> leaves_of(const BoundProgram& bound) {
  std::vector<std::int64_t> leaves;
  for (const Node& node : bound.program.nodes) {
    const Fold* fold = std::get_if<Fold>(&node);
    if (fold == nullptr) continue;
    std::int64_t n = 1;
    for (const std::string& axis : fold->over) {
      const std::int64_t extent = bound.extents.at(axis);
      n = extent < 1 || n > kMostByDefault / extent ? 0 : n * extent;  // 0: not one that is drawn unasked
    }
    leaves.push_back(n);
  }
  return leaves;
}

void add_verified(const Contract& contract, std::vector<FoldOrder>& folds) {
  for (const std::string& line : contract.verified) {
    try {
      const Covered covered = cover(contract, resolve(line));
      const std::vector<std::int64_t> leaves = leaves_of(covered.program);
      size_t next = 0;
      for (FoldOrder& fold : folds) {
        if (covered.piece != &contract.pieces[fold.piece] || next >= leaves.size()) continue;
        const std::int64_t n = leaves[next++];
        if (!fold.verified && n > 0 && has_schedule(*fold.order, n)) fold.verified = n;
      }
    } catch (const Refused&) {
      // A line of a catalogue that is not this one: the picture takes another number of leaves, and says which.
    }
  }
}

}  // namespace

std::vector<FoldOrder> fold_orders(const Contract& contract) {
  std::vector<FoldOrder> folds;
  for (size_t p = 0; p < contract.pieces.size(); ++p) {
    const NumericProgram& program = contract.pieces[p].program;
    for (size_t n = 0; n < program.nodes.size(); ++n)
      if (const Fold* fold = std::get_if<Fold>(&program.nodes[n]))
        folds.push_back({p, n, node_name(program, static_cast<int>(n)), &fold->order, std::nullopt});
  }
  add_verified(contract, folds);
  return folds;
}

std::int64_t drawn_leaves(const FoldOrder& fold, std::optional<std::int64_t> asked) {
  constexpr std::int64_t small = 16;
  if (asked) return *asked;
  if (fold.verified) return *fold.verified;
  if (has_schedule(*fold.order, small)) return small;
  const auto items = static_cast<std::int64_t>(fold.order->merges.size()) + 1;
  if (items > 1 && items <= kMostLeaves && has_schedule(*fold.order, items)) return items;
  for (std::int64_t n = 1; n <= kMostTried; ++n)
    if (has_schedule(*fold.order, n)) return n;
  schedule(*fold.order, small);  // refuses
  return small;
}

bool locale_is_utf8() {
  const locale_t locale = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) return false;
  const bool utf8 = std::string_view(nl_langinfo_l(CODESET, locale)) == "UTF-8";
  freelocale(locale);
  return utf8;
}

}  // namespace bitpact
