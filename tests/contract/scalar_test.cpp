#include "contract/scalar.h"

#include <gtest/gtest.h>

#include <functional>

#include "diagnostic/diagnostic.h"

using namespace bitpact;

namespace {

Bits run(ScalarOp op, Format result, std::vector<Scalar> operands, const std::function<void(Instruction&)>& change = {}) {
  ScalarBody body;
  std::vector<Bits> bits;
  Instruction i;
  i.op = op;
  i.format = result;
  for (const Scalar& s : operands) {
    i.args[body.arguments.size()] = static_cast<int>(body.arguments.size());
    body.arguments.push_back(s.format);
    bits.push_back(s.bits);
  }
  if (change) change(i);
  body.code.push_back(i);
  body.results.push_back(static_cast<int>(operands.size()));
  check_well_formed(body, "body");
  return evaluate(body, bits).at(0);
}

Scalar f32(std::string_view text) { return {Format::F32, *parse_scalar(text, Format::F32)}; }
Bits bits(std::string_view text) { return f32(text).bits; }
Scalar i8(int value) { return {Format::I8, static_cast<Bits>(value) & 0xff}; }

std::string refusal(const ScalarBody& body) {
  try {
    check_well_formed(body, "leaf");
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.diagnostic().code, Code::ContractProgram);
    return refused.diagnostic().reason;
  }
  return "";
}

/// One instruction over arguments of those formats; why it is refused, or "".
std::string refusal(ScalarOp op, Format result, const std::vector<Format>& arguments,
                    const std::function<void(Instruction&)>& change = {}) {
  ScalarBody body;
  body.arguments = arguments;
  Instruction i;
  i.op = op;
  i.format = result;
  for (size_t a = 0; a < arguments.size() && a < 3; ++a) i.args[a] = static_cast<int>(a);
  if (change) change(i);
  body.code.push_back(i);
  body.results.push_back(static_cast<int>(arguments.size()));
  return refusal(body);
}

}  // namespace

TEST(Scalar, ArithmeticIsTheEngines) {
  EXPECT_EQ(run(ScalarOp::Add, Format::F32, {f32("1"), f32("2")}), bits("3"));
  EXPECT_EQ(run(ScalarOp::Subtract, Format::F32, {f32("1"), f32("3")}), bits("-2"));
  EXPECT_EQ(run(ScalarOp::Multiply, Format::F32, {f32("1.5"), f32("3")}), bits("4.5"));
  EXPECT_EQ(run(ScalarOp::Divide, Format::F32, {f32("9"), f32("4")}), bits("2.25"));
  EXPECT_EQ(run(ScalarOp::Sqrt, Format::F32, {f32("9")}), bits("3"));
  EXPECT_EQ(run(ScalarOp::Fma, Format::F32, {f32("2"), f32("3"), f32("4")}), bits("10"));
  EXPECT_EQ(run(ScalarOp::Convert, Format::BF16, {f32("1.5")}), 0x3fc0U);
  auto up = [](Instruction& i) { i.policy.rounding = Rounding::Up; };
  EXPECT_EQ(run(ScalarOp::Add, Format::F32, {f32("1"), f32("0x1p-60")}, up), bits("1") + 1);
  EXPECT_EQ(run(ScalarOp::Negate, Format::F32, {f32("0")}), bits("-0"));
  EXPECT_EQ(run(ScalarOp::Abs, Format::F32, {f32("-2")}), bits("2"));
}

TEST(Scalar, Extrema) {
  const Scalar nan{Format::F32, 0xffc00001};
  auto number = [](Instruction& i) { i.nan = NanRule::Number; };
  EXPECT_EQ(run(ScalarOp::Maximum, Format::F32, {f32("-0"), f32("0")}), bits("0"));
  EXPECT_EQ(run(ScalarOp::Maximum, Format::F32, {f32("0"), f32("-0")}), bits("0"));
  EXPECT_EQ(run(ScalarOp::Minimum, Format::F32, {f32("0"), f32("-0")}), bits("-0"));
  EXPECT_EQ(run(ScalarOp::Minimum, Format::F32, {f32("-0"), f32("0")}), bits("-0"));
  EXPECT_EQ(run(ScalarOp::Maximum, Format::F32, {nan, f32("inf")}), quiet_nan(Format::F32));
  EXPECT_EQ(run(ScalarOp::Maximum, Format::F32, {f32("1"), nan}, number), bits("1"));
  EXPECT_EQ(run(ScalarOp::Minimum, Format::F32, {nan, f32("1")}, number), bits("1"));
  EXPECT_EQ(run(ScalarOp::Minimum, Format::F32, {nan, nan}, number), quiet_nan(Format::F32));
  EXPECT_EQ(run(ScalarOp::Maximum, Format::I8, {i8(-1), i8(1)}), 1U);
  EXPECT_EQ(run(ScalarOp::Maximum, Format::UI8, {{Format::UI8, 255}, {Format::UI8, 1}}), 255U);
}

TEST(Scalar, CompareAndSelect) {
  using C = Comparison;
  const Scalar nan{Format::F32, quiet_nan(Format::F32)};
  auto compare = [](Scalar a, Scalar b, C c) {
    return run(ScalarOp::Compare, Format::I1, {a, b}, [c](Instruction& i) { i.comparison = c; });
  };
  const std::array<C, 6> all{C::EQ, C::NE, C::LT, C::LE, C::GT, C::GE};
  const std::array<Bits, 6> less{0, 1, 1, 1, 0, 0}, same{1, 0, 0, 1, 0, 1}, greater{0, 1, 0, 0, 1, 1},
      unordered{0, 1, 0, 0, 0, 0};
  for (size_t c = 0; c < all.size(); ++c) {
    EXPECT_EQ(compare(f32("1"), f32("2"), all[c]), less[c]) << c;
    EXPECT_EQ(compare(f32("0"), f32("-0"), all[c]), same[c]) << c;
    EXPECT_EQ(compare(f32("inf"), f32("2"), all[c]), greater[c]) << c;
    EXPECT_EQ(compare(f32("1"), nan, all[c]), unordered[c]) << c;
    EXPECT_EQ(compare(i8(-3), i8(2), all[c]), less[c]) << c;
  }
  EXPECT_EQ(run(ScalarOp::Select, Format::F32, {{Format::I1, 1}, f32("3"), f32("4")}), bits("3"));
  EXPECT_EQ(run(ScalarOp::Select, Format::F32, {{Format::I1, 0}, f32("3"), f32("4")}), bits("4"));
}

TEST(Scalar, BitsAndShifts) {
  EXPECT_EQ(run(ScalarOp::And, Format::I8, {i8(12), i8(10)}), 8U);
  EXPECT_EQ(run(ScalarOp::Or, Format::I8, {i8(12), i8(10)}), 14U);
  EXPECT_EQ(run(ScalarOp::Xor, Format::I8, {i8(12), i8(10)}), 6U);
  EXPECT_EQ(run(ScalarOp::ShiftLeft, Format::I8, {i8(0x41), i8(2)}), 4U);
  EXPECT_EQ(run(ScalarOp::ShiftLeft, Format::I8, {i8(1), i8(8)}), 0U);
  EXPECT_EQ(run(ScalarOp::ShiftRightLogical, Format::I8, {i8(-128), i8(7)}), 1U);
  EXPECT_EQ(run(ScalarOp::ShiftRightLogical, Format::I8, {i8(-128), i8(-1)}), 0U);
  EXPECT_EQ(run(ScalarOp::ShiftRightArithmetic, Format::I8, {i8(-128), i8(6)}), 0xfeU);
  EXPECT_EQ(run(ScalarOp::ShiftRightArithmetic, Format::I8, {i8(-128), i8(100)}), 0xffU);
  EXPECT_EQ(run(ScalarOp::ShiftRightArithmetic, Format::I8, {i8(127), i8(100)}), 0U);
  EXPECT_EQ(run(ScalarOp::ShiftRightArithmetic, Format::I64, {{Format::I64, Bits{1} << 63}, {Format::I64, 63}}), ~Bits{0});
}

TEST(Scalar, NaNsThatCanBeSeenAreQuiet) {
  EXPECT_EQ(run(ScalarOp::Bitcast, Format::I32, {{Format::F32, 0xff800001}}), quiet_nan(Format::F32));
  EXPECT_EQ(run(ScalarOp::Bitcast, Format::F32, {{Format::I32, 0xff800001}}), quiet_nan(Format::F32));  // as a result
  EXPECT_EQ(run(ScalarOp::Bitcast, Format::I32, {f32("-1")}), bits("-1"));
  EXPECT_EQ(evaluate(identity_body({Format::F32}), {0xff800001}).at(0), quiet_nan(Format::F32));
  EXPECT_EQ(run(ScalarOp::Negate, Format::F32, {f32("nan")}), quiet_nan(Format::F32));
}

TEST(Scalar, BodiesAndTheirBuilder) {
  BodyBuilder builder({Format::BF16, Format::BF16});
  const int a = builder.convert(builder.argument(0), Format::F32);
  const int b = builder.convert(builder.argument(1), Format::F32);
  EXPECT_EQ(builder.convert(a, Format::F32), a);
  const int product = builder.op(ScalarOp::Multiply, Format::F32, {a, b});
  const int two = builder.constant(Format::F32, bits("2"));
  const ScalarBody body = builder.finish({builder.op(ScalarOp::Add, Format::F32, {product, two}), 0});
  EXPECT_EQ(body.result_formats(), (std::vector<Format>{Format::F32, Format::BF16}));
  EXPECT_EQ(evaluate(body, {0x3fc0, 0x4040}), (std::vector<Bits>{bits("6.5"), 0x3fc0}));
}

TEST(Scalar, TheTableIsWhole) {
  for (const ScalarOpInfo& op : all_scalar_ops()) EXPECT_EQ(info(op.op).name, op.name);
  EXPECT_EQ(info(ScalarOp::ShiftRightArithmetic).name, "shift_right_arithmetic");
  EXPECT_EQ(info(ScalarOp::Fma).operands, 3);
}

TEST(Scalar, IllFormed) {
  using F = Format;
  EXPECT_EQ(refusal(ScalarOp::Add, F::F32, {F::BF16, F::F16}), "");
  EXPECT_EQ(refusal(ScalarOp::Add, F::I8, {F::I8, F::I8}), "");
  EXPECT_NE(refusal(ScalarOp::Add, F::I8, {F::I8, F::I16}).find("leaf, instruction 0 (add)"), std::string::npos);
  EXPECT_NE(refusal(ScalarOp::Add, F::I1, {F::I1, F::I1}), "");
  EXPECT_NE(refusal(ScalarOp::Divide, F::I8, {F::I8, F::I8}), "");
  EXPECT_NE(refusal(ScalarOp::Sqrt, F::I8, {F::F32}), "");
  EXPECT_NE(refusal(ScalarOp::Negate, F::F32, {F::F64}), "");
  EXPECT_NE(refusal(ScalarOp::Abs, F::I1, {F::I1}), "");
  EXPECT_NE(refusal(ScalarOp::Maximum, F::F32, {F::F32, F::F16}), "");
  EXPECT_NE(refusal(ScalarOp::Bitcast, F::F32, {F::I16}), "");
  EXPECT_EQ(refusal(ScalarOp::Bitcast, F::BF16, {F::F16}), "");
  EXPECT_NE(refusal(ScalarOp::And, F::F32, {F::F32, F::F32}), "");
  EXPECT_EQ(refusal(ScalarOp::And, F::I1, {F::I1, F::I1}), "");
  EXPECT_NE(refusal(ScalarOp::ShiftLeft, F::I1, {F::I1, F::I1}), "");
  EXPECT_NE(refusal(ScalarOp::Compare, F::F32, {F::F32, F::F32}), "");
  EXPECT_NE(refusal(ScalarOp::Compare, F::I1, {F::F32, F::F64}), "");
  EXPECT_NE(refusal(ScalarOp::Select, F::F32, {F::I8, F::F32, F::F32}), "");
  EXPECT_NE(refusal(ScalarOp::Select, F::F32, {F::I1, F::F32, F::F16}), "");
  EXPECT_NE(refusal(ScalarOp::Negate, F::F8E8M0FNU, {F::F8E8M0FNU}), "");
  EXPECT_EQ(refusal(ScalarOp::Abs, F::F8E8M0FNU, {F::F8E8M0FNU}), "");
  EXPECT_NE(refusal(ScalarOp::Bitcast, F::TF32, {F::F32}), "");
  EXPECT_EQ(refusal(ScalarOp::Bitcast, F::I4, {F::F4E2M1FN}), "");
  const auto indefinite = [](Instruction& i) { i.policy.overflow = Overflow::Indefinite; };
  EXPECT_EQ(refusal(ScalarOp::Convert, F::I32, {F::F32}, indefinite), "");
  EXPECT_NE(refusal(ScalarOp::Convert, F::I1, {F::F32}, indefinite), "");
  EXPECT_NE(refusal(ScalarOp::Convert, F::F16, {F::F32}, indefinite), "");
  EXPECT_NE(refusal(ScalarOp::Convert, F::I8, {F::I32}, indefinite), "");
  EXPECT_NE(refusal(ScalarOp::Add, F::I8, {F::I8, F::I8}, indefinite), "");
  // Fields that the operation does not have.
  EXPECT_NE(refusal(ScalarOp::Negate, F::F32, {F::F32}, [](Instruction& i) { i.policy.flush_in = true; }), "");
  EXPECT_NE(refusal(ScalarOp::Add, F::F32, {F::F32, F::F32}, [](Instruction& i) { i.immediate = 1; }), "");
  EXPECT_NE(refusal(ScalarOp::Add, F::F32, {F::F32, F::F32}, [](Instruction& i) { i.nan = NanRule::Number; }), "");
  EXPECT_NE(refusal(ScalarOp::Maximum, F::I8, {F::I8, F::I8}, [](Instruction& i) { i.nan = NanRule::Number; }), "");
  EXPECT_NE(refusal(ScalarOp::Add, F::F32, {F::F32, F::F32}, [](Instruction& i) { i.comparison = Comparison::LT; }), "");
  EXPECT_NE(refusal(ScalarOp::Add, F::F32, {F::F32, F::F32, F::F32}), "");
  EXPECT_NE(refusal(ScalarOp::Add, F::F32, {F::F32}), "");
  // Values used before they are defined, results that are none, immediates too wide.
  EXPECT_NE(refusal(ScalarOp::Negate, F::F32, {F::F32}, [](Instruction& i) { i.args[0] = 1; }), "");
  EXPECT_NE(refusal(ScalarOp::Constant, F::BF16, {}, [](Instruction& i) { i.immediate = 0x10000; }), "");
  ScalarBody body = identity_body({F::F32});
  body.results = {1};
  EXPECT_NE(refusal(body), "");
  body.results = {-1};
  EXPECT_NE(refusal(body), "");
  EXPECT_NE(refusal(ScalarOp::Constant, F::F32, {}, [](Instruction& i) { i.op = static_cast<ScalarOp>(200); }), "");
}
