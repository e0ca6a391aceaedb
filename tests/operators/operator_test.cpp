// Rules that operators keep about themselves.
#include "operators/operator.h"

#include <gtest/gtest.h>

#include "diagnostic/diagnostic.h"
#include "operators/catalogue.h"

namespace bitpact {
namespace {

TEST(Operator, CitingAClauseThatDoesNotExistIsABrokenRule) {
  try {
    violated(operator_named("add"), "C99", "nothing");
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, Code::Internal);
  }
}

TEST(Operator, EveryClauseIsCited) {
  for (const Operator& op : catalogue())
    for (const Clause& clause : op.clauses) EXPECT_THROW(violated(op, clause.label, "seen"), Refused);
}

}  // namespace
}  // namespace bitpact
