// What the tests of backends share.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "backends/backend.h"
#include "backends/locate.h"
#include "backends/worker_backend.h"
#include "diagnostic/diagnostic.h"

namespace bitpact::testing {

/// The refusal's code and reason; fails the test where nothing is refused.
inline Diagnostic refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Refused& refused) {
    return refused.diagnostic();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

inline std::string code_name(Code code) { return std::string(info(code).name); }

#define EXPECT_REFUSED(code_, part, work)                                                                       \
  do {                                                                                                          \
    const ::bitpact::Diagnostic seen_ = ::bitpact::testing::refusal([&] { work; });                             \
    EXPECT_EQ(::bitpact::testing::code_name(seen_.code), ::bitpact::testing::code_name(code_)) << seen_.reason; \
    EXPECT_NE(seen_.reason.find(part), std::string::npos) << seen_.reason;                                      \
  } while (false)

/// An f32 tensor of small, unlike values that need rounding when multiplied.
inline Tensor numbers(Shape shape, std::uint32_t seed = 1) {
  Tensor tensor(Format::F32, std::move(shape));
  std::uint32_t state = seed * 2654435761u + 1;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    tensor.mutable_as<float>()[i] = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f;
  }
  return tensor;
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.format() == b.format() && a.shape() == b.shape() && std::memcmp(a.bytes(), b.bytes(), a.byte_size()) == 0;
}

inline OperandSpec spec_of(const Tensor& tensor) { return {tensor.format(), tensor.shape()}; }

inline std::string tests_folder() { return std::string(BITPACT_SOURCE_DIR) + "/tests/backends"; }

/// A running process of that number, or a child not yet reaped.
inline bool process_exists(pid_t pid) { return std::filesystem::exists("/proc/" + std::to_string(pid)); }

/// What a worker could leave behind.
struct Traces {
  std::size_t descriptors = 0;         ///< open in this process
  std::size_t children = 0;            ///< of this process, zombies too
  std::size_t marked = 0;              ///< processes with the mark in their command line
  std::vector<std::string> in_memory;  ///< names in /dev/shm
  bool operator==(const Traces&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Traces& traces) {
  return out << traces.descriptors << " descriptors, " << traces.children << " children, " << traces.marked
             << " marked processes, " << traces.in_memory.size() << " names in /dev/shm";
}

inline Traces traces(const std::string& mark) {
  namespace fs = std::filesystem;
  Traces seen;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++seen.descriptors;
  for (const auto& entry : fs::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().find("bitpact") != std::string::npos) seen.in_memory.push_back(entry.path().filename());
  }
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream stat_file(entry.path() / "stat"), command_file(entry.path() / "cmdline");
    std::string stat, command;
    if (!std::getline(stat_file, stat)) continue;
    std::getline(command_file, command);
    int parent = 0;
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos || std::sscanf(stat.c_str() + name_end + 1, " %*c %d", &parent) != 1) continue;
    seen.children += parent == getpid() ? 1 : 0;
    seen.marked += !mark.empty() && command.find(mark) != std::string::npos ? 1 : 0;
  }
  return seen;
}

/// How many processes of that group still run (zombies, which wait for their parent only, do not).
inline int running_in_group(pid_t group) {
  int running = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string stat;
    if (!std::getline(file, stat)) continue;
    char state = 0;
    int parent = 0, its_group = 0;
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos || std::sscanf(stat.c_str() + name_end + 1, " %c %d %d", &state, &parent, &its_group) != 3)
      continue;
    running += its_group == group && state != 'Z' ? 1 : 0;
  }
  return running;
}

/// Whether nothing of the group runs any more. A signal that was sent is delivered a moment later, so it is waited for, up to 5
/// s.
inline bool group_ends(pid_t group) {
  for (int tries = 0; tries < 500; ++tries) {
    if (running_in_group(group) == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace bitpact::testing
