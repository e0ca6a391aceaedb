#include "backends/worker_backend.h"

#include <fmt/format.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "backends/locate.h"
#include "backends/worker_host.h"
#include "diagnostic/diagnostic.h"
#include "operators/alignment.h"

namespace bitpact {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 1> kPlainAnswer{"ok"};

// After these the process is of no further use. (A worker that says itself that its memory does not suffice goes on.)
bool ends_the_process(Code code) {
  switch (code) {
    case Code::WorkerDied:
    case Code::WorkerTimeout:
    case Code::WorkerFlood:
    case Code::WorkerProtocol:
    case Code::WorkerVersion:
    case Code::WorkerWrongId:
    case Code::WorkerWrongResult:
    case Code::Internal:
      return true;
    default:
      return false;
  }
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
    refuse(Code::WorkerWrongResult,
           fmt::format("the answer's payload has {} bytes instead of {}", frame.payload_bytes, expected));
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
    refuse(Code::WorkerWrongResult,
           fmt::format("element {} of {} {} result has bits outside its {}", *bad, out.format() == Format::I1 ? "an" : "a",
                       name(out.format()), info(out.format()).bits));
  }
}

// The longest wait that the clock can count to, for a timeout beyond it.
WorkerProcess::Deadline after(double seconds) {
  constexpr double kLongest = 1e9;
  using Clock = std::chrono::steady_clock;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, kLongest)));
}

// "3.13.0rc1 0f1a..." is version 3.13, 3.13.0 and 3.13.0rc1, but not 3.1.
bool is_version(std::string_view seen, std::string_view pinned) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return seen.starts_with(pinned) && (seen.size() == pinned.size() || !digit(pinned.back()) || !digit(seen[pinned.size()]));
}

std::string first_difference(const Identity& a, const Identity& b) {
  const json before = protocol::to_json(a), now = protocol::to_json(b);
  for (const auto& [field, value] : before.items()) {
    if (now.at(field) != value) {
      return fmt::format("{} was `{}` and is `{}`", field, value.get<std::string>(), now.at(field).get<std::string>());
    }
  }
  return "none";
}

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
    if (!process_) start();
    return work(*process_);
  } catch (const Refused& refusal) {
    if (process_ && (!introduced_ || ends_the_process(refusal.diagnostic().code))) process_->kill();
    if (process_ && !process_->alive()) process_.reset();
    throw refusal.at(where);
  } catch (...) {
    if (process_) process_->kill();  // a request may be half sent
    process_.reset();
    throw;
  }
}

WorkerBackend::WorkerBackend(BackendSpec spec, WorkerCommand command, BackendSettings settings)
    : spec_(std::move(spec)), command_(std::move(command)), settings_(std::move(settings)), options_(spec_.options) {
  if (const auto pinned = options_.extract("version"); !pinned.empty()) pinned_version_ = pinned.mapped();
  if (pinned_version_ && pinned_version_->empty()) refuse(Code::BackendOption, "version=: a version is expected");
  keeper_ = locate_keeper(settings_);
  with_process({"", to_text(spec_), ""}, [](WorkerProcess&) {});
}

WorkerFrame WorkerBackend::exchange(WorkerProcess& process, const json& request) {
  return process.exchange(request, after(settings_.timeout_seconds),
                          fmt::format("no answer in time: a request may take {} s (--timeout)", settings_.timeout_seconds));
}

void WorkerBackend::start() {
  const auto until = after(settings_.start_timeout_seconds);
  process_ = std::make_unique<WorkerProcess>(command_, keeper_,
                                             WorkerLimits{settings_.worker_memory_bytes, settings_.worker_output_bytes});
  const json request = {{"request", "hello"}, {"protocol", protocol::kVersion}, {"device", spec_.device}, {"options", options_}};
  const WorkerFrame frame =
      process_->exchange(request, until,
                         fmt::format("it did not introduce itself in time: a start may take {} s (--start-timeout)",
                                     settings_.start_timeout_seconds));
  protocol::throw_if_error(frame.json);
  protocol::Hello hello = protocol::hello_from_json(frame.json);
  check_payload(frame, 0);
  if (introduced_ && !(hello.identity == hello_.identity)) {
    refuse(Code::WorkerVersion, "a worker that was started again has another identity than the first had: " +
                                    first_difference(hello_.identity, hello.identity));
  }
  if (pinned_version_ && !is_version(hello.identity.version, *pinned_version_)) {
    refuse(Code::WorkerVersion,
           fmt::format("it is version {}; version={} is asked for", hello.identity.version, *pinned_version_));
  }
  hello_ = std::move(hello);
  introduced_ = true;
}

Answer WorkerBackend::ask(json request, const Where& where, const ResultSpecs& results, std::span<const Tensor> operands,
                          const RunOptions& options) {
  if (options.repeat < 1 || options.warmup < 0) refuse(Code::Internal, "a run is repeated at least once", where);
  const auto align = static_cast<std::size_t>(options.align);
  const std::vector<OperandSpec> specs = specs_of(operands);
  const protocol::Layout sent = protocol::layout_of(specs, align), expected = protocol::layout_of(results);
  if (align != protocol::kTensorAlignment) request["align"] = align;
  request["operands"] = protocol::to_json(specs);
  request["results"] = protocol::to_json(results);
  request["repeat"] = options.repeat;
  request["warmup"] = options.warmup;
  return with_process(where, [&](WorkerProcess& process) {
    // Asked all the same, it would answer for operands that lie elsewhere.
    if (align != protocol::kTensorAlignment && !hello_.align)
      refuse(
          Code::BackendLacksForm,
          fmt::format("align={}: what it runs does not read operands where they are laid out; where they lie is its own affair, "
                      "and goes with its identity",
                      align));
    put_payload(process, operands, sent);
    if (expected.total > protocol::kInlineLimit) process.reserve_answer(expected.total);
    const WorkerFrame frame = exchange(process, request);
    protocol::throw_if_error(frame.json);
    const protocol::Report report = protocol::report_from_json(frame.json);
    if (report.results != results) {
      refuse(Code::WorkerWrongResult, fmt::format("the answer holds {} instead of {}", listed(report.results), listed(results)));
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
  RunOptions laid_out = options;
  laid_out.align = alignment_of(problem);
  std::map<std::string, std::string> attributes = problem.attributes;
  attributes.erase(kAlign);  // a field of the request: no operator has it
  return ask({{"request", "call_operator"}, {"operator", problem.op}, {"attributes", attributes}},
             {to_text(problem), to_text(spec_), identity().machine()}, results, operands, laid_out);
}

Answer WorkerBackend::run_stablehlo(const std::string& module, const ResultSpecs& results, std::span<const Tensor> operands,
                                    const RunOptions& options) {
  if (!ways().stablehlo) return Backend::run_stablehlo(module, results, operands, options);
  return ask({{"request", "run_stablehlo"}, {"module", module}}, {"", to_text(spec_), identity().machine()}, results, operands,
             options);
}

void WorkerBackend::ping() {
  static const json request = {{"request", "ping"}};
  with_process({"", to_text(spec_), ""}, [&](WorkerProcess& process) {
    const WorkerFrame frame = exchange(process, request);
    protocol::throw_if_error(frame.json);
    protocol::check_fields(frame.json, kPlainAnswer, "the answer to `ping`");
    check_payload(frame, 0);
  });
}

void WorkerBackend::release() {
  with_process({"", to_text(spec_), ""}, [&](WorkerProcess& process) {
    const WorkerFrame frame = exchange(process, {{"request", "release"}});
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
    const WorkerFrame frame = exchange(process, {{"request", "echo"}, {"operands", protocol::to_json(specs)}});
    protocol::throw_if_error(frame.json);
    static constexpr std::array<std::string_view, 2> fields{"ok", "results"};
    protocol::check_fields(frame.json, fields, "the answer to `echo`");
    if (protocol::tensors_from_json(frame.json.at("results")) != specs) {
      refuse(Code::WorkerWrongResult, "the answer to `echo` holds another tensor");
    }
    check_payload(frame, layout.total);
    take_tensor(frame, layout.offsets[0], layout.sizes[0], out);
  });
}

}  // namespace bitpact
