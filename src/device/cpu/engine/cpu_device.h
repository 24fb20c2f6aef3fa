// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/engine/print_buffer.h"
#include "device/cpu/engine/queue.h"
#include "device/cpu/memory/device_heap.h"

namespace heddle::device::cpu {

/// A launch's parameters, if they are longer than the operation has room for: copied before the
/// engine's lock is taken.
class LaunchParams {
public:
  explicit LaunchParams(const LaunchRequest &);
  uint8_t *take() { return onHeap_.release(); }

private:
  std::unique_ptr<uint8_t[]> onHeap_;
};

/// Makes an operation a launch.
void setLaunch(Op &, const LaunchRequest &, LaunchParams &);

/// The CPU as a CUDA device: device.h on the engine.
class CpuDevice final : public Device {
public:
  CpuDevice();
  ~CpuDevice() override;

  Result<void *> allocate(size_t bytes) override;
  void release(void *base, size_t bytes) override;

  Queue *createQueue(QueueKind, int priority) override;
  void destroyQueue(Queue *) override;
  void enqueue(Queue *, Task) override;
  void enqueueHostFunction(Queue *, Task, bool isOfDevice = false) override;
  void enqueueWait(Queue *, Task) override;
  void runNow(Queue *, Task) override;
  void copy(Queue *, void *to, const void *from, size_t bytes) override;
  void fill(Queue *, void *to, int byte, size_t bytes) override;
  void launch(Queue *, const LaunchRequest &) override;
  Graph *createGraph(std::span<GraphWork> works, std::span<const GraphValue> values,
                     const void *owner = nullptr) override;
  bool changeLaunch(GraphLaunch *, const LaunchChange &) override;
  void destroyGraph(Graph *) override;
  Marker *launchGraph(Queue *, Graph *, Marker *before, std::span<Marker *const> events) override;
  Marker *createMarker() override;

  Marker *record(Queue *) override;
  void waitFor(Queue *, Marker *) override;
  bool isDone(Marker *) override;
  void synchronize(Marker *) override;
  uint64_t timeOf(Marker *) override;
  bool hasHostTime() const override;
  void retain(Marker *) override;
  void drop(Marker *) override;

  bool isIdle(Queue *) override;
  void synchronize(Queue *) override;
  void synchronize() override;

  void flushPrintf() override { print_.flush(); }
  void setPrintfBytes(size_t bytes) override { print_.setCapacity(bytes); }
  size_t printfBytes() override { return print_.capacity(); }
  bool setHeapBytes(size_t bytes) override { return heap_.setCapacity(bytes); }
  size_t heapBytes() override { return heap_.capacity(); }
  bool inHeap(uint64_t address) override { return heap_.contains(address); }

  Fault fault() const override { return fault_.load(std::memory_order_acquire); }
  void lose(Fault fault) override {
    if (claimFault())
      loseFor(fault);
  }
  void reset() override;
  unsigned workers() const override;

  /// device::settle.
  static bool settle();

  // For the engine and the workers.
  SegmentList &segments() { return segments_; }
  uint64_t waitingChildren = 0; ///< launches of device code behind earlier work; under the lock
  /// A destroyed queue has run dry. Under the engine's lock.
  void forget(Queue *);
  /// The first fault is the one that is reported: true for the first caller, who then calls
  /// loseFor.
  bool claimFault() { return !faultClaimed_.exchange(true); }
  /// The context is lost from now on. After the report: a host that sees the error may exit.
  void loseFor(Fault fault) { fault_.store(fault, std::memory_order_release); }
  PrintBuffer &print() { return print_; }
  DeviceHeap &heap() { return heap_; }
  DeviceHeap &locals() { return locals_; } ///< of alloca in kernels
  uint64_t nextLaunchId() { return launchId_.fetch_add(1, std::memory_order_relaxed); }

private:
  /// Under the engine's lock: the wait is also for what the queues hold now.
  void awaitQueues(HostWait &, std::deque<WaitNode> &nodes);

  inline static std::vector<CpuDevice *> all_; ///< under the engine's lock
  SegmentList segments_;
  Queue *queues_ = nullptr; ///< under the engine's lock
  inline static std::atomic<uint64_t> launchId_{
      1}; ///< of all devices: checks tell launches apart by it
  // Apart from what each launch changes.
  alignas(CacheLine) std::atomic<Fault> fault_{Fault::None};
  std::atomic<bool> faultClaimed_{false};
  PrintBuffer print_;
  DeviceHeap heap_, locals_{size_t(256) << 20};
};

} // namespace heddle::device::cpu
