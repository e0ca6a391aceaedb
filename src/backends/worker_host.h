// The worker's side of the protocol in C++. A worker is a class and `return bitpact::serve(worker);`.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "backends/protocol.h"

namespace bitpact {

/// What a worker is asked to run. Operand bytes are read-only by convention and valid until the answer is given.
struct WorkerCall {
  std::string op;                                 ///< canonical name; empty for a module
  std::map<std::string, std::string> attributes;  ///< those that are not at their defaults
  std::string module;                             ///< StableHLO text; empty for an operator
  std::vector<OperandSpec> operands;
  /// Row-major. Each begins at a multiple of 64 bytes; where the worker's `hello` states `align` and the request has it, so many
  /// bytes further.
  std::vector<const std::byte*> operand_data;
  std::vector<OperandSpec> results;
  std::vector<std::byte*> result_data;  ///< to be filled
  int repeat = 1;
  int warmup = 0;
};

/// What it says about a run; the results' bytes are in `result_data`.
struct WorkerReport {
  std::vector<double> run_ms;
  double compile_ms = 0;
  std::string tag;
  std::string kernel = "unobserved";
  bool repeats_agree = true;
};

class Worker {
 public:
  virtual ~Worker() = default;
  /// Throws Refused (`backend-option`, `backend-absent`) where it cannot be what is asked.
  virtual protocol::Hello hello(const std::string& device, const std::map<std::string, std::string>& options) = 0;
  /// Throw Refused with one of the codes a worker may state (docs/protocol.md). Any other exception becomes `worker-refused`.
  virtual WorkerReport call_operator(const WorkerCall& call);
  virtual WorkerReport run_stablehlo(const WorkerCall& call);
  virtual void release() {}
};

/// Answers requests until the parent goes or asks it to stop; the value to return from main.
int serve(Worker& worker);

/// Runs `run` warmup + repeat times, times the repeats, and after each calls `read`, which writes the results to where it is
/// told; compares every repeat's bytes with the first's.
WorkerReport timed_runs(const WorkerCall& call, const std::function<void()>& run,
                        const std::function<void(std::span<std::byte* const>)>& read);

/// Of at least one value; the mean of the middle two where their number is even.
double median(std::vector<double> values);

/// Peak resident memory of this process. (On Linux not getrusage's, which a process inherits from what started it.)
std::int64_t peak_rss_bytes();

}  // namespace bitpact
