// convert: x in another format, straight or by way of a third one.
#include <fmt/format.h>

#include "operators/building.h"
#include "operators/families.h"

namespace bitpact {
namespace {

bool to_integer(const OperatorFormats& formats) { return is_float(formats.operands[0]) && !is_float(formats.result); }

// "indefinite-i32": what x86's conversion to i32 gives, its low bits kept, or the nearest of the range (packssdw, packsswb: eight
// values at a time without AVX-512). Only where the result is no wider, or narrower.
std::vector<std::string> overflow_values(const OperatorFormats& formats) {
  std::vector<std::string> values{"saturate", "wrap"};
  if (formats.result == Format::I1) return values;
  if (info(formats.result).bits <= 32) values.emplace_back("indefinite-i32");
  if (info(formats.result).bits < 32) values.emplace_back("indefinite-i32-saturated");
  values.emplace_back("indefinite-i64");
  return values;
}

std::vector<ChoicePoint> convert_choices(const OperatorFormats& formats) {
  std::vector<ChoicePoint> points;
  if (to_integer(formats))
    points.push_back({"overflow",
                      overflow_values(formats),
                      "what a value outside the integer's range becomes; the fraction is cut off",
                      {{"saturate", "the nearest end of the range, NaN 0"},
                       {"wrap", "the low bits of the integer, infinities and NaN 0"},
                       {"indefinite-i32", "converted to i32, where what is outside, and NaN, is INT_MIN; then the low bits"},
                       {"indefinite-i32-saturated",
                        "converted to i32, where what is outside, and NaN, is INT_MIN; then the nearest end of the range"},
                       {"indefinite-i64", "converted to i64, where what is outside, and NaN, is INT_MIN; then the low bits"}}});
  else if (is_float(formats.result))
    points.push_back({"rounding", rounding_values(), "how a value between two representable ones is rounded", {}});
  const std::string via = formats.attribute("via", "");
  if (!via.empty())
    points.push_back({"boundary",
                      {"kept", "elided"},
                      "whether the value is really rounded to the format in between",
                      {{"kept", "the rounding boundary is there"}, {"elided", "the rounding boundary is gone"}}});
  return points;
}

NumericProgram build_convert(const OperatorFormats& formats, const Choices& choices) {
  BodyBuilder b(formats.operands);
  Policy policy;
  if (to_integer(formats)) {
    policy.rounding = Rounding::TowardZero;
    const std::string overflow = chosen(choices, "overflow", overflow_values(formats));
    if (overflow.starts_with("indefinite")) {
      // As cvttss2si and cvttsd2si do it (Intel SDM, "integer indefinite"): truncated where that fits, else INT_MIN; NaN too.
      policy.overflow = Overflow::Indefinite;
      const int inside = b.convert(0, overflow == "indefinite-i64" ? Format::I64 : Format::I32, policy);
      Policy narrow;
      if (overflow == "indefinite-i32-saturated") narrow.overflow = Overflow::Saturate;
      const int low = b.convert(inside, formats.result, narrow);
      return one_map({"x"}, formats.operands, b.finish({low}));
    }
    policy.overflow = overflow == "saturate" ? Overflow::Saturate : Overflow::Ieee;
  } else if (is_float(formats.result)) {
    policy.rounding = parse_rounding(choices);
  }
  const std::string via = formats.attribute("via", "");
  int x = 0;
  if (!via.empty() && chosen(choices, "boundary", {"kept", "elided"}) == "kept") x = b.convert(x, parse_format(via), policy);
  const int result = b.convert(x, formats.result, policy);
  return one_map({"x"}, formats.operands, b.finish({result}));
}

Resolved resolve_convert(const Operator& op, const Problem& problem) {
  Problem given = problem;
  const Format from = given.operands[0].format;
  const std::string via = attribute(op, given, "via");
  std::string out = attribute(op, given, "out");
  if (out.empty()) {
    if (via.empty()) violated(op, "C1", "there is no out=");
    out = name(from);
  }
  const Format to = parse_format(out);
  if (!via.empty()) {
    if (!is_float(from) || !is_float(to) || !is_float(parse_format(via)))
      violated(op, "C2", fmt::format("{} via {} to {}", name(from), via, out));
    if (to == from) given.attributes.erase("out");
  }
  return resolve_elementwise(given, to);
}

}  // namespace

Operator convert() {
  Operator op;
  op.name = "convert";
  op.aliases = {"cast", "astype"};
  op.summary = "x in another format";
  op.operands = {"x"};
  op.attributes = {{"out", AttributeKind::FormatName, "", "format of the result; required unless via= is given"},
                   {"via",
                    AttributeKind::FormatName,
                    "",
                    "a format in between: x is rounded to it, and then converted to out= (x's own format unless given)",
                    true,
                    {}}};
  op.clauses = {{"C1", "the result's format is given by out="}, {"C2", "with via=, all formats are floats"}};
  op.resolve = resolve_convert;
  op.choice_points = convert_choices;
  op.build = build_convert;
  return op;
}

}  // namespace bitpact
