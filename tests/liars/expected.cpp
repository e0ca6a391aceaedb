#include "liars/expected.h"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <stdexcept>

#include "liars/carry.h"

namespace bitpact::liars {
namespace {

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + separator.size()) {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return parts;
}

/// tree = sum ; sum = item { "+" item } ; item = "(" sum ")" | first [ ".." last [ "/" stride ] ]
class TreeReader {
 public:
  explicit TreeReader(const std::string& text) {
    for (const char c : text)
      if (c != ' ') text_ += c;
  }

  Order whole() {
    if (text_.rfind("tree", 0) != 0) fail();
    at_ = 4;
    sum();
    if (at_ != text_.size()) fail();
    // Leaves are known to be all of them once the order is well-formed: each is used once.
    const auto leaves = static_cast<std::int64_t>(merges_.size()) + 1;
    for (auto& [a, b] : merges_) {
      a = a < 0 ? leaves - a - 1 : a;
      b = b < 0 ? leaves - b - 1 : b;
    }
    Order order = Order::tree(merges_);
    check_well_formed(order);
    return order;
  }

 private:
  [[noreturn]] void fail() const { throw std::runtime_error(fmt::format("no tree at column {} of {}", at_ + 1, text_)); }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::int64_t number() {
    if (at_ >= text_.size() || std::isdigit(static_cast<unsigned char>(text_[at_])) == 0) fail();
    std::size_t used = 0;
    const std::int64_t value = std::stoll(text_.substr(at_), &used);
    at_ += used;
    return value;
  }
  /// Leaves are their numbers; merge t is -1 - t until it is known how many leaves there are.
  std::int64_t merge(std::int64_t a, std::int64_t b) {
    merges_.emplace_back(a, b);
    return -static_cast<std::int64_t>(merges_.size());
  }
  std::int64_t item() {
    if (take('(')) {
      const std::int64_t inner = sum();
      if (!take(')')) fail();
      return inner;
    }
    const std::int64_t first = number();
    if (!take('.')) return first;
    if (!take('.')) fail();
    const std::int64_t last = number();
    const std::int64_t stride = take('/') ? number() : 1;
    if (stride < 1) fail();
    std::int64_t chain = first;
    for (std::int64_t i = first + stride; i <= last; i += stride) chain = merge(chain, i);
    return chain;
  }
  std::int64_t sum() {
    std::int64_t left = item();
    while (take('+')) left = merge(left, item());
    return left;
  }

  std::string text_;
  std::size_t at_ = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> merges_;
};

}  // namespace

std::vector<Expected> read_expected() {
  std::ifstream file(BITPACT_SOURCE_DIR "/tests/liars/expected.txt");
  std::vector<Expected> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = split(line, " ; ");
    if (fields.size() != 6) throw std::runtime_error("not six fields: " + line);
    Expected row{fields[0], fields[1], split(fields[2], "/"), fields[3], {}, fields[5]};
    if (fields[4] != "-")
      for (const std::string& fact : split(fields[4], " ")) {
        const std::vector<std::string> sides = split(fact, "=");
        if (sides.size() != 2 || !row.facts.emplace(sides[0], sides[1]).second) throw std::runtime_error("no fact: " + line);
      }
    rows.push_back(std::move(row));
  }
  return rows;
}

Order parse_tree(const std::string& text) { return TreeReader(text).whole(); }

Tensor ask(const Liar& liar, const Problem& problem, const std::vector<Tensor>& operands, const OperandSpec& result) {
  Tensor answer(result.format, result.shape);
  WorkerCall call;
  call.op = problem.op;
  call.attributes = problem.attributes;
  call.operands = problem.operands;
  for (const Tensor& operand : operands) call.operand_data.push_back(operand.bytes());
  call.results = {result};
  call.result_data = {answer.mutable_bytes()};
  carry_out(liar, call);
  return answer;
}

}  // namespace bitpact::liars
