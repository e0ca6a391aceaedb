#include "backends/recorded_traits.h"

#include <fmt/format.h>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

bool target_has_no_fma(const BackendSpec& spec) {
  const auto features = spec.options.find("features");
  return features != spec.options.end() && (";" + features->second + ";").find(";-fma;") != std::string::npos;
}

}  // namespace

Traits recorded_traits(const Backend& backend) {
  if (!backend.ways().stablehlo)
    refuse(Code::BackendLacksForm, "it takes no StableHLO, so nothing can be emitted for it", {"", to_text(backend.spec()), ""});
  Traits traits;
  if (backend.spec().name == "iree") {
    traits.source = "recorded from IREE 3.13.0, llvm-cpu";
    // LLVM lowers a fused multiply-add to multiply and add where the target has no instruction for it.
    if (target_has_no_fma(backend.spec())) {
      traits.contracts_multiply_add = false;
      traits.dot_fuses_products = false;
    }
    const auto opt = backend.spec().options.find("opt");
    // From O2 on, IREE reassociates floating-point reductions.
    if (opt != backend.spec().options.end() && (opt->second == "O2" || opt->second == "O3"))
      traits.reduce_sequential = traits.dot_sequential = false;
    return traits;
  }
  // Of a backend that nothing is recorded of, only steps written one by one are relied on.
  traits.source = "none recorded: no order of dot_general or reduce is relied on";
  traits.dot_sequential = traits.reduce_sequential = false;
  return traits;
}

std::optional<BackendSpec> contract_target(const Backend& backend) {
  BackendSpec spec = backend.spec();
  if (spec.name != "iree" || spec.options.contains("target-cpu") || spec.options.contains("features")) return {};
  // The CPU by its resolved name: "host" with a feature taken away is not a thing that the compiler takes.
  constexpr std::string_view kFlag = "--iree-llvmcpu-target-cpu=";
  const std::string& flags = backend.identity().flags;
  const size_t at = flags.find(kFlag);
  if (at == std::string::npos) return {};
  const size_t begin = at + kFlag.size();
  spec.options["target-cpu"] = flags.substr(begin, flags.find(' ', begin) - begin);
  spec.options["features"] = "-fma";
  return spec;
}

}  // namespace bitpact
