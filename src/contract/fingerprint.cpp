// Both fingerprints.
#include "contract/canonical_json.h"
#include "contract/contract_json.h"
#include "contract/normal_form.h"
#include "contract/normal_rules.h"
#include "contract/program_json.h"
#include "tensor/digest.h"

namespace bitpact {

// The exclusions are part of what is hashed only where a rule rests on them: then the equality that the fingerprint stands for
// holds on that domain and no further.
std::string arithmetic_fingerprint(const NumericProgram& program, const Domain& domain) {
  const NormalForm normal = normalise(program, domain);
  nlohmann::json json{{"schema", "bitpact.arithmetic/1"}, {"program", to_json(normal.program)}};
  if (normal.rests_on_domain) json["domain"] = to_json(Domain{exclusions_that_rules_use()});
  return sha256(canonical_json(json));
}

std::string contract_fingerprint(const Contract& contract) { return sha256(canonical_json(to_json(contract))); }

}  // namespace bitpact
