// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that a call through a pointer can come to are those of its type whose addresses are
// taken anywhere in the module. Where the threads' objects differ in their types, each method runs
// once for the threads that call it, as before; but inlined, a method sees that all threads have the
// same object, or neighbours in memory, and that the caller's local variables are registers.
//
// Legality (spell-out-targets):
//  1. A pointer to none of them ends the launch, as it does in a call through it. [other targets]
//  2. A variable is copied only where nothing else knows its address: no function keeps it, and the
//     call gets it once. [own variables]
#include "simt/lower/call_targets.h"

#include "base/image/module_image.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostTargets = 8;
constexpr uint64_t MostInstructions = 20000; ///< of a kernel, once all is inlined

uint64_t addressOf(uint64_t number) { return FunctionTag + number * 16; }

struct Target {
  Function *function;
  uint64_t number;
};

using Targets = SmallVector<Target, MostTargets>;

Targets targetsOf(const CallBase &call, ArrayRef<Function *> table) {
  Targets targets;
  for (auto [number, function] : enumerate(table))
    if (function && !function->isDeclaration() &&
        function->getFunctionType() == call.getFunctionType())
      targets.push_back({function, number});
  return targets;
}

/// Instructions of a function with all that it may call, of which each function counts once more
/// at each call. One that calls itself counts once.
class Lengths {
public:
  explicit Lengths(ArrayRef<Function *> table) : table_(table) {}

  uint64_t of(const Function &function) {
    auto [place, isNew] = known_.try_emplace(&function, 0);
    if (!isNew)
      return place->second;
    uint64_t sum = 0;
    for (const Instruction &instruction : instructions(function)) {
      ++sum;
      if (const auto *call = dyn_cast<CallBase>(&instruction))
        sum = std::min(sum + ofCall(*call), 2 * MostInstructions);
    }
    return known_[&function] = sum;
  }

private:
  uint64_t ofCall(const CallBase &call) {
    if (const Function *callee = call.getCalledFunction())
      return callee->isDeclaration() ? 0 : of(*callee);
    if (!callsThroughPointer(call))
      return 0;
    uint64_t sum = 0;
    Targets targets = targetsOf(call, table_);
    if (targets.size() <= MostTargets)
      for (Target target : targets)
        sum += of(*target.function);
    return sum;
  }

  ArrayRef<Function *> table_;
  DenseMap<const Function *, uint64_t> known_;
};

void emitBadCall(IRBuilder<> &builder, Value *target) {
  FunctionType *type = FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false);
  Module &module = *builder.GetInsertBlock()->getModule();
  FunctionCallee callee = module.getOrInsertFunction(BadCallName, type);
  builder.CreateCall(callee, {target});
}

/// A copy of `call` of a known function, and a jump behind it.
CallInst *emitCall(IRBuilder<> &builder, const CallInst &call, Function &target) {
  auto *direct = cast<CallInst>(call.clone());
  direct->setCalledFunction(&target);
  builder.Insert(direct);
  direct->setDebugLoc(call.getDebugLoc());
  ChosenTarget.put(*direct);
  return direct;
}

void spellOut(CallInst &call, const Targets &targets) {
  LLVMContext &context = call.getContext();
  BasicBlock *front = call.getParent(), *behind = SplitBlock(front, call.getIterator());
  BasicBlock *bad = BasicBlock::Create(context, "target.bad", front->getParent(), behind);
  IRBuilder<> builder(front->getTerminator());
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  Value *pointer = call.getCalledOperand();
  Type *i64 = builder.getInt64Ty();
  SwitchInst *choice =
      builder.CreateSwitch(builder.CreatePtrToInt(pointer, i64), bad, targets.size());
  front->getTerminator()->eraseFromParent();
  PHINode *result = nullptr;
  if (!call.getType()->isVoidTy()) {
    builder.SetInsertPoint(behind, behind->begin());
    result = builder.CreatePHI(call.getType(), targets.size() + 1);
    result->addIncoming(PoisonValue::get(call.getType()), bad);
  }
  SmallVector<uint32_t, MostTargets + 1> weights = {1};
  for (Target target : targets) {
    BasicBlock *block = BasicBlock::Create(context, "target", front->getParent(), bad);
    choice->addCase(builder.getInt64(addressOf(target.number)), block);
    weights.push_back(1000);
    builder.SetInsertPoint(block);
    CallInst *direct = emitCall(builder, call, *target.function);
    builder.CreateBr(behind);
    if (result)
      result->addIncoming(direct, block);
  }
  choice->setMetadata(LLVMContext::MD_prof, MDBuilder(context).createBranchWeights(weights));
  builder.SetInsertPoint(bad);
  emitBadCall(builder, pointer);
  builder.CreateBr(behind);
  if (result)
    call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

/// Functions that come back to themselves by a call that was through a pointer.
SmallPtrSet<Function *, 8> functionsOfParts(Module &module) {
  SmallPtrSet<Function *, 8> found;
  CallGraph graph(module);
  for (auto scc = scc_begin(&graph); !scc.isAtEnd(); ++scc) {
    if (!scc.hasCycle())
      continue;
    SmallPtrSet<Function *, 8> circle;
    for (CallGraphNode *node : *scc)
      if (Function *function = node->getFunction())
        circle.insert(function);
    bool isChosen = any_of(circle, [&](Function *function) {
      return any_of(instructions(*function), [&](Instruction &instruction) {
        auto *call = dyn_cast<CallBase>(&instruction);
        return call && ChosenTarget.isOn(*call) && circle.contains(call->getCalledFunction());
      });
    });
    if (isChosen)
      found.insert_range(circle);
  }
  return found;
}

/// The local variable that one operand of `call` lies in, and no other.
AllocaInst *passedLocal(const CallBase &call, unsigned operand) {
  auto *local = dyn_cast<AllocaInst>(getUnderlyingObject(call.getArgOperand(operand), 0));
  if (!local || !local->isStaticAlloca() || !call.doesNotCapture(operand) ||
      call.isByValArgument(operand) || call.paramHasAttr(operand, Attribute::StructRet))
    return nullptr;
  for (auto [i, argument] : enumerate(call.args())) {
    SmallVector<const Value *, 4> objects;
    if (i != operand && argument->getType()->isPointerTy())
      getUnderlyingObjects(argument, objects, nullptr, 0);
    if (is_contained(objects, local))
      return nullptr;
  }
  return PointerMayBeCaptured(local, /*ReturnCaptures=*/true) ? nullptr : local;
}

/// If `operand` is a fixed distance from where `local` begins.
void passCopy(CallBase &call, unsigned operand, AllocaInst &local) {
  const DataLayout &layout = call.getDataLayout();
  Value *pointer = call.getArgOperand(operand);
  APInt distance(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  if (pointer->stripAndAccumulateConstantOffsets(layout, distance, true) != &local)
    return;
  auto *copy = cast<AllocaInst>(local.clone());
  copy->insertAfter(local.getIterator());
  IRBuilder<> builder(&call);
  uint64_t bytes = local.getAllocationSize(layout)->getFixedValue();
  builder.CreateMemCpy(copy, copy->getAlign(), &local, local.getAlign(), bytes);
  Value *place = builder.CreatePtrAdd(copy, builder.getInt(distance));
  call.setArgOperand(operand, builder.CreateAddrSpaceCast(place, pointer->getType()));
  if (!call.onlyReadsMemory(operand)) {
    builder.SetInsertPoint(call.getNextNode());
    builder.CreateMemCpy(&local, local.getAlign(), copy, copy->getAlign(), bytes);
  }
}

} // namespace

bool callsThroughPointer(const CallBase &call) {
  return !isa<Function>(call.getCalledOperand()) && !call.isInlineAsm();
}

bool bindKnownTargets(Module &module, ArrayRef<Function *> table) {
  bool changed = false;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      auto *cast = call ? dyn_cast<ConstantExpr>(call->getCalledOperand()) : nullptr;
      auto *address = cast && cast->getOpcode() == Instruction::IntToPtr
                          ? dyn_cast<ConstantInt>(cast->getOperand(0))
                          : nullptr;
      uint64_t number = address ? (address->getZExtValue() - FunctionTag) / 16 : UINT64_MAX;
      Function *target = number < table.size() ? table[number] : nullptr;
      if (!target || target->getFunctionType() != call->getFunctionType())
        continue;
      call->setCalledFunction(target);
      changed = true;
    }
  return changed;
}

void spellOutTargets(Module &module, Function &kernel, ArrayRef<Function *> table) {
  if (table.empty() || Lengths(table).of(kernel) > MostInstructions)
    return;
  SmallVector<CallInst *, 8> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && callsThroughPointer(*call) && !isa<Constant>(call->getCalledOperand()))
        calls.push_back(call);
  for (CallInst *call : calls) {
    Targets targets = targetsOf(*call, table);
    if (!targets.empty() && targets.size() <= MostTargets)
      spellOut(*call, targets);
  }
}

bool inlineFirstLevel(Function &kernel) {
  SmallPtrSet<Function *, 8> ofParts = functionsOfParts(*kernel.getParent());
  SmallVector<CallBase *, 8> calls;
  for (Instruction &instruction : instructions(kernel))
    if (auto *call = dyn_cast<CallBase>(&instruction);
        call && ofParts.contains(call->getCalledFunction()))
      calls.push_back(call);
  bool changed = false;
  for (CallBase *call : calls) {
    InlineFunctionInfo info;
    changed |= InlineFunction(*call, info, /*MergeAttributes=*/false, /*CalleeAAR=*/nullptr,
                              /*InsertLifetime=*/false)
                   .isSuccess();
  }
  return changed;
}

void passCopies(Function &kernel, ModuleAnalysisManager &analyses) {
  ModulePassManager passes; // which parameters are only read, and not kept
  passes.addPass(createModuleToPostOrderCGSCCPassAdaptor(PostOrderFunctionAttrsPass()));
  passes.run(*kernel.getParent(), analyses);
  SmallVector<CallBase *, 8> calls;
  for (Instruction &instruction : instructions(kernel))
    if (auto *call = dyn_cast<CallInst>(&instruction);
        call && call->getCalledFunction() && !call->getCalledFunction()->isDeclaration())
      calls.push_back(call);
  for (CallBase *call : calls)
    for (unsigned i = 0; i < call->arg_size(); ++i)
      if (call->getArgOperand(i)->getType()->isPointerTy())
        if (AllocaInst *local = passedLocal(*call, i))
          passCopy(*call, i, *local);
}

} // namespace heddle::simt
