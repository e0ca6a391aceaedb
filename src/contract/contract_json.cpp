#include "contract/contract_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/canonical_json.h"
#include "contract/contract_check.h"
#include "contract/program_json.h"

namespace bitpact {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLargest = std::int64_t{1} << 53;  // what I-JSON holds exactly

std::vector<std::string> exclusion_names(const Domain& domain) {
  std::vector<std::string> names;
  for (Exclusion exclusion : domain.excludes) names.emplace_back(name(exclusion));
  std::sort(names.begin(), names.end());
  return names;
}

Json to_json(const AxisBound& bound) {
  Json json{{"axis", bound.axis}, {"min", bound.min}, {"multiple", bound.multiple}};
  if (bound.max) json["max"] = *bound.max;
  return json;
}

Json to_json(const Piece& piece) {
  Json shapes = Json::array();
  for (const AxisBound& bound : piece.shapes) shapes.push_back(to_json(bound));
  return {{"shapes", shapes},
          {"when", piece.when},
          {"region", piece.region},
          {"domain", bitpact::to_json(piece.operands)},
          {"program", bitpact::to_json(piece.program)}};
}

Json to_json(const ContractOperator& op) {
  std::vector<std::string> operands;
  for (Format format : op.operands) operands.emplace_back(name(format));
  return {{"name", op.name}, {"operands", operands}, {"result", name(op.result)}, {"attributes", op.attributes}};
}

std::map<std::string, std::string> read_texts(const JsonView& json) {
  JsonFields fields(json);
  std::map<std::string, std::string> texts;
  for (const std::string& key : fields.names()) {
    const JsonView value = fields.take(key);
    if (key.empty()) value.bad_value("has no name");
    texts[key] = value.line();
  }
  return texts;
}

Domain read_domain(const JsonView& json) {
  JsonFields fields(json);
  Domain domain;
  const JsonView excludes = fields.take("excludes");
  for (const JsonView& element : excludes.array()) {
    const auto exclusion = exclusion_named(element.string());
    if (!exclusion) element.bad_value("is no exclusion");
    domain.excludes.insert(*exclusion);
  }
  fields.done();
  if (read_strings(excludes) != exclusion_names(domain)) excludes.bad_value("must be in alphabetical order, each once");
  return domain;
}

AxisBound read_bound(const JsonView& json) {
  JsonFields fields(json);
  AxisBound bound;
  bound.axis = fields.take("axis").line();
  bound.min = fields.take("min").integer(1, kLargest);
  bound.multiple = fields.take("multiple").integer(1, kLargest);
  if (const auto max = fields.take_optional("max")) bound.max = max->integer(bound.min, kLargest);
  fields.done();
  return bound;
}

Piece read_piece(const JsonView& json) {
  JsonFields fields(json);
  Piece piece;
  for (const JsonView& bound : fields.take("shapes").array()) piece.shapes.push_back(read_bound(bound));
  piece.when = read_texts(fields.take("when"));
  piece.region = fields.take("region").line();
  piece.operands = read_domain(fields.take("domain"));
  piece.program = read_program(fields.take("program"));
  fields.done();
  return piece;
}

std::string read_one_of(const JsonView& json, std::initializer_list<std::string_view> allowed) {
  if (std::find(allowed.begin(), allowed.end(), json.string()) != allowed.end()) return json.string();
  std::string list;
  for (std::string_view value : allowed) list += fmt::format("{}{}", list.empty() ? "" : ", ", value);
  json.bad_value("is none of " + list);
}

Established read_established(const JsonView& json) {
  JsonFields fields(json);
  Established e;
  e.how = read_one_of(fields.take("how"), {"hand-written", "probed", "canonical"});
  e.strength = read_one_of(fields.take("strength"), {"assumed", "sampled", "derived", "exhaustive"});
  e.note = fields.take("note").string();
  fields.done();
  return e;
}

ContractOperator read_operator(const JsonView& json) {
  JsonFields fields(json);
  ContractOperator op;
  op.name = fields.take("name").line();
  for (const JsonView& operand : fields.take("operands").array()) op.operands.push_back(read_format(operand));
  op.result = read_format(fields.take("result"));
  op.attributes = read_texts(fields.take("attributes"));
  fields.done();
  return op;
}

struct Fingerprints {
  std::vector<std::string> arithmetic;
  std::string contract;
};

bool is_sha256_text(std::string_view text) {
  return text.size() == 71 && text.starts_with("sha256:") &&
         std::all_of(text.begin() + 7, text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

Fingerprints read_fingerprints(const JsonView& json) {
  JsonFields fields(json);
  Fingerprints fingerprints;
  for (const JsonView& one : fields.take("arithmetic").array()) fingerprints.arithmetic.push_back(read_fingerprint(one));
  fingerprints.contract = read_fingerprint(fields.take("contract"));
  fields.done();
  return fingerprints;
}

Fingerprints fingerprints_of(const Contract& contract) {
  Fingerprints fingerprints;
  for (const Piece& piece : contract.pieces)
    fingerprints.arithmetic.push_back(arithmetic_fingerprint(piece.program, piece.operands));
  fingerprints.contract = contract_fingerprint(contract);
  return fingerprints;
}

void check_fingerprint(std::string_view path, const std::string& written, const std::string& computed) {
  if (written != computed)
    refuse(Code::ContractFingerprint, fmt::format("{}: {} is written, the content has {}", path, written, computed));
}

}  // namespace

Json to_json(const Identity& i) {
  return {{"backend", i.backend}, {"version", i.version}, {"build", i.build},     {"device", i.device},
          {"target", i.target},   {"flags", i.flags},     {"threads", i.threads}, {"kernel", i.kernel}};
}

Identity read_identity(const JsonView& json) {
  JsonFields fields(json);
  Identity i;
  i.backend = fields.take("backend").line();
  i.version = fields.take("version").line();
  i.build = fields.take("build").line();
  i.device = fields.take("device").line();
  i.target = fields.take("target").line();
  i.flags = fields.take("flags").line();
  i.threads = fields.take("threads").line();
  i.kernel = fields.take("kernel").line();
  fields.done();
  return i;
}

std::string read_fingerprint(const JsonView& json) {
  if (!is_sha256_text(json.string())) json.bad_value("is not \"sha256:\" and 64 hexadecimal digits");
  return json.string();
}

Json to_json(const Domain& domain) { return {{"excludes", exclusion_names(domain)}}; }

Json to_json(const Contract& contract) {
  Json pieces = Json::array();
  for (const Piece& piece : contract.pieces) pieces.push_back(to_json(piece));
  return {
      {"schema", kContractSchema},
      {"operator", to_json(contract.op)},
      {"pieces", pieces},
      {"verified", contract.verified},
      {"identity", to_json(contract.identity)},
      {"established",
       {{"how", contract.established.how}, {"strength", contract.established.strength}, {"note", contract.established.note}}}};
}

Json to_json_with_fingerprints(const Contract& contract) {
  Json json = to_json(contract);
  const Fingerprints fingerprints = fingerprints_of(contract);
  json["fingerprints"] = {{"arithmetic", fingerprints.arithmetic}, {"contract", fingerprints.contract}};
  return json;
}

std::string write_contract(const Contract& contract) {
  std::string bytes = canonical_json(to_json_with_fingerprints(contract)) + "\n";
  // Whatever cannot be read back as it was is not written.
  if (read_contract(bytes) != contract) refuse(Code::Internal, "a contract does not read back as it was written");
  return bytes;
}

Contract read_contract(std::string_view text) {
  const Json json = parse_json(text);
  return read_contract(JsonView(json, ""));
}

Contract read_contract(const JsonView& json) {
  JsonFields fields(json);
  const JsonView schema = fields.take("schema");
  if (schema.string() != kContractSchema)
    refuse(Code::ContractVersion, fmt::format("{}: {}; this program reads {}", schema.path(), schema.string(), kContractSchema));
  Contract contract;
  contract.op = read_operator(fields.take("operator"));
  for (const JsonView& piece : fields.take("pieces").array()) contract.pieces.push_back(read_piece(piece));
  contract.verified = read_strings(fields.take("verified"));
  contract.identity = read_identity(fields.take("identity"));
  contract.established = read_established(fields.take("established"));
  const JsonView fingerprints_json = fields.take("fingerprints");
  const Fingerprints written = read_fingerprints(fingerprints_json);
  fields.done();
  check_contract(contract);
  const Fingerprints computed = fingerprints_of(contract);
  if (written.arithmetic.size() != computed.arithmetic.size())
    fingerprints_json.bad_value(
        fmt::format("{} arithmetic fingerprints for {} pieces", written.arithmetic.size(), computed.arithmetic.size()));
  for (size_t p = 0; p < computed.arithmetic.size(); ++p)
    check_fingerprint(fmt::format("{}/arithmetic/{}", fingerprints_json.path(), p), written.arithmetic[p],
                      computed.arithmetic[p]);
  check_fingerprint(fingerprints_json.path() + "/contract", written.contract, computed.contract);
  return contract;
}

}  // namespace bitpact
