#include <map>

#include "interpret/fold_job.h"
#include "interpret/parallel.h"
#include "interpret/plan.h"

namespace bitpact {
namespace {

/// One thread. The leaves are the outer loop, lanes the inner one.
class FoldWorker : public ChunkWorker {
 public:
  explicit FoldWorker(const FoldJob& job) : job_(job), formats_(job.fold.state_formats()), offsets_(job.operands.size()) {
    const std::int64_t lanes = job.chunks.lanes();
    for (size_t o = 0; o < offsets_.size(); ++o) gathered_.emplace_back(lanes);
    for (std::int32_t s = 0; s < job.schedule.slots; ++s) slots_.emplace_back(formats_.size(), lanes);
    const std::vector<bool> varying(formats_.size() * 2, false);
    if (!job.fold.merge.arguments.empty()) merge_ = make_plan(job.fold.merge, varying);
    finish_ = make_plan(job.fold.finish, std::vector<bool>(formats_.size(), false));
    scattered_.emplace_back(lanes);
  }

  void run(Chunk chunk) override {
    chunk_ = chunk;
    place();
    choose_plans();
    if (job_.settings.watch) watch_.reset(chunk.count);
    for (const ScheduleStep& step : job_.schedule.steps) {
      if (step.kind == ScheduleStep::Kind::Merge) {
        run_merge(step);
      } else {
        run_chain(step);
      }
    }
    if (!job_.prefixes()) emit(0);
  }

 private:
  /// A state for every lane, twice: bodies read one and write the other.
  struct Slot {
    Slot(size_t components, std::int64_t lanes) : made(components, false) {
      for (size_t c = 0; c < 2 * components; ++c) buffers.emplace_back(lanes);
      for (size_t c = 0; c < components; ++c) {
        front.push_back(buffers[c].get());
        back.push_back(buffers[components + c].get());
      }
    }
    std::vector<LaneBuffer> buffers;
    std::vector<void*> front, back;
    std::vector<bool> made;  ///< a component is an instruction's result or a start value (else an element handed on)
  };

  /// Plans that depend on which operands are the same for all lanes.
  struct LeafPlans {
    std::unique_ptr<Plan> begin, advance;
  };

  LaneWatch* watch() { return job_.settings.watch ? &watch_ : nullptr; }

  std::unique_ptr<Plan> make_plan(const ScalarBody& body, const std::vector<bool>& uniform) const {
    return std::make_unique<Plan>(body, uniform, *job_.settings.kernels, job_.chunks.lanes(), job_.settings.watch);
  }

  void place() {
    for (size_t o = 0; o < offsets_.size(); ++o) offsets_[o].place(job_.space, o, chunk_);
    result_.place(job_.space, offsets_.size(), chunk_);
  }

  void choose_plans() {
    std::vector<bool> uniform;
    for (const LaneOffsets& o : offsets_) uniform.push_back(o.mode == LaneOffsets::Mode::Uniform);
    auto [at, fresh] = plans_.try_emplace(uniform);
    leaf_ = &at->second;
    if (!fresh) return;
    if (job_.fold.start.first_leaf) leaf_->begin = make_plan(job_.begin, uniform);
    std::vector<bool> with_state(formats_.size(), false);
    with_state.insert(with_state.end(), uniform.begin(), uniform.end());
    leaf_->advance = make_plan(job_.advance, with_state);
  }

  /// One leaf's operands as arguments from `first` on.
  void set_operands(Plan& plan, size_t first, std::int64_t leaf) {
    for (size_t o = 0; o < offsets_.size(); ++o) {
      const NodeValue& operand = job_.operands[o];
      const int bytes = info(operand.value.format()).storage_bytes;
      const std::int64_t shift = job_.leaf_offsets[o].of(leaf);
      if (offsets_[o].mode == LaneOffsets::Mode::Scattered) {
        gather(gathered_[o].get(), operand.value.bytes(), bytes, offsets_[o].offsets, shift);
        plan.set_argument(first + o, gathered_[o].get());
      } else {
        plan.set_argument(first + o, operand.value.bytes() + (offsets_[o].start + shift) * bytes);
      }
      if (job_.settings.watch) inherit(watch_.flags, operand, offsets_[o], shift);
    }
  }

  /// Runs a body whose results are the slot's next state; its arguments are `made` as told.
  void run_into(Slot& slot, Plan& plan, const ScalarBody& body, const std::vector<bool>& arguments_made) {
    for (size_t c = 0; c < formats_.size(); ++c) plan.set_result(c, slot.back[c]);
    plan.run(chunk_.count, watch());
    std::swap(slot.front, slot.back);
    for (size_t c = 0; c < formats_.size() && job_.settings.watch; ++c) {
      const auto value = static_cast<size_t>(body.results[c]);
      slot.made[c] = value >= body.arguments.size() || (value < arguments_made.size() && arguments_made[value]);
    }
  }

  void start(Slot& slot, std::int64_t leaf) {
    if (leaf_->begin) {
      set_operands(*leaf_->begin, 0, leaf);
      run_into(slot, *leaf_->begin, job_.begin, {});
      return;
    }
    for (size_t c = 0; c < formats_.size(); ++c) {
      const Bits value = job_.fold.start.values[c];
      broadcast(slot.front[c], &value, info(formats_[c]).storage_bytes, chunk_.count);
      if (job_.settings.watch) watch_.observe_value(formats_[c], value);
      slot.made[c] = true;
    }
  }

  void advance(Slot& slot, std::int64_t leaf) {
    Plan& plan = *leaf_->advance;
    for (size_t c = 0; c < formats_.size(); ++c) plan.set_argument(c, slot.front[c]);
    set_operands(plan, formats_.size(), leaf);
    run_into(slot, plan, job_.advance, slot.made);
  }

  void run_chain(const ScheduleStep& step) {
    Slot& slot = slots_[static_cast<size_t>(step.slot)];
    const bool fresh = step.kind == ScheduleStep::Kind::Chain;
    if (fresh) start(slot, step.first);
    const std::int64_t begun = fresh && leaf_->begin ? 1 : 0;
    if (job_.prefixes()) {
      if (begun > 0) emit(step.first);
      for (std::int64_t i = begun; i < step.count; ++i) {
        advance(slot, step.first + i * step.stride);
        emit(step.first + i * step.stride);
      }
      return;
    }
    if (advance_in_registers(slot, step, begun)) return;
    for (std::int64_t i = begun; i < step.count; ++i) advance(slot, step.first + i * step.stride);
  }

  /// state + a * b, leaf after leaf, without storing the state in between.
  bool advance_in_registers(Slot& slot, const ScheduleStep& step, std::int64_t begun) {
    const auto& form = leaf_->advance->chain();
    if (!form) return false;
    const size_t a = form->a - formats_.size(), b = form->b - formats_.size();
    if (offsets_[b].mode != LaneOffsets::Mode::Contiguous || !job_.leaf_offsets[a].linear() || !job_.leaf_offsets[b].linear())
      return false;
    auto element = [&](size_t o, std::int64_t leaf) {
      const Tensor& tensor = job_.operands[o].value;
      return tensor.bytes() + (offsets_[o].start + job_.leaf_offsets[o].of(leaf)) * info(tensor.format()).storage_bytes;
    };
    const std::int64_t first = step.first + begun * step.stride;
    ChainCall call;
    call.out = slot.front[0];
    call.leaves = step.count - begun;
    call.lanes = chunk_.count;
    if (call.leaves == 0) return true;
    call.a = element(a, first);
    call.b = element(b, first);
    if (call.leaves > 1) {
      call.a_move = element(a, first + step.stride) - call.a;
      call.b_move = element(b, first + step.stride) - call.b;
    }
    form->kernel(call);
    return true;
  }

  void run_merge(const ScheduleStep& step) {
    Slot& slot = slots_[static_cast<size_t>(step.slot)];
    const Slot& other = slots_[static_cast<size_t>(step.other)];
    for (size_t c = 0; c < formats_.size(); ++c) {
      merge_->set_argument(c, slot.front[c]);
      merge_->set_argument(formats_.size() + c, other.front[c]);
    }
    std::vector<bool> made;
    if (job_.settings.watch) {
      made = slot.made;
      made.insert(made.end(), other.made.begin(), other.made.end());
    }
    run_into(slot, *merge_, job_.fold.merge, made);
  }

  /// The finished state of slot 0 into the result; `leaf` tells which prefix.
  void emit(std::int64_t leaf) {
    const Slot& slot = slots_[0];
    const Format format = format_of(Node(job_.fold));
    const int bytes = info(format).storage_bytes;
    const std::int64_t shift = job_.prefixes() ? leaf * job_.prefix_stride : 0;
    const bool direct = result_.mode != LaneOffsets::Mode::Scattered;
    std::byte* out = direct ? job_.out + (result_.start + shift) * bytes : static_cast<std::byte*>(scattered_[0].get());
    for (size_t c = 0; c < formats_.size(); ++c) finish_->set_argument(c, slot.front[c]);
    finish_->set_result(0, out);
    const LaneWatch before = job_.settings.watch && job_.prefixes() ? watch_ : LaneWatch{};
    finish_->run(chunk_.count, watch());
    if (const Kernel canonicalise = job_.settings.kernels->canonicalise(format)) {
      KernelCall call;
      call.out = out;
      call.in[0] = out;
      call.lanes = chunk_.count;
      canonicalise(call);
    }
    if (!direct) scatter(job_.out, out, bytes, result_.offsets, shift);
    if (!job_.settings.watch) return;
    write_flags(out, bytes, format, shift, slot);
    if (job_.prefixes()) watch_ = before;  // what finishing one prefix met is no other prefix's
  }

  void write_flags(const std::byte* out, int bytes, Format format, std::int64_t shift, const Slot& slot) {
    const auto value = static_cast<size_t>(job_.fold.finish.results[0]);
    const bool made = value >= formats_.size() || slot.made[value];
    for (std::int64_t l = 0; l < chunk_.count; ++l) {
      const auto lane = static_cast<size_t>(l);
      const OutputFlags flags =
          output_flags(watch_.flags[lane], watch_.subnormals[lane], made, format, load_bits(out + l * bytes, bytes));
      job_.carried[result_.of(l) + shift] = flags.carried;
      job_.final[result_.of(l) + shift] = flags.result;
    }
  }

  const FoldJob& job_;
  const std::vector<Format> formats_;
  std::vector<LaneOffsets> offsets_;
  LaneOffsets result_;
  std::vector<LaneBuffer> gathered_, scattered_;
  std::vector<Slot> slots_;
  std::map<std::vector<bool>, LeafPlans> plans_;
  LeafPlans* leaf_ = nullptr;
  std::unique_ptr<Plan> merge_, finish_;
  Chunk chunk_;
  LaneWatch watch_;
};

constexpr std::int64_t kWorthAThread = 1 << 14;  // leaves; below, a thread costs more than it brings

}  // namespace

NodeValue run_fold(const Fold& node, Shape shape, Shape over, const std::vector<const NodeValue*>& operands,
                   const NodeSettings& settings) {
  NodeValue made{node.axes, Tensor(format_of(node), shape), {}, {}, false};
  if (settings.watch) made.carried = made.final = Tensor(Format::UI8, shape);
  const FoldJob job(node, shape, over, operands, settings, made);
  const bool small = job.work() < kWorthAThread && settings.threads == 0;
  run_chunks(job.chunks, small ? 1 : settings.threads, [&job] { return std::make_unique<FoldWorker>(job); });
  return made;
}

}  // namespace bitpact
