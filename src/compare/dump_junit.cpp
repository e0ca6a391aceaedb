// A comparison of two dumps as JUnit XML, which build servers show.
#include <fmt/format.h>

#include "compare/dump_report.h"
#include "compare/xml.h"

namespace bitpact {

void write_junit(const DumpReport& r, const Sink& sink) {
  const auto all = r.pairs.size();
  const std::string suite = xml_escaped(fmt::format("bitpact compare {} {}", r.path_a, r.path_b));
  const auto failures = static_cast<std::int64_t>(all) - r.count(Outcome::Equal);
  sink(
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{0}\" failures=\"{1}\" errors=\"0\">\n"
                  "<testsuite name=\"{2}\" tests=\"{0}\" failures=\"{1}\" errors=\"0\" skipped=\"0\">\n",
                  all, failures, suite));
  const std::string group = xml_escaped(r.path_a);
  for (const DumpPair& pair : r.pairs) {
    // Where no name joins the two, the case says so even if it passes.
    const bool named = pair.by == MatchedBy::Name || pair.by == MatchedBy::Map || pair.a == kAbsent || pair.b == kAbsent;
    sink(fmt::format("<testcase classname=\"{}\" name=\"{}\"", group, xml_escaped(named ? r.entry(pair).name : title(r, pair))));
    if (pair.outcome == Outcome::Equal) {
      sink("/>\n");
      continue;
    }
    const std::string step = step_text(r, pair);
    sink(fmt::format("><failure type=\"{}\" message=\"{}\">{}{}</failure></testcase>\n", name(pair.outcome),
                     xml_escaped(reason_text(r, pair)), xml_escaped(title(r, pair)),
                     xml_escaped(step.empty() ? "" : "\n" + step)));
  }
  sink("</testsuite>\n</testsuites>\n");
}

}  // namespace bitpact
