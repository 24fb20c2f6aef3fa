// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queues, the operations in them, and what they wait for. All fields belong to the engine's lock,
// except where one is atomic or says otherwise.
//
// At any time a queue is in one of five states, told by its head operation: it is empty; its head
// is ready or running; its head waits for its segment; its head waits for a marker; or it is in the
// list of queues to advance. So one link (`nextWaiting`) serves all lists of queues.
//
// Segments put the legacy default stream's rule into one counter. Operations of Legacy and Blocking
// queues of a device are numbered by segments in the order of the calls: a run of legacy operations
// is one segment, a run of blocking ones the next. An operation may start when its segment is the
// oldest with work left. That is exactly CUDA's rule, at a constant cost for any number of streams.
// No deadlock is possible: every dependence (queue order, segment, marker) points to an earlier
// call.
#pragma once

#include "base/abi/count_abi.h"
#include "device/children.h"

#include <atomic>
#include <deque>

namespace heddle::device::cpu {

inline constexpr size_t CacheLine = 64; ///< bytes

class CpuDevice;
class GridChildren;
template <template <typename> typename Atomic> class BasicGridParts;
using GridParts = BasicGridParts<std::atomic>;
class ParkedBlocks;
struct GraphRun;
struct GridRun;

/// A sleeping host thread: the number of things that it still waits for, and whether it sleeps in
/// the kernel (HostSleeps).
struct HostWait {
  std::atomic<uint32_t> remaining{0};
};

/// "Wake `wait` when `target` operations have completed", in the list of a queue or a marker.
struct WaitNode {
  uint64_t target = 0;
  HostWait *wait = nullptr;
  WaitNode *next = nullptr;
};

enum class OpKind : uint8_t {
  Task,
  HostFunction, ///< a task on the thread for host functions; runs also when the context is lost
  OutsideWait,  ///< a task on a thread of its own, as it waits for another process
  Inline,       ///< a task that the enqueuing thread runs itself when its turn comes
  Launch,
  Record, ///< without a marker: nothing
  Wait,
  Graph,  ///< runs a graph (graph.cpp)
  Choose, ///< runs a body of the graph that it belongs to, or none
};

struct CheckedState; ///< checks.h

/// A launch as the workers see it. What they change while they run it lies in a cache line of its
/// own: what they only read, for each block or chunk, stays in all caches meanwhile. Operations are
/// used again, and each line that the host writes has to come from the worker that ran the last
/// launch. So what is the same in most launches comes last, and is written where it changes (assign).
struct LaunchState {
  static constexpr uint32_t InlineParams = 256;
  Launch abi;
  const KernelInfo *kernel; ///< what it begins with, and what holds for all forms
  KernelForms *forms;       ///< null: there is no other
  uint64_t blocks;          ///< or clusters, if they have more than one block
  GridParts *parts;         ///< what chunks are taken from; null: from all blocks, in order
  uint8_t *heapParams;      ///< when they are more than InlineParams
  uint32_t clusterBlocks;   ///< of a kernel that waits for its cluster; otherwise 1
  bool cooperative;
  bool backwards;              ///< chunks of blocks are taken from the end of the grid (schedule.h)
  std::atomic<bool> cancelled; ///< a block faulted
  bool hangs;                  ///< cancelled, because it waits for ever (hang.cpp)
  uint16_t multiprocessors;    ///< LaunchRequest::multiprocessors

  alignas(CacheLine)
      std::atomic<uint64_t> next; ///< blocks that were taken; with parts, of those that are through
  std::atomic<uint64_t> blockTime; ///< as measured first in this launch, in 1/16 ns; 0: not yet
  std::atomic<uint64_t> timed,
      timeSpent; ///< blocks by those who have left, and their time in 1/16 ns
  std::atomic<uint32_t>
      participants; ///< workers in it; grows under the lock only (EngineThreads::join)
  bool started;     ///< a worker has come
  bool inActiveList;
  uint64_t seenNext,
      seenTime; ///< where `next` was when the watcher last saw it move, and when, in ns (stuck.cpp)

  alignas(CacheLine) uint8_t params[InlineParams];

  alignas(CacheLine)
      CheckedState *checked = nullptr; ///< of checked code (checks.cpp); otherwise null
  const KernelInfo *rest = nullptr;    ///< LaunchRequest::rest
  BlockBox restBlocks = {};
  std::atomic<bool> takesRest = false; ///< a block has shown nothing
  GridRun *grid = nullptr;             ///< cooperative and waiting: all blocks' memory
  uint64_t residentBlocks = 0;
  GridBarrier gridBarrier = {};
  std::atomic<ParkedBlocks *> parked =
      nullptr; ///< made when the first block is put aside (parked.cpp)
  std::atomic<GridChildren *> children =
      nullptr;                ///< made when a thread first asks for work; under the lock
  uint64_t note = 0;          ///< LaunchRequest::note
  uint64_t begin = 0;         ///< when a worker came first, if it is watched
  CountedLaunch counted = {}; ///< of counted code (counts.cpp)

  /// Writes what comes last only where it changes.
  template <typename Field> static void assign(Field &field, auto value) {
    if (field != value)
      field = value;
  }

  /// That nobody has taken, or of parts that are not through. Once it is false it stays so, but for
  /// the rounds of a cooperative grid.
  bool hasBlocks() const { return next.load(std::memory_order_acquire) < blocks; }
};

struct Op {
  Op *next = nullptr;      ///< in the queue or in the free list
  Op *nextReady = nullptr; ///< in a ready list, then in the list of active launches
  Queue *queue = nullptr;
  uint64_t segment = 0;
  OpKind kind = OpKind::Task;
  Marker *marker = nullptr;
  HostWait *inlineWait = nullptr;
  GraphRun *graph = nullptr;      ///< Graph and Choose
  GridChildren *parent = nullptr; ///< of the grid whose thread asked for it; null: the host did
  uint64_t parentBlock = 0;       ///< the thread's
  bool isTail = false;            ///< it comes after the other children
  bool isPassedOver = false;      ///< Launch: of a graph, not enabled
  bool isOfDevice = false;        ///< HostFunction: Device::enqueueHostFunction
  uint32_t paramBytes = 0;        ///< Launch: of a graph
  bool isWaitingChild = false;    ///< counts as one of CpuDevice::waitingChildren
  uint64_t work = 0;              ///< a Watcher's number
  Task task;
  LaunchState launch;
};

/// The legacy rule of one device (see above).
class SegmentList {
public:
  /// The segment of a new operation, which counts as outstanding from now on.
  uint64_t join(QueueKind kind) {
    if (list_.back().kind != kind) {
      if (list_.back().outstanding == 0)
        list_.back().kind = kind;
      else
        list_.push_back({kind});
    }
    ++list_.back().outstanding;
    return first_ + list_.size() - 1;
  }
  bool isCurrent(uint64_t segment) const { return segment == first_; }
  void addWaiting(uint64_t segment, Queue *queue);
  /// An operation of the current segment has ended. Returns the queues that may go on.
  Queue *leave();

private:
  struct Segment {
    QueueKind kind;
    uint64_t outstanding = 0;
    Queue *waiting = nullptr;
  };
  std::deque<Segment> list_{{QueueKind::Blocking}};
  uint64_t first_ = 0; ///< the number of list_.front(), the oldest with work left
};

} // namespace heddle::device::cpu

namespace heddle::device {

/// What the host changes with each operation and what workers change lie in cache lines of their
/// own.
struct Queue {
  cpu::CpuDevice *device = nullptr;
  QueueKind kind = QueueKind::Blocking;
  uint32_t level = 0; ///< 0 is the highest priority
  bool destroyed = false;
  bool backwards = false; ///< the last launch that was long went from the end of its grid
  ChildStream::Kind childKind = ChildStream::Kind::Named;
  cpu::GridChildren *grid = nullptr; ///< whose threads give it work; null: the host
  uint64_t childKey = 0;             ///< of the grid's maps
  bool isOfGraph = false;            ///< one graph's that a kernel has launched
  cpu::Op *tail = nullptr;
  std::atomic<uint64_t> enqueued{0};
  Queue *previous = nullptr, *next = nullptr; ///< the device's list

  alignas(cpu::CacheLine) cpu::Op *head = nullptr;
  std::atomic<uint64_t> completed{0};
  Queue *nextWaiting = nullptr;
  cpu::WaitNode *hostWaiting = nullptr;
  std::atomic<bool> isAwaited{false}; ///< hostWaiting, to be read without the lock
  Graph *graph = nullptr;    ///< it is a chain of this one: its operations are not the pool's
  bool hadFollowers = false; ///< EngineThreads::runFollowing ran some; belongs to who runs the head
};

struct Marker {
  uint32_t references = 0;
  std::atomic<bool> done{false};
  uint64_t time = 0; ///< valid once done
  uint64_t work = 0; ///< a Watcher's number of the record
  Queue *waiting = nullptr;
  cpu::WaitNode *hostWaiting = nullptr;
  Marker *nextFree = nullptr;
};

} // namespace heddle::device
