// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/widener.h"

#include "base/abi/kernel_abi.h"
#include "simt/lower/debugged_threads.h"
#include "simt/lower/lower_nvvm.h"

using namespace llvm;

namespace heddle::simt {

Widener::Widener(WidenContext &context, Function &thread, Function &warp, const BlockOrder &order,
                 const Shapes &shapes, const DominatorTree &dominators,
                 std::vector<unsigned> sameMasks)
    : facts_(order, shapes, dominators, std::move(sameMasks),
             {context.options.width, context.options.blockDim}),
      e_(context, thread, warp, shapes), masks_(e_), arrays_(e_), values_(e_, arrays_),
      loops_(e_, masks_, arrays_), flow_(e_, facts_, masks_, values_),
      elementwise_(e_, masks_, values_), registers_(e_, facts_),
      memory_(e_, masks_, arrays_, values_), variables_(e_, values_),
      prefetches_(e_, facts_, masks_, arrays_, values_, loops_),
      serialized_(e_, facts_, arrays_, values_, loops_, memory_, registers_),
      atomics_(e_, masks_, arrays_, values_, loops_), allLanes_(e_, masks_, values_),
      intrinsics_(e_, arrays_, values_, loops_), services_(e_, masks_, arrays_, values_, loops_),
      checkCalls_(e_), checks_(e_, masks_, values_, checkCalls_), counts_(e_, masks_, values_),
      syncChecks_(e_, facts_, masks_, values_, flow_, checkCalls_),
      floatChecks_(e_, masks_, values_, checkCalls_), events_(e_, masks_, values_, checkCalls_),
      initChecks_(e_, masks_, arrays_, values_, loops_, checkCalls_, checks_),
      mbarriers_(e_, masks_, arrays_, values_, loops_, services_),
      devices_(e_, masks_, arrays_, values_, services_),
      operations_(e_, masks_, arrays_, values_, loops_, flow_, services_, syncChecks_) {}

/// Loads the parameters before the warp says that it runs: behind a volatile store they could not
/// leave the loop over warps. They cannot fault.
static void loadParametersBefore(StoreInst &mark, BasicBlock &block, Argument &launch) {
  auto baseOf = [](Value *pointer) {
    auto *gep = dyn_cast<GetElementPtrInst>(pointer);
    return gep && gep->hasAllConstantIndices() ? gep->getPointerOperand() : pointer;
  };
  auto isEarly = [&](Instruction &instruction) {
    return all_of(instruction.operands(), [&](Value *operand) {
      auto *other = dyn_cast<Instruction>(operand);
      return !other || (other->getParent() == mark.getParent() && other->comesBefore(&mark));
    });
  };
  for (Instruction &instruction : make_early_inc_range(block)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    auto *gep = dyn_cast<GetElementPtrInst>(&instruction);
    if (!(gep && gep->hasAllConstantIndices()) &&
        !(load && load->isSimple() && load->hasMetadata(LLVMContext::MD_invariant_load)))
      continue;
    Value *object = load ? baseOf(load->getPointerOperand()) : nullptr;
    auto *params = dyn_cast_or_null<LoadInst>(object);
    bool known =
        !load || object == &launch || (params && baseOf(params->getPointerOperand()) == &launch);
    if (known && isEarly(instruction))
      instruction.moveBefore(mark.getIterator());
  }
}

Error Widener::run() {
  flow_.begin();
  syncChecks_.begin();
  StoreInst *mark = nullptr;
  if (e_.context.program.body == &e_.thread)
    mark = e_.builder.CreateStore(
        e_.warp.getArg(ParamWarp),
        e_.field(e_.warp.getArg(ParamBlock), offsetof(Block, currentWarp)), /*isVolatile=*/true);
  for (unsigned index : facts_.order.definitionsFirst())
    if (Error error = emitBlock(index))
      return error;
  e_.finish(flow_.first());
  if (mark)
    loadParametersBefore(*mark, flow_.first(), *e_.warp.getArg(ParamLaunch));
  return Error::success();
}

Error Widener::emitBlock(unsigned index) {
  BasicBlock &block = *facts_.order.blocks[index];
  values_.beginBlock();
  memory_.beginBlock();
  flow_.enter(index);
  syncChecks_.enter(index);
  auto emitOne = [&](Instruction &instruction) { return emitInstruction(instruction); };
  if (Error error = serialized_.runsSerialized(block) ? serialized_.emit(block, emitOne)
                                                      : emitInstructions(block))
    return error;
  prefetches_.emitBefore(block);
  return flow_.emitTerminator();
}

Error Widener::emitInstructions(BasicBlock &block) {
  for (Instruction &instruction : block) {
    if (instruction.isTerminator())
      break;
    e_.builder.SetCurrentDebugLocation(instruction.getDebugLoc());
    variables_.emitVariables(instruction);
    if (Error error = emitInstruction(instruction))
      return error;
  }
  return Error::success();
}

Error Widener::emitInstruction(Instruction &instruction) {
  Expected<Value *> value = emitValue(instruction);
  if (!value)
    return value.takeError();
  values_.define(instruction, *value);
  return Error::success();
}

Expected<Value *> Widener::emitValue(Instruction &instruction) {
  if (auto *phi = dyn_cast<PHINode>(&instruction))
    return flow_.emitPhi(*phi);
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return memory_.emitLoad(*load);
  syncChecks_.atUse(instruction);
  if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    if (Error error = memory_.emitStore(*store))
      return std::move(error);
    return nullptr;
  }
  if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
    return variables_.emitAlloca(*alloca);
  if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction))
    return atomics_.emit(instruction);
  if (auto *call = dyn_cast<CallInst>(&instruction))
    return emitCall(*call);
  if (isa<FenceInst>(instruction)) {
    Value *fence = e_.builder.Insert(instruction.clone());
    events_.emitFence(instruction);
    return fence;
  }
  if (Value *value = elementwise_.emit(instruction))
    return value;
  return errorAt(instruction,
                 Twine("'") + instruction.getOpcodeName() + "' is not supported in device code");
}

static Error unknownCall(CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (callee && callee->isIntrinsic())
    return errorAt(call, Twine("'") + callee->getName() + "' is not supported on the CPU");
  return errorAt(call, Twine("undefined device function '") +
                           (callee ? callee->getName() : StringRef("asm")) + "'");
}

Expected<Value *> Widener::emitCall(CallInst &call) {
  CallKind kind = callKind(call);
  events_.emitBefore(call, kind);
  Expected<Value *> value = emitCallOf(call, kind);
  events_.emitBehind(call, kind);
  return value;
}

Expected<Value *> Widener::emitCallOf(CallInst &call, CallKind kind) {
  switch (kind) {
  case CallKind::Drop:
    return nullptr;
  case CallKind::Widen:
    return intrinsics_.emitVector(call);
  case CallKind::Math:
    return intrinsics_.emitMath(call);
  case CallKind::Native:
    return intrinsics_.emitNative(call);
  case CallKind::Memory:
    return intrinsics_.emitPerLane(call);
  case CallKind::Scalar:
    return e_.context.options.mode == Mode::Counted && readsClock(call) ? counts_.emitClock(call)
                                                                        : services_.emitClock(call);
  case CallKind::Fetch:
    prefetches_.emitFetch(call);
    return nullptr;
  case CallKind::Aligned:
    services_.emitAlignmentCheck(call);
    return nullptr;
  case CallKind::Check:
    return checks_.emitCheck(call);
  case CallKind::Checked:
    checks_.emitChecked(call);
    return nullptr;
  case CallKind::Happened: // told of by events_
    return nullptr;
  case CallKind::Shadow:
    return initChecks_.emitShadow(call);
  case CallKind::Uninitialized:
    initChecks_.emitUninitialized(call);
    return nullptr;
  case CallKind::ShadowCopy:
    initChecks_.emitCopy(call);
    return nullptr;
  case CallKind::FloatCheck:
    return floatChecks_.emit(call);
  case CallKind::CountBlock:
    counts_.emitBlock(call);
    return nullptr;
  case CallKind::CountAccess:
    counts_.emitAccess(call);
    return nullptr;
  case CallKind::AllLanes:
    return allLanes_.emit(call);
  case CallKind::NoLane:
    return allLanes_.emitNone(*call.getArgOperand(0));
  case CallKind::FirstLane:
    return allLanes_.emitFirst(*call.getArgOperand(0));
  case CallKind::Device:
    return devices_.emitDirect(call);
  case CallKind::Indirect:
    return devices_.emitIndirect(call);
  case CallKind::BadCall:
    devices_.emitBad(call);
    return nullptr;
  case CallKind::Print:
  case CallKind::AssertFail:
  case CallKind::Trap:
  case CallKind::Breakpoint:
  case CallKind::Cas128:
  case CallKind::LoadPair:
  case CallKind::StorePair:
  case CallKind::DeviceCall:
  case CallKind::TensorCopy:
  case CallKind::OnStack:
    return services_.emitService(call, kind);
  case CallKind::Allocate:
  case CallKind::Release:
    return CheckedSite.isOn(call) ? checks_.emitHeap(call, arrays_, loops_)
                                  : services_.emitService(call, kind);
  case CallKind::MbarrierNote:
    syncChecks_.atMbarrier(call);
    return nullptr;
  case CallKind::AsyncNote:
    syncChecks_.atAsyncCopy(call);
    return nullptr;
  case CallKind::MbarrierChange:
    syncChecks_.atMbarrier(call);
    return mbarriers_.emit(call);
  case CallKind::Unknown: // analyses are to know nothing of a debugger's marks
    return isStatement(call) ? operations_.emit(call, kind) : unknownCall(call);
  default:
    return operations_.emit(call, kind);
  }
}

} // namespace heddle::simt
