// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvfortran's -fast changes in the host's results; the device's are not touched.
//
// Sums in any order (-Mvect=assoc). A loop that sums, or multiplies, has several accumulators, one
// for each element of a vector:
//
//   %s = fadd float %s, %x  ->  %s = fadd reassoc float %s, %x
//
// LLVM's vectorizers want no more than that. Its passes that rewrite expressions want nsz, too, so
// that the order of a single expression stays: a compensated sum keeps its compensation.
//
// Denormal results are zero (-Mflushz), from the start of the main program on. Threads that it
// starts inherit the mode; kernels have their own (device/cpu/launch/float_mode.h).
#include "frontend/fortran/fast_host.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/TargetParser/Triple.h"

namespace heddle::fortran {

using namespace llvm;

namespace {

constexpr const char *MainProgram = "_QQmain";

void flushOnX86(IRBuilder<> &builder) {
  constexpr uint32_t FlushToZero = 0x8000; // MXCSR
  Value *place = builder.CreateAlloca(builder.getInt32Ty());
  builder.CreateIntrinsic(Intrinsic::x86_sse_stmxcsr, {place});
  Value *mode = builder.CreateLoad(builder.getInt32Ty(), place);
  builder.CreateStore(builder.CreateOr(mode, FlushToZero), place);
  builder.CreateIntrinsic(Intrinsic::x86_sse_ldmxcsr, {place});
}

void flushOnAArch64(IRBuilder<> &builder) {
  constexpr uint64_t FlushToZero = 1 << 24; // FPCR.FZ
  Value *mode = builder.CreateIntrinsic(Intrinsic::aarch64_get_fpcr, {});
  builder.CreateIntrinsic(Intrinsic::aarch64_set_fpcr, {builder.CreateOr(mode, FlushToZero)});
}

} // namespace

void sumInAnyOrder(Module &host) {
  for (Function &function : host)
    for (Instruction &instruction : instructions(function))
      if (auto opcode = instruction.getOpcode();
          opcode == Instruction::FAdd || opcode == Instruction::FSub || opcode == Instruction::FMul)
        instruction.setHasAllowReassoc(true);
}

void flushDenormals(Module &host) {
  Function *program = host.getFunction(MainProgram);
  if (!program || program->isDeclaration())
    return;
  BasicBlock &entry = program->getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  if (host.getTargetTriple().isX86())
    flushOnX86(builder);
  else if (host.getTargetTriple().isAArch64())
    flushOnAArch64(builder);
}

} // namespace heddle::fortran
