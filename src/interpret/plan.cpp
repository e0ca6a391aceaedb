#include "interpret/plan.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace bitpact {

// 128 bytes on top, so that neighbouring buffers do not share their low twelve address bits: a store to one would hold up loads
// from the other.
LaneBuffer::LaneBuffer(std::int64_t lanes)
    : data_(::operator new (static_cast<size_t>((lanes * 8 + 127) / 64 * 64 + 128), std::align_val_t{64})) {}
void LaneBuffer::Free::operator()(void* at) const { ::operator delete (at, std::align_val_t{64}); }

namespace {

void copy_kernel(const KernelCall& call) {
  std::memcpy(call.out, call.in[0], static_cast<size_t>(call.lanes * info(call.formats[0]).storage_bytes));
}
void broadcast_kernel(const KernelCall& call) {
  broadcast(call.out, call.in[0], info(call.formats[0]).storage_bytes, call.lanes);
}
void no_kernel(const KernelCall&) {}

bool widens_exactly(Format from, Format to) {
  const FormatInfo& a = info(from);
  const FormatInfo& b = info(to);
  return is_float(from) && is_float(to) && a.mantissa_bits <= b.mantissa_bits && a.exponent_bits <= b.exponent_bits;
}

}  // namespace

Plan::Plan(const ScalarBody& body, const std::vector<bool>& uniform, const KernelSet& kernels, std::int64_t most_lanes,
           bool watched)
    : body_(body), kernels_(kernels), watched_(watched) {
  constants_.reserve(body_.code.size());
  own_instructions_.reserve(body_.code.size() * 3 + 1);
  for (size_t a = 0; a < body_.arguments.size(); ++a) new_value(body_.arguments[a], uniform[a], false);
  for (const Instruction& i : body_.code) new_value(i.format, false, true);
  compile();
  hand_out_results();
  assign_buffers(most_lanes);
  find_chain_form();
}

int Plan::new_value(Format format, bool uniform, bool temporary) {
  values_.push_back({format, uniform, temporary});
  return static_cast<int>(values_.size()) - 1;
}

std::vector<int> Plan::uses() const {
  std::vector<int> count(values_.size(), 0);
  for (const Instruction& i : body_.code)
    for (int a : i.args)
      if (a >= 0) ++count[static_cast<size_t>(a)];
  for (int r : body_.results) ++count[static_cast<size_t>(r)];
  return count;
}

void Plan::compile() {
  const auto arguments = static_cast<int>(body_.arguments.size());
  folded_into_.assign(body_.code.size(), -1);
  const std::vector<int> count = uses();
  // A plain product that only one plain sum reads is computed by the sum's kernel; both still round. Watching needs each by
  // itself.
  for (size_t c = 0; c < body_.code.size() && !watched_; ++c) {
    const Instruction& add = body_.code[c];
    if (add.op != ScalarOp::Add || add.policy != Policy{} || !kernels_.multiply_add(add.format, 0)) continue;
    for (int side : {0, 1}) {
      const int product = add.args[static_cast<size_t>(side)] - arguments;
      const int other = add.args[static_cast<size_t>(1 - side)];
      if (product < 0 || body_.format_of(other) != add.format) continue;
      const Instruction& multiply = body_.code[static_cast<size_t>(product)];
      const bool same = multiply.op == ScalarOp::Multiply && multiply.policy == Policy{} && multiply.format == add.format &&
                        widens_exactly(body_.format_of(multiply.args[0]), add.format) &&
                        widens_exactly(body_.format_of(multiply.args[1]), add.format);
      if (!same || count[static_cast<size_t>(product + arguments)] != 1) continue;
      folded_into_[static_cast<size_t>(product)] = static_cast<int>(c);
      break;
    }
  }
  for (size_t c = 0; c < body_.code.size(); ++c) {
    const Instruction& instruction = body_.code[c];
    const int out = arguments + static_cast<int>(c);
    if (folded_into_[c] >= 0) continue;
    if (instruction.op == ScalarOp::Add && emit_multiply_add(out, instruction)) continue;
    const int inputs = info(instruction.op).operands;
    emit(out, instruction, {instruction.args.begin(), instruction.args.begin() + inputs});
  }
}

bool Plan::emit_multiply_add(int out, const Instruction& add) {
  const auto arguments = static_cast<int>(body_.arguments.size());
  for (int side : {0, 1}) {
    const int product = add.args[static_cast<size_t>(side)] - arguments;
    if (product < 0 || folded_into_[static_cast<size_t>(product)] != out - arguments) continue;
    const Instruction& multiply = body_.code[static_cast<size_t>(product)];
    int a = widened(multiply.args[0], add.format), b = widened(multiply.args[1], add.format);
    int c = add.args[static_cast<size_t>(1 - side)];
    const auto is_uniform = [&](int v) { return values_[static_cast<size_t>(v)].uniform; };
    const bool all = is_uniform(a) && is_uniform(b) && is_uniform(c);
    if (!all && is_uniform(c)) c = spread(c);
    if (!all && is_uniform(a) && is_uniform(b)) b = spread(b);
    const unsigned mask = all ? 0U : (is_uniform(a) ? 1U : 0U) | (is_uniform(b) ? 2U : 0U);
    Step step;
    step.kernel = kernels_.multiply_add(add.format, mask);
    step.out = out;
    step.inputs = 3;
    step.in = {a, b, c};
    step.single = all;
    step.instruction = &add;
    step.uniform = mask;
    values_[static_cast<size_t>(out)].uniform = all;
    steps_.push_back(step);
    return true;
  }
  return false;
}

int Plan::widened(int value, Format format) {
  const Format from = values_[static_cast<size_t>(value)].format;
  if (from == format) return value;
  Instruction convert;
  convert.op = ScalarOp::Convert;
  convert.format = format;
  own_instructions_.push_back(convert);
  const int out = new_value(format, false, true);
  emit(out, own_instructions_.back(), {value});
  steps_.back().hidden = true;
  return out;
}

int Plan::spread(int value) {
  const Format format = values_[static_cast<size_t>(value)].format;
  Step step;
  step.kernel = broadcast_kernel;
  step.inputs = 1;
  step.in = {value, 0, 0};
  step.hidden = true;
  step.formats[0] = format;
  step.out = new_value(format, false, true);
  steps_.push_back(step);
  return step.out;
}

void Plan::emit(int out, const Instruction& instruction, std::vector<int> inputs) {
  if (instruction.op == ScalarOp::Constant) {
    constants_.push_back(instruction.immediate);  // little-endian: the low bytes come first
    values_[static_cast<size_t>(out)] = {instruction.format, true, false};
    Step step;
    step.kernel = no_kernel;
    step.out = out;
    step.single = true;
    step.instruction = &instruction;
    if (watched_) steps_.push_back(step);
    return;
  }
  auto formats_of = [&] {
    std::array<Format, 3> formats{};
    for (size_t a = 0; a < inputs.size(); ++a) formats[a] = values_[static_cast<size_t>(inputs[a])].format;
    return formats;
  };
  // An operation on exactly widened operands is the operation on the operands.
  const bool rounds = info(instruction.op).rounds && instruction.op != ScalarOp::Convert && is_float(instruction.format);
  const std::array<Format, 3> same{instruction.format, instruction.format, instruction.format};
  const bool can_widen =
      rounds && instruction.policy == Policy{} && kernels_.find(instruction, {same.data(), inputs.size()}, 0) &&
      std::all_of(inputs.begin(), inputs.end(),
                  [&](int v) { return widens_exactly(values_[static_cast<size_t>(v)].format, instruction.format); });
  if (can_widen)
    for (int& v : inputs) v = widened(v, instruction.format);
  auto mask_of = [&] {
    unsigned mask = 0;
    for (size_t a = 0; a < inputs.size(); ++a)
      if (values_[static_cast<size_t>(inputs[a])].uniform) mask |= 1U << a;
    return mask;
  };
  Step step;
  step.single = mask_of() == (1U << inputs.size()) - 1U;
  step.formats = formats_of();
  const std::span<const Format> formats{step.formats.data(), inputs.size()};
  step.uniform = step.single ? 0 : mask_of();
  step.kernel = kernels_.find(instruction, formats, step.uniform);
  if (!step.kernel && step.uniform != 0 && kernels_.find(instruction, formats, 0)) {
    for (int& v : inputs)
      if (values_[static_cast<size_t>(v)].uniform) v = spread(v);
    step.uniform = 0;
    step.kernel = kernels_.find(instruction, formats, 0);
  }
  if (!step.kernel) step.kernel = exact_kernel;
  step.out = out;
  step.inputs = static_cast<int>(inputs.size());
  std::copy(inputs.begin(), inputs.end(), step.in.begin());
  step.instruction = &instruction;
  values_[static_cast<size_t>(out)].uniform = step.single;
  steps_.push_back(step);
}

/// A result is written where the caller wants it by the step that computes it, if it can; else copied there.
void Plan::hand_out_results() {
  const auto arguments = static_cast<int>(body_.arguments.size());
  for (size_t r = 0; r < body_.results.size(); ++r) {
    const int value = body_.results[r];
    Value& v = values_[static_cast<size_t>(value)];
    if (value >= arguments && !v.uniform && v.temporary) {
      v.temporary = false;  // and so a second result of the same value is copied
      result_values_.push_back(value);
      continue;
    }
    Step step;
    step.kernel = v.uniform ? broadcast_kernel : copy_kernel;
    step.inputs = 1;
    step.in = {value, 0, 0};
    step.hidden = true;
    step.formats[0] = v.format;
    step.out = new_value(v.format, false, false);
    steps_.push_back(step);
    result_values_.push_back(step.out);
  }
}

void Plan::assign_buffers(std::int64_t most_lanes) {
  at_.assign(values_.size(), nullptr);
  size_t next_constant = 0;
  const size_t arguments = body_.arguments.size();
  for (size_t c = 0; c < body_.code.size(); ++c)
    if (body_.code[c].op == ScalarOp::Constant) at_[arguments + c] = &constants_[next_constant++];
  std::vector<size_t> last_use(values_.size(), 0);
  for (size_t s = 0; s < steps_.size(); ++s)
    for (int a = 0; a < steps_[s].inputs; ++a) last_use[static_cast<size_t>(steps_[s].in[static_cast<size_t>(a)])] = s;
  std::vector<void*> free;
  for (size_t s = 0; s < steps_.size(); ++s) {
    const auto out = static_cast<size_t>(steps_[s].out);
    if (values_[out].temporary && !at_[out]) {
      if (free.empty()) {
        buffers_.emplace_back(most_lanes);
        free.push_back(buffers_.back().get());
      }
      at_[out] = free.back();
      free.pop_back();
    }
    // After the output has its own, so that no kernel writes over what a watcher still reads.
    for (int a = 0; a < steps_[s].inputs; ++a) {
      const auto in = static_cast<size_t>(steps_[s].in[static_cast<size_t>(a)]);
      if (values_[in].temporary && last_use[in] == s && std::find(free.begin(), free.end(), at_[in]) == free.end())
        free.push_back(at_[in]);
    }
  }
}

void Plan::find_chain_form() {
  if (watched_ || steps_.size() != 1 || body_.results.size() != 1) return;
  const Step& step = steps_[0];
  if (step.single || step.inputs != 3 || step.in[2] != 0 || (step.uniform != 1 && step.uniform != 2)) return;
  if (step.out != result_values_[0] || step.kernel == exact_kernel) return;
  const ScalarOp op = step.instruction->op;
  if (op != ScalarOp::Add && op != ScalarOp::Fma) return;
  const ChainKernel kernel = kernels_.chain(step.instruction->format, op == ScalarOp::Fma, step.instruction->policy);
  if (!kernel) return;
  const auto first = static_cast<size_t>(step.in[0]), second = static_cast<size_t>(step.in[1]);
  const size_t arguments = body_.arguments.size();
  if (first == 0 || second == 0 || first >= arguments || second >= arguments) return;
  chain_ = step.uniform == 1 ? ChainForm{kernel, first, second} : ChainForm{kernel, second, first};
}

void Plan::run(std::int64_t lanes, LaneWatch* watch) const {
  KernelCall call;
  for (const Step& step : steps_) {
    call.out = at_[static_cast<size_t>(step.out)];
    for (size_t a = 0; a < 3; ++a) call.in[a] = at_[static_cast<size_t>(step.in[a])];
    call.lanes = step.single ? 1 : lanes;
    call.instruction = step.instruction;
    call.formats = step.formats;
    call.uniform = step.uniform;
    step.kernel(call);
    if (watch && !step.hidden) watch->observe(*step.instruction, call, step.single);
  }
}

}  // namespace bitpact
