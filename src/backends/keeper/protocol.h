// What the keeper of a worker and the parent tell each other.
//
// The keeper stands between the parent and one worker. It starts the worker, tells how it ended, and leaves nothing of it: on
// Linux it is the one to which every orphan among the worker's descendants falls, whatever group or session it moved to. It goes,
// and takes the worker along, when the other end of its control socket is closed, which the system does when the parent ends in
// whatever way.
#pragma once

#include <cstdint>

namespace bitpact::keeper {

inline constexpr int kControlFd = 6;  ///< in the keeper; beside the worker's descriptors (backends/protocol.h)

enum class Kind : std::int32_t {
  Started = 1,     ///< value: the worker's process id
  NotStarted = 2,  ///< value: errno of fork or exec; nothing follows
  Ended = 3,       ///< value: the status as waitpid gives it; sent when nothing of the worker is left, nothing follows
};

/// Keeper to parent. The parent sends nothing: it closes its end.
struct Record {
  Kind kind;
  std::int32_t value;
};

// Arguments: bytes of memory that the worker may have (0: no limit), path of its program, its argv.

}  // namespace bitpact::keeper
