// A comparison for people.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compare/words.h"
#include "verdict/comparison.h"

namespace bitpact {
namespace {

class Page {
 public:
  void row(std::string_view label, const std::string& text) { text_ += fmt::format("{:<10} {}\n", label, text); }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string count(std::int64_t n) { return count_text(static_cast<std::uint64_t>(n)); }

// The target without its list of CPU features, which --json and `bitpact backends` give in full.
std::string short_target(const std::string& target) {
  const size_t features = target.find(" +");
  if (features == std::string::npos) return target;
  return fmt::format("{} ({} CPU features)", target.substr(0, features), std::count(target.begin(), target.end(), '+'));
}

// The first word of a version: what follows is the source revision.
std::string short_version(const std::string& version) { return version.substr(0, version.find(' ')); }

std::string side(const SideReport& s) {
  if (!s.identity) return s.spec;
  return fmt::format("{}: version {}, device {}, target {}", s.spec, short_version(s.identity->version), s.identity->device,
                     short_target(s.identity->target));
}

std::string ran(const SideReport& s) { return fmt::format("{} (kernel {})", s.tag.empty() ? "nothing" : s.tag, s.kernel); }

std::string ulps(std::uint64_t n) {
  return n == UINT64_MAX ? "NaN against a number" : fmt::format("{} ulp{}", n, n == 1 ? "" : "s");
}

std::string divergence(Format format, const Divergence& d) {
  const Scalar a{format, d.reference}, b{format, d.candidate};
  return fmt::format("{}  reference {} ({})  candidate {} ({})  {}", index_text(d.index), to_text(a), to_hex(a), to_text(b),
                     to_hex(b), ulps(d.ulps));
}

// The histogram on one line, coarser than in --json.
std::string distances(const TensorComparison& outputs) {
  struct Group {
    const char* label;
    int first, last;  ///< buckets
  };
  constexpr Group kGroups[] = {{"0 ulps", 0, 0},
                               {"1 ulp", 1, 1},
                               {"2", 2, 2},
                               {"3-16", 3, 5},
                               {"17-256", 6, 9},
                               {"more", 10, UlpHistogram::kNan - 1},
                               {"NaN against a number", UlpHistogram::kNan, UlpHistogram::kNan}};
  std::string text;
  for (const Group& group : kGroups) {
    std::uint64_t n = 0;
    for (int b = group.first; b <= group.last; ++b) n += outputs.histogram.buckets[static_cast<size_t>(b)];
    if (n > 0)
      text += fmt::format("{}{} {:.1f}%", text.empty() ? "" : ", ", group.label,
                          100.0 * static_cast<double>(n) / static_cast<double>(outputs.compared));
  }
  return text;
}

std::string verdict_line(const ComparisonReport& r) {
  switch (r.verdict) {
    case Verdict::Exact:
      return fmt::format("EXACT: {} of {} outputs equal, bit for bit", count(r.outputs.compared), count(r.outputs.compared));
    case Verdict::Differs:
      return fmt::format("DIFFERS: {} of {} outputs differ", count(r.outputs.different), count(r.outputs.compared));
    case Verdict::Refused:
      return "REFUSED: nothing was compared";
    case Verdict::Unknown:
      return "UNKNOWN: no output lies in the domain";
    case Verdict::Nondeterministic:
      return fmt::format("NONDETERMINISTIC: a backend differs from itself over {} runs", r.repeats);
  }
  return {};
}

}  // namespace

std::string to_text(const ComparisonReport& r) {
  Page page;
  page.row("problem", r.problem);
  page.row("reference", side(r.reference));
  page.row("candidate", side(r.candidate));
  if (r.verdict != Verdict::Refused) page.row("ran", fmt::format("{} against {}", ran(r.reference), ran(r.candidate)));
  if (r.contract) {
    page.row("contract", fmt::format("{}, version {}, shape {}", r.contract->path, r.contract->version,
                                     r.contract->shape_verified ? "verified" : "predicted (not in the contract's list)"));
    page.row("", fmt::format("arithmetic {}", r.contract->arithmetic));
    if (r.verdict != Verdict::Refused)
      page.row(
          "",
          r.contract->replay_different == 0
              ? fmt::format("run by the interpreter it gives the reference's bits: {} of {} outputs",
                            count(r.contract->replay_compared), count(r.contract->replay_compared))
              : fmt::format(
                    "IT IS NOT WHAT THE REFERENCE COMPUTES: run by the interpreter, {} of {} outputs differ from the reference",
                    count(r.contract->replay_different), count(r.contract->replay_compared)));
  }
  page.row("verdict", verdict_line(r));
  if (r.verdict != Verdict::Refused) {
    page.row("domain", r.domain);
    if (r.outside_compared > 0)
      page.row("outside", fmt::format("{} outputs outside the domain were compared too: {} differ", count(r.outside_compared),
                                      count(r.outside_different)));
    page.row("strength", r.strength);
  }
  if (r.outputs.first) page.row("first", divergence(r.result_format, *r.outputs.first));
  if (r.outputs.greatest && r.outputs.first && r.outputs.greatest->flat != r.outputs.first->flat)
    page.row("greatest", divergence(r.result_format, *r.outputs.greatest));
  if (r.outputs.different > 0) page.row("distances", distances(r.outputs));
  if (r.cause) {
    page.row("cause", r.cause->summary);
    for (const std::string& detail : r.cause->details) page.row("", detail);
  }
  if (r.diagnostic) {
    page.row("diagnostic", fmt::format("[{}] {}", info(r.diagnostic->code).name, r.diagnostic->reason));
    page.row("", fmt::format("help: {}", info(r.diagnostic->code).help));
  }
  for (size_t i = 0; i < r.forms.size(); ++i) {
    const FormReport& f = r.forms[i];
    std::string text = fmt::format("{} ({}, {}): {}", f.form.empty() ? "none" : f.form, f.how, f.candidate, f.outcome);
    if (f.outcome != "refused")
      text += fmt::format(", {} of {} outputs equal, {:.3f} ms", count(f.compared - f.different), count(f.compared), f.run_ms);
    else
      text += ": " + f.note;
    page.row(i == 0 ? "forms" : "", text);
  }
  if (r.verdict != Verdict::Refused) {
    std::string cost = fmt::format("candidate {:.3f} ms a run, compiled in {:.0f} ms; reference {:.3f} ms",
                                   r.candidate.cost.run_ms, r.candidate.cost.compile_ms, r.reference.cost.run_ms);
    if (r.plain_run_ms > 0)
      cost += fmt::format("; the candidate's own form {:.3f} ms, so exactness costs {:.2f} times that", r.plain_run_ms,
                          r.candidate.cost.run_ms / r.plain_run_ms);
    page.row("cost", cost);
    page.row("operands",
             fmt::format("{}, {}{}", r.operand_recipe, r.operand_sha256,
                         r.operand_sets > 1 ? fmt::format(", and {} more with the next seeds", r.operand_sets - 1) : ""));
  }
  if (!r.reproduce.empty()) page.row("reproduce", r.reproduce);
  return std::move(page).text();
}

}  // namespace bitpact
