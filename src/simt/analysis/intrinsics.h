// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// How the result of a call varies over the lanes. The three thread indices are in this order.
enum class WarpBehaviour {
  Elementwise,           ///< each lane's result depends on its operands alone; no side effects
  Uniform,               ///< the same in all lanes that make the call (or no result)
  UniformInWarp,         ///< the same in all lanes of a CUDA warp
  UniformInWarpIfMaskIs, ///< ... if the member mask is
  ThreadIndexX,
  ThreadIndexY,
  ThreadIndexZ,
  LaneId,
  WarpId,
  PerLane, ///< anything else: a call for each lane
};

WarpBehaviour warpBehaviour(const llvm::CallInst &);

/// What the warp compiler must do for a call.
enum class CallKind {
  Drop,        ///< no meaning here: assume, lifetime markers, prefetch, debug
  Widen,       ///< an LLVM intrinsic that exists for vectors
  Math,        ///< a device library function with a vector form (math.def)
  Native,      ///< a device library function that is one instruction (native.h)
  Scalar,      ///< uniform: call it once
  ThreadIndex, ///< thread index or lane number
  Shuffle,
  Vote,
  Match,
  Reduce,
  ActiveMask,
  WarpSync,
  Elect,
  AllLanes,  ///< heddle.all (version_guards.h)
  NoLane,    ///< heddle.none (pass_notes.h)
  FirstLane, ///< heddle.first (pass_notes.h)
  BlockBarrier,
  GridBarrier,
  ClusterArrive, ///< at a cluster's or block's barrier in two pieces; waits for nobody
  ClusterWait,   ///< for all that have to arrive there
  InCluster,     ///< heddle.in_cluster (pass_notes.h)
  Print,
  AssertFail,
  Trap,
  BadCall, ///< heddle.bad.call (pass_notes.h)
  Breakpoint,
  Allocate,
  Release,
  Cas128,
  LoadPair, ///< two words in one access (frontend/ptx/lower/memory.cpp)
  StorePair,
  DeviceCall,     ///< a function of the device runtime (base/abi/device_calls.h)
  TensorCopy,     ///< (base/abi/tensor_map.h)
  MbarrierChange, ///< (mbarriers.h)
  MbarrierNote,
  AsyncNote,     ///< (async_copies.h)
  Fetch,         ///< heddle.fetch (prefetch_next_round.h)
  Aligned,       ///< heddle.aligned (find_misaligned.h)
  Check,         ///< heddle.check (insert_checks.h)
  Checked,       ///< heddle.checked
  Happened,      ///< heddle.happened (pass_notes.h)
  Shadow,        ///< heddle.shadow (pass_notes.h)
  Uninitialized, ///< heddle.uninitialized
  ShadowCopy,    ///< heddle.shadow_copy
  FloatCheck,    ///< heddle.float (lower/float_checks.h)
  CountBlock,    ///< heddle.count.block (pass_notes.h)
  CountAccess,   ///< heddle.count.access, heddle.count.local
  OnStack,       ///< heddle.on_stack (address_queries.h)
  Poll,          ///< heddle.poll (polls.h)
  Yield,         ///< heddle.yield (polls.h)
  Memory,        ///< memcpy, memmove, memset
  Device,        ///< a device function that was not inlined
  Indirect,      ///< through a function pointer
  Unknown,
};

CallKind callKind(const llvm::CallInst &);

/// The block's barrier in two pieces (include/heddle/groups/block.h).
inline constexpr char BlockArriveName[] = "__heddle_block_arrive";
inline constexpr char BlockWaitName[] = "__heddle_block_wait";
/// Of ClusterArrive and ClusterWait: the barrier is that of one block.
bool isOfOneBlock(const llvm::CallInst &);

/// The dimension of threadIdx that the value is.
std::optional<unsigned> threadDimension(const llvm::Value *);
/// The dimension of gridDim that the value is, in the thread's function.
std::optional<unsigned> gridDimension(const llvm::Value *, const llvm::Function &thread);

/// Waits for nobody and touches no memory.
bool onlyComputes(const llvm::CallInst &);
/// The same, or a load or store that nothing orders.
bool isFreeOfOrder(const llvm::Instruction &);

/// Of the threads of a warp with each other.
bool isWarpOperation(const llvm::CallInst &);

/// Orders accesses of the program for the compiler alone.
bool isThreadFence(const llvm::Instruction &);

/// Whether an instruction of the module orders accesses for other threads, too.
bool hasFences(const llvm::Module &);

/// Touches no global memory and waits for no other block. Barriers of the block and warp operations
/// order nothing that is looked at later.
bool staysInBlock(const llvm::CallInst &);

/// All threads of several blocks wait for each other there: of the grid or of a cluster.
bool isBarrierOfBlocks(const llvm::CallInst &);

/// Of the barriers of a block: __syncthreads() without a result.
bool isPlainBarrier(const llvm::CallInst &);

/// A call of heddle.all (pass_notes.h).
bool isAllLanes(const llvm::Value *);

/// The lane that a shuffle takes all lanes' values from, an operand: `shfl.idx` over the whole warp
/// that gives no more than the value. Null for others.
const llvm::Value *broadcastLane(const llvm::CallInst &);

/// The member mask operand of a vote, match or reduction.
const llvm::Value *memberMask(const llvm::CallInst &);

/// A device library function that has a vector form in SLEEF (math.def).
struct MathFunction {
  const char *name;     ///< "__nv_sinf"
  const char *sleef;    ///< "sin"
  const char *accuracy; ///< "u10"
  const char *scalar;   ///< the libm function for one value
  unsigned bits;        ///< 32 or 64: the element type
  unsigned arity;
};
/// Null if there is none of that name.
const MathFunction *findMathFunction(llvm::StringRef name);

} // namespace heddle::simt
