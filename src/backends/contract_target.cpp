#include "backends/contract_target.h"

namespace bitpact {

std::optional<BackendSpec> contract_target(const Backend& backend, const NumericProgram& program) {
  BackendSpec spec = backend.spec();
  if (spec.name != "iree") return {};
  // An FMA of f64 has nothing wider to be made of: there the target's own contraction is wanted.
  if (computes_in(program, Format::F64) && !spec.options.contains("demote-f64")) {
    spec.options["demote-f64"] = "false";
    return spec;
  }
  if (spec.options.contains("target-cpu") || spec.options.contains("features")) return {};
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
