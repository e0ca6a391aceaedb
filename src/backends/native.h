// The `native` backend: numeric programs, run by the interpreter in this process.
#pragma once

#include "backends/backend.h"

namespace bitpact {

class NativeBackend : public Backend {
 public:
  explicit NativeBackend(BackendSpec spec);
  const BackendSpec& spec() const override { return spec_; }
  const Identity& identity() const override { return identity_; }
  Ways ways() const override { return {false, false, true}; }
  Answer run_program(const BoundProgram& program, std::span<const Tensor> operands, const RunOptions& options) override;

 private:
  BackendSpec spec_;
  Identity identity_;
};

}  // namespace bitpact
