// Runs a target once on every file of the folders (or on the files) that are named: the corpora as a test, with any compiler.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (int a = 1; a < argc; ++a) {
    if (!fs::is_directory(argv[a]))
      files.emplace_back(argv[a]);
    else
      for (const auto& entry : fs::directory_iterator(argv[a]))
        if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file) bitpact::fuzz::finding("cannot read " + path.string());
    std::fprintf(stderr, "%s\n", path.c_str());  // the last line before a finding is its input
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
