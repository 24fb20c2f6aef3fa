// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contract between compiled kernel code and the code that runs it.
//
// The JIT turns one kernel, for one block shape, into a small shared object. That object exports
// one symbol, `heddle_kernel`, a KernelCode. It refers to nothing but libm and libsleef: it calls the
// runtime through `Launch::services`. So a process that never loads LLVM can load a cached object
// with dlopen, and any number of processes share one object.
//
// Code that src/simt writes addresses fields of these structs by `offsetof`. When one changes,
// `KernelAbiVersion` goes up, which also invalidates every cached object.
//
// How a block runs.
//  - A kernel that never waits (no barrier): `runBlocks` runs all warps of all blocks of a range.
//  - A kernel that waits: each warp is a coroutine. `start` runs one warp to its first wait or to
//    its end. `resume` continues it. A warp's WarpState says what it waits for. The block runner
//    (src/device/cpu) calls them in turn; it alone releases barriers.
//  - A loop that polls memory for what another thread will write suspends its warp in each
//    iteration (WaitKind::Yield), so that the other warps of the block, and other blocks, run.
// A "warp" in this file is one call's worth of lanes: 32 threads at width 32, width threads
// below that (a CUDA warp is then several of these, and warp operations wait on WaitKind::Warp),
// and several CUDA warps above. Services are told warps of at most 32 lanes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

inline constexpr uint32_t KernelAbiVersion = 44;
inline constexpr const char *KernelSymbol = "heddle_kernel";

struct Block;
struct BlockTally;    ///< base/abi/count_abi.h
struct CheckedLaunch; ///< base/abi/check_abi.h
struct CountedCode;   ///< base/abi/count_abi.h
struct CountedLaunch; ///< base/abi/count_abi.h
struct LaunchProof;   ///< base/abi/launch_proof.h
struct Launch;

/// A source position baked into compiled code. `file` is null when the code has no line table.
struct SourceLoc {
  const char *file;
  uint32_t line;
  uint32_t column;
};

/// What compiled code asks of the runtime. Functions marked [noreturn] end the launch: they unwind
/// the worker (longjmp) and never come back. `lanes` are bit masks of the lanes that made the call.
struct Services {
  /// CUDA's device printf for one thread: `args` is laid out as `vprintf` takes it in PTX (each
  /// argument at its natural alignment). Returns what vprintf returns. CUDA guide, "Formatted
  /// Output".
  int32_t (*print)(Block *, const char *format, const void *args);
  /// A failed device assert. [noreturn] Error: cudaErrorAssert.
  void (*assertFail)(Block *, uint32_t warp, uint32_t lanes, const char *message, const char *file,
                     uint32_t line, const char *function);
  /// __trap(). [noreturn] Error: cudaErrorLaunchFailure.
  void (*trap)(Block *, uint32_t warp, uint32_t lanes, const SourceLoc *);
  /// A barrier that only `present` of the `live` lanes of a warp reach. `branch` is where they
  /// parted. Tells of it once; the warp has come then.
  void (*divergentBarrier)(Block *, uint32_t warp, uint32_t present, uint32_t live,
                           const SourceLoc *barrier, const SourceLoc *branch);
  /// In-kernel heap. Null when the heap (cudaLimitMallocHeapSize) is exhausted.
  void *(*allocate)(Block *, uint64_t bytes);
  void (*release)(Block *, void *);
  /// %clock64: a monotonic cycle counter; %globaltimer: nanoseconds.
  uint64_t (*clock)();
  uint64_t (*globalTimer)();
  void (*nanosleep)(uint32_t nanoseconds);
  /// __brkpt(): raises SIGTRAP if a debugger is attached, else nothing.
  void (*breakpoint)(Block *, uint32_t warp);
  /// An indirect call whose target is no device function of the module. [noreturn]
  void (*badCall)(Block *, uint32_t warp, uint64_t target, const SourceLoc *);
  /// A sequentially consistent read-modify-write or CAS that the target has no instruction for
  /// (16-byte CAS). Returns through `result`.
  void (*cas128)(void *address, const void *expected, const void *desired, void *result);
  /// KernelFibers: the running thread waits, as its WarpState says. Comes back when the runner
  /// resumes it.
  void (*suspend)(Block *);
  /// Whether an address lies on the running threads' stack or in their frames.
  bool (*onStack)(Block *, const void *);
  /// An access of `align` bytes at another address than a multiple of that. [noreturn] Error:
  /// cudaErrorMisalignedAddress.
  void (*misaligned)(Block *, uint32_t warp, uint32_t lanes, const void *address, uint32_t align,
                     const SourceLoc *);
  /// cudaGraphSetConditional: the value by which nodes of the running graph choose. Nothing where
  /// the graph has no such handle.
  void (*setGraphValue)(Block *, uint64_t handle, uint32_t value);
  /// A function of the device runtime for one thread (base/abi/device_calls.h): `function` is a
  /// DeviceFunction, `call` its DeviceCall. Returns a cudaError_t.
  uint32_t (*deviceCall)(Block *, uint32_t function, void *call);
  /// A tensor copy of one thread (base/abi/tensor_map.h): `copy` is a TensorCopy. Returns the bytes
  /// that the box has in shared memory. Errors: cudaErrorIllegalInstruction,
  /// cudaErrorMisalignedAddress.
  uint32_t (*tensorCopy)(Block *, void *copy, const SourceLoc *);
  /// Lanes of a warp that arrive at an mbarrier together and are in different phases of it, for
  /// which they would wait as one. [noreturn] Error: cudaErrorLaunchFailure.
  void (*otherPhase)(Block *, uint32_t warp, uint32_t lanes, const SourceLoc *);
};

/// What grids of a launch on several devices share (cudaLaunchCooperativeKernelMultiDevice): their
/// barrier, which compiled code goes through (include/heddle/groups/grid.h knows this layout).
struct MultiGrid {
  uint32_t grids;
  uint32_t arrived;
  uint32_t phase; ///< barriers so far
};

/// The barrier of a cooperative launch in two pieces, which compiled code goes through
/// (include/heddle/groups/grid.h knows this layout). Zero when the launch begins.
struct GridBarrier {
  uint32_t arrived; ///< threads
  uint32_t phase;   ///< barriers so far
};

/// What stays the same for all blocks of a launch. The runner owns it.
struct Launch {
  const uint8_t *params; ///< kernel parameters, packed at their ImageParam offsets
  uint8_t *globals;      ///< the module's globals block on this device (ImageHeader::globalsBytes)
  const Services *services;
  uint32_t gridDim[3];
  uint32_t blockDim[3]; ///< equals the shape that the code was compiled for
  uint32_t dynamicSharedBytes;
  uint32_t sharedBytes; ///< static (padded to 16) + dynamic
  uint64_t launchId;
  uint32_t clusterDim[3]; ///< blocks of a cluster; 1 in each dimension if there are none
  uint32_t hasClusters;   ///< the launch or the kernel names a cluster size
  uint32_t isCooperative;
  uint32_t gridRank;    ///< among the grids of multiGrid
  MultiGrid *multiGrid; ///< null if there are no others
  GridBarrier *gridBarrier;
  uint64_t streamBytes; ///< an array of this size or more had better not go through the caches
  const CheckedLaunch *check; ///< of checked code; otherwise null
  const CountedLaunch *count; ///< of counted code; otherwise null
  void *runner;               ///< the runner's own state; compiled code never looks into it
};

enum class WaitKind : uint32_t {
  None = 0,    ///< running, or finished
  Block = 1,   ///< __syncthreads and bar.sync/barrier.sync: barrierId, barrierThreads (0: the whole
               ///< block)
  Warp = 2,    ///< a warp operation at widths below 32: until all live threads of `mask` wait here
  Grid = 3,    ///< a grid barrier; legal only in a cooperative launch
  Cluster = 4, ///< the end of a cluster barrier, at which the warp has arrived; legal in any launch
  Yield = 5,   ///< a turn of a loop that polls memory: it may go on at once, but others go first
  Arrived = 6, ///< the end of the block's barrier in two pieces, at which the warp has arrived
  Meet = 7,    ///< lanes of a warp wait for the others, at widths below 32 (base/abi/meet_flags.h)
};

/// Of WarpState::hasArrived.
enum ArrivedAt : uint32_t { ArrivedAtCluster = 1, ArrivedAtBlock = 2 };

/// One warp's slot. Written by compiled code before it suspends.
struct WarpState {
  void *frame; ///< coroutine handle, or the runner's; null before start and after the end
  WaitKind wait;
  uint32_t barrierId;      ///< for Block; for Meet and Yield the place
  uint32_t barrierThreads; ///< for Block: threads that take part, 0 for all of the block; for Meet
                           ///< and Yield flags of meet_flags.h
  uint32_t mask;          ///< for Warp: the CUDA lane mask that takes part; for Meet the lanes that
                          ///< have come, then, by the runner, all that came to the same place
  uint32_t arriveOnly;    ///< bar.arrive: counts as arrival, the warp need not wait
  uint32_t polls;         ///< goes up whenever the warp comes to a polling loop anew
  uint32_t hasArrived;    ///< ArrivedAt: at barriers in two pieces whose end has not come. Compiled
                          ///< code sets it without waiting, the runner clears it
  const SourceLoc *where; ///< the waiting instruction; for Yield, the loop that polls
};

/// What the additions of a kernel are that a worker may put off (KernelCode::deferred).
enum class DeferredKind : uint32_t { None = 0, Int32 = 1, Int64 = 2, Float = 3, Double = 4 };

/// Sums that a worker has not added to global memory yet: `values` is an array of the deferred
/// kind. The sum for element a of memory (a is its address divided by its size) lies in cell
/// a % DeferredCells, or where neighbours follow a cell as far as theirs. Compiled code fills
/// cells; the runner adds them up and clears them before the worker leaves the launch.
///
/// Of an allocation that is small enough all sums are kept in a copy, each as far from its
/// beginning as in the allocation. Then no addresses need be compared.
inline constexpr uint32_t DeferredCells = 1024, DeferredMore = 1024;
/// More sums than this have been driven out of their cells by others: no new ones are kept.
inline constexpr uint64_t DeferredEvictions = 4096;
/// The copy of an allocation, as long as a launch.
struct DeferredWhole {
  uint64_t base, elements; ///< the allocation; 0 elements if there is none
  void *copy;              ///< the runner's memory, of zeros between launches
  uint64_t bytes;          ///< of the runner's memory
};
inline constexpr uint32_t MostDeferredWholes = 4;
struct DeferredAdds {
  uint64_t used;      ///< any cell or copy is
  uint64_t evictions; ///< DeferredEvictions from the start if nothing may be kept in this launch
  DeferredWhole wholes[MostDeferredWholes];         ///< of the first sums of DeferredObjects
  uint64_t addresses[DeferredCells + DeferredMore]; ///< 0: an empty cell
  uint64_t values[DeferredCells + DeferredMore];
};

/// Sums may be kept only if they lie in other allocations than what the kernel touches besides, for
/// it might see them missing. Given by the parameters that point to them.
struct DeferredObjects {
  static constexpr uint32_t Globals = ~0u; ///< the module's variables, in place of an offset
  uint32_t sums, others;                   ///< how many of each
  /// Offsets of parameters, those of sums first; behind them the DeferredKind of each sum.
  uint32_t words[1];
  DeferredKind kind(uint32_t sum) const { return DeferredKind(words[sums + others + sum]); }
};

/// The largest cluster (CUDA guide, "Thread Block Clusters": 16 on H100, where that is allowed).
inline constexpr uint32_t MostClusterBlocks = 16;

/// Block::smId of a device that stands for a board: its multiprocessors get blocks in turn.
inline constexpr uint16_t SmInTurn = 0xffff;

/// One block being executed. The runner fills all fields before a block starts except where noted.
struct Block {
  const Launch *launch;
  uint32_t blockIdx[3]; ///< runBlocks writes it for every block
  uint32_t currentWarp; ///< compiled code stores the warp it is in; read by the fault handler
  uint8_t *shared;      ///< aligned by KernelCode::sharedAlign: static shared memory, then dynamic
  WarpState *warps;     ///< one per warp of the block
  uint8_t *frameTop;    ///< bump pointer for coroutine frames, reset by the runner for each block
  uint8_t *frameEnd;    ///< a guard page follows
  uint32_t reduceTrue[2];  ///< __syncthreads_count/and/or: threads whose predicate holds; two cells
                           ///< used in turn
  uint32_t reduceFalse[2]; ///< ... and does not hold. The runner zeroes a cell one barrier before
                           ///< its next use
  uint32_t phase;          ///< number of block barriers released so far
  uint16_t smId; ///< %smid: index of the worker; SmInTurn: the board's that the model gives the block
  uint16_t multiprocessors; ///< %nsmid; at least 1
  uint8_t *warpScratch;    ///< below width 32: 32 x 16 bytes per CUDA warp for exchanging values
  DeferredAdds *deferred;  ///< if the kernel's code has a deferred kind
  /// The shared memory of the blocks of its cluster, by rank; null behind them.
  uint8_t *clusterShared[MostClusterBlocks];
  void *races = nullptr; ///< of checked code: racecheck's own state
  // Of counted code.
  BlockTally *tallies = nullptr; ///< of the worker that runs the block
  void *counter = nullptr;       ///< the same, of who counts
  void *trace = nullptr;         ///< the block's own
  uint32_t isTraced = 0;         ///< CountServices::came is to be told
};

enum KernelFlags : uint32_t {
  KernelWaits = 1,     ///< use start/resume; otherwise runBlocks. Its stores may be non-temporal: a
                       ///< fence is the runner's
  KernelNeedsGrid = 2, ///< holds a grid barrier: all blocks must be alive at once
  KernelFlushDenormals =
      8, ///< run it with denormal numbers taken for zero (-ftz=true, no double arithmetic)
  KernelSeparable =
      32, ///< KernelWaits only so that each warp can be started by itself: it never does wait
  KernelWarpWaits = 4,       ///< compiled below width 32 and holds warp operations
  KernelMaySpin = 16,        ///< holds a loop that may wait for what another block writes
  KernelInOrder = 128,       ///< prints: its blocks had better come in order
  KernelTrustsObjects = 256, ///< compiled for pointers into different allocations, as the request
                             ///< said (HeddleCompileRequest::objects)
  KernelTrustsShortObjects = 512, ///< compiled for objects of at most ShortObject bytes, and for
                                  ///< launches of at most MostIndices threads along x, as the
                                  ///< request said (HeddleCompileRequest::hasLongObjects)
  KernelNeedsCluster = 1024,      ///< holds a cluster barrier: all blocks of a cluster run at once
  KernelInterchanged = 4096,      ///< lanes are threads that differ in y first, then in x
  KernelCountsOnWarps = 2048,     ///< its meaning may rest on 32 threads of a warp going together
  KernelLooksAtParams = 8192, ///< code of CheckInit that looks at nothing else than what parameters
                              ///< point to: it need not be run where all of that was written
  KernelSequential = 32768, ///< counted code that reads clocks: one worker runs its blocks, in order
  KernelFibers = 64,          ///< with KernelWaits: each thread needs a stack of its own
};

/// Bytes of objects that indices of 32 bits reach every byte of, with some to spare on both sides
/// (simt/analysis/overflow.h).
inline constexpr uint64_t ShortObject = (uint64_t(1) << 31) - (uint64_t(1) << 25);
/// Threads along x whose indices are numbers of 32 bits that are not negative, with some to spare
/// for sums with small numbers (simt/canonical/natural_numbers.cpp).
inline constexpr uint64_t MostIndices = (uint64_t(1) << 31) - (uint64_t(1) << 24);

inline constexpr uint32_t MostAbreast = 8; ///< KernelCode::abreast

/// What a kernel's shared object exports as `heddle_kernel`.
struct KernelCode {
  uint32_t abiVersion;    ///< KernelAbiVersion
  uint32_t width;         ///< lanes per warp call: 1, 8, 16, 32 ... 1024
  uint32_t flags;         ///< KernelFlags
  uint32_t warpsPerBlock; ///< ceil(threads per block / width)
  uint64_t frameBytes; ///< upper bound for one warp's coroutine frame, 64-byte multiple; 0 if none
  uint32_t staticShared; ///< bytes of static shared memory
  DeferredKind deferred; ///< None: nothing is; otherwise the kind of DeferredAdds::values
  /// Runs blocks [first, first + count) of the grid in linear order: x fastest, but see `band`.
  /// Null if KernelWaits.
  void (*runBlocks)(const Launch *, Block *, uint64_t first, uint64_t count);
  /// Starts warp `warp` of the block. Sets warps[warp].frame to the handle, or to null if it ran to
  /// its end. Null unless KernelWaits.
  void (*start)(Block *, uint32_t warp);
  /// Resumes warp `warp`, which must have a frame. Sets the frame to null when it ends. Null unless
  /// KernelWaits, and with KernelFibers.
  void (*resume)(Block *, uint32_t warp);
  /// Pairs of a pointer parameter's offset and an alignment, a pair of zeros at the end: a launch
  /// with another address runs the threadwise form, which looks at each access. Null: none.
  const uint32_t *alignedParams;
  const DeferredObjects *deferredObjects; ///< null where there is nothing to compare
  /// With KernelWaits: so many neighbouring blocks should run in turns, from barrier to barrier; 0:
  /// one block after the other. At most MostAbreast, each block one program.
  uint32_t abreast;
  /// So many blocks above each other may be one call's work, of which Block::blockIdx names the
  /// first. A multiple of y then; otherwise 1.
  uint32_t together;
  /// So many neighbouring blocks in x may be one call's work, of which Block::blockIdx names the
  /// first; `width` then is of threads of several. Otherwise 1.
  uint32_t neighbours;
  /// The order of blocks: bands of so many rows, the last one maybe of fewer; in a band y fastest,
  /// then x. 1: x fastest, then y; AllRows: y fastest, then x.
  uint32_t band;
  /// What a block's shared memory must be aligned to, a power of two, 128 or more.
  uint32_t sharedAlign;
  /// Of checked code: the parameters whose bounds it asks for (CheckedLaunch::bounds) by their offset
  /// and ParamUse, and NoParam at the end. Otherwise null.
  const uint32_t *checkedParams;
  /// Of checked code: what is known of all its launches. May be null.
  const LaunchProof *proof;
  uint32_t checks;            ///< Checks (base/abi/check_abi.h)
  const CountedCode *counted; ///< of counted code; otherwise null
  /// KernelLooksAtParams holds for launches with at most so much dynamic shared memory.
  uint32_t writtenDynamicBytes;
};
inline constexpr uint32_t NoParam = ~0u;
inline constexpr uint32_t AllRows = ~0u; ///< KernelCode::band: of the whole grid

} // namespace heddle
