// The kernels, written once with GCC's vector extensions and compiled for each tier: BITPACT_TIER, BITPACT_VECTOR_BYTES.
// Each is one IEEE operation an element, or integer code, so that every tier gives the same bits; only NaN payloads may differ,
// and those are made canonical before anything can see them. Nothing here calls libm.
// Deliberately without an include guard; everything but the tier's kKernels is in an unnamed namespace, so that no function
// compiled for one processor is ever linked for another.

namespace bitpact::BITPACT_TIER {
namespace {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;

template <class T, int L>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * L)));
};
template <class T, int L>
using V = typename VectorOf<T, L>::type;

template <int Bytes>
struct Words;
template <>
struct Words<1> {
  using U = u8;
  using I = i8;
};
template <>
struct Words<2> {
  using U = u16;
  using I = i16;
};
template <>
struct Words<4> {
  using U = u32;
  using I = i32;
};
template <>
struct Words<8> {
  using U = u64;
  using I = i64;
};

/// Lanes of one vector whose largest element has that many bytes.
constexpr int lanes_for(int bytes) { return BITPACT_VECTOR_BYTES / bytes; }

#include "interpret/kernels_formats.inl"
#include "interpret/kernels_loops.inl"
#include "interpret/kernels_operations.inl"
#include "interpret/kernels_subnormals.inl"
#include "interpret/kernels_tables.inl"

}  // namespace

const KernelSet kKernels{find, find_multiply_add, find_chain, find_canonicalise};

}  // namespace bitpact::BITPACT_TIER
