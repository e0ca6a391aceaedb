#include "contract/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "contract/fold_words.h"
#include "contract/index_words.h"
#include "contract/normal_form.h"
#include "tensor/digest.h"

namespace bitpact {
namespace {

/// What a map does; one conversion is what most of them are: "the sum over k, rounded to bf16".
std::string map_words(const NumericProgram& program, const Map& map) {
  std::vector<std::string> names;
  names.reserve(map.operands.size());
  for (int operand : map.operands) names.push_back(node_name(program, operand));
  const BodyWords body(map.body, names);
  const Instruction* i = body.code(body.result());
  if (i == nullptr || i->op != ScalarOp::Convert || body.code(i->args[0]) != nullptr) return body.all_results();
  const bool exact = fits(values_of(body.format_of(i->args[0])), i->format);
  return fmt::format("{}, {} to {}", body.text(i->args[0]),
                     exact                 ? "widened"
                     : is_float(i->format) ? "rounded"
                                           : "converted",
                     rounded_to(i->format, i->policy));
}

std::string table_words(const NumericProgram& program, const Table& table) {
  return fmt::format("{} by a table of {} values, {}", node_name(program, table.operands[0]), table.values.size(),
                     sha256(table.values.span()));
}

const Axes& axes_of_operand(const NumericProgram& program, const Index& index) {
  return axes_of(program.nodes.at(static_cast<size_t>(index.operands[0])));
}

std::string index_words(const NumericProgram& program, const Index& index) {
  return bitpact::index_words(index, axes_of_operand(program, index), node_name(program, index.operands[0]));
}

/// What stands for the value of a node that is no input and no fold.
std::string value_words(const NumericProgram& program, int node) {
  const Node& n = program.nodes.at(static_cast<size_t>(node));
  if (const auto* map = std::get_if<Map>(&n)) return map_words(program, *map);
  if (const auto* table = std::get_if<Table>(&n)) return table_words(program, *table);
  if (const auto* index = std::get_if<Index>(&n)) return index_words(program, *index);
  return node_name(program, node);
}

bool is_result(const NumericProgram& program, size_t node) {
  return std::ranges::find(program.results, static_cast<int>(node)) != program.results.end();
}

}  // namespace

std::string node_name(const NumericProgram& program, int node) {
  const Node& n = program.nodes.at(static_cast<size_t>(node));
  if (const auto* input = std::get_if<Input>(&n)) return input->name;
  const auto* fold = std::get_if<Fold>(&n);
  if (std::holds_alternative<Table>(n)) return fmt::format("the table (node {})", node);
  if (std::holds_alternative<Index>(n)) return fmt::format("the rearrangement (node {})", node);
  if (fold == nullptr) return fmt::format("node {}", node);
  const auto folds = std::ranges::count_if(program.nodes, [](const Node& other) { return std::holds_alternative<Fold>(other); });
  return fmt::format("the {} over {}{}", name(shape_of(*fold).kind),
                     fold->over.empty() ? "nothing" : fmt::format("{}", fmt::join(fold->over, ", ")),
                     folds > 1 ? fmt::format(" (node {})", node) : "");
}

std::vector<Choice> choices(const NumericProgram& normal_form, int node) {
  const Node& n = normal_form.nodes.at(static_cast<size_t>(node));
  if (const auto* input = std::get_if<Input>(&n))
    return {{"name", input->name}, {"format", std::string(name(input->format))}, {"axes", axes_text(input->axes)}};
  if (const auto* map = std::get_if<Map>(&n)) return {{"value", map_words(normal_form, *map)}, {"axes", axes_text(map->axes)}};
  if (const auto* table = std::get_if<Table>(&n))
    return {{"value", table_words(normal_form, *table)}, {"axes", axes_text(table->axes)}};
  if (const auto* index = std::get_if<Index>(&n))
    return {{"value", node_name(normal_form, index->operands[0])},
            {"read at", coordinates_text(*index, axes_of_operand(normal_form, *index))},
            {"outside", outside_text(*index)},
            {"axes", axes_text(index->axes)}};
  return FoldWords(normal_form, std::get<Fold>(n)).choices();
}

std::string result_words(const NumericProgram& normal_form, int result) {
  const Node& node = normal_form.nodes.at(static_cast<size_t>(result));
  return fmt::format("{} {}: {}", name(format_of(node)), axes_text(axes_of(node)), value_words(normal_form, result));
}

std::vector<std::string> rounding_boundaries(const NumericProgram& program) {
  const NumericProgram normal = normal_form_in_own_names(program);
  std::vector<std::string> all;
  for (size_t n = 0; n < normal.nodes.size(); ++n) {
    if (const auto* map = std::get_if<Map>(&normal.nodes[n])) {
      const BodyWords body(map->body, {});
      add_boundaries(body, is_result(normal, n) ? "result " : "", -1, "", all);
    } else if (const auto* fold = std::get_if<Fold>(&normal.nodes[n])) {
      const std::vector<std::string> more = FoldWords(normal, *fold).boundaries();
      all.insert(all.end(), more.begin(), more.end());
    } else if (const auto* table = std::get_if<Table>(&normal.nodes[n])) {
      all.push_back(
          fmt::format("{}to {} as the table has it", is_result(normal, n) ? "result " : "", name(table->values.format())));
    }
  }
  return all;
}

std::vector<std::string> in_words(const NumericProgram& program) {
  const NumericProgram normal = normal_form_in_own_names(program);
  std::vector<std::string> inputs, sentences{""};
  for (size_t n = 0; n < normal.nodes.size(); ++n) {
    const Node& node = normal.nodes[n];
    if (const auto* input = std::get_if<Input>(&node))
      inputs.push_back(fmt::format("{} {} {}", input->name, name(input->format), axes_text(input->axes)));
    if (const auto* fold = std::get_if<Fold>(&node)) sentences.push_back(FoldWords(normal, *fold).sentence());
    const bool told =
        std::holds_alternative<Map>(node) || std::holds_alternative<Table>(node) || std::holds_alternative<Index>(node);
    if (told && !is_result(normal, n))
      sentences.push_back(fmt::format("node {} {}: {}", n, axes_text(axes_of(node)), value_words(normal, static_cast<int>(n))));
  }
  sentences[0] = fmt::format("{}", fmt::join(inputs, ", "));
  for (int result : normal.results) sentences.push_back("result " + result_words(normal, result));
  const std::vector<std::string> boundaries = rounding_boundaries(program);
  sentences.push_back(boundaries.empty() ? "nothing is rounded"
                                         : fmt::format("rounding boundaries in order: {}", fmt::join(boundaries, "; ")));
  return sentences;
}

}  // namespace bitpact
