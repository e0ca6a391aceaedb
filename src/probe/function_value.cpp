#include "probe/function_value.h"

#include <fmt/format.h>

namespace bitpact {

std::string value_text(Format format, Bits bits) {
  return fmt::format("{} ({})", to_text(Scalar{format, bits}), to_hex({format, bits}));
}

nlohmann::json value_json(Format format, Bits bits) {
  return {{"bits", to_hex({format, bits})}, {"value", to_text(Scalar{format, bits})}};
}

}  // namespace bitpact
