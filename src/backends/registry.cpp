// The backends by name: a runtime is added with one row here and one worker.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "backends/backend.h"
#include "backends/locate.h"
#include "backends/native.h"
#include "backends/worker_backend.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {

namespace {

struct OptionRule {
  std::string name;
  std::string words;                  ///< after "name="
  std::vector<std::string> values{};  ///< empty: any, the worker judges
};

struct Row {
  BackendKind kind;
  std::vector<std::string> devices;  ///< "" among them where none need be given
  std::vector<OptionRule> options;
  std::function<std::unique_ptr<Backend>(const BackendSpec&, const BackendSettings&)> open;
};

WorkerCommand python_host(const std::string& adapter) {
  const std::string bindings = locate_bindings();
  // IREE_PY_RUNTIME_FLAGS would change the runtime behind the identity's back.
  // -P: the folder of host.py is not put on the path, nor is the user's current one.
  return {{locate_python(), "-P", bindings + "/python/host.py", adapter},
          {{"PYTHONDONTWRITEBYTECODE", "1"}, {"IREE_PY_RUNTIME_FLAGS", ""}}};
}

std::unique_ptr<Backend> open_custom(const BackendSpec& spec, const BackendSettings& settings) {
  if (spec.device.empty()) refuse(Code::Usage, "`worker` needs a command: worker:./mine", {"", to_text(spec), ""});
  // Python workers find bitpact_worker.py without being told where it is.
  std::string path = locate_bindings() + "/python";
  if (const char* given = std::getenv("PYTHONPATH"); given != nullptr && *given != '\0') path += std::string(":") + given;
  return std::make_unique<WorkerBackend>(spec, WorkerCommand{split_words(spec.device), {{"PYTHONPATH", path}}}, settings);
}

std::vector<Row> make_rows() {
  std::vector<Row> rows;
  rows.push_back({{"native", "numeric programs, run bit for bit by the interpreter in this process", {}},
                  {"", "cpu"},
                  {},
                  [](const BackendSpec& spec, const BackendSettings&) { return std::make_unique<NativeBackend>(spec); }});
  rows.push_back({{"mlx", "MLX's own operators; `mlx` is its CPU, `mlx:gpu` its GPU", {}, {"gpu"}},
                  {"", "cpu", "gpu"},
                  {},
                  [](const BackendSpec& spec, const BackendSettings& settings) {
                    return std::make_unique<WorkerBackend>(
                        spec, WorkerCommand{{locate_worker("bitpact-worker-mlx", settings, BITPACT_MLX_REASON)}, {}}, settings);
                  }});
  rows.push_back({{"iree", "StableHLO modules, compiled by IREE for llvm-cpu; `iree:cuda` for a CUDA device", {}, {"cuda"}},
                  {"", "cpu", "cuda"},
                  {{"opt", "O0..O3: --iree-opt-level; the compiler's default unless given", {"O0", "O1", "O2", "O3"}},
                   {"target-cpu", "NAME: LLVM's name of the CPU; this machine's, resolved, unless given"},
                   {"features", "+A;-B: CPU features added and taken away, separated by ';'"},
                   {"driver", "local-sync|local-task: local-sync unless given", {"local-sync", "local-task"}},
                   {"threads", "N: workers of local-task; 1 unless given"},
                   {"cuda-target", "sm_NN: --iree-cuda-target, of cuda; the device's own unless given"},
                   {"demote-f64", "true|false: --iree-input-demote-f64-to-f32; true unless given", {"true", "false"}}},
                  [](const BackendSpec& spec, const BackendSettings& settings) {
                    return std::make_unique<WorkerBackend>(spec, python_host("iree"), settings);
                  }});
  rows.push_back(
      {{"xla",
        "what a JAX user runs under jit, and StableHLO modules, by XLA; `xla` is its CPU, `xla:gpu` a CUDA device",
        {},
        {"gpu"}},
       {"", "cpu", "gpu"},
       {{"threads", "N: size of XLA's thread pool; the processors of this process unless given"},
        {"fast-math", "true|false: --xla_cpu_enable_fast_math; XLA's default unless given", {"true", "false"}},
        {"excess-precision", "true|false: --xla_allow_excess_precision; XLA's default unless given", {"true", "false"}},
        {"fast-min-max", "true|false: --xla_cpu_enable_fast_min_max; XLA's default unless given", {"true", "false"}},
        {"ynn", "true|false: whether dot and reduce may go to YNNPACK; XLA's default unless given", {"true", "false"}},
        {"max-isa",
         "NAME: --xla_cpu_max_isa, the widest instructions used (AVX has no FMA)",
         {"SSE4_2", "AVX", "AVX2", "AVX512", "AVX512_VNNI", "AVX512_BF16", "AMX", "AMX_FP16"}},
        {"opt", "0..3: --xla_backend_optimization_level", {"0", "1", "2", "3"}},
        {"precision", "default|high|highest: jax_default_matmul_precision, of operator calls", {"default", "high", "highest"}}},
       [](const BackendSpec& spec, const BackendSettings& settings) {
         return std::make_unique<WorkerBackend>(spec, python_host("xla"), settings);
       }});
  rows.push_back(
      {{"onnxruntime",
        "operators as small ONNX models; `onnxruntime` is its CPU provider, `onnxruntime:cuda` the CUDA one",
        {},
        {"cuda"}},
       {"", "cpu", "cuda"},
       {{"threads", "N: intra-op threads; the processors of this process unless given"},
        {"optimization", "none|basic|extended|all: of the graph; all unless given", {"none", "basic", "extended", "all"}},
        {"accuracy_level", "0..4: of MatMulNBits", {"0", "1", "2", "3", "4"}},
        {"denormal-as-zero", "true|false: session.set_denormal_as_zero", {"true", "false"}},
        {"tf32", "true|false: use_tf32, of cuda; true unless given", {"true", "false"}}},
       [](const BackendSpec& spec, const BackendSettings& settings) {
         return std::make_unique<WorkerBackend>(spec, python_host("onnxruntime"), settings);
       }});
  rows.push_back({{"numpy", "NumPy's own functions, on the BLAS that its wheel brings", {}},
                  {"", "cpu"},
                  {{"threads", "N: of BLAS; the processors of this process unless given"},
                   {"core", "NAME: the processor that OpenBLAS chooses its kernels for; this one unless given"},
                   {"disable-features", "A;B: NPY_DISABLE_CPU_FEATURES, sets of instructions that NumPy does not use"}},
                  [](const BackendSpec& spec, const BackendSettings& settings) {
                    return std::make_unique<WorkerBackend>(spec, python_host("numpy"), settings);
                  }});
  rows.push_back(
      {{"worker", "anyone's own worker process: worker:COMMAND (docs/protocol.md)", {"NAME=VALUE: handed to the worker"}},
       {},
       {},
       open_custom});
  for (Row& row : rows) {
    if (row.kind.name != "native") row.options.push_back({"version", "V: refused where the runtime has another version"});
    for (const OptionRule& rule : row.options) row.kind.options.push_back(rule.name + "=" + rule.words);
  }
  return rows;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> table = make_rows();
  return table;
}

std::string joined(const std::vector<std::string>& texts) { return fmt::format("{}", fmt::join(texts, ", ")); }

void check_options(const Row& row, const BackendSpec& spec) {
  if (row.kind.name == "worker") return;  // the worker judges them
  const Where where{"", to_text(spec), ""};
  if (std::find(row.devices.begin(), row.devices.end(), spec.device) == row.devices.end()) {
    refuse(Code::BackendOption, fmt::format("`{}` has no device `{}`", spec.name, spec.device), where);
  }
  for (const auto& [name, value] : spec.options) {
    const auto rule =
        std::find_if(row.options.begin(), row.options.end(), [&key = name](const OptionRule& r) { return r.name == key; });
    if (rule == row.options.end()) refuse(Code::BackendOption, fmt::format("`{}` has no option `{}`", spec.name, name), where);
    if (!rule->values.empty() && std::find(rule->values.begin(), rule->values.end(), value) == rule->values.end()) {
      refuse(Code::BackendOption, fmt::format("{}={}: one of {} expected", name, value, joined(rule->values)), where);
    }
  }
}

}  // namespace

std::unique_ptr<Backend> open_backend(const BackendSpec& spec, const BackendSettings& settings) {
  const auto row = std::find_if(rows().begin(), rows().end(), [&](const Row& r) { return r.kind.name == spec.name; });
  if (row == rows().end()) {
    std::vector<std::string> names;
    for (const Row& known : rows()) names.push_back(known.kind.name);
    refuse(Code::UnknownBackend, fmt::format("`{}`; known are {}", spec.name, joined(names)), {"", to_text(spec), ""});
  }
  check_options(*row, spec);
  try {
    return row->open(spec, settings);
  } catch (const Refused& refusal) {
    throw refusal.at({"", to_text(spec), ""});
  }
}

const std::vector<BackendKind>& backend_kinds() {
  static const std::vector<BackendKind> kinds = [] {
    std::vector<BackendKind> list;
    for (const Row& row : rows()) list.push_back(row.kind);
    return list;
  }();
  return kinds;
}

}  // namespace bitpact
