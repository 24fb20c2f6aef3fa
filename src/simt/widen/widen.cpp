// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/widen.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/pass_notes.h"
#include "simt/analysis/same_mask.h"
#include "simt/widen/widener.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

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

/// What comes after a barrier may run lane by lane (serialized_blocks.cpp), and be a block for
/// that.
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
    if (!function.isDeclaration() && !isKeepFunction(function))
      threads.push_back(&function);
  for (Function *thread : threads) {
    Function *warp =
        Function::Create(warpFunctionType(*thread, options.width), GlobalValue::InternalLinkage,
                         thread->getName() + ".warp", module);
    describeProgram(*warp);
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
