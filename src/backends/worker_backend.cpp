#include "backends/worker_backend.h"

#include <fmt/format.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "backends/worker_host.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 1> kPlainAnswer{"ok"};

bool ends_the_process(Code code) {
  return code == Code::WorkerDied || code == Code::WorkerTimeout || code == Code::WorkerProtocol || code == Code::Internal;
}

std::vector<OperandSpec> specs_of(std::span<const Tensor> tensors) {
  std::vector<OperandSpec> specs;
  for (const Tensor& tensor : tensors) specs.push_back({tensor.format(), tensor.shape()});
  return specs;
}

void put_payload(WorkerProcess& process, std::span<const Tensor> tensors, const protocol::Layout& layout) {
  std::byte* room = process.request_payload(layout.total);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (layout.sizes[i] != 0) std::memcpy(room + layout.offsets[i], tensors[i].bytes(), layout.sizes[i]);
  }
}

void check_payload(const WorkerFrame& frame, std::size_t expected) {
  if (frame.payload_bytes != expected) {
    refuse(Code::WorkerProtocol, fmt::format("the answer's payload has {} bytes instead of {}", frame.payload_bytes, expected));
  }
}

// A result's storage is about to be overwritten as a whole. A large one is not cleared first, and (on Linux) asks for large
// pages: the page faults of fresh memory would cost more than the copy.
Tensor room_for(const OperandSpec& spec, std::size_t size) {
  constexpr std::size_t kLarge = 4u << 20, kHugePage = 2u << 20;
  if (size < kLarge) return Tensor(spec.format, spec.shape);
  const std::size_t rounded = (size + kHugePage - 1) / kHugePage * kHugePage;
  auto* base = static_cast<std::byte*>(std::aligned_alloc(kHugePage, rounded));
  if (base == nullptr) refuse(Code::TooLarge, fmt::format("no memory for a result of {} bytes", size));
#ifdef __linux__
  madvise(base, rounded, MADV_HUGEPAGE);
#endif
  return Tensor(spec.format, spec.shape, std::shared_ptr<std::byte[]>(base, [](std::byte* bytes) { std::free(bytes); }));
}

void take_tensor(const WorkerFrame& frame, std::size_t offset, std::size_t size, Tensor& out) {
  if (size == 0) return;
  std::memcpy(out.mutable_bytes(), frame.payload + offset, size);
  if (const auto bad = first_with_stray_bits(out.format(), out.span())) {
    refuse(Code::WorkerProtocol,
           fmt::format("element {} of {} {} result has bits outside its {}", *bad, out.format() == Format::I1 ? "an" : "a",
                       name(out.format()), info(out.format()).bits));
  }
}

// The identity has the features in full; a diagnostic needs the machine only.
std::string short_target(const Identity& identity) { return identity.target.substr(0, identity.target.find(" +")); }

std::string listed(const std::vector<OperandSpec>& specs) {
  std::string text;
  for (const OperandSpec& spec : specs) text += (text.empty() ? "" : ",") + to_text(spec.shape, spec.format);
  return text.empty() ? "no result" : text;
}

}  // namespace

template <typename Work>
auto WorkerBackend::with_process(const Where& where, const Work& work) {
  const std::lock_guard lock(mutex_);
  try {
    if (process_ && !process_->alive()) process_.reset();  // it ended between requests: nothing was asked of it
    if (!process_) start(deadline());
    return work(*process_);
  } catch (const Refused& refusal) {
    if (!introduced_ || ends_the_process(refusal.diagnostic().code)) process_.reset();
    throw refusal.at(where);
  } catch (...) {
    process_.reset();  // a request may be half sent
    throw;
  }
}

WorkerBackend::WorkerBackend(BackendSpec spec, WorkerCommand command, BackendSettings settings)
    : spec_(std::move(spec)), command_(std::move(command)), settings_(std::move(settings)) {
  with_process({"", to_text(spec_), ""}, [](WorkerProcess&) {});
}

WorkerProcess::Deadline WorkerBackend::deadline() const {
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                std::chrono::duration<double>(settings_.timeout_seconds));
}

void WorkerBackend::start(WorkerProcess::Deadline until) {
  process_ = std::make_unique<WorkerProcess>(command_);
  const json request = {
      {"request", "hello"}, {"protocol", protocol::kVersion}, {"device", spec_.device}, {"options", spec_.options}};
  const WorkerFrame frame = process_->exchange(request, until);
  protocol::throw_if_error(frame.json);
  protocol::Hello hello = protocol::hello_from_json(frame.json);
  check_payload(frame, 0);
  if (introduced_ && !(hello.identity == hello_.identity)) {
    refuse(Code::WorkerProtocol, "a restarted worker has another identity than the first");
  }
  hello_ = std::move(hello);
  introduced_ = true;
}

Answer WorkerBackend::ask(json request, const Where& where, const ResultSpecs& results, std::span<const Tensor> operands,
                          const RunOptions& options) {
  if (options.repeat < 1 || options.warmup < 0) refuse(Code::Internal, "a run is repeated at least once", where);
  const std::vector<OperandSpec> specs = specs_of(operands);
  const protocol::Layout sent = protocol::layout_of(specs), expected = protocol::layout_of(results);
  request["operands"] = protocol::to_json(specs);
  request["results"] = protocol::to_json(results);
  request["repeat"] = options.repeat;
  request["warmup"] = options.warmup;
  return with_process(where, [&](WorkerProcess& process) {
    put_payload(process, operands, sent);
    if (expected.total > protocol::kInlineLimit) process.reserve_answer(expected.total);
    const WorkerFrame frame = process.exchange(request, deadline());
    protocol::throw_if_error(frame.json);
    const protocol::Report report = protocol::report_from_json(frame.json);
    if (report.results != results) {
      refuse(Code::WorkerProtocol, fmt::format("the answer holds {} instead of {}", listed(report.results), listed(results)));
    }
    if (report.run_ms.size() != static_cast<std::size_t>(options.repeat)) {
      refuse(Code::WorkerProtocol, fmt::format("the answer times {} runs instead of {}", report.run_ms.size(), options.repeat));
    }
    check_payload(frame, expected.total);
    Answer answer;
    for (std::size_t i = 0; i < results.size(); ++i) {
      answer.results.push_back(room_for(results[i], expected.sizes[i]));
      take_tensor(frame, expected.offsets[i], expected.sizes[i], answer.results.back());
    }
    answer.cost = {report.compile_ms, median(report.run_ms), report.transfer_bytes, report.peak_rss_bytes};
    answer.tag = report.tag;
    answer.kernel = report.kernel;
    answer.repeats_agree = report.repeats_agree;
    return answer;
  });
}

Answer WorkerBackend::call_operator(const Problem& problem, const ResultSpecs& results, std::span<const Tensor> operands,
                                    const RunOptions& options) {
  if (!ways().operator_call) return Backend::call_operator(problem, results, operands, options);
  return ask({{"request", "call_operator"}, {"operator", problem.op}, {"attributes", problem.attributes}},
             {to_text(problem), to_text(spec_), short_target(identity())}, results, operands, options);
}

Answer WorkerBackend::run_stablehlo(const std::string& module, const ResultSpecs& results, std::span<const Tensor> operands,
                                    const RunOptions& options) {
  if (!ways().stablehlo) return Backend::run_stablehlo(module, results, operands, options);
  return ask({{"request", "run_stablehlo"}, {"module", module}}, {"", to_text(spec_), short_target(identity())}, results,
             operands, options);
}

void WorkerBackend::ping() {
  static const json request = {{"request", "ping"}};
  with_process({"", to_text(spec_), ""}, [&](WorkerProcess& process) {
    const WorkerFrame frame = process.exchange(request, deadline());
    protocol::throw_if_error(frame.json);
    protocol::check_fields(frame.json, kPlainAnswer, "the answer to `ping`");
    check_payload(frame, 0);
  });
}

void WorkerBackend::release() {
  with_process({"", to_text(spec_), ""}, [&](WorkerProcess& process) {
    const WorkerFrame frame = process.exchange({{"request", "release"}}, deadline());
    protocol::throw_if_error(frame.json);
    protocol::check_fields(frame.json, kPlainAnswer, "the answer to `release`");
    check_payload(frame, 0);
  });
}

Tensor WorkerBackend::echo(const Tensor& tensor) {
  Tensor out = room_for({tensor.format(), tensor.shape()}, tensor.byte_size());
  echo_into(tensor, out);
  return out;
}

void WorkerBackend::echo_into(const Tensor& tensor, Tensor& out) {
  const std::vector<OperandSpec> specs{{tensor.format(), tensor.shape()}};
  if (out.format() != tensor.format() || out.shape() != tensor.shape()) refuse(Code::Internal, "echo into another shape");
  const protocol::Layout layout = protocol::layout_of(specs);
  with_process({"", to_text(spec_), ""}, [&](WorkerProcess& process) {
    put_payload(process, std::span(&tensor, 1), layout);
    if (layout.total > protocol::kInlineLimit) process.reserve_answer(layout.total);
    const WorkerFrame frame = process.exchange({{"request", "echo"}, {"operands", protocol::to_json(specs)}}, deadline());
    protocol::throw_if_error(frame.json);
    static constexpr std::array<std::string_view, 2> fields{"ok", "results"};
    protocol::check_fields(frame.json, fields, "the answer to `echo`");
    if (protocol::tensors_from_json(frame.json.at("results")) != specs) {
      refuse(Code::WorkerProtocol, "the answer to `echo` holds another tensor");
    }
    check_payload(frame, layout.total);
    take_tensor(frame, layout.offsets[0], layout.sizes[0], out);
  });
}

}  // namespace bitpact
