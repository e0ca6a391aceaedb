// Order: how a sum (max, scan) is associated, as a generator that holds for any length.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bitpact {

/// A generator of associations over items 0 .. n-1. Items are leaves at the innermost level, partial results above it.
///   sequential        ((0 1) 2) ...; reversed: ((n-1 n-2) n-3) ...
///   interleaved(w)    lane j takes items j, j+w, ... in sequence; the min(w, n) lanes are then items of `outer`
///   blocked(b)        blocks of b items (the last may be shorter), each associated by `inner`;
///                     the blocks are then items of `outer`
///   pairwise(cutoff)  n <= cutoff: `inner`; else halves, split at n/2 rounded down to a multiple of `multiple`,
///                     at least one multiple (so `multiple` may not exceed the cutoff)
///   tree              explicit, only for exactly merges.size() + 1 items: merge t joins items or earlier merges,
///                     and is item n + t
struct Order {
  enum class Kind : std::uint8_t { Sequential, Interleaved, Blocked, Pairwise, Tree };
  Kind kind = Kind::Sequential;
  bool reversed = false;                                      ///< Sequential
  std::int64_t width = 0;                                     ///< Interleaved: w; Blocked: b; Pairwise: cutoff
  std::int64_t multiple = 1;                                  ///< Pairwise
  std::vector<Order> inner;                                   ///< none (= sequential) or one: Blocked, Pairwise
  std::vector<Order> outer;                                   ///< none (= sequential) or one: Interleaved, Blocked
  std::vector<std::pair<std::int64_t, std::int64_t>> merges;  ///< Tree
  bool operator==(const Order&) const = default;

  // A nested order that is sequential is left out.
  static Order sequential();
  static Order backwards();
  static Order interleaved(std::int64_t width);
  static Order interleaved(std::int64_t width, Order outer);
  static Order blocked(std::int64_t block);
  static Order blocked(std::int64_t block, Order inner, Order outer);
  static Order pairwise(std::int64_t cutoff, std::int64_t multiple = 1);
  static Order pairwise(std::int64_t cutoff, std::int64_t multiple, Order inner);
  static Order tree(std::vector<std::pair<std::int64_t, std::int64_t>> merges);
};

/// Refuses `contract-program` where a width is < 1, a tree is not one, nesting is deeper than 16, ...
void check_well_formed(const Order& order);

/// "sequential", "interleaved(8), lanes joined pairwise(1)", ...
std::string to_text(const Order& order);

/// What a machine with slots does: chains over leaves, and merges. Slots start empty.
struct ScheduleStep {
  enum class Kind : std::uint8_t {
    Chain,  ///< slot `slot` := chain over leaves first, first + stride, ... (count of them), begun as Fold::start says
    Merge,  ///< slot `slot` := merge(slot, other); `other` is empty afterwards
  };
  Kind kind = Kind::Chain;
  std::int32_t slot = 0;
  std::int32_t other = 0;
  std::int64_t first = 0, stride = 1, count = 0;
  bool operator==(const ScheduleStep&) const = default;
};

struct Schedule {
  std::vector<ScheduleStep> steps;  ///< the result is in slot 0
  std::int32_t slots = 0;           ///< how many are ever in use at once
};

/// The schedule for n >= 1 leaves. Needs no recursion deeper than the nesting of `order` plus log2 n.
/// Refuses `contract-program` where a tree is for another n.
Schedule schedule(const Order& order, std::int64_t n);

}  // namespace bitpact
