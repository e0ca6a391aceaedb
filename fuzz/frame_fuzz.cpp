// The protocol's frames without a process: headers, the JSON of every kind of answer, and the payload's layout.
#include <array>
#include <cstring>

#include "backends/protocol.h"
#include "fuzz.h"

using namespace bitpact;
using nlohmann::json;

namespace {

/// What a worker's answer may be refused with: the codes of the protocol, and those that a worker may state.
template <typename Make>
auto answered(const Make& make) {
  return fuzz::accepted_if(
      [](std::string_view code) {
        return code.starts_with("worker-") || code.starts_with("backend-") || code == "compile-failed" || code == "too-large";
      },
      make);
}

void check_header(std::span<const std::byte, protocol::kHeaderBytes> raw) {
  const auto header = answered([&] { return protocol::decode(raw); });
  if (!header) return;
  std::array<std::byte, protocol::kHeaderBytes> again;
  protocol::encode(*header, again);
  fuzz::must(std::memcmp(again.data(), raw.data(), again.size()) == 0, "a header is written otherwise than it was read");
  fuzz::must(header->json_bytes <= protocol::kJsonLimit && header->inline_bytes <= protocol::kInlineLimit,
             "a header beyond its limits");
}

void check_layout(const std::vector<OperandSpec>& tensors) {
  const auto layout = answered([&] { return protocol::layout_of(tensors); });
  if (!layout) return;
  std::size_t end = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    fuzz::must(layout->offsets[i] % protocol::kTensorAlignment == 0 && layout->offsets[i] >= end, "tensors overlap in a payload");
    end = layout->offsets[i] + layout->sizes[i];
    fuzz::must(end >= layout->offsets[i], "a payload's size overflows");
    const auto count = static_cast<std::size_t>(element_count(tensors[i].shape));
    fuzz::must(layout->sizes[i] / static_cast<std::size_t>(info(tensors[i].format).storage_bytes) == count,
               "a tensor's size overflows");
  }
  fuzz::must(end == layout->total, "a payload ends elsewhere than its last tensor");
}

bool same(const protocol::Hello& a, const protocol::Hello& b) {
  return a.name == b.name && a.identity == b.identity && a.ways.operator_call == b.ways.operator_call &&
         a.ways.stablehlo == b.ways.stablehlo && a.ways.numeric_program == b.ways.numeric_program && a.align == b.align;
}

bool same(const protocol::Report& a, const protocol::Report& b) {
  return a.results == b.results && a.run_ms == b.run_ms && a.compile_ms == b.compile_ms && a.peak_rss_bytes == b.peak_rss_bytes &&
         a.transfer_bytes == b.transfer_bytes && a.tag == b.tag && a.kernel == b.kernel && a.repeats_agree == b.repeats_agree;
}

void check_answer(const json& object) {
  // Printing and parsing again: what is taken must survive it.
  fuzz::must(protocol::parse_object(object.dump()) == object, "an object reads back as another one");
  (void)answered([&] {
    protocol::throw_if_error(object);
    return true;
  });
  if (const auto hello = answered([&] { return protocol::hello_from_json(object); }))
    fuzz::must(same(protocol::hello_from_json(protocol::to_json(*hello)), *hello), "an introduction reads back as another one");
  if (const auto report = answered([&] { return protocol::report_from_json(object); })) {
    fuzz::must(same(protocol::report_from_json(protocol::to_json(*report)), *report), "a report reads back as another one");
    check_layout(report->results);
  }
  for (const auto& [name, member] : object.items()) {
    if (const auto identity = answered([&, &value = member] { return protocol::identity_from_json(value); }))
      fuzz::must(protocol::identity_from_json(protocol::to_json(*identity)) == *identity,
                 "an identity reads back as another one");
    const auto tensors = answered([&, &value = member] { return protocol::tensors_from_json(value); });
    if (!tensors) continue;
    fuzz::must(protocol::tensors_from_json(protocol::to_json(*tensors)) == *tensors, "tensors read back as others");
    check_layout(*tensors);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size >= protocol::kHeaderBytes)
    check_header(std::as_bytes(std::span<const std::uint8_t, protocol::kHeaderBytes>(data, protocol::kHeaderBytes)));
  const auto object = answered([&] { return protocol::parse_object(fuzz::text_of(data, size)); });
  if (!object) return 0;
  check_answer(*object);
  return 0;
}
