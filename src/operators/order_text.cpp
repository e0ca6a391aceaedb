// The text of an order: what the choice point `order` takes.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "diagnostic/diagnostic.h"
#include "operators/operator.h"

namespace bitpact {
namespace {

// By Order::Ends and Order::Tail.
constexpr std::array<std::string_view, 4> kBlocked{"blocked", "blocked_short_first", "blocked_short_both", "blocked_even"};
constexpr std::array<std::string_view, 3> kTails{"continued", "joined", "apart"};

template <size_t N>
std::optional<size_t> position(const std::array<std::string_view, N>& words, std::string_view word) {
  for (size_t i = 0; i < N; ++i)
    if (words[i] == word) return i;
  return {};
}

// order = name [ "(" argument { "," argument } ")" ] ; an argument is a number, numbers, merges, a word or an order.
class OrderReader {
 public:
  explicit OrderReader(std::string_view text) : text_(text) {}
  Order whole() {
    Order order = one(0);
    skip();
    if (at_ != text_.size()) fail("something follows the order");
    try {
      check_well_formed(order);
    } catch (const Refused& refused) {
      refuse(Code::BadAttribute, fmt::format("order '{}': {}", text_.substr(0, 200), refused.diagnostic().reason));
    }
    return order;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    refuse(Code::BadAttribute, fmt::format("order '{}': {} at column {}", text_.substr(0, 200), what, at_ + 1));
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::int64_t number(std::int64_t least) {
    skip();
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < least) fail(fmt::format("expected a number of at least {}", least));
    at_ += static_cast<size_t>(end - begin);
    return value;
  }
  std::string_view word() {
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && ((text_[at_] >= 'a' && text_[at_] <= 'z') || text_[at_] == '_')) ++at_;
    return text_.substr(start, at_ - start);
  }
  bool at_end() {
    skip();
    return at_ >= text_.size() || text_[at_] == ')' || text_[at_] == ',';
  }

  Order tree(bool steps, bool pairs) {
    std::vector<std::pair<std::int64_t, std::int64_t>> merges;
    while (!at_end()) {
      const std::int64_t a = number(0);
      if (!take('+')) fail("expected '+'");
      merges.emplace_back(a, number(0));
    }
    if (!take(')')) fail("expected ')'");
    return Order::tree(std::move(merges), steps, pairs);
  }

  std::vector<std::int64_t> sizes() {
    constexpr std::int64_t kMost = 1 << 20;
    std::vector<std::int64_t> sizes;
    while (!at_end()) {
      const std::int64_t size = number(1);
      const std::int64_t times = take('x') ? number(1) : 1;
      if (times > kMost || static_cast<std::int64_t>(sizes.size()) + times > kMost) fail("more than 2^20 parts");
      sizes.insert(sizes.end(), static_cast<size_t>(times), size);
    }
    return sizes;
  }

  Order one(int depth) {
    if (depth > 16) fail("orders are nested deeper than 16");
    const std::string_view kind = word();
    if (kind == "sequential") return Order::sequential();
    if (kind == "reversed") return Order::backwards();
    if (kind == "from_start") return Order::from_start();
    const auto ends = position(kBlocked, kind);
    const bool tree_kind = kind == "tree" || kind == "stepped_tree" || kind == "paired_tree";
    if (!ends && !tree_kind && kind != "interleaved" && kind != "pairwise" && kind != "tailed" && kind != "parts")
      fail(
          "expected sequential, reversed, from_start, interleaved(w), blocked(b), pairwise(cutoff), tailed(w, head, how), "
          "parts(sizes) or "
          "tree(merges)");
    if (!take('(')) fail("expected '('");
    if (tree_kind) return tree(kind != "tree", kind == "paired_tree");
    std::vector<std::int64_t> parts;
    std::int64_t width = 0, multiple = 1;
    if (kind == "parts") {
      parts = sizes();
    } else {
      width = number(1);
    }
    if (kind == "pairwise" && take(',')) multiple = number(1);
    std::vector<Order> nested;
    Order::Tail tail = Order::Tail::Continued;
    const size_t most = ends || kind == "parts" ? 2 : 1;
    while (take(',')) {
      const size_t before = at_;
      const auto how = kind == "tailed" ? position(kTails, word()) : std::nullopt;
      if (how) {
        tail = static_cast<Order::Tail>(*how);
        break;
      }
      at_ = before;
      if (nested.size() == most) fail("too many nested orders");
      nested.push_back(one(depth + 1));
    }
    if (!take(')')) fail("expected ')'");
    nested.resize(most, Order::sequential());
    if (kind == "interleaved") return Order::interleaved(width, nested[0]);
    if (ends) return Order::blocked(width, nested[0], nested[1], static_cast<Order::Ends>(*ends));
    if (kind == "tailed") return Order::tailed(width, nested[0], tail);
    if (kind == "parts") return Order::of_parts(std::move(parts), nested[0], nested[1]);
    return Order::pairwise(width, multiple, nested[0]);
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::string nested_text(const Order& order) {
  const std::string inner = order.inner.empty() ? "sequential" : spelled(order.inner[0]);
  const std::string outer = order.outer.empty() ? "sequential" : spelled(order.outer[0]);
  if (outer != "sequential") return fmt::format(", {}, {}", inner, outer);
  return inner != "sequential" ? fmt::format(", {}", inner) : "";
}

std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (size_t i = 0; i < sizes.size();) {
    size_t same = i;
    while (same < sizes.size() && sizes[same] == sizes[i]) ++same;
    text += fmt::format("{}{}", text.empty() ? "" : " ", sizes[i]);
    if (same - i > 1) text += fmt::format("x{}", same - i);
    i = same;
  }
  return text;
}

}  // namespace

Order parse_order(std::string_view text) { return OrderReader(text).whole(); }

std::string shortened(const std::string& value) {
  constexpr std::size_t kMost = 120;
  return value.size() <= kMost ? value : value.substr(0, kMost - 3) + "...";
}

std::string spelled(const Order& order) {
  switch (order.kind) {
    case Order::Kind::Sequential:
      return order.reversed ? "reversed" : order.started ? "from_start" : "sequential";
    case Order::Kind::Interleaved:
      return order.outer.empty() ? fmt::format("interleaved({})", order.width)
                                 : fmt::format("interleaved({}, {})", order.width, spelled(order.outer[0]));
    case Order::Kind::Blocked:
      return fmt::format("{}({}{})", kBlocked[static_cast<size_t>(order.ends)], order.width, nested_text(order));
    case Order::Kind::Pairwise: {
      std::string text = fmt::format("pairwise({}", order.width);
      if (order.multiple != 1 || !order.inner.empty()) text += fmt::format(", {}", order.multiple);
      return text + nested_text(order) + ")";
    }
    case Order::Kind::Tailed:
      return fmt::format("tailed({}{}, {})", order.width, nested_text(order), kTails[static_cast<size_t>(order.tail)]);
    case Order::Kind::Parts:
      return fmt::format("parts({}{})", sizes_text(order.parts), nested_text(order));
    case Order::Kind::Tree: {
      std::string text;
      for (const auto& [a, b] : order.merges) text += fmt::format("{}{}+{}", text.empty() ? "" : " ", a, b);
      return fmt::format("{}({})", order.pairs ? "paired_tree" : order.steps ? "stepped_tree" : "tree", text);
    }
  }
  refuse(Code::Internal, "unknown order");
}

}  // namespace bitpact
