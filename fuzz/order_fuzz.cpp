// Orders as text and as JSON.
#include "contract/normal_form.h"
#include "contract/program_json.h"
#include "fuzz.h"
#include "operators/operator.h"

using namespace bitpact;

namespace {

/// Every leaf is in one chain, every chain but one is merged away, and slots are few. Trees and parts are for one number of
/// leaves.
void check_schedule(const Order& order, std::int64_t n) {
  const auto scheduled = fuzz::accepted({Code::ContractProgram}, [&] { return schedule(order, n); });
  if (!scheduled) return;
  const Schedule& made = *scheduled;
  std::int64_t leaves = 0, chains = 0, merges = 0;
  for (const ScheduleStep& step : made.steps) {
    chains += step.kind == ScheduleStep::Kind::Chain ? 1 : 0;
    merges += step.kind == ScheduleStep::Kind::Merge ? 1 : 0;
    leaves += step.kind == ScheduleStep::Kind::Merge ? 0 : step.count;
    fuzz::must(step.slot >= 0 && step.slot < made.slots && step.other >= 0 && step.other < made.slots, "a slot is out of range");
  }
  fuzz::must(leaves == n, "a schedule does not take every leaf once");
  fuzz::must(chains == merges + 1, "a schedule does not join all of its chains");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Choices choices(data, size);
  const auto n = static_cast<std::int64_t>(choices.below(256)) + 1;
  const auto order = fuzz::accepted({Code::BadAttribute, Code::ContractProgram}, [&] { return parse_order(choices.rest()); });
  if (!order) return -1;
  fuzz::must(parse_order(spelled(*order)) == *order, "an order reads back as another one");
  fuzz::must(!to_text(*order).empty(), "an order has no words");
  const nlohmann::json json = to_json(*order);
  const auto back = fuzz::accepted({Code::ContractValue}, [&] { return read_order(JsonView(json, "")); });  // beyond 2^53
  fuzz::must(!back || *back == *order, "an order's JSON reads back as another one");
  const Order normal = normal_order(*order);
  check_well_formed(normal);
  fuzz::must(normal_order(normal) == normal, "the normal order is no fixed point");
  check_schedule(*order, n);
  check_schedule(normal, n);
  return 0;
}
