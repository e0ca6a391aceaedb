// The floating-point environment of a process that links every library of the project is the default one: nobody's start-up code
// (crtfastmath.o, say, which -ffast-math adds to a link) flushes subnormals or changes the rounding.
#include "build/environment.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

namespace {

TEST(Environment, IsTheDefaultInEveryThread) {
  EXPECT_EQ(environment(), kDefaultEnvironment);
  std::string in_thread;
  std::thread([&] { in_thread = environment(); }).join();
  EXPECT_EQ(in_thread, kDefaultEnvironment);
}

TEST(Environment, TheControlIsNotTheDefault) {
  const std::unique_ptr<FILE, int (*)(FILE*)> control(popen(BITPACT_ENVIRONMENT_CONTROL, "r"), pclose);
  ASSERT_TRUE(control);
  char line[200] = "";
  ASSERT_TRUE(std::fgets(line, sizeof line, control.get()));
  EXPECT_NE(line, std::string(kDefaultEnvironment))
      << "a program linked with -ffast-math looks like any other: this test sees nothing";
  EXPECT_NE(std::string(line).find("subnormals flushed"), std::string::npos) << line;
}

}  // namespace
