#include "compare/raw_element.h"

#include <map>
#include <mutex>

namespace bitpact::raw {

Byte::Rows Byte::make_rows(Format format) {
  const FormatInfo& row = info(format);
  const bool floats = row.kind == FormatKind::Float;
  const unsigned codes = 1U << row.bits;
  Rows rows;
  for (unsigned code = 0; code < 256; ++code) {
    Row& r = rows[code];
    if (code >= codes) {  // bits that the format does not have: a number of its own, so that nothing about it is left out
      r.value = static_cast<double>(code);
      r.place = static_cast<std::int16_t>(code);
      continue;
    }
    const Class kind = classify(format, code);
    r.nan = floats && kind == Class::NaN;
    r.infinite = floats && kind == Class::Infinity;
    r.zero = kind == Class::Zero;
    if (r.nan) continue;
    r.value = std::bit_cast<double>(convert({format, code}, Format::F64));
    // An encoding with a sign bit has the magnitudes below it; two's complement counts on from it.
    const bool negative = row.kind != FormatKind::UnsignedInteger && row.kind != FormatKind::Boolean && sign_bit(format, code);
    const int place = static_cast<int>(code);
    const int half = static_cast<int>(codes) / 2;
    r.place = static_cast<std::int16_t>(!negative ? place : floats ? half - place : place - 2 * half);
  }
  return rows;
}

Byte::Byte(Format format) {
  static std::mutex mutex;
  static std::map<Format, Rows> all;
  const std::lock_guard lock(mutex);
  auto found = all.find(format);
  if (found == all.end()) found = all.emplace(format, make_rows(format)).first;
  rows_ = &found->second;
}

}  // namespace bitpact::raw
