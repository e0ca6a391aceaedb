// A worker that answers with the bytes of a file, whatever it is asked: the other end of the target `stream`.
//   fuzz_stream_worker FILE     as a worker of docs/protocol.md: descriptor 3 is the socket
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace {

constexpr int kSocket = 3;
constexpr size_t kHeader = 40;
constexpr int kPatience = 20;  // ms

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
  const auto number = [&header](size_t at) {
    size_t value = 0;
    for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(header[at + i]);
    return value;
  };
  std::array<char, 4096> chunk;
  for (size_t left = number(16) + number(24); left > 0;) {
    const size_t now = left < chunk.size() ? left : chunk.size();
    if (!read_whole(chunk.data(), now)) return false;
    left -= now;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int file = open(argv[1], O_RDONLY);
  if (file < 0 || !take_request()) return 2;
  std::array<char, 4096> chunk;
  for (ssize_t got = 0; (got = read(file, chunk.data(), chunk.size())) > 0;)
    for (ssize_t sent = 0; sent < got;) {
      const ssize_t now = send(kSocket, chunk.data() + sent, static_cast<size_t>(got - sent), MSG_NOSIGNAL);
      if (now <= 0) return 0;
      sent += now;
    }
  // The answers to all that is still asked are sent; who waits for more is told that nothing comes. A parent that goes on asking
  // does so at once, and one that waits for the rest of a frame waits until this process is gone.
  shutdown(kSocket, SHUT_WR);
  pollfd asked{kSocket, POLLIN, 0};
  while (poll(&asked, 1, kPatience) > 0 && take_request()) {
  }
  return 0;
}
