// A comparison of two dumps as JUnit XML, which build servers show.
#include <fmt/format.h>

#include <algorithm>

#include "compare/dump_report.h"
#include "tensor/utf8.h"

namespace bitpact {
namespace {

/// How many bytes the character takes that begins here, if XML 1.0 has it (its production 2); else 0.
std::size_t xml_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r' ? 1 : 0;
  for (std::size_t length = 2; length <= std::min<std::size_t>(4, text.size()); ++length) {
    const std::string_view character = text.substr(0, length);
    if (is_utf8(character)) return character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf" ? 0 : length;
  }
  return 0;
}

/// For an attribute in double quotes, and for text.
std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = xml_character(text);
    const char c = text[0];
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else if (length > 1) {
      out += text.substr(0, length);
    } else if (c == '&' || c == '<' || c == '>' || c == '"' || c < 0x20) {
      out += fmt::format("&#{};", static_cast<int>(c));  // also tab and line ends, which an attribute would lose
    } else {
      out += c;
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace

void write_junit(const DumpReport& r, const Sink& sink) {
  const auto all = r.pairs.size();
  const std::string suite = escaped(fmt::format("bitpact compare {} {}", r.path_a, r.path_b));
  const auto failures = static_cast<std::int64_t>(all) - r.count(Outcome::Equal);
  sink(
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{0}\" failures=\"{1}\" errors=\"0\">\n"
                  "<testsuite name=\"{2}\" tests=\"{0}\" failures=\"{1}\" errors=\"0\" skipped=\"0\">\n",
                  all, failures, suite));
  const std::string group = escaped(r.path_a);
  for (const DumpPair& pair : r.pairs) {
    // Where no name joins the two, the case says so even if it passes.
    const bool named = pair.by == MatchedBy::Name || pair.by == MatchedBy::Map || pair.a == kAbsent || pair.b == kAbsent;
    sink(fmt::format("<testcase classname=\"{}\" name=\"{}\"", group, escaped(named ? r.entry(pair).name : title(r, pair))));
    if (pair.outcome == Outcome::Equal) {
      sink("/>\n");
      continue;
    }
    const std::string step = step_text(r, pair);
    sink(fmt::format("><failure type=\"{}\" message=\"{}\">{}{}</failure></testcase>\n", name(pair.outcome),
                     escaped(reason_text(r, pair)), escaped(title(r, pair)), escaped(step.empty() ? "" : "\n" + step)));
  }
  sink("</testsuite>\n</testsuites>\n");
}

}  // namespace bitpact
