// Order: how a sum (max, scan) is associated, as a generator that holds for any length.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bitpact {

/// A generator of associations over items 0 .. n-1. Items are leaves at the innermost level, partial results above it.
///   sequential        ((0 1) 2) ...; reversed: ((n-1 n-2) n-3) ...; started: of partial results only. The first of them
///                     goes through Fold::enter, which adds it to the start value, say,
///                     before the second is joined to it;
///                     one alone is handed on
///   interleaved(w)    lane j takes items j, j+w, ... in sequence; the min(w, n) lanes are then items of `outer`
///   blocked(b)        blocks of b items, each associated by `inner`; the blocks are then items of `outer`. `ends` says where
///                     the short block is, if any
///   tailed(w)         the head, as many items as fill rows of w, is associated by `inner`; `tail` says how the fewer than w
///                     items behind it are added. Where there is no full row, they are taken in sequence
///   parts             blocks of the given sizes, only for exactly as many items as they have; else as blocked
///   pairwise(cutoff)  n <= cutoff: `inner`; else halves, split at n/2 rounded down to a multiple of `multiple`,
///                     at least one multiple (so `multiple` may not exceed the cutoff)
///   tree              explicit, only for exactly merges.size() + 1 items: merge t joins items or earlier merges,
///                     and is item n + t. With `steps`, a leaf goes by `step` into the state that it is joined with, and two
///                     leaves are a chain (with `pairs`: two chains, merged); without, every leaf is a chain of its own
struct Order {
  enum class Kind : std::uint8_t { Sequential, Interleaved, Blocked, Pairwise, Tree, Tailed, Parts };
  /// Where the items do not fill blocks.
  enum class Ends : std::uint8_t {
    ShortLast,
    ShortFirst,
    ShortBoth,  ///< what is missing is taken from the first and the last, from the first the smaller half
    EvenLast,   ///< more than one block's worth and less than two are cut in halves, the first the longer
  };
  enum class Tail : std::uint8_t {
    Continued,  ///< one after another into the head's state (leaves: by `step`)
    Joined,     ///< one after another, each a state of its own (by `merge`)
    Apart,      ///< in sequence by themselves; their state is then merged with the head's
  };
  Kind kind = Kind::Sequential;
  bool reversed = false;                                      ///< Sequential
  bool started = false;                                       ///< Sequential, of partial results, not reversed
  bool steps = false;                                         ///< Tree
  bool pairs = false;                                         ///< Tree with steps
  Ends ends = Ends::ShortLast;                                ///< Blocked
  Tail tail = Tail::Continued;                                ///< Tailed
  std::int64_t width = 0;                                     ///< Interleaved, Tailed: w; Blocked: b; Pairwise: cutoff
  std::int64_t multiple = 1;                                  ///< Pairwise
  std::vector<Order> inner;                                   ///< none (= sequential) or one: Blocked, Pairwise, Tailed, Parts
  std::vector<Order> outer;                                   ///< none (= sequential) or one: Interleaved, Blocked, Parts
  std::vector<std::int64_t> parts;                            ///< Parts: sizes
  std::vector<std::pair<std::int64_t, std::int64_t>> merges;  ///< Tree
  bool operator==(const Order&) const = default;

  // A nested order that is sequential is left out.
  static Order sequential();
  static Order backwards();
  static Order from_start();
  static Order interleaved(std::int64_t width);
  static Order interleaved(std::int64_t width, Order outer);
  static Order blocked(std::int64_t block);
  static Order blocked(std::int64_t block, Order inner, Order outer, Ends ends = Ends::ShortLast);
  static Order pairwise(std::int64_t cutoff, std::int64_t multiple = 1);
  static Order pairwise(std::int64_t cutoff, std::int64_t multiple, Order inner);
  static Order tree(std::vector<std::pair<std::int64_t, std::int64_t>> merges, bool steps = false, bool pairs = false);
  static Order tailed(std::int64_t width, Order head, Tail tail = Tail::Continued);
  static Order of_parts(std::vector<std::int64_t> sizes);
  static Order of_parts(std::vector<std::int64_t> sizes, Order inner, Order outer);
};

/// How many of n items are the tail of a tailed order: all of them where there is no full row. 0 for other orders.
std::int64_t tail_length(const Order& order, std::int64_t n);

/// Whether partial results anywhere in it are joined from the start value.
bool enters(const Order& order);

/// Refuses `contract-program` where a width is < 1, a tree is not one, nesting is deeper than 16, ...
void check_well_formed(const Order& order);

/// "sequential", "interleaved(8), lanes joined pairwise(1)", ...
std::string to_text(const Order& order);

/// What a machine with slots does: chains over leaves, and merges. Slots start empty.
struct ScheduleStep {
  enum class Kind : std::uint8_t {
    Chain,   ///< slot `slot` := chain over leaves first, first + stride, ... (count of them), begun as Fold::start says
    Merge,   ///< slot `slot` := merge(slot, other); `other` is empty afterwards
    Enter,   ///< slot `slot`, which holds a state, goes through Fold::enter
    Extend,  ///< slot `slot`, which holds a state, goes on over leaves first, first + stride, ... (count of them)
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
/// Refuses `contract-program` where a tree, or parts, are for another n.
Schedule schedule(const Order& order, std::int64_t n);

}  // namespace bitpact
