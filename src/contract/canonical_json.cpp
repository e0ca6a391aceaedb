#include "contract/canonical_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

using Json = nlohmann::json;

[[noreturn]] void cannot_hold(std::string_view what) {
  refuse(Code::ContractValue, fmt::format("{} cannot be written as I-JSON", what));
}

/// The code points of UTF-8 text; refuses what is not UTF-8 (overlong forms, surrogates, beyond U+10FFFF).
std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80                   ? 1
                          : lead >= 0xc2 && lead < 0xe0 ? 2
                          : lead >= 0xe0 && lead < 0xf0 ? 3
                          : lead >= 0xf0 && lead < 0xf5 ? 4
                                                        : 0;
    if (length == 0 || i + length > text.size()) cannot_hold("a string that is not UTF-8");
    char32_t point = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) cannot_hold("a string that is not UTF-8");
      point = point << 6 | (next & 0x3f);
    }
    const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
    if (overlong || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) cannot_hold("a string that is not UTF-8");
    points.push_back(point);
    i += length;
  }
  return points;
}

/// RFC 8785 3.2.3 sorts by UTF-16 code units: a code point beyond the basic plane begins with a surrogate, below U+E000.
std::u16string utf16(std::string_view text) {
  std::u16string units;
  for (char32_t point : code_points(text)) {
    if (point < 0x10000) {
      units.push_back(static_cast<char16_t>(point));
    } else {
      units.push_back(static_cast<char16_t>(0xd800 + ((point - 0x10000) >> 10)));
      units.push_back(static_cast<char16_t>(0xdc00 + ((point - 0x10000) & 0x3ff)));
    }
  }
  return units;
}

void write_string(std::string_view text, std::string& out) {
  (void)code_points(text);
  out += '"';
  for (char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  out += '"';
}

void write(const Json& value, std::string& out);

void write_object(const Json& object, std::string& out) {
  std::vector<std::pair<std::u16string, Json::const_iterator>> members;
  for (auto it = object.begin(); it != object.end(); ++it) members.emplace_back(utf16(it.key()), it);
  std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  out += '{';
  for (size_t i = 0; i < members.size(); ++i) {
    if (i > 0) out += ',';
    write_string(members[i].second.key(), out);
    out += ':';
    write(*members[i].second, out);
  }
  out += '}';
}

constexpr std::int64_t kLargestInteger = std::int64_t{1} << 53;

void write(const Json& value, std::string& out) {
  switch (value.type()) {
    case Json::value_t::null:
      out += "null";
      return;
    case Json::value_t::boolean:
      out += value.get<bool>() ? "true" : "false";
      return;
    case Json::value_t::number_integer:
      if (value.get<std::int64_t>() < -kLargestInteger || value.get<std::int64_t>() > kLargestInteger)
        cannot_hold("an integer beyond 2^53");
      out += std::to_string(value.get<std::int64_t>());
      return;
    case Json::value_t::number_unsigned:
      if (value.get<std::uint64_t>() > static_cast<std::uint64_t>(kLargestInteger)) cannot_hold("an integer beyond 2^53");
      out += std::to_string(value.get<std::uint64_t>());
      return;
    case Json::value_t::number_float:
      // From 10^21 on it is written with an exponent, and read back as a float.
      if (const double size = std::abs(value.get<double>()); size > static_cast<double>(kLargestInteger) && size < 1e21)
        cannot_hold("an integer beyond 2^53");
      out += ecmascript_number(value.get<double>());
      return;
    case Json::value_t::string:
      write_string(value.get_ref<const std::string&>(), out);
      return;
    case Json::value_t::array:
      out += '[';
      for (size_t i = 0; i < value.size(); ++i) {
        if (i > 0) out += ',';
        write(value[i], out);
      }
      out += ']';
      return;
    case Json::value_t::object:
      write_object(value, out);
      return;
    default:
      cannot_hold("binary data");
  }
}

/// Builds the value and watches what nlohmann-json lets pass: names that occur twice, and depth.
class StrictBuilder final : public nlohmann::json_sax<Json> {
 public:
  explicit StrictBuilder(int depth) : deepest_(depth) {}
  Json result;

  bool null() override { return put(nullptr); }
  bool boolean(bool v) override { return put(v); }
  bool number_integer(number_integer_t v) override { return put(v); }
  bool number_unsigned(number_unsigned_t v) override { return put(v); }
  bool number_float(number_float_t v, const string_t& text) override {
    if (!std::isfinite(v)) refuse(Code::JsonMalformed, fmt::format("the number {} is beyond the range of a double", text));
    return put(v);
  }
  bool string(string_t& v) override { return put(v); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (open_.back()->contains(name)) refuse(Code::JsonMalformed, fmt::format("the name \"{}\" occurs twice in an object", name));
    key_ = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    refuse(Code::JsonMalformed, fmt::format("byte {}: {}", position, error.what()));
  }

 private:
  Json* place(Json value) {
    if (open_.empty()) {
      result = std::move(value);
      return &result;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }
  bool put(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (static_cast<int>(open_.size()) >= deepest_) refuse(Code::JsonMalformed, fmt::format("nested deeper than {}", deepest_));
    open_.push_back(place(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  int deepest_;
  std::vector<Json*> open_;  // a parent's children move only while no child is open
  std::string key_;
};

}  // namespace

std::string ecmascript_number(double value) {
  if (!std::isfinite(value)) cannot_hold("a number that is not finite");
  if (value == 0) return "0";  // of either sign
  if (value < 0) return "-" + ecmascript_number(-value);
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string_view text(buffer, static_cast<size_t>(end - buffer));  // d.ddde[+-]xx
  const size_t e = text.find('e');
  std::string digits(text.substr(0, e));
  digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
  int exponent = 0;
  std::string_view exponent_text = text.substr(e + 1);
  if (exponent_text[0] == '+') exponent_text.remove_prefix(1);
  std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  // ECMA-262, Number::toString: the value is 0.d1d2...dk times 10^n.
  const int k = static_cast<int>(digits.size()), n = exponent + 1;
  if (k <= n && n <= 21) return digits + std::string(static_cast<size_t>(n - k), '0');
  if (0 < n && n <= 21) return digits.substr(0, static_cast<size_t>(n)) + "." + digits.substr(static_cast<size_t>(n));
  if (-6 < n && n <= 0) return "0." + std::string(static_cast<size_t>(-n), '0') + digits;
  const std::string power = fmt::format("e{}{}", n - 1 < 0 ? "-" : "+", std::abs(n - 1));
  return k == 1 ? digits + power : digits.substr(0, 1) + "." + digits.substr(1) + power;
}

std::string canonical_json(const Json& value) {
  std::string out;
  write(value, out);
  return out;
}

Json parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) refuse(Code::JsonMalformed, fmt::format("{} bytes; at most {}", text.size(), limits.bytes));
  StrictBuilder builder(limits.depth);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) refuse(Code::JsonMalformed, "not one JSON value");
  return std::move(builder.result);
}

}  // namespace bitpact
