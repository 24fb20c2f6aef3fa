// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device does for checked code (base/abi/check_abi.h), and tells those who check.
#pragma once

#include "base/abi/check_abi.h"
#include "device/device.h"
#include "device/launch_proof.h"

#include <string>
#include <vector>

namespace heddle::device {

/// Threads of a block that wait at one place.
struct StuckThreads {
  uint32_t block[3];
  uint32_t first, last;   ///< numbers in the block
  std::string what;       ///< "waits at barrier 0"
  const SourceLoc *where; ///< null if it is not known
};

/// A launch that cannot end.
struct StuckLaunch {
  const Launch *launch;
  const char *kind; ///< "deadlock"
  std::string text;
  std::vector<StuckThreads> threads;
};

/// A kernel has lost its launch by what nobody looked at before, as an access of a texture's memory.
struct FaultedLaunch {
  const Launch *launch;
  const char *kind;     ///< "illegal-instruction"
  std::string text;     ///< "Illegal instruction"; of an access to `address` "global read"
  const void *address;  ///< null: it is no such access
  SourcePosition where; ///< line 0: not known
  bool hasThread;
  uint32_t thread, block[3];
  uint32_t count; ///< of threads
};

/// What orders operations of queues, as the program asks for it.
struct OrderStep {
  enum class Kind : uint8_t {
    Work,           ///< an operation
    HostWork,       ///< one that a host thread sees the end of
    Record,         ///< of a marker, or of none
    Wait,           ///< for a marker
    Graph,          ///< runs a graph: `operation`
    Tail,           ///< behind all others of `parent`
    Unknown,        ///< waits for memory, or for another process
    GraphBegins,    ///< the run of a graph by `operation`
    ChildrenSeen,   ///< a thread has waited for what its block has launched; `within`
    HostSeesMarker, ///< a host thread has seen that the marker is done
    HostSeesQueue,
    HostSeesAll,
  };
  Kind kind;
  QueueKind rule = QueueKind::NonBlocking;
  const void *device = nullptr, *queue = nullptr, *marker = nullptr;
  const CheckedLaunch *launch = nullptr; ///< of a launch of checked code
  const void *operation = nullptr;       ///< what stands in the queue
  bool isTask = false;                   ///< it may access memory (Checker::touched)
  /// What the queue belongs to: the operation that runs a graph; null: the host.
  const void *within = nullptr;
  const CheckedLaunch *parent = nullptr; ///< what the queue belongs to: a grid
};

/// What the API does with memory. Begins, Ends: it is allocated, and freed, in the order of a stream.
enum class Touch : uint8_t { Read, Write, Begins, Ends };
/// Memory that a copy, a fill or the like accesses: rows of slices.
struct TouchedRows {
  const void *at;
  size_t width, height, pitch, depth, slice;
  Touch touch;
};
/// By the task that the calling thread runs.
void noteTouched(const TouchedRows &);

/// Makes device memory inaccessible to host code until it is touched (cpu/memory/hidden.cpp): at most
/// so many pages of it, which are taken from `pages`.
void hideFromHost(size_t &pages);

/// Whether to look at more accesses of host code: of an address; not to the page that it has
/// accessed, to memory around it, or to any.
enum class HostTouch : uint8_t { GoesOn, EndsPage, EndsPiece, EndsAll };
/// All work that was asked for is done. False: some may wait for the host.
bool settle();
/// Host code's accesses of managed and page-locked memory, and of `more`, are told of until the next
/// system call or unwatchHost (cpu/memory/watched.cpp). False: they cannot be.
bool watchHost(const std::vector<Bounds> &more);
void unwatchHost();
/// A worker takes blocks of checked code, and warps of those that wait, in an order of that number's.
/// Before the first launch.
void shuffleOrder(uint64_t seed);
/// There is memory that kernels and host code share; there are variables of a program's that do.
void noteHostMemory(bool ofVariables = false);
bool hasHostMemory();

/// What is asked about launches of checked code. Called from workers, but for the end of a launch.
struct Checker {
  CheckServices services;
  /// A launch was asked for; CheckedLaunch::races is the checker's own.
  void (*launchBegins)(Launch *, CheckedLaunch &);
  /// A thread of a block has launched it, as the last work of its grid or not. Under the engine's lock,
  /// before it begins.
  void (*childBegins)(CheckedLaunch &, Block *by, uint32_t thread, bool isTail);
  /// Nothing was found in what has run of a launch.
  bool (*hasFoundNothing)(const CheckedLaunch &);
  /// Under the engine's lock, or not.
  void (*noteOrder)(const OrderStep &);
  /// By OrderStep::operation.
  void (*touched)(const void *operation, const TouchedRows &);
  /// Memory at an address is allocated: what was there before is not.
  void (*memoryBegins)(const void *, uint64_t bytes);
  /// The kernels' heap is given back.
  void (*heapEnds)(Bounds);
  /// The blocks of a launch are over, also if it was cancelled. Under the engine's lock: brief.
  void (*launchOver)(const Launch *);
  /// The program freed what begins there, in a call (numberCall) before this one, though the device
  /// keeps it. Brief.
  bool (*isGone)(const void *base, uint64_t call);
  /// It belongs to another device, whose memory a device (null: that of the call) may not use. Brief.
  bool (*isForeign)(const void *device, const void *base);
  /// A texture's texels lie between them, but in no array.
  bool (*isSampled)(Bounds);
  /// In place of the report of a plain run.
  void (*stuck)(const StuckLaunch &);
  /// The same; false: it says nothing.
  bool (*faulted)(const FaultedLaunch &);
  /// None of these blocks, which share memory, gets on any more: they wait for one another.
  bool (*waitsForEver)(const Block *const *, size_t count);
  /// From the handler of faults, on a thread that runs no kernels: hidden memory was touched.
  void (*touchedHidden)(const void *address, const void *code, bool isWrite);
  /// The same of memory that is not there: true if it has been noted, and who touched it is to go on.
  bool (*touchedNothing)(const void *address, bool isWrite);
  /// From the handler of faults, on a thread that watches: host code accesses memory.
  HostTouch (*touchedByHost)(const void *address, const void *code, bool isWrite);
  /// A launch begins, whose pointers have these values: CheckedLaunch::shadow; `tracked` is to be
  /// filled.
  void (*shadowLaunch)(ShadowedMemory &, const uint64_t *pointers, size_t count, uint64_t *tracked);
  /// It tells of accesses out of bounds: they do not pass (cpu/faults/overrun.cpp).
  bool findsOverruns = true;
};
/// In which checks nothing could be found in a launch of checked code by the host, with its parameters.
Proven prove(const LaunchRequest &);
/// The program has streams besides the default one: kernels may run at the same time.
void noteStreams();
/// Before the first launch of checked code.
void setChecker(const Checker *);
const Checker *checker();

/// Where an address lies, as a kernel sees it.
struct MemoryPlace {
  enum class Kind : uint8_t {
    None,   ///< in nothing that is known here: host memory, or nothing
    Free,   ///< in memory of the device's, of which nothing is allocated there
    Global, ///< an allocation: device, managed or pinned host memory
    Heap,   ///< a live block of malloc in kernels
    Shared, ///< the shared memory of the thread's block, or of one of its cluster
    Params, ///< the kernel's parameters, and barriers of grids
    Thread, ///< local memory of threads
  };
  Kind kind = Kind::None;
  Bounds bounds = {};    ///< of the allocation or block; of Thread: none
  bool isOfHeap = false; ///< of malloc in kernels, allocated or not
};
MemoryPlace placeOf(const Block *, const void *);
/// Where the API's allocations lie, or may lie later.
bool isAllocatorMemory(const void *);

/// Memory that kernels of a device share besides: the heap of malloc in kernels. Its shadow lies
/// `distance` behind it. None if the address is not in it.
struct ShadowOfHeap {
  uint8_t *shadow = nullptr;
  uint64_t bytes = 0; ///< up to the end
};
ShadowOfHeap heapShadowOf(const Block *, const void *);
/// Work of the API writes to the heap of a device's kernels: the block counts as written.
void forgetHeapShadow(Device &, const void *);
/// The shadow of shared memory at an address, as heapShadowOf.
ShadowOfHeap sharedShadowOf(const Block *, const void *);
/// Where the API's allocations lie, or may lie later.
Bounds allocatorMemory();
/// The live allocation at an address: bytes is 0 if there is none.
Bounds allocationAt(const void *);

/// What malloc in kernels of the block's device gave is free again. False: it gave no such block.
bool freeInHeap(Block *, void *);
/// All memory that malloc in kernels of the block's device may give.
Bounds heapOfBlock(const Block *);
/// What tells the devices of blocks apart.
const void *deviceOfBlock(const Block *);

/// Calls of the program are numbered in their order: launches, and what checks note.
uint64_t numberCall();
uint64_t callOf(const Launch *);
/// Of a kernel that runs: its name, demangled.
const char *kernelNameOf(const Launch *);
/// LaunchRequest::origin.
uint32_t originOf(const Launch *);
/// Launches of checked code that were asked for and are not over.
uint64_t liveCheckedLaunches();
/// Threads of a program: the lanes of a warp that services are told.
uint32_t lanesOf(const Launch *);
/// Blocks of a cluster run at the same time, each with its own shared memory. (Those that never access
/// each other's may not.)
bool runsClusters(const Launch *);

} // namespace heddle::device
