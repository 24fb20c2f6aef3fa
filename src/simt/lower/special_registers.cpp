// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/special_registers.h"

#include "base/kernel_abi.h"
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

Value *specialRegister(Function &thread, IRBuilder<> &builder, Intrinsic::ID id,
                       const Options &options) {
  Value *launch = thread.getArg(ParamLaunch), *block = thread.getArg(ParamBlock);
  auto grid = [&](unsigned d) {
    return loadField(builder, builder.getInt32Ty(), launch, offsetof(Launch, gridDim) + 4 * d,
                     true);
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
  case Intrinsic::nvvm_read_ptx_sreg_smid:
    return loadField(builder, builder.getInt32Ty(), block, offsetof(Block, smId), true);
  case Intrinsic::nvvm_read_ptx_sreg_gridid:
    return loadField(builder, builder.getInt32Ty(), launch, offsetof(Launch, launchId), true);
  case Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size:
    return loadField(builder, builder.getInt32Ty(), launch, offsetof(Launch, dynamicSharedBytes),
                     true);
  case Intrinsic::nvvm_read_ptx_sreg_total_smem_size:
    return loadField(builder, builder.getInt32Ty(), launch, offsetof(Launch, sharedBytes), true);
  default:
    return nullptr;
  }
}

} // namespace heddle::simt
