#include "diagnostic/diagnostic.h"

#include <fmt/format.h>

namespace bitpact {

const std::vector<CodeInfo>& all_codes() {
  static const std::vector<CodeInfo> table = {
#define BITPACT_DIAGNOSTIC(name, code, exit, summary, help) {Code::name, code, exit, summary, help},
#include "diagnostic/diagnostics.def"
#undef BITPACT_DIAGNOSTIC
  };
  return table;
}

const CodeInfo& info(Code code) { return all_codes()[static_cast<size_t>(code)]; }

namespace {
std::string one_line(const Diagnostic& d) {
  std::string where;
  auto add = [&where](std::string_view label, const std::string& value) {
    if (!value.empty()) where += fmt::format("{}{} {}", where.empty() ? "" : ", ", label, value);
  };
  add("operator", d.op);
  add("backend", d.backend);
  add("target", d.target);
  return fmt::format("error[{}]: {}{}", info(d.code).name, d.reason, where.empty() ? "" : " (" + where + ")");
}
}  // namespace

Refused::Refused(Diagnostic diagnostic) : std::runtime_error(one_line(diagnostic)), diagnostic_(std::move(diagnostic)) {}

Refused Refused::at(const Where& where) const {
  Diagnostic d = diagnostic_;
  if (d.op.empty()) d.op = where.op;
  if (d.backend.empty()) d.backend = where.backend;
  if (d.target.empty()) d.target = where.target;
  return Refused(std::move(d));
}

void refuse(Code code, std::string reason, const Where& where) {
  throw Refused(Diagnostic{code, std::move(reason), where.op, where.backend, where.target});
}

std::string to_text(const Diagnostic& d) { return fmt::format("{}\n  help: {}", one_line(d), info(d.code).help); }

}  // namespace bitpact
