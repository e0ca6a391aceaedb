// A comparison of two dumps, for people.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compare/dump_report.h"
#include "compare/words.h"

namespace bitpact {
namespace {

using Row = std::array<std::string, 10>;

void line(std::string& page, std::string_view label, const std::string& text) { page += fmt::format("{:<10} {}\n", label, text); }

std::string s(std::uint64_t n, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", count_text(n), n == 1 ? one : more);
}

std::string side(const std::string& path, const Dump& dump) {
  std::size_t bytes = 0;
  for (const DumpEntry& entry : dump.entries()) bytes += entry.byte_size;
  return fmt::format("{}: {}, {}", printable(path), s(static_cast<std::int64_t>(dump.entries().size()), "tensor", "tensors"),
                     s(static_cast<std::int64_t>(bytes), "byte", "bytes"));
}

std::string verdict(const DumpReport& r) {
  const auto all = static_cast<std::int64_t>(r.pairs.size());
  if (r.equal())
    return all == 0 ? "EQUAL: there is no tensor in either" : fmt::format("EQUAL: {}, bit for bit", s(all, "tensor", "tensors"));
  std::string text;
  const auto add = [&](std::int64_t n, std::string_view one, std::string_view more) {
    if (n > 0) text += fmt::format("{}{}", text.empty() ? "" : ", ", s(n, one, more));
  };
  add(r.count(Outcome::Differs), "differs", "differ");
  add(r.count(Outcome::OtherShape), "has another shape", "have another shape");
  add(r.count(Outcome::OtherFormat), "has another format", "have another format");
  add(r.count(Outcome::OtherShapeAndFormat), "has another shape and format", "have another shape and format");
  add(r.count(Outcome::OnlyInA), "is only in A", "are only in A");
  add(r.count(Outcome::OnlyInB), "is only in B", "are only in B");
  return fmt::format("DIFFERS: of {}, {} equal, bit for bit; {}", s(all, "tensor", "tensors"),
                     r.count(Outcome::Equal) == 1 ? "1 is" : count_text(r.count(Outcome::Equal)) + " are", text);
}

std::string place(const DumpReport& r, std::size_t index) {
  const std::string nth = fmt::format("tensor {} of {}", count_text(static_cast<std::int64_t>(index) + 1),
                                      count_text(static_cast<std::int64_t>(r.pairs.size())));
  if (!r.options.order) return nth + " in the order of A's file";
  if (r.pairs[index].ordered) return fmt::format("{} in the order of {}", nth, printable(r.options.order_path));
  return fmt::format("{}; {} does not name it", nth, printable(r.options.order_path));
}

void headline(std::string& page, std::string_view label, const DumpReport& r, std::size_t index) {
  const DumpPair& pair = r.pairs[index];
  const DumpEntry& entry = r.entry(pair);
  if (pair.outcome != Outcome::Differs) {
    line(page, label, fmt::format("{}: {}", title(r, pair), reason_text(r, pair)));
    line(page, "", place(r, index));
  } else {
    const RawComparison& d = *pair.difference;
    line(page, label, fmt::format("{}: {}, {}", title(r, pair), to_text(entry.shape, entry.format), place(r, index)));
    line(page, "", divergence_text(entry, *d.first));
    std::string counts = fmt::format("{} of {}", count_text(d.different), s(d.elements, "element", "elements"));
    counts += d.different == 1 ? " differs" : " differ";
    const std::string only = only_text(d);
    if (!only.empty()) counts += ": " + only;
    if (d.nan_against_number > 0) counts += fmt::format("; NaN against a number: {}", count_text(d.nan_against_number));
    if (only.empty() && d.nan_payloads > 0) counts += fmt::format("; of NaN payloads: {}", count_text(d.nan_payloads));
    if (only.empty() && d.zero_signs > 0) counts += fmt::format("; of zero signs: {}", count_text(d.zero_signs));
    line(page, "", counts);
    if (d.greatest && only.empty() && d.different > 1) line(page, "", "greatest at " + divergence_text(entry, *d.greatest));
    if (d.max_abs && only.empty())
      line(page, "",
           fmt::format("max abs {}, max rel {}, rms {} (in f64, over pairs of finite numbers)", figure_text(d.max_abs),
                       figure_text(d.max_rel), figure_text(d.rms)));
  }
  const std::string step = step_text(r, pair);
  if (!step.empty()) line(page, "step", step);
}

Row row(const DumpReport& r, std::size_t index) {
  const DumpPair& pair = r.pairs[index];
  const std::string_view parted = r.parted(pair) ? ": the step itself parted" : "";
  Row cells;
  cells[0] = std::to_string(index + 1);
  if (pair.outcome != Outcome::Differs) {
    cells[9] = fmt::format("{}: {}{}", title(r, pair), reason_text(r, pair), parted);
    return cells;
  }
  const RawComparison& d = *pair.difference;
  const std::string only = only_text(d);
  cells[1] = count_text(d.different);
  cells[2] = count_text(d.elements);
  cells[3] = index_text(coordinate(r.entry(pair).shape, d.first->flat));
  cells[4] = d.greatest ? count_text(d.greatest->ulps) : "-";
  cells[5] = figure_text(d.max_abs);
  cells[6] = figure_text(d.max_rel);
  cells[7] = figure_text(d.rms);
  cells[8] = d.a == SpecialCounts{} && d.b == SpecialCounts{}
                 ? "-"
                 : fmt::format("{}|{} {}|{}", count_text(d.a.nan), count_text(d.b.nan), count_text(d.a.infinite),
                               count_text(d.b.infinite));
  cells[9] = fmt::format("{}{}{}{}", title(r, pair), only.empty() ? "" : ": ", only, parted);
  return cells;
}

void table(std::string& page, const DumpReport& r, std::size_t most) {
  std::vector<Row> rows{{"#", "differ", "of", "first at", "ulps", "max abs", "max rel", "rms", "NaN, inf A|B", "tensor"}};
  std::size_t left = 0;
  for (std::size_t i = r.first; i < r.pairs.size(); ++i) {
    if (r.pairs[i].outcome == Outcome::Equal) continue;
    if (most != 0 && rows.size() > most) {
      ++left;
    } else {
      rows.push_back(row(r, i));
    }
  }
  // A table whose only row repeats the headline would say nothing.
  if (rows.size() == 2) return;
  std::array<std::size_t, 10> wide{};
  for (const Row& cells : rows)
    for (std::size_t c = 0; c < 9; ++c) wide[c] = std::max(wide[c], cells[c].size());
  page += "\n";
  for (const Row& cells : rows) {
    for (std::size_t c = 0; c < 9; ++c) page += fmt::format("{:>{}}  ", cells[c], wide[c]);
    page += cells[9] + "\n";
  }
  if (left > 0) page += fmt::format("and {} more: --all lists them\n", count_text(left));
}

void matched(std::string& page, const DumpReport& r, std::size_t most) {
  for (const auto& [by, how] : {std::pair{MatchedBy::Content, "content"}, {MatchedBy::Shape, "shape only"}}) {
    std::vector<std::string> lines;
    std::int64_t all = 0;
    for (const DumpPair& pair : r.pairs) {
      if (pair.by != by || pair.a == kAbsent || pair.b == kAbsent) continue;
      ++all;
      if (most == 0 || lines.size() < most)
        lines.push_back(fmt::format("  {} = {}", printable(r.entry_a(pair)->name), printable(r.entry_b(pair)->name)));
    }
    if (all == 0) continue;
    page += fmt::format("\nmatched by {}, not by name:\n{}\n", how, fmt::join(lines, "\n"));
    if (all > static_cast<std::int64_t>(lines.size()))
      page += fmt::format("  and {} more: --all lists them\n", count_text(all - static_cast<std::int64_t>(lines.size())));
  }
}

}  // namespace

std::string to_text(const DumpReport& r, std::size_t most_lines) {
  std::string page;
  line(page, "A", side(r.path_a, *r.a));
  line(page, "B", side(r.path_b, *r.b));
  for (std::size_t i = 0; i < r.options.maps.size(); ++i)
    line(page, "map",
         fmt::format("{}={} renames {} of A's", printable(r.options.maps[i].regex), printable(r.options.maps[i].replacement),
                     s(r.renamed[i], "tensor", "tensors")));
  line(page, "verdict", verdict(r));
  if (!r.equal()) {
    headline(page, "first", r, r.first);
    if (r.pairs[r.first].outcome != Outcome::Differs && r.count(Outcome::Differs) > 0) {
      const auto bits =
          std::find_if(r.pairs.begin(), r.pairs.end(), [](const DumpPair& p) { return p.outcome == Outcome::Differs; });
      headline(page, "first bits", r, static_cast<std::size_t>(bits - r.pairs.begin()));
    }
    table(page, r, most_lines);
  }
  matched(page, r, most_lines);
  return page;
}

}  // namespace bitpact
