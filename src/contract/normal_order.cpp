// NF6: orders that associate every number of items in the same way become one.
#include <algorithm>

#include "contract/normal_form.h"

namespace bitpact {
namespace {

/// A tree, as parts, refuses all numbers of items but one. Where it is dropped, a refusal would become a value.
bool has_tree(const Order& order) {
  return order.kind == Order::Kind::Tree || order.kind == Order::Kind::Parts || std::ranges::any_of(order.inner, has_tree) ||
         std::ranges::any_of(order.outer, has_tree);
}

bool has_tree(const std::vector<Order>& nested) {
  return std::ranges::any_of(nested, [](const Order& o) { return has_tree(o); });
}

/// Sequential is what a nested order is where none is given.
void nest(std::vector<Order>& nested, bool leaves) {
  if (nested.empty()) return;
  nested[0] = normal_order(nested[0], leaves);
  if (nested[0] == Order::sequential()) nested.clear();
}

Order order_of(const std::vector<Order>& nested) { return nested.empty() ? Order::sequential() : nested[0]; }

}  // namespace

Order normal_order(const Order& order, bool leaves) {
  Order normal = order;
  nest(normal.inner, leaves);
  nest(normal.outer, false);
  if (normal.width != 1) return normal;
  switch (normal.kind) {
    case Order::Kind::Interleaved:  // one lane takes all items in sequence
      return has_tree(normal.outer) ? normal : Order::sequential();
    case Order::Kind::Blocked:
      normal.ends = Order::Ends::ShortLast;  // no block of one is short
      if (has_tree(normal.inner)) return normal;
      normal.inner.clear();  // one item has one order
      // A block of one leaf is a chain of its own, joined by `merge`; without the blocks it would be joined by `step`.
      return leaves ? normal : order_of(normal.outer);
    case Order::Kind::Pairwise:
      if (!has_tree(normal.inner)) normal.inner.clear();
      return normal;
    case Order::Kind::Tailed:  // every item fills a row
      return order_of(normal.inner);
    default:
      return normal;
  }
}

}  // namespace bitpact
