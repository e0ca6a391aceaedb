// Which numbers a value can be: what the exactness of a conversion or a product is decided by.
#pragma once

#include "number/format.h"

namespace bitpact {

/// Zero, and m 2^e with |m| < 2^precision, e >= lowest, |m 2^e| < 2^(highest + 1). A superset: a value need not take all of them.
struct ValueSet {
  int precision = 0;
  int lowest = 0;         ///< exponent of the smallest step
  int highest = 0;        ///< exponent of the largest power of two
  bool specials = false;  ///< numbers of a float format: infinities, NaNs, -0 may be among them; without, it is a set of integers
  bool negative = false;  ///< with integers: from -2^highest to 2^highest - 1; else from 0 to 2^(highest + 1) - 1
  bool boolean = false;
  // With specials: which of them.
  bool zero = true;
  bool negative_zero = false;
  bool infinities = false;
  bool nans = false;
  /// The highest exponent lacks the significand of all ones: f8E4M3FN has its NaN there.
  bool short_top = false;
};

ValueSet values_of(Format format);
ValueSet join(const ValueSet& a, const ValueSet& b);

/// Every value of the set is a value of the format, so that a conversion to it is exact whatever its rounding.
/// Booleans fit only their own format.
bool fits(const ValueSet& values, Format format);

enum class Exactness { Never, OnDomain, Always };

/// Whether the product of finite values of two sets is a value of the float format.
/// Always: it is. OnDomain: it is, unless its nearest-even rounding is an infinity, a subnormal, or a zero that it is not itself.
Exactness product_exactness(const ValueSet& a, const ValueSet& b, Format format);

}  // namespace bitpact
