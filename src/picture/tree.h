// What an order does with so many leaves, as a tree in which equal parts are one: equal up to a shift of leaf numbers. A sum of a
// million leaves is a few dozen shapes. Made from the schedule alone, so that every kind of order has one.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "contract/order.h"

namespace bitpact {

/// What is marked where two orders are compared; flags.
enum OrderMark : std::uint8_t {
  kPartsHere = 1,      ///< the result of a step that the other order does not take
  kDifferentPart = 2,  ///< the smallest part that both orders compute and associate differently
};

/// A part of a tree, at any leaf: leaf numbers count from its origin, the leaf that its state begins with.
///   Run     leaves 0, stride, 2 stride, ... (`count` of them), a chain
///   Series  begins as the part `head`; then, `count` times, at first, first + stride, ...:
///           Joins      state := merge(state, item)
///           JoinsLeft  state := merge(item, state)
///           GoesOn     the chain goes on over the leaves of `item`, a Run
struct OrderShape {
  enum class Kind : std::uint8_t { Run, Series };
  enum class How : std::uint8_t { Joins, JoinsLeft, GoesOn };
  Kind kind = Kind::Run;
  How how = How::Joins;
  std::uint8_t marks = 0;              ///< of the result; a marked Series has a count of 1
  std::int32_t head = -1, item = -1;   ///< shapes, smaller than this one's number
  std::int64_t first = 0, stride = 1;  ///< stride: 1 in a Run of one leaf, 0 in a Series of one item
  std::int64_t count = 0;

  // What follows from these.
  std::int64_t leaves = 0;
  std::int64_t lowest = 0, highest = 0;  ///< leaf numbers
  bool holds_mark = false;               ///< here or below

  /// Of what does not follow.
  bool operator==(const OrderShape& o) const {
    return kind == o.kind && how == o.how && marks == o.marks && head == o.head && item == o.item && first == o.first &&
           stride == o.stride && count == o.count;
  }
};

struct OrderTree {
  std::vector<OrderShape> shapes;
  std::int32_t root = -1;
  std::int64_t origin = 0;  ///< of the root
  const OrderShape& shape(std::int32_t s) const { return shapes[static_cast<size_t>(s)]; }
};

/// Builds a tree from the bottom up. One association has one tree, however its chains were cut into pieces.
class OrderTreeBuilder {
 public:
  /// A partial result. Its last steps are not shapes yet, since the next step may be one more of the same.
  struct Value {
    std::int64_t origin = 0, leaves = 0;
    OrderShape shape;  ///< count 0: none yet
    OrderShape tail;   ///< a Run that the state went on over; count 0: none
    std::int64_t tail_at = 0;
  };

  static Value chain(std::int64_t first, std::int64_t stride, std::int64_t count);
  /// The chain goes on. Marks are for one leaf more, not for several.
  void go_on(Value& state, std::int64_t first, std::int64_t stride, std::int64_t count, std::uint8_t marks = 0);
  Value join(Value left, Value right, std::uint8_t marks = 0);
  OrderTree finish(Value value);

 private:
  struct Hash {
    size_t operator()(const OrderShape& shape) const;
  };
  std::int32_t intern(const OrderShape& shape);
  void flush(Value& value);
  void push(Value& value, OrderShape::How how, std::int32_t item, std::int64_t first, std::uint8_t marks);

  std::vector<OrderShape> shapes_;
  std::unordered_map<OrderShape, std::int32_t, Hash> numbers_;
};

/// Joins are numbered as the schedule does them, a chain of n leaves being n - 1; those in `marked` (ascending) get marks.
using MarkedJoins = std::vector<std::pair<std::int64_t, std::uint8_t>>;
OrderTree order_tree(const Schedule& schedule, const MarkedJoins& marked = {});

}  // namespace bitpact
