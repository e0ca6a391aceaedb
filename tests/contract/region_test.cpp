#include "contract/region.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

std::vector<std::uint8_t> mask_of(const Shape& shape, const std::function<bool(std::int64_t, std::int64_t)>& inside) {
  std::vector<std::uint8_t> mask;
  for (std::int64_t r = 0; r < shape[0]; ++r)
    for (std::int64_t c = 0; c < shape[1]; ++c) mask.push_back(inside(r, c) ? 1 : 0);
  return mask;
}

TEST(Region, FindsTheBoxes) {
  const Axes axes{"m", "n"};
  const Shape shape{33, 500};
  const auto text = [&](const auto& inside) { return to_text(region_of(mask_of(shape, inside), axes, shape)); };
  EXPECT_EQ(text([](auto, auto) { return true; }), "all");
  EXPECT_EQ(text([](auto, auto n) { return n >= 448; }), "n[448,500)");
  EXPECT_EQ(text([](auto m, auto n) { return m < 32 && n < 496; }), "m[0,32), n[0,496)");
  EXPECT_EQ(text([](auto m, auto) { return m % 4 == 0; }), "m[0,33) step 4");
  EXPECT_EQ(text([](auto m, auto n) { return m == 32 || n >= 496; }), "m[0,32), n[496,500); m[32,33)");
}

TEST(Region, MaskAndBoxesAreOne) {
  std::mt19937_64 engine(7);
  for (int round = 0; round < 300; ++round) {
    const Shape shape{static_cast<std::int64_t>(engine() % 7 + 1), static_cast<std::int64_t>(engine() % 9 + 1)};
    const unsigned density = static_cast<unsigned>(engine() % 5);
    const auto mask = mask_of(shape, [&](auto, auto) { return engine() % 5 <= density; });
    if (std::count(mask.begin(), mask.end(), 1) == 0) continue;
    const Region region = region_of(mask, {"m", "n"}, shape);
    EXPECT_EQ(region_mask(region, {"m", "n"}, shape), mask) << to_text(region);
    EXPECT_EQ(parse_region(to_text(region)), region) << to_text(region);
  }
}

TEST(Region, RefusesWhatIsNone) {
  for (const char* text : {"", "everything", "m[0,0)", "m[4,2)", "m[0,4", "[0,4)", "m[0,4) step 0", "m[0,4) step 1",
                           "m[0,4),n[0,1)", "m[0,4), m[1,2)", "m[0,4); ", "m[-1,4)", "m[ 0,4)"})
    EXPECT_THROW(parse_region(text), Refused) << text;
  EXPECT_THROW(region_mask(parse_region("k[0,4)"), {"m", "n"}, {2, 2}), Refused);
}

}  // namespace
}  // namespace bitpact
