// Where the parts of other runtimes are: workers, the Python host, the interpreter.
#pragma once

#include <string>
#include <vector>

#include "backends/backend.h"

namespace bitpact {

/// The worker's path. Beside the program, or in ../libexec/bitpact; refuses `backend-absent`, adding `reason`.
std::string locate_worker(const std::string& name, const BackendSettings& settings, const std::string& reason);

/// Path of bitpact-keeper: in the workers' folder, beside the program, in ../libexec/bitpact, or where it was built. Refuses
/// `backend-absent`.
std::string locate_keeper(const BackendSettings& settings);

/// The Python interpreter that has the runtimes: $BITPACT_PYTHON, else <prefix>/.venv/bin/python of the installation, else that
/// of the environment named when Bitpact was built. Refuses `backend-absent`.
std::string locate_python();

/// The folder that holds python/host.py and the adapters. Refuses `backend-absent`.
std::string locate_bindings();

/// A command line into words, split at spaces.
std::vector<std::string> split_words(const std::string& text);

}  // namespace bitpact
