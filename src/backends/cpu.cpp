#include "backends/cpu.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace bitpact {

namespace {

// In /proc/cpuinfo's spellings; x86 and Arm.
const std::set<std::string>& arithmetic_features() {
  static const std::set<std::string> names{
      "sse2",        "ssse3",       "sse4_1",      "sse4_2",     "avx",      "avx2",     "fma",        "fma4",
      "f16c",        "avx512f",     "avx512dq",    "avx512bw",   "avx512vl", "avx512cd", "avx512ifma", "avx512_vnni",
      "avx512_bf16", "avx512_fp16", "avx512_vbmi", "avx512vbmi", "avx_vnni", "avx_ifma", "amx_tile",   "amx_bf16",
      "amx_int8",    "amx_fp16",    "avx10",       "fphp",       "asimd",    "asimdhp",  "asimdfhm",   "asimddp",
      "bf16",        "i8mm",        "sve",         "sve2",       "svebf16",  "sme",      "sme2",       "fcma"};
  return names;
}

#ifndef __APPLE__
std::map<std::string, std::string> first_processor() {
  std::map<std::string, std::string> fields;
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string key = line.substr(0, colon);
    key.erase(key.find_last_not_of(" \t") + 1);
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    fields[key] = value == std::string::npos ? "" : line.substr(value);
  }
  return fields;
}
#endif

std::string look_up() {
  utsname system{};
  uname(&system);
#ifdef __APPLE__
  char brand[256] = "unobserved";
  std::size_t length = sizeof brand;
  sysctlbyname("machdep.cpu.brand_string", brand, &length, nullptr, 0);
  return fmt::format("{} {}", system.machine, brand);
#else
  std::map<std::string, std::string> fields = first_processor();
  std::string text = system.machine;
  if (fields.contains("model name")) {
    text += fmt::format(" {} (family {}, model {}, stepping {})", fields["model name"], fields["cpu family"], fields["model"],
                        fields["stepping"]);
  } else if (fields.contains("CPU part")) {
    text += fmt::format(" implementer {} part {} variant {} revision {}", fields["CPU implementer"], fields["CPU part"],
                        fields["CPU variant"], fields["CPU revision"]);
  } else {
    return text + " unobserved";
  }
  std::istringstream flags(fields.contains("flags") ? fields["flags"] : fields["Features"]);
  std::set<std::string> found;
  for (std::string flag; flags >> flag;) {
    if (arithmetic_features().contains(flag)) found.insert(flag);
  }
  for (const std::string& flag : found) text += " +" + flag;
  return text;
#endif
}

}  // namespace

const std::string& resolved_cpu() {
  static const std::string text = look_up();
  return text;
}

}  // namespace bitpact
