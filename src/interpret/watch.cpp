#include "interpret/watch.h"

#include <algorithm>

#include "number/layout.h"

namespace bitpact {

bool is_subnormal(Format format, Bits bits) { return is_float(format) && classify(format, bits) == Class::Subnormal; }

bool is_tiny(Format format, Bits bits) {
  return is_subnormal(format, bits) || (is_float(format) && (bits & ~layout(format).sign) == smallest_normal(format));
}

bool underflowed(const Instruction& instruction, std::span<const Scalar> operands, Bits result) {
  if (!info(instruction.op).rounds || !is_float(instruction.format)) return false;
  if (classify(instruction.format, result) != Class::Zero) return false;
  // Rounded to odd, only an exact zero is zero.
  Instruction odd = instruction;
  odd.policy.rounding = Rounding::ToOdd;
  odd.policy.flush_out = false;
  return classify(odd.format, evaluate(odd, operands)) != Class::Zero;
}

bool overflowed(const Instruction& instruction, std::span<const Scalar> operands, Bits result) {
  if (!info(instruction.op).rounds || !is_float(instruction.format)) return false;
  const Class beyond = has_infinities(instruction.format) ? Class::Infinity : Class::NaN;
  if (classify(instruction.format, result) != beyond) return false;
  if (beyond == Class::NaN) {  // rounded to odd, only what is invalid is NaN
    Instruction odd = instruction;
    odd.policy.rounding = Rounding::ToOdd;
    if (classify(odd.format, evaluate(odd, operands)) == Class::NaN) return false;
  }
  return std::all_of(operands.begin(), operands.end(), [](Scalar a) {
    if (!is_float(a.format)) return true;
    const Class kind = classify(a.format, a.bits);
    return kind != Class::Infinity && kind != Class::NaN;
  });
}

namespace {

void count_one(std::uint8_t& subnormals) { subnormals = static_cast<std::uint8_t>(subnormals + (subnormals < 2 ? 1 : 0)); }

/// Tiny: the magnitude less one is below the least normal one.
template <class U>
void count_subnormals(const void* values, std::int64_t lanes, Bits smallest_normal_bits, std::uint8_t* subnormals) {
  const auto* v = static_cast<const U*>(values);
  const auto kMagnitude = static_cast<U>(static_cast<U>(~U{0}) >> 1);
  const auto limit = static_cast<U>(smallest_normal_bits);
  for (std::int64_t l = 0; l < lanes; ++l) {
    const bool hit = static_cast<U>((v[l] & kMagnitude) - 1) < limit;
    subnormals[l] = static_cast<std::uint8_t>(subnormals[l] + (hit && subnormals[l] < 2 ? 1 : 0));
  }
}

/// Whether any lane is a zero or an infinity: rare, so that only then the operands are looked at.
template <class U>
bool any_extreme(const void* values, std::int64_t lanes, Bits infinity_bits) {
  const auto* v = static_cast<const U*>(values);
  const auto kMagnitude = static_cast<U>(static_cast<U>(~U{0}) >> 1);
  bool any = false;
  for (std::int64_t l = 0; l < lanes; ++l) {
    const auto magnitude = static_cast<U>(v[l] & kMagnitude);
    any |= magnitude == static_cast<U>(infinity_bits) || magnitude == 0;
  }
  return any;
}

/// The fast tests read a format by its storage: its sign is the top bit, infinity the lone end of its magnitudes.
bool is_machine_format(Format format) {
  const FormatInfo& row = info(format);
  return row.bits == 8 * row.storage_bytes && row.specials == Specials::InfinitiesAndNaNs;
}

/// The same, one lane after another.
void count_subnormals(Format format, const void* values, std::int64_t lanes, std::uint8_t* subnormals) {
  const int bytes = info(format).storage_bytes;
  for (std::int64_t l = 0; l < lanes; ++l)
    if (is_tiny(format, load_bits(static_cast<const std::byte*>(values) + l * bytes, bytes))) count_one(subnormals[l]);
}
bool any_extreme(Format format, const void* values, std::int64_t lanes) {
  const int bytes = info(format).storage_bytes;
  for (std::int64_t l = 0; l < lanes; ++l) {
    const Class kind = classify(format, load_bits(static_cast<const std::byte*>(values) + l * bytes, bytes));
    if (kind == Class::Zero || kind == Class::Infinity || kind == Class::NaN) return true;
  }
  return false;
}

template <class Of>
auto by_width(int bytes, Of of) {
  switch (bytes) {
    case 1:
      return of(std::uint8_t{});
    case 2:
      return of(std::uint16_t{});
    case 4:
      return of(std::uint32_t{});
    default:
      return of(std::uint64_t{});
  }
}

}  // namespace

void LaneWatch::reset(std::int64_t lanes) {
  flags.assign(static_cast<size_t>(lanes), 0);
  subnormals.assign(static_cast<size_t>(lanes), 0);
}

void LaneWatch::observe_value(Format format, Bits bits) {
  if (is_tiny(format, bits)) std::for_each(subnormals.begin(), subnormals.end(), count_one);
}

void LaneWatch::observe(const Instruction& instruction, const KernelCall& call, bool single) {
  const Format format = instruction.format;
  if (!is_float(format)) return;
  const int bytes = info(format).storage_bytes;
  const auto lanes = single ? std::int64_t{1} : static_cast<std::int64_t>(flags.size());
  if (single) {
    observe_value(format, load_bits(call.out, bytes));
  } else if (!is_machine_format(format)) {
    count_subnormals(format, call.out, lanes, subnormals.data());
  } else {
    by_width(bytes, [&](auto word) {
      count_subnormals<decltype(word)>(call.out, lanes, smallest_normal(format), subnormals.data());
      return true;
    });
  }
  if (!info(instruction.op).rounds) return;
  const bool extreme =
      is_machine_format(format)
          ? by_width(bytes, [&](auto word) { return any_extreme<decltype(word)>(call.out, lanes, infinity(format)); })
          : any_extreme(format, call.out, lanes);
  if (!extreme) return;
  const auto count = static_cast<size_t>(info(instruction.op).operands);
  std::array<Scalar, 3> operands{};
  for (std::int64_t l = 0; l < lanes; ++l) {
    for (size_t a = 0; a < count; ++a) {
      const int in_bytes = info(call.formats[a]).storage_bytes;
      const std::int64_t element = (call.uniform >> a & 1U) != 0 ? 0 : l;
      operands[a] = {call.formats[a], load_bits(static_cast<const std::byte*>(call.in[a]) + element * in_bytes, in_bytes)};
    }
    const Bits result = load_bits(static_cast<const std::byte*>(call.out) + l * bytes, bytes);
    if (underflowed(instruction, {operands.data(), count}, result)) {
      if (single)
        std::for_each(subnormals.begin(), subnormals.end(), count_one);
      else
        count_one(subnormals[static_cast<size_t>(l)]);
    }
    if (!overflowed(instruction, {operands.data(), count}, result)) continue;
    if (single) {
      for (std::uint8_t& f : flags) f |= flag_of(Exclusion::OverflowIntermediate);
    } else {
      flags[static_cast<size_t>(l)] |= flag_of(Exclusion::OverflowIntermediate);
    }
  }
}

OutputFlags output_flags(std::uint8_t flags, int subnormals, bool made, Format format, Bits result) {
  const bool subnormal = made ? is_tiny(format, result) : is_subnormal(format, result);
  const std::uint8_t intermediate = flag_of(Exclusion::SubnormalIntermediate);
  OutputFlags out{flags, flags};
  if (subnormals > 0) out.carried |= intermediate;
  if (subnormals > (made && subnormal ? 1 : 0)) out.result |= intermediate;
  if (subnormal) out.result |= flag_of(Exclusion::SubnormalResult);
  return out;
}

}  // namespace bitpact
