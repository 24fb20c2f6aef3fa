// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow of warp programs.
//
// Problem. The lanes of a warp take different ways through a thread program; one instruction stream
// must take all ways that some lane takes, with the others switched off, and bring the lanes
// together again.
//
// Method. A warp always runs the lowest numbered block (order.h) that a lane waits at. Every block
// has a mask of the lanes that wait at it. A uniform branch hands the active lanes to one successor
// and stays a branch; a divergent one divides them among both. Then the program must go on at the
// lowest block with a lane. Nearly always this is known here already: `PendingBlocks` has for
// each block those at which other lanes may wait meanwhile, and `emitDispatch`
// tests only those, in order, that are not certain:
//
//     A: br %c, B, C   (divergent)          A':  mB = m & c;  mC = m & ~c
//     B: ...; br D                               br any(mB), B', C'
//     C: ...; br D                          B':  ... under mB;  mD = mB;  br any(mC), C', D'
//     D: ...                                C':  ... under mC;  mD |= mC; br D'
//                                           D':  ... under mD
//
// A loop whose exit diverges goes on until no lane waits at its header, since the header has a
// lower number than the blocks after the loop. Early returns wait at the single exit block, the
// last of all.
//
// Barriers. Lanes that have left a loop wait until the last one has. If the loop holds a barrier,
// the others come to it without them:
//
//     while (i < n) { ...; __syncthreads(); if (done(i)) i += step; }
//     out[t] = i;
//
// On a GPU a thread that leaves such a loop runs to the kernel's end, and from then on the barriers
// do not wait for it; what it has written is there for those that come out of the next one. So
// where lanes may part at a barrier, all blocks that come to no barrier any more get the lowest
// numbers (`BlockOrder::takeEndsFirst`). Lanes run them at once, before the others go on, and wait
// at the exit block, where they count as returned (`checkConverged`).
//
// Lanes that left the loop and will come to another barrier still make this one divergent.
//
// Values. What a block defines and another uses goes through a slot (an alloca); a phi has a slot
// that the edges write, blended by the edge's mask only if other lanes may already wait at the
// block. All slots become SSA values again at the end (PromoteMemToReg), so uniform code comes out
// as it went in.
//
// Rejected: structurising the control flow first (it duplicates conditions and loses which branches
// are uniform); masks on all loop-carried values (here a lane that has left a loop may go on
// computing garbage, because loop-closed SSA form copies what is used outside at the edge that
// leaves); if-conversion of everything (executes both arms always).
#include "simt/widen/widener.h"

#include "base/kernel_abi.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/same_mask.h"
#include "simt/analysis/whole_subsets.h"
#include "simt/lower/lower_nvvm.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace heddle::simt {

Widener::Widener(WidenContext &context, Function &thread, Function &warp, const BlockOrder &order,
                 const Shapes &shapes, const DominatorTree &dominators,
                 std::vector<unsigned> sameMasks)
    : context_(context), module_(context.module), options_(context.options), thread_(thread),
      warp_(warp), order_(order), shapes_(shapes), pending_(order, shapes),
      subsets_(order, {context.options.width, context.options.blockDim}),
      width_(context.options.width), builder_(warp.getContext()), dominators_(dominators),
      sameMasks_(std::move(sameMasks)) {
  auto [x, y, z] = options_.blockDim;
  unsigned threads = x * y * z;
  bool entryIsWhole = context.program.body == &thread && width_ > 1 &&
                      (threads <= width_ || threads % width_ == 0) &&
                      context.program.neighbours == 1; // of those, fewer may be left
  wholeSubsets_ =
      findWholeSubsets(order, shapes, subsets_, sameMasks_,
                       entryIsWhole && !options_.debug && options_.isEnabled("whole-subsets"));
  columnAddresses_ = addressesOfColumns(thread, shapes, options_);
}

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
  BasicBlock *entry = BasicBlock::Create(warp_.getContext(), "entry", &warp_);
  builder_.SetInsertPoint(entry);
  allocaPoint_ = builder_.CreateUnreachable();
  builder_.SetInsertPoint(allocaPoint_);
  entryMask_ = warp_.getArg(ContextParams);
  Type *maskType = entryMask_->getType();
  for (BasicBlock *block : order_.blocks) {
    heads_.push_back(BasicBlock::Create(warp_.getContext(), block->getName(), &warp_));
    AllocaInst *slot = newSlot(maskType, "mask." + block->getName());
    maskSlots_.push_back(slot);
    builder_.CreateStore(Constant::getNullValue(maskType), slot);
    for (PHINode &phi : block->phis())
      phiSlots_[&phi] = newSlot(keptType(&phi), phi.getName() + ".in");
  }
  builder_.CreateStore(entryMask_, maskSlots_[0]);
  for (auto [index, same] : enumerate(sameMasks_))
    if (same != index && same != 0 && !activeSlots_.contains(same))
      activeSlots_[same] = newSlot(maskType, "active");
  StoreInst *mark = nullptr;
  if (context_.program.body == &thread_)
    mark = builder_.CreateStore(warp_.getArg(ParamWarp),
                                field(warp_.getArg(ParamBlock), offsetof(Block, currentWarp)),
                                /*isVolatile=*/true);
  BasicBlock *first = heads_[0];
  for (unsigned index : order_.definitionsFirst())
    if (Error error = emitBlock(index))
      return error;
  builder_.SetInsertPoint(allocaPoint_);
  builder_.CreateBr(first);
  allocaPoint_->eraseFromParent();
  DominatorTree dominators(warp_);
  std::vector<AllocaInst *> live;
  for (AllocaInst *slot : promotable_)
    live.push_back(slot);
  PromoteMemToReg(live, dominators);
  if (mark)
    loadParametersBefore(*mark, *first, *warp_.getArg(ParamLaunch));
  return Error::success();
}

Error Widener::emitBlock(unsigned index) {
  BasicBlock &block = *order_.blocks[index];
  current_ = index;
  local_.clear();
  interleaved_.clear();
  localVectors_.clear();
  builder_.SetInsertPoint(heads_[index]);
  builder_.SetCurrentDebugLocation(DebugLoc());
  takeMask(index);
  if (runsSerialized(block)) {
    if (Error error = emitSerialized(block))
      return error;
  } else {
    for (Instruction &instruction : block) {
      if (instruction.isTerminator())
        break;
      builder_.SetCurrentDebugLocation(instruction.getDebugLoc());
      emitVariables(instruction);
      if (Error error = emitInstruction(instruction))
        return error;
    }
  }
  fetchRows(block);
  Instruction *terminator = block.getTerminator();
  builder_.SetCurrentDebugLocation(terminator->getDebugLoc());
  if (!isa<BranchInst>(terminator) && !isa<ReturnInst>(terminator))
    return errorAt(*terminator,
                   Twine("'") + terminator->getOpcodeName() + "' is not supported in device code");
  emitTerminator(block);
  return Error::success();
}

/// For -G: where the user's variables live. Their allocas keep their addresses at width 1.
void Widener::emitVariables(Instruction &instruction) {
  if (!options_.debug || width_ != 1)
    return;
  for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange())) {
    auto *address =
        record.isDbgDeclare() ? dyn_cast_or_null<AllocaInst>(record.getAddress()) : nullptr;
    if (!address || (!local_.contains(address) && !slots_.contains(address)))
      continue;
    auto *local = allocas_.lookup(address);
    DbgVariableRecord *copy = DbgVariableRecord::createDVRDeclare(
        local, record.getVariable(), record.getExpression(), record.getDebugLoc().get());
    builder_.GetInsertBlock()->insertDbgRecordBefore(copy, builder_.GetInsertPoint());
  }
}

void Widener::emitTerminator(BasicBlock &block) {
  Instruction *terminator = block.getTerminator();
  if (auto *ret = dyn_cast<ReturnInst>(terminator)) {
    if (Value *value = ret->getReturnValue())
      builder_.CreateRet(vector(value));
    else
      builder_.CreateRetVoid();
    return;
  }
  auto *branch = cast<BranchInst>(terminator);
  BitVector candidates = pending_.at(current_);
  if (branch->isUnconditional()) {
    BasicBlock &next = *branch->getSuccessor(0);
    emitEdge(block, next, mask_);
    candidates.set(order_.index(&next));
    emitDispatch(candidates, order_.index(&next));
    return;
  }
  BasicBlock &ifTrue = *branch->getSuccessor(0), &ifFalse = *branch->getSuccessor(1);
  if (shapes_.isDivergent(&block)) {
    Value *condition = vector(branch->getCondition());
    emitEdge(block, ifTrue, activeWhere(condition));
    emitEdge(block, ifFalse, activeWhere(builder_.CreateNot(condition)));
    candidates.set(order_.index(&ifTrue));
    candidates.set(order_.index(&ifFalse));
    emitDispatch(candidates, -1);
    return;
  }
  Value *condition = scalar(branch->getCondition());
  BasicBlock *taken = BasicBlock::Create(warp_.getContext(), "", &warp_);
  BasicBlock *other = BasicBlock::Create(warp_.getContext(), "", &warp_);
  BranchInst *copy = builder_.CreateCondBr(condition, taken, other);
  copy->copyMetadata(*branch, {LLVMContext::MD_prof});
  auto localCopy = local_;
  auto vectorCopy = localVectors_;
  for (auto [next, head] : {std::pair(&ifTrue, taken), std::pair(&ifFalse, other)}) {
    builder_.SetInsertPoint(head);
    local_ = localCopy;
    localVectors_ = vectorCopy;
    bool all = next == &ifTrue && isAllLanes(branch->getCondition());
    emitEdge(block, *next, all ? Constant::getAllOnesValue(mask_->getType()) : mask_);
    BitVector onward = candidates;
    onward.set(order_.index(next));
    emitDispatch(onward, order_.index(next));
  }
}

/// Lanes of `mask` go from one block to another: they wait there, and its phis take their values.
void Widener::emitEdge(BasicBlock &from, BasicBlock &to, Value *mask) {
  unsigned index = order_.index(&to);
  bool joined = pending_.at(current_).test(index);
  SmallVector<std::pair<AllocaInst *, Value *>, 8> values; // all read before any is written
  for (PHINode &phi : to.phis()) {
    Value *incoming = phi.getIncomingValueForBlock(&from);
    Lanes lanes = lanesOf(&phi);
    Value *value = at(incoming, lanes);
    AllocaInst *slot = phiSlots_[&phi];
    if (joined && width_ > 1 && lanes.count == width_) {
      Value *old = builder_.CreateLoad(slot->getAllocatedType(), slot);
      value = builder_.CreateSelect(mask, value, old);
    }
    values.push_back({slot, value});
  }
  for (auto [slot, value] : values)
    builder_.CreateStore(value, slot);
  AllocaInst *maskSlot = maskSlots_[index];
  if (joined)
    mask = builder_.CreateOr(mask, builder_.CreateLoad(mask->getType(), maskSlot));
  builder_.CreateStore(mask, maskSlot);
}

/// The warp has come through a block with the same lanes and not to `next` since. So if none waits
/// at a block before, all wait at `next`.
bool Widener::isCertain(unsigned next) const {
  unsigned same = sameMasks_[next];
  return same < next && next > current_ &&
         dominators_.dominates(order_.blocks[same], order_.blocks[current_]);
}

/// Jumps to the lowest candidate with waiting lanes. `certain` is known to have some (or -1), and
/// so has the last.
void Widener::emitDispatch(BitVector candidates, int certain) {
  int last = candidates.find_last();
  for (int next : candidates.set_bits()) {
    if (next == certain || next == last || isCertain(next)) {
      builder_.CreateBr(heads_[next]);
      return;
    }
    BasicBlock *otherwise = BasicBlock::Create(warp_.getContext(), "", &warp_);
    builder_.CreateCondBr(anyWaits(next), heads_[next], otherwise);
    builder_.SetInsertPoint(otherwise);
  }
}

namespace {

/// (context..., mask, vectors of the arguments) -> vector of the result.
FunctionType *warpFunctionType(Function &thread, unsigned width) {
  auto widened = [&](Type *type) -> Type * {
    if (type->isVoidTy() || width == 1)
      return type;
    if (auto *structure = dyn_cast<StructType>(type)) {
      SmallVector<Type *, 4> elements;
      for (Type *element : structure->elements())
        elements.push_back(FixedVectorType::get(element, width));
      return StructType::get(type->getContext(), elements);
    }
    return FixedVectorType::get(type, width);
  };
  SmallVector<Type *, 12> types;
  for (unsigned i = 0; i < ContextParams; ++i)
    types.push_back(thread.getArg(i)->getType());
  Type *bit = Type::getInt1Ty(thread.getContext());
  types.push_back(width == 1 ? bit : FixedVectorType::get(bit, width));
  for (Argument &argument : drop_begin(thread.args(), ContextParams))
    types.push_back(widened(argument.getType()));
  return FunctionType::get(widened(thread.getReturnType()), types, false);
}

/// What is found out about a function before it is widened.
struct Found : LoopFacts, LaneShapes {
  Found(Function &thread, const LaneFacts &lanes, bool argumentsVary)
      : LoopFacts(thread), LaneShapes(thread, *this, lanes, argumentsVary) {}
};

/// What comes after a barrier may run lane by lane (widen_serialized.cpp), and be a block for that.
void splitAfterBarriers(Function &thread) {
  SmallVector<Instruction *, 8> barriers;
  for (Instruction &instruction : instructions(thread))
    if (isBarrier(instruction) && !instruction.getNextNode()->isTerminator())
      barriers.push_back(&instruction);
  for (Instruction *barrier : barriers)
    barrier->getParent()->splitBasicBlock(barrier->getNextNode());
}

Error widenFunction(WidenContext &context, Function &thread) {
  if (context.options.width > 1 && context.options.isEnabled("serialize-lanes"))
    splitAfterBarriers(thread);
  LaneFacts facts{context.options.width, context.options.blockDim};
  bool argumentsVary = context.program.body != &thread;
  std::optional<Found> found;
  found.emplace(thread, facts, argumentsVary);
  bool parts = mayPartAtBarrier(found->order, found->shapes);
  BasicBlock *exit = found->order.blocks.back();
  if (parts && exit->size() > 1) {
    exit->splitBasicBlock(exit->getTerminator(), "exit");
    found.emplace(thread, facts, argumentsVary);
  }
  BlockOrder order = found->order; // shapes need the plain one
  if (parts)
    order.takeEndsFirst();
  Function *warp = context.functions[&thread];
  if (DISubprogram *subprogram = thread.getSubprogram()) {
    thread.setSubprogram(nullptr);
    warp->setSubprogram(subprogram);
  }
  auto sameMasks = findSameMasks(order, found->loops, found->dominators, found->postDominators);
  return Widener(context, thread, *warp, order, found->shapes, found->dominators,
                 std::move(sameMasks))
      .run();
}

} // namespace

Expected<WarpProgram> widen(Module &module, const ThreadProgram &program, const Options &options,
                            TargetMachine &machine) {
  WidenContext context(module, program, options, machine);
  SmallVector<Function *, 8> threads;
  for (Function &function : module)
    if (!function.isDeclaration())
      threads.push_back(&function);
  for (Function *thread : threads) {
    Function *warp =
        Function::Create(warpFunctionType(*thread, options.width), GlobalValue::InternalLinkage,
                         thread->getName() + ".warp", module);
    warp->addFnAttr(Attribute::NoUnwind);
    for (unsigned i = 0; i < ContextParams; ++i)
      warp->getArg(i)->setName(thread->getArg(i)->getName());
    warp->getArg(ContextParams)->setName("active");
    context.functions[thread] = warp;
  }
  for (Function *thread : threads)
    if (Error error = widenFunction(context, *thread))
      return std::move(error);
  context.result.body = context.functions[program.body];
  for (Function *thread : threads)
    thread->dropAllReferences();
  for (Function *thread : threads)
    thread->eraseFromParent();
  return context.result;
}

} // namespace heddle::simt
