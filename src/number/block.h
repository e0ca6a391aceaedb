// Block formats: runs of elements that share a scale. A value is scale * element (times the tensor's scale, where there is one).
// Sources: OCP Microscaling Formats (MX) 1.0, 5 and 6.3; NVFP4: NVIDIA, "Pretraining Large Language Models with NVFP4"
// (arXiv 2509.25149), section 2 and appendix C. docs/formats.md says where they leave something open and what is done there.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "number/arithmetic.h"

namespace bitpact {

/// How encoding chooses the scale of a block whose greatest magnitude is m.
enum class BlockScale : std::uint8_t {
  PowerOfTwo,  ///< 2^(floor(log2 m) - emax of the element format), clamped to what the scale's format has (MX 6.3)
  ToLargest,   ///< m / (largest element * the tensor's scale), rounded to nearest, ties to even, saturating (NVFP4)
};

struct BlockFormat {
  std::string_view name;
  Format element;
  Format scale;
  int size;  ///< elements that share a scale
  BlockScale rule;
  bool tensor_scale;  ///< there is also an f32 scale for the whole tensor
};

inline constexpr std::array<BlockFormat, 4> block_format_table{{
    {"mxfp8-e4m3", Format::F8E4M3FN, Format::F8E8M0FNU, 32, BlockScale::PowerOfTwo, false},
    {"mxfp8-e5m2", Format::F8E5M2, Format::F8E8M0FNU, 32, BlockScale::PowerOfTwo, false},
    {"mxfp4", Format::F4E2M1FN, Format::F8E8M0FNU, 32, BlockScale::PowerOfTwo, false},
    {"nvfp4", Format::F4E2M1FN, Format::F8E4M3FN, 16, BlockScale::ToLargest, true},
}};

std::optional<BlockFormat> block_format_named(std::string_view name);

/// The f32 one: a tensor without a scale of its own.
inline constexpr Bits unit_tensor_scale = 0x3f800000;

struct Block {
  Bits scale = 0;
  std::vector<Bits> elements;
  bool operator==(const Block&) const = default;
};

/// tensor_scale * scale * element, exact, rounded once into a float format. A NaN among the three, or infinity times zero, is
/// NaN; a NaN scale is so for the whole block. Refuses `arithmetic-unsupported` for a tensor scale that the format does not have,
/// and for a result that is no float.
Bits decode_element(const BlockFormat& format, Bits scale, Bits element, Format result, const Policy& policy = {},
                    Bits tensor_scale = unit_tensor_scale);

/// One block of 1 .. size values of one float format (a tensor's last block may be short). The scale is chosen by the format's
/// rule; each element is value / (scale * tensor scale), exact, rounded once with `rounding` and saturating.
/// - NaN or an infinity among the values: the scale is NaN, the elements are +0.
/// - All values zero: the scale is the smallest there is (2^-127; NVFP4: +0); elements keep their signs.
/// - NVFP4's scale rounded to zero: the elements are zeros of their values' signs.
/// Refuses `arithmetic-unsupported`: no value or too many, values that are no floats, a tensor scale that is not positive and
/// finite or that the format does not have.
Block encode_block(const BlockFormat& format, std::span<const Scalar> values, Bits tensor_scale = unit_tensor_scale,
                   Rounding rounding = Rounding::NearestEven);

/// The tensor's scale that uses the range of both: greatest magnitude / (largest element * largest scale), rounded to f32 to
/// nearest; one where that is zero, infinite or NaN. NVFP4: amax / (6 * 448).
Bits choose_tensor_scale(const BlockFormat& format, Scalar greatest_magnitude);

}  // namespace bitpact
