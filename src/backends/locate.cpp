#include "backends/locate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "diagnostic/diagnostic.h"

namespace bitpact {

namespace fs = std::filesystem;

namespace {

fs::path program_folder() {
#ifdef __APPLE__
  char path[4096];
  std::uint32_t size = sizeof path;
  if (_NSGetExecutablePath(path, &size) != 0) return {};
  return fs::weakly_canonical(path).parent_path();
#else
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
#endif
}

bool executable(const fs::path& path) { return access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path); }

}  // namespace

std::string locate_worker(const std::string& name, const BackendSettings& settings, const std::string& reason) {
  std::vector<fs::path> folders;
  if (!settings.worker_directory.empty()) {
    folders = {settings.worker_directory};
  } else {
    folders = {program_folder(), program_folder() / ".." / "libexec" / "bitpact"};
  }
  std::string looked;
  for (const fs::path& folder : folders) {
    if (executable(folder / name)) return (folder / name).lexically_normal().string();
    looked += (looked.empty() ? "" : ", ") + folder.lexically_normal().string();
  }
  refuse(Code::BackendAbsent, fmt::format("there is no `{}` in {}{}", name, looked, reason.empty() ? "" : "; " + reason));
}

std::string locate_keeper(const BackendSettings& settings) {
  std::string looked;
  for (const fs::path& folder : {fs::path(settings.worker_directory), program_folder(),
                                 program_folder() / ".." / "libexec" / "bitpact", fs::path(BITPACT_KEEPER_FOLDER)}) {
    if (folder.empty()) continue;
    const fs::path path = (folder / "bitpact-keeper").lexically_normal();
    if (executable(path)) return path.string();
    looked += (looked.empty() ? "" : ", ") + path.parent_path().string();
  }
  refuse(Code::BackendAbsent, fmt::format("there is no `bitpact-keeper`, under which workers run, in {}", looked));
}

std::string locate_python() {
  if (const char* named = std::getenv("BITPACT_PYTHON"); named != nullptr && *named != '\0') {
    if (!executable(named)) refuse(Code::BackendAbsent, fmt::format("BITPACT_PYTHON={} is not an executable file", named));
    return named;
  }
  const fs::path installed = (program_folder() / ".." / ".venv" / "bin" / "python").lexically_normal();
  const fs::path built = fs::path(BITPACT_VENV) / "bin" / "python";
  for (const fs::path& path : {installed, built}) {
    if (executable(path)) return path.string();
  }
  refuse(Code::BackendAbsent,
         fmt::format("there is no Python environment at {} (`make setup` makes it, or set BITPACT_PYTHON)", built.string()));
}

std::string locate_bindings() {
  const fs::path installed = (program_folder() / ".." / "share" / "bitpact" / "bindings").lexically_normal();
  const fs::path source = BITPACT_BINDINGS;
  for (const fs::path& path : {installed, source}) {
    if (fs::exists(path / "python" / "host.py")) return path.string();
  }
  refuse(Code::BackendAbsent, fmt::format("there is no python/host.py in {} or {}", installed.string(), source.string()));
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  return list;
}

}  // namespace bitpact
