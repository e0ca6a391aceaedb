// A contract: what an operator computes on a backend, where that holds, and how it is known.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contract/program.h"

namespace bitpact {

inline constexpr int kContractVersion = 1;

/// Values that must not occur while an output is computed, for the contract to say anything about that output. A product, partial
/// sum, converted value ... is an intermediate. Judged by running the program (interpret watches for them). A computed value of
/// the smallest normal magnitude counts as subnormal, since it may have been rounded up from below.
enum class Exclusion : std::uint8_t {
  SubnormalInput,
  SubnormalIntermediate,  ///< also a zero that a smaller nonzero value was rounded to
  SubnormalResult,
  OverflowIntermediate,  ///< an operation on finite values gave an infinity (or would, in the format before the result's)
};
std::string_view name(Exclusion exclusion);  ///< "subnormal-input" ...
std::optional<Exclusion> exclusion_named(std::string_view name);

/// The operand values a piece holds for: all, but for those that make an excluded value occur.
struct Domain {
  std::set<Exclusion> excludes;
  bool operator==(const Domain&) const = default;
};
Domain operator|(const Domain& a, const Domain& b);  ///< both exclusions: the narrower domain
std::string to_text(const Domain& domain);           ///< "all operand values", "no subnormal input, intermediate or result"

/// Bounds on the extents of the program's axes. An axis that is not named may have any extent >= 1.
struct AxisBound {
  std::string axis;
  std::int64_t min = 1;
  std::optional<std::int64_t> max;
  std::int64_t multiple = 1;
  bool operator==(const AxisBound&) const = default;
};

struct Piece {
  std::vector<AxisBound> shapes;
  std::map<std::string, std::string> when;  ///< conditions on attributes, layout, threads: {"transpose_b": "true"}; empty: any
  std::string region = "all";               ///< of the output (region.h); regions of the pieces cover it exactly once
  Domain operands;
  NumericProgram program;
  bool operator==(const Piece&) const = default;
};

/// What runs an operator. Fields in a fixed order; all must be present ("unobserved" where it cannot be seen, "none" where there
/// is none).
struct Identity {
  std::string backend;  ///< "mlx"
  std::string version;  ///< "0.32.4"
  std::string build;    ///< patch or build identity: e.g. "sha256:..." of the library
  std::string device;   ///< "cpu"
  std::string target;   ///< resolved CPU and features, never "host"
  std::string flags;    ///< compiler flags and options that can change bits
  std::string threads;  ///< "1"
  std::string kernel;   ///< algorithm or kernel, "unobserved" where it cannot be seen
  /// The target without its processor's features, which are many: for diagnostics.
  std::string machine() const { return target.substr(0, target.find(" +")); }
  bool operator==(const Identity&) const = default;
};

struct Established {
  std::string how;       ///< "hand-written" | "probed" | "canonical"
  std::string strength;  ///< "assumed" | "sampled" | "derived" | "exhaustive"
  std::string note;
  bool operator==(const Established&) const = default;
};

/// The operator and the formats that a contract is for. Attributes only where they are fixed by the contract.
struct ContractOperator {
  std::string name;  ///< canonical
  std::vector<Format> operands;
  Format result = Format::F32;
  std::map<std::string, std::string> attributes;
  bool operator==(const ContractOperator&) const = default;
};

struct Contract {
  ContractOperator op;
  std::vector<Piece> pieces;
  std::vector<std::string> verified;  ///< problem lines it was verified on; all else it covers is predicted
  Identity identity;
  Established established;
  bool operator==(const Contract&) const = default;
};

// ---- normal form and fingerprints (normal_form.cpp, fingerprint.cpp)

/// The normal form: programs that differ only by the listed rules (docs/normal-form.md) become equal. A rule may rest on the
/// domain; whether an operand lies in it is then judged by running the normal form.
NumericProgram normal_form(const NumericProgram& program, const Domain& domain = {});
/// "sha256:<64 hex>" of the RFC 8785 bytes of the normal form. Equal fingerprints, equal bits on the domain.
std::string arithmetic_fingerprint(const NumericProgram& program, const Domain& domain = {});
/// "sha256:<64 hex>" of the RFC 8785 bytes of the whole contract (without the fingerprints themselves).
std::string contract_fingerprint(const Contract& contract);

// ---- JSON (contract_json.cpp): docs/schemas/contract.schema.json

/// RFC 8785 bytes, with both fingerprints, one trailing newline.
std::string write_contract(const Contract& contract);
/// Strict: unknown version, field or value, a wrong fingerprint, an ill-formed program are each refused by name.
Contract read_contract(std::string_view json);
Contract read_contract_file(const std::string& path);
/// Written to a temporary file beside it, then renamed.
void write_contract_file(const Contract& contract, const std::string& path);

// ---- words (words.cpp)

/// A program in sentences: formats in, each rounding boundary in order, accumulator, product, order, start, result.
std::vector<std::string> in_words(const NumericProgram& program);
/// What differs between two programs / contracts, a sentence each; empty where nothing does.
std::vector<std::string> differences(const NumericProgram& a, const NumericProgram& b);
std::vector<std::string> differences(const Contract& a, const Contract& b);

}  // namespace bitpact
