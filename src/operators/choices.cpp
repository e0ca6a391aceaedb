// Choice points, and the orders' text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "diagnostic/diagnostic.h"
#include "operators/operator.h"

namespace bitpact {

Choices canonical_choices(const Operator& op, const OperatorFormats& formats) {
  Choices choices;
  for (const auto& point : op.choice_points(formats)) choices[point.name] = point.values.front();
  return choices;
}

Choices complete_choices(const Operator& op, const OperatorFormats& formats, const Choices& changes) {
  Choices choices = canonical_choices(op, formats);
  for (const auto& [name, value] : changes) {
    const auto known = choices.find(name);
    if (known == choices.end()) refuse(Code::BadAttribute, fmt::format("{} has no choice point '{}'", op.name, name), {op.name});
    known->second = value;
  }
  return choices;
}

std::vector<Hypothesis> hypotheses(const Operator& op, const OperatorFormats& formats) {
  const std::vector<ChoicePoint> points = op.choice_points(formats);
  std::vector<Hypothesis> found;
  std::set<std::string> seen;
  std::vector<size_t> at(points.size(), 0);
  while (true) {
    Hypothesis h;
    for (size_t i = 0; i < points.size(); ++i) h.choices[points[i].name] = points[i].values[at[i]];
    try {
      h.program = op.build(formats, h.choices);
      h.fingerprint = arithmetic_fingerprint(h.program);
      if (seen.insert(h.fingerprint).second) found.push_back(std::move(h));
    } catch (const Refused& refused) {
      if (refused.diagnostic().code != Code::BadAttribute) throw;  // values that do not go together
    }
    size_t digit = points.size();
    while (digit > 0 && ++at[digit - 1] == points[digit - 1].values.size()) at[--digit] = 0;
    if (digit == 0) return found;
  }
}

namespace {

// order = name [ "(" argument { "," argument } ")" ] ; an argument is a number or an order.
class OrderReader {
 public:
  explicit OrderReader(std::string_view text) : text_(text) {}
  Order whole() {
    Order order = one(0);
    skip();
    if (at_ != text_.size()) fail("something follows the order");
    check_well_formed(order);
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
  std::int64_t number() {
    skip();
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 1) fail("expected a number of at least 1");
    at_ += static_cast<size_t>(end - begin);
    return value;
  }
  Order one(int depth) {
    if (depth > 16) fail("orders are nested deeper than 16");
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= 'a' && text_[at_] <= 'z') ++at_;
    const std::string_view kind = text_.substr(start, at_ - start);
    if (kind == "sequential") return Order::sequential();
    if (kind == "reversed") return Order::backwards();
    if (kind != "interleaved" && kind != "blocked" && kind != "pairwise")
      fail("expected sequential, reversed, interleaved(w), blocked(b) or pairwise(cutoff)");
    if (!take('(')) fail("expected '('");
    const std::int64_t width = number();
    std::int64_t multiple = 1;
    if (kind == "pairwise" && take(',')) {
      multiple = number();
    }
    std::vector<Order> nested;
    while (take(',')) nested.push_back(one(depth + 1));
    if (!take(')')) fail("expected ')'");
    const size_t most = kind == "blocked" ? 2 : 1;
    if (nested.size() > most) fail("too many nested orders");
    nested.resize(most, Order::sequential());
    if (kind == "interleaved") return Order::interleaved(width, nested[0]);
    if (kind == "blocked") return Order::blocked(width, nested[0], nested[1]);
    return Order::pairwise(width, multiple, nested[0]);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Order parse_order(std::string_view text) { return OrderReader(text).whole(); }

}  // namespace bitpact
