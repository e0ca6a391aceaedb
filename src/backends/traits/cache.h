// Answers on disk: one file an identity and question set.
#pragma once

#include <optional>

#include "backends/backend.h"
#include "backends/traits/question.h"

namespace bitpact::traits {

/// "<64 hex>.json": SHA-256 of the canonical JSON of the identity and the question set's number.
std::string cache_file_name(const Identity& identity);

/// The bytes of a file with these answers. It carries the identity and a digest of itself.
std::string write_cache(const Identity& identity, const TraitAnswers& answers);
/// Strict: refuses what it does not know whole (json-malformed, contract-field, contract-value): another version, identity or
/// question set, an unknown question or word, a digest that is not the content's.
TraitAnswers read_cache(std::string_view text, const Identity& identity, const std::vector<Question>& questions);

}  // namespace bitpact::traits
