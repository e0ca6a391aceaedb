#include "contract/value_set.h"

#include <algorithm>

namespace bitpact {

ValueSet values_of(Format format) {
  const FormatInfo& row = info(format);
  ValueSet set;
  switch (row.kind) {
    case FormatKind::Float:
      set.precision = row.mantissa_bits + 1;
      set.lowest = 1 - row.bias - row.mantissa_bits;
      set.highest = (1 << row.exponent_bits) - 2 - row.bias;  // the highest exponent is kept for infinities and NaNs
      set.specials = set.negative = true;
      break;
    case FormatKind::SignedInteger:  // -2^(bits-1) has one significant bit, the others bits - 1
      set.precision = row.bits - 1;
      set.highest = row.bits - 1;
      set.negative = true;
      break;
    case FormatKind::UnsignedInteger:
      set.precision = row.bits;
      set.highest = row.bits - 1;
      break;
    case FormatKind::Boolean:
      set.precision = 1;
      set.boolean = true;
      break;
  }
  return set;
}

ValueSet join(const ValueSet& a, const ValueSet& b) {
  // Signed integers reach -2^highest and no further up than 2^highest - 1; joined with unsigned ones they are no integers' set.
  const bool mixed = a.negative != b.negative;
  return {std::max(a.precision, b.precision), std::min(a.lowest, b.lowest), std::max(a.highest, b.highest),
          a.specials || b.specials || mixed,  a.negative || b.negative,     a.boolean || b.boolean};
}

bool fits(const ValueSet& values, Format format) {
  const FormatKind kind = info(format).kind;
  if (values.boolean || kind == FormatKind::Boolean) return values.boolean && kind == FormatKind::Boolean;
  const ValueSet target = values_of(format);
  if (kind == FormatKind::Float)
    return values.precision <= target.precision && values.lowest >= target.lowest && values.highest <= target.highest;
  if (values.specials || values.lowest < 0) return false;  // a fraction, or -0
  if (values.negative) return target.negative && values.highest <= target.highest;
  return values.highest <= (target.negative ? target.highest - 1 : target.highest);
}

Exactness product_exactness(const ValueSet& a, const ValueSet& b, Format format) {
  if (!is_float(format)) return Exactness::Never;
  const ValueSet target = values_of(format);
  const int precision = a.precision + b.precision;
  if (precision <= target.precision && a.lowest + b.lowest >= target.lowest && a.highest + b.highest + 1 <= target.highest)
    return Exactness::Always;
  return precision <= target.precision - 1 ? Exactness::OnDomain : Exactness::Never;
}

}  // namespace bitpact
