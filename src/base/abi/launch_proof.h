// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler knows of all threads of a launch, for any parameters: a constant of checked code
// (KernelCode::proof), with which the device finds out before a launch which checks could find
// nothing in it (device/launch_proof.h).
//
// A node is an interval of numbers, in which a value of the kernel lies in all threads that come to
// a place, and how many of its lowest bits are 0. Nodes come behind those that they are made of.
#pragma once

#include <cstdint>

namespace heddle {

enum class ProofOp : uint32_t {
  Span,    ///< from value to more
  Param,   ///< the number of `value` bytes at an offset of the parameters, with its sign
  GridDim, ///< of the launch, in dimension `value`
  BlockIdx,
  Add,
  Subtract,
  Multiply,
  Divide, ///< as C does
  Remainder,
  ShiftRight, ///< of numbers that are not negative
  And,
  Or,
  Xor,
  Without, ///< a & ~b
  Smaller,
  Greater,
  Join, ///< either one
  Less, ///< whether a < b: 0 or 1
  Equal,
  AtMost,  ///< a, where it is b + value or less
  AtLeast, ///< a, where it is b + value or more
  Besides, ///< a, where it is not b
  Below, ///< a, where a + value, taken without a sign, is less than b; nothing is known if b is not
         ///< positive
  IfFits, ///< a, if b needs no more than `value` bits with a sign, and, where `more` is set, is not
          ///< negative; otherwise any number of so many bits
  Steps,  ///< a, where it is reached from b by any number of steps c
  Wrap,   ///< a in `value` bits with a sign
  Unsign, ///< a, a number of `value` bits with a sign, without it
};

struct ProofNode {
  ProofOp op;
  uint32_t a, b, c; ///< nodes; of Param a is the offset
  int64_t value, more;
};

/// All accesses of some instruction in the kernel.
struct ProvenAccess {
  uint32_t offset; ///< a node: bytes behind the parameter's pointer, or the object's begin
  uint32_t param;  ///< its offset among the parameters; NoProofParam: an object of `bytes`
  uint64_t length; ///< of the access
  uint64_t align;  ///< of the address
  uint64_t bytes;  ///< of the object. OfDynamicShared: what the launch asks for, from `before` on
  uint64_t before;
  uint64_t isShared; ///< in memory of the block
};
inline constexpr uint32_t NoProofParam = ~0u;
inline constexpr uint64_t OfDynamicShared = ~uint64_t(0);

/// Where a kernel accesses what a parameter points to: at
///
///     [low, high) + base + sum of dims: step * i, 0 <= i < count
struct ProvenPlace {
  uint32_t isWritten;
  uint32_t firstDim, dims;
  uint32_t base; ///< a node: the same number for all threads
  int64_t low, high;
};
/// All of them. No two threads race there if what one writes lies at no place of another.
struct ProvenUse {
  uint32_t param;
  uint32_t isWritten;
  uint32_t isOwn; ///< the rest is known
  uint32_t firstPlace = 0, places = 0, firstLimit = 0, limits = 0;
  uint32_t isAtomic = 0; ///< all are atomic operations for all threads, which order nothing
  uint32_t firstFit = 0, fits = 0;
};
/// `thread`: 0 to 2 threadIdx, 3 to 5 blockIdx, a part of their sum (PartOfDims, from FirstPartDim on),
/// a loop (from FirstLoopDim on), or any number that lies in a node, which is `count` (from FirstValueDim
/// on).
struct ProvenDim {
  uint32_t step, count; ///< nodes: a number; the highest number is what counts
  uint32_t thread;
  uint32_t isCounted; ///< of a loop: else it may go on for ever
};
inline constexpr uint32_t ThreadDims = 6;
inline constexpr uint32_t FirstPartDim = 1024, FirstLoopDim = 4096, FirstValueDim = 1 << 16;
constexpr bool isPartDim(uint32_t dim) { return dim >= FirstPartDim && dim < FirstLoopDim; }
/// A number that counts threads, such as threadIdx.x + blockDim.x * blockIdx.x, divided by another, or
/// what is left then.
struct PartOfDims {
  uint32_t order;   ///< the dimensions, plus 1, in four bits each: the lowest one counts first
  uint32_t divisor; ///< a node: a positive number
  uint32_t isHigh;  ///< the quotient
  uint32_t isMask;  ///< right if the divisor is a power of two
};
inline constexpr uint32_t ProofNotNegative = 256;
/// What a use says is right if a node needs no more bits, with a sign; maybe with ProofNotNegative.
struct ProvenFit {
  uint32_t node, bits;
};
/// The sum of factors * i of dims is less than a limit, in all threads that access anything there.
struct ProvenLimit {
  uint32_t limit;        ///< a node
  uint32_t first, count; ///< ProvenFactors
  uint32_t isOne;        ///< the sum is the same number in all of these threads
};
struct ProvenFactor {
  uint32_t thread;
  uint32_t factor; ///< a node
};

struct LaunchProof {
  const ProofNode *nodes;
  const ProvenAccess *accesses;
  const ProvenUse *uses;
  const ProvenDim *dims;
  const ProvenLimit *limits;
  const ProvenFactor *factors;
  const ProvenPlace *places;
  const uint32_t *alike; ///< nodes: conditions that must be the same for all threads
  const ProvenFit *fits;
  const PartOfDims *parts;
  uint32_t nodeCount, accessCount, useCount, alikeCount;
  uint32_t flags; ///< ProofFlags
};
enum ProofFlags : uint32_t {
  ProvesMemory = 1, ///< `accesses` are all that memcheck would look at
  ProvesRaces = 2,  ///< `uses` are all accesses of memory that threads of several blocks share
  UsesShared = 4,   ///< accesses shared memory
  /// What blocks do with shared memory, and how its accesses are ordered, is the same for all of
  /// them where the conditions of `alike` are.
  BlocksAlike = 8,
  LacksSync = 16,   ///< synccheck has nothing to look at
  LacksFloats = 32, ///< floatcheck has nothing to look at
  ReadsTexels = 64, ///< of any texture
};

} // namespace heddle
