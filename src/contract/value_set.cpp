#include "contract/value_set.h"

#include <algorithm>

#include "number/layout.h"

namespace bitpact {
namespace {

bool lacks_all_ones(const Layout& l) {
  const Bits fraction = (Bits{1} << l.fraction_bits) - 1;
  return (l.largest & fraction) != fraction;
}

bool within_top(const ValueSet& values, const ValueSet& target) {
  if (values.highest != target.highest) return values.highest < target.highest;
  return !target.short_top || values.short_top || values.precision < target.precision;
}

}  // namespace

ValueSet values_of(Format format) {
  const FormatInfo& row = info(format);
  const Layout& l = layout(format);
  ValueSet set;
  switch (row.kind) {
    case FormatKind::Float:
      set.precision = l.precision;
      set.lowest = l.emin - l.fraction_bits;
      set.highest = l.emax;
      set.specials = true;
      set.negative = l.sign != 0;
      set.zero = l.zero;
      set.negative_zero = l.negative_zero != 0;
      set.infinities = l.infinities;
      set.nans = l.nans;
      set.short_top = lacks_all_ones(l);
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
  ValueSet set;
  set.precision = std::max(a.precision, b.precision);
  set.lowest = std::min(a.lowest, b.lowest);
  set.highest = std::max(a.highest, b.highest);
  set.specials = a.specials || b.specials || mixed;
  set.negative = a.negative || b.negative;
  set.boolean = a.boolean || b.boolean;
  set.zero = a.zero || b.zero;
  set.negative_zero = a.negative_zero || b.negative_zero;
  set.infinities = a.infinities || b.infinities;
  set.nans = a.nans || b.nans;
  set.short_top = a.short_top && b.short_top;
  return set;
}

bool fits(const ValueSet& values, Format format) {
  const FormatKind kind = info(format).kind;
  if (values.boolean || kind == FormatKind::Boolean) return values.boolean && kind == FormatKind::Boolean;
  const ValueSet target = values_of(format);
  if (kind == FormatKind::Float) {
    const bool lacks = (values.negative && !target.negative) || (values.zero && !target.zero) ||
                       (values.negative_zero && !target.negative_zero) || (values.infinities && !target.infinities) ||
                       (values.nans && !target.nans);
    return !lacks && values.precision <= target.precision && values.lowest >= target.lowest && within_top(values, target);
  }
  if (values.specials || values.lowest < 0) return false;  // a fraction, or -0
  if (values.negative) return target.negative && values.highest <= target.highest;
  return values.highest <= (target.negative ? target.highest - 1 : target.highest);
}

Exactness product_exactness(const ValueSet& a, const ValueSet& b, Format format) {
  // The product of infinity and zero, say, is a NaN: only a format that has all specials holds every product.
  if (info(format).kind != FormatKind::Float || info(format).specials != Specials::InfinitiesAndNaNs) return Exactness::Never;
  const ValueSet target = values_of(format);
  const int precision = a.precision + b.precision;
  if (precision <= target.precision && a.lowest + b.lowest >= target.lowest && a.highest + b.highest + 1 <= target.highest)
    return Exactness::Always;
  return precision <= target.precision - 1 ? Exactness::OnDomain : Exactness::Never;
}

}  // namespace bitpact
