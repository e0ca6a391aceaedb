#include "interpret/widen.h"

#include <algorithm>

namespace bitpact {
namespace {

bool is_plain_convert_to_f32(const Instruction& i) {
  return i.op == ScalarOp::Convert && i.format == Format::F32 && i.policy == Policy{};
}

/// An operation on an exactly widened operand is the operation on the operand.
bool computes_f32(const Instruction& i) { return info(i.op).rounds && i.format == Format::F32 && i.policy == Policy{}; }

}  // namespace

std::optional<ScalarBody> with_widened_argument(const ScalarBody& body, size_t argument) {
  const auto wide = static_cast<int>(argument);
  if (body.arguments[argument] != Format::BF16 && body.arguments[argument] != Format::F16) return std::nullopt;
  if (std::find(body.results.begin(), body.results.end(), wide) != body.results.end()) return std::nullopt;
  ScalarBody out;
  out.arguments = body.arguments;
  out.arguments[argument] = Format::F32;
  std::vector<int> value_of;  // by value of `body`
  for (size_t a = 0; a < body.arguments.size(); ++a) value_of.push_back(static_cast<int>(a));
  for (const Instruction& i : body.code) {
    const bool reads = std::find(i.args.begin(), i.args.end(), wide) != i.args.end();
    if (reads && is_plain_convert_to_f32(i)) {
      value_of.push_back(wide);
      continue;
    }
    if (reads && !computes_f32(i)) return std::nullopt;
    out.code.push_back(i);
    for (int& a : out.code.back().args)
      if (a >= 0) a = value_of[static_cast<size_t>(a)];
    value_of.push_back(static_cast<int>(out.arguments.size() + out.code.size()) - 1);
  }
  for (int r : body.results) out.results.push_back(value_of[static_cast<size_t>(r)]);
  return out;
}

Tensor widened_to_f32(const Tensor& narrow, const KernelSet& kernels) {
  Tensor wide(Format::F32, narrow.shape());
  Instruction convert;
  convert.op = ScalarOp::Convert;
  convert.format = Format::F32;
  const std::array formats{narrow.format()};
  KernelCall call;
  call.out = wide.mutable_bytes();
  call.in[0] = narrow.bytes();
  call.lanes = narrow.size();
  kernels.find(convert, formats, 0)(call);
  return wide;
}

}  // namespace bitpact
