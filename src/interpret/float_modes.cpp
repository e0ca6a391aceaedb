#include "interpret/float_modes.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace bitpact {

#if defined(__x86_64__)
namespace {
constexpr unsigned kDefaultMxcsr = 0x1f80;  // all exceptions masked, nearest even, neither FTZ nor DAZ
}
DefaultFloatModes::DefaultFloatModes() : saved_(_mm_getcsr()) { _mm_setcsr(kDefaultMxcsr); }
DefaultFloatModes::~DefaultFloatModes() { _mm_setcsr(static_cast<unsigned>(saved_)); }
#elif defined(__aarch64__)
DefaultFloatModes::DefaultFloatModes() {
  __asm__ volatile("mrs %0, fpcr" : "=r"(saved_));
  __asm__ volatile("msr fpcr, %0" : : "r"(0ULL));
}
DefaultFloatModes::~DefaultFloatModes() { __asm__ volatile("msr fpcr, %0" : : "r"(saved_)); }
#else
#error "say how this processor's floating-point modes are set"
#endif

}  // namespace bitpact
