#include "verdict/lock.h"

#include <gtest/gtest.h>

namespace bitpact {
namespace {

TEST(LockList, ReadsProblemsAndBackendsInCanonicalText) {
  const auto list = parse_lock_list(
      "# what we rely on\n\nsum 8x64xf32;backend=iree[features=-fma;-avx2,opt=O2] # why\nadd 4xf32,4xf32 ; backend=mlx\n", "f");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].problem, "sum 8x64xf32 axis=1");
  EXPECT_EQ(list[0].backend, "iree[features=-fma;-avx2,opt=O2]");
  EXPECT_EQ(list[0].number, 3);
  EXPECT_EQ(list[1].backend, "mlx");
}

TEST(LockList, ABracketThatIsNeverClosedHidesNothing) {
  try {
    parse_lock_list("add 4xf32,4xf32 ; backend=iree[opt=O2 ; colour=red", "f");
    ADD_FAILURE();
  } catch (const Refused& refused) {
    EXPECT_NE(refused.diagnostic().reason.find("f:1: 'colour=red'"), std::string::npos) << refused.diagnostic().reason;
  }
}

/// A line with a contract, and one without.
Lock small_lock() {
  Lock lock;
  LockedLine line;
  const Resolved problem = resolve("sum 4x8xf32");
  line.problem = to_text(problem.problem);
  line.backend = "mlx";
  line.identity = {"mlx", "1", "none", "cpu", "none", "none", "1", "unobserved"};
  line.contract = contract_from_choices(problem, {{"order", "interleaved(2)"}}, {});
  line.contract->identity = line.identity;
  line.contract->established = {"probed", "sampled", "by hand"};
  line.contract->verified = {line.problem};
  line.parts = {{"all", {{"order", "interleaved(2)"}}, "inputs"}};
  line.others = 7;
  line.parted = 5;
  line.questions = {{{line.problem, {}}, 4, "sha256:" + std::string(64, 'a')}};
  lock.lines.push_back(line);
  line.contract.reset();
  line.parts.clear();
  line.problem = "sum 4x9xf32 axis=1";
  line.questions = {{{line.problem, {}}, 4, "sha256:" + std::string(64, 'b')}};
  line.unknown = LockedUnknown{"not-a-tree", "why"};
  lock.lines.push_back(line);
  lock.one_length = true;
  return lock;
}

TEST(LockFile, ReadsBackAsItWasWritten) {
  const std::string bytes = write_lock(small_lock());
  const Lock lock = read_lock(bytes, "f");
  EXPECT_EQ(write_lock(lock), bytes);
  ASSERT_EQ(lock.lines.size(), 2U);
  EXPECT_TRUE(lock.one_length);
  EXPECT_EQ(lock.lines[0].contract, small_lock().lines[0].contract);
  EXPECT_EQ(lock.lines[0].parts, small_lock().lines[0].parts);
  EXPECT_EQ(lock.lines[0].others, 7);
  EXPECT_EQ(lock.lines[0].parted, 5);
  EXPECT_FALSE(lock.lines[1].contract);
  EXPECT_EQ(lock.lines[1].unknown->code, "not-a-tree");
}

TEST(LockFile, WhatCannotBeReadBackIsNotWritten) {
  Lock lock = small_lock();
  lock.lines[0].questions[0].outputs = 5;
  EXPECT_THROW(write_lock(lock), Refused);
  lock = small_lock();
  lock.lines[0].contract = contract_from_choices(resolve("add 4xf32,4xf32"), {}, {});
  lock.lines[0].contract->identity = lock.lines[0].identity;
  lock.lines[0].contract->established = {"probed", "sampled", "of another operator"};
  EXPECT_THROW(write_lock(lock), Refused);
}

}  // namespace
}  // namespace bitpact
