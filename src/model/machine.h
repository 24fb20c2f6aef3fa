// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine view: a kernel's operations as instructions of an architecture, in the order in which
// its assembler would put them, and the registers of a thread. No instruction is encoded: what counts
// is how many there are, the pipeline that each takes, and what it waits for.
#pragma once

#include "model/gpu.h"
#include "model/kernel.h"

namespace heddle::model {

/// What executes an instruction.
enum class Pipe : uint8_t {
  None, ///< the scheduler alone
  Fp32,
  Fp64,
  Half,
  Special,
  Integer,
  Sum, ///< integer sums and moves: from 7.0 on the multiplier has them, too
  Multiplier,
  Shift,
  Compare,
  BitCount,
  ConvertSmall,
  Convert,
  Convert64,
  Tensor,
  Shuffle,
  Barrier,
  Branch,
  Memory, ///< load and store units: the access tells how long
  Texture,
};
inline constexpr unsigned PipeCount = static_cast<unsigned>(Pipe::Texture) + 1;
std::string_view nameOf(Pipe);

struct MachineInstruction {
  Operation operation; ///< that it is part of
  Pipe pipe;
  uint16_t latency; ///< cycles to a dependent one; of memory: without the memory
  uint32_t ticks;   ///< 1/1024 cycles that the pipeline of a scheduler takes for it
  /// Virtual registers of the KernelCode, those behind them for what is in between the instructions
  /// of one operation, or None.
  uint32_t results[4], sources[6];
  uint32_t access, line; ///< of the KernelCode, or None
  uint32_t base;         ///< of an access: the register that it is `offset` bytes behind, or None
  int32_t offset;
  uint32_t held; ///< registers beside those of values that it needs
};

struct MachineCode {
  const KernelCode *kernel = nullptr;
  std::vector<MachineInstruction> instructions;
  std::vector<CodeBlock> blocks; ///< of instructions, one for each block of the kernel
  /// Of each block: the one with whose warps it runs, another one where its instructions are predicated.
  std::vector<uint32_t> runsWith;
  uint32_t registerCount = 0; ///< virtual ones, with those in between
  int registers = 0;          ///< of a thread
  int pressure = 0;           ///< the same without limits
  uint32_t spillBytes = 0;    ///< of a thread: what the limit leaves no register for
};

inline constexpr uint32_t TicksPerCycle = 1024;

/// `maxThreads` and `minBlocks` of __launch_bounds__, or 0.
MachineCode makeMachineCode(const KernelCode &, const Gpu &, int maxThreads = 0, int minBlocks = 0);

/// Sums in shared memory that the hardware has not: a loop of RoundInstructions, a round for each lane of
/// an address.
bool isRoundOfCas(const CodeOperation &, const Gpu &);
inline constexpr int RoundInstructions = 5;

/// Instructions of one operation by itself, before any are fused. For tests and reports.
int instructionsOf(const CodeOperation &, const Gpu &);

} // namespace heddle::model
