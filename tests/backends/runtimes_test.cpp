// The real runtimes. Without them these tests fail: `make setup` installs them.
#include <gtest/gtest.h>

#include "backends/native.h"
#include "backends/plain_stablehlo.h"
#include "support.h"

namespace bitpact {
namespace {

using testing::numbers;
using testing::same_bits;
using testing::spec_of;

Backend& mlx() {
  static const auto backend = open_backend(parse_backend("mlx"));
  return *backend;
}
Backend& iree() {
  static const auto backend = open_backend(parse_backend("iree"));
  return *backend;
}

/// acc = r(acc + r(a * b)), k ascending from +0: this file is compiled without contraction.
Tensor in_order(const Tensor& a, const Tensor& b) {
  const std::int64_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  Tensor c(Format::F32, {m, n});
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t t = 0; t < k; ++t) sum = sum + a.as<float>()[i * k + t] * b.as<float>()[t * n + j];
      c.mutable_as<float>()[i * n + j] = sum;
    }
  }
  return c;
}

Tensor transposed(const Tensor& a) {
  Tensor b(a.format(), {a.shape()[1], a.shape()[0]});
  for (std::int64_t i = 0; i < a.shape()[0]; ++i) {
    for (std::int64_t j = 0; j < a.shape()[1]; ++j) b.set(j * a.shape()[0] + i, a.get(i * a.shape()[1] + j));
  }
  return b;
}

Answer call(Backend& backend, const std::string& line, std::vector<Tensor> operands, OperandSpec result,
            RunOptions options = {}) {
  return backend.call_operator(parse_problem(line), {std::move(result)}, operands, options);
}

void expect_resolved(const Identity& identity) {
  EXPECT_TRUE(identity.build.starts_with("sha256:")) << identity.build;
  EXPECT_EQ(identity.target.find("host"), std::string::npos) << identity.target;
  EXPECT_NE(identity.target.find("x86"), std::string::npos) << identity.target;
}

TEST(Mlx, SaysWhoItIs) {
  EXPECT_EQ(mlx().identity().backend, "mlx");
  EXPECT_EQ(mlx().identity().version, "0.32.4");
  EXPECT_EQ(mlx().identity().device, "cpu");
  EXPECT_NE(mlx().identity().build.find("blas"), std::string::npos);
  expect_resolved(mlx().identity());
}

TEST(Mlx, MultipliesMatricesInOrder) {
  const Tensor a = numbers({64, 64}, 1), b = numbers({64, 64}, 2), expected = in_order(a, b);
  const OperandSpec result{Format::F32, {64, 64}};
  const Answer plain = call(mlx(), "matmul 64x64xf32,64x64xf32", {a, b}, result, {.repeat = 3});
  EXPECT_EQ(plain.tag, "mlx.matmul");
  EXPECT_TRUE(plain.repeats_agree);
  EXPECT_TRUE(same_bits(plain.results[0], expected));
  EXPECT_TRUE(
      same_bits(call(mlx(), "matmul 64x64xf32,64x64xf32 transpose_b=true", {a, transposed(b)}, result).results[0], expected));
  EXPECT_TRUE(
      same_bits(call(mlx(), "matmul 64x64xf32,64x64xf32 transpose_a=true", {transposed(a), b}, result).results[0], expected));
}

TEST(Mlx, RunsTheOthers) {
  const Tensor a = numbers({3, 5}, 1), b = numbers({3, 5}, 2), c = numbers({3, 5}, 3);
  Tensor product(Format::F32, {3, 5}), mixed(Format::F32, {3, 5}), total(Format::F32, {5});
  for (std::int64_t i = 0; i < 15; ++i) {
    product.mutable_as<float>()[i] = a.as<float>()[i] * b.as<float>()[i];
    mixed.mutable_as<float>()[i] = product.as<float>()[i] + c.as<float>()[i];
    total.mutable_as<float>()[i % 5] += a.as<float>()[i];
  }
  const OperandSpec same = spec_of(a);
  EXPECT_TRUE(same_bits(call(mlx(), "multiply 3x5xf32,3x5xf32", {a, b}, same).results[0], product));
  EXPECT_TRUE(same_bits(call(mlx(), "multiply_add 3x5xf32,3x5xf32,3x5xf32", {a, b, c}, same).results[0], mixed));
  EXPECT_EQ(call(mlx(), "residual_add 3x5xf32,3x5xf32", {a, b}, same).tag, "mlx.add");
  EXPECT_TRUE(same_bits(call(mlx(), "sum 3x5xf32 axis=0", {a}, {Format::F32, {5}}).results[0], total));
  const Answer halved = call(mlx(), "convert 3x5xf32 out=bf16", {a}, {Format::BF16, {3, 5}});
  EXPECT_EQ(halved.results[0].format(), Format::BF16);
}

TEST(Mlx, RefusesWhatItDoesNotCarry) {
  const Tensor a(Format::I32, {2, 2}), f = numbers({2, 2});
  EXPECT_REFUSED(Code::BackendLacksFormat, "i32", call(mlx(), "matmul 2x2xi32,2x2xi32", {a, a}, spec_of(a)));
  EXPECT_REFUSED(Code::BackendLacksOperator, "`softmax`", call(mlx(), "softmax 2x2xf32", {f}, spec_of(f)));
  EXPECT_REFUSED(Code::BackendLacksFormat, "does not give f64",
                 call(mlx(), "add 2x2xf32,2x2xf32 out=f64", {f, f}, {Format::F64, {2, 2}}));
  EXPECT_REFUSED(Code::BackendLacksForm, "numeric program", mlx().run_program({}, {}, {}));
  EXPECT_REFUSED(Code::BackendAbsent, "gpu", open_backend(parse_backend("mlx:gpu")));
}

TEST(Iree, SaysWhoItIs) {
  EXPECT_EQ(iree().identity().backend, "iree");
  EXPECT_TRUE(iree().identity().version.starts_with("3.13.0")) << iree().identity().version;
  EXPECT_EQ(iree().identity().threads, "1");
  EXPECT_NE(iree().identity().target.find("+sse2"), std::string::npos) << iree().identity().target;
  expect_resolved(iree().identity());
}

TEST(Iree, RunsEveryPlainForm) {
  const Tensor a = numbers({3, 5}, 1), b = numbers({3, 5}, 2), c = numbers({3, 5}, 3);
  const OperandSpec same = spec_of(a);
  const Answer added = call(iree(), "add 3x5xf32,3x5xf32", {a, b}, same, {.repeat = 3, .warmup = 1});
  EXPECT_EQ(added.tag, "iree.module@main");
  EXPECT_GT(added.cost.compile_ms, 0);
  EXPECT_TRUE(added.repeats_agree);
  for (std::int64_t i = 0; i < 15; ++i) {
    EXPECT_EQ(added.results[0].as<float>()[i], a.as<float>()[i] + b.as<float>()[i]);
    EXPECT_EQ(call(iree(), "multiply 3x5xf32,3x5xf32", {a, b}, same).results[0].as<float>()[i],
              a.as<float>()[i] * b.as<float>()[i]);
  }
  const auto close = [](float x, float y) { return std::abs(x - y) <= 1e-5f; };
  const Tensor mixed = call(iree(), "multiply_add 3x5xf32,3x5xf32,3x5xf32", {a, b, c}, same).results[0];
  const Tensor total = call(iree(), "sum 3x5xf32", {a}, {Format::F32, {3}}).results[0];
  float first = 0;
  for (int i = 0; i < 5; ++i) first += a.as<float>()[i];
  EXPECT_TRUE(close(total.as<float>()[0], first));
  EXPECT_TRUE(close(mixed.as<float>()[7], a.as<float>()[7] * b.as<float>()[7] + c.as<float>()[7]));
  // The bits of bf16 pass through untouched, and back.
  const Tensor narrow = call(iree(), "convert 3x5xf32 out=bf16", {a}, {Format::BF16, {3, 5}}).results[0];
  EXPECT_TRUE(same_bits(narrow, call(mlx(), "convert 3x5xf32 out=bf16", {a}, {Format::BF16, {3, 5}}).results[0]));
  const Tensor wide = call(iree(), "convert 3x5xbf16 out=f32", {narrow}, same).results[0];
  for (std::int64_t i = 0; i < 15; ++i) EXPECT_EQ(wide.get(i), narrow.get(i) << 16);
}

TEST(Iree, MultipliesMatricesOfEveryLayout) {
  const Tensor a = numbers({6, 4}, 1), b = numbers({4, 3}, 2), expected = in_order(a, b);
  const OperandSpec result{Format::F32, {6, 3}};
  const std::vector<Tensor> answers{
      call(iree(), "matmul 6x4xf32,4x3xf32", {a, b}, result).results[0],
      call(iree(), "matmul 4x6xf32,4x3xf32 transpose_a=true", {transposed(a), b}, result).results[0],
      call(iree(), "matmul 6x4xf32,3x4xf32 transpose_b=true", {a, transposed(b)}, result).results[0]};
  for (const Tensor& answer : answers) {
    for (int i = 0; i < 18; ++i) EXPECT_NEAR(answer.as<float>()[i], expected.as<float>()[i], 1e-5) << i;
  }
  const Tensor batched_a = numbers({2, 3, 4}, 3), batched_b = numbers({2, 4, 5}, 4);
  const Tensor batched = call(iree(), "matmul 2x3x4xf32,2x4x5xf32", {batched_a, batched_b}, {Format::F32, {2, 3, 5}}).results[0];
  float last = 0;
  for (int k = 0; k < 4; ++k) last += batched_a.as<float>()[20 + k] * batched_b.as<float>()[20 + k * 5 + 4];
  EXPECT_NEAR(batched.as<float>()[29], last, 1e-5);
}

TEST(Iree, PassesEveryFormatAndSeveralResults) {
  const Tensor flags = [] {
    Tensor tensor(Format::I1, {3});
    tensor.set(1, 1);
    return tensor;
  }();
  Tensor words(Format::UI32, {2});
  words.set(0, 0xffffffff);
  Tensor halves(Format::F16, {});
  halves.set(0, 0x3c01);
  const std::string module =
      "func.func public @main(%a: tensor<3xi1>, %b: tensor<2xui32>, %c: tensor<f16>) -> (tensor<f16>, tensor<3xi1>, "
      "tensor<2xui32>) {\n"
      "  %0 = stablehlo.not %a : tensor<3xi1>\n  %1 = stablehlo.add %b, %b : tensor<2xui32>\n"
      "  %2 = stablehlo.negate %c : tensor<f16>\n  return %2, %0, %1 : tensor<f16>, tensor<3xi1>, tensor<2xui32>\n}\n";
  const Answer answer =
      iree().run_stablehlo(module, {spec_of(halves), spec_of(flags), spec_of(words)}, std::vector{flags, words, halves}, {});
  EXPECT_EQ(answer.results[0].get(0), 0xbc01u);
  EXPECT_EQ(answer.results[1].get(0), 1u);
  EXPECT_EQ(answer.results[1].get(1), 0u);
  EXPECT_EQ(answer.results[2].get(0), 0xfffffffeu);
  EXPECT_REFUSED(
      Code::WorkerRefused, "is expected",
      iree().run_stablehlo(module, {spec_of(flags), spec_of(flags), spec_of(words)}, std::vector{flags, words, halves}, {}));
}

TEST(Iree, HandsOnTheCompilersWords) {
  const Tensor a = numbers({4});
  EXPECT_REFUSED(Code::CompileFailed, "stablehlo.adx",
                 iree().run_stablehlo("func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                                      "  %0 = stablehlo.adx %a, %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n",
                                      {spec_of(a)}, std::vector{a}, {}));
  EXPECT_REFUSED(
      Code::CompileFailed, "@main",
      iree().run_stablehlo("func.func public @other(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n",
                           {spec_of(a)}, std::vector{a}, {}));
  EXPECT_EQ(call(iree(), "add 4xf32,4xf32", {a, a}, spec_of(a)).results[0].as<float>()[0], 2 * a.as<float>()[0]);
}

TEST(Iree, OptionsAreItsIdentity) {
  const auto pinned = open_backend(parse_backend("iree[target-cpu=x86-64-v3,features=-fma,opt=O2,demote-f64=false]"));
  EXPECT_NE(pinned->identity().target.find("x86-64-v3"), std::string::npos);
  EXPECT_EQ(pinned->identity().target.find("+fma "), std::string::npos) << pinned->identity().target;
  EXPECT_NE(pinned->identity().flags.find("--iree-opt-level=O2"), std::string::npos);
  EXPECT_NE(pinned->identity().flags.find("demote-f64-to-f32=false"), std::string::npos);
  // Without FMA instructions multiply + add is rounded twice.
  const Tensor a = numbers({64}, 1), b = numbers({64}, 2), c = numbers({64}, 3);
  const Tensor mixed = call(*pinned, "multiply_add 64xf32,64xf32,64xf32", {a, b, c}, spec_of(a)).results[0];
  for (std::int64_t i = 0; i < 64; ++i) {
    const float product = a.as<float>()[i] * b.as<float>()[i];
    EXPECT_EQ(mixed.as<float>()[i], product + c.as<float>()[i]) << i;
  }
  EXPECT_REFUSED(Code::BackendOption, "nonsense", open_backend(parse_backend("iree[target-cpu=nonsense]")));
  EXPECT_REFUSED(Code::BackendOption, "bogus", open_backend(parse_backend("iree[features=+bogus]")));
  EXPECT_REFUSED(Code::BackendOption, "driver=local-task", open_backend(parse_backend("iree[threads=2]")));
  EXPECT_NE(pinned->identity().target, iree().identity().target);
}

TEST(Plain, FormsAreWhatAUserWouldWrite) {
  EXPECT_EQ(plain_stablehlo(parse_problem("matmul 3x33x17xbf16,3x17x5xbf16"), {Format::BF16, {3, 33, 5}}),
            "func.func public @main(%arg0: tensor<3x33x17xbf16>, %arg1: tensor<3x17x5xbf16>) -> tensor<3x33x5xbf16> {\n"
            "  %r = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
            "(tensor<3x33x17xbf16>, tensor<3x17x5xbf16>) -> tensor<3x33x5xbf16>\n"
            "  return %r : tensor<3x33x5xbf16>\n}\n");
  EXPECT_REFUSED(Code::BackendLacksOperator, "plain", plain_stablehlo(parse_problem("softmax 4xf32"), {Format::F32, {4}}));
}

TEST(Native, RunsProgramsOnly) {
  const auto native = open_backend(parse_backend("native"));
  EXPECT_TRUE(native->ways().numeric_program);
  EXPECT_FALSE(native->ways().stablehlo);
  ScalarBody add;
  {
    BodyBuilder builder({Format::F32, Format::F32});
    add = builder.finish({builder.op(ScalarOp::Add, Format::F32, {0, 1})});
  }
  const BoundProgram program{{{Input{"a", Format::F32, {"i"}}, Input{"b", Format::F32, {"i"}}, Map{{0, 1}, add, {"i"}}}, {2}},
                             {{"i", 7}}};
  const Tensor a = numbers({7}, 1), b = numbers({7}, 2);
  const Answer answer = native->run_program(program, std::vector{a, b}, {.repeat = 2, .warmup = 1});
  EXPECT_EQ(answer.tag, "native.interpret");
  EXPECT_TRUE(answer.repeats_agree);
  for (std::int64_t i = 0; i < 7; ++i) EXPECT_EQ(answer.results[0].as<float>()[i], a.as<float>()[i] + b.as<float>()[i]);
  EXPECT_REFUSED(Code::BackendLacksForm, "operator calls", call(*native, "add 7xf32,7xf32", {a, b}, spec_of(a)));
}

}  // namespace
}  // namespace bitpact
