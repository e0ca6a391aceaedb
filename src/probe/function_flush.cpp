#include "probe/function_flush.h"

namespace bitpact {
namespace {

void flush_body(ScalarBody& body, bool inputs, bool results) {
  for (Instruction& instruction : body.code) {
    if (!info(instruction.op).rounds || !is_float(instruction.format)) continue;
    instruction.policy.flush_in |= inputs;
    instruction.policy.flush_out |= results;
  }
}

}  // namespace

NumericProgram with_flush(const NumericProgram& program, bool inputs, bool results) {
  NumericProgram flushed = program;
  for (Node& node : flushed.nodes) {
    if (auto* map = std::get_if<Map>(&node)) flush_body(map->body, inputs, results);
    if (auto* fold = std::get_if<Fold>(&node))
      for (ScalarBody* body : {&fold->leaf, &fold->step, &fold->merge, &fold->finish, &fold->start.lift})
        flush_body(*body, inputs, results);
  }
  return flushed;
}

}  // namespace bitpact
