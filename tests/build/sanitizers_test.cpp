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

[[maybe_unused]] int read_beyond_the_stack(int at) {
  volatile int values[4] = {1, 2, 3, 4};
  return *(values + at);
}

[[maybe_unused]] int overflow(volatile int value) { return value + 1; }

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
  volatile int beyond = 4;
  EXPECT_DEATH(read_beyond_the_stack(beyond), "AddressSanitizer: stack-buffer-overflow");
  EXPECT_DEATH(overflow(INT_MAX), "signed integer overflow");
}
#endif

#ifdef BITPACT_SANITIZE_thread
TEST(Thread, EndsProgramsThatAreWrong) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(race() == 0 ? 1 : 0), testing::ExitedWithCode(66), "ThreadSanitizer: data race");
}
#endif

}  // namespace
