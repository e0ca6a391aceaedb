// Which kernel carries an instruction.

bool plain(const Policy& policy) { return policy == Policy{}; }

template <class Op>
Kernel binary_for(unsigned uniform) {
  switch (uniform & 3u) {
    case 0:
      return binary<Op, false, false>;
    case 1:
      return binary<Op, true, false>;
    case 2:
      return binary<Op, false, true>;
  }
  return nullptr;
}
template <class Op>
Kernel ternary_for(unsigned uniform) {
  switch (uniform) {
    case 0:
      return ternary<Op, false, false>;
    case 1:
      return ternary<Op, true, false>;
    case 2:
      return ternary<Op, false, true>;
  }
  return nullptr;
}

template <class F>
constexpr bool kNarrow = F::kBytes == 2;

template <class Of, class F>
Kernel arithmetic_for(unsigned uniform) {
  if constexpr (kNarrow<F>) {
    return binary_for<NarrowArithmetic<Of, F>>(uniform);
  } else {
    return binary_for<Arithmetic<Of, F>>(uniform);
  }
}

template <class F>
Kernel fma_for(unsigned uniform) {
#if BITPACT_VECTOR_BYTES >= 32
  if constexpr (!kNarrow<F>) return ternary_for<Fused<F>>(uniform);
#endif
  if constexpr (F::kBytes < 8) return ternary_for<FusedInDouble<F>>(uniform);
  return nullptr;
}

template <class F>
Kernel square_root_for() {
#if defined(__x86_64__)
  if constexpr (kNarrow<F>) {
    return unary<NarrowSquareRoot<F>>;
  } else {
    return unary<SquareRoot<F>>;
  }
#else
  return nullptr;
#endif
}

template <class F, bool Max>
Kernel extremum_for(NanRule nan) {
  return nan == NanRule::Number ? binary<Extremum<F, Max, true>, false, false> : binary<Extremum<F, Max, false>, false, false>;
}

/// Float instructions whose operands have the result's format.
template <class F>
Kernel find_float(const Instruction& i, unsigned uniform) {
  if constexpr (!kNarrow<F>)
    if (const Kernel kernel = flushed<F>(i, uniform)) return kernel;
  switch (i.op) {
    case ScalarOp::Add:
      return plain(i.policy) ? arithmetic_for<AddOf, F>(uniform) : nullptr;
    case ScalarOp::Subtract:
      return plain(i.policy) ? arithmetic_for<SubtractOf, F>(uniform) : nullptr;
    case ScalarOp::Multiply:
      return plain(i.policy) ? arithmetic_for<MultiplyOf, F>(uniform) : nullptr;
    case ScalarOp::Divide:
      return plain(i.policy) ? arithmetic_for<DivideOf, F>(uniform) : nullptr;
    case ScalarOp::Sqrt:
      return plain(i.policy) ? square_root_for<F>() : nullptr;
    case ScalarOp::Fma:
      return plain(i.policy) ? fma_for<F>(uniform) : nullptr;
    case ScalarOp::Negate:
      return unary<SignBit<F, true>>;
    case ScalarOp::Abs:
      return unary<SignBit<F, false>>;
    case ScalarOp::Maximum:
      return uniform == 0 ? extremum_for<F, true>(i.nan) : nullptr;
    case ScalarOp::Minimum:
      return uniform == 0 ? extremum_for<F, false>(i.nan) : nullptr;
    default:
      return nullptr;
  }
}

template <class T>
Kernel find_integer(const Instruction& i) {
  using U = typename Words<sizeof(T)>::U;
  constexpr bool kSigned = static_cast<T>(-1) < T{0};
  const bool wraps = i.policy.overflow == Overflow::Ieee;
  switch (i.op) {
    case ScalarOp::Add:
      return wraps ? binary<Wrapping<U, ScalarOp::Add>, false, false> : nullptr;
    case ScalarOp::Subtract:
      return wraps ? binary<Wrapping<U, ScalarOp::Subtract>, false, false> : nullptr;
    case ScalarOp::Multiply:
      return wraps ? binary<Wrapping<U, ScalarOp::Multiply>, false, false> : nullptr;
    case ScalarOp::And:
      return binary<Wrapping<U, ScalarOp::And>, false, false>;
    case ScalarOp::Or:
      return binary<Wrapping<U, ScalarOp::Or>, false, false>;
    case ScalarOp::Xor:
      return binary<Wrapping<U, ScalarOp::Xor>, false, false>;
    case ScalarOp::ShiftLeft:
      return binary<Wrapping<U, ScalarOp::ShiftLeft>, false, false>;
    case ScalarOp::ShiftRightLogical:
      return binary<Wrapping<U, ScalarOp::ShiftRightLogical>, false, false>;
    case ScalarOp::ShiftRightArithmetic:
      return binary<Wrapping<U, ScalarOp::ShiftRightArithmetic>, false, false>;
    case ScalarOp::Negate:
      return unary<WrappingNegate<U>>;
    case ScalarOp::Abs:
      return kSigned ? unary<WrappingAbsolute<U>> : unary<Copy<U>>;
    case ScalarOp::Maximum:
      return binary<IntegerExtremum<T, true>, false, false>;
    case ScalarOp::Minimum:
      return binary<IntegerExtremum<T, false>, false, false>;
    default:
      return nullptr;
  }
}

template <class T>
Kernel find_compare(Comparison comparison) {
  switch (comparison) {
    case Comparison::EQ:
      return binary<Compared<T, Comparison::EQ>, false, false>;
    case Comparison::NE:
      return binary<Compared<T, Comparison::NE>, false, false>;
    case Comparison::LT:
      return binary<Compared<T, Comparison::LT>, false, false>;
    case Comparison::LE:
      return binary<Compared<T, Comparison::LE>, false, false>;
    case Comparison::GT:
      return binary<Compared<T, Comparison::GT>, false, false>;
    case Comparison::GE:
      return binary<Compared<T, Comparison::GE>, false, false>;
  }
  return nullptr;
}
template <class F>
Kernel find_narrow_compare(Comparison comparison) {
  switch (comparison) {
    case Comparison::EQ:
      return binary<NarrowCompared<F, Comparison::EQ>, false, false>;
    case Comparison::NE:
      return binary<NarrowCompared<F, Comparison::NE>, false, false>;
    case Comparison::LT:
      return binary<NarrowCompared<F, Comparison::LT>, false, false>;
    case Comparison::LE:
      return binary<NarrowCompared<F, Comparison::LE>, false, false>;
    case Comparison::GT:
      return binary<NarrowCompared<F, Comparison::GT>, false, false>;
    case Comparison::GE:
      return binary<NarrowCompared<F, Comparison::GE>, false, false>;
  }
  return nullptr;
}
Kernel find_compare(Format format, Comparison comparison) {
  switch (format) {
    case Format::F64:
      return find_compare<double>(comparison);
    case Format::F32:
      return find_compare<float>(comparison);
    case Format::BF16:
      return find_narrow_compare<BF16>(comparison);
    case Format::F16:
      return find_narrow_compare<F16>(comparison);
    case Format::I64:
      return find_compare<i64>(comparison);
    case Format::I32:
      return find_compare<i32>(comparison);
    case Format::I16:
      return find_compare<i16>(comparison);
    case Format::I8:
      return find_compare<i8>(comparison);
    case Format::UI64:
      return find_compare<u64>(comparison);
    case Format::UI32:
      return find_compare<u32>(comparison);
    case Format::UI16:
      return find_compare<u16>(comparison);
    case Format::UI8:
    case Format::I1:
      return find_compare<u8>(comparison);
    default:
      return nullptr;
  }
}

Kernel find_select(Format format) {
  switch (info(format).storage_bytes) {
    case 1:
      return ternary<Selected<u8>, false, false>;
    case 2:
      return ternary<Selected<u16>, false, false>;
    case 4:
      return ternary<Selected<u32>, false, false>;
    case 8:
      return ternary<Selected<u64>, false, false>;
  }
  return nullptr;
}

Kernel find_canonicalise(Format format) {
  switch (format) {
    case Format::F64:
      return unary<Canonicalise<F64>>;
    case Format::F32:
      return unary<Canonicalise<F32>>;
    case Format::BF16:
      return unary<Canonicalise<BF16>>;
    case Format::F16:
      return unary<Canonicalise<F16>>;
    case Format::TF32:
      return unary<Canonicalise<Encoding<Format::TF32, u32>>>;
    case Format::F8E5M2:
      return unary<Canonicalise<Encoding<Format::F8E5M2, u8>>>;
    case Format::F8E4M3FN:
      return unary<Canonicalise<Encoding<Format::F8E4M3FN, u8>>>;
    default:  // none, or one only
      return nullptr;
  }
}

Kernel find_bitcast(Format from) {
  if (is_float(from)) return find_canonicalise(from);
  switch (info(from).storage_bytes) {
    case 1:
      return unary<Copy<u8>>;
    case 2:
      return unary<Copy<u16>>;
    case 4:
      return unary<Copy<u32>>;
    case 8:
      return unary<Copy<u64>>;
  }
  return nullptr;
}

/// To nearest, ties to even. Widening is exact under any rounding, but flushing and saturating are left to the exact engine.
Kernel find_convert(Format from, const Instruction& i) {
  if (!plain(i.policy)) return nullptr;
  auto is = [&](Format a, Format b) { return from == a && i.format == b; };
  if (is(Format::BF16, Format::F32)) return unary<ToF32<BF16>>;
  if (is(Format::F16, Format::F32)) return unary<ToF32<F16>>;
  if (is(Format::F32, Format::BF16)) return unary<FromF32<BF16>>;
  if (is(Format::F32, Format::F16)) return unary<FromF32<F16>>;
  if (is(Format::BF16, Format::F64)) return unary<NarrowToF64<BF16>>;
  if (is(Format::F16, Format::F64)) return unary<NarrowToF64<F16>>;
  if (is(Format::F64, Format::BF16)) return unary<NarrowFromF64<BF16>>;
  if (is(Format::F64, Format::F16)) return unary<NarrowFromF64<F16>>;
  if (is(Format::F32, Format::F64)) return unary<Converted<float, double>>;
  if (is(Format::F64, Format::F32)) return unary<Converted<double, float>>;
  if (is(Format::I32, Format::F32)) return unary<Converted<i32, float>>;
  if (is(Format::I32, Format::F64)) return unary<Converted<i32, double>>;
  return nullptr;
}

Kernel find(const Instruction& i, std::span<const Format> formats, unsigned uniform) {
  if (i.op == ScalarOp::Constant || (formats.size() == 1 && uniform != 0)) return nullptr;
  if (i.op == ScalarOp::Convert) return find_convert(formats[0], i);
  if (i.op == ScalarOp::Bitcast) return find_bitcast(formats[0]);
  if (i.op == ScalarOp::Compare) return uniform == 0 ? find_compare(formats[0], i.comparison) : nullptr;
  if (i.op == ScalarOp::Select) return uniform == 0 ? find_select(i.format) : nullptr;
  for (Format format : formats)
    if (format != i.format) return nullptr;
  if (!is_float(i.format) && uniform != 0) return nullptr;
  switch (i.format) {
    case Format::F64:
      return find_float<F64>(i, uniform);
    case Format::F32:
      return find_float<F32>(i, uniform);
    case Format::BF16:
      return find_float<BF16>(i, uniform);
    case Format::F16:
      return find_float<F16>(i, uniform);
    case Format::I64:
      return find_integer<i64>(i);
    case Format::I32:
      return find_integer<i32>(i);
    case Format::I16:
      return find_integer<i16>(i);
    case Format::I8:
      return find_integer<i8>(i);
    case Format::UI64:
      return find_integer<u64>(i);
    case Format::UI32:
      return find_integer<u32>(i);
    case Format::UI16:
      return find_integer<u16>(i);
    case Format::UI8:
    case Format::I1:
      return find_integer<u8>(i);
    default:  // the exact engine
      return nullptr;
  }
}

Kernel find_multiply_add(Format format, unsigned uniform) {
  if (format == Format::F32) return ternary_for<MultiplyAdd<F32>>(uniform);
  if (format == Format::F64) return ternary_for<MultiplyAdd<F64>>(uniform);
  return nullptr;
}

ChainKernel find_chain(Format format, bool fused_product, const Policy& policy) {
  if (!plain(policy)) {
    if (!fused_product) return nullptr;
    if (format == Format::F32) return flushed_fused_chain<F32>(policy);
    return format == Format::F64 ? flushed_fused_chain<F64>(policy) : nullptr;
  }
  if (!fused_product && format == Format::F32) return chain<MultiplyAdd<F32>>;
  if (!fused_product && format == Format::F64) return chain<MultiplyAdd<F64>>;
#if BITPACT_VECTOR_BYTES >= 32
  if (fused_product && format == Format::F32) return chain<Fused<F32>>;
  if (fused_product && format == Format::F64) return chain<Fused<F64>>;
#endif
  return nullptr;
}
