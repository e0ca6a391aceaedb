#include "compare/dump_match.h"

#include <fmt/format.h>

#include <regex>
#include <string_view>
#include <unordered_map>

#include "diagnostic/diagnostic.h"
#include "tensor/digest.h"
#include "tensor/utf8.h"

namespace bitpact {
namespace {

// The standard library's matcher recurses several times a character.
constexpr std::size_t kLongestMappedName = 512;

class Mapper {
 public:
  explicit Mapper(const std::vector<NameMap>& maps) : maps_(maps), renamed_(maps.size()) {
    for (const NameMap& map : maps) {
      try {
        expressions_.emplace_back(map.regex, std::regex::ECMAScript | std::regex::optimize);
      } catch (const std::regex_error& error) {
        refuse(Code::Usage, fmt::format("--map: '{}' is no ECMAScript regular expression: {}", map.regex, error.what()));
      }
    }
  }

  std::string operator()(const std::string& name) {
    if (!maps_.empty() && name.size() > kLongestMappedName)
      refuse(Code::Usage, fmt::format("--map: a name of {} characters is too long for a map ({}...)", name.size(),
                                      shown_name(name.substr(0, 60))));
    std::string mapped = name;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      std::string next = std::regex_replace(mapped, expressions_[i], maps_[i].replacement);
      renamed_[i] += next != mapped;
      mapped = std::move(next);
    }
    return mapped;
  }

  const std::vector<std::int64_t>& renamed() const { return renamed_; }

 private:
  const std::vector<NameMap>& maps_;
  std::vector<std::regex> expressions_;
  std::vector<std::int64_t> renamed_;
};

using Places = std::unordered_map<std::string_view, std::size_t>;

Places places_of(const Dump& dump, std::string_view which) {
  Places places;
  const auto& entries = dump.entries();
  places.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!places.emplace(entries[i].name, i).second)
      refuse(Code::NameCollision, fmt::format("two tensors of {} are named {}", which, shown_name(entries[i].name)));
  }
  return places;
}

std::string kind_of(const DumpEntry& entry) { return to_text(entry.shape, entry.format); }

std::string content_of(const Dump& dump, std::size_t index) {
  const DumpTensor tensor = dump.read(index);
  return kind_of(dump.entries()[index]) + " " + sha256(tensor.bytes);
}

/// The places under one key on both sides.
struct Candidates {
  std::vector<std::size_t> a, b;
};
using ByKey = std::unordered_map<std::string, Candidates>;

class Matching {
 public:
  Matching(const Dump& a, const Dump& b) : a_(a), b_(b), of_a_(a.entries().size()), used_b_(b.entries().size()) {}

  void join(std::size_t a, std::size_t b, MatchedBy by) {
    of_a_[a] = {.a = a, .b = b, .by = by};
    used_b_[b] = true;
  }

  void by_content() {
    ByKey content;
    for (const auto& [kind, candidates] : leftovers()) {
      if (candidates.a.empty() || candidates.b.empty() || a_.entries()[candidates.a[0]].byte_size == 0) continue;
      for (std::size_t a : candidates.a) content[content_of(a_, a)].a.push_back(a);
      for (std::size_t b : candidates.b) content[content_of(b_, b)].b.push_back(b);
    }
    join_single(content, MatchedBy::Content);
  }

  void by_shape() { join_single(leftovers(), MatchedBy::Shape); }

  std::vector<DumpPair> pairs() && {
    for (std::size_t a = 0; a < of_a_.size(); ++a) of_a_[a].a = a;
    for (std::size_t b = 0; b < used_b_.size(); ++b) {
      if (used_b_[b]) continue;
      of_a_.emplace_back();
      of_a_.back().b = b;
    }
    for (DumpPair& pair : of_a_) pair.outcome = outcome_before_reading(pair);
    return std::move(of_a_);
  }

 private:
  ByKey leftovers() const {
    ByKey left;
    for (std::size_t a = 0; a < of_a_.size(); ++a)
      if (of_a_[a].b == kAbsent) left[kind_of(a_.entries()[a])].a.push_back(a);
    for (std::size_t b = 0; b < used_b_.size(); ++b)
      if (!used_b_[b]) left[kind_of(b_.entries()[b])].b.push_back(b);
    return left;
  }

  void join_single(const ByKey& keyed, MatchedBy by) {
    for (const auto& [key, candidates] : keyed)
      if (candidates.a.size() == 1 && candidates.b.size() == 1) join(candidates.a[0], candidates.b[0], by);
  }

  Outcome outcome_before_reading(const DumpPair& pair) const {
    if (pair.b == kAbsent) return Outcome::OnlyInA;
    if (pair.a == kAbsent) return Outcome::OnlyInB;
    const DumpEntry &a = a_.entries()[pair.a], &b = b_.entries()[pair.b];
    if (a.format == b.format) return a.shape == b.shape ? Outcome::Equal : Outcome::OtherShape;
    return a.shape == b.shape ? Outcome::OtherFormat : Outcome::OtherShapeAndFormat;
  }

  const Dump &a_, &b_;
  std::vector<DumpPair> of_a_;
  std::vector<bool> used_b_;
};

}  // namespace

DumpMatches match_dumps(const Dump& a, const Dump& b, const std::vector<NameMap>& maps, MatchLevel level) {
  Mapper mapper(maps);
  places_of(a, "A");
  const Places in_b = places_of(b, "B");
  Matching matching(a, b);
  std::unordered_map<std::string, std::size_t> mapped_names;
  const auto& entries = a.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string& name = entries[i].name;
    std::string mapped;
    if (!maps.empty()) {
      mapped = mapper(name);
      const auto [other, added] = mapped_names.emplace(mapped, i);
      if (!added)
        refuse(Code::NameCollision, fmt::format("--map turns both {} and {} of A into {}",
                                                shown_name(entries[other->second].name), shown_name(name), shown_name(mapped)));
    }
    const std::string& wanted = maps.empty() ? name : mapped;
    const auto found = in_b.find(wanted);
    if (found != in_b.end()) matching.join(i, found->second, wanted == name ? MatchedBy::Name : MatchedBy::Map);
  }
  if (level >= MatchLevel::Content) matching.by_content();
  if (level >= MatchLevel::Shape) matching.by_shape();
  return {std::move(matching).pairs(), mapper.renamed()};
}

}  // namespace bitpact
