// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A processor's prefetchers know a stream by the address of the instruction that loads it. A sum
// over an array, unrolled, is dozens of loads in a row, all of the same length; where that is 8 or
// 12 bytes their addresses differ too little in the bits that the prefetchers' tables are indexed
// by, and most of them find no place there. Measured on a Zen 5 with 32 loads of 64 bytes in a loop
// over 64 MB, half of them in the last cache, two cores, with prefixes as the only difference:
//
//     bytes a load   7     8     9     10    11    12
//     ms             0.45  0.65  0.47  0.45  0.47  0.63
//
// (indexed addresses, one byte longer: 8 bytes 0.72, 9 to 11 bytes 0.42 to 0.44.) From memory alone
// 8 bytes take a tenth longer. Loads that find their data in the second-level cache are better off
// without such prefetches: that is why other loads stay as they are.
//
// How long an instruction is only its encoder knows. So a last pass over the machine code puts a
// mark, an instruction that is nothing but the prefix, before each load of a stream; the encoder of
// this file (MCCodeEmitter) writes the prefix if the instruction behind the mark needs it.
//
// Legality (stagger-loads): none: the prefix changes no instruction, and no constant is addressed
// from the end of one that gets it.
#include "jit/emit/stagger_loads.h"

#include "simt/analysis/pass_notes.h"

#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/TargetRegistry.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr uint64_t ShortestVector = 32; ///< bytes
constexpr char Prefix = 0x3e;           ///< the segment ds, which x86-64 ignores
constexpr size_t Crowded = 4;           ///< bytes: loads at multiples of it crowd a table

/// The opcode of the prefix as an instruction of its own. LLVM's headers for x86 are not installed.
unsigned markOpcode(const MCInstrInfo &instructions) {
  static const unsigned opcode = [&] {
    for (unsigned i = 0; i < instructions.getNumOpcodes(); ++i)
      if (instructions.getName(i) == "DS_PREFIX")
        return i;
    return 0u; // PHI, which is never encoded
  }();
  return opcode;
}

/// Where vectors of streams are loaded from.
SmallPtrSet<const Value *, 32> streamsOf(const Function &function) {
  SmallPtrSet<const Value *, 32> pointers;
  for (const Instruction &instruction : instructions(function))
    if (const auto *load = dyn_cast<LoadInst>(&instruction))
      if (simt::StreamMetadata.isOn(*load) && load->getType()->isVectorTy())
        pointers.insert(load->getPointerOperand());
  return pointers;
}

class MarkStreamLoads : public MachineFunctionPass {
public:
  static char ID;
  MarkStreamLoads() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "Mark loads of streams"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    if (!function.getFunction().hasFnAttribute(Stagger))
      return false;
    const auto streams = streamsOf(function.getFunction());
    const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    auto loadsStream = [&](const MachineInstr &instruction) {
      return instruction.mayLoad() && !instruction.mayStore() && !instruction.isCall() &&
             any_of(instruction.memoperands(), [&](const MachineMemOperand *access) {
               return access->getValue() && streams.contains(access->getValue()) &&
                      access->getSize().hasValue() &&
                      access->getSize().getValue() >= ShortestVector;
             });
    };
    bool changed = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : block)
        if (loadsStream(instruction)) {
          BuildMI(block, instruction, instruction.getDebugLoc(),
                  instructions.get(markOpcode(instructions)));
          changed = true;
        }
    return changed;
  }
};

char MarkStreamLoads::ID = 0;

class StaggeringEmitter : public MCCodeEmitter {
public:
  StaggeringEmitter(std::unique_ptr<MCCodeEmitter> emitter, const MCInstrInfo &instructions)
      : emitter_(std::move(emitter)), mark_(markOpcode(instructions)) {}

  void reset() override {
    emitter_->reset();
    isMarked_ = false;
  }

  void encodeInstruction(const MCInst &instruction, SmallVectorImpl<char> &bytes,
                         SmallVectorImpl<MCFixup> &fixups,
                         const MCSubtargetInfo &subtarget) const override {
    bool wasMarked = std::exchange(isMarked_, instruction.getOpcode() == mark_);
    if (isMarked_)
      return;
    size_t start = bytes.size(), fixupsBefore = fixups.size();
    emitter_->encodeInstruction(instruction, bytes, fixups, subtarget);
    // What is addressed from the instruction's end is a constant, not a stream.
    if (wasMarked && (bytes.size() - start) % Crowded == 0 && fixups.size() == fixupsBefore)
      bytes.insert(bytes.begin() + start, Prefix);
  }

private:
  std::unique_ptr<MCCodeEmitter> emitter_;
  unsigned mark_;
  mutable bool isMarked_ = false; ///< what was encoded last is a mark
};

} // namespace

bool addStaggeredPrinter(legacy::PassManager &passes, TargetMachine &machine,
                         raw_pwrite_stream &stream, MCContext &context) {
  const Target &target = machine.getTarget();
  const MCSubtargetInfo &subtarget = *machine.getMCSubtargetInfo();
  std::unique_ptr<MCCodeEmitter> encoder(
      target.createMCCodeEmitter(*machine.getMCInstrInfo(), context));
  std::unique_ptr<MCAsmBackend> backend(target.createMCAsmBackend(
      subtarget, *machine.getMCRegisterInfo(), machine.Options.MCOptions));
  if (!encoder || !backend)
    return false;
  std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<MCStreamer> streamer(target.createMCObjectStreamer(
      machine.getTargetTriple(), context, std::move(backend), std::move(writer),
      std::make_unique<StaggeringEmitter>(std::move(encoder), *machine.getMCInstrInfo()),
      subtarget));
  AsmPrinter *printer = target.createAsmPrinter(machine, std::move(streamer));
  if (!printer)
    return false;
  passes.add(new MarkStreamLoads);
  passes.add(printer);
  return true;
}

} // namespace heddle::jit
