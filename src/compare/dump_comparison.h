// Two dumps, tensor by tensor: matched, put in order, compared as raw bits, and the first that differs.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compare/raw_comparison.h"
#include "tensor/dump.h"

namespace bitpact {

/// Every match of an ECMAScript regular expression in a name is replaced ($1, $& as ECMAScript has them).
struct NameMap {
  std::string regex, replacement;
};

/// One line of an order file.
struct OrderStep {
  std::string name;
  std::optional<std::vector<std::string>> inputs;  ///< the tensors that the step reads, where the line declares them
  std::int64_t line = 0;
};

/// How far tensors that no name joins are matched: each level adds to the one before.
enum class MatchLevel { Name, Content, Shape };

struct DumpCompareOptions {
  std::vector<NameMap> maps;  ///< for A's names, one after the other
  MatchLevel match = MatchLevel::Content;
  std::optional<std::vector<OrderStep>> order;
  std::string order_path;  ///< for what is said about it
  int threads = 0;         ///< 0: as many as help
};

enum class MatchedBy { Name, Map, Content, Shape };
enum class Outcome { Equal, Differs, OtherShape, OtherFormat, OtherShapeAndFormat, OnlyInA, OnlyInB };
/// What is known of the step that wrote a tensor.
enum class StepState {
  NotDeclared,    ///< the order does not say what it reads
  InputsEqual,    ///< all that it reads is equal, bit for bit, and matched by name: where its result differs, the step itself
                  ///< parted
  InputsDiffer,   ///< something that it reads is not equal
  InputsUnknown,  ///< something that it reads, or its result, is matched by content or shape only
};

std::string_view name(MatchedBy by);
std::string_view name(Outcome outcome);
std::string_view name(StepState state);

constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();

struct DumpPair {
  std::size_t a = kAbsent, b = kAbsent;  ///< places in the dumps' entries
  MatchedBy by = MatchedBy::Name;
  Outcome outcome = Outcome::Equal;
  StepState step = StepState::NotDeclared;
  bool ordered = false;                       ///< named by the order
  std::size_t input = kAbsent;                ///< InputsDiffer, InputsUnknown: the first such, as a place in `pairs`
  std::unique_ptr<RawComparison> difference;  ///< where the outcome is Differs
};

struct DumpReport {
  std::shared_ptr<const Dump> a, b;
  std::string path_a, path_b;
  DumpCompareOptions options;
  std::vector<std::int64_t> renamed;  ///< how many names each map changed
  /// In order: those that the order names, then the others as A's file has them, then those only in B as B's file has them.
  std::vector<DumpPair> pairs;
  std::array<std::int64_t, 7> outcomes{};  ///< how many of each
  std::size_t first = kAbsent;             ///< the first pair that is not equal

  const DumpEntry* entry_a(const DumpPair& pair) const { return pair.a == kAbsent ? nullptr : &a->entries()[pair.a]; }
  const DumpEntry* entry_b(const DumpPair& pair) const { return pair.b == kAbsent ? nullptr : &b->entries()[pair.b]; }
  /// A's, or B's where A has none.
  const DumpEntry& entry(const DumpPair& pair) const { return pair.a == kAbsent ? *entry_b(pair) : *entry_a(pair); }
  std::int64_t count(Outcome outcome) const { return outcomes[static_cast<std::size_t>(outcome)]; }
  bool equal() const { return first == kAbsent; }
  /// The step that wrote it parted: its bits were compared and differ, though all that it reads is equal. Of another format or
  /// shape nothing was compared.
  bool parted(const DumpPair& pair) const { return pair.step == StepState::InputsEqual && pair.outcome == Outcome::Differs; }
};

/// Refuses `usage` for a map that is no regular expression, `name-collision` where two tensors get one name, `order-malformed`
/// where the order names a tensor that neither dump has, and what reading a tensor refuses.
DumpReport compare_dumps(std::shared_ptr<const Dump> a, std::shared_ptr<const Dump> b, DumpCompareOptions options);

}  // namespace bitpact
