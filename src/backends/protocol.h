// The wire protocol between Bitpact and a worker (docs/protocol.md): a fixed header, JSON, tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.h"

namespace bitpact::protocol {

inline constexpr int kVersion = 1;
inline constexpr std::uint32_t kMagic = 0x31575042;  // "BPW1" in the order of the bytes

// File descriptors that a worker finds open. stdin is empty; stdout and stderr both go to the parent's record of last words.
inline constexpr int kSocketFd = 3;
inline constexpr int kRequestArenaFd = 4;  ///< the parent writes, the worker reads
inline constexpr int kAnswerArenaFd = 5;   ///< the worker writes, the parent reads

inline constexpr std::size_t kInlineLimit = 64 * 1024;       ///< tensors of more bytes travel in an arena
inline constexpr std::size_t kJsonLimit = 64 * 1024 * 1024;  ///< a longer JSON part is malformed
inline constexpr int kJsonDepth = 64;                        ///< so is one that is nested deeper
inline constexpr std::size_t kTensorAlignment = 64;          ///< of each tensor within the payload

struct Header {
  std::uint64_t id = 0;            ///< of the request; an answer repeats it
  std::uint32_t json_bytes = 0;    ///< UTF-8 JSON, right after the header
  std::uint64_t inline_bytes = 0;  ///< payload, right after the JSON
  std::uint64_t arena_bytes = 0;   ///< payload, from the start of the sender's arena. At most one of the two is nonzero
  bool operator==(const Header&) const = default;
};
inline constexpr std::size_t kHeaderBytes = 40;

void encode(const Header& header, std::span<std::byte, kHeaderBytes> out);
/// Refuses `worker-version`, and `worker-protocol`: wrong magic, nonzero reserved bytes, lengths beyond the limits.
Header decode(std::span<const std::byte, kHeaderBytes> in);

/// Where tensors lie in a payload: one after the other, each at the next multiple of kTensorAlignment, and `align` bytes further
/// where that is not kTensorAlignment itself.
struct Layout {
  std::vector<std::size_t> offsets;
  std::vector<std::size_t> sizes;
  std::size_t total = 0;  ///< end of the last tensor
};
/// Refuses `too-large` beyond 2^62 bytes.
Layout layout_of(std::span<const OperandSpec> tensors, std::size_t align = kTensorAlignment);
/// The field `align` of a request, for its worker: kTensorAlignment where there is none. Refuses `worker-refused` for what is no
/// power of two below it.
std::size_t alignment_from_json(const nlohmann::json& request);

/// Strict JSON: UTF-8, no duplicate keys, an object at the top. Refuses `worker-protocol`.
nlohmann::json parse_object(std::string_view text);

nlohmann::json to_json(std::span<const OperandSpec> tensors);
/// [{"format": "f32", "shape": [2, 3]}, ...]; refuses `worker-protocol` for anything else.
std::vector<OperandSpec> tensors_from_json(const nlohmann::json& json);

nlohmann::json to_json(const Identity& identity);
Identity identity_from_json(const nlohmann::json& json);  ///< refuses `worker-protocol`

/// What a worker says about itself.
struct Hello {
  std::string name;
  Identity identity;
  Ways ways;
  /// What it runs reads operands where they lie in the payload, whose start it keeps at a multiple of kTensorAlignment. Without
  /// this a request that has `align` is refused before it is sent.
  bool align = false;
};
nlohmann::json to_json(const Hello& hello);
Hello hello_from_json(const nlohmann::json& json);  ///< refuses `worker-version`, `worker-protocol`

/// The JSON of an answer to `call_operator` and `run_stablehlo`.
struct Report {
  std::vector<OperandSpec> results;
  std::vector<double> run_ms;  ///< one a repeat
  double compile_ms = 0;
  std::int64_t peak_rss_bytes = 0;
  std::int64_t transfer_bytes = 0;
  std::string tag;
  std::string kernel;
  bool repeats_agree = true;
};
nlohmann::json to_json(const Report& report);
Report report_from_json(const nlohmann::json& json);  ///< refuses `worker-protocol`

nlohmann::json error_json(std::string_view code, std::string_view message);
/// Throws the refusal that an {"ok": false} answer states (workers may state only the codes listed in docs/protocol.md); refuses
/// `worker-protocol` where it is ill-formed. Returns where "ok" is true.
void throw_if_error(const nlohmann::json& answer);

/// Refuses `worker-protocol` unless `json` has exactly these fields.
void check_fields(const nlohmann::json& json, std::span<const std::string_view> fields, std::string_view where);

}  // namespace bitpact::protocol
