// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/address_queries.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/pass_notes.h"
#include "simt/lower/lower_device.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

namespace {

enum class Place { Unknown, Shared, Local, Global };

/// The block of the kernel's parameters.
bool isParameters(const Value &value) {
  const auto *load = dyn_cast<LoadInst>(&value);
  if (!load)
    return false;
  int64_t offset = 0;
  const Value *base = GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset,
                                                       load->getModule()->getDataLayout());
  return base == load->getFunction()->getArg(ParamLaunch) && offset == offsetof(Launch, params);
}

Place placeOfObject(const Value &object) {
  if (isa<AllocaInst>(object))
    return Place::Local;
  if (const auto *argument = dyn_cast<Argument>(&object))
    return argument->getArgNo() == ParamShared ? Place::Shared : Place::Unknown;
  if (const auto *variable = dyn_cast<GlobalVariable>(&object))
    return variable->getAddressSpace() == 3 ? Place::Shared : Place::Unknown;
  // Nobody can give a kernel a pointer to a thread's or a block's memory.
  const auto *load = dyn_cast<LoadInst>(&object);
  return load && isParameters(*getUnderlyingObject(load->getPointerOperand())) ? Place::Global
                                                                               : Place::Unknown;
}

/// Where all that the pointer may be based on lies, so that no thread need ask.
Place placeOf(const Value &pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(&pointer, objects, nullptr, /*MaxLookup=*/0);
  Place place = placeOfObject(*objects.front());
  return all_of(objects, [&](const Value *object) { return placeOfObject(*object) == place; })
             ? place
             : Place::Unknown;
}

class AddressQuery {
public:
  AddressQuery(CallInst &call, uint64_t paramBytes)
      : call_(call), builder_(&call), function_(*call.getFunction()), paramBytes_(paramBytes) {}

  Value *answer() {
    if (Value *known = knownAnswer())
      return known;
    switch (call_.getIntrinsicID()) {
    case Intrinsic::nvvm_isspacep_shared:
      return isShared();
    case Intrinsic::nvvm_isspacep_local:
      return isLocal();
    case Intrinsic::nvvm_isspacep_global:
      return builder_.CreateNot(
          builder_.CreateOr({isSharedOfAnyBlock(), isLocal(), isParameter()}));
    case Intrinsic::nvvm_isspacep_shared_cluster:
      return builder_.CreateICmpNE(clusterRank(), builder_.getInt32(MostClusterBlocks));
    case Intrinsic::nvvm_getctarank:
    case Intrinsic::nvvm_getctarank_shared_cluster:
      return clusterRank();
    case Intrinsic::nvvm_mapa:
    case Intrinsic::nvvm_mapa_shared_cluster:
      return mappedAddress();
    default:
      break;
    }
    StringRef name = call_.getCalledFunction()->getName();
    if (name == "__heddle_is_cooperative")
      return builder_.CreateIsNotNull(
          launchField(builder_.getInt32Ty(), offsetof(Launch, isCooperative)));
    if (name == "__heddle_multi_grid")
      return launchField(builder_.getPtrTy(), offsetof(Launch, multiGrid));
    if (name == "__heddle_grid_barrier")
      return launchField(builder_.getPtrTy(), offsetof(Launch, gridBarrier));
    if (name == "__heddle_grid_rank")
      return launchField(builder_.getInt32Ty(), offsetof(Launch, gridRank));
    if (name == "__heddle_is_parameter")
      return isParameter();
    if (name == "__heddle_shared_offset")
      return sharedOffset();
    return name == "__heddle_shared_memory" ? function_.getArg(ParamShared) : nullptr;
  }

private:
  Value *knownAnswer() {
    auto is = [&](Place asked) -> Value * {
      Place place = placeOf(*call_.getArgOperand(0));
      return place == Place::Unknown ? nullptr : builder_.getInt1(place == asked);
    };
    switch (call_.getIntrinsicID()) {
    case Intrinsic::nvvm_isspacep_shared:
      return is(Place::Shared);
    case Intrinsic::nvvm_isspacep_local:
      return is(Place::Local);
    case Intrinsic::nvvm_isspacep_global:
      return is(Place::Global);
    default:
      return nullptr;
    }
  }

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
  /// Addresses in other blocks' come from mapa only.
  bool mapsAddresses() const {
    return any_of(*call_.getModule(), [](const Function &function) {
      return function.getIntrinsicID() == Intrinsic::nvvm_mapa ||
             function.getIntrinsicID() == Intrinsic::nvvm_mapa_shared_cluster;
    });
  }
  Value *isSharedOfAnyBlock() {
    return mapsAddresses()
               ? builder_.CreateICmpNE(clusterRank(), builder_.getInt32(MostClusterBlocks))
               : isShared();
  }
  /// The offset in the own shared memory. In another block's the upper byte is one more than its
  /// rank (device_mbarrier.h).
  Value *sharedOffset() {
    auto offsetFrom = [&](Value *base) {
      return builder_.CreateSub(number(call_.getArgOperand(0)), number(base));
    };
    Value *own = offsetFrom(function_.getArg(ParamShared));
    if (!mapsAddresses())
      return own;
    Value *rank = builder_.CreateZExt(clusterRank(), builder_.getInt64Ty());
    Value *isOther =
        builder_.CreateAnd(builder_.CreateNot(isShared()),
                           builder_.CreateICmpNE(rank, builder_.getInt64(MostClusterBlocks)));
    Value *other =
        offsetFrom(sharedOf(builder_.CreateAnd(rank, builder_.getInt64(MostClusterBlocks - 1))));
    Value *block = builder_.CreateShl(builder_.CreateAdd(rank, builder_.getInt64(1)), 24);
    return builder_.CreateSelect(isOther, builder_.CreateOr(block, other), own);
  }
  /// Of the cluster's block `rank`, a number of 64 bits.
  Value *sharedOf(Value *rank) {
    Value *address = builder_.CreateConstInBoundsGEP1_64(
        builder_.getInt8Ty(), function_.getArg(ParamBlock), offsetof(Block, clusterShared));
    address = builder_.CreateGEP(builder_.getPtrTy(), address, rank);
    LoadInst *load = builder_.CreateLoad(builder_.getPtrTy(), address);
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(call_.getContext(), {}));
    return load;
  }
  /// The rank of the block whose shared memory an address lies in; MostClusterBlocks if it is none.
  Value *clusterRank() {
    Value *bytes = builder_.CreateZExt(
        launchField(builder_.getInt32Ty(), offsetof(Launch, sharedBytes)), builder_.getInt64Ty());
    Value *rank = builder_.getInt32(MostClusterBlocks);
    for (uint32_t i = 0; i < MostClusterBlocks; ++i)
      rank = builder_.CreateSelect(within(sharedOf(builder_.getInt64(i)), bytes),
                                   builder_.getInt32(i), rank);
    return rank;
  }
  /// The same place in the shared memory of another block. What is no rank of the cluster gives an
  /// address near zero, at which a kernel faults.
  Value *mappedAddress() {
    static_assert((MostClusterBlocks & (MostClusterBlocks - 1)) == 0);
    Value *rank = builder_.CreateZExt(
        builder_.CreateAnd(call_.getArgOperand(1), builder_.getInt32(MostClusterBlocks - 1)),
        builder_.getInt64Ty());
    Value *pointer = builder_.CreateAddrSpaceCast(call_.getArgOperand(0), builder_.getPtrTy());
    Value *offset = builder_.CreateSub(number(pointer), number(function_.getArg(ParamShared)));
    Value *mapped = builder_.CreateGEP(builder_.getInt8Ty(), sharedOf(rank), offset);
    return builder_.CreateAddrSpaceCast(mapped, call_.getType());
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

bool isClusterQuery(const CallInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_isspacep_shared_cluster:
  case Intrinsic::nvvm_getctarank:
  case Intrinsic::nvvm_getctarank_shared_cluster:
  case Intrinsic::nvvm_mapa:
  case Intrinsic::nvvm_mapa_shared_cluster:
    return true;
  default:
    return false;
  }
}

Value *lowerAddressQuery(CallInst &call, uint64_t paramBytes) {
  return AddressQuery(call, paramBytes).answer();
}

} // namespace heddle::simt
