// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How API functions hand work to a stream.
//
//   cudaMemsetAsync:  Stream *s = streamOf(handle);            // null: CUDA_ERROR_INVALID_HANDLE
//                     return enqueue(*s, [=] { memset(...); });
//   cudaMemcpy:       return runNow(*streamOf(nullptr), [=] { memcpy(...); });
//
// Legacy default stream semantics, per-thread default streams and dropped work on a lost context
// are seen to below; a caller needs no case for them.
#pragma once

#include "driver/graphs/graph.h"
#include "driver/state.h"

namespace heddle::driver {

using device::Task;

struct Capture; ///< capture.h

struct Stream {
  Context *device;
  device::Queue *queue;
  unsigned flags; ///< cudaStreamDefault or cudaStreamNonBlocking
  int priority;   ///< 0 (lowest) to -5 (highest)
  unsigned long long id;
  bool isDefault; ///< legacy or per-thread: cannot be destroyed
  /// Nanoseconds in which it had nothing to do because a kernel was being compiled for it: events
  /// of the stream do not count them. Atomic.
  uint64_t stoodStill = 0;
  // While it is captured; guarded by the captures' mutex.
  Capture *capture = nullptr;
  std::vector<Edge> captured; ///< what the next operation comes behind
  // What cudaStreamGetCaptureInfo has given out.
  std::vector<cudaGraphNode_t> toldNodes;
  std::vector<cudaGraphEdgeData> toldData;
};

/// The stream of a handle: null and cudaStreamLegacy are the current device's legacy stream,
/// cudaStreamPerThread is the thread's own. Null if the handle is no live stream.
Stream *streamOf(cudaStream_t);

/// Queues `task` and returns. It runs when all that is before it in the stream has ended.
CUresult enqueue(Stream &, Task task);
/// The same for cudaLaunchHostFunc: runs on the thread for host functions and may block.
CUresult enqueueHostFunction(Stream &, Task task, bool isOfDevice = false);
/// Queues `task` and waits for it. Runs on this thread when nothing is before it. Returns a sticky
/// error if earlier work of the context has failed.
CUresult runNow(Stream &, Task task);
/// For a call without a stream that need not wait for its work, which is in device memory
/// (cudaMemset, cudaMemcpy): queues it, but waits where streams do not wait for the default stream.
/// A GPU has done such work before the host comes to launch anything there, and programs rely on it.
CUresult enqueueOrRun(Stream &, Task task);
/// Waits for all that was queued so far; returns the context's sticky error.
CUresult synchronize(Stream &);
CUresult synchronize(Context &);
/// CUDA_ERROR_NOT_READY while there is work.
CUresult query(Stream &);

/// For the initialisation of a device (state.cpp): makes its legacy stream.
void initializeStreams(Context &);
/// When the thread ends.
void dropPerThreadStreams(ThreadState &);
/// For cudaDeviceReset: destroys all streams and events of the context; the legacy stream, too, where
/// the context itself ends.
void resetStreams(Context &, bool withLegacy = false);

/// Hands out an attribute's value. A union of CUDA 11's is no longer than the longest value.
inline void giveAttribute(CUlaunchAttributeValue &to, const CUlaunchAttributeValue &from) {
  std::memcpy(&to, &from, sizeof from.accessPolicyWindow);
}

} // namespace heddle::driver
