#include "tensor/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <nlohmann/json.hpp>

#include "diagnostic/diagnostic.h"
#include "tensor/file.h"
#include "tensor/packing.h"
#include "tensor/safetensors_dtypes.h"
#include "tensor/safetensors_header.h"
#include "tensor/utf8.h"

namespace bitpact {

struct Safetensors::State {
  std::string path;
  std::shared_ptr<MappedFile> file;
  SafetensorsHeader header;
};

Safetensors::Safetensors(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->file = std::make_shared<MappedFile>(path, MappedFile::Access::ReadOnly);
  state_->header = parse_safetensors_header(state_->file->bytes(), path);
}

Safetensors::~Safetensors() = default;

const std::vector<DumpEntry>& Safetensors::entries() const { return state_->header.entries; }
const SafetensorsMetadata& Safetensors::metadata() const { return state_->header.metadata; }

DumpTensor Safetensors::read(std::size_t index) const {
  const DumpEntry& entry = entries().at(index);
  if (safetensors_dtype(entry.format)->bits == 4) {
    auto own = std::make_shared<Tensor>(entry.format, entry.shape);
    const std::span elements(own->mutable_bytes(), entry.byte_size);
    unpack_halves(state_->file->bytes().subspan(state_->header.begins[index], entry.byte_size / 2), elements);
    return {entry.format, entry.shape, elements, std::move(own)};
  }
  DumpTensor tensor{entry.format, entry.shape, state_->file->bytes().subspan(state_->header.begins[index], entry.byte_size),
                    state_->file};
  if (entry.format == Format::I1) {
    const auto bad = std::find_if(tensor.bytes.begin(), tensor.bytes.end(), [](std::byte b) { return b > std::byte{1}; });
    if (bad != tensor.bytes.end())
      refuse(Code::SafetensorsMalformed, fmt::format("{}: boolean {} of {} is {}, neither 0 nor 1", state_->path,
                                                     bad - tensor.bytes.begin(), shown_name(entry.name), static_cast<int>(*bad)));
  }
  return tensor;
}

namespace {

using nlohmann::json;

/// A JSON string as the reference spells it: only what must be escaped is.
std::string quoted(const std::string& text, const std::string& where) {
  try {
    return json(text).dump();
  } catch (const json::type_error&) {
    refuse(Code::SafetensorsUnsupported, fmt::format("{}: {} is not UTF-8", where, shown_name(text)));
  }
}

}  // namespace

void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors, const SafetensorsMetadata& metadata) {
  struct Row {
    const SafetensorsDtype* dtype;
    const NamedTensor* named;
  };
  auto unsupported = [&path](const std::string& why) { refuse(Code::SafetensorsUnsupported, fmt::format("{}: {}", path, why)); };
  std::vector<Row> rows;
  for (const NamedTensor& named : tensors) {
    const SafetensorsDtype* dtype = safetensors_dtype(named.tensor.format());
    if (dtype == nullptr)
      unsupported(fmt::format("{}: .safetensors has no dtype for {}", shown_name(named.name), name(named.tensor.format())));
    if (named.name == "__metadata__") unsupported("no tensor may be called __metadata__");
    rows.push_back({dtype, &named});
  }
  // The rows of the table stand by alignment, the smallest first.
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.dtype != b.dtype ? a.dtype > b.dtype : a.named->name < b.named->name; });
  std::vector<const std::string*> names;
  for (const Row& row : rows) names.push_back(&row.named->name);
  std::sort(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a < *b; });
  const auto twice = std::adjacent_find(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a == *b; });
  if (twice != names.end()) unsupported(fmt::format("{} is there twice", shown_name(**twice)));

  std::string header = "{";
  if (!metadata.empty()) {
    header += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata)
      header += fmt::format("{}{}:{}", header.ends_with('{') ? "" : ",", quoted(key, path), quoted(value, path));
    header += '}';
  }
  std::uint64_t offset = 0;
  std::vector<std::span<const std::byte>> pieces(2);
  std::list<std::vector<std::byte>> packed;
  for (const Row& row : rows) {
    const Tensor& tensor = row.named->tensor;
    std::span<const std::byte> elements = tensor.span();
    if (row.dtype->bits == 4) {
      if (elements.size() % 2 != 0)
        unsupported(fmt::format("{}: an odd number of 4-bit elements ends within a byte", shown_name(row.named->name)));
      elements = packed.emplace_back(pack_halves(elements));
    }
    const std::uint64_t end = offset + elements.size();
    header += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", header.size() > 1 ? "," : "",
                          quoted(row.named->name, path), row.dtype->name, fmt::join(tensor.shape(), ","), offset, end);
    pieces.push_back(elements);
    offset = end;
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > kMostSafetensorsHeaderBytes)
    unsupported(fmt::format("the header would have {} bytes, the format allows {}", header.size(), kMostSafetensorsHeaderBytes));
  std::byte length[8];
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<std::byte>(header.size() >> (8 * i) & 0xff);
  pieces[0] = length;
  pieces[1] = std::as_bytes(std::span(header));
  write_file(path, pieces);
}

}  // namespace bitpact
