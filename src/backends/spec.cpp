// Backend specifications:
//   backend = name , [ "[" , option , { "," , option } , "]" ] , [ ":" , device ] ;
//   option  = name , "=" , value ;
//   name    = letter , { letter | digit | "-" | "_" } ;              lower case
//   value   = one or more printable characters other than , [ ]
//   device  = the rest of the text, not empty; for `worker` it is a command line
#include <fmt/format.h>

#include "backends/backend.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {

namespace {

bool is_name_start(char c) { return c >= 'a' && c <= 'z'; }
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '_'; }
bool is_value_part(char c) { return c > ' ' && c < 0x7f && c != ',' && c != '[' && c != ']'; }

class SpecParser {
 public:
  explicit SpecParser(std::string_view text) : text_(text) {}

  BackendSpec parse() {
    BackendSpec spec;
    spec.name = take_name("a backend's name");
    if (accept('[')) {
      do {
        const std::string name = take_name("an option's name");
        if (!accept('=')) fail(fmt::format("'=' expected after option `{}`", name));
        if (!spec.options.emplace(name, take_value()).second) fail(fmt::format("option `{}` is given twice", name));
      } while (accept(','));
      if (!accept(']')) fail("',' or ']' expected");
    }
    if (accept(':')) {
      for (const char c : text_.substr(at_)) {
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) fail("control character in the device");
      }
      spec.device = text_.substr(at_);
      at_ = text_.size();
      if (spec.device.find_first_not_of(' ') == std::string::npos) fail("a device (or command) expected after ':'");
    }
    if (at_ != text_.size()) fail("'[', ':' or the end expected");
    return spec;
  }

 private:
  bool accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string take_name(std::string_view what) {
    const std::size_t begin = at_;
    if (at_ < text_.size() && is_name_start(text_[at_])) {
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    }
    if (begin == at_) fail(fmt::format("{} expected", what));
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string take_value() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_value_part(text_[at_])) ++at_;
    if (begin == at_) fail("an option's value expected");
    return std::string(text_.substr(begin, at_ - begin));
  }
  [[noreturn]] void fail(std::string_view reason) {
    refuse(Code::Usage, fmt::format("backend `{}`, column {}: {}", text_, at_ + 1, reason));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

BackendSpec parse_backend(std::string_view text) { return SpecParser(text).parse(); }

std::string to_text(const BackendSpec& spec) {
  std::string text = spec.name;
  char separator = '[';
  for (const auto& [name, value] : spec.options) {
    text += fmt::format("{}{}={}", separator, name, value);
    separator = ',';
  }
  if (!spec.options.empty()) text += ']';
  if (!spec.device.empty()) text += ':' + spec.device;
  return text;
}

}  // namespace bitpact
