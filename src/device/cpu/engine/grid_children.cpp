// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/engine/grid_children.h"

#include "device/cpu/engine/checks.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/engine.h"

#include <cassert>
#include <cstring>

namespace heddle::device {

struct ChildEvent {
  Marker *marker = nullptr; ///< of the latest record; null: none
};

} // namespace heddle::device

namespace heddle::device::cpu {

namespace {

/// Of a thread of a grid, for maps.
uint64_t keyOf(uint64_t block, uint32_t thread) { return block * 1024 + thread; }

} // namespace

GridChildren::GridChildren(Op &grid)
    : grid_(grid), depth_(grid.parent ? grid.parent->depth_ + 1 : 0) {}

GridChildren::~GridChildren() {
  assert(pending_ == 0 && tailPending_ == 0 && "a grid ends after its children");
  for (ChildEvent *event : events_) {
    if (event->marker)
      Engine::get().dropMarker(event->marker);
    delete event;
  }
  for (Queue *stream : streams_)
    Engine::get().dropChildQueue(stream);
  if (tail_)
    Engine::get().dropChildQueue(tail_);
  if (tailGate_)
    Engine::get().dropMarker(tailGate_);
}

GridChildren &childrenOf(Op &grid) {
  std::atomic<GridChildren *> &children = grid.launch.children;
  if (GridChildren *found = children.load(std::memory_order_acquire))
    return *found;
  EngineLock lock;
  if (!children.load(std::memory_order_relaxed))
    children.store(new GridChildren(grid), std::memory_order_release);
  return *children.load(std::memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------------
// Queues. All with the lock held.

Queue *GridChildren::newQueue(ChildStream::Kind kind, uint64_t key) {
  Queue *queue = Engine::get().newChildQueue();
  queue->device = grid_.queue->device;
  queue->kind = QueueKind::NonBlocking;
  queue->level = grid_.queue->level;
  queue->grid = this;
  queue->childKind = kind;
  queue->childKey = key;
  queue->destroyed = kind != ChildStream::Kind::Named && kind != ChildStream::Kind::Tail;
  return queue;
}

Queue *GridChildren::queueOf(const ChildStream &stream) {
  auto findOrMake = [&](Queue *&queue, uint64_t key) {
    return queue ? queue : queue = newQueue(stream.kind, key);
  };
  switch (stream.kind) {
  case ChildStream::Kind::Block:
    return findOrMake(blocks_[stream.block].queue, stream.block);
  case ChildStream::Kind::Thread: {
    uint64_t key = keyOf(stream.block, stream.thread);
    return findOrMake(threads_[key], key);
  }
  case ChildStream::Kind::Named:
    return streams_.contains(stream.queue) ? stream.queue : nullptr;
  case ChildStream::Kind::FireAndForget:
    return newQueue(stream.kind, 0);
  case ChildStream::Kind::Tail:
    return tailQueue();
  }
  return nullptr;
}

Queue *GridChildren::orderedQueueOf(const ChildStream &stream) {
  bool isOrdered =
      stream.kind != ChildStream::Kind::FireAndForget && stream.kind != ChildStream::Kind::Tail;
  return isOrdered ? queueOf(stream) : nullptr;
}

/// Its first operation waits for the marker that ends the grid's other children.
Queue *GridChildren::tailQueue() {
  if (tail_)
    return tail_;
  Engine &engine = Engine::get();
  tail_ = newQueue(ChildStream::Kind::Tail, 0);
  tailGate_ = engine.newMarker();
  Op *wait = newChild(OpKind::Wait, tail_, {ChildStream::Kind::Tail});
  ++tailGate_->references;
  wait->marker = tailGate_;
  engine.append(wait);
  return tail_;
}

void GridChildren::forget(Queue *queue) {
  switch (queue->childKind) {
  case ChildStream::Kind::Block:
    blocks_[queue->childKey].queue = nullptr;
    dropIfUnused(queue->childKey);
    break;
  case ChildStream::Kind::Thread:
    threads_.erase(queue->childKey);
    break;
  default:
    break;
  }
  Engine::get().dropChildQueue(queue);
}

void GridChildren::dropIfUnused(uint64_t block) {
  auto found = blocks_.find(block);
  const BlockChildren &children = found->second;
  if (!children.queue && !children.isWatched && children.pending == 0)
    blocks_.erase(found);
}

// ---------------------------------------------------------------------------------------------------
// Work.

Op *GridChildren::newChild(OpKind kind, Queue *queue, const ChildStream &stream) {
  Op *op = Engine::get().newOp(kind, queue);
  op->parent = this;
  op->parentBlock = stream.block;
  op->isTail = stream.kind == ChildStream::Kind::Tail;
  if (op->isTail) {
    ++tailPending_;
  } else {
    ++pending_;
    blocks_[stream.block].pending.fetch_add(1, std::memory_order_relaxed);
  }
  return op;
}

ChildResult GridChildren::launch(const ChildStream &stream, const LaunchRequest &request,
                                 uint64_t mostPending) {
  LaunchParams params(request);
  EngineLock lock;
  Engine &engine = Engine::get();
  Queue *queue = queueOf(stream);
  if (!queue)
    return ChildResult::BadHandle;
  CpuDevice &device = *queue->device;
  if (queue->head && device.waitingChildren >= mostPending)
    return ChildResult::Full;
  Op *op = newChild(OpKind::Launch, queue, stream);
  op->isWaitingChild = queue->head != nullptr;
  device.waitingChildren += op->isWaitingChild;
  setLaunch(*op, request, params);
  engine.append(op);
  noteChild(*op, stream);
  return ChildResult::Done;
}

ChildResult GridChildren::enqueue(const ChildStream &stream, Task task) {
  EngineLock lock;
  Queue *queue = queueOf(stream);
  if (!queue)
    return ChildResult::BadHandle;
  Op *op = newChild(OpKind::Task, queue, stream);
  op->task = std::move(task);
  Engine::get().append(op);
  return ChildResult::Done;
}

Queue *GridChildren::createStream() {
  EngineLock lock;
  return *streams_.insert(newQueue(ChildStream::Kind::Named, ++namedStreams_)).first;
}

ChildResult GridChildren::destroyStream(Queue *stream) {
  EngineLock lock;
  if (!streams_.erase(stream))
    return ChildResult::BadHandle;
  stream->destroyed = true;
  if (!stream->head)
    Engine::get().dropChildQueue(stream);
  return ChildResult::Done;
}

ChildEvent *GridChildren::createEvent() {
  EngineLock lock;
  return *events_.insert(new ChildEvent).first;
}

ChildResult GridChildren::destroyEvent(ChildEvent *event) {
  EngineLock lock;
  if (!events_.erase(event))
    return ChildResult::BadHandle;
  if (event->marker)
    Engine::get().dropMarker(event->marker);
  delete event;
  return ChildResult::Done;
}

ChildResult GridChildren::record(const ChildStream &stream, ChildEvent *event) {
  EngineLock lock;
  Engine &engine = Engine::get();
  Queue *queue = events_.contains(event) ? orderedQueueOf(stream) : nullptr;
  if (!queue)
    return ChildResult::BadHandle;
  if (event->marker)
    engine.dropMarker(event->marker);
  event->marker = engine.newMarker();
  event->marker->references = 2; // the operation's and the event's
  Op *op = newChild(OpKind::Record, queue, stream);
  op->marker = event->marker;
  engine.append(op);
  return ChildResult::Done;
}

ChildResult GridChildren::waitFor(const ChildStream &stream, ChildEvent *event) {
  EngineLock lock;
  Queue *queue = events_.contains(event) ? orderedQueueOf(stream) : nullptr;
  if (!queue)
    return ChildResult::BadHandle;
  if (!event->marker) {
    if (!queue->head && queue->destroyed)
      forget(queue);
    return ChildResult::Done;
  }
  Op *op = newChild(OpKind::Wait, queue, stream);
  ++event->marker->references;
  op->marker = event->marker;
  Engine::get().append(op);
  return ChildResult::Done;
}

const std::atomic<uint32_t> *GridChildren::pendingOf(uint64_t block) {
  EngineLock lock;
  noteChildrenSeen(grid_);
  auto found = blocks_.find(block);
  if (found == blocks_.end() || found->second.pending == 0)
    return nullptr;
  found->second.isWatched = true;
  return &found->second.pending;
}

// ---------------------------------------------------------------------------------------------------
// Errors.

uint32_t GridChildren::lastError(uint64_t block, uint32_t thread, bool clear) {
  if (!hasErrors_.load(std::memory_order_relaxed))
    return 0;
  EngineLock lock;
  auto found = errors_.find(keyOf(block, thread));
  if (found == errors_.end())
    return 0;
  uint32_t error = found->second;
  if (clear)
    errors_.erase(found);
  return error;
}

void GridChildren::setLastError(uint64_t block, uint32_t thread, uint32_t error) {
  EngineLock lock;
  errors_[keyOf(block, thread)] = error;
  hasErrors_.store(true, std::memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------------
// The end. All with the lock held.

bool GridChildren::endGrid() {
  gridOver_ = true;
  if (pending_ == 0 && tailPending_ == 0)
    return true;
  settle();
  return false;
}

void GridChildren::leave(Op &child) {
  if (child.isTail) {
    --tailPending_;
  } else {
    --pending_;
    BlockChildren &block = blocks_[child.parentBlock];
    if (block.pending.fetch_sub(1, std::memory_order_release) == 1)
      dropIfUnused(child.parentBlock);
  }
  settle();
}

void GridChildren::settle() {
  if (!gridOver_ || pending_ > 0)
    return;
  if (tailPending_ == 0)
    Engine::get().endedGrids.push(&grid_);
  else if (!std::exchange(isTailOpen_, true))
    Engine::get().complete(tailGate_);
}

} // namespace heddle::device::cpu
