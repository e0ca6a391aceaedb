#include "operators/problem.h"

#include <fmt/format.h>

#include <charconv>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }
bool is_format_char(char c) { return is_name_char(c) || (c >= 'A' && c <= 'Z'); }
bool is_value_char(char c) { return is_format_char(c) || c == '-' || c == '+' || c == '.' || c == ','; }

// One pass over the line; `at` is the next column.
class Reader {
 public:
  explicit Reader(std::string_view line) : line_(line) {}

  Problem problem() {
    if (line_.size() > kLongest) fail("the line is longer than 4096 characters");
    Problem p;
    p.op = name("an operator's name");
    expect(' ', "one space and the operands");
    do p.operands.push_back(operand());
    while (take(','));
    while (at_ < line_.size()) {
      expect(' ', "one space between attributes");
      const size_t start = at_;
      const std::string key = name("an attribute's name");
      expect('=', "'=' after the attribute's name");
      const std::string value = run(is_value_char, "an attribute's value");
      if (!p.attributes.emplace(key, value).second) {
        at_ = start;
        fail(fmt::format("attribute '{}' is given twice", key));
      }
    }
    return p;
  }

 private:
  static constexpr size_t kLongest = 4096;
  static constexpr size_t kMostExtents = 16;

  [[noreturn]] void fail(const std::string& what) const {
    refuse(Code::ProblemSyntax, fmt::format("column {}: {} in '{}'", at_ + 1, what, line_.substr(0, 200)));
  }
  bool take(char c) {
    if (at_ >= line_.size() || line_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, std::string_view what) {
    if (!take(c)) fail(fmt::format("expected {}", what));
  }
  template <typename Predicate>
  std::string run(Predicate allowed, std::string_view what) {
    const size_t start = at_;
    while (at_ < line_.size() && allowed(line_[at_])) ++at_;
    if (at_ == start) fail(fmt::format("expected {}", what));
    return std::string(line_.substr(start, at_ - start));
  }
  std::string name(std::string_view what) {
    if (at_ >= line_.size() || !is_name_start(line_[at_])) fail(fmt::format("expected {}", what));
    return run(is_name_char, what);
  }
  OperandSpec operand() {
    OperandSpec spec;
    while (at_ < line_.size() && is_digit(line_[at_])) {
      if (line_[at_] == '0' && at_ + 1 < line_.size() && is_digit(line_[at_ + 1])) fail("an extent has a leading zero");
      std::int64_t extent = 0;
      const char* begin = line_.data() + at_;
      const auto [end, error] = std::from_chars(begin, line_.data() + line_.size(), extent);
      if (error != std::errc() || extent > (std::int64_t{1} << 40)) fail("an extent is larger than 2^40");
      at_ += static_cast<size_t>(end - begin);
      if (spec.shape.size() == kMostExtents) fail("an operand has more than 16 extents");
      spec.shape.push_back(extent);
      expect('x', "'x' after an extent");
    }
    spec.format = parse_format(run(is_format_char, "a format, such as bf16"));
    return spec;
  }

  std::string_view line_;
  size_t at_ = 0;
};

}  // namespace

Problem parse_problem(std::string_view line) { return Reader(line).problem(); }

std::string to_text(const Problem& problem) {
  std::string text = problem.op + " ";
  for (size_t i = 0; i < problem.operands.size(); ++i) {
    if (i > 0) text += ",";
    text += to_text(problem.operands[i].shape, problem.operands[i].format);
  }
  for (const auto& [name, value] : problem.attributes) text += fmt::format(" {}={}", name, value);
  return text;
}

}  // namespace bitpact
