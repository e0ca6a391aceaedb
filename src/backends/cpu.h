// The processor this program runs on, resolved: an identity never says "host".
#pragma once

#include <string>

namespace bitpact {

/// "x86_64 AMD EPYC (family 25, model 17, stepping 1) +avx +avx2 ... ": the model and those features that decide which arithmetic
/// instructions a library may pick at run time. Read from the system, "unobserved" where it says nothing.
const std::string& resolved_cpu();

}  // namespace bitpact
