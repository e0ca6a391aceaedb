// Contracts: the reader on any bytes, then the same content with fingerprints that fit (no mutation hits a SHA-256), and all that
// is done with a contract once it is read.
#include "contract/canonical_json.h"
#include "contract/contract.h"
#include "contract/normal_form.h"
#include "contract/program_json.h"
#include "contract/words.h"
#include "fuzz.h"
#include "tensor/digest.h"

using namespace bitpact;
using nlohmann::json;

namespace {

/// Everything that a reader of contracts may refuse with.
template <typename Make>
auto read(const Make& make) {
  return fuzz::accepted({Code::JsonMalformed, Code::ContractField, Code::ContractValue, Code::ContractVersion,
                         Code::ContractProgram, Code::ContractFingerprint},
                        make);
}

Domain domain_of(const json& piece) {
  Domain domain;
  if (!piece.contains("domain") || !piece["domain"].is_object() || !piece["domain"].contains("excludes")) return domain;
  for (const json& excluded : piece["domain"]["excludes"])
    if (excluded.is_string())
      if (const auto exclusion = exclusion_named(excluded.get<std::string>())) domain.excludes.insert(*exclusion);
  return domain;
}

/// The canonical text with the right fingerprints; nothing where a program cannot be read.
std::optional<std::string> sealed(json contract) {
  if (!contract.is_object() || !contract.contains("pieces") || !contract["pieces"].is_array()) return std::nullopt;
  json arithmetic = json::array();
  for (const json& piece : contract["pieces"]) {
    if (!piece.is_object() || !piece.contains("program")) return std::nullopt;
    const auto print =
        read([&] { return arithmetic_fingerprint(read_program(JsonView(piece["program"], "")), domain_of(piece)); });
    if (!print) return std::nullopt;
    arithmetic.push_back(*print);
  }
  contract.erase("fingerprints");
  return read([&] {
    const std::string whole = sha256(canonical_json(contract));
    contract["fingerprints"] = {{"arithmetic", arithmetic}, {"contract", whole}};
    return canonical_json(contract);
  });
}

std::size_t length_of(const std::vector<std::string>& sentences) {
  std::size_t length = 0;
  for (const std::string& sentence : sentences) length += sentence.size();
  return length;
}

void check_program(const NumericProgram& program, const Domain& domain, std::size_t size) {
  const NumericProgram normal = normal_form(program, domain);
  check_well_formed(normal);
  fuzz::must(normal_form(normal, domain) == normal, "a normal form is no fixed point");
  fuzz::must(arithmetic_fingerprint(normal, domain) == arithmetic_fingerprint(program, domain),
             "a normal form has another fingerprint than its program");
  fuzz::must(read_program(JsonView(to_json(normal), "")) == normal, "a normal form reads back as another one");
  const std::vector<std::string> words = in_words(program);
  fuzz::must(!words.empty() && length_of(words) < (std::size_t{1} << 20) + 1000 * size, "a program has too many words");
  fuzz::must(differences(program, program).empty(), "a program differs from itself");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  (void)read([&] { return read_contract(text); });
  const auto value = read([&] { return parse_json(text); });
  if (!value) return -1;
  const auto sealed_text = sealed(*value);
  if (!sealed_text) return 0;
  const auto contract = read([&] { return read_contract(*sealed_text); });
  if (!contract) return 0;
  fuzz::must(write_contract(*contract) == *sealed_text + "\n", "a contract is written otherwise than it was read");
  for (const Piece& piece : contract->pieces) check_program(piece.program, piece.operands, size);
  fuzz::must(differences(*contract, *contract).empty(), "a contract differs from itself");
  return 0;
}
