// Chunks of outputs on several threads.
#pragma once

#include <functional>
#include <memory>

#include "interpret/lanes.h"

namespace bitpact {

/// One thread's buffers and plans for one node.
class ChunkWorker {
 public:
  virtual ~ChunkWorker() = default;
  virtual void run(Chunk chunk) = 0;
};

/// Runs every chunk, each once, on up to `threads` threads (0: as many as there are processors), with default float modes.
/// An exception of a worker is thrown again here.
void run_chunks(const Chunks& chunks, int threads, const std::function<std::unique_ptr<ChunkWorker>()>& make_worker);

}  // namespace bitpact
