// The same kernels with subnormals counted as zeros by the processor: MXCSR's DAZ and FTZ are what `flush_in` and `flush_out` say
// (x86 tells tininess after rounding, and flushes exact subnormal results too). Elsewhere the exact engine is asked.

#if defined(__x86_64__)

constexpr unsigned kDenormalsAreZero = 0x0040, kFlushToZero = 0x8000;

/// While it lives. A kernel that runs under it is called through a pointer that the compiler cannot see through, so that no
/// arithmetic moves past the modes.
template <unsigned kModes>
class FlushModes {
 public:
  FlushModes() : saved_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(saved_ | kModes); }
  ~FlushModes() { __builtin_ia32_ldmxcsr(saved_); }
  FlushModes(const FlushModes&) = delete;
  FlushModes& operator=(const FlushModes&) = delete;

 private:
  unsigned saved_;
};

template <auto kKernel, unsigned kModes, class Call>
void under_modes(const Call& call) {
  auto kernel = kKernel;
  __asm__ volatile("" : "+r"(kernel));
  const FlushModes<kModes> modes;
  kernel(call);
}

/// 0: neither, 1: in, 2: out, 3: both. The policy's other fields are at their defaults, else empty.
unsigned modes_of(const Policy& policy) {
  Policy rest = policy;
  rest.flush_in = rest.flush_out = false;
  if (rest != Policy{}) return 0;
  return (policy.flush_in ? kDenormalsAreZero : 0U) | (policy.flush_out ? kFlushToZero : 0U);
}

template <auto kKernel, class Call>
auto with_modes(unsigned modes) -> void (*)(const Call&) {
  switch (modes) {
    case kDenormalsAreZero:
      return under_modes<kKernel, kDenormalsAreZero, Call>;
    case kFlushToZero:
      return under_modes<kKernel, kFlushToZero, Call>;
    case kDenormalsAreZero | kFlushToZero:
      return under_modes<kKernel, kDenormalsAreZero | kFlushToZero, Call>;
    default:
      return nullptr;
  }
}

template <class Op>
Kernel flushed_binary(unsigned modes, unsigned uniform) {
  switch (uniform & 3U) {
    case 0:
      return with_modes<&binary<Op, false, false>, KernelCall>(modes);
    case 1:
      return with_modes<&binary<Op, true, false>, KernelCall>(modes);
    case 2:
      return with_modes<&binary<Op, false, true>, KernelCall>(modes);
    default:
      return nullptr;
  }
}

template <class Op>
Kernel flushed_ternary(unsigned modes, unsigned uniform) {
  switch (uniform) {
    case 0:
      return with_modes<&ternary<Op, false, false>, KernelCall>(modes);
    case 1:
      return with_modes<&ternary<Op, true, false>, KernelCall>(modes);
    case 2:
      return with_modes<&ternary<Op, false, true>, KernelCall>(modes);
    default:
      return nullptr;
  }
}

/// f32 and f64 only: what narrower formats flush is not what their f32 arithmetic would.
template <class F>
Kernel flushed(const Instruction& i, unsigned uniform) {
  const unsigned modes = modes_of(i.policy);
  if (modes == 0) return nullptr;
  switch (i.op) {
    case ScalarOp::Add:
      return flushed_binary<Arithmetic<AddOf, F>>(modes, uniform);
    case ScalarOp::Subtract:
      return flushed_binary<Arithmetic<SubtractOf, F>>(modes, uniform);
    case ScalarOp::Multiply:
      return flushed_binary<Arithmetic<MultiplyOf, F>>(modes, uniform);
#if BITPACT_VECTOR_BYTES >= 32
    case ScalarOp::Fma:
      return flushed_ternary<Fused<F>>(modes, uniform);
#endif
    default:
      return nullptr;
  }
}

template <class F>
ChainKernel flushed_fused_chain(const Policy& policy) {
#if BITPACT_VECTOR_BYTES >= 32
  return with_modes<&chain<Fused<F>>, ChainCall>(modes_of(policy));
#else
  (void)policy;
  return nullptr;
#endif
}

#else

template <class F>
Kernel flushed(const Instruction&, unsigned) {
  return nullptr;
}
template <class F>
ChainKernel flushed_fused_chain(const Policy&) {
  return nullptr;
}

#endif
