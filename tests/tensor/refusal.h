// What a call is refused with.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "diagnostic/diagnostic.h"

namespace bitpact {

template <typename Call>
std::optional<Code> refusal(Call&& call) {
  try {
    call();
  } catch (const Refused& refused) {
    return refused.diagnostic().code;
  }
  return std::nullopt;
}

}  // namespace bitpact
