// The whole of what a worker says: the input is its side of the socket, from the introduction on, against the backend that asks
// it. An input may begin with frames (docs/protocol.md: the header, JSON, payload); ids are those of the requests, 1 and up. A
// process is started for each input, so that this is the slowest target by far.
#include "backends/backend.h"
#include "file_of.h"

using namespace bitpact;

namespace {

template <typename Make>
auto answered(const Make& make) {
  return fuzz::accepted_if(
      [](std::string_view code) {
        return code.starts_with("worker-") || code.starts_with("backend-") || code == "compile-failed";
      },
      make);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 64 * 1024) return -1;
  const fuzz::FileOf file(fuzz::text_of(data, size));
  const BackendSpec spec{"worker", fmt::format("{} {}", BITPACT_STREAM_WORKER, file.path()), {}};
  BackendSettings settings;
  settings.timeout_seconds = 5;
  const auto backend = answered([&] { return open_backend(spec, settings); });
  if (!backend) return 0;
  fuzz::must(!(*backend)->identity().backend.empty() && !(*backend)->ways().numeric_program,
             "an introduction that says too much");
  const OperandSpec wanted{Format::F32, {2}};
  const Problem problem{"add", {wanted, wanted}, {}};
  const std::vector<Tensor> operands{Tensor(Format::F32, {2}), Tensor(Format::F32, {2})};
  const std::vector<OperandSpec> results{wanted};
  for (int request = 0; request < 2; ++request) {
    const auto answer = answered([&] {
      return (*backend)->ways().operator_call ? (*backend)->call_operator(problem, results, operands, {})
                                              : (*backend)->run_stablehlo("module {}", results, operands, {});
    });
    if (!answer) return 0;
    fuzz::must(
        answer->results.size() == 1 && answer->results[0].format() == Format::F32 && answer->results[0].shape() == wanted.shape,
        "an answer of another shape");
    fuzz::must(!answer->tag.empty(), "an answer without a tag");
  }
  return 0;
}
