#include "backends/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "diagnostic/diagnostic.h"

namespace bitpact::protocol {

namespace {

using Json = nlohmann::json;

[[noreturn]] void malformed(std::string reason) { refuse(Code::WorkerProtocol, std::move(reason)); }

template <typename T>
void put(std::span<std::byte, kHeaderBytes> out, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out[at + i] = static_cast<std::byte>((value >> (8 * i)) & 0xff);
}

template <typename T>
T take(std::span<const std::byte, kHeaderBytes> in, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value | (static_cast<T>(in[at + i]) << (8 * i)));
  return value;
}

std::string text_field(const Json& json, const char* field) {
  if (!json.at(field).is_string()) malformed(fmt::format("field `{}` is not a string", field));
  return json.at(field).get<std::string>();
}

constexpr std::size_t kLargestPayload = std::size_t{1} << 62;

// An integer from 0 to 2^62. (Beyond 2^63 the conversion gives a negative number.)
bool is_count(const Json& value) {
  return value.is_number_integer() && value.get<std::int64_t>() >= 0 && value.get<std::int64_t>() <= (std::int64_t{1} << 62);
}

std::int64_t count_field(const Json& json, const char* field) {
  const Json& value = json.at(field);
  if (!is_count(value)) {
    malformed(fmt::format("field `{}` is not a non-negative integer", field));
  }
  return value.get<std::int64_t>();
}

double milliseconds(const Json& value, const char* field) {
  if (!value.is_number() || !(value.get<double>() >= 0)) malformed(fmt::format("`{}` is not a time in milliseconds", field));
  return value.get<double>();
}

bool flag_field(const Json& json, const char* field) {
  if (!json.at(field).is_boolean()) malformed(fmt::format("field `{}` is not true or false", field));
  return json.at(field).get<bool>();
}

struct IdentityField {
  const char* name;
  std::string Identity::*member;
};
constexpr std::array<IdentityField, 8> kIdentityFields{{{"backend", &Identity::backend},
                                                        {"version", &Identity::version},
                                                        {"build", &Identity::build},
                                                        {"device", &Identity::device},
                                                        {"target", &Identity::target},
                                                        {"flags", &Identity::flags},
                                                        {"threads", &Identity::threads},
                                                        {"kernel", &Identity::kernel}}};

struct WayField {
  const char* name;
  bool Ways::*member;
};
constexpr std::array<WayField, 2> kWays{{{"operator_call", &Ways::operator_call}, {"stablehlo", &Ways::stablehlo}}};

// Codes that a worker may state. Anything else would let it speak for the program itself.
constexpr std::array kWorkerCodes{Code::BackendOption,      Code::BackendAbsent,     Code::BackendLacksOperator,
                                  Code::BackendLacksFormat, Code::BackendLacksForm,  Code::CompileFailed,
                                  Code::WorkerRefused,      Code::WorkerOutOfMemory, Code::WorkerVersion};

}  // namespace

void encode(const Header& header, std::span<std::byte, kHeaderBytes> out) {
  put<std::uint32_t>(out, 0, kMagic);
  put<std::uint16_t>(out, 4, kVersion);
  put<std::uint16_t>(out, 6, 0);
  put<std::uint64_t>(out, 8, header.id);
  put<std::uint32_t>(out, 16, header.json_bytes);
  put<std::uint32_t>(out, 20, 0);
  put<std::uint64_t>(out, 24, header.inline_bytes);
  put<std::uint64_t>(out, 32, header.arena_bytes);
}

Header decode(std::span<const std::byte, kHeaderBytes> in) {
  if (const auto magic = take<std::uint32_t>(in, 0); magic != kMagic) {
    malformed(fmt::format("a frame begins with {:#010x}, not with {:#010x}", magic, kMagic));
  }
  if (const int version = take<std::uint16_t>(in, 4); version != kVersion) {
    refuse(Code::WorkerVersion, fmt::format("a frame has protocol version {}; this program speaks {}", version, kVersion));
  }
  if (take<std::uint16_t>(in, 6) != 0 || take<std::uint32_t>(in, 20) != 0) malformed("reserved bytes of a frame are not zero");
  Header header{take<std::uint64_t>(in, 8), take<std::uint32_t>(in, 16), take<std::uint64_t>(in, 24),
                take<std::uint64_t>(in, 32)};
  if (header.json_bytes > kJsonLimit) malformed(fmt::format("{} bytes of JSON are more than {}", header.json_bytes, kJsonLimit));
  if (header.inline_bytes > kInlineLimit) {
    malformed(
        fmt::format("an inline payload of {} bytes; more than {} must lie in the arena", header.inline_bytes, kInlineLimit));
  }
  if (header.inline_bytes != 0 && header.arena_bytes != 0) malformed("a frame has both an inline payload and one in the arena");
  if (header.arena_bytes > kLargestPayload) malformed("a payload of more than 2^62 bytes");
  return header;
}

Layout layout_of(std::span<const OperandSpec> tensors, std::size_t align) {
  Layout layout;
  for (const OperandSpec& tensor : tensors) {
    const std::size_t whole = (layout.total + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
    const std::size_t offset = whole + align % kTensorAlignment;
    const auto count = static_cast<std::size_t>(element_count(tensor.shape));
    const auto each = static_cast<std::size_t>(info(tensor.format).storage_bytes);
    if (count > kLargestPayload / each || offset + count * each > kLargestPayload)
      refuse(Code::TooLarge, "a payload of more than 2^62 bytes");
    const std::size_t size = count * each;
    layout.offsets.push_back(offset);
    layout.sizes.push_back(size);
    layout.total = offset + size;
  }
  return layout;
}

std::size_t alignment_from_json(const Json& request) {
  if (!request.contains("align")) return kTensorAlignment;
  const Json& align = request.at("align");
  const std::size_t bytes = is_count(align) ? align.get<std::size_t>() : 0;
  if (bytes >= kTensorAlignment || !std::has_single_bit(bytes))
    refuse(Code::WorkerRefused, fmt::format("`align` is {}, no power of two below {}", align.dump(), kTensorAlignment));
  return bytes;
}

Json parse_object(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  std::string duplicate;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    // Printing and copying recurse into what was parsed, and so would run out of stack.
    if (depth > kJsonDepth) malformed(fmt::format("JSON nested deeper than {}", kJsonDepth));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      duplicate = parsed.get<std::string>();
    }
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, watch);
  } catch (const Json::exception& error) {
    malformed(fmt::format("not well-formed JSON: {}", error.what()));
  }
  if (!duplicate.empty()) malformed(fmt::format("field `{}` is given twice", duplicate));
  if (!json.is_object()) malformed("the JSON of a frame is not an object");
  return json;
}

void check_fields(const Json& json, std::span<const std::string_view> fields, std::string_view where) {
  if (!json.is_object()) malformed(fmt::format("{} is not an object", where));
  for (const std::string_view field : fields) {
    if (!json.contains(field)) malformed(fmt::format("{} lacks the field `{}`", where, field));
  }
  if (json.size() == fields.size()) return;
  for (const auto& item : json.items()) {
    if (std::find(fields.begin(), fields.end(), item.key()) == fields.end()) {
      malformed(fmt::format("{} has the unknown field `{}`", where, item.key()));
    }
  }
}

Json to_json(std::span<const OperandSpec> tensors) {
  Json json = Json::array();
  for (const OperandSpec& tensor : tensors) json.push_back({{"format", name(tensor.format)}, {"shape", tensor.shape}});
  return json;
}

std::vector<OperandSpec> tensors_from_json(const Json& json) {
  static constexpr std::array<std::string_view, 2> fields{"format", "shape"};
  if (!json.is_array()) malformed("a list of tensors is not an array");
  std::vector<OperandSpec> tensors;
  for (const Json& item : json) {
    check_fields(item, fields, "a tensor");
    const std::string format_name = text_field(item, "format");
    const auto format = format_named(format_name);
    if (!format) malformed(fmt::format("a tensor has the unknown format `{}`", format_name));
    OperandSpec tensor{*format, {}};
    if (!item.at("shape").is_array()) malformed("a tensor's shape is not an array");
    for (const Json& extent : item.at("shape")) {
      if (!is_count(extent)) {
        malformed("a tensor's extent is not a non-negative integer");
      }
      tensor.shape.push_back(extent.get<std::int64_t>());
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Json to_json(const Identity& identity) {
  Json json = Json::object();
  for (const IdentityField& field : kIdentityFields) json[field.name] = identity.*field.member;
  return json;
}

Identity identity_from_json(const Json& json) {
  static constexpr std::array<std::string_view, 8> fields{"backend", "version", "build",   "device",
                                                          "target",  "flags",   "threads", "kernel"};
  check_fields(json, fields, "an identity");
  Identity identity;
  for (const IdentityField& field : kIdentityFields) {
    identity.*field.member = text_field(json, field.name);
    if ((identity.*field.member).empty()) malformed(fmt::format("the identity's `{}` is empty", field.name));
  }
  if (identity.target == "host") malformed("the identity's `target` is \"host\", which names no machine");
  return identity;
}

Json to_json(const Hello& hello) {
  Json ways = Json::array();
  for (const WayField& way : kWays) {
    if (hello.ways.*way.member) ways.push_back(way.name);
  }
  Json json{{"ok", true}, {"protocol", kVersion}, {"name", hello.name}, {"identity", to_json(hello.identity)}, {"ways", ways}};
  if (hello.align) json["align"] = true;
  return json;
}

Hello hello_from_json(const Json& json) {
  static constexpr std::array<std::string_view, 6> all{"ok", "protocol", "name", "identity", "ways", "align"};
  const bool states_align = json.is_object() && json.contains("align");  // the one field that may be left out
  check_fields(json, std::span(all).first(states_align ? 6 : 5), "the answer to `hello`");
  if (json.at("protocol") != kVersion) {
    refuse(Code::WorkerVersion,
           fmt::format("the worker speaks protocol {}; this program speaks {}", json.at("protocol").dump(), kVersion));
  }
  Hello hello;
  hello.name = text_field(json, "name");
  hello.identity = identity_from_json(json.at("identity"));
  hello.align = states_align && flag_field(json, "align");
  if (!json.at("ways").is_array()) malformed("`ways` is not an array");
  for (const Json& given : json.at("ways")) {
    const auto way = std::find_if(kWays.begin(), kWays.end(), [&](const WayField& known) { return given == known.name; });
    if (way == kWays.end()) malformed(fmt::format("`ways` has the unknown entry {}", given.dump()));
    hello.ways.*(way->member) = true;
  }
  return hello;
}

Json to_json(const Report& report) {
  return {{"ok", true},
          {"results", to_json(report.results)},
          {"run_ms", report.run_ms},
          {"compile_ms", report.compile_ms},
          {"peak_rss_bytes", report.peak_rss_bytes},
          {"transfer_bytes", report.transfer_bytes},
          {"tag", report.tag},
          {"kernel", report.kernel},
          {"repeats_agree", report.repeats_agree}};
}

Report report_from_json(const Json& json) {
  static constexpr std::array<std::string_view, 9> fields{
      "ok", "results", "run_ms", "compile_ms", "peak_rss_bytes", "transfer_bytes", "tag", "kernel", "repeats_agree"};
  check_fields(json, fields, "an answer");
  Report report;
  report.results = tensors_from_json(json.at("results"));
  if (!json.at("run_ms").is_array()) malformed("`run_ms` is not an array");
  for (const Json& time : json.at("run_ms")) report.run_ms.push_back(milliseconds(time, "run_ms"));
  report.compile_ms = milliseconds(json.at("compile_ms"), "compile_ms");
  report.peak_rss_bytes = count_field(json, "peak_rss_bytes");
  report.transfer_bytes = count_field(json, "transfer_bytes");
  report.tag = text_field(json, "tag");
  report.kernel = text_field(json, "kernel");
  if (report.tag.empty()) malformed("the answer's `tag` is empty");
  report.repeats_agree = flag_field(json, "repeats_agree");
  return report;
}

Json error_json(std::string_view code, std::string_view message) {
  return {{"ok", false}, {"error", {{"code", code}, {"message", message}}}};
}

void throw_if_error(const Json& answer) {
  static constexpr std::array<std::string_view, 2> fields{"ok", "error"};
  static constexpr std::array<std::string_view, 2> error_fields{"code", "message"};
  if (!answer.contains("ok") || !answer.at("ok").is_boolean()) malformed("an answer lacks the field `ok`");
  if (answer.at("ok").get<bool>()) return;
  check_fields(answer, fields, "a refusal");
  const Json& error = answer.at("error");
  check_fields(error, error_fields, "a refusal's `error`");
  const std::string code = text_field(error, "code");
  for (const Code allowed : kWorkerCodes) {
    if (info(allowed).name == code) refuse(allowed, text_field(error, "message"));
  }
  malformed(fmt::format("a refusal has the code `{}`, which is not one a worker may state", code));
}

}  // namespace bitpact::protocol
