// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/intrinsics.h"

#include "base/abi/device_calls.h"
#include "base/abi/kernel_abi.h"
#include "base/abi/tensor_map.h"
#include "simt/analysis/async_copies.h"
#include "simt/analysis/mbarriers.h"
#include "simt/analysis/meeting_place.h"
#include "simt/analysis/pass_notes.h"
#include "simt/lower/lower_allocas.h"
#include "simt/lower/lower_device.h"
#include "simt/lower/native.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

namespace {

CallKind intrinsicKind(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::assume:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::prefetch:
  case Intrinsic::donothing:
  case Intrinsic::sideeffect:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::nvvm_prefetch_global_L1:
  case Intrinsic::nvvm_prefetch_global_L2:
  case Intrinsic::nvvm_prefetch_L1:
  case Intrinsic::nvvm_prefetch_L2:
    return CallKind::Drop;
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
  case Intrinsic::nvvm_read_ptx_sreg_warpid:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_eq:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_le:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_lt:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_ge:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_gt:
    return CallKind::ThreadIndex;
  case Intrinsic::nvvm_read_ptx_sreg_clock:
  case Intrinsic::nvvm_read_ptx_sreg_clock64:
  case Intrinsic::nvvm_read_ptx_sreg_globaltimer:
  case Intrinsic::nvvm_read_ptx_sreg_globaltimer_lo:
  case Intrinsic::nvvm_nanosleep:
    return CallKind::Scalar;
  case Intrinsic::nvvm_shfl_sync_bfly_f32:
  case Intrinsic::nvvm_shfl_sync_bfly_f32p:
  case Intrinsic::nvvm_shfl_sync_bfly_i32:
  case Intrinsic::nvvm_shfl_sync_bfly_i32p:
  case Intrinsic::nvvm_shfl_sync_down_f32:
  case Intrinsic::nvvm_shfl_sync_down_f32p:
  case Intrinsic::nvvm_shfl_sync_down_i32:
  case Intrinsic::nvvm_shfl_sync_down_i32p:
  case Intrinsic::nvvm_shfl_sync_idx_f32:
  case Intrinsic::nvvm_shfl_sync_idx_f32p:
  case Intrinsic::nvvm_shfl_sync_idx_i32:
  case Intrinsic::nvvm_shfl_sync_idx_i32p:
  case Intrinsic::nvvm_shfl_sync_up_f32:
  case Intrinsic::nvvm_shfl_sync_up_f32p:
  case Intrinsic::nvvm_shfl_sync_up_i32:
  case Intrinsic::nvvm_shfl_sync_up_i32p:
  case Intrinsic::nvvm_shfl_bfly_f32:
  case Intrinsic::nvvm_shfl_bfly_i32:
  case Intrinsic::nvvm_shfl_down_f32:
  case Intrinsic::nvvm_shfl_down_i32:
  case Intrinsic::nvvm_shfl_idx_f32:
  case Intrinsic::nvvm_shfl_idx_i32:
  case Intrinsic::nvvm_shfl_up_f32:
  case Intrinsic::nvvm_shfl_up_i32:
    return CallKind::Shuffle;
  case Intrinsic::nvvm_vote_all:
  case Intrinsic::nvvm_vote_any:
  case Intrinsic::nvvm_vote_uni:
  case Intrinsic::nvvm_vote_ballot:
  case Intrinsic::nvvm_vote_all_sync:
  case Intrinsic::nvvm_vote_any_sync:
  case Intrinsic::nvvm_vote_uni_sync:
  case Intrinsic::nvvm_vote_ballot_sync:
    return CallKind::Vote;
  case Intrinsic::nvvm_match_all_sync_i32p:
  case Intrinsic::nvvm_match_all_sync_i64p:
  case Intrinsic::nvvm_match_any_sync_i32:
  case Intrinsic::nvvm_match_any_sync_i64:
    return CallKind::Match;
  case Intrinsic::nvvm_redux_sync_add:
  case Intrinsic::nvvm_redux_sync_and:
  case Intrinsic::nvvm_redux_sync_max:
  case Intrinsic::nvvm_redux_sync_min:
  case Intrinsic::nvvm_redux_sync_or:
  case Intrinsic::nvvm_redux_sync_umax:
  case Intrinsic::nvvm_redux_sync_umin:
  case Intrinsic::nvvm_redux_sync_xor:
    return CallKind::Reduce;
  case Intrinsic::nvvm_activemask:
    return CallKind::ActiveMask;
  case Intrinsic::nvvm_bar_warp_sync:
    return CallKind::WarpSync;
  case Intrinsic::nvvm_elect_sync:
    return CallKind::Elect;
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
  case Intrinsic::nvvm_barrier_cta_sync_aligned_count:
  case Intrinsic::nvvm_barrier_cta_sync_all:
  case Intrinsic::nvvm_barrier_cta_sync_count:
  case Intrinsic::nvvm_barrier_cta_arrive_aligned_count:
  case Intrinsic::nvvm_barrier_cta_arrive_count:
  case Intrinsic::nvvm_barrier_cta_red_popc_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_popc_all:
  case Intrinsic::nvvm_barrier_cta_red_and_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_and_all:
  case Intrinsic::nvvm_barrier_cta_red_or_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_or_all:
    return CallKind::BlockBarrier;
  case Intrinsic::nvvm_barrier_cluster_arrive:
  case Intrinsic::nvvm_barrier_cluster_arrive_aligned:
  case Intrinsic::nvvm_barrier_cluster_arrive_relaxed:
  case Intrinsic::nvvm_barrier_cluster_arrive_relaxed_aligned:
    return CallKind::ClusterArrive;
  case Intrinsic::nvvm_barrier_cluster_wait:
  case Intrinsic::nvvm_barrier_cluster_wait_aligned:
    return CallKind::ClusterWait;
  case Intrinsic::trap:
  case Intrinsic::ubsantrap:
    return CallKind::Trap;
  case Intrinsic::debugtrap:
    return CallKind::Breakpoint;
  case Intrinsic::memcpy:
  case Intrinsic::memcpy_inline:
  case Intrinsic::memmove:
  case Intrinsic::memset:
  case Intrinsic::memset_inline:
    return CallKind::Memory;
  case Intrinsic::stacksave:
  case Intrinsic::stackrestore:
    return CallKind::Unknown;
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat:
  case Intrinsic::is_fpclass:
  case Intrinsic::frexp:
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::usub_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::umul_with_overflow:
    return CallKind::Widen;
  default:
    return isTriviallyVectorizable(id) ? CallKind::Widen : CallKind::Unknown;
  }
}

} // namespace

const MathFunction *findMathFunction(StringRef name) {
  static const MathFunction table[] = {
#define HEDDLE_MATH(NAME, BITS, ARITY, SLEEF, ACCURACY, SCALAR)                                    \
  {#NAME, SLEEF, ACCURACY, SCALAR, BITS, ARITY},
#include "simt/math.def"
  };
  for (const MathFunction &function : table)
    if (name == function.name)
      return &function;
  return nullptr;
}

CallKind callKind(const CallInst &call) {
  if (call.isInlineAsm())
    return CallKind::Unknown;
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return CallKind::Indirect;
  if (callee->isIntrinsic())
    return intrinsicKind(callee->getIntrinsicID());
  if (!callee->isDeclaration())
    return CallKind::Device;
  StringRef name = callee->getName();
  if (findMathFunction(name))
    return CallKind::Math;
  if (findNativeFunction(name))
    return CallKind::Native;
  return StringSwitch<CallKind>(name)
      .Case("vprintf", CallKind::Print)
      .Case("__assertfail", CallKind::AssertFail)
      .Case(BadCallName, CallKind::BadCall)
      .Cases({"malloc", LocalAllocateName}, CallKind::Allocate)
      .Cases({"free", LocalReleaseName}, CallKind::Release)
      .Case(AllLanesName, CallKind::AllLanes)
      .Case(NoLaneName, CallKind::NoLane)
      .Case("__heddle_grid_sync", CallKind::GridBarrier)
      .Case(BlockArriveName, CallKind::ClusterArrive)
      .Case(BlockWaitName, CallKind::ClusterWait)
      .Case("__heddle_breakpoint", CallKind::Breakpoint)
      .Case("__heddle_cas128", CallKind::Cas128)
      .Case("__heddle_load_pair", CallKind::LoadPair)
      .Case("__heddle_store_pair", CallKind::StorePair)
      .Case(DeviceCallName, CallKind::DeviceCall)
      .Case(TensorCopyName, CallKind::TensorCopy)
      .Case(MbarrierChangeName, CallKind::MbarrierChange)
      .Case(MbarrierNoteName, CallKind::MbarrierNote)
      .Case(AsyncNoteName, CallKind::AsyncNote)
      .Case(FetchName, CallKind::Fetch)
      .Case(AlignedName, CallKind::Aligned)
      .Case(CheckName, CallKind::Check)
      .Case(CheckedName, CallKind::Checked)
      .Case(HappenedName, CallKind::Happened)
      .Case(ShadowName, CallKind::Shadow)
      .Case(UninitializedName, CallKind::Uninitialized)
      .Case(ShadowCopyName, CallKind::ShadowCopy)
      .Case(OnStackName, CallKind::OnStack)
      .StartsWith(FloatCheckName, CallKind::FloatCheck)
      .StartsWith(FirstLaneName, CallKind::FirstLane)
      .Case(CountBlockName, CallKind::CountBlock)
      .Cases({CountAccessName, CountLocalName}, CallKind::CountAccess)
      .Case(PollName, CallKind::Poll)
      .Cases({YieldName, MeetName}, CallKind::Yield)
      .Case(InClusterName, CallKind::InCluster)
      .Default(CallKind::Unknown);
}

bool isAllLanes(const Value *value) {
  const auto *call = dyn_cast<CallInst>(value);
  return call && callKind(*call) == CallKind::AllLanes;
}

const Value *broadcastLane(const CallInst &call) {
  if (callKind(call) != CallKind::Shuffle || call.getType()->isStructTy() ||
      !call.getCalledFunction()->getName().contains(".idx."))
    return nullptr;
  unsigned last = call.arg_size() - 1;
  const auto *clamp = dyn_cast<ConstantInt>(call.getArgOperand(last));
  return clamp && clamp->getZExtValue() == 31 ? call.getArgOperand(last - 1) : nullptr;
}

const Value *memberMask(const CallInst &call) {
  return call.getArgOperand(callKind(call) == CallKind::Reduce ? 1 : 0);
}

WarpBehaviour warpBehaviour(const CallInst &call) {
  switch (callKind(call)) {
  case CallKind::Widen:
  case CallKind::Math:
  case CallKind::Native:
  case CallKind::FloatCheck:
    return WarpBehaviour::Elementwise;
  case CallKind::ThreadIndex:
    if (auto dimension = threadDimension(&call))
      return WarpBehaviour(unsigned(WarpBehaviour::ThreadIndexX) + *dimension);
    switch (call.getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_laneid:
      return WarpBehaviour::LaneId;
    case Intrinsic::nvvm_read_ptx_sreg_warpid:
      return WarpBehaviour::WarpId;
    default:
      return WarpBehaviour::PerLane;
    }
  case CallKind::Vote:
    switch (call.getIntrinsicID()) {
    case Intrinsic::nvvm_vote_all:
    case Intrinsic::nvvm_vote_any:
    case Intrinsic::nvvm_vote_uni:
    case Intrinsic::nvvm_vote_ballot:
      return WarpBehaviour::UniformInWarp;
    default:
      return WarpBehaviour::UniformInWarpIfMaskIs;
    }
  case CallKind::Match:
    return call.getType()->isStructTy() ? WarpBehaviour::UniformInWarpIfMaskIs
                                        : WarpBehaviour::PerLane;
  case CallKind::Reduce:
    return WarpBehaviour::UniformInWarpIfMaskIs;
  case CallKind::ActiveMask:
    return WarpBehaviour::UniformInWarp;
  case CallKind::Drop:
  case CallKind::Scalar:
  case CallKind::WarpSync:
  case CallKind::Fetch:
  case CallKind::Aligned:
  case CallKind::Checked:
  case CallKind::Happened:
  case CallKind::Uninitialized:
  case CallKind::ShadowCopy:
  case CallKind::CountBlock:
  case CallKind::CountAccess:
  case CallKind::MbarrierNote:
  case CallKind::AsyncNote:
  case CallKind::AllLanes:
  case CallKind::NoLane:
  case CallKind::FirstLane:
  case CallKind::BlockBarrier:
  case CallKind::GridBarrier:
  case CallKind::ClusterArrive:
  case CallKind::ClusterWait:
  case CallKind::InCluster:
  case CallKind::Poll:
  case CallKind::Yield:
    return WarpBehaviour::Uniform;
  default:
    return WarpBehaviour::PerLane;
  }
}

std::optional<unsigned> threadDimension(const Value *value) {
  const auto *call = dyn_cast<IntrinsicInst>(value);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return 0;
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return 1;
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return 2;
  default:
    return {};
  }
}

std::optional<unsigned> gridDimension(const Value *value, const Function &thread) {
  const auto *load = dyn_cast<LoadInst>(value);
  if (!load)
    return {};
  APInt offset(64, 0);
  const Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      thread.getDataLayout(), offset, /*AllowNonInbounds=*/true);
  offset -= offsetof(Launch, gridDim);
  if (base != thread.getArg(ParamLaunch) || offset.uge(sizeof(Launch::gridDim)))
    return {};
  return unsigned(offset.getZExtValue() / sizeof(Launch::gridDim[0]));
}

bool isFreeOfOrder(const Instruction &instruction) {
  if (const auto *call = dyn_cast<CallInst>(&instruction))
    return onlyComputes(*call);
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple();
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return store->isSimple();
  return !instruction.isAtomic();
}

bool onlyComputes(const CallInst &call) {
  switch (callKind(call)) {
  case CallKind::Drop:
  case CallKind::Aligned:
  case CallKind::Widen:
  case CallKind::Scalar:
  case CallKind::Math:
  case CallKind::FloatCheck:
  case CallKind::CountBlock:
  case CallKind::CountAccess:
  case CallKind::Native:
  case CallKind::ThreadIndex:
    return true;
  default:
    return false;
  }
}

bool isWarpOperation(const CallInst &call) {
  switch (callKind(call)) {
  case CallKind::Shuffle:
  case CallKind::Vote:
  case CallKind::Match:
  case CallKind::Reduce:
  case CallKind::ActiveMask:
  case CallKind::WarpSync:
  case CallKind::Elect:
    return true;
  default:
    return false;
  }
}

bool staysInBlock(const CallInst &call) {
  switch (callKind(call)) {
  case CallKind::Drop:
  case CallKind::Widen:
  case CallKind::Math:
  case CallKind::Native:
  case CallKind::CountBlock:
  case CallKind::CountAccess:
  case CallKind::ThreadIndex:
  case CallKind::BlockBarrier:
    return true;
  default:
    return isWarpOperation(call);
  }
}

bool isThreadFence(const Instruction &instruction) {
  const auto *fence = dyn_cast<FenceInst>(&instruction);
  return fence && fence->getSyncScopeID() == SyncScope::SingleThread;
}

bool hasFences(const Module &module) {
  return any_of(module, [](const Function &function) {
    return any_of(instructions(function), [](const Instruction &instruction) {
      return isa<FenceInst>(instruction) && !isThreadFence(instruction);
    });
  });
}

bool isOfOneBlock(const CallInst &call) {
  StringRef name = call.getCalledFunction()->getName();
  return name == BlockArriveName || name == BlockWaitName;
}

bool isBarrierOfBlocks(const CallInst &call) {
  CallKind kind = callKind(call);
  return kind == CallKind::GridBarrier || kind == CallKind::ClusterWait;
}

bool isPlainBarrier(const CallInst &call) {
  return call.getType()->isVoidTy() && call.getCalledFunction()->getName().ends_with(".all") &&
         isa<ConstantInt>(call.getArgOperand(0)) &&
         cast<ConstantInt>(call.getArgOperand(0))->isZero();
}

} // namespace heddle::simt
