// Trees and differences as JSON: parts of bitpact.show/1 and bitpact.diff/1.
#pragma once

#include <nlohmann/json.hpp>

#include "picture/difference.h"
#include "picture/tree.h"

namespace bitpact {

/// {"shapes": [...], "root": 3, "origin": 0}; every field of a shape that does not follow from others (docs/pictures.md).
nlohmann::json to_json(const OrderTree& tree);
/// {"words": [...], "first": TREE, "second": TREE, "step": {...}, "part": [...]}
nlohmann::json to_json(const OrderDifference& difference);

}  // namespace bitpact
