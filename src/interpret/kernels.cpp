#include "interpret/kernels.h"

#include <cstring>

#include "diagnostic/diagnostic.h"

namespace bitpact {

bool supported(Simd simd) {
  switch (simd) {
    case Simd::Auto:
    case Simd::Baseline:
      return true;
#if defined(__x86_64__)
    case Simd::V3:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    case Simd::V4:
      return supported(Simd::V3) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    case Simd::V3:
    case Simd::V4:
      return false;
#endif
  }
  return false;
}

const KernelSet& kernels(Simd simd) {
  if (!supported(simd)) refuse(Code::Internal, "the interpreter was asked for instructions that this processor lacks");
#if defined(__x86_64__)
  if (simd == Simd::Auto) simd = supported(Simd::V4) ? Simd::V4 : supported(Simd::V3) ? Simd::V3 : Simd::Baseline;
  if (simd == Simd::V4) return v4::kKernels;
  if (simd == Simd::V3) return v3::kKernels;
#endif
  return baseline::kKernels;
}

Bits load_bits(const void* at, int bytes) {
  switch (bytes) {
    case 1:
      return *static_cast<const std::uint8_t*>(at);
    case 2: {
      std::uint16_t word;
      std::memcpy(&word, at, sizeof word);
      return word;
    }
    case 4: {
      std::uint32_t word;
      std::memcpy(&word, at, sizeof word);
      return word;
    }
    default: {
      std::uint64_t word;
      std::memcpy(&word, at, sizeof word);
      return word;
    }
  }
}

void store_bits(void* at, int bytes, Bits bits) {
  const auto byte = static_cast<std::uint8_t>(bits);
  const auto half = static_cast<std::uint16_t>(bits);
  const auto word = static_cast<std::uint32_t>(bits);
  switch (bytes) {
    case 1:
      std::memcpy(at, &byte, sizeof byte);
      break;
    case 2:
      std::memcpy(at, &half, sizeof half);
      break;
    case 4:
      std::memcpy(at, &word, sizeof word);
      break;
    default:
      std::memcpy(at, &bits, sizeof bits);
      break;
  }
}

void broadcast(void* out, const void* element, int bytes, std::int64_t lanes) {
  const Bits bits = load_bits(element, bytes);
  auto* at = static_cast<std::byte*>(out);
  for (std::int64_t l = 0; l < lanes; ++l) store_bits(at + l * bytes, bytes, bits);
}

void exact_kernel(const KernelCall& call) {
  const Instruction& instruction = *call.instruction;
  const int count = info(instruction.op).operands;
  const int out_bytes = info(instruction.format).storage_bytes;
  std::array<int, 3> bytes{};
  std::array<Scalar, 3> operands{};
  for (int a = 0; a < count; ++a) {
    const auto i = static_cast<size_t>(a);
    bytes[i] = info(call.formats[i]).storage_bytes;
    operands[i].format = call.formats[i];
  }
  for (std::int64_t l = 0; l < call.lanes; ++l) {
    for (int a = 0; a < count; ++a) {
      const auto i = static_cast<size_t>(a);
      const std::int64_t element = (call.uniform >> a & 1U) != 0 ? 0 : l;
      operands[i].bits = load_bits(static_cast<const std::byte*>(call.in[i]) + element * bytes[i], bytes[i]);
    }
    store_bits(static_cast<std::byte*>(call.out) + l * out_bytes, out_bytes,
               evaluate(instruction, {operands.data(), static_cast<size_t>(count)}));
  }
}

}  // namespace bitpact
