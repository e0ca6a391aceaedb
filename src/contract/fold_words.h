// What a fold of a normal form is, in the words of numerics: a sum of products, its accumulator, its order, ...
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contract/body_words.h"
#include "contract/words.h"

namespace bitpact {

/// The form of a fold's step.
struct FoldShape {
  enum class Kind : std::uint8_t { Sum, Maximum, Minimum, Other };
  Kind kind = Kind::Other;
  bool fused = false;       ///< Sum: the step is fma(a, b, state)
  int term = -1;            ///< not fused, not Other: the value of the step that the state is joined with
  bool product = false;     ///< the term of a sum is a product of floats
  Instruction operation{};  ///< not Other: what gives the new state
};
FoldShape shape_of(const Fold& fold);
std::string_view name(FoldShape::Kind kind);  ///< "sum", "maximum", "minimum", "fold"

class FoldWords {
 public:
  FoldWords(const NumericProgram& program, const Fold& fold);
  std::vector<Choice> choices() const;
  std::string sentence() const;
  std::vector<std::string> boundaries() const;

 private:
  std::string product() const;
  std::string start() const;
  std::string merge() const;
  /// What becomes of one leaf, out of choices().
  std::string chain_sentence(const std::vector<Choice>& all) const;
  /// Whether `finish` is worth a word: elsewhere it is the identity.
  bool gives_finished() const { return fold_.step.results.size() > 1 || tail_; }

  const Fold& fold_;
  FoldShape shape_;
  BodyWords step_, lift_, finish_;
  std::optional<BodyWords> merge_, enter_;
  std::unique_ptr<Fold> tail_fold_;  ///< the tail by itself
  std::unique_ptr<FoldWords> tail_;
  std::optional<BodyWords> tail_join_, tail_finish_;
};

/// "product -> f32" and so on for one body; `label` stands before each, `special` is the name of the rounding that gives `value`.
void add_boundaries(const BodyWords& body, const std::string& label, int value, const std::string& special,
                    std::vector<std::string>& all);

}  // namespace bitpact
