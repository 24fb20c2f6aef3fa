// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may run: see queue.h for the rules. An operation is appended, becomes the head of its queue,
// becomes ready (advanceHead), is run by a thread of workers.cpp, and is finished, which lets
// others advance.
#include "device/cpu/engine/engine.h"
#include "device/cpu/engine/checks.h"

#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/grid_children.h"
#include "device/cpu/engine/threads.h"
#include "device/cpu/engine/watch.h"
#include "device/cpu/schedule/grid_parts.h"

#include <new>
#include <type_traits>

namespace heddle::device::cpu {

void OpList::push(Op *op) {
  op->nextReady = nullptr;
  (head ? tail->nextReady : head) = op;
  tail = op;
}

Op *OpList::pop() {
  Op *op = head;
  if (op)
    head = op->nextReady;
  return op;
}

void ReadyLists::push(Op *op) {
  levels[op->queue->level].push(op);
  ++count;
}

Op *ReadyLists::pop() {
  if (count == 0)
    return nullptr;
  for (OpList &level : levels)
    if (Op *op = level.pop()) {
      --count;
      return op;
    }
  return nullptr;
}

Op *ReadyLists::first() const {
  for (const OpList &level : levels)
    if (level.head)
      return level.head;
  return nullptr;
}

Engine &Engine::get() {
  static Engine *engine = new Engine; // never destroyed: workers run until the process ends
  return *engine;
}

void Engine::unlock() {
  Sleeper *wakes = std::exchange(toWake_, nullptr);
  const void *hosts[MaxWakes];
  uint32_t hostCount = std::exchange(hostWakes_, 0);
  std::copy(hostsToWake_, hostsToWake_ + hostCount, hosts);
  pthread_mutex_unlock(&mutex_);
  while (wakes) {
    Sleeper *sleeper = wakes;
    wakes = sleeper->nextToWake; // before the exchange: the sleeper may sleep again right after it
    cpu::wake<Machine>(sleeper->state);
  }
  for (uint32_t i = 0; i < hostCount; ++i)
    futexWake(hosts[i]);
}

void SegmentList::addWaiting(uint64_t segment, Queue *queue) {
  Segment &s = list_[segment - first_];
  queue->nextWaiting = s.waiting;
  s.waiting = queue;
}

Queue *SegmentList::leave() {
  if (--list_.front().outstanding > 0 || list_.size() == 1)
    return nullptr;
  list_.pop_front();
  ++first_;
  return std::exchange(list_.front().waiting, nullptr);
}

// ---------------------------------------------------------------------------------------------------
// The pools.

Op *Engine::newOp(OpKind kind, Queue *queue) {
  while (opsInUse_ >= MaxOps && !onEngineThread()) {
    HostWait wait;
    WaitNode node{0, &wait, nullptr};
    wait.remaining = 1;
    addWait(fullWaiting_, &node);
    unlock();
    sleepOn(wait);
    lock();
  }
  if (!freeOps_) {
    constexpr uint32_t Slab = 64;
    Op *ops = new Op[Slab];
    for (uint32_t i = 0; i < Slab; ++i)
      ops[i].next = std::exchange(freeOps_, &ops[i]);
  }
  Op *op = freeOps_;
  freeOps_ = op->next;
  ++opsInUse_;
  op->next = nullptr;
  op->kind = kind;
  op->queue = queue;
  op->marker = nullptr;
  op->parent = nullptr;
  op->isWaitingChild = false;
  op->work = 0;
  // The next one lies in the cache of the worker that ended it. By the time it is asked for it is
  // here.
  if (freeOps_)
    for (size_t at = 0; at < offsetof(Op, launch.params) + CacheLine; at += CacheLine)
      __builtin_prefetch(reinterpret_cast<const char *>(freeOps_) + at, 1);
  return op;
}

void Engine::freeOp(Op *op) {
  op->next = freeOps_;
  freeOps_ = op;
  if (--opsInUse_ < MaxOps * 3 / 4 && fullWaiting_)
    wake(fullWaiting_, 0);
}

Marker *Engine::newMarker() {
  if (!freeMarkers_) {
    constexpr uint32_t Slab = 64;
    Marker *markers = new Marker[Slab];
    for (uint32_t i = 0; i < Slab; ++i)
      markers[i].nextFree = std::exchange(freeMarkers_, &markers[i]);
  }
  Marker *marker = freeMarkers_;
  freeMarkers_ = marker->nextFree;
  marker->references = 1;
  marker->done.store(false, std::memory_order_relaxed);
  marker->work = 0;
  return marker;
}

void Engine::dropMarker(Marker *marker) {
  if (--marker->references > 0)
    return;
  marker->nextFree = freeMarkers_;
  freeMarkers_ = marker;
}

Queue *Engine::newChildQueue() {
  if (!freeQueues_)
    return new Queue;
  Queue *queue = freeQueues_;
  freeQueues_ = queue->next;
  return new (queue) Queue; // nothing of it needs a destructor
}

void Engine::dropChildQueue(Queue *queue) {
  static_assert(std::is_trivially_destructible_v<Queue>);
  queue->next = std::exchange(freeQueues_, queue);
}

GridParts *Engine::newParts() {
  if (!freeParts_)
    return new GridParts;
  return std::exchange(freeParts_, freeParts_->nextFree);
}

void Engine::dropParts(GridParts *parts) {
  parts->nextFree = freeParts_;
  freeParts_ = parts;
}

// ---------------------------------------------------------------------------------------------------
// Host threads that wait.

void Engine::addWait(WaitNode *&list, WaitNode *node) {
  node->next = list;
  list = node;
}

void Engine::addWait(Queue *queue, WaitNode *node) {
  addWait(queue->hostWaiting, node);
  queue->isAwaited.store(true, std::memory_order_relaxed);
}

void Engine::wakeHost(HostWait *wait) {
  if (!countDown<Machine>(wait->remaining))
    return;
  // The HostWait may be gone.
  if (hostWakes_ < MaxWakes)
    hostsToWake_[hostWakes_++] = &wait->remaining;
  else
    futexWake(&wait->remaining);
}

void Engine::wake(WaitNode *&list, uint64_t completed) {
  WaitNode **link = &list;
  while (WaitNode *node = *link) {
    if (node->target > completed) {
      link = &node->next;
      continue;
    }
    *link = node->next;
    wakeHost(node->wait);
  }
}

static std::atomic<uint32_t> sleepingHosts{0};

uint32_t hostsWaiting() { return sleepingHosts.load(std::memory_order_relaxed); }

void sleepOn(HostWait &wait) {
  constexpr uint64_t SpinTime = 30'000;
  sleepingHosts.fetch_add(1, std::memory_order_relaxed);
  awaitAll<Machine>(wait.remaining, SpinTime);
  sleepingHosts.fetch_sub(1, std::memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------------
// Advancing.

void Engine::append(Op *op) {
  Queue *queue = op->queue;
  if (queue->kind != QueueKind::NonBlocking)
    op->segment = queue->device->segments().join(queue->kind);
  op->next = nullptr;
  if (isObserved.load(std::memory_order_relaxed)) [[unlikely]]
    noteAppended(*op);
  bool first = !queue->head;
  std::atomic_ref(first ? queue->head : queue->tail->next).store(op, std::memory_order_release);
  queue->tail = op;
  queue->enqueued.store(queue->enqueued.load(std::memory_order_relaxed) + 1,
                        std::memory_order_relaxed);
  if (first) {
    later(queue);
    advanceQueues();
  }
}

void Engine::later(Queue *queue) {
  queue->nextWaiting = nullptr;
  (toAdvance_ ? toAdvanceLast_->nextWaiting : toAdvance_) = queue;
  toAdvanceLast_ = queue;
}

void Engine::laterAll(Queue *list) {
  while (list)
    later(std::exchange(list, list->nextWaiting));
}

void Engine::advanceQueues() {
  for (;;) {
    while (Queue *queue = toAdvance_) {
      toAdvance_ = queue->nextWaiting;
      while (queue->head && advanceHead(queue))
        ;
      if (!queue->head && queue->destroyed)
        forget(queue);
    }
    Op *grid = endedGrids.pop();
    if (!grid)
      return;
    Queue *queue = grid->queue;
    freeGrid(grid);
    popHead(queue, grid);
    goOn(queue);
  }
}

void Engine::forget(Queue *queue) {
  if (queue->grid)
    queue->grid->forget(queue);
  else if (queue->isOfGraph)
    dropChildQueue(queue);
  else
    queue->device->forget(queue);
}

/// The blocks of a launch are through. False if its children are not: it ends with the last.
bool Engine::endGrid(Op *op) {
  GridChildren *children = op->launch.children.load(std::memory_order_relaxed);
  if (children && !children->endGrid())
    return false;
  freeGrid(op);
  return true;
}

void Engine::freeGrid(Op *op) {
  if (op->launch.note || op->work)
    watchLaunchOver(*op);
  if (op->launch.children.load(std::memory_order_relaxed)) [[unlikely]]
    delete op->launch.children.exchange(nullptr, std::memory_order_relaxed);
  if (!op->queue->graph) // whose operations run again
    deleteParams(op->launch);
}

bool Engine::advanceHead(Queue *queue) {
  Op *op = queue->head;
  if (queue->kind != QueueKind::NonBlocking) {
    SegmentList &segments = queue->device->segments();
    if (!segments.isCurrent(op->segment)) {
      segments.addWaiting(op->segment, queue);
      return false;
    }
  }
  switch (op->kind) {
  case OpKind::Record:
    if (op->marker)
      complete(op->marker);
    break;
  case OpKind::Graph:
  case OpKind::Choose:
    if (runGraph(op))
      return false;
    break;
  case OpKind::Wait:
    if (op->marker && !op->marker->done.load(std::memory_order_relaxed)) {
      queue->nextWaiting = op->marker->waiting;
      op->marker->waiting = queue;
      return false;
    }
    break;
  case OpKind::Inline:
    wakeHost(op->inlineWait);
    return false;
  case OpKind::Launch:
    if (op->isPassedOver && queue->graph)
      break;
    [[fallthrough]];
  case OpKind::Task:
  case OpKind::HostFunction:
  case OpKind::OutsideWait:
    makeReady(op);
    return false;
  }
  if (op->marker && !queue->graph)
    dropMarker(op->marker);
  popHead(queue, op);
  return true;
}

void Engine::complete(Marker *marker) {
  marker->time = nowNanoseconds();
  marker->done.store(true, std::memory_order_release);
  wake(marker->hostWaiting, 0);
  laterAll(std::exchange(marker->waiting, nullptr));
}

void Engine::popHead(Queue *queue, Op *op) {
  queue->head = op->next;
  uint64_t completed = queue->completed.load(std::memory_order_relaxed) + 1;
  queue->completed.store(completed, std::memory_order_release);
  if (queue->kind != QueueKind::NonBlocking)
    laterAll(queue->device->segments().leave());
  if (queue->hostWaiting) {
    wake(queue->hostWaiting, completed);
    queue->isAwaited.store(queue->hostWaiting != nullptr, std::memory_order_relaxed);
  }
  noLongerWaits(op);
  if (queue->graph) {
    if (op->kind == OpKind::Launch)
      armLaunch(*op);
    if (!queue->head)
      endChain(queue->graph);
    return;
  }
  if (op->parent)
    op->parent->leave(*op);
  freeOp(op);
}

/// Of the children that wait for earlier work, of which there may be so many.
void Engine::noLongerWaits(Op *op) {
  if (std::exchange(op->isWaitingChild, false))
    --op->queue->device->waitingChildren;
}

void Engine::finish(Op *op, unsigned count) {
  Queue *queue = op->queue;
  for (; count > 0; --count) {
    if (op->kind == OpKind::Launch && !endGrid(op)) // the last: none follows it (runFollowing)
      return advanceQueues();
    Op *next = op->next;
    popHead(queue, op);
    op = next;
  }
  goOn(queue);
  advanceQueues();
}

/// Only while it has something to do: a chain that has ended may begin anew and come here again.
void Engine::goOn(Queue *queue) {
  if (queue->head || queue->destroyed)
    later(queue);
}

void Engine::updateHint() {
  bool ready = readyTasks_.count + readyLaunches_.count > 0;
  if (ready != readyHint_.load(std::memory_order_relaxed))
    readyHint_.store(ready, std::memory_order_relaxed);
}

void Engine::makeReady(Op *op) {
  if (op->kind == OpKind::HostFunction)
    return giveToHostThread(op);
  if (op->kind == OpKind::OutsideWait) {
    if (!EngineThreads::startOutsideWait(*this, op))
      giveToHostThread(op); // one behind the other, then
    return;
  }
  noLongerWaits(op);
  bool isTask = op->kind == OpKind::Task;
  (isTask ? readyTasks_ : readyLaunches_).push(op);
  if (std::exchange(takesNext_, false))
    return; // at once: no hint, which would disturb those who wait beside a launch (team.cpp)
  updateHint();
  wakeForReady(isTask);
}

void Engine::giveToHostThread(Op *op) {
  readyHost_.push(op);
  if (std::exchange(hostThreadAsleep_, false))
    wakeSleeper(&hostThread_);
}

void Engine::wakeForReady(bool isTask) {
  if (idle_)
    wakeWorkers({1});
  else if (isTask && std::exchange(copierAsleep_, false))
    wakeSleeper(&copier_);
}

} // namespace heddle::device::cpu
