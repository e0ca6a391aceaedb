// What the floating-point environment of the calling thread does.
#pragma once

#include <cfenv>
#include <string>

inline constexpr const char* kDefaultEnvironment = "subnormals kept, to nearest";

inline std::string environment() {
  volatile float smallest = 0x1p-149f, small = 0x1p-126f, half = 0.5f;
  const bool in_kept = smallest * 0x1p100f != 0;
  const bool out_kept = small * half != 0;
  std::string text = in_kept && out_kept ? "subnormals kept" : "subnormals flushed";
  text += std::fegetround() == FE_TONEAREST ? ", to nearest" : ", another rounding";
  return text;
}
