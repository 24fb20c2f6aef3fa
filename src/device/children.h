// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that the threads of a running grid ask for (CUDA guide, "CUDA Dynamic Parallelism"). Device
// code calls one service, which the runtime answers (setDeviceCallHandler); what it queues in
// answer are the grid's children. A grid is over, for the work behind it in its queue, when its
// blocks, its children and then its tail launches are.
//
// The order of children is told by streams of the grid's: each block has one that is its null
// stream, each thread may have one, threads make others; one runs at the end; and work without any
// order takes a stream for itself.
#pragma once

#include "device/device.h"

namespace heddle::device {

struct ChildEvent; ///< what cudaEventCreateWithFlags makes in device code; the device's

/// A stream of a grid's, as a thread names it.
struct ChildStream {
  enum class Kind : uint8_t {
    Block,         ///< the block's null stream
    Thread,        ///< cudaStreamPerThread
    Named,         ///< made by a thread of the grid
    FireAndForget, ///< one for this work alone
    Tail,          ///< starts when the grid and its other children are over
  };
  Kind kind = Kind::Block;
  uint64_t block = 0; ///< of the thread that asks: the number in the grid
  uint32_t thread = 0;
  Queue *queue = nullptr;  ///< Named: a handle, which may be any number
  Block *caller = nullptr; ///< the thread's
};

/// How a kernel of a graph launches another graph.
enum class GraphStream : uint8_t {
  FireAndForget, ///< beside the running graph, which is over with it
  Tail,          ///< in the running graph's place when that is over
  Sibling,       ///< beside the graph that launched the running one
};

/// What happens to work that a thread asks for.
enum class ChildResult : uint8_t {
  Done,
  BadHandle, ///< no such stream or event in this grid, or none that can take such work
  Full,      ///< as many launches wait for earlier work as may
};

/// The children of one grid. All functions may be called from any thread while a block of the grid
/// runs.
class Children {
public:
  virtual ~Children() = default;
  /// `mostPending`: launches that may wait for earlier work on the device
  /// (cudaLimitDevRuntimePendingLaunchCount).
  virtual ChildResult launch(const ChildStream &, const LaunchRequest &, uint64_t mostPending) = 0;
  virtual ChildResult enqueue(const ChildStream &, Task) = 0;
  /// A stream of the grid's, which lives as long as the grid or until it is destroyed.
  virtual Queue *createStream() = 0;
  /// Its work still runs.
  virtual ChildResult destroyStream(Queue *) = 0;
  virtual ChildEvent *createEvent() = 0;
  virtual ChildResult destroyEvent(ChildEvent *) = 0;
  virtual ChildResult record(const ChildStream &, ChildEvent *) = 0;
  virtual ChildResult waitFor(const ChildStream &, ChildEvent *) = 0;
  /// How many operations that threads of the block have asked for are not over, tail launches left
  /// out. The address holds as long as the grid; null: none were ever asked for.
  virtual const std::atomic<uint32_t> *pendingOf(uint64_t block) = 0;
  /// Launches a graph from a kernel of a graph. BadHandle: the grid is no node of one, or `graph`
  /// runs or waits already. Full: the running graph has launched as many as it may.
  virtual ChildResult launchGraph(Graph *graph, GraphStream) = 0;
  /// The owner of the graph that the grid is a node of (Device::createGraph); null if there is
  /// none.
  virtual const void *currentGraph() = 0;
  /// The last error of a thread of the grid, an error code of the runtime's.
  virtual uint32_t lastError(uint64_t block, uint32_t thread, bool clear) = 0;
  virtual void setLastError(uint64_t block, uint32_t thread, uint32_t error) = 0;
  /// How many grids are above the one; 0: the host launched it.
  virtual uint32_t depth() const = 0;
};

/// Who calls from device code.
struct DeviceCaller {
  Device *device;
  const KernelInfo *kernel; ///< that the grid was launched with
  uint8_t *globals;         ///< of the kernel's module
  Children *children;
  Block *block;
};

/// Answers a call of device code: `function` and `call` as in base/abi/device_calls.h. On a worker, on
/// the stack of the calling block, which is not cut off meanwhile.
using DeviceCallHandler = uint32_t (*)(const DeviceCaller &, uint32_t function, void *call);
void setDeviceCallHandler(DeviceCallHandler);

} // namespace heddle::device
