// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many instructions an operation of PTX is. 64-bit integers are pairs of 32-bit ones, so that most
// operations on them are two instructions with a carry; products in 5.x and 6.x are built from 16-bit
// ones (XMAD). Divisions, roots and conversions of 64 bits are sequences or calls; their lengths are
// estimates. Addresses have 32 bits in 1.x. What is not known here is one instruction on the integer pipeline.
#include "model/lowering.h"

#include <algorithm>
#include <cmath>

namespace heddle::model {
namespace {

enum Generation { Tesla, Fermi, Kepler, Maxwell, Volta }; // Maxwell: 5.x and 6.x; Volta: and later
Generation generationOf(const Gpu &gpu) {
  return gpu.major == 1   ? Tesla
         : gpu.major == 2 ? Fermi
         : gpu.major == 3 ? Kepler
         : gpu.major < 7  ? Maxwell
                          : Volta;
}

uint8_t count(int n) { return static_cast<uint8_t>(std::min(n, 255)); }
Step chain(Pipe pipe, int n) { return {pipe, count(n), true}; }
Step many(Pipe pipe, int n) { return {pipe, count(n), false}; }

/// Halves of a value that is computed: 64 bits are two registers, but addresses in 1.x one.
int words(const CodeOperation &op, Generation g) {
  return op.bits > 32 && !(g == Tesla && op.flags & IsAddress) ? 2 : 1;
}

Pipe floatPipe(const CodeOperation &op) {
  return op.bits == 64 ? Pipe::Fp64 : op.bits == 16 ? Pipe::Half : Pipe::Fp32;
}

Steps multiplySteps(const CodeOperation &op, Generation g, const Gpu &gpu) {
  const int low = static_cast<int>(gpu.parameters().multiplySteps);
  const bool isConstant = op.flags & HasImmediate;
  if (op.flags & IsWide) {
    if (g == Tesla && op.flags & IsAddress)
      return {chain(Pipe::Shift, 1)};
    if (g >= Volta)
      return {{Pipe::Multiplier, 1, true, 2}};
    if (g == Maxwell) // by a constant, an element's size: two shifts
      return {isConstant ? many(Pipe::Shift, 2) : chain(Pipe::Multiplier, 4)};
    return {many(Pipe::Multiplier, 2)};
  }
  if (op.bits == 64)
    return {chain(Pipe::Multiplier, g >= Volta ? 4 : g == Maxwell ? 12 : g == Tesla ? 16 : 4)};
  if (op.bits == 16 || (g == Maxwell && isConstant))
    return {chain(Pipe::Multiplier, g == Maxwell && op.bits != 16 ? 2 : 1)};
  return {chain(Pipe::Multiplier, low)};
}

Steps multiplyAddSteps(const CodeOperation &op, Generation g, const Gpu &gpu) {
  if (op.kind == ValueKind::Float)
    return {chain(floatPipe(op), g == Tesla && op.bits == 64 ? 1 : 1)};
  Steps steps = multiplySteps(op, g, gpu);
  const bool takesSum = g >= Fermi || op.bits == 16; // the multiplier adds, and XMAD does
  if (!takesSum || (op.bits == 64 && !(op.flags & IsWide)))
    steps.push_back(chain(Pipe::Integer, words(op, g)));
  if (g == Maxwell && op.flags & IsWide)
    steps.push_back(chain(Pipe::Integer, 2));
  return steps;
}

/// Lengths before 7.0 and from it on.
struct Length {
  int before, from7;
  int of(Generation g) const { return g >= Volta ? from7 : before; }
};

Steps divideSteps(const CodeOperation &op, Generation g) {
  if (op.kind == ValueKind::Integer) {
    if (op.bits == 64)
      return {chain(Pipe::Special, 1), chain(Pipe::Multiplier, Length{50, 38}.of(g)),
              chain(Pipe::Integer, Length{40, 28}.of(g))};
    // Reciprocal in single precision, two steps of Newton, and the remainder.
    return {chain(Pipe::Convert, 2),
            chain(Pipe::Special, 1),
            chain(Pipe::Multiplier, g == Maxwell ? 12 : 4),
            many(Pipe::Integer, 5),
            many(Pipe::Compare, 3),
            chain(Pipe::Integer, op.flags & IsSigned ? 5 : 1)};
  }
  if (op.bits == 64)
    return {chain(Pipe::Special, 1), chain(Pipe::Fp64, 9), many(Pipe::Compare, 2),
            many(Pipe::Integer, 6), chain(Pipe::Branch, 1)};
  if (op.flags & IsApproximate)
    return {chain(Pipe::Special, 1), chain(Pipe::Fp32, 1), many(Pipe::Compare, g == Tesla ? 0 : 2)};
  if (op.flags & IsFull || g == Tesla)
    return {chain(Pipe::Special, 1), chain(Pipe::Fp32, 3), many(Pipe::Compare, 3)};
  return {chain(Pipe::Special, 1), chain(Pipe::Fp32, 6), many(Pipe::Compare, 2),
          chain(Pipe::Branch, 1)};
}

Steps rootSteps(const CodeOperation &op, Generation g) {
  const bool isReciprocal = op.operation != Operation::SquareRoot;
  if (op.bits == 64)
    return {chain(Pipe::Special, 1), chain(Pipe::Fp64, isReciprocal ? 6 : 8),
            many(Pipe::Integer, 5), many(Pipe::Compare, 2), chain(Pipe::Branch, 1)};
  const bool isScaled = g >= Volta; // denormals: the operand and the result are scaled
  if (op.flags & IsApproximate || op.operation == Operation::ReciprocalRoot)
    return {many(Pipe::Compare, isScaled ? 1 : 0), chain(Pipe::Special, 1),
            chain(Pipe::Fp32, (isScaled ? 1 : 0) + (isReciprocal ? 0 : 1))};
  return {chain(Pipe::Special, 1), chain(Pipe::Fp32, 5), many(Pipe::Integer, 2),
          chain(Pipe::Branch, 1)};
}

/// Special functions that PTX only has as approximations.
Steps specialSteps(const CodeOperation &op, Generation g) {
  const bool isSine = op.operation == Operation::Sine;
  return {chain(Pipe::Fp32, isSine || g >= Volta ? 1 : 0), chain(Pipe::Special, 1),
          chain(Pipe::Fp32, !isSine && g >= Volta ? 1 : 0)};
}

Steps convertSteps(const CodeOperation &op) {
  const bool areIntegers = op.kind == ValueKind::Integer && op.fromKind == ValueKind::Integer;
  if (areIntegers)
    return {chain(op.fromBits < 32 ? Pipe::ConvertSmall : Pipe::Shift, 1)};
  if (op.bits == 64 || op.fromBits == 64)
    return {chain(Pipe::Convert64, 1)};
  return {chain(Pipe::Convert, 1)};
}

Steps bitFieldSteps(Generation g) { return {chain(Pipe::Shift, g == Tesla || g >= Volta ? 2 : 1)}; }

/// Work of a tensor instruction: 256 multiply-adds a warp in 7.0, 16x8x16 later.
Steps matrixSteps(const CodeOperation &op, const Gpu &gpu) {
  const int each = gpu.major == 7 ? 256 : 2048;
  return {chain(Pipe::Tensor, std::max(1, static_cast<int>(op.work) / each))};
}

Steps memorySteps(const CodeOperation &op, Generation g, const Gpu &gpu) {
  switch (op.operation) {
  case Operation::Texture:
  case Operation::Surface:
    return {chain(Pipe::Texture, 1)};
  case Operation::Atomic:
  case Operation::Reduce:
    // BSSY, then load, sum, compare and swap, test, branch until it succeeds, BSYNC.
    if (isRoundOfCas(op, gpu))
      return {many(Pipe::Branch, 1),  chain(Pipe::Memory, 1),  chain(floatPipe(op), 1),
              chain(Pipe::Memory, 1), chain(Pipe::Compare, 1), chain(Pipe::Branch, 2)};
    // Before 5.0 those of shared memory take a lock; each round is what the access counts.
    if (op.operation == Operation::Atomic && op.space == Space::Shared && g < Maxwell)
      return {many(Pipe::Integer, 3), chain(Pipe::Memory, 1), many(Pipe::Branch, 1)};
    [[fallthrough]];
  default:
    return {chain(Pipe::Memory, 1)};
  }
}

Steps simpleSteps(const CodeOperation &op, Generation g, const Gpu &gpu) {
  const bool isFloat = op.kind == ValueKind::Float;
  const int n = words(op, g);
  switch (op.operation) {
  case Operation::Parameter: // from 9.0 on loaded, and no operand
    return {many(Pipe::Convert, gpu.major >= 9 ? 1 : 0)};
  case Operation::Move:
    if (op.flags & IsSharedBase) // from 9.0 on within the window of a cluster
      return {many(Pipe::Convert, gpu.major >= 9 ? 1 : 0),
              many(Pipe::Integer, gpu.major >= 9 ? 2 : 0)};
    return {many(Pipe::Sum, op.kind == ValueKind::Predicate ? 0 : n)};
  case Operation::SpecialRegister:
    return {chain(Pipe::Convert, 1)};
  case Operation::Clock: // CS2R; before, both halves and once more the upper one
    return {gpu.major >= 7 ? chain(Pipe::Integer, 1) : chain(Pipe::Convert, op.bits == 64 ? 3 : 1)};
  case Operation::Add:
    return {chain(isFloat ? floatPipe(op) : Pipe::Sum, isFloat ? 1 : n)};
  case Operation::Multiply:
    return isFloat ? Steps{chain(floatPipe(op), 1)} : multiplySteps(op, g, gpu);
  case Operation::MultiplyHigh:
    return {chain(Pipe::Multiplier, n * (g == Maxwell ? 8 : g == Tesla ? 8 : 1))};
  case Operation::MultiplyAdd:
    return multiplyAddSteps(op, g, gpu);
  case Operation::MinMax:
    if (isFloat && op.bits == 64 && g >= Volta) // a comparison, two selections, and NaNs
      return {chain(Pipe::Fp64, 1), many(Pipe::Integer, 3), many(Pipe::Sum, 3)};
    return {chain(isFloat && op.bits == 64 ? Pipe::Fp64 : Pipe::Compare, isFloat ? 1 : 2 * n - 1)};
  case Operation::Compare:
    return {chain(isFloat && op.bits == 64 ? Pipe::Fp64 : Pipe::Compare, isFloat ? 1 : n)};
  case Operation::Select:
    return {many(Pipe::Integer, n)};
  case Operation::Logic:
    return {many(Pipe::Integer, n)};
  case Operation::Shift:
    return {chain(Pipe::Shift, n == 1 ? 1 : g >= Kepler ? 2 : 4)};
  case Operation::BitField:
    return bitFieldSteps(g);
  case Operation::BitCount:
    return {chain(Pipe::BitCount, n), many(Pipe::Integer, g == Tesla ? 10 : n - 1)};
  case Operation::SumOfDifferences:
    return {chain(Pipe::Integer, g >= Volta ? 2 : 1)};
  case Operation::DotProduct:
    return {chain(Pipe::Multiplier, 1)};
  case Operation::Video:
    return {chain(Pipe::Integer, g == Kepler ? 1 : 5)};
  default:
    return {chain(Pipe::Integer, 1)};
  }
}

Steps controlSteps(const CodeOperation &op, Generation g) {
  switch (op.operation) {
  case Operation::Shuffle:
  case Operation::Match:
    return {chain(Pipe::Shuffle, std::max(1, op.bits / 32))};
  case Operation::Vote:
    return {chain(Pipe::Integer, 1)};
  case Operation::WarpReduce:
    return {chain(Pipe::Shuffle, 1)};
  case Operation::WarpBarrier:
    return {chain(Pipe::None, g >= Volta ? 1 : 0)};
  case Operation::Barrier:
    return {chain(Pipe::Barrier, 1)};
  case Operation::Call:
    return {chain(Pipe::Branch, 2)};
  default:
    return {chain(Pipe::Branch, 1)};
  }
}

} // namespace

Steps stepsOf(const CodeOperation &op, const Gpu &gpu, const CodeOperation *maker) {
  const Generation g = generationOf(gpu);
  if (maker && maker->operation == Operation::Multiply) { // a product and a sum
    CodeOperation both = *maker;
    both.operation = Operation::MultiplyAdd;
    both.flags |= op.flags & IsAddress;
    return multiplyAddSteps(both, g, gpu);
  }
  switch (op.operation) {
  case Operation::Divide:
    return divideSteps(op, g);
  case Operation::Remainder: {
    Steps steps = divideSteps(op, g);
    steps.push_back(chain(Pipe::Multiplier, words(op, g)));
    return steps;
  }
  case Operation::Reciprocal:
    return op.bits == 64 || !(op.flags & IsApproximate) ? divideSteps(op, g) : rootSteps(op, g);
  case Operation::SquareRoot:
  case Operation::ReciprocalRoot:
    return rootSteps(op, g);
  case Operation::Sine:
  case Operation::Exponential:
  case Operation::Logarithm:
    return specialSteps(op, g);
  case Operation::Convert:
    return convertSteps(op);
  case Operation::MatrixMultiply:
    return matrixSteps(op, gpu);
  case Operation::Load:
  case Operation::Store:
  case Operation::Atomic:
  case Operation::Reduce:
  case Operation::Prefetch:
  case Operation::AsyncCopy:
  case Operation::Texture:
  case Operation::Surface:
  case Operation::Mbarrier:
  case Operation::Fence:
  case Operation::MatrixMemory:
    return memorySteps(op, g, gpu);
  case Operation::Shuffle:
  case Operation::Vote:
  case Operation::Match:
  case Operation::WarpReduce:
  case Operation::WarpBarrier:
  case Operation::Barrier:
  case Operation::AsyncWait:
  case Operation::Branch:
  case Operation::Call:
  case Operation::Return:
  case Operation::Exit:
    return controlSteps(op, g);
  default:
    return simpleSteps(op, g, gpu);
  }
}

bool isRoundOfCas(const CodeOperation &op, const Gpu &gpu) {
  return (op.operation == Operation::Atomic || op.operation == Operation::Reduce) &&
         op.space == Space::Shared && op.kind == ValueKind::Float && !(op.flags & IsExchange) &&
         gpu.major >= 5;
}

uint32_t ticksOf(Pipe pipe, const Gpu &gpu) {
  const Parameters &p = gpu.parameters();
  auto rate = [&]() -> double {
    switch (pipe) {
    case Pipe::Fp32:
      return p.fp32;
    case Pipe::Fp64:
      return gpu.fp64PerClock();
    case Pipe::Half:
      return p.half2;
    case Pipe::Special:
      return p.special;
    case Pipe::Integer:
    case Pipe::Sum:
      return p.integer;
    case Pipe::Multiplier:
      return p.multiplier;
    case Pipe::Shift:
      return p.shift;
    case Pipe::Compare:
      return p.compare;
    case Pipe::BitCount:
      return p.bitCount;
    case Pipe::ConvertSmall:
      return p.convertSmall;
    case Pipe::Convert:
      return p.convert;
    case Pipe::Convert64:
      return p.convert64;
    case Pipe::Shuffle:
      return p.shuffle;
    case Pipe::Barrier:
      return p.barrier;
    case Pipe::Branch:
      return p.branch;
    case Pipe::Tensor: // multiply-adds; a warp's instruction has as many as matrixSteps says
      return p.tensor > 0 ? p.tensor / (gpu.major == 7 ? 256.0 : 2048.0) * 32 : p.fp32 / 64;
    default:
      return 0;
    }
  }();
  if (rate <= 0)
    return 0;
  return static_cast<uint32_t>(std::lround(32 * p.schedulers / rate * TicksPerCycle));
}

uint16_t latencyOf(Pipe pipe, const Gpu &gpu) {
  const Parameters &p = gpu.parameters();
  const double cycles = [&] {
    switch (pipe) {
    case Pipe::Fp64:
    case Pipe::Convert64:
      return p.latencyFp64;
    case Pipe::Special:
      return p.latencySpecial;
    case Pipe::Multiplier:
      return p.latencyMultiply;
    case Pipe::Shuffle:
      return p.latencyShuffle;
    case Pipe::BitCount:
    case Pipe::Convert:
      return std::max(p.latencyAlu, gpu.major >= 7 ? 14.0 : p.latencyAlu);
    case Pipe::Tensor:
      return gpu.major == 7 ? 8.0 : 18.0;
    case Pipe::Branch:
      return p.latencyBranch;
    case Pipe::Memory:
    case Pipe::Texture:
      return 0.0;
    default:
      return p.latencyAlu;
    }
  }();
  return static_cast<uint16_t>(cycles);
}

int instructionsOf(const CodeOperation &op, const Gpu &gpu) {
  int total = 0;
  for (const Step &step : stepsOf(op, gpu, nullptr))
    total += step.count;
  return total;
}

} // namespace heddle::model
