// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work of a library in the order of a stream.
//
// What a GPU's library does by kernels, ours does by calls of a CPU library, and they take their
// place in the stream as host functions (CUDA Runtime API, cudaLaunchHostFunc): after what was put
// there before, before what comes later, and beside the thread that called. Device memory is memory
// of the process, so the work reads and writes it directly.
#pragma once

#include "support/checked_memory.h"

#include <cstdint>
#include <cuda_runtime_api.h>

#include <type_traits>
#include <utility>

namespace heddle::library {

/// A call that knows how to run and how to delete itself, without its type.
struct Work {
  virtual void run() = 0;
  virtual ~Work() = default;
  uint32_t stack = 0;             ///< for `heddle check`
  const char *name = nullptr;     ///< for `heddle profile`
  std::vector<MemoryRows> memory; ///< toTell; else a function of the host, for `heddle check`
};

/// Puts `work` into the stream and takes it over. In a stream that is being captured it becomes a
/// node, runs at each launch of the graph, and lives as long as the graph and what is made of it.
/// Returns what the runtime says of the stream; then the work has been deleted and does not run.
cudaError_t enqueueWork(cudaStream_t stream, Work *work);

/// Puts a function object into the stream. It is copied, runs on a thread of the runtime, and must
/// not call CUDA.
template <typename F>
cudaError_t enqueue(cudaStream_t stream, F &&function, std::vector<MemoryRows> memory = {}) {
  struct Call final : Work {
    explicit Call(F &&f) : function(std::forward<F>(f)) {}
    void run() override { function(); }
    std::decay_t<F> function;
  };
  auto *call = new Call(std::forward<F>(function));
  call->memory = std::move(memory);
  return enqueueWork(stream, call);
}

/// True for a stream that is being captured.
bool isCaptured(cudaStream_t stream);

/// True for memory that work of a device can use; not for pageable host memory, nor for null.
bool isUsable(const void *pointer);

} // namespace heddle::library
