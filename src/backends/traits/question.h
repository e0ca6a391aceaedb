// A question to a compiler: a piece of StableHLO, operands that part the possible answers, and what each answer would give.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.h"
#include "contract/traits.h"

namespace bitpact::traits {

inline constexpr Format F = Format::F32, D = Format::F64;  ///< what most questions are asked in
inline constexpr std::string_view kUnknown = "unknown";    ///< ran, and gave what no word stands for
inline constexpr std::string_view kRefused = "refused";    ///< the backend does not take the module

/// Of a question's closed list. `results` are the bits that this word stands for, one tensor a result of the question; one
/// without a shape and of format I1 is not looked at. A word without results is only given by the question's own judge.
struct Word {
  std::string word;
  std::string sentence;  ///< what it means, for people
  std::vector<Tensor> results{};
};

struct Judged {
  std::string answer;  ///< a word, or kUnknown
  std::string seen;
};

struct Question {
  std::string id;     ///< "multiply_add"
  std::string topic;  ///< under which it is printed: "contraction"
  std::string title;  ///< "multiply, then add, in f32"
  std::string sheet;  ///< questions of one sheet are compiled as one module
  std::vector<Tensor> operands;
  ResultSpecs results;
  /// Lines of StableHLO. Operands are %a, %b, ...; a result is named in `returns`; any other name is local.
  std::vector<std::string> body;
  std::vector<std::string> returns;
  std::string module;  ///< or a whole module of its own, asked alone
  std::vector<Word> words;
  /// Asked first, where there is one: order trees, accumulators, approximations. Empty: the words' bits decide.
  std::function<Judged(std::span<const Tensor>)> judge;
  bool raw_nans = false;      ///< else any NaN is any NaN
  bool for_emission = false;  ///< the emitter goes by it
};

/// The answer that these results mean. Exactly one word's bits must be there, all of them; else `unknown` with the first element
/// that no word explains.
Judged judge(const Question& question, std::span<const Tensor> results);

/// "f32" -> "tensor<37xf32>"
std::string type(const Tensor& tensor);
std::string type(const OperandSpec& spec);

/// The questions, a function a family.
std::vector<Question> contraction_questions();  // contraction.cpp
std::vector<Question> narrowing_questions();    // narrowing.cpp
std::vector<Question> reduce_questions();       // reduce.cpp
std::vector<Question> dot_questions();          // dot.cpp
std::vector<Question> accumulator_questions();  // accumulator.cpp
std::vector<Question> subnormal_questions();    // subnormals.cpp
std::vector<Question> special_questions();      // specials.cpp: NaN and -0
std::vector<Question> division_questions();     // division.cpp
std::vector<Question> conversion_questions();   // conversion.cpp: float to integer
std::vector<Question> wide_questions();         // wide.cpp: f64, and FMA by way of it

/// All of them, in the order in which they are printed.
const std::vector<Question>& all_questions();
/// Raised whenever a judge changes: answers are cached under it and a digest of the questions, their operands and words.
inline constexpr int kQuestionSet = 4;

}  // namespace bitpact::traits
