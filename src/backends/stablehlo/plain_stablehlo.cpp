#include "backends/plain_stablehlo.h"

#include <map>

#include "backends/stablehlo/writer.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {

std::string plain_stablehlo(const Problem& problem, const OperandSpec& result) {
  using Form = std::string (*)(const Problem&, const OperandSpec&);
  static const std::map<std::string, Form> forms{{"add", plain::add},
                                                 {"argmax", plain::argmax},
                                                 {"ceil", plain::ceil},
                                                 {"convert", plain::convert},
                                                 {"cumsum", plain::cumsum},
                                                 {"divide", plain::divide},
                                                 {"dot", plain::dot},
                                                 {"dynamic_quantize", plain::dynamic_quantize},
                                                 {"erf", plain::erf},
                                                 {"exp", plain::exp},
                                                 {"exp2", plain::exp2},
                                                 {"expm1", plain::expm1},
                                                 {"floor", plain::floor},
                                                 {"gelu", plain::gelu},
                                                 {"integer_matmul", plain::integer_matmul},
                                                 {"log", plain::log},
                                                 {"log1p", plain::log1p},
                                                 {"matmul", plain::matmul},
                                                 {"max", plain::max},
                                                 {"mean", plain::mean},
                                                 {"multiply", plain::multiply},
                                                 {"multiply_add", plain::multiply_add},
                                                 {"multiply_subtract", plain::multiply_subtract},
                                                 {"pad", plain::pad},
                                                 {"quantize", plain::quantize},
                                                 {"reciprocal", plain::reciprocal},
                                                 {"reshape", plain::reshape},
                                                 {"reverse", plain::reverse},
                                                 {"round_nearest_afz", plain::round_nearest_afz},
                                                 {"round_nearest_even", plain::round_nearest_even},
                                                 {"rsqrt", plain::rsqrt},
                                                 {"sigmoid", plain::sigmoid},
                                                 {"sin", plain::sin},
                                                 {"cos", plain::cos},
                                                 {"slice", plain::slice},
                                                 {"sqrt", plain::sqrt},
                                                 {"sum", plain::sum},
                                                 {"tanh", plain::tanh},
                                                 {"transpose", plain::transpose},
                                                 {"residual_add", plain::add}};
  const auto form = forms.find(problem.op);
  if (form == forms.end()) refuse(Code::BackendLacksOperator, "it has no plain StableHLO form here", {to_text(problem), "", ""});
  return form->second(problem, result);
}

}  // namespace bitpact
