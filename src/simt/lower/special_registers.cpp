// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/special_registers.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/shape.h"
#include "simt/lower/lower_device.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

Value *loadField(IRBuilder<> &builder, Type *type, Value *object, uint64_t offset, bool invariant) {
  LoadInst *load = builder.CreateLoad(
      type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), object, offset));
  if (invariant)
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
  return load;
}

namespace {

/// What concerns clusters: a block's place in its cluster, and the cluster's in the grid, follow
/// from the block's place in the grid.
class ClusterRegisters {
public:
  ClusterRegisters(Function &thread, IRBuilder<> &builder) : thread_(thread), builder_(builder) {}

  Value *blocks(unsigned d) { return field(offsetof(Launch, clusterDim) + 4 * d); }
  Value *blockIndex(unsigned d) { return builder_.CreateURem(inGrid(d), blocks(d)); }
  Value *index(unsigned d) { return builder_.CreateUDiv(inGrid(d), blocks(d)); }
  Value *count(unsigned d) {
    return builder_.CreateUDiv(field(offsetof(Launch, gridDim) + 4 * d), blocks(d));
  }
  Value *blockRank() {
    Value *inPlane =
        builder_.CreateAdd(blockIndex(1), builder_.CreateMul(blocks(1), blockIndex(2)));
    return builder_.CreateAdd(blockIndex(0), builder_.CreateMul(blocks(0), inPlane));
  }
  Value *size() { return builder_.CreateMul(blocks(0), builder_.CreateMul(blocks(1), blocks(2))); }

private:
  Value *field(uint64_t offset) {
    return loadField(builder_, builder_.getInt32Ty(), thread_.getArg(ParamLaunch), offset, true);
  }
  Value *inGrid(unsigned d) { return thread_.getArg(ParamBlockX + d); }

  Function &thread_;
  IRBuilder<> &builder_;
};

Value *clusterRegister(Function &thread, IRBuilder<> &builder, Intrinsic::ID id) {
  ClusterRegisters cluster(thread, builder);
  switch (id) {
  case Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_x:
    return cluster.blocks(0);
  case Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_y:
    return cluster.blocks(1);
  case Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_z:
    return cluster.blocks(2);
  case Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_x:
    return cluster.blockIndex(0);
  case Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_y:
    return cluster.blockIndex(1);
  case Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_z:
    return cluster.blockIndex(2);
  case Intrinsic::nvvm_read_ptx_sreg_clusterid_x:
    return cluster.index(0);
  case Intrinsic::nvvm_read_ptx_sreg_clusterid_y:
    return cluster.index(1);
  case Intrinsic::nvvm_read_ptx_sreg_clusterid_z:
    return cluster.index(2);
  case Intrinsic::nvvm_read_ptx_sreg_nclusterid_x:
    return cluster.count(0);
  case Intrinsic::nvvm_read_ptx_sreg_nclusterid_y:
    return cluster.count(1);
  case Intrinsic::nvvm_read_ptx_sreg_nclusterid_z:
    return cluster.count(2);
  case Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank:
    return cluster.blockRank();
  case Intrinsic::nvvm_read_ptx_sreg_cluster_nctarank:
    return cluster.size();
  case Intrinsic::nvvm_is_explicit_cluster:
    return builder.CreateIsNotNull(loadField(builder, builder.getInt32Ty(),
                                             thread.getArg(ParamLaunch),
                                             offsetof(Launch, hasClusters), true));
  default:
    return nullptr;
  }
}

} // namespace

Value *specialRegister(Function &thread, IRBuilder<> &builder, Intrinsic::ID id,
                       const Options &options) {
  Value *launch = thread.getArg(ParamLaunch), *block = thread.getArg(ParamBlock);
  auto grid = [&](unsigned d) {
    return loadField(builder, builder.getInt32Ty(), launch, offsetof(Launch, gridDim) + 4 * d,
                     true);
  };
  auto ofBlock = [&](uint64_t offset) {
    return builder.CreateZExt(loadField(builder, builder.getInt16Ty(), block, offset, true),
                              builder.getInt32Ty());
  };
  unsigned threads = options.blockDim[0] * options.blockDim[1] * options.blockDim[2];
  switch (id) {
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return builder.getInt32(options.blockDim[0]);
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return builder.getInt32(options.blockDim[1]);
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return builder.getInt32(options.blockDim[2]);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return grid(0);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return grid(1);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return grid(2);
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return thread.getArg(ParamBlockX);
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return thread.getArg(ParamBlockY);
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return thread.getArg(ParamBlockZ);
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
    return builder.getInt32(WarpSize);
  case Intrinsic::nvvm_read_ptx_sreg_nwarpid:
    return builder.getInt32(divideCeil(threads, WarpSize));
  case Intrinsic::nvvm_read_ptx_sreg_smid: {
    // In turn: as the model has it (model/sample.h, blocksOfOne).
    Value *above = builder.CreateAdd(thread.getArg(ParamBlockY),
                                     builder.CreateMul(grid(1), thread.getArg(ParamBlockZ)));
    Value *number =
        builder.CreateAdd(thread.getArg(ParamBlockX), builder.CreateMul(grid(0), above));
    Value *own = ofBlock(offsetof(Block, smId));
    return builder.CreateSelect(
        builder.CreateICmpEQ(own, builder.getInt32(SmInTurn)),
        builder.CreateURem(number, ofBlock(offsetof(Block, multiprocessors))), own);
  }
  case Intrinsic::nvvm_read_ptx_sreg_nsmid:
    return ofBlock(offsetof(Block, multiprocessors));
  case Intrinsic::nvvm_read_ptx_sreg_gridid:
    return loadField(builder, builder.getInt32Ty(), launch, offsetof(Launch, launchId), true);
  case Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size:
    return loadField(builder, builder.getInt32Ty(), launch, offsetof(Launch, dynamicSharedBytes),
                     true);
  case Intrinsic::nvvm_read_ptx_sreg_total_smem_size:
    return loadField(builder, builder.getInt32Ty(), launch, offsetof(Launch, sharedBytes), true);
  default:
    return clusterRegister(thread, builder, id);
  }
}

} // namespace heddle::simt
