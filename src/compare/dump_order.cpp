#include "compare/dump_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Reads one line's names.
class Line {
 public:
  Line(std::string_view text, const std::string& path, std::int64_t number) : text_(text), path_(path), number_(number) {}

  [[noreturn]] void bad(const std::string& why) const {
    refuse(Code::OrderMalformed, fmt::format("{}:{}: {}", path_, number_, why));
  }

  std::optional<OrderStep> step() {
    if (at_end()) return std::nullopt;
    OrderStep step{name(true), std::nullopt, number_};
    if (at_end()) return step;
    if (!take(':')) bad(fmt::format("'{}' is followed by something that is neither a colon nor a comment", step.name));
    step.inputs.emplace();
    while (!at_end()) {
      if (!step.inputs->empty() && !take(',')) bad("inputs are divided by commas");
      if (at_end()) bad("an input is missing after the comma");
      step.inputs->push_back(name(false));
    }
    return step;
  }

 private:
  bool at_end() {
    const bool after_space = at_ == 0 || (at_ < text_.size() && is_space(text_[at_]));
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == '#' && (after_space || is_space(text_[at_ - 1]))) at_ = text_.size();
    return at_ == text_.size();
  }

  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // A colon divides where a space follows or the line ends; a comma divides inputs only.
  bool ends_name(std::size_t at, bool result) const {
    if (is_space(text_[at])) return true;
    if (result) return text_[at] == ':' && (at + 1 == text_.size() || is_space(text_[at + 1]));
    return text_[at] == ',';
  }

  std::string name(bool result) {
    if (text_[at_] == '"') return quoted();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends_name(at_, result)) ++at_;
    if (at_ == begin) bad("a name is missing");
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) bad("a name in quotes does not end");
    const std::string_view literal = text_.substr(at_, end + 1 - at_);
    at_ = end + 1;
    const nlohmann::json value = nlohmann::json::parse(literal, nullptr, false);
    if (!value.is_string()) bad(fmt::format("{} is no JSON string", literal));
    return value.get<std::string>();
  }

  std::string_view text_;
  const std::string& path_;
  std::int64_t number_;
  std::size_t at_ = 0;
};

[[noreturn]] void bad_line(const DumpReport& report, const OrderStep& step, const std::string& why) {
  refuse(Code::OrderMalformed, fmt::format("{}:{}: {}", report.options.order_path, step.line, why));
}

/// Pairs by A's name, and by B's where A has none of it.
class Names {
 public:
  explicit Names(const DumpReport& report) {
    places_.reserve(report.pairs.size() * 2);
    for (std::size_t i = 0; i < report.pairs.size(); ++i)
      if (const DumpEntry* a = report.entry_a(report.pairs[i])) places_.emplace(a->name, i);
    for (std::size_t i = 0; i < report.pairs.size(); ++i)
      if (const DumpEntry* b = report.entry_b(report.pairs[i])) places_.emplace(b->name, i);
  }
  std::size_t find(const std::string& name, const OrderStep& step, const DumpReport& report) const {
    const auto found = places_.find(name);
    if (found == places_.end()) bad_line(report, step, fmt::format("neither dump has a tensor named '{}'", name));
    return found->second;
  }

 private:
  std::unordered_map<std::string_view, std::size_t> places_;
};

bool by_name(const DumpPair& pair) { return pair.by == MatchedBy::Name || pair.by == MatchedBy::Map; }

}  // namespace

std::vector<OrderStep> parse_order_file(std::string_view text, const std::string& path) {
  std::vector<OrderStep> steps;
  std::unordered_map<std::string, std::int64_t> seen;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t newline = text.find('\n');
    Line line(text.substr(0, newline), path, number);
    if (std::optional<OrderStep> step = line.step()) {
      const auto [before, added] = seen.emplace(step->name, number);
      if (!added) line.bad(fmt::format("'{}' is already in line {}", step->name, before->second));
      steps.push_back(std::move(*step));
    }
    if (newline == std::string_view::npos) break;
    text.remove_prefix(newline + 1);
  }
  if (steps.empty()) refuse(Code::OrderMalformed, fmt::format("{}: names no tensor", path));
  return steps;
}

void put_in_order(DumpReport& report) {
  if (!report.options.order) return;
  const Names names(report);
  std::vector<std::int64_t> line_of(report.pairs.size());
  std::vector<std::size_t> places;
  for (const OrderStep& step : *report.options.order) {
    const std::size_t place = names.find(step.name, step, report);
    if (line_of[place] != 0)
      bad_line(report, step,
               fmt::format("'{}' is the tensor of line {}, by its name in the other dump", step.name, line_of[place]));
    line_of[place] = step.line;
    places.push_back(place);
  }
  for (const OrderStep& step : *report.options.order) {
    if (!step.inputs) continue;
    for (const std::string& input : *step.inputs) {
      const std::int64_t line = line_of[names.find(input, step, report)];
      if (line == step.line) bad_line(report, step, fmt::format("'{}' reads itself", step.name));
      if (line > step.line)
        bad_line(report, step, fmt::format("'{}' reads '{}', which comes later, in line {}", step.name, input, line));
    }
  }
  std::vector<DumpPair> ordered;
  ordered.reserve(report.pairs.size());
  for (const std::size_t place : places) {
    ordered.push_back(std::move(report.pairs[place]));
    ordered.back().ordered = true;
  }
  for (std::size_t i = 0; i < line_of.size(); ++i)
    if (line_of[i] == 0) ordered.push_back(std::move(report.pairs[i]));
  report.pairs = std::move(ordered);
}

void judge_steps(DumpReport& report) {
  if (!report.options.order) return;
  const Names names(report);
  // The order's steps are the first pairs, one each.
  for (std::size_t s = 0; s < report.options.order->size(); ++s) {
    const OrderStep& step = (*report.options.order)[s];
    if (!step.inputs) continue;
    DumpPair& pair = report.pairs[s];
    std::size_t differs = kAbsent, unknown = kAbsent;
    for (const std::string& input : *step.inputs) {
      const std::size_t place = names.find(input, step, report);
      if (report.pairs[place].outcome != Outcome::Equal && differs == kAbsent) differs = place;
      if (!by_name(report.pairs[place]) && unknown == kAbsent) unknown = place;
    }
    if (unknown == kAbsent && !by_name(pair)) unknown = s;
    pair.step = differs != kAbsent   ? StepState::InputsDiffer
                : unknown != kAbsent ? StepState::InputsUnknown
                                     : StepState::InputsEqual;
    pair.input = differs != kAbsent ? differs : unknown;
  }
}

}  // namespace bitpact
