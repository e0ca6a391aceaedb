// A backend that is a worker process.
#pragma once

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "backends/backend.h"
#include "backends/worker_process.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {

class WorkerBackend : public Backend {
 public:
  /// Starts the worker and lets it introduce itself. Refuses `backend-absent`, `backend-option`, and every `worker-...` code.
  /// The option `version` is not the worker's: it pins the version that the identity must have.
  WorkerBackend(BackendSpec spec, WorkerCommand command, BackendSettings settings);

  const BackendSpec& spec() const override { return spec_; }
  const Identity& identity() const override { return hello_.identity; }
  Ways ways() const override { return hello_.ways; }
  Answer call_operator(const Problem& problem, const ResultSpecs& results, std::span<const Tensor> operands,
                       const RunOptions& options) override;
  Answer run_stablehlo(const std::string& module, const ResultSpecs& results, std::span<const Tensor> operands,
                       const RunOptions& options) override;

  /// An empty request and its answer.
  void ping();
  /// Sends a tensor there and back.
  Tensor echo(const Tensor& tensor);
  /// The same with bytes that lie where the caller keeps them; for measuring the transport alone.
  void echo_into(const Tensor& tensor, Tensor& out);
  /// Lets the worker drop what it keeps: compiled modules, buffers.
  void release();

  /// What the worker calls itself.
  const std::string& worker_name() const { return hello_.name; }
  pid_t pid() const { return process_ ? process_->pid() : -1; }

 private:
  /// One request in a process that is running; on a refusal that leaves the process in an unknown state, it is ended.
  template <typename Work>
  auto with_process(const Where& where, const Work& work);
  void start();
  WorkerFrame exchange(WorkerProcess& process, const nlohmann::json& request);
  Answer ask(nlohmann::json request, const Where& where, const ResultSpecs& results, std::span<const Tensor> operands,
             const RunOptions& options);

  BackendSpec spec_;
  WorkerCommand command_;
  BackendSettings settings_;
  std::map<std::string, std::string> options_;  ///< the worker's
  std::optional<std::string> pinned_version_;
  std::string keeper_;
  protocol::Hello hello_;
  bool introduced_ = false;
  std::unique_ptr<WorkerProcess> process_;
  std::mutex mutex_;  ///< one request at a time
};

}  // namespace bitpact
