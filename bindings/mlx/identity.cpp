#include "identity.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <mlx/mlx.h>
#include <mlx/version.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <vector>

#include "backends/cpu.h"
#include "tensor/digest.h"

namespace bitpact::mlx_worker {

namespace {

std::string digest_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "unobserved";
  Sha256 digest;
  std::vector<char> chunk(1 << 20);
  while (file) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    digest.update(std::as_bytes(std::span(chunk.data(), static_cast<std::size_t>(file.gcount()))));
  }
  return digest.finish();
}

std::string path_of_mlx() {
  Dl_info found{};
  return dladdr(reinterpret_cast<const void*>(&mlx::core::version), &found) != 0 && found.dli_fname != nullptr ? found.dli_fname
                                                                                                               : "";
}

// f32 matmul is BLAS's, so its library is as much a part of the build as libmlx itself.
std::set<std::string> loaded_libraries() {
  std::set<std::string> paths;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t begin = line.find('/');
    if (begin == std::string::npos) continue;
    const std::string path = line.substr(begin);
    const std::string file = path.substr(path.rfind('/') + 1);
    // libm too: MLX calls its exp, log, ... for what it has no kernel of its own.
    const bool libm = file.rfind("libm.", 0) == 0 || file.rfind("libm-", 0) == 0;
    if ((libm || file.find("blas") != std::string::npos) && file.find(".so") != std::string::npos) paths.insert(path);
  }
  return paths;
}

std::string build() {
  std::string text = digest_of_file(path_of_mlx());
  for (const std::string& path : loaded_libraries()) {
    text += fmt::format(" {}={}", path.substr(path.rfind('/') + 1), digest_of_file(path));
  }
  return text;
}

// Environment variables that can choose arithmetic: MLX's own, and those of the libraries below it (OPENBLAS_CORETYPE names the
// kernel). They were read when those were loaded, so that they can only be stated here. MLX_ENABLE_TF32 acts on CUDA only, but is
// stated wherever it is set.
std::string flags(const std::string& device) {
  constexpr std::array kPrefixes{"MLX_", "OPENBLAS_", "GOTO_", "BLIS_", "MKL_", "VECLIB_", "OMP_", "GOMP_", "KMP_"};
  std::set<std::string> set;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) { return text.starts_with(prefix); }))
      set.emplace(text);
  }
  if (device == "gpu" && std::getenv("MLX_ENABLE_TF32") == nullptr) set.insert("MLX_ENABLE_TF32=1 (default)");
  return set.empty() ? "none" : fmt::format("{}", fmt::join(set, " "));
}

}  // namespace

Identity identity(const std::string& device) {
  std::string target = resolved_cpu();
  if (device == "gpu") {
    target = "unobserved";
    const auto& facts = mlx::core::device_info(mlx::core::Device::gpu);
    for (const char* key : {"device_name", "architecture"}) {
      const auto fact = facts.find(key);
      if (fact == facts.end() || !std::holds_alternative<std::string>(fact->second)) continue;
      target = (target == "unobserved" ? "" : target + " ") + std::get<std::string>(fact->second);
    }
  }
  return {"mlx",       mlx::core::version(), build(), device, target, flags(device), device == "cpu" ? "1" : "unobserved",
          "unobserved"};
}

}  // namespace bitpact::mlx_worker
