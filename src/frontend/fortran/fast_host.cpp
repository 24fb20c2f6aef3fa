// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvfortran's -fast and -Ktrap change in the host's arithmetic; the device's is not touched.
//
// Sums in any order (-Mvect=assoc). A loop that sums, or multiplies, has several accumulators, one
// for each element of a vector:
//
//   %s = fadd float %s, %x  ->  %s = fadd reassoc float %s, %x
//
// LLVM's vectorizers want no more than that. Its passes that rewrite expressions want nsz, too, so
// that the order of a single expression stays: a compensated sum keeps its compensation.
//
// Denormal results are zero (-Mflushz), and exceptions are signals (-Ktrap), from the start of the
// main program on. Threads that it starts inherit the mode; kernels have their own
// (device/cpu/launch/float_mode.h).
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

/// Changes of the register that says how the processor computes.
struct Mode {
  uint32_t set = 0, cleared = 0;
};

Value *changed(IRBuilder<> &builder, Value *mode, Mode change) {
  return builder.CreateOr(builder.CreateAnd(mode, ~uint64_t{change.cleared}), change.set);
}

void changeOnX86(IRBuilder<> &builder, Mode change) {
  Value *place = builder.CreateAlloca(builder.getInt32Ty());
  builder.CreateIntrinsic(Intrinsic::x86_sse_stmxcsr, {place});
  Value *mode = builder.CreateLoad(builder.getInt32Ty(), place);
  builder.CreateStore(changed(builder, mode, change), place);
  builder.CreateIntrinsic(Intrinsic::x86_sse_ldmxcsr, {place});
}

void changeOnAArch64(IRBuilder<> &builder, Mode change) {
  Value *mode = builder.CreateIntrinsic(Intrinsic::aarch64_get_fpcr, {});
  builder.CreateIntrinsic(Intrinsic::aarch64_set_fpcr, {changed(builder, mode, change)});
}

/// FPCR's bits for those of MXCSR; not all processors have traps.
uint32_t trapsOfAArch64(unsigned exceptions) {
  constexpr uint32_t Bits[] = {1 << 8, 1 << 15, 1 << 9, 1 << 10, 1 << 11, 1 << 12};
  uint32_t traps = 0;
  for (size_t i = 0; i != std::size(Bits); ++i)
    traps |= exceptions >> i & 1 ? Bits[i] : 0;
  return traps;
}

/// At the start of the main program, if the module has it.
void changeMode(Module &host, Mode onX86, Mode onAArch64) {
  Function *program = host.getFunction(MainProgram);
  if (!program || program->isDeclaration())
    return;
  BasicBlock &entry = program->getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  if (host.getTargetTriple().isX86())
    changeOnX86(builder, onX86);
  else if (host.getTargetTriple().isAArch64())
    changeOnAArch64(builder, onAArch64);
}

} // namespace

void sumInAnyOrder(Module &host) {
  for (Function &function : host)
    for (Instruction &instruction : instructions(function))
      if (auto opcode = instruction.getOpcode();
          opcode == Instruction::FAdd || opcode == Instruction::FSub || opcode == Instruction::FMul)
        instruction.setHasAllowReassoc(true);
}

void flushDenormals(Module &host) { changeMode(host, {/*FTZ*/ 0x8000, 0}, {/*FZ*/ 1 << 24, 0}); }

void trapExceptions(Module &host, unsigned exceptions) {
  constexpr unsigned FirstMask = 7; // of MXCSR; what is masked is no signal
  changeMode(host, {0, exceptions << FirstMask}, {trapsOfAArch64(exceptions), 0});
}

} // namespace heddle::fortran
