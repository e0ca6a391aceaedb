// bitpact.lock as bytes, and a reader that takes nothing which the writer would not have written.
#include <fmt/format.h>

#include "contract/canonical_json.h"
#include "contract/contract_json.h"
#include "tensor/digest.h"
#include "verdict/lock.h"

namespace bitpact {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLargest = std::int64_t{1} << 53;  // what I-JSON holds exactly
constexpr JsonLimits kLimits{std::size_t{256} << 20, 64};

std::vector<std::string> arithmetic(const Contract& contract) {
  std::vector<std::string> all;
  for (const Piece& piece : contract.pieces) all.push_back(arithmetic_fingerprint(piece.program, piece.operands));
  return all;
}

Json line_json(const LockedLine& line) {
  Json json{{"problem", line.problem}, {"backend", line.backend}, {"identity", to_json(line.identity)},
            {"others", line.others},   {"parted", line.parted},   {"questions", Json::array()}};
  for (const AnsweredQuestion& q : line.questions)
    json["questions"].push_back(
        {{"problem", q.question.problem}, {"operands", operands_text(q.question)}, {"outputs", q.outputs}, {"sha256", q.digest}});
  if (!line.contract) {
    json["unknown"] = {{"code", line.unknown->code}, {"reason", line.unknown->reason}};
    return json;
  }
  json["arithmetic"] = arithmetic(*line.contract);
  json["contract"] = to_json_with_fingerprints(*line.contract);
  json["parts"] = Json::array();
  for (const LockedPart& part : line.parts)
    json["parts"].push_back({{"region", part.region}, {"choices", part.choices}, {"flush", part.flush}});
  return json;
}

// ---- reading

std::string read_problem(const JsonView& json) {
  std::string canonical;
  try {
    canonical = to_text(resolve(json.line()).problem);
  } catch (const Refused& refused) {
    json.bad_value(refused.diagnostic().reason);
  }
  if (canonical != json.line()) json.bad_value(fmt::format("is not the canonical line, {}", canonical));
  return canonical;
}

std::string read_backend(const JsonView& json) {
  std::string canonical;
  try {
    canonical = to_text(parse_backend(json.line()));
  } catch (const Refused& refused) {
    json.bad_value(refused.diagnostic().reason);
  }
  if (canonical != json.line()) json.bad_value(fmt::format("is not the canonical text, {}", canonical));
  return canonical;
}

AnsweredQuestion read_question(const JsonView& json, const Resolved& problem) {
  JsonFields fields(json);
  AnsweredQuestion q;
  const JsonView line = fields.take("problem"), operands = fields.take("operands"), outputs = fields.take("outputs");
  q.question.problem = read_problem(line);
  const Resolved asked = resolve(q.question.problem);
  if (asked.problem.op != problem.problem.op || asked.formats().operands != problem.formats().operands)
    line.bad_value("asks for another operator, or other formats, than its line");
  try {
    parse_operands(operands.line(), q.question);
  } catch (const Refused& refused) {
    operands.bad_value(refused.diagnostic().reason);
  }
  q.outputs = outputs.integer(0, kLargest);
  if (q.outputs != element_count(asked.result.shape)) outputs.bad_value("is not the number of the result's elements");
  q.digest = read_fingerprint(fields.take("sha256"));
  fields.done();
  return q;
}

LockedPart read_part(const JsonView& json) {
  JsonFields fields(json);
  LockedPart part;
  part.region = fields.take("region").line();
  JsonFields choices(fields.take("choices"));
  for (const std::string& point : choices.names()) part.choices[point] = choices.take(point).line();
  const JsonView flush = fields.take("flush");
  part.flush = flush.string();
  if (!part.flush.empty() && part.flush != "inputs" && part.flush != "results" && part.flush != "inputs and results")
    flush.bad_value("is no way to flush subnormals");
  fields.done();
  return part;
}

void read_contract_of(const JsonView& json, JsonFields& fields, LockedLine& line) {
  line.contract = read_contract(json);
  if (line.contract->identity != line.identity) json.bad_value("its identity is not the line's");
  try {
    cover(*line.contract, resolve(line.problem));
  } catch (const Refused& refused) {
    json.bad_value(refused.diagnostic().reason);
  }
  const JsonView fingerprints = fields.take("arithmetic");
  std::vector<std::string> written;
  for (const JsonView& one : fingerprints.array()) written.push_back(read_fingerprint(one));
  if (written != arithmetic(*line.contract)) fingerprints.bad_value("is not what the contract's pieces have");
  const JsonView parts = fields.take("parts");
  for (const JsonView& part : parts.array()) line.parts.push_back(read_part(part));
  if (line.parts.empty()) parts.bad_value("is empty");
}

LockedLine read_line(const JsonView& json) {
  JsonFields fields(json);
  LockedLine line;
  line.problem = read_problem(fields.take("problem"));
  line.backend = read_backend(fields.take("backend"));
  line.identity = read_identity(fields.take("identity"));
  line.others = fields.take("others").integer(0, kLargest);
  line.parted = fields.take("parted").integer(0, line.others);
  const JsonView questions = fields.take("questions");
  for (const JsonView& q : questions.array()) line.questions.push_back(read_question(q, resolve(line.problem)));
  if (line.questions.empty()) questions.bad_value("is empty: nothing would be asked");
  if (const auto contract = fields.take_optional("contract")) {
    read_contract_of(*contract, fields, line);
  } else {
    JsonFields unknown(fields.take("unknown"));
    line.unknown = LockedUnknown{unknown.take("code").line(), unknown.take("reason").string()};
    unknown.done();
  }
  fields.done();
  return line;
}

Lock read(const Json& json) {
  JsonFields fields{JsonView(json, "")};
  const JsonView schema = fields.take("schema");
  if (schema.string() != kLockSchema)
    refuse(Code::LockVersion, fmt::format("/schema: {}; this program reads {}", schema.string(), kLockSchema));
  const JsonView lines = fields.take("lines"), seal = fields.take("sha256");
  Lock lock;
  lock.one_length = fields.take("one_length").boolean();
  fields.done();
  // A line that a merge took from elsewhere is well-formed, and yet nobody's.
  if (const std::string has = sha256(canonical_json(json.at("lines"))); read_fingerprint(seal) != has)
    seal.bad_value(fmt::format("the lines have {}", has));
  for (const JsonView& line : lines.array()) lock.lines.push_back(read_line(line));
  if (lock.lines.empty()) lines.bad_value("is empty: nothing would be checked");
  return lock;
}

}  // namespace

Json to_json(const Lock& lock) {
  Json lines = Json::array();
  for (const LockedLine& line : lock.lines) lines.push_back(line_json(line));
  return {{"schema", kLockSchema}, {"one_length", lock.one_length}, {"sha256", sha256(canonical_json(lines))}, {"lines", lines}};
}

std::string write_lock(const Lock& lock) {
  std::string bytes = canonical_json(to_json(lock)) + "\n";
  // Whatever cannot be read back as it was is not written.
  if (canonical_json(to_json(read_lock(bytes, "the new lock"))) + "\n" != bytes)
    refuse(Code::Internal, "a lock does not read back as it was written");
  return bytes;
}

Lock read_lock(std::string_view text, const std::string& where) {
  try {
    return read(parse_json(text, kLimits));
  } catch (const Refused& refused) {
    Diagnostic d = refused.diagnostic();
    d.reason = fmt::format("{}: {}", where, d.reason);
    if (d.code != Code::JsonMalformed && d.code != Code::LockVersion) d.code = Code::LockMalformed;
    throw Refused(d);
  }
}

}  // namespace bitpact
