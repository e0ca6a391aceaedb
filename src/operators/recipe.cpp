#include "operators/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "diagnostic/diagnostic.h"
#include "operators/operand_layout.h"
#include "operators/recipe_values.h"

namespace bitpact {
namespace {

constexpr std::string_view kVersion = "bitpact-operands/2";

/// Which class the coordinates 0, 1, ... have: 6 normal, 3 wide, 3 cancellation, 2 ties, 1 subnormal, 1 special of 16, spread,
/// normal first.
constexpr std::string_view kSequence = "nwcntnwsncxnwtnc";
constexpr std::string_view kLetters = "nwctsx";  // in the order of OperandClass

[[noreturn]] void not_a_recipe(std::string_view text, std::string_view why) {
  refuse(Code::Usage, fmt::format("\"{}\" is not an operand recipe: {}", text, why));
}

std::optional<OperandClass> class_named(std::string_view name) {
  const auto& all = Recipe::all_classes();
  const auto found = std::find(all.begin(), all.end(), name);
  if (found == all.end()) return std::nullopt;
  return static_cast<OperandClass>(found - all.begin());
}

/// The classes of `names`, each once, in the order of all_classes.
std::vector<std::string> in_order(const std::vector<std::string>& names, std::string_view text) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    if (!class_named(name)) not_a_recipe(text, fmt::format("there is no class '{}'", name));
    if (std::count(names.begin(), names.end(), name) != 1) not_a_recipe(text, fmt::format("the class '{}' is there twice", name));
  }
  for (const std::string& name : Recipe::all_classes())
    if (std::find(names.begin(), names.end(), name) != names.end()) result.push_back(name);
  if (result.empty()) not_a_recipe(text, "it names no class");
  return result;
}

/// kSequence without the classes that the recipe does not name.
std::vector<OperandClass> sequence_of(const Recipe& recipe) {
  const auto names = in_order(recipe.classes, recipe.to_text());
  std::vector<OperandClass> sequence;
  for (char letter : kSequence) {
    const std::size_t kind = kLetters.find(letter);
    if (std::find(names.begin(), names.end(), Recipe::all_classes()[kind]) != names.end())
      sequence.push_back(static_cast<OperandClass>(kind));
  }
  return sequence;
}

/// Operand 0 goes through the sequence; operand o > 0 is one further in it every length^o coordinates, so that operands that
/// share their coordinates meet in all pairs of classes.
OperandClass class_at(const std::vector<OperandClass>& sequence, int operand, std::int64_t row) {
  const auto length = static_cast<std::int64_t>(sequence.size());
  std::int64_t shift = operand == 0 ? 0 : row;
  for (int i = 0; i < operand && length > 1; ++i) shift /= length;
  return sequence[static_cast<std::size_t>((row + shift) % length)];
}

Tensor make_operand(Format format, const OperandLayout& layout, OperandPlace place, const std::vector<OperandClass>& sequence,
                    const OperandWords& words) {
  Tensor tensor(format, layout.shape);
  place.contracted = layout.contracted;
  place.depth = layout.depth;
  OperandClass kind = OperandClass::Normal;
  std::int64_t kind_of_row = -1;
  for_each_element(layout, [&](std::int64_t flat, std::int64_t row, std::int64_t k) {
    if (row != kind_of_row) {
      kind = class_at(sequence, place.operand, row);
      kind_of_row = row;
      place.block = row / static_cast<std::int64_t>(sequence.size());
    }
    place.row = row;
    place.k = k;
    tensor.set(flat, operand_value(format, kind, place, words));
  });
  return tensor;
}

Tensor enumerated(const OperandSpec& spec) {
  Tensor tensor(spec.format, spec.shape);
  const Bits mask = (Bits{1} << info(spec.format).bits) - 1;
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, static_cast<Bits>(i) & mask);
  return tensor;
}

void check_enumerable(const std::vector<OperandSpec>& specs) {
  if (specs.size() != 1)
    refuse(Code::Usage, fmt::format("a recipe that enumerates makes one operand; this operator has {}", specs.size()));
  if (info(specs[0].format).bits > 16)
    refuse(Code::Usage, fmt::format("a recipe that enumerates is for formats of at most 16 bits, not {}", name(specs[0].format)));
}

/// "0x42b00001,0x3f800000": hexadecimal without leading zeros to leave out, so that one list has one spelling.
std::vector<Bits> given_bits(std::string_view list, std::string_view text) {
  std::vector<Bits> all;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view word = list.substr(begin, end - begin);
    Bits value = 0;
    const char* last = word.data() + word.size();
    const bool prefixed = word.size() > 2 && word.starts_with("0x");
    if (!prefixed || std::from_chars(word.data() + 2, last, value, 16).ptr != last || fmt::format("0x{:x}", value) != word)
      not_a_recipe(text, fmt::format("'{}' is not 0x and lower-case hexadecimal digits, the first one not 0, below 2^64", word));
    all.push_back(value);
    begin = end + 1;
  }
  return all;
}

Tensor with_bits(const OperandSpec& spec, const std::vector<Bits>& bits) {
  for (const Bits value : bits)
    if (info(spec.format).bits < 64 && value >> info(spec.format).bits != 0)
      refuse(Code::Usage, fmt::format("0x{:x} has more bits than {}", value, name(spec.format)));
  Tensor tensor(spec.format, spec.shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, bits[static_cast<std::size_t>(i) % bits.size()]);
  return tensor;
}

void check_version(const Recipe& recipe) {
  if (recipe.version != kVersion) not_a_recipe(recipe.to_text(), fmt::format("its version is not {}", kVersion));
}

}  // namespace

const std::vector<std::string>& Recipe::all_classes() {
  static const std::vector<std::string> names = {"normal", "wide", "cancellation", "ties", "subnormal", "special"};
  return names;
}

std::string Recipe::to_text() const {
  if (all_values) return version + " enumerate";
  if (!bits.empty()) {
    std::vector<std::string> words;
    for (const Bits value : bits) words.push_back(fmt::format("0x{:x}", value));
    return fmt::format("{} bits={}", version, fmt::join(words, ","));
  }
  return fmt::format("{} seed={} classes={}", version, seed, fmt::join(classes, ","));
}

Recipe Recipe::parse(std::string_view text) {
  Recipe recipe;
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (words[0] != kVersion) not_a_recipe(text, fmt::format("it does not begin with {}", kVersion));
  if (words.size() == 2 && words[1] == "enumerate") {
    recipe.all_values = true;
    return recipe;
  }
  if (words.size() == 2 && words[1].starts_with("bits=")) {
    recipe.bits = given_bits(words[1].substr(5), text);
    return recipe;
  }
  bool seed_given = false, classes_given = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word.starts_with("seed=") && !seed_given) {
      seed_given = true;
      word.remove_prefix(5);
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), recipe.seed);
      if (error != std::errc{} || end != word.data() + word.size() || fmt::format("{}", recipe.seed) != word)
        not_a_recipe(text, fmt::format("the seed '{}' is not a number below 2^64", word));
    } else if (word.starts_with("classes=") && !classes_given) {
      classes_given = true;
      word.remove_prefix(8);
      std::vector<std::string> names;
      for (std::size_t begin = 0; begin <= word.size();) {
        const std::size_t end = std::min(word.find(',', begin), word.size());
        names.emplace_back(word.substr(begin, end - begin));
        begin = end + 1;
      }
      recipe.classes = in_order(names, text);
    } else {
      not_a_recipe(text, fmt::format("'{}' is not seed=N or classes=..., or is there twice", word));
    }
  }
  return recipe;
}

std::vector<Tensor> make_operands(const Recipe& recipe, const std::vector<OperandSpec>& specs,
                                  const std::vector<Axes>& operand_axes, const Axes& result_axes) {
  check_version(recipe);
  if (recipe.all_values) {
    check_enumerable(specs);
    return {enumerated(specs[0])};
  }
  if (!recipe.bits.empty()) {
    std::vector<Tensor> operands;
    for (const OperandSpec& spec : specs) operands.push_back(with_bits(spec, recipe.bits));
    return operands;
  }
  const auto sequence = sequence_of(recipe);
  const auto places = operand_layouts(specs, operand_axes, result_axes);
  const OperandWords words(recipe.seed);
  std::vector<Tensor> operands;
  for (std::size_t o = 0; o < specs.size(); ++o) {
    OperandPlace place;
    place.operand = static_cast<int>(o);
    place.operands = static_cast<int>(specs.size());
    operands.push_back(make_operand(specs[o].format, places[o], place, sequence, words));
  }
  return operands;
}

std::vector<std::string> classes_present(const Recipe& recipe, const std::vector<OperandSpec>& specs,
                                         const std::vector<Axes>& operand_axes, const Axes& result_axes) {
  check_version(recipe);
  if (recipe.all_values) {
    check_enumerable(specs);
    return {"enumerate"};
  }
  if (!recipe.bits.empty()) return {"bits"};
  const auto sequence = sequence_of(recipe);
  const auto places = operand_layouts(specs, operand_axes, result_axes);
  std::vector<bool> seen(kOperandClasses, false);
  for (std::size_t o = 0; o < specs.size(); ++o) {
    if (places[o].rows * places[o].depth == 0) continue;
    if (specs[o].format == Format::I1) {  // its classes do not differ
      seen[static_cast<std::size_t>(OperandClass::Normal)] = true;
      continue;
    }
    // Any length consecutive coordinates, but for a step of an operand beyond the first, go through the whole sequence.
    const std::int64_t rows = std::min<std::int64_t>(places[o].rows, 2 * static_cast<std::int64_t>(sequence.size()));
    for (std::int64_t row = 0; row < rows; ++row)
      seen[static_cast<std::size_t>(class_at(sequence, static_cast<int>(o), row))] = true;
  }
  std::vector<std::string> present;
  for (std::size_t kind = 0; kind < kOperandClasses; ++kind)
    if (seen[kind]) present.push_back(Recipe::all_classes()[kind]);
  return present;
}

}  // namespace bitpact
