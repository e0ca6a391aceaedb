#include "backends/worker_host.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>

#include "backends/shared_arena.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {

namespace {

using nlohmann::json;

// The parent is gone: nobody is left to tell.
struct ParentGone {};

void read_all(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = read(protocol::kSocketFd, bytes.data(), bytes.size());
    if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) throw ParentGone{};
  }
}

void write_all(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = write(protocol::kSocketFd, bytes.data(), bytes.size());
    if (sent > 0) bytes = bytes.subspan(static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EINTR) throw ParentGone{};
  }
}

class Host {
 public:
  explicit Host(Worker& worker) : worker_(worker) { fcntl(protocol::kSocketFd, F_SETFD, FD_CLOEXEC); }

  /// False where it was asked to stop.
  bool serve_one() {
    std::array<std::byte, protocol::kHeaderBytes> raw;
    read_all(raw);
    const protocol::Header header = decoded(raw);
    text_.resize(header.json_bytes);
    read_all(std::as_writable_bytes(std::span(text_)));
    read_all(std::span(inline_request_).first(header.inline_bytes));  // no more than kInlineLimit, or `decoded` refused it
    payload_ = inline_request_.data();
    const json request = protocol::parse_object(text_);
    const std::string kind = request.at("request").get<std::string>();
    answer_bytes_ = 0;
    json answer;
    try {
      if (header.arena_bytes != 0) {
        if (!request_arena_.map_at_least(header.arena_bytes)) {
          refuse(Code::WorkerOutOfMemory, "the request's arena cannot be mapped");
        }
        payload_ = request_arena_.data();
      }
      answer = answer_to(kind, request);
    } catch (const std::bad_alloc&) {
      answer = protocol::error_json(info(Code::WorkerOutOfMemory).name, "an allocation failed");
      answer_bytes_ = 0;
    } catch (const Refused& refusal) {
      answer = protocol::error_json(info(refusal.diagnostic().code).name, refusal.diagnostic().reason);
      answer_bytes_ = 0;
    } catch (const std::exception& error) {
      answer = protocol::error_json(info(Code::WorkerRefused).name, error.what());
      answer_bytes_ = 0;
    }
    send(header.id, answer);
    return kind != "shutdown";
  }

 private:
  // Asked in another version, a worker says which it speaks: a frame of its own, which the parent refuses by that.
  static protocol::Header decoded(std::span<const std::byte, protocol::kHeaderBytes> raw) {
    try {
      return protocol::decode(raw);
    } catch (const Refused& refusal) {
      if (refusal.diagnostic().code == Code::WorkerVersion) {
        std::array<std::byte, protocol::kHeaderBytes> own;
        protocol::encode({}, own);
        write_all(own);
      }
      throw;
    }
  }

  json answer_to(const std::string& kind, const json& request) {
    static const json plain = {{"ok", true}};
    if (kind == "ping" || kind == "shutdown") return plain;
    if (kind == "release") {
      worker_.release();
      return plain;
    }
    if (kind == "hello") {
      const protocol::Hello hello =
          worker_.hello(request.at("device").get<std::string>(), request.at("options").get<std::map<std::string, std::string>>());
      align_ = hello.align;
      return protocol::to_json(hello);
    }
    WorkerCall call;
    call.operands = protocol::tensors_from_json(request.at("operands"));
    const std::size_t align = protocol::alignment_from_json(request);
    if (align != protocol::kTensorAlignment && !align_)
      refuse(Code::BackendLacksForm, fmt::format("align={}: it did not say that it takes it", align));
    const protocol::Layout given = protocol::layout_of(call.operands, align);
    for (const std::size_t offset : given.offsets) call.operand_data.push_back(payload_ + offset);
    call.results = kind == "echo" ? call.operands : protocol::tensors_from_json(request.at("results"));
    const protocol::Layout wanted = protocol::layout_of(call.results);
    std::byte* room = answer_room(wanted.total);
    for (const std::size_t offset : wanted.offsets) call.result_data.push_back(room + offset);
    if (kind == "echo") {
      if (wanted.total != 0) std::memcpy(room, payload_, wanted.total);
      return {{"ok", true}, {"results", request.at("operands")}};
    }
    call.repeat = request.at("repeat").get<int>();
    call.warmup = request.at("warmup").get<int>();
    protocol::Report report;
    WorkerReport ran;
    if (kind == "call_operator") {
      call.op = request.at("operator").get<std::string>();
      call.attributes = request.at("attributes").get<std::map<std::string, std::string>>();
      ran = worker_.call_operator(call);
    } else if (kind == "run_stablehlo") {
      call.module = request.at("module").get<std::string>();
      ran = worker_.run_stablehlo(call);
    } else {
      refuse(Code::WorkerRefused, fmt::format("unknown request `{}`", kind));
    }
    std::size_t moved = wanted.total;
    for (const std::size_t size : given.sizes) moved += size;
    return protocol::to_json(protocol::Report{call.results, ran.run_ms, ran.compile_ms, peak_rss_bytes(),
                                              static_cast<std::int64_t>(moved), ran.tag, ran.kernel, ran.repeats_agree});
  }

  std::byte* answer_room(std::size_t bytes) {
    answer_bytes_ = bytes;
    if (bytes > protocol::kInlineLimit) {
      if (!answer_arena_.map_at_least(bytes)) refuse(Code::WorkerOutOfMemory, "the answer's arena cannot be mapped");
      return answer_arena_.data();
    }
    inline_answer_.assign(bytes, std::byte{0});  // zeroes the gaps between tensors, too
    return inline_answer_.data();
  }

  void send(std::uint64_t id, const json& answer) {
    const std::string text = answer.dump(-1, ' ', false, json::error_handler_t::replace);
    protocol::Header header;
    header.id = id;
    header.json_bytes = static_cast<std::uint32_t>(text.size());
    (answer_bytes_ > protocol::kInlineLimit ? header.arena_bytes : header.inline_bytes) = answer_bytes_;
    outgoing_.resize(protocol::kHeaderBytes + text.size() + header.inline_bytes);
    protocol::encode(header, std::span<std::byte, protocol::kHeaderBytes>(outgoing_.data(), protocol::kHeaderBytes));
    std::memcpy(outgoing_.data() + protocol::kHeaderBytes, text.data(), text.size());
    if (header.inline_bytes != 0) {
      std::memcpy(outgoing_.data() + protocol::kHeaderBytes + text.size(), inline_answer_.data(), header.inline_bytes);
    }
    write_all(outgoing_);
  }

  Worker& worker_;
  SharedArena request_arena_ = SharedArena::adopt(protocol::kRequestArenaFd);
  SharedArena answer_arena_ = SharedArena::adopt(protocol::kAnswerArenaFd);
  std::string text_;
  // Small tensors begin at the same addresses modulo 64 as those in the arena, which is a page's.
  alignas(protocol::kTensorAlignment) std::array<std::byte, protocol::kInlineLimit> inline_request_;
  std::vector<std::byte> inline_answer_, outgoing_;
  bool align_ = false;  ///< what it said of itself
  const std::byte* payload_ = nullptr;
  std::size_t answer_bytes_ = 0;
};

}  // namespace

WorkerReport Worker::call_operator(const WorkerCall&) { refuse(Code::BackendLacksForm, "it takes no operator calls"); }
WorkerReport Worker::run_stablehlo(const WorkerCall&) { refuse(Code::BackendLacksForm, "it takes no StableHLO modules"); }

int serve(Worker& worker) {
  if (fcntl(protocol::kSocketFd, F_GETFD) < 0) {
    fmt::print(stderr, "this program is a worker: Bitpact starts it (docs/protocol.md)\n");
    return 2;
  }
  try {
    Host host(worker);
    while (host.serve_one()) {
    }
    return 0;
  } catch (const ParentGone&) {
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

WorkerReport timed_runs(const WorkerCall& call, const std::function<void()>& run,
                        const std::function<void(std::span<std::byte* const>)>& read) {
  using clock = std::chrono::steady_clock;
  WorkerReport report;
  for (int i = 0; i < call.warmup; ++i) run();
  const protocol::Layout layout = protocol::layout_of(call.results);
  std::vector<std::byte> first(call.repeat > 1 ? layout.total : 0);
  for (int i = 0; i < call.repeat; ++i) {
    const auto begin = clock::now();
    run();
    report.run_ms.push_back(std::chrono::duration<double, std::milli>(clock::now() - begin).count());
    read(call.result_data);
    for (std::size_t r = 0; call.repeat > 1 && r < layout.sizes.size(); ++r) {
      if (layout.sizes[r] == 0) continue;
      std::byte* kept = first.data() + layout.offsets[r];
      if (i == 0) std::memcpy(kept, call.result_data[r], layout.sizes[r]);
      report.repeats_agree = report.repeats_agree && std::memcmp(kept, call.result_data[r], layout.sizes[r]) == 0;
    }
  }
  return report;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::int64_t peak_rss_bytes() {
#ifdef __linux__
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoll(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return 0;
#else
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;  // bytes on macOS
#endif
}

}  // namespace bitpact
