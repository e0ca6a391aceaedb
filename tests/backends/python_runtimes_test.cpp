// The runtimes behind the Python host other than IREE: JAX and XLA, ONNX Runtime, NumPy.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "support.h"

namespace bitpact {
namespace {

using testing::numbers;
using testing::same_bits;
using testing::spec_of;

Backend& opened(const std::string& text) {
  static std::map<std::string, std::unique_ptr<Backend>> backends;
  auto& backend = backends[text];
  if (!backend) backend = open_backend(parse_backend(text));
  return *backend;
}

Answer call(const std::string& backend, const std::string& line, std::vector<Tensor> operands, OperandSpec result,
            RunOptions options = {}) {
  return opened(backend).call_operator(parse_problem(line), {std::move(result)}, operands, options);
}

Tensor bits_of(Format format, Shape shape, const std::vector<Bits>& bits) {
  Tensor tensor(format, std::move(shape));
  for (std::size_t i = 0; i < bits.size(); ++i) tensor.set(static_cast<std::int64_t>(i), bits[i]);
  return tensor;
}

Tensor floats(const std::vector<float>& values) {
  Tensor tensor(Format::F32, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) tensor.mutable_as<float>()[i] = values[i];
  return tensor;
}

const std::vector<std::string>& all() {
  static const std::vector<std::string> names{"xla", "onnxruntime", "numpy"};
  return names;
}

TEST(PythonRuntimes, SayWhoTheyAre) {
  for (const std::string& name : all()) {
    SCOPED_TRACE(name);
    const Identity& identity = opened(name).identity();
    EXPECT_EQ(identity.backend, name);
    EXPECT_EQ(identity.device, "cpu");
    EXPECT_NE(identity.build.find("=sha256:"), std::string::npos) << identity.build;
    EXPECT_EQ(identity.target.find("host"), std::string::npos) << identity.target;
    EXPECT_NE(identity.target.find("+sse2"), std::string::npos) << identity.target;
    EXPECT_GT(std::stoi(identity.threads), 0);
    EXPECT_TRUE(opened(name).ways().operator_call);
    EXPECT_EQ(opened(name).ways().stablehlo, name == "xla");
  }
  EXPECT_TRUE(opened("xla").identity().version.starts_with("0.10.2 "));
  EXPECT_TRUE(opened("onnxruntime").identity().version.starts_with("1.32.0 "));
  EXPECT_TRUE(opened("numpy").identity().version.starts_with("2.4.6 "));
  EXPECT_NE(opened("numpy").identity().version.find("blas=scipy-openblas-"), std::string::npos);
  EXPECT_NE(opened("numpy").identity().build.find("openblas"), std::string::npos);
}

TEST(PythonRuntimes, OptionsAreTheirIdentity) {
  const auto expect_flag = [](const std::string& backend, const std::string& flag) {
    EXPECT_NE(opened(backend).identity().flags.find(flag), std::string::npos) << opened(backend).identity().flags;
    EXPECT_EQ(opened(backend).identity().threads, "1");
  };
  const std::string xla = "xla[threads=1,max-isa=AVX,fast-math=false,excess-precision=false,ynn=false]";
  for (const char* flag : {"--xla_cpu_max_isa=AVX", "--xla_cpu_enable_fast_math=false", "--xla_allow_excess_precision=false",
                           "--xla_cpu_experimental_ynn_fusion_type=invalid", "--xla_cpu_multi_thread_eigen=false"})
    expect_flag(xla, flag);
  expect_flag("onnxruntime[threads=1,optimization=none,accuracy_level=4]", "optimization=none threads=1 accuracy_level=4");
  expect_flag("numpy[threads=1,core=Haswell]", "OPENBLAS_CORETYPE=Haswell");
  EXPECT_EQ(opened("numpy[threads=1,core=Haswell]").identity().kernel, "openblas core Haswell");

  // AVX has no FMA: multiply + add is then rounded twice.
  const Tensor a = numbers({64}, 1), b = numbers({64}, 2), c = numbers({64}, 3);
  const Tensor mixed = call(xla, "multiply_add 64xf32,64xf32,64xf32", {a, b, c}, spec_of(a)).results[0];
  const Tensor fused = call("xla", "multiply_add 64xf32,64xf32,64xf32", {a, b, c}, spec_of(a)).results[0];
  for (std::int64_t i = 0; i < 64; ++i) {
    const float product = a.as<float>()[i] * b.as<float>()[i];
    EXPECT_EQ(mixed.as<float>()[i], product + c.as<float>()[i]) << i;
    EXPECT_EQ(fused.as<float>()[i], std::fma(a.as<float>()[i], b.as<float>()[i], c.as<float>()[i])) << i;
  }
}

TEST(PythonRuntimes, RefuseOptionsByName) {
  EXPECT_REFUSED(Code::BackendOption, "threads=0", open_backend(parse_backend("xla[threads=0]")));
  EXPECT_REFUSED(Code::BackendOption, "SSE4_2, AVX", open_backend(parse_backend("xla[max-isa=MMX]")));
  EXPECT_REFUSED(Code::BackendOption, "threads", open_backend(parse_backend("xla[threads=1]:gpu")));
  EXPECT_REFUSED(Code::BackendOption, "tf32", open_backend(parse_backend("onnxruntime[tf32=true]")));
  EXPECT_REFUSED(Code::BackendOption, "none, basic", open_backend(parse_backend("onnxruntime[optimization=some]")));
  EXPECT_REFUSED(Code::BackendOption, "OpenBLAS runs", open_backend(parse_backend("numpy[core=Nonesuch]")));
  EXPECT_REFUSED(Code::BackendOption, "NONESUCH", open_backend(parse_backend("numpy[disable-features=NONESUCH]")));
  EXPECT_REFUSED(Code::BackendOption, "cuda-target", open_backend(parse_backend("iree[cuda-target=sm_90]")));
}

// Written so that they work where the device is; on a machine without one, each refuses by name.
TEST(PythonRuntimes, DevicesThatAreNotHereAreRefusedByName) {
  if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "there is a CUDA device here";
  EXPECT_REFUSED(Code::BackendAbsent, "no gpu device", open_backend(parse_backend("xla:gpu")));
  EXPECT_REFUSED(Code::BackendAbsent, "no CUDA driver", open_backend(parse_backend("iree:cuda")));
  EXPECT_REFUSED(Code::BackendAbsent, "no CUDAExecutionProvider", open_backend(parse_backend("onnxruntime:cuda")));
}

// What a shell sets for these libraries must not change bits behind the identity's back. An unknown flag in XLA_FLAGS ends the
// process that reads it, so that it was not read shows.
TEST(PythonRuntimes, TheShellsVariablesDoNotLeakIn) {
  setenv("XLA_FLAGS", "--xla_no_such_flag=1", 1);
  setenv("JAX_ENABLE_X64", "1", 1);
  setenv("OPENBLAS_NUM_THREADS", "3", 1);
  setenv("OPENBLAS_CORETYPE", "Haswell", 1);
  const auto xla = open_backend(parse_backend("xla")), numpy = open_backend(parse_backend("numpy"));
  for (const char* name : {"XLA_FLAGS", "JAX_ENABLE_X64", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE"}) unsetenv(name);
  EXPECT_TRUE(xla->identity() == opened("xla").identity()) << xla->identity().flags;
  EXPECT_TRUE(numpy->identity() == opened("numpy").identity()) << numpy->identity().flags;
}

TEST(PythonRuntimes, CarryEveryBitInAndOut) {
  const std::map<Format, std::vector<Bits>> patterns{
      {Format::F32, {0x00000001, 0x80000001, 0x7f812345, 0xffc12345, 0x80000000, 0x3f800001}},
      {Format::BF16, {0x0001, 0x8001, 0x7f81, 0xffc1, 0x8000, 0x3f81}},
      {Format::F16, {0x0001, 0x8001, 0x7c01, 0xfe01, 0x8000, 0x3c01}},
      {Format::F64, {1, 0x8000000000000001, 0x7ff0000012345678, 0xfff8000012345678, 0x8000000000000000, 0x3ff0000000000001}},
      {Format::I64, {1, 0xffffffffffffffff, 0x8000000000000000, 0x123456789abcdef0, 0, 7}},
      {Format::UI8, {1, 255, 128, 0, 7, 8}},
      {Format::I1, {1, 0, 1, 1, 0, 0}}};
  for (const auto& [format, bits] : patterns) {
    const Tensor given = bits_of(format, {2, 3}, bits);
    const std::string type = fmt::format("2x3x{}", name(format)), tensor = fmt::format("tensor<{}>", type);
    SCOPED_TRACE(type);
    const std::string module = fmt::format("func.func public @main(%a: {0}) -> {0} {{\n  return %a : {0}\n}}\n", tensor);
    EXPECT_TRUE(same_bits(opened("xla").run_stablehlo(module, {spec_of(given)}, std::vector{given}, {}).results.at(0), given));
    for (const std::string& backend : all()) {
      SCOPED_TRACE(backend);
      const std::string line = fmt::format("convert {} out={}", type, name(format));
      EXPECT_TRUE(same_bits(call(backend, line, {given}, spec_of(given)).results.at(0), given));
    }
  }
}

TEST(PythonRuntimes, ComputeByElements) {
  const Tensor a = numbers({3, 5}, 1), b = numbers({3, 5}, 2), c = numbers({3, 5}, 3), d = numbers({3, 5}, 4);
  const OperandSpec same = spec_of(a);
  for (const std::string& backend : all()) {
    SCOPED_TRACE(backend);
    const Tensor sum = call(backend, "add 3x5xf32,3x5xf32", {a, b}, same, {.repeat = 3, .warmup = 1}).results[0];
    const Tensor product = call(backend, "multiply 3x5xf32,3x5xf32", {a, b}, same).results[0];
    const Tensor quotient = call(backend, "divide 3x5xf32,3x5xf32", {a, b}, same).results[0];
    const Tensor mixed = call(backend, "multiply_add 3x5xf32,3x5xf32,3x5xf32", {a, b, c}, same).results[0];
    const Tensor apart = call(backend, "multiply_subtract 3x5xf32,3x5xf32,3x5xf32,3x5xf32", {a, b, c, d}, same).results[0];
    for (std::int64_t i = 0; i < 15; ++i) {
      const float x = a.as<float>()[i], y = b.as<float>()[i], z = c.as<float>()[i], w = d.as<float>()[i];
      EXPECT_EQ(sum.as<float>()[i], x + y);
      EXPECT_EQ(product.as<float>()[i], x * y);
      EXPECT_EQ(quotient.as<float>()[i], x / y);
      const float two_roundings = x * y;
      EXPECT_EQ(mixed.as<float>()[i], backend == "xla" ? std::fma(x, y, z) : two_roundings + z);
      const float right = z * w;
      if (backend != "xla") {
        EXPECT_EQ(apart.as<float>()[i], two_roundings - right);
      }
      EXPECT_NEAR(apart.as<float>()[i], x * y - z * w, 1e-6);
    }
  }
  EXPECT_EQ(call("xla", "residual_add 3x5xf32,3x5xf32", {a, b}, same).tag, "jax.numpy.add");
  EXPECT_EQ(call("onnxruntime", "multiply_add 3x5xf32,3x5xf32,3x5xf32", {a, b, c}, same).tag,
            "onnx.Mul+onnx.Add@23 CPUExecutionProvider");
  EXPECT_EQ(call("numpy", "residual_add 3x5xf32,3x5xf32", {a, b}, same).kernel, "loop add float32,float32->float32");
}

TEST(PythonRuntimes, ConvertByWayOfAFormat) {
  const Tensor x = floats({1.00390625f, 1.01f, 3.1415927f});
  for (const std::string& backend : all()) {
    SCOPED_TRACE(backend);
    const Tensor back = call(backend, "convert 3xf32 via=bf16", {x}, spec_of(x)).results[0];
    EXPECT_TRUE(same_bits(back, floats({1.0f, 1.0078125f, 3.140625f})));
  }
}

TEST(PythonRuntimes, MultiplyMatricesOfEveryLayout) {
  // Small integers: exact in every order, so that only the indexing is left to go wrong.
  const auto whole = [](Shape shape, std::uint32_t seed) {
    Tensor tensor = numbers(std::move(shape), seed);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_as<float>()[i] = std::floor(tensor.as<float>()[i] * 8);
    return tensor;
  };
  const auto turned = [](const Tensor& x) {
    const std::int64_t b = x.shape()[0], m = x.shape()[1], n = x.shape()[2];
    Tensor y(Format::F32, {b, n, m});
    for (std::int64_t i = 0; i < x.size(); ++i) y.set(i / (m * n) * m * n + i % n * m + i / n % m, x.get(i));
    return y;
  };
  const Tensor a = whole({2, 3, 4}, 1), b = whole({2, 4, 5}, 2);
  Tensor expected(Format::F32, {2, 3, 5});
  for (std::int64_t i = 0; i < 30; ++i) {
    for (std::int64_t k = 0; k < 4; ++k)
      expected.mutable_as<float>()[i] += a.as<float>()[i / 5 * 4 + k] * b.as<float>()[i / 15 * 20 + k * 5 + i % 5];
  }
  for (const std::string& backend : all()) {
    SCOPED_TRACE(backend);
    const OperandSpec result = spec_of(expected);
    EXPECT_TRUE(same_bits(call(backend, "matmul 2x3x4xf32,2x4x5xf32", {a, b}, result).results[0], expected));
    EXPECT_TRUE(
        same_bits(call(backend, "matmul 2x4x3xf32,2x4x5xf32 transpose_a=true", {turned(a), b}, result).results[0], expected));
    EXPECT_TRUE(
        same_bits(call(backend, "matmul 2x3x4xf32,2x5x4xf32 transpose_b=true", {a, turned(b)}, result).results[0], expected));
  }
}

TEST(PythonRuntimes, Reduce) {
  const Tensor x = floats({3, NAN, 1, 5});
  Tensor tall(Format::F32, {3, 2});
  for (int i = 0; i < 6; ++i) tall.mutable_as<float>()[i] = static_cast<float>(i);
  for (const std::string& backend : all()) {
    SCOPED_TRACE(backend);
    const Tensor columns = call(backend, "sum 3x2xf32 axis=0", {tall}, {Format::F32, {2}}).results[0];
    EXPECT_TRUE(same_bits(columns, floats({6, 9})));
    EXPECT_TRUE(same_bits(call(backend, "sum 3x2xf32 axis=1", {tall}, {Format::F32, {3}}).results[0], floats({1, 5, 9})));
    EXPECT_TRUE(same_bits(call(backend, "max 3x2xf32 axis=0", {tall}, {Format::F32, {2}}).results[0], floats({4, 5})));
    // The NaN is the greatest for JAX and NumPy, and passed over by ONNX Runtime.
    EXPECT_EQ(call(backend, "argmax 4xf32", {x}, {Format::I32, {}}).results[0].get(0), backend == "onnxruntime" ? 3u : 1u);
    EXPECT_EQ(call(backend, "argmax 4xf32 out=i64", {x}, {Format::I64, {}}).results[0].get(0),
              backend == "onnxruntime" ? 3u : 1u);
  }
  EXPECT_EQ(call("onnxruntime", "argmax 4xf32", {x}, {Format::I32, {}}).tag, "onnx.ArgMax+onnx.Cast@23 CPUExecutionProvider");
}

TEST(PythonRuntimes, FunctionsWhereTheRuntimeHasThem) {
  const Tensor x = floats({-1, -3, 0.5f, 2});
  const auto near = [&](const std::string& backend, const std::string& op, double (*exact)(double)) {
    SCOPED_TRACE(backend + " " + op);
    const Tensor y = call(backend, op + " 4xf32", {x}, spec_of(x)).results[0];
    for (int i = 0; i < 4; ++i) {
      const double want = exact(static_cast<double>(x.as<float>()[i]));
      if (!std::isfinite(want)) continue;
      EXPECT_NEAR(y.as<float>()[i], want, 2e-6 * std::max(1.0, std::abs(want)));
    }
  };
  for (const std::string& backend : all()) {
    near(backend, "exp", std::exp);
    near(backend, "log", std::log);
    near(backend, "tanh", std::tanh);
    near(backend, "sin", std::sin);
    near(backend, "cos", std::cos);
    near(backend, "floor", std::floor);
    near(backend, "ceil", std::ceil);
    near(backend, "round_nearest_even", std::nearbyint);
    if (backend != "onnxruntime") {
      near(backend, "exp2", std::exp2);
      near(backend, "expm1", std::expm1);
      near(backend, "log1p", std::log1p);
    }
    if (backend == "numpy") continue;
    near(backend, "erf", std::erf);
    near(backend, "sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); });
  }
  near("xla", "round_nearest_afz", std::round);
  // One point tells the formulas apart: by erf -0.15865525, by tanh -0.15880801.
  EXPECT_NEAR(call("onnxruntime", "gelu 4xf32", {x}, spec_of(x)).results[0].as<float>()[0], -0.15865525, 1e-6);
  EXPECT_NEAR(call("xla", "gelu 4xf32", {x}, spec_of(x)).results[0].as<float>()[0], -0.15880801, 1e-6);
}

TEST(PythonRuntimes, OnnxRuntimeQuantizes) {
  const Tensor x = floats({0.25f, 0.75f, 1.25f, 1.75f});
  const Tensor scale = bits_of(Format::F32, {}, {std::bit_cast<std::uint32_t>(0.5f)}), zero = bits_of(Format::UI8, {}, {0});
  const Answer halves = call("onnxruntime", "quantize 4xf32,f32,ui8", {x, scale, zero}, {Format::UI8, {4}});
  EXPECT_TRUE(same_bits(halves.results[0], bits_of(Format::UI8, {4}, {0, 2, 2, 4})));
  const Tensor range = floats({-2.5f, 2.5f, 0});
  const auto dynamic = [&](const std::string& give, OperandSpec result) {
    return call("onnxruntime", "dynamic_quantize 3xf32 give=" + give, {range}, std::move(result)).results[0].get(0);
  };
  EXPECT_EQ(dynamic("zero_point", {Format::UI8, {}}), 127u);
  EXPECT_EQ(dynamic("scale", {Format::F32, {}}), std::bit_cast<std::uint32_t>(5.0f / 255.0f));
  EXPECT_EQ(dynamic("values", {Format::UI8, {3}}), 0u);
}

TEST(PythonRuntimes, SayWhatRanInNarrowFormats) {
  const Tensor a = bits_of(Format::F16, {2}, {0x3c00, 0x4000}), b = bits_of(Format::BF16, {2}, {0x3f80, 0x4000});
  // ONNX Runtime's CPU has no f16 addition: it casts, and its own graph says so.
  EXPECT_EQ(call("onnxruntime", "add 2xf16,2xf16", {a, a}, spec_of(a)).kernel, "graph: Cast, Cast, Add, Cast");
  EXPECT_EQ(call("numpy", "add 2xbf16,2xbf16", {b, b}, spec_of(b)).tag, "numpy.add (ml_dtypes)");
  EXPECT_TRUE(call("xla", "add 2xbf16,2xbf16", {b, b}, spec_of(b)).kernel.starts_with("hlo: "));
}

TEST(PythonRuntimes, RefuseWhatTheyDoNotCarry) {
  const Tensor f = numbers({2, 2}), b(Format::BF16, {2, 2}), h(Format::F16, {2, 2});
  for (const std::string& backend : all()) {
    SCOPED_TRACE(backend);
    EXPECT_REFUSED(Code::BackendLacksOperator, "`sofmax`", call(backend, "sofmax 2x2xf32", {f}, spec_of(f)));
    EXPECT_REFUSED(Code::BackendLacksFormat, backend == "onnxruntime" ? "tensor(double)" : "f64",
                   call(backend, "add 2x2xf32,2x2xf32 out=f64", {f, f}, {Format::F64, {2, 2}}));
  }
  for (const char* op : {"erf", "gelu", "sigmoid", "round_nearest_afz"})
    EXPECT_REFUSED(Code::BackendLacksOperator, op, call("numpy", std::string(op) + " 2x2xf32", {f}, spec_of(f)));
  for (const char* op : {"exp2", "expm1", "log1p", "round_nearest_afz"})
    EXPECT_REFUSED(Code::BackendLacksOperator, op, call("onnxruntime", std::string(op) + " 2x2xf32", {f}, spec_of(f)));
  EXPECT_REFUSED(Code::BackendLacksOperator, "quantize", call("xla", "quantize 2x2xf32", {f}, spec_of(f)));
  EXPECT_REFUSED(Code::BackendLacksFormat, "onnx.Add of bf16", call("onnxruntime", "add 2x2xbf16,2x2xbf16", {b, b}, spec_of(b)));
  // NumPy's loop for a product of bf16 matrices gives f32.
  EXPECT_REFUSED(Code::BackendLacksFormat, "bf", call("numpy", "matmul 2x2xbf16,2x2xbf16", {b, b}, spec_of(b)));
  EXPECT_EQ(call("numpy", "matmul 2x2xbf16,2x2xbf16 out=f32", {b, b}, {Format::F32, {2, 2}}).kernel,
            "loop matmul float32,float32->float32");
  EXPECT_REFUSED(Code::BackendLacksForm, "", opened("numpy").run_stablehlo("", {spec_of(f)}, std::vector{f}, {}));
}

TEST(Xla, RunsModules) {
  const std::string module =
      "func.func public @main(%a: tensor<4xf32>, %b: tensor<2xf64>) -> (tensor<2xf64>, tensor<4xf32>) {\n"
      "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n  %1 = stablehlo.multiply %b, %b : tensor<2xf64>\n"
      "  return %1, %0 : tensor<2xf64>, tensor<4xf32>\n}\n";
  const Tensor a = numbers({4}), b = bits_of(Format::F64, {2}, {0x3ff8000000000001, 0x4000000000000000});
  const Answer answer = opened("xla").run_stablehlo(module, {spec_of(b), spec_of(a)}, std::vector{a, b}, {.repeat = 2});
  EXPECT_EQ(answer.tag, "xla.module@main");
  EXPECT_GT(answer.cost.compile_ms, 0);
  EXPECT_TRUE(answer.repeats_agree);
  EXPECT_EQ(answer.results[0].get(1), 0x4010000000000000u);
  EXPECT_EQ(answer.results[1].as<float>()[3], 2 * a.as<float>()[3]);
  // Of the same number of bytes, and yet not what @main takes.
  const Tensor narrow(Format::BF16, {8});
  EXPECT_REFUSED(Code::WorkerRefused, "@main takes float32[4]",
                 opened("xla").run_stablehlo(module, {spec_of(b), spec_of(a)}, std::vector{narrow, b}, {}));
  EXPECT_REFUSED(Code::BackendLacksFormat, "not f32",
                 opened("xla").run_stablehlo(module, {{Format::F32, {2}}, spec_of(a)}, std::vector{a, b}, {}));
}

TEST(Xla, HandsOnTheCompilersWords) {
  const Tensor a = numbers({4});
  EXPECT_REFUSED(Code::CompileFailed, "stablehlo.adx",
                 opened("xla").run_stablehlo("func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                                             "  %0 = stablehlo.adx %a, %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n",
                                             {spec_of(a)}, std::vector{a}, {}));
  EXPECT_REFUSED(Code::CompileFailed, "main function",
                 opened("xla").run_stablehlo(
                     "func.func public @other(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n",
                     {spec_of(a)}, std::vector{a}, {}));
}

}  // namespace
}  // namespace bitpact
