#include "contract/contract_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "contract/region.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  refuse(Code::ContractValue, fmt::format("{}: {}", path, why));
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::set<std::string> axes_of(const NumericProgram& program) {
  std::set<std::string> axes;
  for (const Node& node : program.nodes) {
    axes.insert(bitpact::axes_of(node).begin(), bitpact::axes_of(node).end());
    if (const auto* fold = std::get_if<Fold>(&node)) axes.insert(fold->over.begin(), fold->over.end());
  }
  return axes;
}

void check_bounds(const Piece& piece, const std::string& path) {
  const std::set<std::string> axes = axes_of(piece.program);
  std::set<std::string> seen;
  for (size_t b = 0; b < piece.shapes.size(); ++b) {
    const AxisBound& bound = piece.shapes[b];
    const std::string at = fmt::format("{}/shapes/{}", path, b);
    // Which axes a pack stands for, only a problem says.
    const bool packed = std::any_of(axes.begin(), axes.end(), [](const std::string& a) { return a.starts_with('*'); });
    if ((!axes.contains(bound.axis) && !packed) || bound.axis.starts_with('*'))
      fail(at + "/axis", fmt::format("\"{}\" is no single axis of the program", bound.axis));
    if (!seen.insert(bound.axis).second) fail(at + "/axis", fmt::format("\"{}\" is bounded twice", bound.axis));
    if (bound.min < 1 || bound.multiple < 1 || (bound.max && *bound.max < bound.min)) fail(at, "no extent satisfies the bound");
    // The first multiple from min on must lie within max.
    if (bound.max && (bound.min + bound.multiple - 1) / bound.multiple * bound.multiple > *bound.max)
      fail(at, "no extent satisfies the bound");
  }
}

void check_region(const Piece& piece, const std::string& path) {
  try {
    const Axes& axes = axes_of(piece.program.nodes[static_cast<size_t>(piece.program.results.at(0))]);
    for (const RegionBox& box : parse_region(piece.region).boxes)
      for (const AxisRange& range : box) {
        const bool packed = std::any_of(axes.begin(), axes.end(), [](const std::string& a) { return a.starts_with('*'); });
        if (!packed && std::find(axes.begin(), axes.end(), range.axis) == axes.end())
          refuse(Code::ContractValue, fmt::format("the result has no axis \"{}\"", range.axis));
      }
  } catch (const Refused& refused) {
    fail(path, refused.diagnostic().reason);
  }
}

void check_formats(const Contract& contract, const Piece& piece, const std::string& path) {
  std::vector<Format> inputs;
  for (const Node& node : piece.program.nodes)
    if (const auto* input = std::get_if<Input>(&node)) inputs.push_back(input->format);
  if (inputs != contract.op.operands) fail(path + "/program", "its inputs do not have the formats of /operator/operands");
  if (piece.program.results.size() != 1) fail(path + "/program/results", "an operator has one result");
  if (format_of(piece.program.nodes[static_cast<size_t>(piece.program.results[0])]) != contract.op.result)
    fail(path + "/program", fmt::format("its result does not have the format of /operator/result, {}", name(contract.op.result)));
}

}  // namespace

void check_contract(const Contract& contract) {
  if (!is_name(contract.op.name)) fail("/operator/name", fmt::format("\"{}\" is no operator's name", contract.op.name));
  if (contract.pieces.empty()) fail("/pieces", "a contract has at least one piece");
  for (size_t p = 0; p < contract.pieces.size(); ++p) {
    const Piece& piece = contract.pieces[p];
    const std::string path = fmt::format("/pieces/{}", p);
    check_formats(contract, piece, path);
    check_bounds(piece, path);
    check_region(piece, path + "/region");
  }
  std::set<std::string> seen;
  for (size_t v = 0; v < contract.verified.size(); ++v)
    if (!seen.insert(contract.verified[v]).second) fail(fmt::format("/verified/{}", v), "is listed twice");
}

}  // namespace bitpact
