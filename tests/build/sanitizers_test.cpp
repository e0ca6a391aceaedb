// Controls: each sanitizer of this build ends a program that is wrong on purpose, by its report.
#include <gtest/gtest.h>

#include <climits>
#include <thread>

namespace {

[[maybe_unused]] int read_after_free() {
  volatile int* value = new int(1);
  delete value;
  return *value;
}

volatile int largest = INT_MAX, sink = 0;

[[maybe_unused]] void overflow() { sink = largest + 1; }

[[maybe_unused]] int race() {
  int value = 0;
  std::thread other([&] { ++value; });
  ++value;
  other.join();
  return value;
}

#ifdef BITPACT_SANITIZE_address
TEST(Address, EndsProgramsThatAreWrong) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(read_after_free(), "AddressSanitizer: heap-use-after-free");
  EXPECT_DEATH(overflow(), "signed integer overflow");
}
#endif

#ifdef BITPACT_SANITIZE_thread
TEST(Thread, EndsProgramsThatAreWrong) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(race() == 0 ? 1 : 0), testing::ExitedWithCode(66), "ThreadSanitizer: data race");
}
#endif

}  // namespace
