// A worker that answers with the bytes of a file, whatever it is asked: the other end of the target `stream`. To each request it
// sends what the file's next header says is a frame; from a header without the magic on, all that is left at once.
//   fuzz_stream_worker FILE     as a worker of docs/protocol.md: descriptor 3 is the socket
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace {

constexpr int kSocket = 3;
constexpr size_t kHeader = 40;

size_t number(std::string_view header, size_t at, int bytes) {
  size_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(header[at + static_cast<size_t>(i)]);
  return value;
}

/// Of the frame at the start of `bytes`, by its own header; none of it need be there.
size_t length_of(std::string_view bytes) {
  if (bytes.size() < kHeader || !bytes.starts_with("BPW1")) return bytes.size();
  return std::min(bytes.size(), kHeader + number(bytes, 16, 4) + std::min<size_t>(number(bytes, 24, 8), 1 << 30));
}

bool read_whole(char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t got = read(kSocket, bytes, count);
    if (got <= 0) return false;
    bytes += got;
    count -= static_cast<size_t>(got);
  }
  return true;
}

/// Skips one request; false where there is none.
bool take_request() {
  std::array<char, kHeader> header;
  if (!read_whole(header.data(), header.size())) return false;
  const std::string_view text(header.data(), header.size());
  std::string rest(number(text, 16, 4) + number(text, 24, 8), '\0');
  return read_whole(rest.data(), rest.size());
}

bool send_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(kSocket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
  if (file < 0) return 2;
  std::string content;
  std::array<char, 4096> chunk;
  for (ssize_t got = 0; (got = read(file, chunk.data(), chunk.size())) > 0;)
    content.append(chunk.data(), static_cast<size_t>(got));
  std::string_view left = content;
  while (!left.empty() && take_request()) {
    const size_t length = length_of(left);
    if (!send_all(left.substr(0, length))) return 0;
    left.remove_prefix(length);
  }
  return 0;  // who waits for more sees the connection end, and the process with it
}
