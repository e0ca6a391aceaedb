// SHA-256 of bytes and of tensors, as reports and golden values spell it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace bitpact {

/// FIPS 180-4, piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(std::span<const std::byte> bytes);
  /// "sha256:" and 64 lower-case hexadecimal digits. Nothing may follow.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);
/// Of the tensors' bytes, one after the other; formats and shapes are not part of it.
std::string sha256(std::span<const Tensor> tensors);

}  // namespace bitpact
