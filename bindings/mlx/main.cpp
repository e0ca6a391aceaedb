// The worker of the `mlx` backend: MLX's own operators, called as its users call them.
#include <fmt/format.h>
#include <mlx/mlx.h>
#include <mlx/version.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "backends/worker_host.h"
#include "diagnostic/diagnostic.h"
#include "identity.h"
#include "operators.h"

namespace bitpact::mlx_worker {

mx::Dtype dtype_of(Format format) {
  switch (format) {
    case Format::F64:
      return mx::float64;
    case Format::F32:
      return mx::float32;
    case Format::BF16:
      return mx::bfloat16;
    case Format::F16:
      return mx::float16;
    case Format::I64:
      return mx::int64;
    case Format::I32:
      return mx::int32;
    case Format::I16:
      return mx::int16;
    case Format::I8:
      return mx::int8;
    case Format::UI64:
      return mx::uint64;
    case Format::UI32:
      return mx::uint32;
    case Format::UI16:
      return mx::uint16;
    case Format::UI8:
      return mx::uint8;
    case Format::I1:
      return mx::bool_;
    default:
      break;
  }
  refuse(Code::BackendLacksFormat, fmt::format("MLX has no format {}", name(format)));
}

namespace {

mx::Shape shape_of(const OperandSpec& tensor) {
  mx::Shape shape;
  for (const std::int64_t extent : tensor.shape) {
    if (extent > INT32_MAX) refuse(Code::WorkerRefused, fmt::format("MLX's extents end at 2^31 - 1, {} is asked for", extent));
    shape.push_back(static_cast<mx::ShapeElem>(extent));
  }
  return shape;
}

mx::array copied(const OperandSpec& tensor, const std::byte* bytes) {
  const std::size_t size = static_cast<std::size_t>(element_count(tensor.shape)) * info(tensor.format).storage_bytes;
  mx::allocator::Data data = mx::allocator::malloc(size);
  if (size != 0) std::memcpy(data.buffer().raw_ptr(), bytes, size);
  return mx::array(std::move(data), shape_of(tensor), dtype_of(tensor.format));
}

class MlxWorker : public Worker {
 public:
  MlxWorker() {
    add_matmul(table_);
    add_elementwise(table_);
    add_functions(table_);
    add_rearrangements(table_);
    add_reductions(table_);
  }

  protocol::Hello hello(const std::string& device, const std::map<std::string, std::string>& options) override {
    if (!options.empty()) refuse(Code::BackendOption, fmt::format("`mlx` has no option `{}`", options.begin()->first));
    // The headers of one version with the library of another would call what is not there.
    const std::string built = fmt::format("{}.{}.{}", MLX_VERSION_MAJOR, MLX_VERSION_MINOR, MLX_VERSION_PATCH);
    if (const std::string here = mx::version(); here != built && !here.starts_with(built + ".")) {
      refuse(Code::WorkerVersion, fmt::format("MLX here is {}; this worker was built for {}", here, built));
    }
    const std::string name = device.empty() ? "cpu" : device;
    if (name != "cpu" && name != "gpu") refuse(Code::BackendOption, fmt::format("`mlx` has no device `{}`", name));
    const mx::Device chosen = name == "cpu" ? mx::Device::cpu : mx::Device::gpu;
    if (!mx::is_available(chosen)) {
      refuse(Code::BackendAbsent, fmt::format("this build of MLX ({}) has no {} device here", mx::version(), name));
    }
    mx::set_default_device(chosen);
    mx::disable_compile();
    return {"mlx", identity(name), {.operator_call = true}};
  }

  WorkerReport call_operator(const WorkerCall& call) override {
    const Entry& entry = entry_for(call);
    std::vector<mx::array> operands;
    for (std::size_t i = 0; i < call.operands.size(); ++i) operands.push_back(copied(call.operands[i], call.operand_data[i]));
    mx::eval(operands);
    std::optional<mx::array> result;
    const auto run = [&] {
      // A new graph each time: MLX keeps the value of one that is evaluated.
      result = entry.build(call, operands);
      check_result(call, *result);
      mx::eval(*result);
    };
    const auto read = [&](std::span<std::byte* const> out) {
      const mx::array plain = mx::contiguous(*result);
      mx::eval(plain);
      if (plain.nbytes() != 0) std::memcpy(out[0], plain.data<std::uint8_t>(), plain.nbytes());
    };
    WorkerReport report = timed_runs(call, run, read);
    report.tag = entry.tag;
    return report;
  }

  void release() override { mx::clear_cache(); }

 private:
  const Entry& entry_for(const WorkerCall& call) const {
    const auto found = table_.find(call.op);
    if (found == table_.end()) refuse(Code::BackendLacksOperator, fmt::format("MLX's worker has no `{}`", call.op));
    const Entry& entry = found->second;
    if (call.operands.size() != entry.operands || call.results.size() != 1) {
      refuse(Code::WorkerRefused, fmt::format("`{}` takes {} operands and gives one result", call.op, entry.operands));
    }
    for (const OperandSpec& operand : call.operands) {
      if (entry.float_only && !is_float(operand.format)) {
        refuse(Code::BackendLacksFormat, fmt::format("MLX's {} takes no {}", call.op, name(operand.format)));
      }
    }
    return entry;
  }

  // What MLX gives is never converted into what was asked for.
  static void check_result(const WorkerCall& call, const mx::array& result) {
    const OperandSpec& wanted = call.results.front();
    if (result.dtype() != dtype_of(wanted.format)) {
      refuse(Code::BackendLacksFormat, fmt::format("MLX's {} of these operands does not give {}", call.op, name(wanted.format)));
    }
    if (result.shape() != shape_of(wanted)) refuse(Code::WorkerRefused, "MLX gives a result of another shape");
  }

  Table table_;
};

}  // namespace

}  // namespace bitpact::mlx_worker

int main() {
  bitpact::mlx_worker::MlxWorker worker;
  return bitpact::serve(worker);
}
