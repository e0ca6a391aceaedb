#include "number/block.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"
#include "number/engine.h"

namespace bitpact {
namespace {

Unpacked unpacked(Format format, Bits bits) { return unpack(layout(format), bits, false); }

/// The exact product of two numbers of at most 32 significant bits each; both finite and not zero.
Unpacked product(const Unpacked& a, const Unpacked& b) {
  Unpacked p;
  p.kind = Class::Normal;
  p.negative = a.negative != b.negative;
  const std::uint64_t significand = (a.significand >> 32) * (b.significand >> 32);
  const int shift = std::countl_zero(significand);
  p.significand = significand << shift;
  p.exponent = a.exponent + b.exponent + 1 - shift;
  return p;
}

/// a / b rounded once; both finite and not zero.
Bits quotient(const Unpacked& a, const Unpacked& b, bool negative, Format result, const Policy& policy) {
  // 62 or 63 bits of it, as for divide().
  const Wide dividend = Wide{a.significand} << 62;
  const auto bits = static_cast<std::uint64_t>(dividend / b.significand);
  const bool rest = Wide{bits} * b.significand != dividend;
  return round_pack(negative, a.exponent - b.exponent - 62, bits, rest, layout(result), policy);
}

Unpacked tensor_scale_of(const BlockFormat& format, Bits bits) {
  if (!format.tensor_scale && bits != unit_tensor_scale)
    refuse(Code::ArithmeticUnsupported, fmt::format("{} has no scale for the whole tensor", format.name));
  return unpacked(Format::F32, bits);
}

bool finite(const Unpacked& a) { return a.kind != Class::NaN && a.kind != Class::Infinity; }

bool below(const Unpacked& a, const Unpacked& b) {
  if (!a.finite_nonzero() || !b.finite_nonzero()) return !a.finite_nonzero() && b.finite_nonzero();
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.significand < b.significand;
}

/// The scale for values of which `greatest` is the greatest magnitude.
Bits choose_scale(const BlockFormat& format, const Unpacked& greatest, const Unpacked& tensor_scale) {
  constexpr Policy saturate{.overflow = Overflow::Saturate};
  const Unpacked largest = unpacked(format.element, largest_finite(format.element));
  switch (format.rule) {
    case BlockScale::PowerOfTwo:
      if (!greatest.finite_nonzero()) return smallest_normal(format.scale);
      // Rounding a power of two clamps it to the scale's range.
      return round_pack(false, greatest.exponent - largest.exponent, 1, false, layout(format.scale), saturate);
    case BlockScale::ToLargest:
      if (!greatest.finite_nonzero()) return positive_zero(format.scale);
      return quotient(greatest, product(largest, tensor_scale), false, format.scale, saturate);
  }
  return 0;
}

}  // namespace

std::optional<BlockFormat> block_format_named(std::string_view name) {
  const auto* row = std::ranges::find(block_format_table, name, &BlockFormat::name);
  return row == block_format_table.end() ? std::nullopt : std::optional(*row);
}

Bits decode_element(const BlockFormat& format, Bits scale, Bits element, Format result, const Policy& policy, Bits tensor_scale) {
  if (!is_float(result)) refuse(Code::ArithmeticUnsupported, fmt::format("{} decoded into {}", format.name, name(result)));
  const Layout& l = layout(result);
  const std::array<Unpacked, 3> factors{tensor_scale_of(format, tensor_scale), unpacked(format.scale, scale),
                                        unpacked(format.element, element)};
  bool negative = false, nan = false, infinite = false, zero = false;
  for (const Unpacked& f : factors) {
    negative = negative != f.negative;
    nan = nan || f.kind == Class::NaN;
    infinite = infinite || f.kind == Class::Infinity;
    zero = zero || f.kind == Class::Zero;
  }
  if (nan || (infinite && zero)) return pack_nan(l, policy);
  if (infinite) return pack_infinity(negative, l, policy);
  if (zero) return pack_zero(negative, l, policy);
  // Scale and element have at most 4 bits each, the tensor's scale 24.
  const Unpacked value = product(factors[0], product(factors[1], factors[2]));
  return round_pack(negative, value.exponent - 63, value.significand, false, l, policy);
}

Block encode_block(const BlockFormat& format, std::span<const Scalar> values, Bits tensor_scale, Rounding rounding) {
  if (values.empty() || values.size() > static_cast<size_t>(format.size))
    refuse(Code::ArithmeticUnsupported,
           fmt::format("a block of {} values in {}, which has {}", values.size(), format.name, format.size));
  const Unpacked whole = tensor_scale_of(format, tensor_scale);
  if (!whole.finite_nonzero() || whole.negative)
    refuse(Code::ArithmeticUnsupported, fmt::format("{} is no scale", to_text({Format::F32, tensor_scale})));
  std::vector<Unpacked> numbers;
  for (const Scalar& value : values) {
    if (!is_float(value.format))
      refuse(Code::ArithmeticUnsupported, fmt::format("{} encoded as {}", name(value.format), format.name));
    numbers.push_back(unpacked(value.format, value.bits));
  }
  Block block;
  if (!std::ranges::all_of(numbers, finite)) {
    block.scale = quiet_nan(format.scale);
    block.elements.assign(values.size(), positive_zero(format.element));
    return block;
  }
  block.scale = choose_scale(format, *std::ranges::max_element(numbers, below), whole);
  const Policy policy{.rounding = rounding, .overflow = Overflow::Saturate};
  const Unpacked scale = unpacked(format.scale, block.scale);
  for (const Unpacked& x : numbers) {
    const bool zero = !x.finite_nonzero() || !scale.finite_nonzero();
    block.elements.push_back(zero ? pack_zero(x.negative, layout(format.element), policy)
                                  : quotient(x, product(scale, whole), x.negative, format.element, policy));
  }
  return block;
}

Bits choose_tensor_scale(const BlockFormat& format, Scalar greatest_magnitude) {
  tensor_scale_of(format, format.tensor_scale ? unit_tensor_scale : 0);
  const Unpacked greatest = unpacked(greatest_magnitude.format, absolute(greatest_magnitude));
  if (!greatest.finite_nonzero()) return unit_tensor_scale;
  const Unpacked range =
      product(unpacked(format.element, largest_finite(format.element)), unpacked(format.scale, largest_finite(format.scale)));
  const Bits scale = quotient(greatest, range, false, Format::F32, {});
  return unpacked(Format::F32, scale).finite_nonzero() ? scale : unit_tensor_scale;
}

}  // namespace bitpact
