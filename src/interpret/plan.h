// A scalar body compiled to a list of kernels over lanes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "interpret/kernels.h"
#include "interpret/watch.h"

namespace bitpact {

/// Memory for lanes, aligned for the widest vectors.
class LaneBuffer {
 public:
  explicit LaneBuffer(std::int64_t lanes);  ///< of 8 bytes
  void* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(void* at) const;
  };
  std::unique_ptr<void, Free> data_;
};

/// For one thread. Arguments and results are set before each run; a result may not overlap an argument.
class Plan {
 public:
  /// `uniform`: which arguments are one element for all lanes. Results always fill all lanes.
  Plan(const ScalarBody& body, const std::vector<bool>& uniform, const KernelSet& kernels, std::int64_t most_lanes, bool watched);
  void set_argument(size_t argument, const void* at) { at_[argument] = const_cast<void*>(at); }
  void set_result(size_t result, void* at) { at_[static_cast<size_t>(result_values_[result])] = at; }
  void run(std::int64_t lanes, LaneWatch* watch = nullptr) const;

  /// Where the whole body is result := state + a * b or fma(a, b, state), one factor uniform: argument 0 is the state.
  struct ChainForm {
    ChainKernel kernel;
    size_t a, b;  ///< arguments: the uniform factor, the other
  };
  const std::optional<ChainForm>& chain() const { return chain_; }

 private:
  struct Step {
    Kernel kernel = nullptr;
    int out = 0, inputs = 0;
    std::array<int, 3> in{};
    bool single = false;                       ///< one lane is enough: the value is uniform
    bool hidden = false;                       ///< no instruction of the body: not watched
    const Instruction* instruction = nullptr;  ///< of body_
    std::array<Format, 3> formats{};
    unsigned uniform = 0;
  };
  struct Value {
    Format format;
    bool uniform;
    bool temporary;  ///< needs a buffer of the plan's own
  };

  int new_value(Format format, bool uniform, bool temporary);
  void compile();
  void emit(int out, const Instruction& instruction, std::vector<int> inputs);
  bool emit_multiply_add(int out, const Instruction& add);
  int widened(int value, Format format);
  int spread(int value);
  void hand_out_results();
  void find_chain_form();
  void assign_buffers(std::int64_t most_lanes);
  std::vector<int> uses() const;

  ScalarBody body_;
  const KernelSet& kernels_;
  bool watched_;
  std::vector<Value> values_;
  std::vector<Step> steps_;
  std::vector<int> folded_into_;  ///< per instruction: the addition that computes this product as well, or -1
  std::vector<int> result_values_;
  std::vector<Bits> constants_;
  std::vector<Instruction> own_instructions_;
  std::vector<LaneBuffer> buffers_;
  std::vector<void*> at_;  ///< per value
  std::optional<ChainForm> chain_;
};

}  // namespace bitpact
