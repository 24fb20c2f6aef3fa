// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/checks.h"
#include "device/cpu/engine/counts.h"

#include "base/machine/processors.h"
#include "base/switches.h"
#include "device/cpu/engine/engine.h"
#include "device/cpu/engine/services.h"
#include "device/cpu/engine/watch.h"
#include "device/cpu/engine/worker.h"
#include "device/cpu/memory/pages.h"
#include "device/cpu/schedule/schedule.h"
#include "device/hooks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace heddle::device {

std::unique_ptr<Device> createCpuDevice() {
  noteForks();
  return std::make_unique<cpu::CpuDevice>();
}

namespace cpu {

/// Arrays that a kernel writes go past caches that cannot hold most of them (Launch::streamBytes):
/// the next kernel finds three quarters of an array of the cache's size in the cache, of one of
/// twice the size nothing. Measured with an array that one kernel writes and the next one updates,
/// on a last cache of 32 MB: through the caches 0.71 of the time with 32 MB, 1.12 with 48, 1.10
/// with 64. On two processors that are told of 260 MB: 0.98 with 32 MB, 0.88 with 64, 1.27 with
/// 128; but of arrays of 64 MB that nothing else reads 2.0.
static uint64_t streamBytes() {
  static const uint64_t bytes = usableCacheBytes() / 4 * 5;
  return bytes;
}

// Legality (turn-back):
//  1. No block of the kernel may wait for another one, which would come later than it:
//     KernelMaySpin, cooperative grids. [waits]
//  2. The kernel does not print: its blocks had better come in order. [prints]

/// Whether a launch may take its blocks from the end of the grid, and is long enough for it.
static bool mayTurn(const LaunchState &launch) {
  static const bool isEnabled = heddle::isEnabled("turn-back");
  const KernelInfo &kernel = *launch.kernel;
  uint64_t blockTime = kernel.blockTime.load(std::memory_order_relaxed);
  return isEnabled && !launch.cooperative && launch.clusterBlocks == 1 &&
         !(kernel.code->flags & (KernelMaySpin | KernelInOrder | KernelSequential)) &&
         schedule::worthTurning(launch.blocks, blockTime);
}

CpuDevice::CpuDevice() {
  EngineLock lock;
  all_.push_back(this);
}

CpuDevice::~CpuDevice() {
  synchronize();
  EngineLock lock;
  while (queues_)
    forget(queues_);
  std::erase(all_, this);
}

Result<void *> CpuDevice::allocate(size_t bytes) {
  void *base = mapGuarded(bytes);
  if (!base)
    return Failure{"no address space for " + std::to_string(bytes) + " bytes"};
  return base;
}

void CpuDevice::release(void *base, size_t bytes) { unmapGuarded(base, bytes); }

unsigned CpuDevice::workers() const { return Engine::get().workerCount(); }

void CpuDevice::reset() {
  synchronize();
  noteHeapEnds(heap_);
  heap_.clear();
  locals_.clear();
  print_.setCapacity(PrintBuffer::DefaultCapacity);
  fault_.store(Fault::None, std::memory_order_release);
  faultClaimed_.store(false);
}

// ---------------------------------------------------------------------------------------------------
// Queues.

Queue *CpuDevice::createQueue(QueueKind kind, int priority) {
  if (!Engine::get().start())
    return nullptr;
  Queue *queue = new Queue;
  queue->device = this;
  queue->kind = kind;
  int highest = static_cast<int>(PriorityLevels) - 1;
  queue->level = static_cast<uint32_t>(highest - std::clamp(-priority, 0, highest));
  EngineLock lock;
  queue->next = queues_;
  if (queues_)
    queues_->previous = queue;
  queues_ = queue;
  return queue;
}

void CpuDevice::destroyQueue(Queue *queue) {
  EngineLock lock;
  queue->destroyed = true;
  if (!queue->head)
    forget(queue);
}

void CpuDevice::forget(Queue *queue) {
  (queue->previous ? queue->previous->next : queues_) = queue->next;
  if (queue->next)
    queue->next->previous = queue->previous;
  delete queue;
}

// ---------------------------------------------------------------------------------------------------
// Work.

/// A task as an operation of that kind.
static void append(OpKind kind, Queue *queue, Task &task, bool isOfDevice = false) {
  EngineLock lock;
  Op *op = Engine::get().newOp(kind, queue);
  op->task = std::move(task);
  op->isOfDevice = isOfDevice;
  Engine::get().append(op);
}

void CpuDevice::enqueue(Queue *queue, Task task) { append(OpKind::Task, queue, task); }

void CpuDevice::enqueueHostFunction(Queue *queue, Task task, bool isOfDevice) {
  append(OpKind::HostFunction, queue, task, isOfDevice);
}
void CpuDevice::enqueueWait(Queue *queue, Task task) { append(OpKind::OutsideWait, queue, task); }

void CpuDevice::runNow(Queue *queue, Task task) {
  Engine &engine = Engine::get();
  HostWait wait;
  wait.remaining = 1;
  engine.lock();
  Op *op = engine.newOp(OpKind::Inline, queue);
  op->inlineWait = &wait;
  engine.append(op);
  engine.unlock();
  sleepOn(wait);
  if (fault() == Fault::None)
    runTask(*op, task);
  engine.lock();
  engine.finish(op);
  engine.unlock();
  flushPrintf();
}

void CpuDevice::copy(Queue *queue, void *to, const void *from, size_t bytes) {
  enqueue(queue, [=, this] {
    if (!copyBytes(to, from, bytes).isWhole)
      lose(Fault::IllegalAddress);
  });
}

void CpuDevice::fill(Queue *queue, void *to, int byte, size_t bytes) {
  enqueue(queue, [=, this] {
    if (!fillBytes(to, byte, bytes).isWhole)
      lose(Fault::IllegalAddress);
  });
}

LaunchParams::LaunchParams(const LaunchRequest &request) {
  if (request.paramBytes <= LaunchState::InlineParams)
    return;
  onHeap_.reset(new uint8_t[request.paramBytes]);
  std::memcpy(onHeap_.get(), request.params, request.paramBytes);
}

void CpuDevice::launch(Queue *queue, const LaunchRequest &request) {
  LaunchParams params(request);
  EngineLock lock;
  Op *op = Engine::get().newOp(OpKind::Launch, queue);
  setLaunch(*op, request, params);
  Engine::get().append(op);
}

void setLaunch(Op &op, const LaunchRequest &request, LaunchParams &params) {
  LaunchState &l = op.launch;
  l.heapParams = params.take();
  if (!l.heapParams && request.paramBytes)
    std::memcpy(l.params, request.params, request.paramBytes);
  l.kernel = request.kernel;
  l.forms = request.cooperative ? nullptr : request.forms;
  l.assign(l.rest, request.rest);
  if (request.rest)
    l.restBlocks = request.restBlocks;
  l.assign(l.note, request.note);
  l.assign(l.takesRest, false);
  for (int i = 0; i < 3; ++i) {
    l.abi.gridDim[i] = request.gridDim[i];
    l.abi.blockDim[i] = request.blockDim[i];
    l.abi.clusterDim[i] = request.clusterDim[i];
  }
  l.abi.params = l.heapParams ? l.heapParams : l.params;
  l.abi.globals = request.globals;
  l.abi.services = &cpuServices.services;
  l.abi.dynamicSharedBytes = request.dynamicSharedBytes;
  l.abi.sharedBytes = sharedBytesOf(*request.kernel->code, request.dynamicSharedBytes);
  l.abi.streamBytes = streamBytes();
  l.abi.runner = &op;
  l.abi.hasClusters = request.hasClusters;
  l.abi.isCooperative = request.cooperative;
  l.abi.multiGrid = request.multiGrid;
  l.abi.gridRank = request.gridRank;
  l.abi.gridBarrier = &l.gridBarrier;
  l.multiprocessors = request.multiprocessors;
  l.assign(l.checked, newChecked(request));
  l.blocks = uint64_t(request.gridDim[0]) * request.gridDim[1] * request.gridDim[2];
  l.clusterBlocks = 1;
  if (request.kernel->code->flags & KernelNeedsCluster)
    l.clusterBlocks = request.clusterDim[0] * request.clusterDim[1] * request.clusterDim[2];
  l.blocks /= l.clusterBlocks;
  l.cooperative = request.cooperative;
  l.assign(l.residentBlocks, request.residentBlocks ? request.residentBlocks : l.blocks);
  armLaunch(op);
}

void armLaunch(Op &op) {
  LaunchState &l = op.launch;
  l.abi.launchId = op.queue->device->nextLaunchId();
  bool turns = mayTurn(l);
  op.queue->backwards ^= turns;
  l.backwards = turns && op.queue->backwards;
  l.started = false;
  l.inActiveList = false;
  l.cancelled.store(false, std::memory_order_relaxed);
  l.participants.store(0, std::memory_order_relaxed);
  l.hangs = false;
  l.parts = nullptr;
  l.assign(l.parked, nullptr);
  l.assign(l.children, nullptr);
  l.assign(l.gridBarrier.arrived, 0U);
  l.assign(l.gridBarrier.phase, 0U);
  l.assign(l.grid, nullptr);
  l.next.store(0, std::memory_order_relaxed);
  for (std::atomic<uint64_t> *measured : {&l.blockTime, &l.timed, &l.timeSpent})
    measured->store(0, std::memory_order_relaxed);
  l.seenTime = 0;
  l.abi.check = nullptr;
  l.abi.count = nullptr;
  if (l.checked) [[unlikely]]
    beginChecked(op);
  if (l.kernel->code->counted) [[unlikely]]
    beginCounted(op);
}

// ---------------------------------------------------------------------------------------------------
// Markers and waiting.

Marker *CpuDevice::record(Queue *queue) {
  EngineLock lock;
  Engine &engine = Engine::get();
  Op *op = engine.newOp(OpKind::Record, queue);
  Marker *marker = engine.newMarker();
  marker->references = 2; // the operation's and the caller's
  op->marker = marker;
  engine.append(op);
  return marker;
}

void CpuDevice::waitFor(Queue *queue, Marker *marker) {
  EngineLock lock;
  Op *op = Engine::get().newOp(OpKind::Wait, queue);
  ++marker->references;
  op->marker = marker;
  Engine::get().append(op);
}

bool CpuDevice::isDone(Marker *marker) {
  bool isDone = marker->done.load(std::memory_order_acquire);
  if (isDone)
    noteSeen(marker);
  return isDone;
}
uint64_t CpuDevice::timeOf(Marker *marker) { return timeOfMarker(*marker); }
bool CpuDevice::hasHostTime() const { return !givesTimes(); }

void CpuDevice::retain(Marker *marker) {
  EngineLock lock;
  ++marker->references;
}

void CpuDevice::drop(Marker *marker) {
  EngineLock lock;
  Engine::get().dropMarker(marker);
}

void CpuDevice::synchronize(Marker *marker) {
  HostWait wait;
  WaitNode node{0, &wait, nullptr};
  {
    EngineLock lock;
    if (!marker->done) {
      wait.remaining = 1;
      Engine::get().addWait(marker->hostWaiting, &node);
    }
  }
  sleepOn(wait);
  noteSeen(marker);
  flushPrintf();
}

bool CpuDevice::isIdle(Queue *queue) {
  bool isIdle = queue->completed.load(std::memory_order_acquire) ==
                queue->enqueued.load(std::memory_order_relaxed);
  if (isIdle)
    noteSeen(queue);
  return isIdle;
}

void CpuDevice::synchronize(Queue *queue) {
  HostWait wait;
  WaitNode node{0, &wait, nullptr};
  if (!isIdle(queue)) {
    EngineLock lock;
    node.target = queue->enqueued.load(std::memory_order_relaxed);
    if (queue->head) {
      wait.remaining = 1;
      Engine::get().addWait(queue, &node);
    }
  }
  sleepOn(wait);
  noteSeen(queue);
  flushPrintf();
}

void CpuDevice::awaitQueues(HostWait &wait, std::deque<WaitNode> &nodes) {
  for (Queue *queue = queues_; queue; queue = queue->next) {
    if (!queue->head)
      continue;
    nodes.push_back({queue->enqueued.load(std::memory_order_relaxed), &wait, nullptr});
    wait.remaining.fetch_add(1, std::memory_order_relaxed);
    Engine::get().addWait(queue, &nodes.back());
  }
}

void CpuDevice::synchronize() {
  HostWait wait;
  std::deque<WaitNode> nodes; // stable addresses
  {
    EngineLock lock;
    awaitQueues(wait, nodes);
  }
  sleepOn(wait);
  noteAllSeen();
  flushPrintf();
}

} // namespace cpu
} // namespace heddle::device
