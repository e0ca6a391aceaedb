// Mutation: every cast, order, product, accumulator, start, rounding of the operators' programs changed, one at a time. Each
// mutant must be caught by the operand classes, or be equal by a listed normal-form rule (equal fingerprints). The survivors that
// are neither are listed here by name, each with the reason why no operand of these classes parts it.
#include <gtest/gtest.h>

#include <map>

#include "backends/backend.h"
#include "backends/traits/ask.h"
#include "compare/compare.h"
#include "contract/mutate.h"
#include "diagnostic/diagnostic.h"
#include "emit/emit.h"
#include "interpret/interpret.h"
#include "operators/catalogue.h"
#include "operators/recipe.h"

namespace bitpact {
namespace {

struct Subject {
  Resolved problem;
  NumericProgram program;
  std::vector<Tensor> operands;
  Tensor expected;
  std::vector<Tensor> swamped;  ///< large, small, -large, small, ... in the first operand, ones in the others: parts accumulators
                                ///< by their precision
  Tensor swamped_expected;
};

std::vector<Tensor> swamp(const std::vector<Tensor>& like) {
  std::vector<Tensor> operands;
  for (const Tensor& t : like) {
    Tensor made(t.format(), t.shape());
    const bool narrow = t.format() == Format::F16;
    for (std::int64_t i = 0; i < made.size(); ++i) {
      const char* pattern[] = {narrow ? "32768" : "1073741824", narrow ? "0.0001220703125" : "1.5",
                               narrow ? "-32768" : "-1073741824", narrow ? "0.000244140625" : "1.25"};
      made.set(i, *parse_scalar(operands.empty() ? pattern[i % 4] : "1", t.format()));
    }
    operands.push_back(made);
  }
  return operands;
}

Subject subject(const std::string& line, const Choices& choices = {}) {
  Subject s;
  s.problem = resolve(line);
  const Operator& op = operator_named(s.problem.problem.op);
  s.program = op.build(s.problem.formats(), complete_choices(op, s.problem.formats(), choices));
  s.operands = make_operands(Recipe{}, s.problem.problem.operands, s.problem.binding.operands, s.problem.binding.result);
  s.expected = interpret(bind(s.program, s.problem.binding), s.operands).results[0];
  s.swamped = swamp(s.operands);
  s.swamped_expected = interpret(bind(s.program, s.problem.binding), s.swamped).results[0];
  return s;
}

bool told_apart(const Subject& s, const NumericProgram& mutant) {
  const BoundProgram program = bind(mutant, s.problem.binding);
  if (compare_tensors(s.expected, interpret(program, s.operands).results[0]).different > 0) return true;
  return compare_tensors(s.swamped_expected, interpret(program, s.swamped).results[0]).different > 0;
}

const std::vector<std::string>& lines() {
  static const std::vector<std::string> all = {
      "matmul 64x96xf32,96x64xf32",
      "matmul 64x96xbf16,96x64xbf16",
      "matmul 64x96xf16,96x64xf16",
      "sum 1024x96xf32 axis=1",
      "sum 1024x96xbf16 axis=1",
      "sum 1024x96xf16 axis=1",
      "mean 1024x259xf32 axis=1",  // a number of elements that bf16 does not hold
      "mean 1024x259xbf16 axis=1",
      "cumsum 1024x96xf32 axis=1",
      "cumsum 1024x96xbf16 axis=1",
      "reciprocal 4096xf32",
      "reciprocal 4096xbf16",
      "sqrt 4096xf16",
      "add 4096xf32,4096xf32",
      "add 4096xbf16,4096xbf16",
      "add 4096xf16,4096xf16",
      "multiply 4096xf32,4096xf32",
      "multiply 4096xbf16,4096xbf16",
      "multiply 4096xf16,4096xf16",
      "residual_add 4096xf32,4096xf32",
      "residual_add 4096xbf16,4096xbf16",
      "residual_add 4096xf16,4096xf16",
      "multiply_add 4096xf32,4096xf32,4096xf32",
      "multiply_add 4096xbf16,4096xbf16,4096xbf16",
      "multiply_add 4096xf16,4096xf16,4096xf16",
      "divide 4096xf32,4096xf32",
      "divide 4096xbf16,4096xbf16",
      "divide 4096xf16,4096xf16",
      "multiply_subtract 4096xf32,4096xf32,4096xf32,4096xf32",
      "multiply_subtract 4096xbf16,4096xbf16,4096xbf16,4096xbf16",
      "multiply_subtract 4096xf16,4096xf16,4096xf16,4096xf16",
      "convert 65536xf32 via=bf16",
      "convert 65536xf32 out=bf16",
      "convert 65536xf32 out=f16",
      "convert 65536xbf16 out=f16",
      "convert 65536xf16 out=bf16",
  };
  return all;
}

// Why a mutant may live although its fingerprint differs. Empty: it may not.
std::string excuse(const Subject& s, const Mutant& m) {
  const Format operand = s.problem.problem.operands[0].format;
  const bool merge = m.change.find(" merge ") != std::string::npos;
  if (merge) return "a sequential order merges nothing";
  if (m.rule == "flush" && m.change.find("subtract in") != std::string::npos)
    return "a subnormal difference is exact, so one that is flushed needs operands that cancel into the subnormal range";
  if (m.rule == "flush" && m.change.find("add in") != std::string::npos)
    return "a subnormal sum is exact, so one that is flushed needs operands that cancel into the subnormal range";
  if (m.rule == "flush" && operand == Format::F16) return "f16 products and sums kept in f32 are never subnormal there";
  if (m.rule == "flush" && m.change.find("convert") != std::string::npos)
    return "a widened value is subnormal only where the operand was";
  const bool count = s.problem.problem.op == "mean" && m.change.find("node 2") != std::string::npos;
  if (count && m.rule == "order") return "a count is the same in any order";
  if (count && m.rule == "rounding") return "a count below 2^24 is exact in f32";
  if (count && m.rule == "flush") return "no count is subnormal";
  if (m.rule == "rounding" && operand == Format::BF16 && m.change.find("divide in f32") != std::string::npos)
    return "the last bit of a quotient in f32 shows in one of 2^16 means in bf16";
  if (m.rule == "start") return "it parts only sums of nothing but negative zeros";
  if (m.rule == "extra-rounding" && operand == Format::BF16 && s.problem.result.format == Format::F16)
    return "what is left of a bf16 value in f16 has at most 8 significant bits, which bf16 holds";
  return {};
}

TEST(Mutation, EveryMutantDiesOrIsEqualByARule) {
  std::map<std::string, std::int64_t> killed, equal, excused;
  for (const std::string& line : lines()) {
    const Subject s = subject(line);
    const std::string fingerprint = arithmetic_fingerprint(s.program);
    for (const Mutant& m : mutants(s.program)) {
      if (arithmetic_fingerprint(m.program) == fingerprint) {
        EXPECT_FALSE(told_apart(s, m.program)) << "equal fingerprints, different bits: " << line << ": " << m.change;
        ++equal[m.rule];
      } else if (told_apart(s, m.program)) {
        ++killed[m.rule];
      } else {
        EXPECT_NE(excuse(s, m), "") << "a mutant lives: " << line << ": " << m.rule << ": " << m.change;
        ++excused[m.rule];
      }
    }
  }
  std::int64_t dead = 0, same = 0, listed = 0;
  for (const auto& [rule, n] : killed) {
    dead += n;
    std::printf("  %-16s %4ld killed, %3ld equal by rule, %3ld listed\n", rule.c_str(), n, equal[rule], excused[rule]);
  }
  for (const auto& [rule, n] : equal) same += n;
  for (const auto& [rule, n] : excused) listed += n;
  std::printf("  in all           %4ld killed, %3ld equal by rule, %3ld listed\n", dead, same, listed);
  EXPECT_GE(dead, 150);
}

// The same on the compiled module, for one batch: what IREE makes of an emitted mutant differs from the program's bits on the
// domain, or the mutant is equal there in the interpreter too.
TEST(Mutation, EmittedMutantsDieOnTheCompiledModule) {
  const auto iree = open_backend(parse_backend("iree"));
  const Traits traits = traits_of(*iree);
  std::int64_t killed = 0, equal = 0, not_carried = 0;
  const std::vector<std::pair<std::string, Choices>> subjects{
      {"matmul 16x24xf32,24x16xf32", {}},
      {"matmul 16x24xbf16,24x16xbf16", {}},
      {"matmul 16x40xf32,40x16xf32", {{"order", "blocked(7)"}, {"product", "fused"}}},
      {"multiply_add 512xbf16,512xbf16,512xbf16", {}},
  };
  for (const auto& [line, choices] : subjects) {
    const Subject s = subject(line, choices);
    const auto run = [&](const NumericProgram& program) {
      const Emitted form = emit(bind(program, s.problem.binding), traits)[0];
      return iree->run_stablehlo(form.module, {s.problem.result}, s.operands, {}).results[0];
    };
    const Tensor exact = run(s.program);
    for (const Mutant& m : mutants(s.program)) {
      Tensor result;
      try {
        result = run(m.program);
      } catch (const Refused& refused) {
        EXPECT_TRUE(refused.diagnostic().code == Code::EmitUnsupported || refused.diagnostic().code == Code::EmitTooLarge)
            << refused.what();
        ++not_carried;
        continue;
      }
      // The interpreter says on which outputs, free of subnormals, the mutant differs.
      const Interpreted wanted = interpret(bind(s.program, s.problem.binding), s.operands, {.threads = 0, .watch = true});
      const Interpreted other = interpret(bind(m.program, s.problem.binding), s.operands, {.threads = 0, .watch = true});
      std::vector<std::uint8_t> keep;
      for (size_t i = 0; i < wanted.occurrences[0].size(); ++i)
        keep.push_back((wanted.occurrences[0][i] | other.occurrences[0][i]) == 0 ? 1 : 0);
      const bool differs = compare_tensors(wanted.results[0], other.results[0], {}, &keep).different > 0;
      const bool seen = compare_tensors(exact, result, {}, &keep).different > 0;
      EXPECT_EQ(seen, differs) << line << ": " << m.rule << ": " << m.change;
      (seen ? killed : equal) += 1;
    }
  }
  std::printf("  %ld killed on the compiled module, %ld equal there and in the interpreter, %ld not carried by StableHLO\n",
              killed, equal, not_carried);
  EXPECT_GE(killed, 18);
}

}  // namespace
}  // namespace bitpact
