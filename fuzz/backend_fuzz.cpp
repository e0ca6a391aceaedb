// Backend specifications, and the registry's judgement of them. `worker` is not opened: that would start what the input names.
#include "backends/backend.h"
#include "fuzz.h"

using namespace bitpact;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto spec = fuzz::accepted({Code::Usage}, [&] { return parse_backend(fuzz::text_of(data, size)); });
  if (!spec) return -1;
  const std::string text = to_text(*spec);
  fuzz::must(parse_backend(text) == *spec, "a specification reads back as another one");
  fuzz::must(to_text(parse_backend(text)) == text, "the canonical specification is no fixed point");
  bool known = false;
  for (const BackendKind& kind : backend_kinds()) known = known || kind.name == spec->name;
  if (known && spec->name != "native") return 0;
  const auto opened = fuzz::accepted({Code::UnknownBackend, Code::BackendOption}, [&] { return open_backend(*spec); });
  fuzz::must(!opened || (known && (*opened)->spec() == *spec), "a backend was opened that nobody named");
  return 0;
}
