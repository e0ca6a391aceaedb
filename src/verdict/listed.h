// Files of problem lines: one a line, each with "; KEY=VALUE" where wanted. '#' begins a comment.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bitpact {

struct ListedLine {
  std::string problem;  ///< follows the grammar; not resolved
  std::map<std::string, std::string> values;
  std::int64_t number = 0;  ///< in the file, from 1
};

/// Refuses `problem-syntax`, naming `where` and the line: no problem line, a key that is none of `keys` or is given twice.
std::vector<ListedLine> parse_listed(std::string_view text, const std::string& where, const std::vector<std::string>& keys);
/// Refuses `problem-syntax` about that line.
[[noreturn]] void refuse_listed(const std::string& where, std::int64_t number, const std::string& why);

}  // namespace bitpact
