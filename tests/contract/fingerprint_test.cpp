// Golden fingerprints: these never change. A change here is a change of the normal form, its JSON or the rules, and every
// contract that was ever written would be refused.
#include <gtest/gtest.h>

#include <fstream>

#include "contract/contract.h"
#include "contract/samples.h"

namespace bitpact {
namespace {

using samples::From;
using samples::matmul;
using samples::Product;

Contract sample_contract() {
  Contract contract;
  contract.op = {"matmul", {Format::F32, Format::F32}, Format::F32, {{"transpose_a", "false"}}};
  Piece piece;
  piece.shapes = {{"k", 1, 4096, 1}};
  piece.when = {{"threads", "1"}};
  piece.operands.excludes = {Exclusion::SubnormalIntermediate};
  piece.program = matmul();
  contract.pieces = {piece};
  contract.verified = {"matmul 64x64xf32,64x64xf32"};
  contract.identity = {"mlx", "0.32.4", "none", "cpu", "x86-64-v3", "none", "1", "unobserved"};
  contract.established = {"hand-written", "sampled", "replayed"};
  return contract;
}

std::map<std::string, std::string> computed() {
  const Domain domain{{Exclusion::SubnormalIntermediate, Exclusion::OverflowIntermediate}};
  const auto of = [](const NumericProgram& program, const Domain& d = {}) { return arithmetic_fingerprint(program, d); };
  const samples::Matmul bf16{.operand = Format::BF16, .result = Format::BF16};
  return {
      {"matmul-f32-rounded-in-order", of(matmul())},
      {"matmul-f32-fused-in-order", of(matmul({.product = Product::Fused}))},
      {"matmul-f32-fused-first-interleaved8-pairwise",
       of(matmul({.product = Product::Fused, .start = From::First, .order = Order::interleaved(8, Order::pairwise(1))}))},
      {"matmul-bf16-f32-accumulator", of(matmul(bf16))},
      {"matmul-bf16-f32-accumulator-on-domain", of(matmul(bf16), domain)},
      {"matmul-f16-f32-accumulator", of(matmul({.operand = Format::F16, .result = Format::F16}))},
      {"sum-bf16-blocked256", of(samples::sum(Format::BF16, Format::F32, Order::blocked(256)))},
      {"maximum-f32-numbers", of(samples::maximum(NanRule::Number))},
      {"kahan-f32", of(samples::kahan_sum())},
      {"cumulative-sum-bf16", of(samples::cumulative_sum())},
      {"multiply-add-f32", of(samples::multiply_add(Format::F32, false))},
      {"multiply-add-f32-fused", of(samples::multiply_add(Format::F32, true))},
      {"contract", contract_fingerprint(sample_contract())},
  };
}

TEST(GoldenFingerprints, DoNotChange) {
  std::ifstream file(std::string(BITPACT_SOURCE_DIR) + "/tests/contract/golden_fingerprints.txt");
  ASSERT_TRUE(file);
  std::map<std::string, std::string> golden;
  for (std::string name, fingerprint; file >> name >> fingerprint;) golden[name] = fingerprint;
  const auto now = computed();
  EXPECT_EQ(golden.size(), now.size());
  for (const auto& [name, fingerprint] : now) EXPECT_EQ(golden[name], fingerprint) << name << " " << fingerprint;
}

TEST(GoldenFingerprints, AreAllDifferent) {
  std::set<std::string> all;
  for (const auto& [name, fingerprint] : computed()) all.insert(fingerprint);
  EXPECT_EQ(all.size(), computed().size());
}

}  // namespace
}  // namespace bitpact
