// A folder of .npy files, and the one file that is a folder of one.
#pragma once

#include <memory>
#include <string>

#include "tensor/dump.h"

namespace bitpact {

/// All .npy files below `path`, also in folders and behind symbolic links; everything else there is left alone. Opening reads the
/// headers and keeps no file open; read() maps a file anew and refuses `npy-malformed` where its header has changed since.
/// Refuses what read_npy does, `dump-unknown` where there is no .npy file, and `file-unreadable`: a folder that cannot be listed,
/// one that is met twice (a symbolic link that leads back, or to another part of the dump), a name that is not UTF-8.
std::unique_ptr<Dump> open_npy_folder(const std::string& path, const DumpOptions& options);

/// One .npy file as a dump of one tensor, "arr_0", which is what numpy.savez calls an array without a name.
std::unique_ptr<Dump> open_npy_file(const std::string& path, const DumpOptions& options);

}  // namespace bitpact
