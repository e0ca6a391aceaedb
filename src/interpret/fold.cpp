#include <map>

#include "interpret/fold_job.h"
#include "interpret/parallel.h"
#include "interpret/plan.h"

namespace bitpact {
namespace {

/// One thread. The leaves are the outer loop, lanes the inner one.
class FoldWorker : public ChunkWorker {
 public:
  explicit FoldWorker(const FoldJob& job) : job_(job), offsets_(job.operands.size()) {
    const std::int64_t lanes = job.chunks.lanes();
    const size_t components = job.head.state.size();
    for (size_t o = 0; o < offsets_.size(); ++o) gathered_.emplace_back(lanes);
    const size_t most = std::max(components, job.tail ? job.tail->state.size() : 0);
    for (std::int32_t s = 0; s < job.schedule.slots; ++s) slots_.emplace_back(most, lanes);
    if (!job.fold.merge.arguments.empty()) merge_ = make_plan(job.fold.merge, std::vector<bool>(components * 2, false));
    if (!job.fold.enter.arguments.empty()) enter_ = make_plan(job.fold.enter, std::vector<bool>(components, false));
    finish_ = &job.fold.finish;
    if (job.has_tail()) finish_ = job.tail_from > 0 ? &job.fold.tail->join : &job.fold.tail->finish;
    finish_plan_ = make_plan(*finish_, std::vector<bool>(finish_->arguments.size(), false));
    scattered_.emplace_back(lanes);
  }

  void run(Chunk chunk) override {
    chunk_ = chunk;
    place();
    head_ = choose_plans(job_.head, head_plans_);
    if (job_.has_tail()) tail_ = choose_plans(*job_.tail, tail_plans_);
    if (job_.settings.watch) watch_.reset(chunk.count);
    std::int32_t tail_slot = 0;
    for (const ScheduleStep& step : job_.schedule.steps) {
      if (step.kind == ScheduleStep::Kind::Merge) {
        // The last one joins head and tail: finishing does that.
        if (job_.has_tail() && &step == &job_.schedule.steps.back()) break;
        run_merge(step);
      } else if (step.kind == ScheduleStep::Kind::Enter) {
        run_enter(step);
      } else if (job_.has_tail() && step.first >= job_.tail_from) {
        tail_slot = step.slot;
        run_chain(step, *job_.tail, *tail_);
      } else {
        run_chain(step, job_.head, *head_);
      }
    }
    if (job_.prefixes()) return;
    States states;
    if (job_.tail_from > 0) states.emplace_back(slots_.data(), job_.head.state.size());
    if (job_.has_tail()) states.emplace_back(&slots_[static_cast<size_t>(tail_slot)], job_.tail->state.size());
    emit(0, states);
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
  using PlansByMode = std::map<std::vector<bool>, LeafPlans>;

  LaneWatch* watch() { return job_.settings.watch ? &watch_ : nullptr; }

  std::unique_ptr<Plan> make_plan(const ScalarBody& body, const std::vector<bool>& uniform) const {
    return std::make_unique<Plan>(body, uniform, *job_.settings.kernels, job_.chunks.lanes(), job_.settings.watch);
  }

  void place() {
    for (size_t o = 0; o < offsets_.size(); ++o) offsets_[o].place(job_.space, o, chunk_);
    result_.place(job_.space, offsets_.size(), chunk_);
  }

  const LeafPlans* choose_plans(const ChainBodies& bodies, PlansByMode& plans) const {
    std::vector<bool> uniform;
    for (const LaneOffsets& o : offsets_) uniform.push_back(o.mode == LaneOffsets::Mode::Uniform);
    auto [at, fresh] = plans.try_emplace(uniform);
    if (!fresh) return &at->second;
    if (bodies.start->first_leaf) at->second.begin = make_plan(bodies.begin, uniform);
    std::vector<bool> with_state(bodies.state.size(), false);
    with_state.insert(with_state.end(), uniform.begin(), uniform.end());
    at->second.advance = make_plan(bodies.advance, with_state);
    return &at->second;
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

  /// Runs a body whose results are the slot's next state; its first arguments, so many as `states` says, are `made` as told.
  void run_into(Slot& slot, Plan& plan, const ScalarBody& body, const std::vector<bool>& made, size_t states) {
    const size_t components = body.results.size();
    for (size_t c = 0; c < components; ++c) plan.set_result(c, slot.back[c]);
    plan.run(chunk_.count, watch());
    std::swap(slot.front, slot.back);
    if (!job_.settings.watch) return;
    const std::vector<bool> before(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(states));  // may be the slot's own
    for (size_t c = 0; c < components; ++c) {
      const auto value = static_cast<size_t>(body.results[c]);
      slot.made[c] = value >= body.arguments.size() || (value < states && before[value]);
    }
  }

  void start(Slot& slot, std::int64_t leaf, const ChainBodies& bodies, const LeafPlans& plans) {
    if (plans.begin) {
      set_operands(*plans.begin, 0, leaf);
      run_into(slot, *plans.begin, bodies.begin, {}, 0);
      return;
    }
    for (size_t c = 0; c < bodies.state.size(); ++c) {
      const Bits value = bodies.start->values[c];
      broadcast(slot.front[c], &value, info(bodies.state[c]).storage_bytes, chunk_.count);
      if (job_.settings.watch) watch_.observe_value(bodies.state[c], value);
      slot.made[c] = true;
    }
  }

  void advance(Slot& slot, std::int64_t leaf, const ChainBodies& bodies, const LeafPlans& plans) {
    const size_t components = bodies.state.size();
    for (size_t c = 0; c < components; ++c) plans.advance->set_argument(c, slot.front[c]);
    set_operands(*plans.advance, components, leaf);
    run_into(slot, *plans.advance, bodies.advance, slot.made, components);
  }

  void run_chain(const ScheduleStep& step, const ChainBodies& bodies, const LeafPlans& plans) {
    Slot& slot = slots_[static_cast<size_t>(step.slot)];
    const bool fresh = step.kind == ScheduleStep::Kind::Chain;
    if (fresh) start(slot, step.first, bodies, plans);
    const std::int64_t begun = fresh && plans.begin ? 1 : 0;
    if (job_.prefixes()) {
      if (begun > 0) emit(step.first, {{&slot, bodies.state.size()}});
      for (std::int64_t i = begun; i < step.count; ++i) {
        advance(slot, step.first + i * step.stride, bodies, plans);
        emit(step.first + i * step.stride, {{&slot, bodies.state.size()}});
      }
      return;
    }
    if (advance_in_registers(slot, step, begun, bodies, plans)) return;
    for (std::int64_t i = begun; i < step.count; ++i) advance(slot, step.first + i * step.stride, bodies, plans);
  }

  /// state + a * b, leaf after leaf, without storing the state in between.
  bool advance_in_registers(Slot& slot, const ScheduleStep& step, std::int64_t begun, const ChainBodies& bodies,
                            const LeafPlans& plans) {
    const auto& form = plans.advance->chain();
    if (!form) return false;
    const size_t a = form->a - bodies.state.size(), b = form->b - bodies.state.size();
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

  /// A slot, and how many of its components are a state.
  using States = std::vector<std::pair<const Slot*, size_t>>;

  /// Hands states on as a body's arguments; tells which of them were made.
  static std::vector<bool> set_states(Plan& plan, const States& states) {
    std::vector<bool> made;
    for (const auto& [slot, components] : states)
      for (size_t c = 0; c < components; ++c) {
        plan.set_argument(made.size(), slot->front[c]);
        made.push_back(slot->made[c]);
      }
    return made;
  }

  void run_merge(const ScheduleStep& step) {
    Slot& slot = slots_[static_cast<size_t>(step.slot)];
    const size_t components = job_.head.state.size();
    const std::vector<bool> made =
        set_states(*merge_, {{&slot, components}, {&slots_[static_cast<size_t>(step.other)], components}});
    run_into(slot, *merge_, job_.fold.merge, made, made.size());
  }

  void run_enter(const ScheduleStep& step) {
    Slot& slot = slots_[static_cast<size_t>(step.slot)];
    const std::vector<bool> made = set_states(*enter_, {{&slot, job_.head.state.size()}});
    run_into(slot, *enter_, job_.fold.enter, made, made.size());
  }

  /// The finished states into the result; `leaf` tells which prefix.
  void emit(std::int64_t leaf, const States& states) {
    const Format format = format_of(Node(job_.fold));
    const int bytes = info(format).storage_bytes;
    const std::int64_t shift = job_.prefixes() ? leaf * job_.prefix_stride : 0;
    const bool direct = result_.mode != LaneOffsets::Mode::Scattered;
    std::byte* out = direct ? job_.out + (result_.start + shift) * bytes : static_cast<std::byte*>(scattered_[0].get());
    const std::vector<bool> made = set_states(*finish_plan_, states);
    finish_plan_->set_result(0, out);
    const LaneWatch before = job_.settings.watch && job_.prefixes() ? watch_ : LaneWatch{};
    finish_plan_->run(chunk_.count, watch());
    if (const Kernel canonicalise = job_.settings.kernels->canonicalise(format)) {
      KernelCall call;
      call.out = out;
      call.in[0] = out;
      call.lanes = chunk_.count;
      canonicalise(call);
    }
    if (!direct) scatter(job_.out, out, bytes, result_.offsets, shift);
    if (!job_.settings.watch) return;
    const auto value = static_cast<size_t>(finish_->results[0]);
    write_flags(out, bytes, format, shift, value >= made.size() || made[value]);
    if (job_.prefixes()) watch_ = before;  // what finishing one prefix met is no other prefix's
  }

  void write_flags(const std::byte* out, int bytes, Format format, std::int64_t shift, bool made) {
    for (std::int64_t l = 0; l < chunk_.count; ++l) {
      const auto lane = static_cast<size_t>(l);
      const OutputFlags flags =
          output_flags(watch_.flags[lane], watch_.subnormals[lane], made, format, load_bits(out + l * bytes, bytes));
      job_.carried[result_.of(l) + shift] = flags.carried;
      job_.final[result_.of(l) + shift] = flags.result;
    }
  }

  const FoldJob& job_;
  std::vector<LaneOffsets> offsets_;
  LaneOffsets result_;
  std::vector<LaneBuffer> gathered_, scattered_;
  std::vector<Slot> slots_;
  PlansByMode head_plans_, tail_plans_;
  const LeafPlans *head_ = nullptr, *tail_ = nullptr;
  std::unique_ptr<Plan> merge_, enter_, finish_plan_;
  const ScalarBody* finish_ = nullptr;  ///< what gives the result at this number of leaves
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
