#include "backends/plain_stablehlo.h"

#include <map>

#include "backends/stablehlo/writer.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {

std::string plain_stablehlo(const Problem& problem, const OperandSpec& result) {
  using Form = std::string (*)(const Problem&, const OperandSpec&);
  static const std::map<std::string, Form> forms{{"matmul", plain::matmul},     {"sum", plain::sum},
                                                 {"add", plain::add},           {"residual_add", plain::add},
                                                 {"multiply", plain::multiply}, {"multiply_add", plain::multiply_add},
                                                 {"divide", plain::divide},     {"multiply_subtract", plain::multiply_subtract},
                                                 {"convert", plain::convert},   {"max", plain::max},
                                                 {"argmax", plain::argmax}};
  const auto form = forms.find(problem.op);
  if (form == forms.end()) refuse(Code::BackendLacksOperator, "it has no plain StableHLO form here", {to_text(problem), "", ""});
  return form->second(problem, result);
}

}  // namespace bitpact
