// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captures under way, between capture.cpp, which other calls ask, and capture_functions.cpp, which
// begins and ends them.
#pragma once

#include "driver/streams/capture.h"

#include "heddle/driver_types.h"

#include <thread>

namespace heddle::driver {

struct Capture {
  Graph *graph = nullptr;
  bool isOwn = true; ///< the graph is made by the capture, not given to it
  Stream *origin = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread; ///< that began it
  unsigned long long id = 0;
  bool isInvalid = false;
  std::vector<Stream *> streams; ///< that take part
  std::vector<Edge> left;        ///< behind which streams that are destroyed would have gone on
};

struct CaptureTable {
  std::mutex mutex;
  std::vector<std::unique_ptr<Capture>> all;
  unsigned long long nextId = 1;
};
CaptureTable &captureTable();

/// The thread's mode (cudaThreadExchangeStreamCaptureMode).
CUstreamCaptureMode &captureMode();

bool isLegacy(const Stream &);

// All of these want the mutex held.

/// Invalidates captures of streams that the legacy one would wait for; false if there are none.
bool breakImplicit(const Context &);
/// The stream takes part from now on; its next operation comes behind those.
void join(Capture &, Stream &, std::span<const Edge> behind);
/// Adds edges to other nodes than those that there are.
void addEdges(std::vector<Edge> &, std::span<const Edge> more);
/// The capture is over; its graph is the caller's, or if it failed, gone.
Graph *finish(Capture &, bool failed);

} // namespace heddle::driver
