// Asks a backend in which groups leaves of a sum meet: +M at one leaf, -M at another, a unit at the others. Units that are added
// before the two M meet are swallowed, so that the units which come through are those outside of the group.
#pragma once

#include <map>
#include <unordered_map>

#include "backends/backend.h"
#include "probe/sum_site.h"
#include "probe/sum_tree.h"

namespace bitpact {

/// What is put where, by the operand's format.
struct MaskValues {
  Bits plus, minus, unit, zero, other;  ///< `other` everywhere in the operands that carry no masks
  /// So many units at a time: M swallows them in an f32 accumulator (in f64 where the format's range reaches so far), and their
  /// count is exact in the result's format.
  std::int64_t window = 0;
};
/// Empty for formats whose range is too small (8 bits and less, integers).
std::optional<MaskValues> mask_values(Format operand, Format result);

/// Outputs that gave the same answer to every question: one tree.
struct MaskClass {
  std::vector<std::int64_t> outputs;                     ///< row-major, ascending
  std::unordered_map<std::int64_t, std::int64_t> sizes;  ///< by plus * leaves + minus
};

struct MaskCounts {
  std::int64_t calls = 0;      ///< of the backend
  std::int64_t questions = 0;  ///< pairs of leaves (times windows) that an answer was wanted for
};

/// Many questions a call: one a position of the carrying operand, where every position is shown to give the same answers; else
/// one.
class MaskQuestions {
 public:
  MaskQuestions(Backend& backend, const Resolved& problem, const SumSite& site, const MaskValues& values);

  /// Classes of outputs with their answers; at first all outputs are one.
  const std::vector<MaskClass>& classes() const { return classes_; }
  std::optional<std::int64_t> size(size_t mask_class, const LeafPair& pair) const;
  /// Asks; may split classes (the new ones stand at the end and have all earlier answers).
  void ask(const std::vector<LeafPair>& pairs);
  const MaskCounts& counts() const { return counts_; }
  /// "256 questions a call, by position of operand lhs" | "one question a call".
  std::string how() const;
  /// False where a unit alone does not come through as expected: the operator cannot be asked this way.
  bool calibrate();

 private:
  struct Slot {
    LeafPair pair;
    std::int64_t window = 0;
  };
  /// Answers, one a class position of the carrier (all outputs where not packed).
  using Answers = std::vector<std::int64_t>;

  std::int64_t windows() const { return (site_.leaves + values_.window - 1) / values_.window; }
  void fill_others();
  void fill_place(std::int64_t position, const Slot& slot);
  Tensor call();
  std::int64_t units(const Tensor& result, std::int64_t output) const;
  /// Units that came through, one an output, for one slot a position.
  void ask_packed(const std::vector<LeafPair>& pairs, std::int64_t shift, std::vector<std::vector<std::int64_t>>& per_class);
  void ask_one_by_one(const std::vector<LeafPair>& pairs);
  void record(const LeafPair& pair, const std::vector<std::int64_t>& through_by_output);
  bool prove_packing(const std::vector<LeafPair>& pairs);

  Backend& backend_;
  const Resolved& problem_;
  const SumSite& site_;
  MaskValues values_;
  std::vector<Carrier> carriers_;  ///< those worth packing, the one with most positions first
  size_t carrier_ = 0;
  bool packed_ = false, settled_ = false;
  std::vector<Tensor> operands_;
  std::vector<std::int64_t> units_in_window_;
  double unit_out_ = 1;  ///< what one unit is in the result
  std::vector<MaskClass> classes_;
  MaskCounts counts_;
};

}  // namespace bitpact
