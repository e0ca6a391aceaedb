// Every kernel of every tier against the exact engine.
#include "interpret/kernels.h"

#include <gtest/gtest.h>

#include "interpret/random_program.h"
#include "interpret/same.h"

using namespace bitpact;
using namespace bitpact::test;

namespace {

std::vector<Bits> boundary_operands(Format format) {
  std::vector<Bits> all;
  if (!is_float(format)) {
    for (Bits v = 0; v < 9; ++v) all.insert(all.end(), {v & mask_of(format), (Bits{0} - v) & mask_of(format)});
    for (int bit = 3; bit < info(format).bits; ++bit) all.insert(all.end(), {Bits{1} << bit, (Bits{1} << bit) - 1});
    return all;
  }
  if (info(format).bits <= 8) {
    for (Bits v = 0; v <= mask_of(format); ++v) all.push_back(v);
    return all;
  }
  for (bool negative : {false, true}) {
    all.insert(all.end(), {negative ? negative_zero(format) : positive_zero(format), infinity(format, negative),
                           infinity(format, negative) + 1, largest_finite(format, negative), largest_finite(format, negative) - 1,
                           smallest_normal(format, negative), smallest_normal(format, negative) + 1,
                           smallest_normal(format, negative) - 1, smallest_subnormal(format, negative),
                           smallest_subnormal(format, negative) + 1, smallest_normal(format, negative) / 2 + 1});
    const Bits sign = negative ? negative_zero(format) : 0;
    for (Bits step = 0; step < 3; ++step) all.insert(all.end(), {(one(format) + step) | sign, (one(format) - step) | sign});
    all.push_back((one(format) + smallest_normal(format) * 3 / 2) | sign);
  }
  return all;
}

/// Whether the processor's own arithmetic serves the format; the exact engine runs the others.
bool has_kernels(Format format) {
  const FormatInfo& row = info(format);
  if (!is_float(format)) return row.bits != 4;
  return row.bits >= 16 && format != Format::TF32;
}

/// Elements as a tensor has them.
std::vector<std::byte> stored(Format format, const std::vector<Bits>& values) {
  const auto bytes = static_cast<size_t>(info(format).storage_bytes);
  std::vector<std::byte> data(values.size() * bytes);
  for (size_t i = 0; i < values.size(); ++i) store_bits(data.data() + i * bytes, static_cast<int>(bytes), values[i]);
  return data;
}

/// Runs one kernel on lanes of operands and compares each lane; `uniform` operands are their first element.
void check_lanes(Kernel kernel, const Instruction& i, const std::vector<Format>& formats,
                 const std::vector<std::vector<Bits>>& lanes, unsigned uniform, const char* tier) {
  const size_t count = lanes[0].size();
  std::vector<std::vector<std::byte>> operands;
  for (size_t a = 0; a < formats.size(); ++a) operands.push_back(stored(formats[a], lanes[a]));
  const int bytes = info(i.format).storage_bytes;
  std::vector<std::byte> out((count + 1) * static_cast<size_t>(bytes), std::byte{0x5a});
  KernelCall call;
  call.out = out.data();
  for (size_t a = 0; a < formats.size(); ++a) call.in[a] = operands[a].data();
  call.lanes = static_cast<std::int64_t>(count);
  kernel(call);
  for (size_t l = 0; l < count; ++l) {
    std::vector<Scalar> scalars;
    for (size_t a = 0; a < formats.size(); ++a) scalars.push_back({formats[a], lanes[a][(uniform >> a & 1U) != 0 ? 0 : l]});
    const Bits expected = with_quiet_nan(i.format, evaluate(i, scalars));
    const Bits actual = with_quiet_nan(i.format, load_bits(out.data() + l * static_cast<size_t>(bytes), bytes));
    ASSERT_EQ(expected, actual) << tier << " " << info(i.op).name << " " << name(formats[0]) << " -> " << name(i.format) << " of "
                                << to_hex(scalars[0]) << (formats.size() > 1 ? " " + to_hex(scalars[1]) : "")
                                << (formats.size() > 2 ? " " + to_hex(scalars[2]) : "") << ", lane " << l << " of " << count;
  }
  ASSERT_EQ(out.back(), std::byte{0x5a}) << "a lane too many was written";
}

constexpr std::array<const char*, 4> kTiers{"auto", "baseline", "v3", "v4"};

/// Boundary operands in all combinations (up to a limit), random ones, and short runs for the tails. Returns whether there is a
/// kernel.
bool check_instruction(Simd simd, const Instruction& i, const std::vector<Format>& formats, Random& random) {
  const char* tier = kTiers[static_cast<size_t>(simd)];
  bool any = false;
  for (unsigned uniform = 0; uniform < 4; ++uniform) {
    const Kernel kernel = kernels(simd).find(i, formats, uniform);
    if (!kernel) continue;
    any = true;
    std::vector<std::vector<Bits>> lanes(formats.size());
    std::vector<std::vector<Bits>> boundary;
    for (Format f : formats) boundary.push_back(boundary_operands(f));
    const size_t rows = uniform == 0 ? (formats.size() == 3 ? 3000 : 1200) : 300;
    for (size_t l = 0; l < rows; ++l)
      for (size_t a = 0; a < formats.size(); ++a)
        lanes[a].push_back(l % 3 == 2
                               ? random_bits(random, formats[a])
                               : boundary[a][static_cast<size_t>(random.below(static_cast<std::int64_t>(boundary[a].size())))]);
    check_lanes(kernel, i, formats, lanes, uniform, tier);
    for (size_t count = 1; count < 70; count += 1 + count / 8) {
      std::vector<std::vector<Bits>> few(formats.size());
      for (size_t a = 0; a < formats.size(); ++a)
        few[a].assign(lanes[a].begin() + 100, lanes[a].begin() + 100 + static_cast<long>(count));
      check_lanes(kernel, i, formats, few, uniform, tier);
    }
  }
  return any;
}

Instruction instruction(ScalarOp op, Format format) {
  Instruction i;
  i.op = op;
  i.format = format;
  return i;
}

}  // namespace

class KernelsOfATier : public ::testing::TestWithParam<Simd> {};

TEST_P(KernelsOfATier, ArithmeticInOneFormat) {
  Random random(1);
  int carried = 0;
  for (const ScalarOpInfo& op : all_scalar_ops()) {
    if (op.op == ScalarOp::Constant || op.op == ScalarOp::Convert || op.op == ScalarOp::Bitcast || op.op == ScalarOp::Compare ||
        op.op == ScalarOp::Select)
      continue;
    for (const FormatInfo& f : all_formats()) {
      ScalarBody body;
      body.arguments.assign(static_cast<size_t>(op.operands), f.format);
      Instruction i = instruction(op.op, f.format);
      for (int a = 0; a < op.operands; ++a) i.args[static_cast<size_t>(a)] = a;
      body.code.push_back(i);
      try {
        check_well_formed(body, "body");
      } catch (const std::exception&) {
        continue;  // not an operation of this format
      }
      carried += check_instruction(GetParam(), i, body.arguments, random) ? 1 : 0;
      if (is_float(f.format) && (op.op == ScalarOp::Maximum || op.op == ScalarOp::Minimum)) {
        i.nan = NanRule::Number;
        EXPECT_EQ(check_instruction(GetParam(), i, body.arguments, random), has_kernels(f.format)) << f.name;
      }
    }
  }
  EXPECT_GE(carried, 120);
}

#if defined(__x86_64__)
TEST_P(KernelsOfATier, FlushingArithmetic) {
  Random random(5);
  for (const Format f : {Format::F32, Format::F64})
    for (const ScalarOp op : {ScalarOp::Add, ScalarOp::Subtract, ScalarOp::Multiply, ScalarOp::Fma})
      for (const auto& [in, out] : {std::pair{true, false}, std::pair{false, true}, std::pair{true, true}}) {
        Instruction i = instruction(op, f);
        i.policy.flush_in = in;
        i.policy.flush_out = out;
        const std::vector<Format> formats(static_cast<size_t>(info(op).operands), f);
        const bool any = check_instruction(GetParam(), i, formats, random);
        EXPECT_TRUE(any || op == ScalarOp::Fma) << name(f);
        const Kernel kernel = kernels(GetParam()).find(i, formats, 0);
        if (!kernel) continue;
        // Results around the smallest normal number, where it is decided after rounding what is tiny.
        std::vector<std::vector<Bits>> lanes(formats.size());
        for (int l = 0; l < 2000; ++l) {
          const Bits near = smallest_normal(f) + static_cast<Bits>(random.below(9)) - 4;
          const Bits scale = (one(f) + static_cast<Bits>(random.below(9)) - 4) ^ (random.one_in(2) ? negative_zero(f) : 0);
          const Bits tiny = static_cast<Bits>(random.below(5)) ^ (random.one_in(2) ? negative_zero(f) : 0);
          lanes[0].push_back(near);
          lanes[1].push_back(op == ScalarOp::Add || op == ScalarOp::Subtract ? (random.one_in(2) ? tiny : near) : scale);
          if (formats.size() > 2) lanes[2].push_back(tiny);
        }
        check_lanes(kernel, i, formats, lanes, 0, "flushing");
      }
}
#endif

TEST_P(KernelsOfATier, CompareSelectBitcast) {
  Random random(2);
  for (const FormatInfo& f : all_formats()) {
    for (int c = 0; c < 6; ++c) {
      Instruction compare = instruction(ScalarOp::Compare, Format::I1);
      compare.comparison = static_cast<Comparison>(c);
      EXPECT_EQ(check_instruction(GetParam(), compare, {f.format, f.format}, random), has_kernels(f.format)) << f.name;
    }
    EXPECT_TRUE(check_instruction(GetParam(), instruction(ScalarOp::Select, f.format), {Format::I1, f.format, f.format}, random));
    for (const FormatInfo& g : all_formats())
      if (f.bits == g.bits) {
        const bool carried = check_instruction(GetParam(), instruction(ScalarOp::Bitcast, g.format), {f.format}, random);
        EXPECT_TRUE(carried || !has_kernels(f.format)) << f.name;
      }
  }
}

TEST_P(KernelsOfATier, Conversions) {
  Random random(3);
  int carried = 0;
  for (const FormatInfo& f : all_formats())
    for (const FormatInfo& g : all_formats())
      carried += check_instruction(GetParam(), instruction(ScalarOp::Convert, g.format), {f.format}, random) ? 1 : 0;
  EXPECT_EQ(carried, 12);
}

TEST_P(KernelsOfATier, EverySixteenBitInput) {
  for (Format narrow : {Format::BF16, Format::F16}) {
    std::vector<Bits> all(65536);
    for (Bits v = 0; v < all.size(); ++v) all[v] = v;
    for (Format wide : {Format::F32, Format::F64}) {
      const Instruction i = instruction(ScalarOp::Convert, wide);
      check_lanes(kernels(GetParam()).find(i, std::array{narrow}, 0), i, {narrow}, {all}, 0, "widening");
      // And back, from every value, every middle between two, and their neighbours.
      const Instruction back = instruction(ScalarOp::Convert, narrow);
      const int dropped = info(wide).mantissa_bits - info(narrow).mantissa_bits;
      std::vector<Bits> near;
      for (Bits v : all) {
        const Bits exact = convert({narrow, v}, wide);
        for (Bits half : {Bits{0}, Bits{1} << (dropped - 1)})
          for (Bits step : {Bits{0}, Bits{1}, ~Bits{0}}) near.push_back((exact + half + step) & mask_of(wide));
      }
      check_lanes(kernels(GetParam()).find(back, std::array{wide}, 0), back, {wide}, {near}, 0, "narrowing");
    }
    const Instruction root = instruction(ScalarOp::Sqrt, narrow);
    check_lanes(kernels(GetParam()).find(root, std::array{narrow}, 0), root, {narrow}, {all}, 0, "root");
  }
}

TEST_P(KernelsOfATier, ChainsAreTheirSteps) {
  Random random(4);
  int carried = 0;
  for (Format f : {Format::F32, Format::F64}) {
    for (int which = 0; which < 5; ++which) {
      const bool fused = which > 0;
      Policy policy;  // 2, 3, 4: fused, with each way to flush
      policy.flush_in = which == 2 || which == 4;
      policy.flush_out = which == 3 || which == 4;
      const ChainKernel chain = kernels(GetParam()).chain(f, fused, policy);
      if (!chain) continue;
      ++carried;
      const auto bytes = static_cast<size_t>(info(f).storage_bytes);
      for (size_t lanes : {1U, 7U, 16U, 31U, 128U, 300U}) {
        const size_t leaves = 5;
        std::vector<Bits> a, b, state;
        auto tame = [&] {
          return (one(f) ^ (random.bits() & (smallest_normal(f) * 8 - 1))) | (random.one_in(2) ? negative_zero(f) : 0);
        };
        for (size_t l = 0; l < leaves * 2; ++l) a.push_back(random.one_in(20) ? random_bits(random, f) : tame());
        for (size_t l = 0; l < leaves * lanes; ++l) b.push_back(random.one_in(50) ? random_bits(random, f) : tame());
        for (size_t l = 0; l < lanes; ++l) state.push_back(tame());
        std::vector<std::byte> sa = stored(f, a), sb = stored(f, b), out = stored(f, state);
        ChainCall call;
        call.out = out.data();
        call.a = sa.data() + 2 * (leaves - 1) * bytes;  // backwards, every other element
        call.a_move = -2 * static_cast<std::int64_t>(bytes);
        call.b = sb.data();
        call.b_move = static_cast<std::int64_t>(lanes * bytes);
        call.leaves = static_cast<std::int64_t>(leaves);
        call.lanes = static_cast<std::int64_t>(lanes);
        chain(call);
        for (size_t l = 0; l < lanes; ++l) {
          Bits s = state[l];
          for (size_t k = 0; k < leaves; ++k) {
            const Scalar x{f, a[2 * (leaves - 1 - k)]}, y{f, b[k * lanes + l]};
            s = fused ? fused_multiply_add(x, y, {f, s}, f, policy) : add({f, multiply(x, y, f)}, {f, s}, f);
          }
          ASSERT_EQ(with_quiet_nan(f, s), with_quiet_nan(f, load_bits(out.data() + l * bytes, static_cast<int>(bytes))))
              << name(f) << " fused " << fused << " lane " << l << " of " << lanes;
        }
      }
    }
  }
  EXPECT_GE(carried, 2);
}

INSTANTIATE_TEST_SUITE_P(Every, KernelsOfATier, ::testing::ValuesIn(every_simd()),
                         [](const auto& test) { return kTiers[static_cast<size_t>(test.param)]; });
