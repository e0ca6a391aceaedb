// What is written reads back as the same value, for any value; and what would need more room than there is is refused.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "backends/protocol.h"
#include "support.h"

namespace bitpact {
namespace {

using testing::refusal;

std::string word(const std::string& first, const std::string& more) {
  const auto letters = *rc::gen::container<std::string>(rc::gen::elementOf(more));
  return std::string(1, *rc::gen::elementOf(first)) + letters;
}

std::string some_name() { return word("abcxyz", "abcxyz0189-"); }
std::string some_value() { return word("aZ0+;=:~", "aZ09+;=:-_./~"); }
std::string some_text() {
  std::string text;
  for (const auto& piece :
       *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a", " ", "\"", "\\", "\n", "\u00e9")))
    text += piece;
  return "a" + text;
}

RC_GTEST_PROP(Spec, RoundTripsStructurally, ()) {
  BackendSpec spec;
  spec.name = some_name();
  const int options = *rc::gen::inRange(0, 4);
  for (int i = 0; i < options; ++i) spec.options[some_name()] = some_value();
  if (*rc::gen::arbitrary<bool>()) spec.device = word("a./[", "a ./[]:,=-");
  RC_ASSERT(parse_backend(to_text(spec)) == spec);
}

std::vector<OperandSpec> some_tensors() {
  std::vector<OperandSpec> tensors(static_cast<std::size_t>(*rc::gen::inRange(0, 4)));
  for (OperandSpec& tensor : tensors) {
    tensor.format = all_formats()[*rc::gen::inRange<std::size_t>(0, all_formats().size())].format;
    tensor.shape = *rc::gen::container<Shape>(rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 62));
  }
  return tensors;
}

RC_GTEST_PROP(Json, TensorsRoundTripStructurally, ()) {
  const std::vector<OperandSpec> tensors = some_tensors();
  RC_ASSERT(protocol::tensors_from_json(
                protocol::parse_object(nlohmann::json{{"x", protocol::to_json(tensors)}}.dump()).at("x")) == tensors);
}

RC_GTEST_PROP(Json, ReportsRoundTripStructurally, ()) {
  const auto count = [] { return *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 62); };
  protocol::Report report{some_tensors(), {}, 0, count(), count(), some_text(), some_text(), *rc::gen::arbitrary<bool>()};
  report.run_ms.resize(static_cast<std::size_t>(*rc::gen::inRange(0, 3)), static_cast<double>(count()) / 3);
  report.compile_ms = static_cast<double>(count()) / 7;
  const protocol::Report back = protocol::report_from_json(protocol::parse_object(protocol::to_json(report).dump()));
  RC_ASSERT(back.results == report.results && back.run_ms == report.run_ms && back.compile_ms == report.compile_ms);
  RC_ASSERT(back.peak_rss_bytes == report.peak_rss_bytes && back.transfer_bytes == report.transfer_bytes);
  RC_ASSERT(back.tag == report.tag && back.kernel == report.kernel && back.repeats_agree == report.repeats_agree);
}

TEST(Layout, RefusesAPayloadWhoseSizeOverflows) {
  const std::vector<OperandSpec> one{{Format::F64, {std::int64_t{1} << 61}}};
  EXPECT_REFUSED(Code::TooLarge, "2^62", protocol::layout_of(one));
  const std::vector<OperandSpec> many(8, OperandSpec{Format::I8, {std::int64_t{1} << 61}});
  EXPECT_REFUSED(Code::TooLarge, "2^62", protocol::layout_of(many));
}

TEST(Json, RefusesDeepNesting) {
  const std::string deep(100'000, '['), end(100'000, ']');
  EXPECT_REFUSED(Code::WorkerProtocol, "nested deeper", protocol::parse_object("{\"protocol\": " + deep + end + "}"));
}

}  // namespace
}  // namespace bitpact
