// The orders of a contract's folds, each at a number of leaves at which it can be drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "picture/svg.h"

namespace bitpact {

/// --length takes at most this many leaves: a schedule may have two steps a leaf.
inline constexpr std::int64_t kMostLeaves = 1 << 22;

/// Items of a drawing: a terminal's page, half of one, a sheet.
inline constexpr int kTextItems = 38, kHalfTextItems = 24, kSvgItems = 48;

struct FoldOrder {
  size_t piece = 0, node = 0;
  std::string name;  ///< "the sum over k"
  const Order* order = nullptr;
  std::optional<std::int64_t> verified;  ///< leaves in the first problem that the piece was verified on, up to 2^20
};

/// In the order of pieces and nodes. What is returned points into `contract`.
std::vector<FoldOrder> fold_orders(const Contract& contract);

/// The number of leaves that a fold is drawn at: what is asked for; else that of a verified problem; else 16, or, where the order
/// is for other numbers only, the smallest up to 4096. Refuses as schedule() does where none of them has a schedule.
std::int64_t drawn_leaves(const FoldOrder& fold, std::optional<std::int64_t> asked);

/// From the environment: LC_ALL, LC_CTYPE, LANG.
bool locale_is_utf8();

}  // namespace bitpact
