#include "probe/function_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostic/diagnostic.h"

namespace bitpact {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Words {
 public:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 1;
};

constexpr Bits kFractions = Bits{1} << 23;
constexpr int kRandom = 1536;      // of each sign and exponent
constexpr int kMoreRandom = 8192;  // where most functions are neither their first term nor their limit
constexpr int kTies = 64;

/// Fractions next to a power of two, single bits, next to the middle; ties of bf16 and f16 and their neighbours; any.
std::vector<Bits> fractions(Words& words, int random) {
  std::vector<Bits> all;
  for (Bits i = 0; i < 8; ++i) all.insert(all.end(), {i, kFractions - 1 - i, kFractions / 2 - 4 + i});
  for (int bit = 0; bit < 23; ++bit) all.insert(all.end(), {Bits{1} << bit, kFractions - (Bits{1} << bit)});
  for (int i = 0; i < kTies; ++i) {
    const Bits high = words.next() % kFractions;
    for (const Bits next : {-1, 0, 1}) {
      all.push_back(((high & ~Bits{0xffff}) | 0x8000) + next);
      all.push_back(((high & ~Bits{0x1fff}) | 0x1000) + next);
    }
  }
  for (int i = 0; i < random; ++i) all.push_back(words.next() % kFractions);
  return all;
}

std::vector<Bits> sample_of_f32() {
  Words words;
  std::vector<Bits> all;
  for (Bits exponent = 0; exponent < 256; ++exponent)
    for (const Bits sign : {Bits{0}, Bits{1} << 31}) {
      const bool middle = exponent >= 127 - 14 && exponent <= 127 + 7;
      for (const Bits fraction : fractions(words, exponent == 255 ? 0 : middle ? kMoreRandom : kRandom))
        all.push_back(sign | exponent << 23 | fraction);
    }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

bool asked_in_full(Format format) { return info(format).bits <= kMostBitsInFull; }

std::vector<Bits> function_inputs(Format format) {
  if (format == Format::F32) return sample_of_f32();
  if (!asked_in_full(format))
    refuse(Code::ProbeUnsupported,
           fmt::format("functions of {} are too many values for a table and have no sample", name(format)));
  std::vector<Bits> all(std::size_t{1} << info(format).bits);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

}  // namespace bitpact
