#include "contract/program_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tensor/base64.h"

namespace bitpact {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLargest = std::int64_t{1} << 53;  // what I-JSON holds exactly

// ---- orders

Order read_sequential(JsonFields& fields) {
  Order order;
  if (const auto reversed = fields.take_optional("reversed")) {
    if (!reversed->boolean()) reversed->bad_value("is the default, which is left out");
    order.reversed = true;
  }
  if (const auto started = fields.take_optional("started")) {
    if (!started->boolean()) started->bad_value("is the default, which is left out");
    order.started = true;
  }
  return order;
}

void read_nested(JsonFields& fields, const std::string& field, std::vector<Order>& nested) {
  if (const auto json = fields.take_optional(field)) nested.push_back(read_order(*json));
}

Order read_tree(JsonFields& fields) {
  Order order;
  order.kind = Order::Kind::Tree;
  for (const JsonView& merge : fields.take("merges").array()) {
    const auto pair = merge.array();
    if (pair.size() != 2) merge.bad_value("a merge joins two items");
    order.merges.emplace_back(pair[0].integer(0, kLargest), pair[1].integer(0, kLargest));
  }
  if (const auto steps = fields.take_optional("steps")) {
    if (!steps->boolean()) steps->bad_value("is the default, which is left out");
    order.steps = true;
  }
  if (const auto pairs = fields.take_optional("pairs")) {
    if (!pairs->boolean()) pairs->bad_value("is the default, which is left out");
    order.pairs = true;
  }
  return order;
}

// A word that is not the first of `words`, which is left out.
template <typename Enum>
void read_word(JsonFields& fields, const std::string& field, const std::vector<std::string_view>& words, Enum& value) {
  const auto json = fields.take_optional(field);
  if (!json) return;
  for (size_t w = 1; w < words.size(); ++w)
    if (json->string() == words[w]) {
      value = static_cast<Enum>(w);
      return;
    }
  json->bad_value(fmt::format("is none of {}", fmt::join(words.begin() + 1, words.end(), ", ")));
}

const std::vector<std::string_view> kEnds{"short-last", "short-first", "short-both", "even-last"};
const std::vector<std::string_view> kTails{"continued", "joined", "apart"};

// ---- nodes

std::vector<int> read_nodes(const JsonView& json, int count) {
  std::vector<int> nodes;
  for (const JsonView& node : json.array()) nodes.push_back(static_cast<int>(node.integer(0, count - 1)));
  return nodes;
}

Json to_json(const Start& start, const std::vector<Format>& state) {
  if (start.first_leaf) return {{"first_leaf", to_json(start.lift)}};
  Json values = Json::array();
  for (size_t s = 0; s < start.values.size(); ++s) values.push_back(bits_text(state.at(s), start.values[s]));
  return {{"values", values}};
}

Start read_start(const JsonView& json, const std::vector<Format>& formats) {
  JsonFields fields(json);
  Start start;
  if (const auto lift = fields.take_optional("first_leaf")) {
    start.lift = read_body(*lift);
    fields.done();
    return start;
  }
  start.first_leaf = false;
  const JsonView values = fields.take("values");
  const auto list = values.array();
  if (list.size() != formats.size()) values.bad_value(fmt::format("the state has {} components", formats.size()));
  for (size_t s = 0; s < list.size(); ++s) start.values.push_back(read_bits(list[s], formats[s]));
  fields.done();
  return start;
}

Input read_input(const JsonView& json) {
  JsonFields fields(json);
  Input input;
  input.name = fields.take("name").line();
  input.format = read_format(fields.take("format"));
  input.axes = read_strings(fields.take("axes"));
  fields.done();
  return input;
}

Map read_map(const JsonView& json, int earlier) {
  JsonFields fields(json);
  Map map;
  map.operands = read_nodes(fields.take("operands"), earlier);
  map.body = read_body(fields.take("body"));
  map.axes = read_strings(fields.take("axes"));
  fields.done();
  return map;
}

TailBodies read_tail(const JsonView& json) {
  JsonFields fields(json);
  TailBodies tail;
  tail.leaf = read_body(fields.take("leaf"));
  tail.step = read_body(fields.take("step"));
  tail.start = read_start(fields.take("start"), tail.state_formats());
  tail.join = read_body(fields.take("join"));
  tail.finish = read_body(fields.take("finish"));
  fields.done();
  return tail;
}

Fold read_fold(const JsonView& json, int earlier) {
  JsonFields fields(json);
  Fold fold;
  fold.operands = read_nodes(fields.take("operands"), earlier);
  fold.over = read_strings(fields.take("over"));
  fold.axes = read_strings(fields.take("axes"));
  fold.leaf = read_body(fields.take("leaf"));
  fold.step = read_body(fields.take("step"));
  if (const auto merge = fields.take_optional("merge")) {
    fold.merge = read_body(*merge);
    if (fold.merge == ScalarBody{}) merge->bad_value("a merge that is not there is left out");
  }
  if (const auto enter = fields.take_optional("enter")) {
    fold.enter = read_body(*enter);
    if (fold.enter == ScalarBody{}) enter->bad_value("an enter that is not there is left out");
  }
  fold.finish = read_body(fields.take("finish"));
  fold.start = read_start(fields.take("start"), fold.state_formats());
  fold.order = read_order(fields.take("order"));
  if (const auto tail = fields.take_optional("tail")) fold.tail = read_tail(*tail);
  const JsonView emit = fields.take("emit");
  if (emit.string() == "prefixes")
    fold.emit = Emit::Prefixes;
  else if (emit.string() != "last")
    emit.bad_value("is none of last, prefixes");
  fields.done();
  return fold;
}

Table read_table(const JsonView& json, int earlier) {
  JsonFields fields(json);
  Table table;
  table.operands = read_nodes(fields.take("operands"), earlier);
  const Format format = read_format(fields.take("format"));
  const JsonView values = fields.take("values");
  const auto bytes = from_base64(values.string());
  const auto each = static_cast<size_t>(info(format).storage_bytes);
  if (!bytes || bytes->empty() || bytes->size() % each != 0)
    values.bad_value(fmt::format("is no base64 of values of {}", name(format)));
  table.values = Tensor(format, {static_cast<std::int64_t>(bytes->size() / each)});
  std::ranges::copy(*bytes, table.values.mutable_bytes());
  table.axes = read_strings(fields.take("axes"));
  fields.done();
  return table;
}

/// A number, or {"factor": F, "extents": [AXIS, ...]}.
Multiple read_multiple(const JsonView& json, std::int64_t least) {
  if (!json.is_object()) return {json.integer(least, kLargest), {}};
  JsonFields fields(json);
  Multiple multiple{fields.take("factor").integer(least, kLargest), read_strings(fields.take("extents"))};
  if (multiple.extents.empty()) json.bad_value("without extents it is a number");
  fields.done();
  return multiple;
}

/// A factor that is one is left out.
Multiple read_factor(JsonFields& fields, const std::string& field, std::int64_t least) {
  const auto json = fields.take_optional(field);
  if (!json) return {};
  const Multiple multiple = read_multiple(*json, least);
  if (multiple == Multiple{}) json->bad_value("is the default, which is left out");
  return multiple;
}

IndexCoordinate read_coordinate(const JsonView& json) {
  JsonFields fields(json);
  IndexCoordinate coordinate;
  coordinate.axis = fields.take("axis").line();
  if (const auto offset = fields.take_optional("offset")) {
    coordinate.offset = offset->integer(-kLargest, kLargest);
    if (coordinate.offset == 0) offset->bad_value("is the default, which is left out");
  }
  if (const auto reversed = fields.take_optional("reversed")) {
    if (!reversed->boolean()) reversed->bad_value("is the default, which is left out");
    coordinate.reversed = true;
  }
  for (const JsonView& each : fields.take("terms").array()) {
    JsonFields term(each);
    IndexTerm& read = coordinate.terms.emplace_back();
    read.axis = term.take("axis").line();
    read.times = read_factor(term, "times", -kLargest);
    read.divide = read_factor(term, "divide", 1);
    if (const auto modulo = term.take_optional("modulo")) read.modulo = read_multiple(*modulo, 1);
    term.done();
  }
  fields.done();
  return coordinate;
}

Index read_index(const JsonView& json, int earlier) {
  JsonFields fields(json);
  Index index;
  index.operands = read_nodes(fields.take("operands"), earlier);
  index.format = read_format(fields.take("format"));
  for (const JsonView& coordinate : fields.take("from").array()) index.from.push_back(read_coordinate(coordinate));
  index.axes = read_strings(fields.take("axes"));
  if (const auto outside = fields.take_optional("outside")) index.outside = read_bits(*outside, index.format);
  fields.done();
  return index;
}

Node read_node(const JsonView& json, int earlier) {
  JsonFields fields(json);
  if (fields.names().size() != 1) json.bad_field("a node is one of input, map, fold, table, index");
  if (const auto input = fields.take_optional("input")) return read_input(*input);
  if (const auto map = fields.take_optional("map")) return read_map(*map, earlier);
  if (const auto fold = fields.take_optional("fold")) return read_fold(*fold, earlier);
  if (const auto table = fields.take_optional("table")) return read_table(*table, earlier);
  if (const auto index = fields.take_optional("index")) return read_index(*index, earlier);
  fields.done();
  json.bad_field("a node is one of input, map, fold, table, index");
}

Json to_json(const Multiple& multiple) {
  if (multiple.extents.empty()) return multiple.factor;
  return {{"factor", multiple.factor}, {"extents", multiple.extents}};
}

Json to_json(const IndexCoordinate& coordinate) {
  Json json{{"axis", coordinate.axis}, {"terms", Json::array()}};
  if (coordinate.offset != 0) json["offset"] = coordinate.offset;
  if (coordinate.reversed) json["reversed"] = true;
  for (const IndexTerm& term : coordinate.terms) {
    Json& written = json["terms"].emplace_back(Json{{"axis", term.axis}});
    if (term.times != Multiple{}) written["times"] = to_json(term.times);
    if (term.divide != Multiple{}) written["divide"] = to_json(term.divide);
    if (term.modulo) written["modulo"] = to_json(*term.modulo);
  }
  return json;
}

struct NodeWriter {
  Json operator()(const Input& n) const { return {{"input", {{"name", n.name}, {"format", name(n.format)}, {"axes", n.axes}}}}; }
  Json operator()(const Map& n) const {
    return {{"map", {{"operands", n.operands}, {"body", to_json(n.body)}, {"axes", n.axes}}}};
  }
  Json operator()(const Fold& n) const {
    Json json{{"operands", n.operands},
              {"over", n.over},
              {"axes", n.axes},
              {"leaf", to_json(n.leaf)},
              {"step", to_json(n.step)},
              {"finish", to_json(n.finish)},
              {"start", to_json(n.start, n.state_formats())},
              {"order", to_json(n.order)},
              {"emit", n.emit == Emit::Last ? "last" : "prefixes"}};
    if (n.merge != ScalarBody{}) json["merge"] = to_json(n.merge);
    if (n.enter != ScalarBody{}) json["enter"] = to_json(n.enter);
    if (n.tail)
      json["tail"] = {{"leaf", to_json(n.tail->leaf)},
                      {"step", to_json(n.tail->step)},
                      {"start", to_json(n.tail->start, n.tail->state_formats())},
                      {"join", to_json(n.tail->join)},
                      {"finish", to_json(n.tail->finish)}};
    return {{"fold", std::move(json)}};
  }
  Json operator()(const Table& n) const {
    return {
        {"table",
         {{"operands", n.operands}, {"format", name(n.values.format())}, {"values", base64(n.values.span())}, {"axes", n.axes}}}};
  }
  Json operator()(const Index& n) const {
    Json json{{"operands", n.operands}, {"format", name(n.format)}, {"from", Json::array()}, {"axes", n.axes}};
    for (const IndexCoordinate& coordinate : n.from) json["from"].push_back(to_json(coordinate));
    if (n.outside) json["outside"] = bits_text(n.format, *n.outside);
    return {{"index", std::move(json)}};
  }
};

}  // namespace

std::vector<std::string> read_strings(const JsonView& json) {
  std::vector<std::string> strings;
  for (const JsonView& element : json.array()) strings.push_back(element.line());
  return strings;
}

Json to_json(const Order& order) {
  Json json;
  switch (order.kind) {
    case Order::Kind::Sequential:
      json["kind"] = "sequential";
      if (order.reversed) json["reversed"] = true;
      if (order.started) json["started"] = true;
      break;
    case Order::Kind::Interleaved:
      json = {{"kind", "interleaved"}, {"width", order.width}};
      break;
    case Order::Kind::Blocked:
      json = {{"kind", "blocked"}, {"block", order.width}};
      if (order.ends != Order::Ends::ShortLast) json["ends"] = kEnds[static_cast<size_t>(order.ends)];
      break;
    case Order::Kind::Pairwise:
      json = {{"kind", "pairwise"}, {"cutoff", order.width}};
      if (order.multiple != 1) json["multiple"] = order.multiple;
      break;
    case Order::Kind::Tree:
      json = {{"kind", "tree"}, {"merges", Json::array()}};
      for (const auto& [a, b] : order.merges) json["merges"].push_back(Json::array({a, b}));
      if (order.steps) json["steps"] = true;
      if (order.pairs) json["pairs"] = true;
      break;
    case Order::Kind::Tailed:
      json = {{"kind", "tailed"}, {"width", order.width}};
      if (order.tail != Order::Tail::Continued) json["tail"] = kTails[static_cast<size_t>(order.tail)];
      break;
    case Order::Kind::Parts:
      json = {{"kind", "parts"}, {"sizes", order.parts}};
      break;
  }
  if (!order.inner.empty()) json["inner"] = to_json(order.inner[0]);
  if (!order.outer.empty()) json["outer"] = to_json(order.outer[0]);
  return json;
}

Order read_order(const JsonView& json) {
  JsonFields fields(json);
  const JsonView kind = fields.take("kind");
  Order order;
  if (kind.string() == "sequential") {
    order = read_sequential(fields);
  } else if (kind.string() == "interleaved") {
    order = Order::interleaved(fields.take("width").integer(1, kLargest));
    read_nested(fields, "outer", order.outer);
  } else if (kind.string() == "blocked") {
    order = Order::blocked(fields.take("block").integer(1, kLargest));
    read_word(fields, "ends", kEnds, order.ends);
    read_nested(fields, "inner", order.inner);
    read_nested(fields, "outer", order.outer);
  } else if (kind.string() == "pairwise") {
    order = Order::pairwise(fields.take("cutoff").integer(1, kLargest));
    if (const auto multiple = fields.take_optional("multiple")) order.multiple = multiple->integer(2, kLargest);
    read_nested(fields, "inner", order.inner);
  } else if (kind.string() == "tree") {
    order = read_tree(fields);
  } else if (kind.string() == "tailed") {
    order = Order::tailed(fields.take("width").integer(1, kLargest), {});
    read_word(fields, "tail", kTails, order.tail);
    read_nested(fields, "inner", order.inner);
  } else if (kind.string() == "parts") {
    order.kind = Order::Kind::Parts;
    for (const JsonView& size : fields.take("sizes").array()) order.parts.push_back(size.integer(1, kLargest));
    read_nested(fields, "inner", order.inner);
    read_nested(fields, "outer", order.outer);
  } else {
    kind.bad_value("is none of sequential, interleaved, blocked, pairwise, tailed, parts, tree");
  }
  fields.done();
  return order;
}

Json to_json(const NumericProgram& program) {
  Json json{{"nodes", Json::array()}, {"results", program.results}};
  for (const Node& node : program.nodes) json["nodes"].push_back(std::visit(NodeWriter{}, node));
  return json;
}

NumericProgram read_program(const JsonView& json) {
  JsonFields fields(json);
  NumericProgram program;
  const auto nodes = fields.take("nodes").array();
  for (size_t n = 0; n < nodes.size(); ++n) program.nodes.push_back(read_node(nodes[n], static_cast<int>(n)));
  program.results = read_nodes(fields.take("results"), static_cast<int>(nodes.size()));
  fields.done();
  try {
    check_well_formed(program);
  } catch (const Refused& refused) {
    refuse(refused.diagnostic().code, fmt::format("{}: {}", json.path(), refused.diagnostic().reason));
  }
  return program;
}

}  // namespace bitpact
