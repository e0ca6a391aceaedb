// Runs a contract on operands made by the recipe, in this process: consumer CONTRACT "PROBLEM LINE".
#include <cstdio>
#include <string>

#include "contract/contract.h"
#include "diagnostic/diagnostic.h"
#include "interpret/interpret.h"
#include "operators/catalogue.h"
#include "operators/operator.h"
#include "operators/recipe.h"
#include "tensor/digest.h"

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  const bitpact::Contract contract = bitpact::read_contract_file(argv[1]);
  const bitpact::Resolved problem = bitpact::resolve(std::string_view(argv[2]));
  const bitpact::Covered covered = bitpact::cover(contract, problem);
  const auto operands = bitpact::make_operands({}, problem.problem.operands, problem.binding.operands, problem.binding.result);
  const bitpact::Interpreted ran = bitpact::interpret(covered.program, operands);
  std::printf("arithmetic %s\n", bitpact::arithmetic_fingerprint(covered.piece->program, covered.piece->operands).c_str());
  std::printf("result     %s\n", bitpact::sha256(std::span<const bitpact::Tensor>(ran.results)).c_str());
  return 0;
} catch (const bitpact::Refused& refused) {
  std::fprintf(stderr, "%s\n", refused.what());
  return bitpact::info(refused.diagnostic().code).exit;
}
