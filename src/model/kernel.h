// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as the model sees it: operations in basic blocks, with the virtual registers that they
// read and write, as PTX has them. No architecture is chosen yet: the machine view (machine.h) makes
// instructions of them. Positions are numbers, so that a kernel is a few arrays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::model {

enum class Operation : uint8_t {
#define HEDDLE_OPERATION(NAME, TEXT) NAME,
#include "model/operations.def"
};

enum class ValueKind : uint8_t { None, Predicate, Integer, Float };

/// State spaces (PTX ISA, "State Spaces"). Generic: not known at compile time; the trace's address
/// tells.
enum class Space : uint8_t { Generic, Global, Shared, Local, Constant, Parameter, Texture };

enum OperationFlags : uint16_t {
  IsPredicated = 1,  ///< runs where its predicate holds: sources[3]
  HasImmediate = 2,  ///< one source is a constant
  IsApproximate = 4, ///< .approx: one or few instructions of the special function unit
  IsFull = 8,        ///< div.full
  IsWide = 16,       ///< a result of twice the width: mul.wide, mad.wide
  IsSigned = 32,
  IsVolatile = 64,       ///< volatile, or ordered: not from a cache of the multiprocessor
  IsReadOnly = 128,      ///< ld.global.nc, __ldg
  BypassesL1 = 256,      ///< .cg, .cs, .cv
  IsUniformBranch = 512, ///< bra.uni; SpecialRegister: the same in all of a block
  IsHalfPair = 1024,     ///< two halves in one register
  IsCarry = 2048,        ///< addc, subc, madc
  IsAddress = 4096,      ///< an integer operation whose result only addresses memory
  IsExchange = 8192,     ///< atom.exch, atom.cas: never a reduction
  IsSharedBase = 16384,  ///< Move: the address of a variable in shared memory
  IsIncrement = 32768,   ///< Reduce: of integers of 32 bits, by 1
};

inline constexpr uint32_t None = ~uint32_t(0);

/// One operation. Registers are numbers of KernelCode::registerBits; None: there is none.
struct CodeOperation {
  Operation operation;
  ValueKind kind;     ///< of what is computed, compared or moved
  uint8_t bits;       ///< of one element
  uint8_t fromBits;   ///< Convert: of the source
  ValueKind fromKind; ///< Convert
  uint8_t elements;   ///< of a vector load or store: 1, 2, 4, 8
  uint16_t flags;     ///< OperationFlags
  Space space;        ///< of memory operations
  uint32_t results[4];
  uint32_t sources[4]; ///< of a store of several elements: the first three values; the address
                       ///< comes first
  uint32_t access;     ///< KernelCode::accesses, or None
  uint32_t line;       ///< KernelCode::lines, or None
  int32_t offset;      ///< of an access: bytes behind sources[0], its register or variable
  uint32_t work;       ///< MatrixMultiply: multiplications and additions of a warp; of others, the
                       ///< registers that a library's function takes while it runs
};

/// Operations without a jump into or out of them.
struct CodeBlock {
  uint32_t first, count; ///< operations
};

/// A memory operation, in the order of the code.
struct CodeAccess {
  Operation operation; ///< Load, Store, Atomic, Reduce, AsyncCopy, Texture, Surface, ...
  Space space;
  uint32_t bytes; ///< of one thread
  uint16_t flags; ///< OperationFlags
  uint32_t line;
};

/// A place in the source: the innermost function's.
struct CodeLine {
  std::string file;
  uint32_t line;
  std::string function; ///< demangled
};

struct KernelCode {
  std::string name; ///< mangled
  std::vector<CodeOperation> operations;
  std::vector<CodeBlock> blocks;
  std::vector<CodeAccess> accesses;
  std::vector<CodeLine> lines;
  std::vector<uint8_t> registerBits; ///< of each virtual register; 1: a predicate
  /// Of each block: those that may follow it. For lifetimes.
  std::vector<std::vector<uint32_t>> successors;
  uint32_t staticShared = 0; ///< bytes of a block
  uint32_t localBytes = 0;   ///< of a thread, in arrays
  uint32_t maxRegisters = 0; ///< by -maxrregcount or launch bounds; 0: no limit
  uint32_t paramBytes = 0;
  std::vector<std::string> notes; ///< what the counts leave out, for people
};

/// A launch.
struct LaunchShape {
  uint32_t grid[3], block[3];
  uint32_t dynamicShared = 0; ///< bytes
  uint32_t cluster[3] = {1, 1, 1};
  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  uint32_t threads() const { return block[0] * block[1] * block[2]; }
  uint32_t warps() const { return (threads() + 31) / 32; }
};

} // namespace heddle::model
