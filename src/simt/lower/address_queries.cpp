// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/address_queries.h"

#include "base/kernel_abi.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/pass_notes.h"
#include "simt/lower/lower_device.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

namespace {

class AddressQuery {
public:
  AddressQuery(CallInst &call, uint64_t paramBytes)
      : call_(call), builder_(&call), function_(*call.getFunction()), paramBytes_(paramBytes) {}

  Value *answer() {
    switch (call_.getIntrinsicID()) {
    case Intrinsic::nvvm_isspacep_shared:
      return isShared();
    case Intrinsic::nvvm_isspacep_local:
      return isLocal();
    case Intrinsic::nvvm_isspacep_global:
      return builder_.CreateNot(builder_.CreateOr({isShared(), isLocal(), isParameter()}));
    default:
      break;
    }
    StringRef name = call_.getCalledFunction()->getName();
    if (name == "__heddle_is_parameter")
      return isParameter();
    return name == "__heddle_shared_memory" ? function_.getArg(ParamShared) : nullptr;
  }

private:
  Value *number(Value *pointer) { return builder_.CreatePtrToInt(pointer, builder_.getInt64Ty()); }
  Value *within(Value *base, Value *bytes) {
    Value *offset = builder_.CreateSub(number(call_.getArgOperand(0)), number(base));
    return builder_.CreateICmpULT(offset, bytes);
  }
  Value *launchField(Type *type, uint64_t offset) {
    Value *address = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(),
                                                         function_.getArg(ParamLaunch), offset);
    LoadInst *load = builder_.CreateLoad(type, address);
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(call_.getContext(), {}));
    return load;
  }

  Value *isShared() {
    Value *bytes = launchField(builder_.getInt32Ty(), offsetof(Launch, sharedBytes));
    return within(function_.getArg(ParamShared), builder_.CreateZExt(bytes, builder_.getInt64Ty()));
  }
  Value *isParameter() {
    return within(launchField(builder_.getPtrTy(), offsetof(Launch, params)),
                  builder_.getInt64(paramBytes_));
  }
  /// Shared memory may be a local variable of the whole block.
  Value *isLocal() {
    Value *pointer = builder_.CreateAddrSpaceCast(call_.getArgOperand(0), builder_.getPtrTy());
    return builder_.CreateAnd(emitOnStack(builder_, pointer), builder_.CreateNot(isShared()));
  }

  CallInst &call_;
  IRBuilder<> builder_;
  Function &function_;
  uint64_t paramBytes_;
};

} // namespace

Value *lowerAddressQuery(CallInst &call, uint64_t paramBytes) {
  return AddressQuery(call, paramBytes).answer();
}

} // namespace heddle::simt
