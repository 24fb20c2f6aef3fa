// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: swizzle_blocks.h. A band has 256 rows of the matrix. A panel of the second matrix
// is then read from memory once per band instead of once for each row of blocks. Little changes if
// all fits in the caches, and rows a power of two apart still evict each other. Not for kernels
// that print, or whose blocks may wait for others.
//
// Legality (swizzle-blocks):
//  1. No loop waits for other blocks. (Else blocks may run in any order.) [no waiting]
#include "simt/form/swizzle_blocks.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/memory_space.h"
#include "simt/compilation.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// Of the first matrix: 4 MB at 4,096 floats a row. Twice as many gain a few per cent from there
/// on, and lose as much where all lies in the caches.
constexpr unsigned RowsOfBand = 256;
constexpr unsigned MostBlocks = 32, FewestBlocks = 2;
constexpr unsigned MostValues = 256; ///< that an address is computed from

/// Whether `value` is computed from `source`. Yes where that is not easily seen.
bool dependsOn(const Value *value, const Value *source) {
  SmallVector<const Value *, 16> left = {value};
  SmallPtrSet<const Value *, 32> seen;
  while (!left.empty()) {
    const Value *next = left.pop_back_val();
    if (next == source || seen.size() > MostValues)
      return true;
    const auto *instruction = dyn_cast<Instruction>(next);
    if (instruction && seen.insert(next).second)
      left.append(instruction->op_begin(), instruction->op_end());
  }
  return false;
}

/// The rows of the matrix that are a block's: the constant that its index is multiplied by.
unsigned rowsOfBlock(const Function &thread, const Options &options) {
  for (const User *user : thread.getArg(ParamBlockY)->users()) {
    const auto *product = dyn_cast<BinaryOperator>(user);
    const auto *factor = product ? dyn_cast<ConstantInt>(product->getOperand(1)) : nullptr;
    if (factor && factor->getValue().ult(RowsOfBand) && product->getOpcode() == Instruction::Mul)
      return factor->getZExtValue();
    if (factor && product->getOpcode() == Instruction::Shl &&
        factor->getValue().ult(Log2_32(RowsOfBand)))
      return 1u << factor->getZExtValue();
  }
  return options.blockDim[1];
}

/// 1: there is no reason for another order than x fastest.
unsigned bandOfBlocks(const ThreadProgram &program, const Options &options) {
  Function &thread = *program.body;
  const Value *column = thread.getArg(ParamBlockX), *row = thread.getArg(ParamBlockY);
  if (program.maySpin || column->use_empty() || row->use_empty())
    return 1;
  LoopFacts facts(thread);
  bool ofColumn = false, ofRow = false;
  for (const Instruction &instruction : instructions(thread)) {
    const auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || !facts.loops.getLoopFor(load->getParent()) ||
        !isGivenMemory(load->getPointerOperand()))
      continue;
    bool byColumn = dependsOn(load->getPointerOperand(), column),
         byRow = dependsOn(load->getPointerOperand(), row);
    ofColumn |= byColumn && !byRow;
    ofRow |= byRow && !byColumn;
  }
  if (!ofColumn || !ofRow)
    return 1;
  unsigned blocks = RowsOfBand / std::max(rowsOfBlock(thread, options), 1u);
  return std::clamp(bit_floor(std::max(blocks, 1u)), FewestBlocks, MostBlocks);
}

} // namespace

PreservedAnalyses SwizzleBlocks::run(Compilation &kernel, FunctionAnalysisManager &) {
  kernel.thread.band = bandOfBlocks(kernel.thread, kernel.options);
  return PreservedAnalyses::all();
}

} // namespace heddle::simt
