// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that the block runner calls (base/abi/kernel_abi.h), around a warp program: loops
// over blocks (entry_blocks.cpp) for one that never waits, a coroutine (entry_waits.cpp) for one
// that does.
#include "simt/entry/entry_builder.h"

#include "base/abi/count_abi.h"
#include "base/abi/debugger_abi.h"
#include "simt/analysis/pass_notes.h"
#include "simt/compilation.h"
#include "simt/lower/debugged_threads.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::simt {

void Entry::build() {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Constant *null = Constant::getNullValue(pointer);
  Constant *runBlocks = null, *start = null, *resume = null;
  if (program_.waits && thread_.usesFibers) {
    start = buildFiber();
  } else if (program_.waits) {
    start = buildStart();
    resume = buildResume();
  } else {
    if (warps() == 1)
      dropMark(*program_.body);
    if (thread_.neighbours > 1 && second_.body)
      dropMark(*second_.body);
    runBlocks = band() > 1 ? buildRunBands() : buildRunBlocks();
  }
  uint32_t flags =
      (program_.waits ? KernelWaits : 0) | (program_.separable ? KernelSeparable : 0) |
      (program_.needsGrid ? KernelNeedsGrid : 0) |
      (program_.needsCluster ? KernelNeedsCluster : 0) |
      (program_.warpWaits ? KernelWarpWaits : 0) |
      (program_.waits && thread_.usesFibers ? KernelFibers : 0) |
      (isDebugged(options_) ? KernelDebugged : 0) | (program_.prints ? KernelInOrder : 0) |
      (program_.isSequential ? KernelSequential : 0) | (thread_.maySpin ? KernelMaySpin : 0) |
      (thread_.countsOnWarps ? KernelCountsOnWarps : 0) |
      (thread_.interchanged ? KernelInterchanged : 0) |
      (thread_.flushesByMode ? KernelFlushDenormals : 0) |
      (thread_.trustsObjects ? KernelTrustsObjects : 0) |
      (thread_.looksAtParamsOnly ? KernelLooksAtParams : 0) |
      (thread_.trustsShortObjects ? KernelTrustsShortObjects : 0);
  StructType *type = StructType::get(
      context_, {i32,     i32, i32, i32, i64, i32, i32,     pointer, pointer, pointer, pointer,
                 pointer, i32, i32, i32, i32, i32, pointer, pointer, i32,     pointer, i32});
  Constant *fields[] = {builder_.getInt32(KernelAbiVersion),
                        builder_.getInt32(options_.width),
                        builder_.getInt32(flags),
                        builder_.getInt32(warps()),
                        builder_.getInt64(0),
                        builder_.getInt32(thread_.staticShared),
                        builder_.getInt32(uint32_t(thread_.deferred)),
                        runBlocks,
                        start,
                        resume,
                        alignedParams(),
                        deferredObjects(),
                        builder_.getInt32(thread_.abreast),
                        builder_.getInt32(thread_.together),
                        builder_.getInt32(thread_.cutsRows ? MostBlocksInRow : thread_.neighbours),
                        builder_.getInt32(declaredBand()),
                        builder_.getInt32(thread_.sharedAlign),
                        checkedParams(),
                        proof(),
                        builder_.getInt32(options_.mode == Mode::Checked ? options_.checks : 0),
                        counted(),
                        builder_.getInt32(thread_.writtenDynamicBytes)};
  static_assert(
      offsetof(KernelCode, frameBytes) == 16 && offsetof(KernelCode, deferred) == 28 &&
      offsetof(KernelCode, runBlocks) == 32 && offsetof(KernelCode, deferredObjects) == 64 &&
      offsetof(KernelCode, abreast) == 72 && offsetof(KernelCode, together) == 76 &&
      offsetof(KernelCode, neighbours) == 80 && offsetof(KernelCode, band) == 84 &&
      offsetof(KernelCode, sharedAlign) == 88 && offsetof(KernelCode, checkedParams) == 96 &&
      offsetof(KernelCode, proof) == 104 && offsetof(KernelCode, checks) == 112 &&
      offsetof(KernelCode, counted) == 120 && offsetof(KernelCode, writtenDynamicBytes) == 128);
  new GlobalVariable(module_, type, true, GlobalValue::ExternalLinkage,
                     ConstantStruct::get(type, fields), KernelSymbol);
}

Constant *Entry::alignedParams() {
  if (thread_.alignedParams.empty())
    return Constant::getNullValue(builder_.getPtrTy());
  SmallVector<uint32_t, 8> words;
  for (auto [offset, align] : thread_.alignedParams)
    words.append({offset, align});
  words.append({0, 0});
  return new GlobalVariable(module_, ArrayType::get(builder_.getInt32Ty(), words.size()), true,
                            GlobalValue::PrivateLinkage, ConstantDataArray::get(context_, words),
                            "alignedParams");
}

/// Of checked code, also if it asks for none.
Constant *Entry::checkedParams() {
  if (options_.mode != Mode::Checked)
    return Constant::getNullValue(builder_.getPtrTy());
  SmallVector<uint32_t, 8> words(thread_.checkedParams.begin(), thread_.checkedParams.end());
  words.push_back(NoParam);
  return new GlobalVariable(module_, ArrayType::get(builder_.getInt32Ty(), words.size()), true,
                            GlobalValue::PrivateLinkage, ConstantDataArray::get(context_, words),
                            "checkedParams");
}

/// A constant array of structures, of which all are as long as whole words.
template <class T> Constant *Entry::table(const std::vector<T> &parts, const char *name) {
  static_assert(sizeof(T) % sizeof(uint32_t) == 0);
  if (parts.empty())
    return Constant::getNullValue(builder_.getPtrTy());
  ArrayRef words(reinterpret_cast<const uint32_t *>(parts.data()),
                 parts.size() * sizeof(T) / sizeof(uint32_t));
  Constant *data = ConstantDataArray::get(context_, words);
  auto *table =
      new GlobalVariable(module_, data->getType(), true, GlobalValue::PrivateLinkage, data, name);
  table->setAlignment(Align(8));
  return table;
}

/// CountedCode, or null.
Constant *Entry::counted() {
  if (options_.mode != Mode::Counted)
    return Constant::getNullValue(builder_.getPtrTy());
  auto constant = [&](Constant *value, const char *name) {
    auto *variable = new GlobalVariable(module_, value->getType(), true,
                                        GlobalValue::PrivateLinkage, value, name);
    variable->setAlignment(Align(8));
    return variable;
  };
  const auto &counted = options_.counted;
  Constant *bytes = constant(ConstantDataArray::get(context_, ArrayRef(counted.bytes)), "code");
  static_assert(offsetof(CountedCode, size) == 8 && offsetof(CountedCode, blocks) == 16 &&
                offsetof(CountedCode, accesses) == 20);
  return constant(ConstantStruct::getAnon({bytes, builder_.getInt64(counted.bytes.size()),
                                           builder_.getInt32(counted.blocks),
                                           builder_.getInt32(counted.accesses)}),
                  "counted");
}

/// LaunchProof, or null.
Constant *Entry::proof() {
  const LaunchProofParts &parts = thread_.proof;
  if (!parts.flags)
    return Constant::getNullValue(builder_.getPtrTy());
  auto count = [&](size_t number) { return builder_.getInt32(uint32_t(number)); };
  Constant *fields[] = {table(parts.nodes, "nodes"),   table(parts.accesses, "accesses"),
                        table(parts.uses, "uses"),     table(parts.dims, "dims"),
                        table(parts.limits, "limits"), table(parts.factors, "factors"),
                        table(parts.places, "places"), table(parts.alike, "alike"),
                        table(parts.fits, "fits"),     table(parts.parts, "parts"),
                        count(parts.nodes.size()),     count(parts.accesses.size()),
                        count(parts.uses.size()),      count(parts.alike.size()),
                        builder_.getInt32(parts.flags)};
  static_assert(sizeof(LaunchProof) == 10 * sizeof(void *) + 6 * sizeof(uint32_t));
  Constant *data = ConstantStruct::getAnon(fields);
  return new GlobalVariable(module_, data->getType(), true, GlobalValue::PrivateLinkage, data,
                            "proof");
}

/// DeferredObjects, or null.
Constant *Entry::deferredObjects() {
  if (thread_.deferredSums.empty())
    return Constant::getNullValue(builder_.getPtrTy());
  SmallVector<uint32_t, 8> words = {uint32_t(thread_.deferredSums.size()),
                                    uint32_t(thread_.deferredOthers.size())};
  append_range(words, thread_.deferredSums);
  append_range(words, thread_.deferredOthers);
  for (DeferredKind kind : thread_.deferredKinds)
    words.push_back(uint32_t(kind));
  Constant *data = ConstantDataArray::get(context_, words);
  return new GlobalVariable(module_, data->getType(), true, GlobalValue::InternalLinkage, data,
                            "deferred");
}

/// A function with an artificial debug entry, so that inlined code keeps its line table.
Function *Entry::create(StringRef name, FunctionType *type) {
  Function *function = Function::Create(type, GlobalValue::InternalLinkage, name, module_);
  describeProgram(*function);
  builder_.SetInsertPoint(BasicBlock::Create(context_, "entry", function));
  builder_.SetCurrentDebugLocation(DebugLoc());
  if (DISubprogram *kernel = program_.body->getSubprogram()) {
    DIBuilder debug(module_, true, kernel->getUnit());
    DISubroutineType *none = debug.createSubroutineType(debug.getOrCreateTypeArray({}));
    DISubprogram *subprogram = debug.createFunction(
        kernel->getFile(), name, name, kernel->getFile(), kernel->getLine(), none,
        kernel->getLine(), DINode::FlagArtificial, DISubprogram::SPFlagDefinition);
    function->setSubprogram(subprogram);
    builder_.SetCurrentDebugLocation(DILocation::get(context_, kernel->getLine(), 0, subprogram));
    debug.finalizeSubprogram(subprogram);
  }
  return function;
}

Constant *Entry::lanes(unsigned count, unsigned width) const {
  Type *bit = Type::getInt1Ty(context_);
  if (width == 1)
    return ConstantInt::getTrue(bit);
  SmallVector<Constant *, 32> bits;
  for (unsigned lane = 0; lane < width; ++lane)
    bits.push_back(ConstantInt::get(bit, lane < count));
  return ConstantVector::get(bits);
}

/// Inlines every call of the warp program, once the function around it is complete: cloning folds
/// what it can, and an unfinished phi looks like a constant.
void Entry::inlineWarps() {
  SmallVector<CallInst *, 2> calls;
  if (options_.mode == Mode::Debug && (!program_.waits || thread_.usesFibers))
    return; // the kernel keeps its own frame in a debugger
  for (const WarpProgram *program : {&program_, &second_})
    if (program->body)
      for (User *user : program->body->users())
        calls.push_back(cast<CallInst>(user));
  for (CallInst *call : calls) {
    InlineFunctionInfo info;
    InlineFunction(*call, info);
  }
}

PreservedAnalyses BuildEntry::run(Compilation &kernel, FunctionAnalysisManager &) {
  Entry(kernel.module, kernel.warp, kernel.second, kernel.thread, kernel.options).build();
  for (Function *body : {kernel.warp.body, kernel.second.body})
    if (body && body->use_empty())
      body->eraseFromParent();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
