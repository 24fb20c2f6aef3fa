// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/kernel_abi.h"
#include "simt/lower/launch_proof_parts.h"
#include "simt/simt.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"

#include <map>

namespace heddle::simt {

/// The leading parameters of every thread program, all uniform in a warp.
enum ContextParam : unsigned {
  ParamLaunch,
  ParamBlock,
  ParamShared, ///< with ThreadProgram::cutsRows, without shared memory: how many blocks it runs
  ParamWarp,
  ParamBlockX,
  ParamBlockY,
  ParamBlockZ
};
inline constexpr unsigned ContextParams = 7;

/// What lowerDevice leaves behind.
struct ThreadProgram {
  llvm::Function *body = nullptr; ///< void body(launch, block, shared, warp, blockIdx.x, .y, .z)
  bool flushesByMode = false;     ///< -ftz=true, left to the processor's mode
  bool maySpin = false;           ///< see polls.h
  bool polls = false;             ///< see polls.h
  bool countsOnWarps = false;     ///< see warp_order.h
  bool hasFences = false;         ///< for other threads, not only for the compiler
  bool interchanged = false;      ///< see interchange_threads.h
  bool goesByRows = false;        ///< see interchange_block_rows.h
  bool goesByColumns = false;     ///< see columns.h
  bool cutsRows = false;          ///< a call runs blocks of a row, see cut_rows.h
  unsigned together = 1;          ///< blocks above each other that one program runs, see columns.h
  unsigned neighbours = 1;        ///< blocks that one program runs, see coarsen_blocks.h
  unsigned fewestNeighbours = 1;  ///< ... of those that are there: fewer run one by one
  unsigned band = 1;              ///< rows of blocks, see swizzle_blocks.h
  unsigned abreast = 0;           ///< blocks that take turns, see abreast.h; 0: none do
  bool usesFibers = false;        ///< a stack for each thread (choose_width.h)
  /// The kernel's pointer parameters by the loads that give them, and what their offsets in the
  /// parameter block must be multiples of (find_misaligned.h).
  llvm::DenseMap<llvm::LoadInst *, uint32_t> paramLoads;
  std::map<uint32_t, uint32_t> alignedParams;
  std::vector<uint32_t> checkedParams; ///< KernelCode::checkedParams
  LaunchProofParts proof;              ///< KernelCode::proof
  /// Of the proof: blocks are alike if reads that may come before a write count as writes
  /// (OrderMayWrite), which insert-checks says of them.
  bool areBlocksAlikeByReads = false;
  bool looksAtParamsOnly = false;             ///< KernelLooksAtParams
  uint32_t writtenDynamicBytes = ~0u;         ///< KernelCode::writtenDynamicBytes
  bool notesMbarriers = false;                ///< it may tell what is done with mbarriers
  bool trustsObjects = false;                 ///< it is right only for what Options::objects says
  bool trustsShortObjects = false;            ///< ... without Options::hasLongObjects
  uint64_t paramBytes = 0;                    ///< of the kernel's parameters
  DeferredKind deferred = DeferredKind::None; ///< see privatize_atomics.h
  std::vector<uint32_t> deferredSums, deferredOthers; ///< for DeferredObjects
  std::vector<DeferredKind> deferredKinds;            ///< of the sums
  unsigned staticShared = 0;                          ///< bytes
  unsigned sharedAlign = 128;                         ///< of shared memory as a whole
  bool usesDynamicShared = false;                     ///< holds an `extern __shared__` array
  std::vector<llvm::Function *>
      table; ///< device functions by number; null where this kernel has none
};

/// Retargets the module to the host and rewrites everything that is a matter of NVPTX into plain
/// IR: parameters and launch geometry become loads, shared variables offsets from the block's
/// shared memory, NVVM intrinsics LLVM's generic ones. What stays special is what concerns the
/// lanes of a warp: thread indices, warp operations, barriers (see intrinsics.h). Device functions
/// are inlined where possible.
///
///     %n = ...call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()   ->  i32 256
///     %p = kernel parameter 1                              ->  load ptr, (load launch->params) + 8
///     @tile = internal addrspace(3) global [32 x float]    ->  %shared + 128
llvm::Expected<ThreadProgram> lowerDevice(llvm::Module &, llvm::Function &kernel, const Options &,
                                          llvm::TargetMachine &);

} // namespace heddle::simt
