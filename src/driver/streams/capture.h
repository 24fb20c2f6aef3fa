// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captures: streams whose work goes into a graph in place of being run. See capture.cpp.
#pragma once

#include "driver/streams/stream.h"

namespace heddle::driver {

/// The number of captures under way in the process.
extern std::atomic<unsigned> captureCount;
inline bool anyCaptures() { return captureCount.load(std::memory_order_relaxed) != 0; }

/// An event's record in a captured stream.
struct CapturedRecord {
  unsigned long long capture = 0; ///< its id
  std::vector<Edge> behind;       ///< what a stream that waits for the event comes behind
};

/// Whether a stream's work is captured. Errors, each of which invalidates the captures that it is
/// about: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, or CUDA_ERROR_STREAM_CAPTURE_IMPLICIT where the legacy
/// stream would have to wait for a captured one.
CUresult lookForCapture(Stream &, bool &isCaptured);
/// Adds a node behind what the stream has captured so far. `early`: how it depends on a kernel in
/// front of it.
CUresult addCaptured(Stream &, std::unique_ptr<Operation>, const cudaGraphEdgeData &early = {});

/// Work for a stream: `run()` if it is not captured; else `make(operation)` gives the node's
/// operation.
template <typename Make, typename Run>
CUresult submit(Stream &stream, Make &&make, Run &&run, const cudaGraphEdgeData &early = {}) {
  if (!anyCaptures()) [[likely]]
    return run();
  bool isCaptured;
  if (CUresult error = lookForCapture(stream, isCaptured))
    return error;
  if (!isCaptured)
    return run();
  std::unique_ptr<Operation> operation;
  if (CUresult error = make(operation))
    return error;
  return addCaptured(stream, std::move(operation), early);
}

/// Work that no node can stand for: an error that invalidates the capture if the stream is
/// captured, else `run()`.
template <typename Run> CUresult submitUncaptured(Stream &stream, Run &&run);

/// Before a call waits for a stream, or asks about it. CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED if it is
/// captured, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT if it is the legacy one and a stream that it waits for
/// is; else as mayBeUnsafe.
CUresult mayWaitFor(Stream &);
/// Before a call waits for the device: not while anything of it is captured.
CUresult mayWaitFor(Context &);
/// Before a call that may synchronise, as cudaMalloc may: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED if a
/// capture forbids such calls to this thread (cudaThreadExchangeStreamCaptureMode), which is
/// invalidated then.
CUresult mayBeUnsafe();
/// Before a call that works in a stream and waits: as mayWaitFor, but captures do not forbid it to
/// other streams.
CUresult mayWorkIn(Stream &);
/// Invalidates the capture that a stream takes part in. False if there is none.
bool breakCapture(Stream &);

/// cudaEventRecord in a stream that is captured: what a wait for it stands for. `early`: how it
/// depends on a kernel.
std::shared_ptr<CapturedRecord> recordCaptured(Stream &, const cudaGraphEdgeData &early);
/// cudaStreamWaitEvent for such a record: the stream goes on in that capture.
CUresult waitForCaptured(Stream &, const CapturedRecord &);
/// Of a call that asks about an event with such a record: CUDA_ERROR_CAPTURED_EVENT, or
/// CUDA_ERROR_INVALID_VALUE once its capture has ended. `breaks`: the capture is invalidated.
CUresult errorOfCaptured(const CapturedRecord &, bool breaks);

/// The stream is destroyed.
void leaveCapture(Stream &);

template <typename Run> CUresult submitUncaptured(Stream &stream, Run &&run) {
  return submit(
      stream,
      [&](std::unique_ptr<Operation> &) {
        breakCapture(stream);
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
      },
      run);
}

} // namespace heddle::driver
