// The blocks of all arguments of f32, asked one after the other while a second thread works on the one before.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "probe/function_asker.h"

namespace bitpact {

inline constexpr int kBlockBits = 24;  ///< arguments a block: 2^24
inline constexpr std::int64_t kBlocks = std::int64_t{1} << (32 - kBlockBits);

/// Asks blocks first .. kBlocks - 1, and calls `work` with each one's number, arguments and values (NaNs made quiet), in order
/// and one at a time, on another thread; and `saved` after each, on the calling thread. Says now and then how far it is.
void ask_blocks(FunctionAsker& asker, std::int64_t first,
                const std::function<void(std::int64_t block, const Tensor& x, const Tensor& y)>& work,
                const std::function<void(std::int64_t done)>& saved, const std::function<void(const std::string&)>& say);

/// What the progress of a pass over `asker` depends on, beside what the pass adds.
nlohmann::json about_pass(const std::string& pass, FunctionAsker& asker);

}  // namespace bitpact
