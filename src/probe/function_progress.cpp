#include "probe/function_progress.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <span>

#include "contract/canonical_json.h"
#include "diagnostic/diagnostic.h"
#include "tensor/digest.h"
#include "tensor/file.h"

namespace bitpact {
namespace {

using nlohmann::json;
constexpr std::string_view kSchema = "bitpact.function-progress/1";

json content(const std::string& about, const json& state) { return {{"schema", kSchema}, {"about", about}, {"state", state}}; }

}  // namespace

FunctionProgress::FunctionProgress(std::string path, const json& about, std::function<void(const std::string&)> say)
    : path_(std::move(path)), about_(sha256(canonical_json(about))) {
  std::error_code ignored;
  if (path_.empty() || !std::filesystem::exists(path_, ignored)) return;
  const auto refused = [&](const std::string& why) {
    if (say) say(fmt::format("begun anew: {} {}", path_, why));
  };
  try {
    const MappedFile file(path_);
    const auto bytes = file.bytes();
    const json j = parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!j.is_object() || !j.contains("state") || !j.contains("sha256"))
      refused("is no progress of a probe");
    else if (j.at("sha256") != sha256(canonical_json(content(about_, j.at("state")))))
      refused("is about another probe, or damaged");
    else
      state_ = j.at("state");
  } catch (const Refused& refusal) {
    refused(fmt::format("is not taken: {}", refusal.diagnostic().reason));
  }
}

void FunctionProgress::save(const json& state) {
  state_ = state;
  if (path_.empty()) return;
  json j = content(about_, state);
  j["sha256"] = sha256(canonical_json(j));
  const std::string text = canonical_json(j) + "\n";
  const std::span<const std::byte> piece = std::as_bytes(std::span(text));
  write_file(path_, {&piece, 1});
}

void FunctionProgress::remove() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

std::string default_progress_path(const json& about) {
  const auto absolute = [](const char* text) { return text != nullptr && *text == '/'; };
  std::string folder;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); absolute(cache))
    folder = std::string(cache) + "/bitpact/functions";
  else if (const char* home = std::getenv("HOME"); absolute(home))
    folder = std::string(home) + "/.cache/bitpact/functions";
  else
    return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return {};
  const std::string digest = sha256(canonical_json(about));
  return folder + "/" + digest.substr(digest.find(':') + 1) + ".json";
}

}  // namespace bitpact
