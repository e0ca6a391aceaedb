#include "emit/insert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

[[noreturn]] void cannot(const std::string& value, const std::string& why) {
  refuse(Code::EmitUnsupported, fmt::format("replacing {}: {}", value, why));
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.' ||
         c == '-';
}

struct Signature {
  std::vector<std::string> arguments;
  std::string result;
};

// Of "func.func private @name(%a: tensor<..>, %b: tensor<..>) -> tensor<..> {", as the emitter writes it.
Signature signature_of(const std::string& function) {
  Signature s;
  const std::string header = function.substr(0, function.find('\n'));
  const size_t close = header.find(") -> ");
  for (size_t at = header.find(": "); at != std::string::npos && at < close; at = header.find(": ", at + 1)) {
    const size_t end = header.find('>', at);
    s.arguments.push_back(header.substr(at + 2, end - at - 1));
  }
  const size_t start = close + 5;
  s.result = header.substr(start, header.rfind(" {") - start);
  return s;
}

struct Line {
  size_t begin, end;  ///< without the newline
};

Line definition_of(const std::string& module, const std::string& value) {
  std::vector<Line> found;
  for (size_t begin = 0; begin < module.size();) {
    size_t end = module.find('\n', begin);
    if (end == std::string::npos) end = module.size();
    const size_t text = module.find_first_not_of(" \t", begin);
    if (text < end && module.compare(text, value.size(), value) == 0 && text + value.size() < end) {
      const size_t after = module.find_first_not_of(" \t", text + value.size());
      if (after < end && module[after] == '=' && !is_name_char(module[text + value.size()])) found.push_back({begin, end});
    }
    begin = end + 1;
  }
  if (found.size() != 1) cannot(value, fmt::format("it is defined on {} lines of the module, not on exactly one", found.size()));
  return found.front();
}

std::vector<std::string> operands_in(const std::string& text) {
  std::vector<std::string> names;
  for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < text.size() && (is_name_char(text[end]) || text[end] == '#')) ++end;
    names.push_back(text.substr(at, end - at));
  }
  return names;
}

}  // namespace

std::string function_name(const std::string& op, const std::string& fingerprint, const Problem& problem) {
  std::string text = fmt::format("bitpact_{}_{}", op, fingerprint.substr(fingerprint.find(':') + 1, 8));
  for (const OperandSpec& operand : problem.operands) text += fmt::format("_{}", fmt::join(operand.shape, "x"));
  for (const auto& [name, value] : problem.attributes) text += fmt::format("_{}_{}", name, value);
  return text;
}

std::string insert_call(const std::string& module, const std::string& function, const std::string& name,
                        const std::string& value) {
  if (value.size() < 2 || value[0] != '%') cannot(value, "a value's name starts with %");
  const Line line = definition_of(module, value);
  const std::string original = module.substr(line.begin, line.end - line.begin);
  const Signature signature = signature_of(function);

  const size_t equals = original.find('=');
  const size_t types = original.rfind(" : ");
  if (types == std::string::npos || original.find('{', equals) != std::string::npos ||
      original.find("({", equals) != std::string::npos)
    cannot(value, "its operation is not written on one line with its types");
  const std::vector<std::string> operands = operands_in(original.substr(equals, types - equals));
  if (operands.size() < signature.arguments.size())
    cannot(value, fmt::format("its operation has {} operand(s), the contract {}", operands.size(), signature.arguments.size()));
  const std::string spelled = original.substr(types + 3);
  const std::string wanted = fmt::format("({}) -> {}", fmt::join(signature.arguments, ", "), signature.result);
  bool same = spelled == wanted;
  if (!same && spelled == signature.result) {
    same = true;
    for (const std::string& type : signature.arguments) same = same && type == signature.result;
  }
  if (!same) cannot(value, fmt::format("its types are {}, the contract's {}", spelled, wanted));

  std::string call = fmt::format("{}func.call @{}(", original.substr(0, equals + 2), name);
  for (size_t i = 0; i < signature.arguments.size(); ++i) call += (i > 0 ? ", " : "") + operands[i];
  call += fmt::format(") : {}", wanted);
  std::string result = module.substr(0, line.begin) + call + module.substr(line.end);

  if (module.find("@" + name + "(") != std::string::npos) {
    if (module.find(function) == std::string::npos)
      cannot(value, fmt::format("the module already has a function @{} with another text", name));
    return result;
  }
  size_t end = result.size();
  if (result.find("module ") != std::string::npos || result.find("module{") != std::string::npos) {
    end = result.rfind('}');
    if (end == std::string::npos) cannot(value, "the module has no closing brace");
  } else if (!result.empty() && result.back() != '\n') {
    result += "\n";
    end = result.size();
  }
  return result.substr(0, end) + function + result.substr(end);
}

}  // namespace bitpact
