// What every fuzz target stands on: a target takes any bytes, and ends the process where something that must hold does not.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "diagnostic/diagnostic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace bitpact::fuzz {

/// A finding: says what was broken and ends the process, so that libFuzzer keeps the input.
[[noreturn]] inline void finding(std::string_view what) {
  std::fprintf(stderr, "finding: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

inline void must(bool holds, std::string_view what) {
  if (!holds) finding(what);
}

/// The value, or nothing where `make` refused with a code that is `named` (a stable code, "worker-died"). Any other refusal is a
/// finding, and so is every other exception, which nobody catches.
template <typename Named, typename Make>
auto accepted_if(const Named& named, const Make& make) -> std::optional<decltype(make())> {
  try {
    return make();
  } catch (const Refused& refused) {
    if (named(info(refused.diagnostic().code).name)) return std::nullopt;
    finding(to_text(refused.diagnostic()));
  }
}

/// The same with a list of codes.
template <typename Make>
auto accepted(std::initializer_list<Code> codes, const Make& make) {
  return accepted_if(
      [codes](std::string_view name) {
        for (Code code : codes)
          if (info(code).name == name) return true;
        return false;
      },
      make);
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The first bytes of an input, used up as small choices; the rest is the text.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  /// 0 .. n - 1; 0 where the bytes have run out.
  std::size_t below(std::size_t n) {
    if (size_ == 0) return 0;
    --size_;
    return *data_++ % n;
  }
  std::string_view rest() const { return text_of(data_, size_); }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

}  // namespace bitpact::fuzz
