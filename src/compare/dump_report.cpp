#include "compare/dump_report.h"

#include <fmt/format.h>

#include "compare/words.h"
#include "number/arithmetic.h"

namespace bitpact {

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    // U+0080 to U+009F are controls, too: c2 80 to c2 9f in UTF-8.
    const bool c1 = byte == 0xc2 && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xe0) == 0x80;
    if (c1) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[++i]));
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string title(const DumpReport& report, const DumpPair& pair) {
  std::string text = printable(report.entry(pair).name);
  if (pair.a == kAbsent || pair.b == kAbsent || pair.by == MatchedBy::Name) return text;
  text += " = " + printable(report.entry_b(pair)->name);
  if (pair.by == MatchedBy::Content) text += " (matched by content)";
  if (pair.by == MatchedBy::Shape) text += " (matched by shape only)";
  return text;
}

std::string element_text(Format format, Bits bits) {
  const int width = info(format).bits;
  // A byte may hold more than the format has bits for: such a value has no other name than its bits.
  if (width < 64 && bits >> width != 0) return fmt::format("{:#04x}", bits);
  const Scalar scalar{format, bits};
  return fmt::format("{} ({})", to_text(scalar), to_hex(scalar));
}

std::string divergence_text(const DumpEntry& entry, const ElementDivergence& d) {
  const std::string ulps = is_float(entry.format) && d.ulps == UINT64_MAX
                               ? "NaN against a number"
                               : fmt::format("{} ulp{}", d.ulps, d.ulps == 1 ? "" : "s");
  return fmt::format("{}  A {}  B {}  {}", index_text(coordinate(entry.shape, d.flat)), element_text(entry.format, d.a),
                     element_text(entry.format, d.b), ulps);
}

std::string only_text(const RawComparison& d) {
  if (d.nan_payloads + d.zero_signs != d.different) return {};
  if (d.zero_signs == 0) return "only NaN payloads";
  return d.nan_payloads == 0 ? "only zero signs" : "only NaN payloads and zero signs";
}

std::string reason_text(const DumpReport& report, const DumpPair& pair) {
  const DumpEntry *a = report.entry_a(pair), *b = report.entry_b(pair);
  const auto kinds = [&] { return fmt::format("{} against {}", to_text(a->shape, a->format), to_text(b->shape, b->format)); };
  switch (pair.outcome) {
    case Outcome::Equal:
      return "equal";
    case Outcome::Differs: {
      const RawComparison& d = *pair.difference;
      std::string only = only_text(d);
      if (!only.empty()) only += " differ: ";
      return fmt::format("{}{} of {} elements, first at {}", only, count_text(d.different), count_text(d.elements),
                         divergence_text(*a, *d.first));
    }
    case Outcome::OtherShape:
      return "another shape: " + kinds();
    case Outcome::OtherFormat:
      return "another format, not compared: " + kinds();
    case Outcome::OtherShapeAndFormat:
      return "another shape and format: " + kinds();
    case Outcome::OnlyInA:
      return fmt::format("only in A: {}", to_text(a->shape, a->format));
    case Outcome::OnlyInB:
      return fmt::format("only in B: {}", to_text(b->shape, b->format));
  }
  return {};
}

std::string step_text(const DumpReport& report, const DumpPair& pair) {
  switch (pair.step) {
    case StepState::NotDeclared:
      return {};
    case StepState::InputsEqual:
      return report.parted(pair) ? "the step itself parted: all that it reads is equal, bit for bit" : "";
    case StepState::InputsDiffer:
      return fmt::format("it reads {}, which is not equal", title(report, report.pairs[pair.input]));
    case StepState::InputsUnknown:
      return fmt::format("whether it parted is not known: {}", title(report, report.pairs[pair.input]));
  }
  return {};
}

std::string figure_text(const std::optional<double>& figure) { return figure ? fmt::format("{:.3g}", *figure) : "-"; }

}  // namespace bitpact
