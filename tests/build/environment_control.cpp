// Compiled like everything else, but linked with -ffast-math: what environment_test.cpp must be able to see.
#include <cstdio>

#include "build/environment.h"

int main() {
  std::fputs(environment().c_str(), stdout);
  return 0;
}
