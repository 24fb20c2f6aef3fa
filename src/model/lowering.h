// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of makeMachineCode.
#pragma once

#include "model/machine.h"

namespace heddle::model {

/// Which operations are no instruction of their own, because another does their work or because the
/// operand is a constant of the hardware. By number of the operation.
struct Fusion {
  std::vector<uint8_t> isGone;
  /// Of an operation: the one whose work it also does, or None.
  std::vector<uint32_t> maker;
  /// Of a register: it holds a parameter or an immediate, and takes no space.
  std::vector<uint8_t> isFree;
  /// Of a register: the one that it shares its place with because one is copied to the other, or
  /// itself.
  std::vector<uint32_t> copyOf;
};
Fusion fuse(const KernelCode &, const Gpu &);

/// Of each operation: the block that it is moved to, or None.
std::vector<uint32_t> placeConstants(const KernelCode &, const Fusion &, const Gpu &);

/// A part of an operation's sequence: `count` instructions of a pipeline, one after the other if they
/// depend on each other.
struct Step {
  Pipe pipe;
  uint8_t count = 1;
  bool isChain = true;
  uint8_t slots = 1; ///< times that each takes its pipeline
};
using Steps = std::vector<Step>;
/// `maker`: an operation that this one also does, or null.
Steps stepsOf(const CodeOperation &, const Gpu &, const CodeOperation *maker);

/// 1/1024 cycles of a scheduler's part of the pipeline, and cycles to a dependent instruction.
uint32_t ticksOf(Pipe, const Gpu &);
uint16_t latencyOf(Pipe, const Gpu &);

/// Puts the instructions of a block in the order of an assembler that hides latencies: what much
/// waits for goes first. Memory operations that may meet stay in order.
/// `window`: instructions behind the first that is left from which the next is taken. `mostLive`: values of
/// the block above which the order of the code is kept.
void schedule(std::vector<MachineInstruction> &, const KernelCode &, uint32_t window, int mostLive);

/// Of each block: its branch says where lanes meet again.
std::vector<uint8_t> findMeetings(const KernelCode &);

/// Most registers of 32 bits that live at a time.
int pressureOf(const MachineCode &, const Fusion &);

} // namespace heddle::model
