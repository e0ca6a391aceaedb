// bitpact.dump-comparison/1.
#include <cmath>
#include <nlohmann/json.hpp>

#include "compare/dump_report.h"
#include "number/arithmetic.h"

namespace bitpact {
namespace {

using Json = nlohmann::json;

std::string dumped(const Json& j, int indent) { return j.dump(indent, ' ', false, Json::error_handler_t::replace); }

Json side(const std::string& path, const Dump& dump) {
  std::size_t bytes = 0;
  for (const DumpEntry& entry : dump.entries()) bytes += entry.byte_size;
  return {{"path", path}, {"tensors", dump.entries().size()}, {"bytes", bytes}};
}

Json tensor(const DumpEntry* entry) {
  if (entry == nullptr) return nullptr;
  return {{"name", entry->name}, {"format", name(entry->format)}, {"shape", entry->shape}};
}

Json value(Format format, Bits bits) {
  const int width = info(format).bits;
  const bool known = width == 64 || bits >> width == 0;
  return {{"bits", to_hex({format, bits})}, {"value", known ? Json(to_text(Scalar{format, bits})) : Json()}};
}

Json divergence(const DumpEntry& entry, const std::optional<ElementDivergence>& d) {
  if (!d) return nullptr;
  const bool nan = is_float(entry.format) && d->ulps == UINT64_MAX;
  return {{"index", coordinate(entry.shape, d->flat)},
          {"a", value(entry.format, d->a)},
          {"b", value(entry.format, d->b)},
          {"ulps", nan ? Json() : Json(d->ulps)}};
}

// JSON has no infinity.
Json figure(const std::optional<double>& f) {
  if (!f) return nullptr;
  return std::isinf(*f) ? Json("inf") : Json(*f);
}

Json difference(const DumpEntry& entry, const RawComparison* d) {
  if (d == nullptr) return nullptr;
  Json histogram = Json::array();
  for (const auto& [bucket, count] : d->histogram) histogram.push_back({{"ulps", UlpHistogram::label(bucket)}, {"count", count}});
  return {{"elements", d->elements},
          {"different", d->different},
          {"nan_payloads", d->nan_payloads},
          {"zero_signs", d->zero_signs},
          {"nan_against_number", d->nan_against_number},
          {"only_nan_payloads_and_zero_signs", !only_text(*d).empty()},
          {"first", divergence(entry, d->first)},
          {"greatest", divergence(entry, d->greatest)},
          {"histogram", std::move(histogram)},
          {"nan", {{"a", d->a.nan}, {"b", d->b.nan}}},
          {"infinite", {{"a", d->a.infinite}, {"b", d->b.infinite}}},
          {"finite", d->finite},
          {"max_abs", figure(d->max_abs)},
          {"max_rel", figure(d->max_rel)},
          {"rms", figure(d->rms)}};
}

Json pair_json(const DumpReport& r, std::size_t index) {
  const DumpPair& pair = r.pairs[index];
  const bool both = pair.a != kAbsent && pair.b != kAbsent;
  return {{"position", index + 1},
          {"a", tensor(r.entry_a(pair))},
          {"b", tensor(r.entry_b(pair))},
          {"matched_by", both ? Json(name(pair.by)) : Json()},
          {"outcome", name(pair.outcome)},
          {"step", name(pair.step)},
          {"step_input", pair.input == kAbsent ? Json() : Json(r.entry(r.pairs[pair.input]).name)},
          {"step_parted", r.parted(pair)},
          {"difference", difference(r.entry(pair), pair.difference.get())}};
}

bool listed(const DumpPair& pair) {
  return pair.outcome != Outcome::Equal || pair.by == MatchedBy::Content || pair.by == MatchedBy::Shape;
}

}  // namespace

void write_json(const DumpReport& r, const Sink& sink) {
  Json maps = Json::array();
  for (std::size_t i = 0; i < r.options.maps.size(); ++i)
    maps.push_back(
        {{"regex", r.options.maps[i].regex}, {"replacement", r.options.maps[i].replacement}, {"renamed", r.renamed[i]}});
  constexpr std::string_view kLevels[] = {"name", "content", "shape"};
  const Json head{
      {"schema", "bitpact.dump-comparison/1"},
      {"verdict", r.equal() ? "equal" : "differs"},
      {"a", side(r.path_a, *r.a)},
      {"b", side(r.path_b, *r.b)},
      {"match", kLevels[static_cast<std::size_t>(r.options.match)]},
      {"maps", std::move(maps)},
      {"order", r.options.order ? Json(r.options.order_path) : Json()},
      {"counts",
       {{"tensors", r.pairs.size()},
        {"equal", r.count(Outcome::Equal)},
        {"differs", r.count(Outcome::Differs)},
        {"other_shape", r.count(Outcome::OtherShape)},
        {"other_format", r.count(Outcome::OtherFormat)},
        {"other_shape_and_format", r.count(Outcome::OtherShapeAndFormat)},
        {"only_in_a", r.count(Outcome::OnlyInA)},
        {"only_in_b", r.count(Outcome::OnlyInB)}}},
      {"first", r.equal() ? Json() : pair_json(r, r.first)},
  };
  std::string text = dumped(head, 2);
  text.resize(text.size() - 2);  // "\n}"
  sink(text + ",\n  \"tensors\": [");
  bool any = false;
  for (std::size_t i = 0; i < r.pairs.size(); ++i) {
    if (!listed(r.pairs[i])) continue;
    sink((any ? ",\n    " : "\n    ") + dumped(pair_json(r, i), -1));
    any = true;
  }
  sink(any ? "\n  ]\n}\n" : "]\n}\n");
}

}  // namespace bitpact
