#include "picture/json.h"

#include "picture/words.h"

namespace bitpact {

using Json = nlohmann::json;

namespace {

Json leaves_json(const std::vector<std::int64_t>& leaves) {
  Json runs = Json::array();
  for (const LeafRun& run : runs_of(leaves)) runs.push_back({{"first", run.first}, {"stride", run.stride}, {"count", run.count}});
  return runs;
}

}  // namespace

Json to_json(const OrderTree& tree) {
  Json shapes = Json::array();
  for (const OrderShape& s : tree.shapes) {
    if (s.kind == OrderShape::Kind::Run) {
      shapes.push_back({{"run", {{"stride", s.stride}, {"count", s.count}}}});
      continue;
    }
    const char* how = s.how == OrderShape::How::Joins ? "joins" : s.how == OrderShape::How::JoinsLeft ? "joins-left" : "goes-on";
    Json series{{"head", s.head}, {"how", how}, {"item", s.item}, {"first", s.first}, {"stride", s.stride}, {"count", s.count}};
    if ((s.marks & kPartsHere) != 0) series["parts_here"] = true;
    if ((s.marks & kDifferentPart) != 0) series["different"] = true;
    shapes.push_back({{"series", std::move(series)}});
  }
  return {{"shapes", std::move(shapes)}, {"root", tree.root}, {"origin", tree.origin}};
}

Json to_json(const OrderDifference& d) {
  using Kind = OrderDifference::Kind;
  const char* kind = d.kind == Kind::None    ? "none"
                     : d.kind == Kind::Steps ? "steps"
                     : d.kind == Kind::Sides ? "sides"
                                             : "parting";
  Json json{
      {"kind", kind}, {"leaves", d.leaves}, {"words", in_words(d)}, {"first", to_json(d.first)}, {"second", to_json(d.second)}};
  if (d.kind == Kind::None) return json;
  json["step"] = {{"left", leaves_json(d.left)}, {"right", leaves_json(d.right)}};
  if (d.kind == Kind::Parting) {
    json["step"]["left_with"] = leaves_json(d.left_with);
    json["step"]["right_with"] = leaves_json(d.right_with);
  }
  json["part"] = leaves_json(d.part);
  return json;
}

}  // namespace bitpact
