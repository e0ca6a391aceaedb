// A backend: something that runs operators. It says in which ways it can be asked.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "operators/problem.h"
#include "tensor/tensor.h"

namespace bitpact {

/// "iree[opt=O2,threads=1]", "mlx", "native", "worker:./mine".
struct BackendSpec {
  std::string name;                            ///< "iree"
  std::string device;                          ///< "" or what follows ':' ("gpu"); for worker: the command
  std::map<std::string, std::string> options;  ///< what stands in brackets
  bool operator==(const BackendSpec&) const = default;
};
BackendSpec parse_backend(std::string_view text);  ///< refuses `usage`
std::string to_text(const BackendSpec& spec);

struct Ways {
  bool operator_call = false;    ///< the runtime's own operator
  bool stablehlo = false;        ///< a StableHLO module
  bool numeric_program = false;  ///< a numeric program, node by node
};

struct RunOptions {
  int repeat = 1;  ///< invocations; results are the last one's, each run's bits are compared with the first's
  int warmup = 0;  ///< invocations before, not timed
  /// Of run_stablehlo: the operands' addresses modulo 64, as operators/alignment.h has them. A backend that cannot lay them out
  /// so refuses `backend-lacks-form`. Of call_operator the problem says it.
  int align = 64;
};

struct Cost {
  double compile_ms = 0;
  double run_ms = 0;  ///< median over the repeats, operands already on the device
  std::int64_t transfer_bytes = 0;
  std::int64_t peak_rss_bytes = 0;  ///< of the worker
};

struct Answer {
  std::vector<Tensor> results;
  Cost cost;
  std::string tag;  ///< what really ran: "mlx.matmul", "iree.module@main", "native.interpret"
  std::string kernel = "unobserved";
  bool repeats_agree = true;  ///< every repeat gave the same bits
};

/// Result formats and shapes a request expects; an answer of another shape or format is refused
/// `worker-wrong-result`.
using ResultSpecs = std::vector<OperandSpec>;

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const BackendSpec& spec() const = 0;
  virtual const Identity& identity() const = 0;
  virtual Ways ways() const = 0;
  virtual Answer call_operator(const Problem& problem, const ResultSpecs& results, std::span<const Tensor> operands,
                               const RunOptions& options);
  /// `module` is StableHLO text with one public function @main. Compiles (the compiled form is cached by text), then invokes.
  virtual Answer run_stablehlo(const std::string& module, const ResultSpecs& results, std::span<const Tensor> operands,
                               const RunOptions& options);
  virtual Answer run_program(const BoundProgram& program, std::span<const Tensor> operands, const RunOptions& options);
};

struct BackendSettings {
  double timeout_seconds = 120;        ///< for one request
  double start_timeout_seconds = 120;  ///< for starting a worker, until it has introduced itself
  /// Private memory of one worker: heap, anonymous mappings, stacks; not its code, not the tensors in shared memory. 0: no limit.
  std::int64_t worker_memory_bytes = 0;
  /// What one request may make it write to stdout and stderr, and what its answer may have beside the tensors.
  std::int64_t worker_output_bytes = 16 << 20;
  std::string worker_directory;  ///< where the workers are; empty: found beside the program
};

/// Refuses `unknown-backend`, `backend-option`, `backend-absent` (with the reason).
std::unique_ptr<Backend> open_backend(const BackendSpec& spec, const BackendSettings& settings = {});

/// One row of `bitpact backends`.
struct BackendKind {
  std::string name;
  std::string summary;
  std::vector<std::string> options;       ///< "target-cpu=NAME: ..." in words
  std::vector<std::string> unverified{};  ///< devices that it is written for and was never run on
};
const std::vector<BackendKind>& backend_kinds();

}  // namespace bitpact
