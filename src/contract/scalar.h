// A ScalarBody is a short SSA list of scalar operations in which nothing about the bits is left open.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "number/arithmetic.h"

namespace bitpact {

// One table feeds the names, the arities, the reader, the interpreter and the emitter.
// BITPACT_SCALAR_OP(Name, "spelling", operands, rounds, commutative in its first two operands)
#define BITPACT_SCALAR_OPS(X)                                        \
  X(Constant, "constant", 0, false, false)                           \
  X(Add, "add", 2, true, true)                                       \
  X(Subtract, "subtract", 2, true, false)                            \
  X(Multiply, "multiply", 2, true, true)                             \
  X(Divide, "divide", 2, true, false)                                \
  X(Sqrt, "sqrt", 1, true, false)                                    \
  X(Fma, "fma", 3, true, true)                                       \
  X(Negate, "negate", 1, false, false)                               \
  X(Abs, "abs", 1, false, false)                                     \
  X(Maximum, "maximum", 2, false, false)                             \
  X(Minimum, "minimum", 2, false, false)                             \
  X(Convert, "convert", 1, true, false)                              \
  X(Bitcast, "bitcast", 1, false, false)                             \
  X(And, "and", 2, false, true)                                      \
  X(Or, "or", 2, false, true)                                        \
  X(Xor, "xor", 2, false, true)                                      \
  X(ShiftLeft, "shift_left", 2, false, false)                        \
  X(ShiftRightLogical, "shift_right_logical", 2, false, false)       \
  X(ShiftRightArithmetic, "shift_right_arithmetic", 2, false, false) \
  X(Compare, "compare", 2, false, false)                             \
  X(Select, "select", 3, false, false)

enum class ScalarOp : std::uint8_t {
#define X(name, ...) name,
  BITPACT_SCALAR_OPS(X)
#undef X
};

struct ScalarOpInfo {
  ScalarOp op;
  std::string_view name;
  int operands;
  bool rounds;       ///< has a rounding, an overflow and a subnormal policy
  bool commutative;  ///< swapping operands 0 and 1 changes no bit (NaN payloads are open)
};
const ScalarOpInfo& info(ScalarOp op);
const std::vector<ScalarOpInfo>& all_scalar_ops();

/// Which NaNs come out. Arithmetic: Any (some NaN; between programs any NaN equals any NaN).
/// Maximum / minimum: Any means NaN in, NaN out (IEEE 754-2019 maximum); Number means a NaN loses against a number
/// (maximumNumber). Maximum treats +0 as greater than -0, minimum the other way round.
enum class NanRule : std::uint8_t { Any, Number };

enum class Comparison : std::uint8_t { EQ, NE, LT, LE, GT, GE };

/// One operation. `args` name values: 0 .. arguments-1 are the body's arguments, arguments + i is instruction i.
/// Bits wise operations and shifts need one integer format throughout; a shift by >= the width gives 0 (arithmetic: the sign).
/// Bitcast keeps the bits and needs formats of one width; a NaN that reaches it is the quiet NaN of its format.
/// Select: args (I1 condition, then, else). Compare: result I1.
struct Instruction {
  ScalarOp op = ScalarOp::Constant;
  Format format = Format::F32;  ///< of the result
  Policy policy;                ///< where ScalarOpInfo::rounds
  NanRule nan = NanRule::Any;
  Comparison comparison = Comparison::EQ;
  std::array<int, 3> args{-1, -1, -1};
  Bits immediate = 0;  ///< Constant
  bool operator==(const Instruction&) const = default;
};

struct ScalarBody {
  std::vector<Format> arguments;
  std::vector<Instruction> code;
  std::vector<int> results;  ///< values, may be arguments
  bool operator==(const ScalarBody&) const = default;

  Format format_of(int value) const;
  std::vector<Format> result_formats() const;
};

/// Refuses `contract-program` (naming `where`) unless every value is defined before use and formats fit the operation.
void check_well_formed(const ScalarBody& body, std::string_view where);

/// One instruction with the exact engine, on its operands.
Bits evaluate(const Instruction& instruction, std::span<const Scalar> operands);

/// Evaluates with the exact engine; one call a scalar. Slow and simple: the reference for the vectorised interpreter.
/// A NaN among the results is the quiet NaN of its format.
std::vector<Bits> evaluate(const ScalarBody& body, const std::vector<Bits>& arguments);

/// Builds a body line by line.
class BodyBuilder {
 public:
  explicit BodyBuilder(std::vector<Format> arguments);
  int argument(int index) const { return index; }
  int constant(Format format, Bits bits);
  int op(ScalarOp op, Format format, std::vector<int> args, Policy policy = {});
  int convert(int value, Format format, Policy policy = {});  ///< no instruction where the format is already that one
  int push(const Instruction& instruction);
  Format format_of(int value) const { return body_.format_of(value); }
  ScalarBody finish(std::vector<int> results);

 private:
  ScalarBody body_;
};

/// The body that hands its arguments on.
ScalarBody identity_body(std::vector<Format> formats);

}  // namespace bitpact
