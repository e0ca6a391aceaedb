#include "tensor/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string_view>

#include "diagnostic/diagnostic.h"
#include "tensor/safetensors_dtypes.h"
#include "tensor/utf8.h"

namespace bitpact {
namespace {

using nlohmann::json;

constexpr std::size_t kMostAxes = 64;

/// Where a tensor's bytes are, counted from the header's end.
struct Place {
  std::uint64_t begin = 0, end = 0;
  auto operator<=>(const Place&) const = default;
};

/// Of a tensor in the file; none where no file is so large, or where it would not end at the end of a byte.
std::optional<std::uint64_t> file_bytes(const SafetensorsDtype& dtype, const Shape& shape) {
  try {
    std::uint64_t bits = 0;
    const auto count = static_cast<std::uint64_t>(element_count(shape));
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(dtype.bits), &bits) || bits % 8 != 0) return std::nullopt;
    return bits / 8;
  } catch (const Refused&) {
    return std::nullopt;
  }
}

/// Takes the events of the JSON reader; holds one record while it grows.
class Events : public nlohmann::json_sax<json> {
 public:
  Events(const std::string& where, std::uint64_t data_bytes) : where_(where), data_bytes_(data_bytes) {}

  std::vector<DumpEntry> entries;
  std::vector<Place> places;  ///< of each entry
  std::map<std::string, std::string> metadata;

  bool key(string_t& name) override {
    switch (at_) {
      case At::Names:
        if (name == "__metadata__") {
          if (has_metadata_) malformed("__metadata__ is there twice");
          has_metadata_ = true;
          at_ = At::BeforeMetadata;
        } else {
          entry_ = DumpEntry{};
          entry_.name = std::move(name);
          seen_ = 0;
          at_ = At::BeforeTensor;
        }
        return true;
      case At::Metadata:
        metadata_key_ = std::move(name);
        if (metadata.contains(metadata_key_)) malformed(fmt::format("__metadata__ has {} twice", shown_name(metadata_key_)));
        at_ = At::MetadataValue;
        return true;
      case At::Tensor:
        if (name == "dtype") return field(At::Dtype, name);
        if (name == "shape") return field(At::BeforeShape, name);
        if (name == "data_offsets") return field(At::BeforeOffsets, name);
        malformed(fmt::format("{} has the unknown field {}", tensor(), shown_name(name)));
      default:
        unexpected("a name");
    }
  }

  bool string(string_t& value) override {
    if (at_ == At::MetadataValue) {
      metadata.emplace(std::move(metadata_key_), std::move(value));
      at_ = At::Metadata;
    } else if (at_ == At::Dtype) {
      dtype_ = safetensors_dtype(value);
      if (dtype_ == nullptr || !dtype_->format) unsupported(fmt::format("{} has the dtype {}", tensor(), shown_name(value)));
      at_ = At::Tensor;
    } else {
      unexpected("a string");
    }
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (at_ == At::Shape) {
      Shape& shape = entry_.shape;
      if (shape.size() == kMostAxes) unsupported(fmt::format("{} has more than {} axes", tensor(), kMostAxes));
      if (value > static_cast<std::uint64_t>(INT64_MAX)) malformed(fmt::format("{} has an extent beyond 2^63", tensor()));
      shape.push_back(static_cast<std::int64_t>(value));
    } else if (at_ == At::Offsets && offsets_ < 2) {
      (offsets_++ == 0 ? place_.begin : place_.end) = value;
    } else {
      unexpected("a number");
    }
    return true;
  }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { unexpected("a number that is no 64-bit integer"); }
  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a boolean"); }
  bool binary(binary_t&) override { unexpected("binary"); }

  bool start_object(std::size_t) override {
    switch (at_) {
      case At::Start:
        at_ = At::Names;
        return true;
      case At::BeforeMetadata:
        at_ = At::Metadata;
        return true;
      case At::BeforeTensor:
        at_ = At::Tensor;
        return true;
      default:
        unexpected("an object");
    }
  }
  bool end_object() override {
    if (at_ == At::Tensor) finish_tensor();
    at_ = at_ == At::Names ? At::End : At::Names;
    return true;
  }
  bool start_array(std::size_t) override {
    if (at_ != At::BeforeShape && at_ != At::BeforeOffsets) unexpected("an array");
    at_ = at_ == At::BeforeShape ? At::Shape : At::Offsets;
    offsets_ = 0;
    return true;
  }
  bool end_array() override {
    if (at_ == At::Offsets && offsets_ != 2) malformed(fmt::format("data_offsets of {} are not two numbers", tensor()));
    at_ = At::Tensor;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    malformed(fmt::format("the header is not well-formed JSON in UTF-8 (header byte {})", position));
  }

 private:
  enum class At : std::uint8_t {
    Start,
    Names,
    BeforeMetadata,
    Metadata,
    MetadataValue,
    BeforeTensor,
    Tensor,
    Dtype,
    BeforeShape,
    Shape,
    BeforeOffsets,
    Offsets,
    End,
  };

  [[noreturn]] void malformed(const std::string& why) const {
    refuse(Code::SafetensorsMalformed, fmt::format("{}: {}", where_, why));
  }
  [[noreturn]] void unsupported(const std::string& why) const {
    refuse(Code::SafetensorsUnsupported, fmt::format("{}: {}", where_, why));
  }
  [[noreturn]] void unexpected(std::string_view what) const {
    const std::string place = at_ == At::Start ? "the header is"
                              : at_ == At::BeforeMetadata || at_ == At::Metadata || at_ == At::MetadataValue
                                  ? "__metadata__ holds"
                                  : fmt::format("{} holds", tensor());
    malformed(fmt::format("{} {} where none may be", place, what));
  }
  std::string tensor() const { return shown_name(entry_.name); }

  /// The next value belongs to this field of a tensor.
  bool field(At next, const std::string& name) {
    const unsigned bit = 1U << static_cast<unsigned>(next);
    if ((seen_ & bit) != 0) malformed(fmt::format("{} has {} twice", tensor(), name));
    seen_ |= bit;
    at_ = next;
    return true;
  }

  void finish_tensor() {
    for (auto [bit, name] : {std::pair{At::Dtype, "dtype"}, {At::BeforeShape, "shape"}, {At::BeforeOffsets, "data_offsets"}})
      if ((seen_ & 1U << static_cast<unsigned>(bit)) == 0) malformed(fmt::format("{} has no {}", tensor(), name));
    const auto [begin, end] = place_;
    if (begin > end) malformed(fmt::format("{} begins at {} and ends before, at {}", tensor(), begin, end));
    if (end > data_bytes_)
      malformed(fmt::format("{} ends at {}, the file has {} bytes after its header", tensor(), end, data_bytes_));
    const auto wanted = file_bytes(*dtype_, entry_.shape);
    if (!wanted) malformed(fmt::format("the shape of {} has more elements than any file, or ends within a byte", tensor()));
    if (*wanted != end - begin)
      malformed(fmt::format("{} is {} and needs {} bytes, its offsets [{}, {}] hold {}", tensor(),
                            to_text(entry_.shape, *dtype_->format), *wanted, begin, end, end - begin));
    entry_.format = *dtype_->format;
    entry_.byte_size =
        static_cast<std::size_t>(element_count(entry_.shape)) * static_cast<std::size_t>(info(*dtype_->format).storage_bytes);
    entries.push_back(std::move(entry_));
    places.push_back(place_);
  }

  const std::string& where_;
  std::uint64_t data_bytes_;
  At at_ = At::Start;
  DumpEntry entry_;
  Place place_;
  const SafetensorsDtype* dtype_ = nullptr;
  unsigned seen_ = 0;
  int offsets_ = 0;
  bool has_metadata_ = false;
  std::string metadata_key_;
};

/// No name twice. Sorted by hash, and by name only where hashes are equal: no input makes this slow.
void check_names(const std::vector<DumpEntry>& entries, const std::string& where) {
  std::vector<std::pair<std::size_t, std::uint32_t>> order(entries.size());
  for (std::uint32_t i = 0; i < entries.size(); ++i) order[i] = {std::hash<std::string>{}(entries[i].name), i};
  auto name_of = [&](const auto& item) -> const std::string& { return entries[item.second].name; };
  std::sort(order.begin(), order.end(),
            [&](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : name_of(a) < name_of(b); });
  const auto twice = std::adjacent_find(
      order.begin(), order.end(), [&](const auto& a, const auto& b) { return a.first == b.first && name_of(a) == name_of(b); });
  if (twice != order.end())
    refuse(Code::SafetensorsMalformed, fmt::format("{}: {} is there twice", where, shown_name(name_of(*twice))));
}

/// Into the order of the offsets.
void sort_by_place(Events& events) {
  std::vector<Place>& places = events.places;
  if (std::is_sorted(places.begin(), places.end())) return;
  std::vector<std::uint32_t> order(places.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return places[a] < places[b]; });
  std::vector<DumpEntry> entries;
  entries.reserve(order.size());
  for (std::uint32_t i : order) entries.push_back(std::move(events.entries[i]));
  events.entries = std::move(entries);
  std::sort(places.begin(), places.end());
}

/// Each tensor begins where the one before ends, and the last ends where the file does.
void check_places(const Events& events, std::uint64_t data_bytes, const std::string& where) {
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < events.places.size(); ++i) {
    const std::uint64_t begin = events.places[i].begin;
    if (begin != at)
      refuse(Code::SafetensorsMalformed,
             fmt::format("{}: {} begins at {}, the tensors before it end at {}: {}", where, shown_name(events.entries[i].name),
                         begin, at, begin < at ? "they overlap" : "there is a hole"));
    at = events.places[i].end;
  }
  if (at != data_bytes)
    refuse(Code::SafetensorsMalformed,
           fmt::format("{}: the tensors end at {}, the file has {} bytes after its header", where, at, data_bytes));
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file, const std::string& where) {
  auto malformed = [&where](const std::string& why) { refuse(Code::SafetensorsMalformed, fmt::format("{}: {}", where, why)); };
  constexpr std::size_t kPrefix = 8;
  if (file.size() < kPrefix) malformed(fmt::format("{} bytes are too few for a .safetensors file", file.size()));
  std::uint64_t length = 0;
  for (std::size_t i = kPrefix; i-- > 0;) length = length << 8 | static_cast<std::uint64_t>(file[i]);
  if (length > file.size() - kPrefix)
    malformed(fmt::format("the header has {} bytes by its own length, the file only {} more", length, file.size() - kPrefix));
  if (length > kMostSafetensorsHeaderBytes)
    malformed(
        fmt::format("the header has {} bytes, more than the {} that the format allows", length, kMostSafetensorsHeaderBytes));
  std::string_view text(reinterpret_cast<const char*>(file.data()) + kPrefix, static_cast<std::size_t>(length));
  if (!text.starts_with('{')) malformed("the header does not begin with '{'");
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  if (!text.ends_with('}')) malformed("the header does not end with '}' and spaces");
  // JSON has no NUL outside of an escape; the reader below takes one for the end of the text.
  if (const std::size_t nul = text.find('\0'); nul != text.npos) malformed(fmt::format("header byte {} is NUL", nul));

  const std::uint64_t data_begin = kPrefix + length;
  Events events(where, file.size() - data_begin);
  if (!json::sax_parse(text.data(), text.data() + text.size(), &events)) malformed("the header is not well-formed JSON");
  check_names(events.entries, where);
  sort_by_place(events);
  check_places(events, file.size() - data_begin, where);

  SafetensorsHeader header;
  header.metadata = std::move(events.metadata);
  header.entries = std::move(events.entries);
  header.begins.reserve(events.places.size());
  for (const Place& place : events.places) header.begins.push_back(data_begin + place.begin);
  return header;
}

}  // namespace bitpact
