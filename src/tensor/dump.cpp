#include "tensor/dump.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "diagnostic/diagnostic.h"
#include "tensor/npy_folder.h"
#include "tensor/npz.h"
#include "tensor/safetensors.h"

namespace bitpact {
namespace {

enum class Kind : std::uint8_t { Npy, Npz, Safetensors, Unknown };

/// By the first bytes; by the name only where those are nothing that is known, so that a damaged file is refused as what it was.
Kind kind_of(const std::string& path) {
  char begin[9] = {};
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(Code::FileUnreadable, fmt::format("{}: {}", path, std::strerror(errno)));
  in.read(begin, sizeof begin);
  const std::string_view bytes(begin, static_cast<std::size_t>(in.gcount()));
  if (bytes.starts_with("\x93NUMPY")) return Kind::Npy;
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) return Kind::Npz;
  if (bytes.size() == sizeof begin && bytes.back() == '{') return Kind::Safetensors;
  if (path.ends_with(".safetensors")) return Kind::Safetensors;
  if (path.ends_with(".npz")) return Kind::Npz;
  if (path.ends_with(".npy")) return Kind::Npy;
  return Kind::Unknown;
}

}  // namespace

std::unique_ptr<Dump> open_dump(const std::string& path, const DumpOptions& options) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) refuse(Code::FileUnreadable, fmt::format("{}: {}", path, std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) return open_npy_folder(path, options);
  if (!S_ISREG(status.st_mode)) refuse(Code::FileUnreadable, fmt::format("{}: is neither a regular file nor a folder", path));
  switch (kind_of(path)) {
    case Kind::Npy:
      return open_npy_file(path, options);
    case Kind::Safetensors:
      return std::make_unique<Safetensors>(path);
    case Kind::Npz:
      return open_npz(path, options);
    case Kind::Unknown:
      break;
  }
  refuse(Code::DumpUnknown, fmt::format("{}: begins like no .safetensors, .npz or .npy file", path));
}

}  // namespace bitpact
