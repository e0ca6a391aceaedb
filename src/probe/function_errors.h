// A function's values against the correctly rounded ones: how many differ, by how much, where its range ends, whether it is
// monotone.
#pragma once

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "probe/function_asker.h"
#include "probe/function_truth.h"

namespace bitpact {

/// One argument whose value is wrong in a way that no distance measures.
struct WrongKind {
  std::int64_t count = 0;
  Bits x = 0, got = 0, want = 0;  ///< the first, by the argument's bits
};

/// Where values of another kind begin, walking away from zero.
struct RangeEdge {
  Bits x = 0;        ///< the first argument of the new kind
  std::string from;  ///< "zero" "subnormal" "normal" "infinite" "NaN"
  std::string to;
  bool operator==(const RangeEdge&) const = default;
};

/// Of one sign of the argument.
struct RangeEdges {
  static constexpr std::size_t kMost = 12;
  std::vector<RangeEdge> edges;
  std::int64_t more = 0;  ///< beyond kMost
};

/// What is gathered while values pass by in ascending order of their arguments' bits.
class ErrorTally {
 public:
  ErrorTally(Format argument, Format result, int direction) : argument_(argument), result_(result), direction_(direction) {}
  void add(Bits x, Bits got, Bits want);
  nlohmann::json to_json() const;
  void restore(const nlohmann::json& saved);

  std::int64_t arguments = 0;
  std::int64_t wrong = 0;      ///< values that are not the correctly rounded one
  std::uint64_t greatest = 0;  ///< ulps, of those where both are finite and the value is not a zero in the place of a number
  Bits greatest_x = 0, greatest_got = 0, greatest_want = 0;
  std::int64_t greatest_count = 0;
  WrongKind nan, no_nan, infinite, finite,
      zero;                                    ///< each named by what was got: NaN, not NaN, infinite, finite, zero ... wrongly
  std::int64_t unmonotone = 0;                 ///< neighbours whose values go the wrong way
  Bits unmonotone_x = 0, unmonotone_next = 0;  ///< the first such pair
  std::array<RangeEdges, 2> seen, right;       ///< by sign of the argument: the backend's, the correctly rounded values'

 private:
  void differing(Bits x, Bits got, Bits want);
  struct Last {
    bool there = false;
    Bits x = 0, got = 0;
    Class seen = Class::Zero, right = Class::Zero;
  };
  Format argument_, result_;
  int direction_;
  Last last_;
};

struct ErrorOptions {
  bool exhaustive = false;
  std::string progress;
  std::function<void(const std::string&)> say;
};

struct ErrorReport {
  std::string problem, backend, function;
  Identity identity;
  Format argument = Format::F32, result = Format::F32;
  std::string strength, strength_words;
  ErrorTally tally{Format::F32, Format::F32, 0};
  int direction = 0;
  std::int64_t by_mpfr = 0;  ///< correctly rounded values that the estimate left open
  double seconds = 0, backend_seconds = 0;
};

/// `problem` is_function. Refuses `probe-no-truth` where its operator names no function or the format is none of f32, bf16, f16.
/// A sample gets all arguments added at which either the backend's values or the right ones change their kind.
ErrorReport measure_errors(Backend& backend, const Resolved& problem, const ErrorOptions& options);

/// docs/schemas/function-errors.schema.json
nlohmann::json to_json(const ErrorReport& report);
std::string to_text(const ErrorReport& report);

}  // namespace bitpact
