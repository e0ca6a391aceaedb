#include "contract/order.h"

#include <fmt/format.h>

#include "diagnostic/diagnostic.h"

namespace bitpact {

namespace {

// A nested order in the one spelling that it has: a sequential one is left out.
void nest(std::vector<Order>& place, Order order) {
  if (order != Order::sequential()) place.push_back(std::move(order));
}

}  // namespace

Order Order::sequential() { return {}; }

Order Order::backwards() {
  Order order;
  order.reversed = true;
  return order;
}

Order Order::interleaved(std::int64_t width) {
  Order order;
  order.kind = Kind::Interleaved;
  order.width = width;
  return order;
}

Order Order::interleaved(std::int64_t width, Order outer) {
  Order order = interleaved(width);
  nest(order.outer, std::move(outer));
  return order;
}

Order Order::blocked(std::int64_t block) {
  Order order;
  order.kind = Kind::Blocked;
  order.width = block;
  return order;
}

Order Order::blocked(std::int64_t block, Order inner, Order outer) {
  Order order = blocked(block);
  nest(order.inner, std::move(inner));
  nest(order.outer, std::move(outer));
  return order;
}

Order Order::pairwise(std::int64_t cutoff, std::int64_t multiple) {
  Order order;
  order.kind = Kind::Pairwise;
  order.width = cutoff;
  order.multiple = multiple;
  return order;
}

Order Order::pairwise(std::int64_t cutoff, std::int64_t multiple, Order inner) {
  Order order = pairwise(cutoff, multiple);
  nest(order.inner, std::move(inner));
  return order;
}

Order Order::tree(std::vector<std::pair<std::int64_t, std::int64_t>> merges) {
  Order order;
  order.kind = Kind::Tree;
  order.merges = std::move(merges);
  return order;
}

namespace {

constexpr int kDeepestNesting = 16;

[[noreturn]] void fail(const std::string& rule) { refuse(Code::ContractProgram, "order: " + rule); }

void check_tree(const std::vector<std::pair<std::int64_t, std::int64_t>>& merges) {
  const auto items = static_cast<std::int64_t>(merges.size()) + 1;
  std::vector<bool> used(merges.size() * 2 + 1, false);
  for (size_t t = 0; t < merges.size(); ++t) {
    for (std::int64_t item : {merges[t].first, merges[t].second}) {
      if (item < 0 || item >= items + static_cast<std::int64_t>(t))
        fail(fmt::format("merge {} of the tree names {}, which is neither an item nor an earlier merge", t, item));
      if (used[static_cast<size_t>(item)]) fail(fmt::format("merge {} of the tree uses {} again", t, item));
      used[static_cast<size_t>(item)] = true;
    }
  }
  // 2 m distinct uses among 2 m + 1 items, of which the last merge cannot be one: all are joined.
}

void check(const Order& order, int depth) {
  using Kind = Order::Kind;
  if (depth > kDeepestNesting) fail(fmt::format("nested deeper than {}", kDeepestNesting));
  const Kind kind = order.kind;
  if (static_cast<int>(kind) > static_cast<int>(Kind::Tree)) fail("unknown kind");
  const bool wide = kind == Kind::Interleaved || kind == Kind::Blocked || kind == Kind::Pairwise;
  if (wide && order.width < 1) fail(fmt::format("a width of {}; at least 1", order.width));
  if (!wide && order.width != 0) fail("a width where the kind has none");
  if (order.reversed && kind != Kind::Sequential) fail("only a sequential order can be reversed");
  if (kind == Kind::Pairwise ? order.multiple < 1 || order.multiple > order.width : order.multiple != 1)
    fail(fmt::format("a multiple of {}; pairwise takes 1 .. cutoff, others none", order.multiple));
  if (order.inner.size() > 1 || (!order.inner.empty() && kind != Kind::Blocked && kind != Kind::Pairwise))
    fail("an inner order belongs to blocked and pairwise, one at most");
  if (order.outer.size() > 1 || (!order.outer.empty() && kind != Kind::Blocked && kind != Kind::Interleaved))
    fail("an outer order belongs to blocked and interleaved, one at most");
  if (!order.merges.empty() && kind != Kind::Tree) fail("merges belong to a tree");
  check_tree(order.merges);
  for (const Order& inner : order.inner) check(inner, depth + 1);
  for (const Order& outer : order.outer) check(outer, depth + 1);
}

std::string nested(const Order& order) {
  const std::string text = to_text(order);
  return text.find(", ") == std::string::npos ? text : "(" + text + ")";
}

}  // namespace

void check_well_formed(const Order& order) { check(order, 1); }

std::string to_text(const Order& order) {
  switch (order.kind) {
    case Order::Kind::Sequential:
      return order.reversed ? "sequential backwards" : "sequential";
    case Order::Kind::Interleaved:
      return fmt::format("interleaved({}), lanes joined {}", order.width,
                         order.outer.empty() ? "sequential" : nested(order.outer[0]));
    case Order::Kind::Blocked:
      return fmt::format("blocked({}), each block {}, blocks joined {}", order.width,
                         order.inner.empty() ? "sequential" : nested(order.inner[0]),
                         order.outer.empty() ? "sequential" : nested(order.outer[0]));
    case Order::Kind::Pairwise: {
      std::string text = order.multiple == 1 ? fmt::format("pairwise({})", order.width)
                                             : fmt::format("pairwise({} by {})", order.width, order.multiple);
      if (!order.inner.empty()) text += ", each run " + nested(order.inner[0]);
      return text;
    }
    case Order::Kind::Tree: {
      std::string text = "tree(";
      const char* separator = "";
      for (const auto& [a, b] : order.merges) {
        text += fmt::format("{}{}+{}", separator, a, b);
        separator = " ";
      }
      return text + ")";
    }
  }
  refuse(Code::Internal, "unknown order");
}

}  // namespace bitpact
