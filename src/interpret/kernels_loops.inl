// Runs an operation over lanes: whole vectors, then one partial vector that is filled up with zeros.

template <class T, int L>
V<T, L> load(const void* at, i64 i) {
  V<T, L> v;
  __builtin_memcpy(&v, static_cast<const T*>(at) + i, sizeof v);
  return v;
}
template <class T, int L>
V<T, L> load_part(const void* at, i64 i, i64 count) {
  V<T, L> v{};
  __builtin_memcpy(&v, static_cast<const T*>(at) + i, static_cast<size_t>(count) * sizeof(T));
  return v;
}
template <class T, int L>
V<T, L> splat(const void* at) {
  T one;
  __builtin_memcpy(&one, at, sizeof one);
  V<T, L> v;
  for (int l = 0; l < L; ++l) v[l] = one;
  return v;
}
template <class T, int L>
void store(void* at, i64 i, V<T, L> v) {
  __builtin_memcpy(static_cast<T*>(at) + i, &v, sizeof v);
}
template <class T, int L>
void store_part(void* at, i64 i, i64 count, V<T, L> v) {
  __builtin_memcpy(static_cast<T*>(at) + i, &v, static_cast<size_t>(count) * sizeof(T));
}

template <class T, int L, bool Uniform>
struct In {
  explicit In(const void* pointer) : at(pointer) {
    if constexpr (Uniform) all = splat<T, L>(pointer);
  }
  V<T, L> whole(i64 i) const {
    if constexpr (Uniform) return all;
    return load<T, L>(at, i);
  }
  V<T, L> part(i64 i, i64 count) const {
    if constexpr (Uniform) return all;
    return load_part<T, L>(at, i, count);
  }
  const void* at;
  V<T, L> all{};
};

template <class Op>
void unary(const KernelCall& call) {
  constexpr int L = Op::kLanes;
  const In<typename Op::A, L, false> a(call.in[0]);
  i64 i = 0;
  for (; i + L <= call.lanes; i += L) store<typename Op::Out, L>(call.out, i, Op::run(a.whole(i)));
  if (const i64 rest = call.lanes - i; rest > 0) store_part<typename Op::Out, L>(call.out, i, rest, Op::run(a.part(i, rest)));
}

template <class Op, bool UA, bool UB>
void binary(const KernelCall& call) {
  constexpr int L = Op::kLanes;
  const In<typename Op::A, L, UA> a(call.in[0]);
  const In<typename Op::B, L, UB> b(call.in[1]);
  i64 i = 0;
  for (; i + L <= call.lanes; i += L) store<typename Op::Out, L>(call.out, i, Op::run(a.whole(i), b.whole(i)));
  if (const i64 rest = call.lanes - i; rest > 0)
    store_part<typename Op::Out, L>(call.out, i, rest, Op::run(a.part(i, rest), b.part(i, rest)));
}

template <class Op, bool UA, bool UB>
void ternary(const KernelCall& call) {
  constexpr int L = Op::kLanes;
  const In<typename Op::A, L, UA> a(call.in[0]);
  const In<typename Op::B, L, UB> b(call.in[1]);
  const In<typename Op::C, L, false> c(call.in[2]);
  i64 i = 0;
  for (; i + L <= call.lanes; i += L) store<typename Op::Out, L>(call.out, i, Op::run(a.whole(i), b.whole(i), c.whole(i)));
  if (const i64 rest = call.lanes - i; rest > 0)
    store_part<typename Op::Out, L>(call.out, i, rest, Op::run(a.part(i, rest), b.part(i, rest), c.part(i, rest)));
}

/// The lanes' states stay in registers, kBlock vectors at a time, while all leaves pass.
template <class Op, int Block>
void chain_block(const ChainCall& call, i64 lane) {
  using T = typename Op::Out;
  constexpr int L = Op::kLanes;
  V<T, L> state[Block];
#pragma GCC unroll 8
  for (int v = 0; v < Block; ++v) state[v] = load<T, L>(call.out, lane + v * L);
  const std::byte* a = call.a;
  const std::byte* b = call.b;
  for (i64 leaf = 0; leaf < call.leaves; ++leaf, a += call.a_move, b += call.b_move) {
    const V<T, L> factor = splat<T, L>(a);
#pragma GCC unroll 8
    for (int v = 0; v < Block; ++v) state[v] = Op::run(factor, load<T, L>(b, lane + v * L), state[v]);
  }
#pragma GCC unroll 8
  for (int v = 0; v < Block; ++v) store<T, L>(call.out, lane + v * L, state[v]);
}

template <class Op>
void chain(const ChainCall& call) {
  using T = typename Op::Out;
  constexpr int L = Op::kLanes;
  i64 lane = 0;
  for (; lane + 8 * L <= call.lanes; lane += 8 * L) chain_block<Op, 8>(call, lane);
  for (; lane + L <= call.lanes; lane += L) chain_block<Op, 1>(call, lane);
  const i64 rest = call.lanes - lane;
  if (rest == 0) return;
  V<T, L> state = load_part<T, L>(call.out, lane, rest);
  for (i64 leaf = 0; leaf < call.leaves; ++leaf)
    state = Op::run(splat<T, L>(call.a + leaf * call.a_move), load_part<T, L>(call.b + leaf * call.b_move, lane, rest), state);
  store_part<T, L>(call.out, lane, rest, state);
}
