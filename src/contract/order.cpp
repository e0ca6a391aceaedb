#include "contract/order.h"

#include <fmt/format.h>

#include <algorithm>

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

Order Order::from_start() {
  Order order;
  order.started = true;
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

Order Order::blocked(std::int64_t block, Order inner, Order outer, Ends ends) {
  Order order = blocked(block);
  order.ends = ends;
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

Order Order::tree(std::vector<std::pair<std::int64_t, std::int64_t>> merges, bool steps, bool pairs) {
  Order order;
  order.kind = Kind::Tree;
  order.merges = std::move(merges);
  order.steps = steps;
  order.pairs = pairs;
  return order;
}

Order Order::tailed(std::int64_t width, Order head, Tail tail) {
  Order order;
  order.kind = Kind::Tailed;
  order.width = width;
  order.tail = tail;
  nest(order.inner, std::move(head));
  return order;
}

Order Order::of_parts(std::vector<std::int64_t> sizes) {
  Order order;
  order.kind = Kind::Parts;
  order.parts = std::move(sizes);
  return order;
}

Order Order::of_parts(std::vector<std::int64_t> sizes, Order inner, Order outer) {
  Order order = of_parts(std::move(sizes));
  nest(order.inner, std::move(inner));
  nest(order.outer, std::move(outer));
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

void check(const Order& order, int depth, bool leaves) {
  using Kind = Order::Kind;
  if (depth > kDeepestNesting) fail(fmt::format("nested deeper than {}", kDeepestNesting));
  const Kind kind = order.kind;
  if (static_cast<int>(kind) > static_cast<int>(Kind::Parts)) fail("unknown kind");
  const bool wide = kind == Kind::Interleaved || kind == Kind::Blocked || kind == Kind::Pairwise || kind == Kind::Tailed;
  if (wide && order.width < 1) fail(fmt::format("a width of {}; at least 1", order.width));
  if (!wide && order.width != 0) fail("a width where the kind has none");
  if (order.reversed && kind != Kind::Sequential) fail("only a sequential order can be reversed");
  if (order.started && (kind != Kind::Sequential || order.reversed))
    fail("only a sequential order that is not reversed can be started");
  if (order.started && leaves)
    fail("only partial results can be joined from the start value; how chains of leaves begin is the fold's");
  if (kind == Kind::Pairwise ? order.multiple < 1 || order.multiple > order.width : order.multiple != 1)
    fail(fmt::format("a multiple of {}; pairwise takes 1 .. cutoff, others none", order.multiple));
  const bool blocks = kind == Kind::Blocked || kind == Kind::Parts;
  if (order.inner.size() > 1 || (!order.inner.empty() && !blocks && kind != Kind::Pairwise && kind != Kind::Tailed))
    fail("an inner order belongs to blocked, parts, pairwise and tailed, one at most");
  if (order.outer.size() > 1 || (!order.outer.empty() && !blocks && kind != Kind::Interleaved))
    fail("an outer order belongs to blocked, parts and interleaved, one at most");
  if (order.ends != Order::Ends::ShortLast && kind != Kind::Blocked) fail("only blocks have ends");
  if (order.tail != Order::Tail::Continued && kind != Kind::Tailed) fail("only a tailed order has a tail");
  if ((!order.merges.empty() || order.steps) && kind != Kind::Tree) fail("merges belong to a tree");
  if (order.pairs && !order.steps) fail("pairs belong to a tree with steps");
  if (order.parts.empty() == (kind == Kind::Parts)) fail("sizes belong to parts, at least one");
  for (const std::int64_t size : order.parts)
    if (size < 1) fail(fmt::format("a part of {} items; at least 1", size));
  check_tree(order.merges);
  for (const Order& inner : order.inner) check(inner, depth + 1, leaves);
  for (const Order& outer : order.outer) check(outer, depth + 1, false);
}

std::string nested(const Order& order) {
  const std::string text = to_text(order);
  return text.find(", ") == std::string::npos ? text : "(" + text + ")";
}

std::string blocks_text(const Order& order) {
  return fmt::format("each block {}, blocks joined {}", order.inner.empty() ? "sequential" : nested(order.inner[0]),
                     order.outer.empty() ? "sequential" : nested(order.outer[0]));
}

std::string_view ends_text(Order::Ends ends) {
  constexpr std::string_view kTexts[] = {"", ", the first the short one", ", the first and the last short",
                                         ", the last two made even"};
  return kTexts[static_cast<int>(ends)];
}

std::string_view tail_text(Order::Tail tail) {
  constexpr std::string_view kTexts[] = {"the rest added onto it one by one", "the rest joined to it one by one",
                                         "the rest summed apart and joined to it"};
  return kTexts[static_cast<int>(tail)];
}

// Equal sizes in a row are written once: "448 x3, 289, 288".
std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (size_t i = 0; i < sizes.size();) {
    size_t same = i;
    while (same < sizes.size() && sizes[same] == sizes[i]) ++same;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", sizes[i]);
    if (same - i > 1) text += fmt::format(" x{}", same - i);
    i = same;
  }
  return text;
}

}  // namespace

std::int64_t tail_length(const Order& order, std::int64_t n) { return order.kind == Order::Kind::Tailed ? n % order.width : 0; }

void check_well_formed(const Order& order) { check(order, 1, true); }

bool enters(const Order& order) {
  return order.started || std::ranges::any_of(order.inner, enters) || std::ranges::any_of(order.outer, enters);
}

std::string to_text(const Order& order) {
  switch (order.kind) {
    case Order::Kind::Sequential:
      return order.reversed ? "sequential backwards" : order.started ? "sequential from the start value" : "sequential";
    case Order::Kind::Interleaved:
      return fmt::format("interleaved({}), lanes joined {}", order.width,
                         order.outer.empty() ? "sequential" : nested(order.outer[0]));
    case Order::Kind::Blocked:
      return fmt::format("blocked({}{}), {}", order.width, ends_text(order.ends), blocks_text(order));
    case Order::Kind::Parts:
      return fmt::format("blocks of {}, {}", sizes_text(order.parts), blocks_text(order));
    case Order::Kind::Tailed:
      return fmt::format("rows of {} {}, {}", order.width, order.inner.empty() ? "sequential" : nested(order.inner[0]),
                         tail_text(order.tail));
    case Order::Kind::Pairwise: {
      std::string text = order.multiple == 1 ? fmt::format("pairwise({})", order.width)
                                             : fmt::format("pairwise({} by {})", order.width, order.multiple);
      if (!order.inner.empty()) text += ", each run " + nested(order.inner[0]);
      return text;
    }
    case Order::Kind::Tree: {
      std::string text = order.pairs ? "stepped tree with pairs(" : order.steps ? "stepped tree(" : "tree(";
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
