// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's view of a device: memory, queues of work, launches, markers. `cpu` is the only
// implementation so far (src/device/cpu); a GPU behind libcuda and the performance model will be
// others.
//
// A queue is a CUDA stream without CUDA's names: its work runs in order. A marker is what an event
// records: a point in a queue, with the time when the queue reached it. All functions may be called
// from any thread. Nothing here blocks except synchronize*, wait and the runNow family.
#pragma once

#include "base/abi/kernel_abi.h"
#include "base/result.h"
#include "device/block_box.h"
#include "device/task.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace heddle::device {

/// How a queue's order relates to the device's legacy queue (CUDA guide, "Default Stream").
enum class QueueKind : uint8_t {
  Legacy, ///< waits for all Blocking queues, and they wait for it
  Blocking,
  NonBlocking,
};

struct Queue;  ///< owned by the device
struct Marker; ///< reference counted; see Device::record
struct Graph;  ///< owned by the device; see Device::createGraph
struct GraphWork;
struct GraphLaunch;
struct LaunchChange; ///< graph.h
struct GraphValue;   ///< graph.h

/// Why a device's context is lost. The runtime maps it to CUDA's sticky errors.
enum class Fault : uint32_t {
  None,
  IllegalAddress,     ///< 700
  Assert,             ///< 710
  Trap,               ///< 719: __trap(), deadlock, bad indirect call
  IllegalInstruction, ///< 715
  MisalignedAddress,  ///< 716
  LaunchTimeout,      ///< 702
  HostLost,           ///< 719: anything else
  NoCompiler,         ///< 221: a kernel that must be compiled, and no compiler
};

/// What a report says about a kernel, and where its machine code lies.
/// How long lanes of a kernel wait for others of their warp: see cpu/block/block_runner.cpp.
struct WarpPatience {
  std::atomic<uint32_t> partings{0}; ///< how often they have given up
  std::atomic<uint64_t> progress{0}; ///< goes up when blocks get on
};

struct KernelInfo {
  const KernelCode *code = nullptr;
  const char *name = "";       ///< demangled
  const char *objectPath = ""; ///< the shared object, for the symbolizer; empty if there is none
  /// Written by the device: how long one block took, in 1/16 ns; 0 before the first launch.
  mutable std::atomic<uint64_t> blockTime{0};
  mutable WarpPatience patience{};
  /// The same kernel as a program of single threads, each of which can be started by itself (width
  /// 1 and KernelWaits), to find the thread of a fault. Compiled when it is first asked for; null
  /// if it cannot be had. Null where there is no compiler behind the kernel.
  const KernelInfo *(*makeThreadwise)(const KernelInfo &) = nullptr;
  void *owner = nullptr; ///< makeThreadwise's
};

class KernelForms;

/// One launch. `params` is copied by Device::launch; everything else must outlive the launch.
struct LaunchRequest {
  const KernelInfo *kernel = nullptr;
  uint32_t gridDim[3] = {1, 1, 1};
  uint32_t blockDim[3] = {1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  uint32_t clusterDim[3] = {1, 1, 1}; ///< gridDim is a multiple, MostClusterBlocks the most
  bool hasClusters = false;           ///< a size was named
  bool cooperative = false;
  MultiGrid *multiGrid = nullptr; ///< shared with launches on other devices; outlives them
  uint32_t gridRank = 0;
  uint64_t residentBlocks =
      0; ///< how many run at the same time if they wait for each other; 0: all
  const void *params = nullptr;
  uint32_t paramBytes = 0;
  uint16_t multiprocessors = 0; ///< of the board that the device stands for; 0: workers
  uint8_t *globals = nullptr;
  KernelForms *forms = nullptr; ///< other forms of `kernel`, which blocks may run in; null: none
  /// Of checked code: a form for the other blocks, once nothing was found in one; of counted code, for
  /// those that are not counted; null: all run in `kernel`. Not with `forms`.
  const KernelInfo *rest = nullptr;
  BlockBox restBlocks; ///< of checked code: which may run in it
  uint32_t origin = 0; ///< of checked code: the host's call stack, as the checks number them
  uint64_t note = 0;   ///< what a Watcher (watch.h) is told of it; 0: nothing
};

/// The allocation that an address belongs to or lies nearest to.
struct AllocationInfo {
  const void *base = nullptr;
  size_t bytes = 0;
  const char *kind = ""; ///< "device", "managed", "pinned host", "freed device", ...
  std::string variables =
      {}; ///< the program's variables in it, those nearest to the address first; empty if it is no module's
};

/// Asked when a fault is reported, on an ordinary thread (not in the signal handler). Returns false
/// if no allocation is within reach. Given by the runtime's allocator.
using FindAllocation = bool (*)(const void *address, AllocationInfo &);
void setAllocationFinder(FindAllocation);

/// "function\0file\0" and a line for an offset in a kernel's object: heddleJitSymbolize, loaded by
/// the runtime when the first fault is reported. Returns false if unknown.
struct SourcePosition {
  char function[256];
  char file[1024];
  uint32_t line;
};
using Symbolize = bool (*)(const char *objectPath, uint64_t offset, SourcePosition &);
void setSymbolizer(Symbolize);
/// Waits for reports of faults that are being written. Before the process takes down what they use.
void finishReports();

/// Calls body(context, i) for each i below `pieces`, on this thread and on workers that have
/// nothing else to do. Returns when all are done. Not from kernels.
void shareWork(uint64_t pieces, void (*body)(void *context, uint64_t piece), void *context);
/// How a copy or a fill ended. If not all of its memory could be accessed, a part is done.
struct AccessEnd {
  bool isWhole = true;
  uintptr_t address = 0; ///< that could not be accessed, if known
};
/// memmove and memset at the speed of the memory: much is shared, and goes past the caches if it
/// would fill them.
AccessEnd copyBytes(void *to, const void *from, size_t bytes);
AccessEnd fillBytes(void *to, int byte, size_t bytes);
/// The same of elements of 2 or 4 bytes.
AccessEnd fillElements(void *to, unsigned value, unsigned elementBytes, size_t bytes);

class Device {
public:
  virtual ~Device() = default;

  /// Pages of zeroed device memory with an inaccessible page on both sides. `bytes` is rounded up
  /// to pages. Fails when the system has no address space left. What is allocated counts for
  /// nobody: the runtime keeps the books.
  virtual Result<void *> allocate(size_t bytes) = 0;
  virtual void release(void *base, size_t bytes) = 0;

  virtual Queue *createQueue(QueueKind, int priority) = 0;
  /// Returns at once; the queue's work still runs, then it is gone.
  virtual void destroyQueue(Queue *) = 0;

  virtual void enqueue(Queue *, Task) = 0;
  /// Host functions run on one thread of their own: they may block. `isOfDevice`: it stands for a kernel,
  /// does not block, and tells what it accesses (checks.h).
  virtual void enqueueHostFunction(Queue *, Task, bool isOfDevice = false) = 0;
  /// For a task that waits for what is outside of the process: on a thread of its own, from its
  /// turn on.
  virtual void enqueueWait(Queue *, Task) = 0;
  /// Enqueues and waits; runs on the calling thread if nothing is before it.
  virtual void runNow(Queue *, Task) = 0;
  virtual void copy(Queue *, void *to, const void *from, size_t bytes) = 0;
  virtual void fill(Queue *, void *to, int byte, size_t bytes) = 0;
  virtual void launch(Queue *, const LaunchRequest &) = 0;

  /// A marker at the end of the queue, with one reference for the caller.
  virtual Marker *record(Queue *) = 0;
  /// Later work of the queue waits for the marker.
  virtual void waitFor(Queue *, Marker *) = 0;
  virtual bool isDone(Marker *) = 0;
  virtual void synchronize(Marker *) = 0;
  /// Nanoseconds of a monotonic clock. Only when done.
  virtual uint64_t timeOf(Marker *) = 0;
  /// The clock is nowNanoseconds, and not that of a GPU or of a model.
  virtual bool hasHostTime() const { return false; }
  virtual void retain(Marker *) = 0;
  virtual void drop(Marker *) = 0;

  /// Makes a graph of works, each of which comes behind those that it depends on. What a launch
  /// refers to must outlive the graph. `values` belong to the graph and to the bodies of its works.
  /// `owner` is what kernels of the graph are told of it (Children::currentGraph).
  virtual Graph *createGraph(std::span<GraphWork> works, std::span<const GraphValue> values,
                             const void *owner = nullptr) = 0;
  /// Changes a launch that has not begun in this run of its graph, for later runs, too. False if
  /// the parameters are not so many.
  virtual bool changeLaunch(GraphLaunch *, const LaunchChange &) = 0;
  /// Not while a launch of it is under way.
  virtual void destroyGraph(Graph *) = 0;
  /// One item of the queue: the works run in the order of their dependences, the next item when all
  /// have ended. A graph runs once at a time: `before`, if not null, is what an earlier launch of
  /// it gave. `events` are the markers of Record and Wait, by GraphWork::event; the launch takes
  /// over a reference of each, and completes those of Record. Null: nothing to wait for.
  /// Returns a marker of the end, with one reference for the caller.
  virtual Marker *launchGraph(Queue *, Graph *, Marker *before,
                              std::span<Marker *const> events) = 0;
  /// A marker that a Record of a launch to come will complete, with one reference for the caller.
  virtual Marker *createMarker() = 0;

  virtual bool isIdle(Queue *) = 0;
  virtual void synchronize(Queue *) = 0;
  /// All queues of this device.
  virtual void synchronize() = 0;

  /// Writes out what kernels have printed so far. The synchronize functions and runNow do it by
  /// themselves.
  virtual void flushPrintf() = 0;
  virtual void setPrintfBytes(size_t) = 0;
  virtual size_t printfBytes() = 0;
  virtual bool setHeapBytes(size_t) = 0; ///< cudaLimitMallocHeapSize; false once the heap is in use
  virtual size_t heapBytes() = 0;
  virtual bool inHeap(uint64_t address) = 0; ///< the heap of malloc in kernels

  /// The fault that lost the context, or None. After one, queued work is dropped.
  virtual Fault fault() const = 0;
  /// Loses the context for a reason that lies outside the device, unless it is lost already.
  virtual void lose(Fault) = 0;
  /// cudaDeviceReset: waits for what runs, drops the fault and the heap. Queues other than the
  /// legacy one must have been destroyed.
  virtual void reset() = 0;

  virtual unsigned workers() const = 0;
};

/// A CPU device. Several may exist; they share one pool of workers.
std::unique_ptr<Device> createCpuDevice();

/// Whether another process traces this one (ptrace).
bool isDebuggerAttached();

/// Whether this process was forked from one that had a device. It has the memory of that one, with
/// locks as they happened to be, and none of its threads: nothing of a device may be used.
bool isForkedCopy();

} // namespace heddle::device
