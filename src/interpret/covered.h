// Runs what a contract says about a problem: one program, or one a region of the output.
#pragma once

#include "interpret/interpret.h"
#include "operators/catalogue.h"

namespace bitpact {

/// Results and occurrences of each part in its region. Refuses as `interpret` does.
Interpreted interpret(const Covered& covered, std::span<const Tensor> inputs, const InterpretOptions& options = {});

/// The exclusions of a domain as Occurrences have them: bit e for Exclusion(e).
std::uint8_t excluded_bits(const Domain& domain);

/// Of each output of the first result, which was watched: 1 where nothing occurred that the domain excludes, else 0.
std::vector<std::uint8_t> inside(const Interpreted& interpreted, const Domain& domain);

/// Copies the elements where `mask` is nonzero.
void copy_where(const std::vector<std::uint8_t>& mask, const Tensor& from, Tensor& to);

}  // namespace bitpact
