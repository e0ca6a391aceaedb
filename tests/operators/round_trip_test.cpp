// Recipes and orders: what is written reads back as the same value, for any value.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "contract/generate.h"
#include "operators/operator.h"
#include "operators/recipe.h"

namespace bitpact {
namespace {

RC_GTEST_PROP(Recipe, RoundTripsStructurally, (std::uint64_t seed, std::uint8_t chosen)) {
  Recipe recipe;
  recipe.seed = seed;
  recipe.classes.clear();
  for (std::size_t c = 0; c < Recipe::all_classes().size(); ++c)
    if (((chosen | 1 << chosen % 6) >> c & 1) != 0) recipe.classes.push_back(Recipe::all_classes()[c]);
  RC_ASSERT(Recipe::parse(recipe.to_text()) == recipe);
}

/// A nested order that is sequential is left out of a value that was read, and may stand in one that was generated.
Order spare(Order order) {
  for (auto* nested : {&order.inner, &order.outer}) {
    for (Order& one : *nested) one = spare(one);
    if (!nested->empty() && nested->front() == Order::sequential()) nested->clear();
  }
  return order;
}

RC_GTEST_PROP(OrderText, RoundTripsStructurally, ()) {
  generate::Random random(*generate::seed());
  const Order order = spare(generate::order(random, 0));
  RC_ASSERT(parse_order(spelled(order)) == order);
}

}  // namespace
}  // namespace bitpact
