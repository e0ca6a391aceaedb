// Operand recipes: text both ways, and the operands of a small matmul from every recipe that is one.
#include <algorithm>

#include "fuzz.h"
#include "operators/recipe.h"

using namespace bitpact;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto recipe = fuzz::accepted({Code::Usage}, [&] { return Recipe::parse(fuzz::text_of(data, size)); });
  if (!recipe) return -1;
  const std::string text = recipe->to_text();
  fuzz::must(Recipe::parse(text) == *recipe, "a recipe reads back as another one");
  fuzz::must(Recipe::parse(text).to_text() == text, "the recipe in full is no fixed point");
  const auto& formats = all_formats();
  const Format format = formats[static_cast<size_t>(recipe->seed % formats.size())].format;
  const std::vector<OperandSpec> specs{{format, {5, 3}}, {format, {3, 4}}};
  const auto operands = fuzz::accepted({Code::Usage}, [&] {
    return make_operands(*recipe, specs, {{"m", "k"}, {"k", "n"}}, {"m", "n"});
  });
  // Seed 1 goes with given bits; whether they fit is a matter of the format.
  const bool fit = std::none_of(recipe->bits.begin(), recipe->bits.end(),
                                [&](Bits b) { return info(format).bits < 64 && b >> info(format).bits != 0; });
  fuzz::must(operands.has_value() == (fit && !recipe->enumerates()),
             "two operands were enumerated, bits did not fit, or none made");
  if (!operands) return 0;
  fuzz::must(operands->size() == 2 && (*operands)[0].shape() == specs[0].shape && (*operands)[1].format() == format,
             "operands of another shape");
  fuzz::must(!classes_present(*recipe, specs, {{"m", "k"}, {"k", "n"}}, {"m", "n"}).empty(), "no class is present");
  return 0;
}
