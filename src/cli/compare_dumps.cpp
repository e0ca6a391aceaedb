// bitpact compare A B: two dumps, tensor by tensor.
#include "cli/compare_dumps.h"

#include <fmt/format.h>

#include "compare/dump_order.h"
#include "compare/dump_report.h"
#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

constexpr std::size_t kLines = 20;

// The last = divides: a regular expression may have others, (?=...) say.
NameMap parse_map(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) refuse(Code::Usage, fmt::format("--map: '{}' is not REGEX=REPLACEMENT", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

CompareDumps::CompareDumps(CLI::App& verb) : verb_(verb) {
  const auto add = [&](CLI::Option* option) { options_.push_back(option->group("Two dumps")); };
  add(verb.add_option("--order", order_,
                      "a file of tensor names, one a line, in the order of the steps; with what each reads: \"y: x, w\"")
          ->type_name("FILE"));
  add(verb.add_option("--map", maps_, "rename A's tensors: every match of an ECMAScript regular expression; the last = divides")
          ->type_name("REGEX=REPLACEMENT")
          ->allow_extra_args(false));
  add(verb.add_option(
              "--match", match_,
              "how far to match tensors that no name joins: name (not at all), content (equal bytes), shape (also the only "
              "ones of a shape and format)")
          ->check(CLI::IsMember({"name", "content", "shape"}))
          ->capture_default_str());
  add(verb.add_flag("--all", all_, fmt::format("list every tensor that differs, not only the first {}", kLines)));
  add(verb.add_option("--junit", junit_, "also write JUnit XML to this file, one test case a tensor")->type_name("FILE"));
  add(verb.add_flag("--void-is-bf16", void_is_bf16_, "take a .npy file's dtype V2 as bf16, which NumPy saves so"));
}

std::vector<std::string> CompareDumps::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : options_)
    if (option->count() > 0) names.push_back(option->get_name());
  return names;
}

ExitCode CompareDumps::run(const std::string& a, const std::string& b, bool json) const {
  DumpCompareOptions options;
  for (const std::string& map : maps_) options.maps.push_back(parse_map(map));
  options.match = match_ == "name" ? MatchLevel::Name : match_ == "content" ? MatchLevel::Content : MatchLevel::Shape;
  if (!order_.empty()) {
    options.order = parse_order_file(read_text_file(order_), order_);
    options.order_path = order_;
  }
  const DumpOptions reading{.two_byte_void_is_bf16 = void_is_bf16_};
  std::shared_ptr<const Dump> dump_a = open_dump(a, reading), dump_b = open_dump(b, reading);
  DumpReport report = compare_dumps(std::move(dump_a), std::move(dump_b), std::move(options));
  report.path_a = a;
  report.path_b = b;
  if (!junit_.empty()) {
    std::string text;
    write_junit(report, [&](std::string_view piece) { text += piece; });
    write_text_file(junit_, text);
  }
  if (json) {
    write_json(report, [](std::string_view piece) { print(std::string(piece)); });
  } else {
    print(to_text(report, all_ ? 0 : kLines));
  }
  for (std::size_t i = 0; i < report.renamed.size(); ++i)
    if (report.renamed[i] == 0)
      say(fmt::format("note: --map {}={} renames no tensor of A", report.options.maps[i].regex,
                      report.options.maps[i].replacement));
  return report.equal() ? 0 : 1;
}

}  // namespace bitpact
