// A part of a problem: some outputs, with just the operands' elements that they need.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "operators/catalogue.h"

namespace bitpact {

/// Half-open ranges by axis; axes that are not named stay whole.
using Window = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;

struct Part {
  Binding binding;
  std::vector<Tensor> operands;
};

/// The elements of `tensor` (whose dimensions have those axes) inside the window.
Tensor cut(const Tensor& tensor, const Axes& axes, const Window& window);
Part cut(const Binding& binding, const std::vector<Tensor>& operands, const Window& window);

/// A window of at most `most` outputs (at least one) around an output, growing from the innermost axis; folded axes stay whole,
/// and so do the result's own along which outputs depend on each other's operands.
Window window_around(const Resolved& problem, const std::vector<std::int64_t>& index, std::int64_t most);

}  // namespace bitpact
