// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the contract between kernels and those that run them (base/abi/kernel_abi.h) has more for
// checked code (Mode::Checked): what it tells of its accesses.
//
// Checked code has programs of at most 32 lanes, one CUDA warp. Before each access of memory it
// compares the lanes' addresses with the bounds of the object that they are computed from. Only
// where a lane may lie outside, or where the object is not known, it asks `outside`, which looks at
// each lane, reports, and sends lanes that may not go on to memory that does no harm.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

struct Block;

/// What is looked for: bits of a set, in the request, the cache's key and HEDDLE_CHECK.
enum Checks : uint32_t {
  CheckMemory = 1, ///< bounds, alignment, freed memory
  CheckRaces = 2,
  CheckInit = 4, ///< reads of memory that nothing has written
  CheckSync = 8, ///< barriers
  CheckFloat = 16,
  CheckCancellation = 32, ///< differences that lose digits; with CheckFloat
  CheckWrites = 64,       ///< with CheckInit: only what is written counts, and nothing is reported
};

inline constexpr uint32_t AllChecks = 127; ///< bits

/// Those that look at each access, and not only at what is outside of its object.
inline constexpr uint32_t ChecksOfAll = CheckRaces;

enum class AccessKind : uint8_t { Read, Write, Atomic };
enum class AccessSpace : uint8_t { Global, Shared, Local, Constant, Param, Generic };

/// How an access orders others: bits.
enum AccessOrder : uint8_t {
  OrderStrong = 1, ///< atomic or volatile: two of them do not race
  OrderAcquire = 2,
  OrderRelease = 4,
  OrderPolled = 8,       ///< volatile, of an object that a loop polls
  OrderMaybeUnused = 16, ///< a read that the compiler may have brought before the branch it is for
  OrderMayWrite = 32, ///< a read of shared memory: data decides whether the thread writes it, too
  OrderTold = 64,     ///< OrderEvent::Happened follows
  OrderTakes = 128,   ///< a swap of constants, or an exchange for one, as one takes a lock by
};

/// How far an atomic operation or a fence reaches.
enum class AccessScope : uint8_t { Block, Cluster, Device, System };

/// A function that code was inlined into, and where.
struct SourceFrame {
  const char *function; ///< demangled
  const char *file;
  uint32_t line, column;
};

/// One access in the source. A constant of the kernel's object.
struct AccessSite {
  const SourceFrame *frames; ///< the user's innermost function first, the kernel last
  uint32_t frameCount;       ///< 0: the code has no line table
  uint32_t bytes;            ///< of one lane; 0: AccessedMemory::length says
  AccessKind kind;
  AccessSpace space; ///< of the object; Generic if it is not known
  uint8_t align;     ///< log2 of what the address must be a multiple of
  uint8_t isVolatile;
  uint8_t order;        ///< AccessOrder
  AccessScope scope;    ///< of an atomic operation
  const char *variable; ///< the object's name, or null
};

/// The bounds of what a pointer parameter points into. bytes is 0 where that is not known.
struct Bounds {
  const uint8_t *low;
  uint64_t bytes;
};

/// How a kernel uses the memory that a pointer parameter points to. KernelCode::checkedParams has it
/// above the offset.
enum class ParamUse : uint8_t {
  Shared, ///< not known
  Read,
  Own, ///< threads of a grid in x have elements of their own
};
inline constexpr unsigned ParamUseShift = 28;
constexpr uint32_t offsetOfParam(uint32_t word) { return word & ((1u << ParamUseShift) - 1); }
constexpr ParamUse useOfParam(uint32_t word) {
  return static_cast<ParamUse>(word >> ParamUseShift & 3);
}
inline constexpr uint8_t NoCheckedParam = 255;

inline constexpr uint32_t MostCheckedLanes = 32;

/// The lanes' addresses of an access that must be looked at.
struct AccessedMemory {
  /// In: where the lanes want to go. Out: where they may.
  uint8_t *pointers[MostCheckedLanes];
  Bounds bounds;   ///< of the object; bytes is 0 where it is not known, low where each has its own
  uint64_t length; ///< that a lane accesses, at most
  uint32_t suspects; ///< lanes outside of their object, or at an address that is misaligned; all
                     ///< lanes where the object is not known
  /// The code goes on from the first pointer, with the distances that the lanes had: either all
  /// pointers stay, or they all move by as much.
  uint32_t isRun;
  uint32_t isMoved; ///< out: of a run, the pointers have moved
};

/// What threads wait at, or do together.
enum class SyncKind : uint8_t {
  BlockBarrier,
  GridBarrier,
  ClusterBarrier,
  WarpOperation,
  Place,
  Mbarrier,
  AsyncCopy,
  Shuffle ///< whose value is used, and that has read it from a thread that has ended
};

/// What lanes are about to do with barriers that are objects, or come in pieces.
enum class SyncStep : uint32_t {
  MbarrierBegins, ///< numbers: arrivals that it expects
  MbarrierEnds,
  MbarrierLooks,   ///< numbers: a state, of which the highest bit is the phase
  MbarrierWaits,   ///< the same, in a loop that ends by nothing else
  MbarrierChanges, ///< numbers: arrivals; arrivals that later phases lack; bytes
  PieceArrives,    ///< at a barrier in two pieces, of the cluster or the block
  PieceWaits,
  CountedBarrier,  ///< numbers: threads
  AsyncCopyBegins, ///< numbers: bytes; simt's AsyncStep, as of the next two. It has been done
  AsyncCopiesCommit,
  AsyncCopiesWait, ///< numbers: groups that are not waited for, ~0: for all copies; the step
};
inline constexpr uint32_t SyncNumbers = 3;

/// A barrier, an operation of a warp, or another place in the source. A constant of the kernel's
/// object.
struct SyncSite {
  const SourceFrame *frames; ///< as of an AccessSite
  uint32_t frameCount;
  SyncKind kind;
  uint8_t number;    ///< among the kernel's barriers of the block and places, or NoSyncNumber
  uint8_t isAligned; ///< the threads of a warp must come to it together
  uint64_t behind;   ///< a bit for each number that every thread comes to that goes on behind it
  const char *name;  ///< of the function that the user calls, or null
};
inline constexpr uint8_t NoSyncNumber = 64;

/// Of what the result is looked at.
enum class FloatOperation : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Fma,
  Narrow, ///< of a double to a float
  ToInteger,
  IntegerDivide,
  Call,   ///< of a function of the library
  ToHalf, ///< of a float, as the next ones
  ToBfloat16,
  ToE4m3,
  ToE5m2,
  ToSmallInteger, ///< of a small type, through float
};
inline constexpr uint32_t MostFloatOperands = 3;

/// An operation in the source. A constant of the kernel's object.
struct FloatSite {
  const SourceFrame *frames; ///< as of an AccessSite
  uint32_t frameCount;
  FloatOperation operation;
  uint8_t operands;
  uint16_t bits;    ///< of an operand
  const char *name; ///< of a function that the user calls, or null
};

/// What orders accesses of threads. `detail` and `more` of CheckServices::ordered are
enum class OrderEvent : uint32_t {
  WarpSync,      ///< behind __syncwarp or a collective: detail: the mask; if it is 0, more: a mask
                 ///< for each lane
  BlockSync,     ///< behind a barrier of a block that is one program
  Fence,         ///< detail: AccessScope
  BarrierArrive, ///< before a barrier of some warps: detail: its number
  BarrierWait,   ///< behind it
  PieceArrive,   ///< the block's barrier in two pieces
  PieceWait,
  ClusterArrive,
  ClusterWait,
  WarpArrive, ///< before a collective of programs of less than a warp: detail: the mask
  WarpWait,
  GridSync, ///< behind a barrier of the grid
  Atomic, ///< a change of an mbarrier, or a look at it (detail: 1): more: an address for each lane
  Happened, ///< behind an access (OrderTold). Of one that may take a lock (OrderTakes): detail: the
            ///< lanes whose swap was done; more: the uint64_t that they found
};

/// Shadow memory (CheckInit) says of each bit of memory whether it was never written: 1. That of all
/// memory that the device's allocator has lies `distance` behind it.
struct ShadowedMemory {
  const uint8_t
      *low; ///< allocations begin at low + ShadowMargin; addresses below are shadowed, too
  uint64_t bytes;
  int64_t distance;
  const uint8_t *zeros;    ///< 2 * ShadowMargin: the shadow of what is not looked at
  const uint64_t *tracked; ///< for each of KernelCode::checkedParams: `bytes`; or 0, if all that it
                           ///< points to was written, or is not looked at
};
/// The lanes of a run reach that far. The shadow of what is outside of an object may be read there.
inline constexpr uint64_t ShadowMargin = 8192;
/// What a lane writes at most in one access.
inline constexpr uint64_t MostShadowed = 16;
/// The shadow of a block's shared memory of `bytes` begins that far before it. Before that are
/// 2 * ShadowMargin bytes for the shadow of writes that are not looked at.
constexpr uint64_t sharedShadowDistance(uint64_t bytes) {
  return (bytes + ShadowMargin - 1) / ShadowMargin * ShadowMargin + ShadowMargin;
}
constexpr uint64_t shadowSinkDistance(uint64_t bytes) {
  return sharedShadowDistance(bytes) + 3 * ShadowMargin;
}
/// What a block's shared memory then has before it.
constexpr uint64_t sharedShadowBytes(uint64_t bytes) { return shadowSinkDistance(bytes); }

struct CheckServices {
  /// Looks at an access of `lanes` of a warp, some of which are suspects.
  void (*outside)(Block *, uint32_t warp, uint32_t lanes, const AccessSite *, AccessedMemory *);
  /// Behind a write or an atomic operation of a run that `outside` has moved.
  void (*written)(Block *);
  /// `lanes` of a warp are about to access memory where they may: each lane `stride` bytes behind
  /// the one before it, or at an address of its own. For checks that look at each access
  /// (ChecksOfAll).
  /// `values`: what each lane is about to store or exchange, one behind the other; null if it is not
  /// told.
  void (*accessesRun)(Block *, uint32_t warp, uint32_t lanes, const AccessSite *, uint8_t *first,
                      int64_t stride, uint64_t length, const void *values);
  void (*accessesEach)(Block *, uint32_t warp, uint32_t lanes, const AccessSite *,
                       uint8_t *const *pointers, uint64_t length, const void *values);
  /// `lanes` of a warp have come to something that orders accesses (CheckRaces).
  void (*ordered)(Block *, uint32_t warp, uint32_t lanes, OrderEvent, uint32_t detail,
                  const void *more);
  /// `present` lanes of a warp come to a barrier, and `absent` ones will not, though they have not
  /// ended. `branch` is where they parted; null if it is not known.
  void (*barrier)(Block *, uint32_t warp, uint32_t present, uint32_t absent, const SyncSite *,
                  const SyncSite *branch);
  /// Lanes come to a place that has no barrier of the block behind it.
  void (*pastBarriers)(Block *, uint32_t warp, uint32_t lanes, const SyncSite *);
  /// An operation of a warp that may be wrong. `mask` is that of all lanes, or `masks` each one's.
  /// Of a Shuffle: the lanes that use such a value, and in place of the branch where they do so.
  void (*warpOperation)(Block *, uint32_t warp, uint32_t lanes, uint32_t absent, uint32_t mask,
                        const uint32_t *masks, const SyncSite *, const SyncSite *branch);
  /// `numbers`: MostCheckedLanes of each kind; null where the step has none, as `objects`.
  void (*syncStep)(Block *, uint32_t warp, uint32_t lanes, SyncStep, uint8_t *const *objects,
                   const uint64_t *numbers, const SyncSite *);
  /// Numbers that are none, or lost digits. Bit i of `which` stands for the lanes at i * step and
  /// behind it, up to the next one, and for those `period` lanes behind each other. Of `values` the
  /// first MostCheckedLanes are results, then come those of each operand.
  void (*badNumbers)(Block *, uint32_t warp, uint32_t lanes, uint32_t which, uint32_t step,
                     uint32_t period, const double *values, const FloatSite *);
  /// Replaces the lanes' pointers, each into memory that is not the allocator's, by those to its
  /// shadow; by `other` where it has none. Of a run the first pointer stands for all.
  void (*findShadow)(Block *, uint32_t lanes, uint8_t **pointers, uint32_t isRun, uint8_t *other);
  /// Lanes read what nothing has written. Of writes: they store what they have read so.
  void (*uninitialized)(Block *, uint32_t warp, uint32_t lanes, const AccessSite *,
                        uint8_t *const *pointers);
  /// A thread copies memory, or fills it: `from` is null.
  void (*copyShadow)(Block *, uint8_t *to, const uint8_t *from, uint64_t bytes);
  /// malloc and free of a lane, in place of Services::allocate and release.
  void *(*allocate)(Block *, uint64_t bytes, uint32_t warp, uint32_t lane, const AccessSite *);
  void (*release)(Block *, void *, uint32_t warp, uint32_t lane, const AccessSite *);
};

/// Launch::check of a launch of checked code.
struct CheckedLaunch {
  const CheckServices *services;
  const Bounds *bounds; ///< of the pointers that KernelCode::checkedParams lists
  /// A byte for `__constant__` variables, and then one for each of these pointers: that they cannot race
  /// in this launch, and accesses need not be told.
  const uint8_t *cannotRace;
  void *races;           ///< racecheck's own state of the launch
  ShadowedMemory shadow; ///< of CheckInit
  uint32_t checks;       ///< that look at it: those of its code
  /// Accesses of shared memory need not be told any more: the blocks that are still to come do what one
  /// has done, in which nothing was found.
  uint32_t sharedCannotRace;
  uint64_t findingsBefore; ///< that were noted when the launch was asked for
};

} // namespace heddle
