// Refusal by name: every request that does not run ends as one of these.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bitpact {

/// Names of the rows of diagnostics.def.
enum class Code {
#define BITPACT_DIAGNOSTIC(name, code, exit, summary, help) name,
#include "diagnostic/diagnostics.def"
#undef BITPACT_DIAGNOSTIC
};

/// One row of the registry.
struct CodeInfo {
  Code code;
  std::string_view name;  ///< the stable code, e.g. "worker-died"
  int exit;               ///< exit code of a verb that ends with it
  std::string_view summary;
  std::string_view help;
};

const CodeInfo& info(Code code);
const std::vector<CodeInfo>& all_codes();

/// What is said about one refusal. `op`, `backend` and `target` are empty where they do not apply.
struct Diagnostic {
  Code code = Code::Internal;
  std::string reason;   ///< what was seen, in words
  std::string op;       ///< operator or problem line
  std::string backend;  ///< e.g. "iree"
  std::string target;   ///< e.g. "llvm-cpu host"
};

/// Where a refusal happened; added while it travels up.
struct Where {
  std::string op, backend, target;
};

/// The exception every layer throws. what() is the one-line text.
class Refused : public std::runtime_error {
 public:
  explicit Refused(Diagnostic diagnostic);
  const Diagnostic& diagnostic() const { return diagnostic_; }
  /// A copy with empty fields of `where` filled in.
  Refused at(const Where& where) const;

 private:
  Diagnostic diagnostic_;
};

[[noreturn]] void refuse(Code code, std::string reason, const Where& where = {});

/// "error[worker-died]: reason (operator ..., backend ..., target ...)\n  help: ..."
std::string to_text(const Diagnostic& diagnostic);

}  // namespace bitpact
