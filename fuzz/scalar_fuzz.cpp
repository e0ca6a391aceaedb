// Literals: what is read as a format's bits, against the standard library where it has the format, and text both ways.
#include <bit>
#include <charconv>

#include "fuzz.h"
#include "number/arithmetic.h"
#include "number/literal.h"

using namespace bitpact;

namespace {

/// std::from_chars takes no '+', no "0x", and says nothing about the value beyond the range.
template <typename Float, typename Word>
void compare_with_standard_library(std::string_view text, std::optional<Bits> ours) {
  std::string_view plain = text;
  if (plain.starts_with('+')) plain.remove_prefix(1);
  const bool negative = plain.starts_with('-');
  if (negative && text.starts_with('+')) return;
  std::string_view digits = negative ? plain.substr(1) : plain;
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (digits.empty() || digits.front() == '-' || digits.front() == '+' || digits.find_first_of("nN") != std::string_view::npos)
    return;
  if (digits.find("+-") != std::string_view::npos) return;  // libstdc++ 12 takes p+-1 for p-1
  if (hexadecimal) digits.remove_prefix(2);
  if (hexadecimal && (digits.starts_with('-') || digits.find_first_of("pP") == std::string_view::npos)) return;
  Float value = 0;
  const auto [end, error] =
      std::from_chars(digits.begin(), digits.end(), value, hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (end != digits.end() || error == std::errc::invalid_argument) {
    fuzz::must(!ours, "a literal is read that the standard library does not read");
    return;
  }
  fuzz::must(ours.has_value(), "a literal is not read that the standard library reads");
  if (error == std::errc::result_out_of_range) return;
  fuzz::must(*ours == std::bit_cast<Word>(negative ? -value : value),
             "a literal is read as other bits than the standard library's");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Choices choices(data, size);
  const auto& formats = all_formats();
  const FormatInfo& format = formats[choices.below(formats.size())];
  const std::string_view text = choices.rest();
  const auto bits = parse_scalar(text, format.format);
  if (text.size() < 2000) {
    if (format.format == Format::F64) compare_with_standard_library<double, std::uint64_t>(text, bits);
    if (format.format == Format::F32) compare_with_standard_library<float, std::uint32_t>(text, bits);
  }
  if (!bits) return -1;
  fuzz::must(format.bits == 64 || *bits >> format.bits == 0, "bits beyond the format's width");
  const Scalar value{format.format, *bits};
  const std::string shown = to_text(value);
  const auto back = parse_scalar(shown, format.format);
  fuzz::must(back == bits, "a value's text reads back as other bits");
  fuzz::must(to_text({format.format, *back}) == shown, "a value's text is no fixed point");
  fuzz::must(shown.size() < 32, "a value's text is long");
  return 0;
}
