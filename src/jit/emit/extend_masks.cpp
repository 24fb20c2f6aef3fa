// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fault of LLVM 22's back end for x86. A mask of 16 lanes that becomes one of 32 with zeros on
// top is extended by `kmovw`, which clears all bits of the target above the 16th. But `kmovw` also
// counts as an instruction that copies a register (isMoveReg in X86InstrAVX512.td). So the register
// allocator may put a copy of the source, with 32 bits, where the extended mask was to be kept on
// the stack. What lies above its 16th bit is anything, for instance after `kmovd %eax, %k5` of a
// constant in %ax, and lanes that do not exist take part:
//
//     %b:vk32 = KMOVWkk %a            kmovw %k5, %k0
//     (b is spilled)            ->    kmovd %k0, 52(%rsp)     but LLVM: kmovd %k5, 52(%rsp)
//
// Programs of 64 and more lanes whose last vector is not full meet it. `kandw` of a mask with
// itself clears the same bits and is no copy.
#include "jit/emit/extend_masks.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

#include <array>
#include <utility>

using namespace llvm;

namespace heddle::jit {

namespace {

/// Opcodes by their names: the enumeration is not among LLVM's installed headers. ~0u: none.
unsigned opcodeOf(const MCInstrInfo &instructions, StringRef name) {
  for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode)
    if (instructions.getName(opcode) == name)
      return opcode;
  return ~0u;
}

/// The copies of mask registers of 8, 16 and 32 lanes, each with its conjunction.
using Pairs = std::array<std::pair<unsigned, unsigned>, 3>;

const Pairs &pairsOf(const MCInstrInfo &instructions) {
  static const Pairs pairs = [&] {
    auto pair = [&](StringRef copy, StringRef conjunction) {
      return std::pair(opcodeOf(instructions, copy), opcodeOf(instructions, conjunction));
    };
    return Pairs{pair("KMOVBkk", "KANDBkk"), pair("KMOVWkk", "KANDWkk"),
                 pair("KMOVDkk", "KANDDkk")};
  }();
  return pairs;
}

/// Behind the selection of instructions, where plain copies are still COPY: each `kmov` between
/// mask registers is there to extend.
class ExtendMasks : public MachineFunctionPass {
public:
  static char ID;
  ExtendMasks() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "Extend masks"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : block)
        for (auto [copy, conjunction] : pairsOf(instructions))
          if (instruction.getOpcode() == copy && conjunction != ~0u) {
            instruction.getOperand(1).setIsKill(false);
            instruction.setDesc(instructions.get(conjunction));
            MachineInstrBuilder(function, instruction)
                .addReg(instruction.getOperand(1).getReg(), {},
                        instruction.getOperand(1).getSubReg());
            changed = true;
            break;
          }
    return changed;
  }
};

char ExtendMasks::ID = 0;

} // namespace

void addMaskExtensions(TargetPassConfig &config) {
  if (config.getTM<TargetMachine>().getTargetTriple().isX86_64())
    config.insertPass(&FinalizeISelID, new ExtendMasks());
}

} // namespace heddle::jit
