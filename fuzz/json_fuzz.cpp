// Strict JSON and its canonical bytes, against nlohmann-json's own parser and printer.
#include <algorithm>

#include "contract/canonical_json.h"
#include "fuzz.h"

using namespace bitpact;
using nlohmann::json;

namespace {

/// Where both print the same: no number that is not an integer, no name that sorts otherwise in UTF-16 than in UTF-8.
bool comparable(const json& value) {
  if (value.is_number_float()) return false;
  if (value.is_object())
    for (const auto& [name, member] : value.items())
      if (std::ranges::any_of(name, [](unsigned char c) { return c >= 0xee; }) || !comparable(member)) return false;
  if (value.is_array())
    for (const json& element : value)
      if (!comparable(element)) return false;
  return true;
}

/// Canonical JSON has one kind of number: 1.0 is 1, and a float that is an integer reads back as one.
bool same(const json& a, const json& b) {
  if (a.is_number() && b.is_number()) return a.get<double>() == b.get<double>();
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_object()) {
    for (const auto& [name, member] : a.items())
      if (!b.contains(name) || !same(member, b.at(name))) return false;
    return true;
  }
  if (a.is_array()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!same(a[i], b[i])) return false;
    return true;
  }
  return a == b;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto value = fuzz::accepted({Code::JsonMalformed}, [&] { return parse_json(text); });
  if (!value) return -1;
  fuzz::must(json::accept(text), "the strict reader takes what is not JSON");
  fuzz::must(json::parse(text) == *value, "the strict reader reads another value");
  const auto canonical = fuzz::accepted({Code::ContractValue}, [&] { return canonical_json(*value); });
  if (!canonical) return 0;
  const json back = parse_json(*canonical);
  fuzz::must(same(back, *value), "canonical JSON reads back as another value");
  fuzz::must(canonical_json(back) == *canonical, "canonical JSON is no fixed point");
  if (comparable(*value)) fuzz::must(value->dump() == *canonical, "canonical JSON differs from nlohmann-json's");
  return 0;
}
