#include "contract/normal_index.h"

#include <algorithm>
#include <tuple>

#include "contract/index.h"

namespace bitpact {
namespace {

constexpr size_t kMostComposed = 64;  // beyond, nothing is composed

bool is_among(const Axes& axes, const std::string& axis) { return std::ranges::find(axes, axis) != axes.end(); }

/// Shorter names first: so those of the normal form come by their numbers.
std::pair<size_t, std::string_view> by_name(const std::string& axis) { return {axis.size(), axis}; }

void sort_extents(Multiple& multiple) {
  std::ranges::sort(multiple.extents, {}, [](const std::string& axis) { return by_name(axis); });
}

bool is_one(const Multiple& multiple) { return multiple == Multiple{}; }

/// Nothing where the factor grows too large.
std::optional<Multiple> product(const Multiple& a, const Multiple& b) {
  Multiple both = a;
  if (__builtin_mul_overflow(a.factor, b.factor, &both.factor)) return {};
  if (both.factor > kLargestFactor || both.factor < -kLargestFactor) return {};
  both.extents.insert(both.extents.end(), b.extents.begin(), b.extents.end());
  if (both.extents.size() > kMostComposed) return {};
  sort_extents(both);
  return both;
}

/// a / b, where b's factors are among a's.
std::optional<Multiple> quotient(const Multiple& a, const Multiple& b) {
  if (a.factor % b.factor != 0) return {};
  Multiple rest{a.factor / b.factor, a.extents};
  for (const std::string& axis : b.extents) {
    const auto at = std::ranges::find(rest.extents, axis);
    if (at == rest.extents.end()) return {};
    rest.extents.erase(at);
  }
  return rest;
}

/// t * floor(p / (d D)) mod M, and t / D * (floor(p / d) mod D): the digits of one number, t / D * (floor(p / d) mod (D M)).
std::optional<IndexTerm> digits_joined(const IndexTerm& high, const IndexTerm& low) {
  if (high.axis != low.axis || !low.modulo) return {};
  if (product(low.divide, *low.modulo) != high.divide || product(low.times, *low.modulo) != high.times) return {};
  IndexTerm joined = low;
  joined.modulo.reset();
  if (high.modulo) {
    joined.modulo = product(*low.modulo, *high.modulo);
    if (!joined.modulo) return {};
  }
  return joined;
}

/// Two terms that differ in the factor alone.
std::optional<IndexTerm> added(const IndexTerm& a, const IndexTerm& b) {
  IndexTerm sum = a;
  sum.times.factor += b.times.factor;
  IndexTerm like = b;
  like.times.factor = a.times.factor;
  if (like != a || sum.times.factor > kLargestFactor || sum.times.factor < -kLargestFactor) return {};
  return sum;
}

std::optional<IndexTerm> merged(const IndexTerm& a, const IndexTerm& b) {
  if (const auto sum = added(a, b)) return sum;
  if (const auto joined = digits_joined(a, b)) return joined;
  return digits_joined(b, a);
}

bool merge_two(std::vector<IndexTerm>& terms) {
  for (size_t a = 0; a < terms.size(); ++a)
    for (size_t b = a + 1; b < terms.size(); ++b)
      if (const auto one = merged(terms[a], terms[b])) {
        terms[a] = *one;
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(b));
        if (one->times.factor == 0) terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(a));
        return true;
      }
  return false;
}

auto order_of(const Multiple& multiple) { return std::tie(multiple.factor, multiple.extents); }

bool is_before(const IndexTerm& a, const IndexTerm& b) {
  if (a.axis != b.axis) return by_name(a.axis) < by_name(b.axis);
  if (a.divide != b.divide) return order_of(a.divide) < order_of(b.divide);
  if (a.modulo.has_value() != b.modulo.has_value()) return b.modulo.has_value();
  if (a.modulo != b.modulo) return order_of(*a.modulo) < order_of(*b.modulo);
  return order_of(a.times) < order_of(b.times);
}

bool is_position(const IndexTerm& term) { return is_one(term.times) && is_one(term.divide) && !term.modulo; }

const IndexCoordinate* coordinate_of(const Index& index, const std::string& axis) {
  const auto at = std::ranges::find_if(index.from, [&axis](const IndexCoordinate& c) { return c.axis == axis; });
  return at == index.from.end() ? nullptr : &*at;
}

/// `term` where the position along its axis is what `at` says.
std::optional<std::vector<IndexTerm>> substituted(const IndexTerm& term, const IndexCoordinate& at, std::int64_t& offset) {
  if (at.reversed) return {};  // by an extent that the operand's axis need not have
  if (is_one(term.divide) && !term.modulo) {
    if (at.offset != 0) {
      std::int64_t moved = 0;
      if (!term.times.extents.empty() || __builtin_mul_overflow(term.times.factor, at.offset, &moved) ||
          __builtin_add_overflow(offset, moved, &offset))
        return {};
    }
    std::vector<IndexTerm> terms;
    for (const IndexTerm& inner : at.terms) {
      const auto times = product(term.times, inner.times);
      if (!times) return {};
      terms.push_back({inner.axis, *times, inner.divide, inner.modulo});
    }
    return terms;
  }
  if (at.offset != 0 || at.terms.size() > 1) return {};
  if (at.terms.empty()) return std::vector<IndexTerm>{};
  // floor(floor(p / d) / D) is floor(p / (d D)); of the digit below m, D must be one of its factors.
  const IndexTerm& inner = at.terms[0];
  const auto divide = product(inner.divide, term.divide);
  if (!is_one(inner.times) || !divide) return {};
  std::optional<Multiple> modulo = term.modulo;
  if (inner.modulo) {
    const auto rest = quotient(*inner.modulo, term.divide);
    if (!rest || (modulo && modulo != rest)) return {};
    modulo = rest;
  }
  return std::vector<IndexTerm>{{inner.axis, term.times, *divide, modulo}};
}

/// Whether what is outside of `inner`'s result is, by the same coordinate, outside of its operand.
bool outside_is_kept(const Index& outer, const Index& inner, const Axes& operand) {
  if (!outer.outside) return true;
  if (inner.outside && inner.outside != outer.outside) return false;
  return std::ranges::all_of(outer.from, [&](const IndexCoordinate& at) {
    return is_among(operand, at.axis) && coordinate_of(inner, at.axis) == nullptr;
  });
}

std::optional<IndexCoordinate> composed(const IndexCoordinate& from, const Index& outer) {
  IndexCoordinate made{from.axis, from.offset, from.reversed, {}};
  if (from.terms.size() == 1 && is_position(from.terms[0]) && from.terms[0].axis == from.axis) {
    // Both by the extent of one axis, which falls out.
    const IndexCoordinate* at = coordinate_of(outer, from.axis);
    if (at && at->reversed) return IndexCoordinate{from.axis, at->offset - from.offset, !from.reversed, at->terms};
  }
  for (const IndexTerm& term : from.terms) {
    const IndexCoordinate* at = coordinate_of(outer, term.axis);
    if (!at) {
      made.terms.push_back(term);
      continue;
    }
    const auto terms = substituted(term, *at, made.offset);
    if (!terms || made.terms.size() + terms->size() > kMostComposed) return {};
    made.terms.insert(made.terms.end(), terms->begin(), terms->end());
  }
  return made;
}

}  // namespace

Index canonical(Index index) {
  for (IndexCoordinate& coordinate : index.from) {
    for (IndexTerm& term : coordinate.terms) {
      sort_extents(term.times);
      sort_extents(term.divide);
      if (term.modulo) sort_extents(*term.modulo);
    }
    std::erase_if(coordinate.terms, [](const IndexTerm& term) { return term.modulo && is_one(*term.modulo); });
    // Sorted before, so that what is merged first does not depend on how they were written.
    do std::ranges::sort(coordinate.terms, is_before);
    while (merge_two(coordinate.terms));
  }
  std::erase_if(index.from, [](const IndexCoordinate& at) {
    return at.offset == 0 && !at.reversed && at.terms.size() == 1 && is_position(at.terms[0]) && at.terms[0].axis == at.axis;
  });
  std::ranges::sort(index.from, {}, [](const IndexCoordinate& at) { return by_name(at.axis); });
  if (index.from.empty()) index.outside.reset();
  return index;
}

std::optional<Index> composed(const Index& outer, const Index& inner, const Axes& operand) {
  if (!outside_is_kept(outer, inner, operand)) return {};
  Index made{inner.operands, inner.format, {}, outer.axes, outer.outside ? outer.outside : inner.outside};
  for (const std::string& axis : operand) {
    const IndexCoordinate* from = coordinate_of(inner, axis);
    if (!from) {  // taken as it is: the outer's, if it has one
      if (const IndexCoordinate* at = coordinate_of(outer, axis)) made.from.push_back(*at);
      continue;
    }
    auto one = composed(*from, outer);
    if (!one || one->offset > kLargestFactor || one->offset < -kLargestFactor) return {};
    made.from.push_back(std::move(*one));
  }
  made = canonical(std::move(made));
  // Extents of axes that are gone cannot be spoken of.
  const bool known = std::ranges::all_of(made.from, [&](const IndexCoordinate& at) {
    return std::ranges::all_of(at.terms, [&](const IndexTerm& term) {
      const auto of = [&](const Multiple& multiple) {
        return std::ranges::all_of(multiple.extents,
                                   [&](const std::string& axis) { return is_among(operand, axis) || is_among(made.axes, axis); });
      };
      return of(term.times) && of(term.divide) && (!term.modulo || of(*term.modulo));
    });
  });
  return known ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace bitpact
