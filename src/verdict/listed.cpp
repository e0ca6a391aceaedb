#include "verdict/listed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"
#include "operators/problem.h"

namespace bitpact {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The next ';' that stands in no brackets: a backend's options may hold some, "iree[features=-fma;-avx2]".
size_t separator(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ';') return i;
    if (text[i] != '[') continue;
    const size_t closed = text.find(']', i);
    if (closed != std::string_view::npos) i = closed;
  }
  return std::string_view::npos;
}

ListedLine parse_line(std::string_view text, const std::string& where, std::int64_t number,
                      const std::vector<std::string>& keys) {
  ListedLine line;
  line.number = number;
  size_t semicolon = separator(text);
  line.problem = trimmed(text.substr(0, semicolon));
  while (semicolon != std::string_view::npos) {
    text.remove_prefix(semicolon + 1);
    semicolon = separator(text);
    const std::string_view part = trimmed(text.substr(0, semicolon));
    const size_t equals = part.find('=');
    const std::string key(part.substr(0, equals));
    const bool known = equals != std::string_view::npos && std::find(keys.begin(), keys.end(), key) != keys.end();
    if (!known || !line.values.emplace(key, part.substr(equals + 1)).second)
      refuse_listed(where, number, fmt::format("'{}' is none of {}=, or is given twice", part, fmt::join(keys, "=, ")));
  }
  try {
    parse_problem(line.problem);
  } catch (const Refused& refused) {
    Diagnostic d = refused.diagnostic();
    d.reason = fmt::format("{}:{}: {}", where, number, d.reason);
    throw Refused(d);
  }
  return line;
}

}  // namespace

std::vector<ListedLine> parse_listed(std::string_view text, const std::string& where, const std::vector<std::string>& keys) {
  std::vector<ListedLine> lines;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    const std::string_view content = trimmed(line.substr(0, line.find('#')));
    if (!content.empty()) lines.push_back(parse_line(content, where, number, keys));
    if (newline == std::string_view::npos) break;
    text.remove_prefix(newline + 1);
  }
  return lines;
}

void refuse_listed(const std::string& where, std::int64_t number, const std::string& why) {
  refuse(Code::ProblemSyntax, fmt::format("{}:{}: {}", where, number, why));
}

}  // namespace bitpact
