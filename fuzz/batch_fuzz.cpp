// Batch files: every line that is taken is a problem line, and the lines written out again are the same lines.
#include "fuzz.h"
#include "verdict/batch.h"

using namespace bitpact;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lines =
      fuzz::accepted({Code::ProblemSyntax, Code::UnknownFormat}, [&] { return parse_batch(fuzz::text_of(data, size), "input"); });
  if (!lines) return -1;
  std::string written;
  std::int64_t number = 0;
  for (const BatchLine& line : *lines) {
    fuzz::must(line.number > number, "lines are not numbered upwards");
    for (; number + 1 < line.number; ++number) written += '\n';
    number = line.number;
    (void)parse_problem(line.problem);
    written += line.problem;
    if (line.contract) written += " ; contract=" + *line.contract;
    if (line.candidate) written += " ; candidate=" + *line.candidate;
    if (line.expect) written += ";expect=" + *line.expect;
    written += '\n';
  }
  const std::vector<BatchLine> back = parse_batch(written, "written");
  fuzz::must(back.size() == lines->size(), "a batch reads back with another number of lines");
  for (std::size_t i = 0; i < back.size(); ++i) {
    const BatchLine &a = (*lines)[i], &b = back[i];
    fuzz::must(a.number == b.number && a.problem == b.problem && a.contract == b.contract && a.candidate == b.candidate &&
                   a.expect == b.expect,
               "a line reads back as another one");
  }
  return 0;
}
