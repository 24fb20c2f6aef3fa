// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The children of a grid (device/children.h): queues of its own for what its threads ask for, and
// the count of what is not over. They exist from the first call of device code that may need them
// until the grid is over with all its children.
//
// A grid's operation stays the head of its queue until then, so what waits for the grid needs no
// rule of its own. Three things end it, in this order, each under the engine's lock: its blocks are
// through (endGrid), its last child is popped from its queue (leave), and the last of its tail
// launches, which wait in a queue behind a marker that is completed in between. Grids that end by
// their children are put into a list of the engine's, which pops them when it has no queue to
// advance: a chain of any length takes no stack.
//
// A block's null stream is a queue that exists only while there is work in it: an empty queue and a
// new one are the same, and a grid may have millions of blocks.
#pragma once

#include "device/children.h"
#include "device/cpu/engine/queue.h"

#include <unordered_map>
#include <unordered_set>

namespace heddle::device::cpu {

/// What the threads of one block have asked for.
struct BlockChildren {
  Queue *queue = nullptr; ///< its null stream, while there is work in it
  std::atomic<uint32_t> pending{0};
  bool isWatched = false; ///< somebody has the address of `pending`
};

class GridChildren final : public Children {
public:
  /// `grid`: the operation of the launch that runs.
  explicit GridChildren(Op &grid);
  ~GridChildren() override;

  ChildResult launch(const ChildStream &, const LaunchRequest &, uint64_t mostPending) override;
  ChildResult enqueue(const ChildStream &, Task) override;
  Queue *createStream() override;
  ChildResult destroyStream(Queue *) override;
  ChildEvent *createEvent() override;
  ChildResult destroyEvent(ChildEvent *) override;
  ChildResult record(const ChildStream &, ChildEvent *) override;
  ChildResult waitFor(const ChildStream &, ChildEvent *) override;
  const std::atomic<uint32_t> *pendingOf(uint64_t block) override;
  ChildResult launchGraph(Graph *, GraphStream) override;
  const void *currentGraph() override;
  uint32_t lastError(uint64_t block, uint32_t thread, bool clear) override;
  void setLastError(uint64_t block, uint32_t thread, uint32_t error) override;
  uint32_t depth() const override { return depth_; }
  const Op &grid() const { return grid_; }

  // For the engine, under its lock.

  /// The grid's blocks are through. True if nothing of its children is left; else the engine hears
  /// of the end later (endedGrids_).
  bool endGrid();
  /// A child has been popped from its queue.
  void leave(Op &child);
  /// A queue of the grid's that was given up has run dry.
  void forget(Queue *);

private:
  Queue *newQueue(ChildStream::Kind, uint64_t key);
  Queue *queueOf(const ChildStream &);
  /// The same for what events order: work that runs at once or at the end has no place in an order.
  Queue *orderedQueueOf(const ChildStream &);
  Queue *tailQueue();
  /// An operation at the end of the stream's queue, counted, not yet appended.
  Op *newChild(OpKind, Queue *, const ChildStream &);
  void dropIfUnused(uint64_t block);
  void settle();

  Op &grid_;
  const uint32_t depth_;
  uint64_t pending_ = 0, tailPending_ = 0; ///< operations that are not over
  bool gridOver_ = false, isTailOpen_ = false;
  Queue *tail_ = nullptr;
  Marker *tailGate_ = nullptr; ///< what the tail launches wait for
  std::unordered_map<uint64_t, BlockChildren> blocks_;
  std::unordered_map<uint64_t, Queue *> threads_;
  std::unordered_set<Queue *> streams_;
  uint64_t namedStreams_ = 0; ///< that there have been
  std::unordered_set<ChildEvent *> events_;
  std::unordered_map<uint64_t, uint32_t> errors_;
  std::atomic<bool> hasErrors_{false};
};

/// Of a launch that runs; made when they are first asked for. Without the lock.
GridChildren &childrenOf(Op &grid);

} // namespace heddle::device::cpu
