// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns (columns.h). A block of 32x8 threads that stores to `out[x * n + y]` has a vector for
// each column in place of a scatter: the values are transposed in registers, by a perfect shuffle
// for each doubling of the rows.
//
//     scatter <256 x float> %v, %p   ->   %t = shuffle %v, <0 128 1 129 ...>, three times
//                                         store <8 x float> %t[0 to 7], %p[0];  ...
//
// Columns shorter than a cache line are completed by the next block in y, so blocks run down the
// columns of the grid; along its rows each line would be fetched at least twice. Better still, as
// many blocks above each other form one program as make columns whole lines, which then bypass the
// caches. `runBlocks` runs bands of so many rows of blocks, and single blocks where fewer are left.
//
// Legality (column-major-blocks):
//  1. Nothing orders the threads: no atomics, fences, volatile accesses. [no order]
//  2. They do not work together: no shared memory, barriers, warp operations, loops in which they
//     might wait. [no work together]
//
// Legality (coarsen-blocks-in-y):
//  1. The thread's row is used for the row in the grid only ... [row of the thread]
//  2. ... and so is the block's. (Sums of both that share no bits in one block may do so in
//     several: they are added.) [row of the block]
//  3. What column-major-blocks asks for holds. [straight]
//
// Legality (transpose-columns):
//  1. The threads of a column access neighbouring elements, for all lanes of the program.
//     [neighbours]
//  2. They are computed so in lanes that are not active, too: without flags. An extension of a sum
//     that may wrap around is another one in each lane. [no wrap]
#include "simt/form/columns.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/thread_sums.h"
#include "simt/form/interchange_block_rows.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <optional>

using namespace llvm;

namespace heddle::simt {

namespace {

/// An access for each column; more are gathered.
constexpr unsigned MostColumns = 32;
/// The same where all lanes lie at known places (a tile in shared memory, near at hand): there the
/// shuffles of more registers take longer than gathers.
constexpr unsigned MostNearColumns = 8;
/// Elements of a column, from which a wide access is worth its shuffles.
constexpr unsigned FewestRows = 4;
constexpr int64_t CacheLine = 64; ///< bytes
/// Of blocks that run together: lines side by side are written faster.
constexpr int64_t LinesOfColumn = 2;
constexpr unsigned MostTogether = 1024; ///< lanes

/// Pairs of threads that follow each other in a column, `count` threads of a program being one row.
struct Pairs {
  std::vector<unsigned> from, to;

  Pairs(unsigned count, unsigned width, unsigned threads) {
    for (unsigned thread = 0; thread + count < threads; ++thread)
      if (thread % width + count < width) {
        from.push_back(thread);
        to.push_back(thread + count);
      }
  }
};

/// What ThreadDifferences finds first, and cheaply, does not say that threads of a column lie
/// something else than `size` apart: the shape, or the numbers in the sum.
bool mayLieApart(Value &address, int64_t size, const Pairs &pairs, ThreadSums &sums) {
  const Shapes &shapes = sums.shapes();
  Shape shape = shapes.of(&address);
  unsigned width = shapes.width();
  bool isOfShape = shape.known(), isApart = true;
  for (unsigned i = 0; i < pairs.from.size() && isOfShape; ++i) {
    unsigned one = pairs.from[i] % width, two = pairs.to[i] % width;
    isOfShape = shape.part(one) == shape.part(two);
    isApart &= shape.offset(two) - shape.offset(one) == size;
    if (shape.regular && !isApart) // all parts are one
      return false;
  }
  if (isOfShape)
    return isApart;
  std::optional<ThreadSum> sum = sums.modular(address);
  if (!sum)
    return false;
  auto numbers = sum->products.find({});
  return numbers != sum->products.end() && all_of(zip(pairs.from, pairs.to), [&](auto pair) {
           auto [one, two] = pair;
           return int64_t(uint64_t(numbers->second[two]) - uint64_t(numbers->second[one])) == size;
         });
}

/// The threads of a column of `count` lie `size` apart.
bool isColumn(Value &address, int64_t size, unsigned count, ThreadSums &sums, unsigned threads) {
  Pairs pairs(count, sums.shapes().width(), threads);
  if (pairs.from.empty() || !mayLieApart(address, size, pairs, sums))
    return false;
  std::optional<ThreadTable> steps = ThreadDifferences(sums, pairs.from, pairs.to).of(address);
  return steps && all_of(*steps, [&](int64_t step) { return step == size; });
}

} // namespace

Columns columnsOf(const Value *address, int64_t size, const Shapes &shapes,
                  const Options &options) {
  unsigned width = shapes.width();
  Shape shape = shapes.of(address);
  if (shape.period != width || !options.isEnabled("transpose-columns"))
    return {};
  auto *instruction = dyn_cast<Instruction>(const_cast<Value *>(address));
  if (!instruction)
    return {};
  ThreadTables tables(options.blockDim);
  ThreadSums sums(tables, shapes, instruction->getDataLayout());
  unsigned most = shape.regular ? MostNearColumns : MostColumns;
  for (unsigned count = 2; count <= most && count * FewestRows <= width; count *= 2)
    if (isColumn(*instruction, size, count, sums, tables.threads()))
      return {count};
  return {};
}

Columns columnsOf(const Instruction &access, const Shapes &shapes, const Options &options) {
  Type *type = getLoadStoreType(const_cast<Instruction *>(&access));
  return hasOwnForm(access, shapes)
             ? Columns()
             : columnsOf(getLoadStorePointerOperand(&access),
                         access.getDataLayout().getTypeStoreSize(type), shapes, options);
}

SmallPtrSet<const Instruction *, 16> addressesOfColumns(Function &thread, const Shapes &shapes,
                                                        const Options &options) {
  SmallVector<const Value *, 16> found;
  for (const Instruction &instruction : instructions(thread))
    if (const Value *address = getLoadStorePointerOperand(&instruction);
        address && columnsOf(instruction, shapes, options))
      found.push_back(address);
  SmallPtrSet<const Instruction *, 16> result;
  while (!found.empty()) {
    const auto *instruction = dyn_cast<Instruction>(found.pop_back_val());
    if (instruction && isa<BinaryOperator, CastInst, SelectInst, GetElementPtrInst>(instruction) &&
        !shapes.isUniform(instruction) && result.insert(instruction).second)
      found.append(instruction->op_begin(), instruction->op_end());
  }
  return result;
}

namespace {

/// Bytes of the longest column that a block accesses; 0: it accesses none.
int64_t longestColumn(const ThreadProgram &program, const Options &options) {
  if (!options.isEnabled("column-major-blocks") || options.width <= WarpSize ||
      options.blockDim[1] == 1 || !isStraightKernel(program, options))
    return 0;
  Function &thread = *program.body;
  LoopFacts facts(thread);
  LaneShapes lanes(thread, facts, {options.width, options.blockDim});
  const Shapes &shapes = lanes.shapes;
  int64_t longest = 0;
  for (const Instruction &access : instructions(thread)) {
    if (!getLoadStorePointerOperand(&access))
      continue;
    int64_t size = access.getDataLayout().getTypeStoreSize(
        getLoadStoreType(const_cast<Instruction *>(&access)));
    if (columnsOf(access, shapes, options).count == options.blockDim[0])
      longest = std::max(longest, options.blockDim[1] * size);
  }
  return longest;
}

bool isProductWith(const Value *value, const Value *factor, unsigned constant) {
  const auto *product = dyn_cast<BinaryOperator>(value);
  const auto *other = product ? dyn_cast<ConstantInt>(product->getOperand(1)) : nullptr;
  if (!other || product->getOperand(0) != factor)
    return false;
  return product->getOpcode() == Instruction::Mul
             ? other->equalsInt(constant)
             : product->getOpcode() == Instruction::Shl && isPowerOf2_32(constant) &&
                   other->equalsInt(Log2_32(constant));
}

/// The value, or what it is the extension of.
const Value *beforeExtension(const Value *value) {
  return isa<SExtInst, ZExtInst>(value) ? cast<CastInst>(value)->getOperand(0) : value;
}

bool isThreadIndex(const Value *value, Intrinsic::ID index) {
  const auto *call = dyn_cast<IntrinsicInst>(value);
  return call && call->getIntrinsicID() == index;
}
bool isThreadRow(const Value *value) {
  return isThreadIndex(value, Intrinsic::nvvm_read_ptx_sreg_tid_y);
}

/// threadIdx + blockIdx * threads, or of their extensions.
bool isGridIndex(const User *user, Intrinsic::ID threadIndex, const Value *blockIndex,
                 unsigned threads) {
  const auto *sum = dyn_cast<BinaryOperator>(user);
  if (!sum || (sum->getOpcode() != Instruction::Add && sum->getOpcode() != Instruction::Or))
    return false;
  if (const auto *bits = dyn_cast<PossiblyDisjointInst>(sum); bits && !bits->isDisjoint())
    return false;
  const Value *a = beforeExtension(sum->getOperand(0)), *b = beforeExtension(sum->getOperand(1));
  return (isThreadIndex(a, threadIndex) && isProductWith(b, blockIndex, threads)) ||
         (isThreadIndex(b, threadIndex) && isProductWith(a, blockIndex, threads));
}

/// The value only gives indices in the grid, as it is or extended.
bool givesGridIndex(const User *user, Intrinsic::ID threadIndex, const Value *blockIndex,
                    unsigned threads) {
  auto isIndex = [&](const User *sum) {
    return isGridIndex(sum, threadIndex, blockIndex, threads);
  };
  return isIndex(user) || (isa<SExtInst, ZExtInst>(user) && all_of(user->users(), isIndex));
}

/// Whether the thread's and the block's index in y only give the row in the grid.
bool knowsRowsOnly(Function &thread, unsigned rows) {
  const Value *blockRow = thread.getArg(ParamBlockY);
  auto givesRow = [&](const User *user) {
    return givesGridIndex(user, Intrinsic::nvvm_read_ptx_sreg_tid_y, blockRow, rows);
  };
  for (const Instruction &instruction : instructions(thread)) {
    const auto *call = dyn_cast<IntrinsicInst>(&instruction);
    bool isIndex = call && callKind(*call) == CallKind::ThreadIndex;
    if (isThreadRow(&instruction)) {
      if (!all_of(instruction.users(), givesRow))
        return false;
    } else if (isIndex && call->getIntrinsicID() != Intrinsic::nvvm_read_ptx_sreg_tid_x) {
      return false;
    }
  }
  return all_of(blockRow->users(), [&](const User *product) {
    return isProductWith(product, blockRow, rows) && all_of(product->users(), givesRow);
  });
}

} // namespace

bool goesByColumns(const ThreadProgram &program, const Options &options) {
  int64_t longest = longestColumn(program, options);
  return longest > 0 && longest < CacheLine;
}

unsigned blocksTogether(const ThreadProgram &program, const Options &options) {
  unsigned threads = options.blockDim[0] * options.blockDim[1] * options.blockDim[2];
  if (!program.goesByColumns || !isPowerOf2_32(threads) || options.blockDim[2] > 1 ||
      !options.isEnabled("coarsen-blocks-in-y") ||
      !knowsRowsOnly(*program.body, options.blockDim[1]))
    return 1;
  int64_t longest = longestColumn(program, options);
  unsigned count = 1;
  while (count * longest < LinesOfColumn * CacheLine && 2 * count * threads <= MostTogether)
    count *= 2;
  return count * longest % CacheLine == 0 ? count : 1;
}

/// Bits that indices in one block do not share they may in several.
static void addBits(Function &thread) {
  for (Instruction &instruction : make_early_inc_range(instructions(thread)))
    if (auto *bits = dyn_cast<PossiblyDisjointInst>(&instruction); bits && bits->isDisjoint()) {
      IRBuilder<> builder(bits);
      bits->replaceAllUsesWith(builder.CreateAdd(bits->getOperand(0), bits->getOperand(1)));
      bits->eraseFromParent();
    }
}

ThreadProgram copyForBlocksTogether(const ThreadProgram &program) {
  ValueToValueMapTy map;
  ThreadProgram copy = program;
  copy.body = CloneFunction(program.body, map);
  addBits(*copy.body);
  return copy;
}

/// Of a sum that is blockIdx.x * row + threadIdx.x: the operand, of these values.
static Value *ofBlockAndLane(IRBuilder<> &builder, Value *operand, Value *block, Value *lane) {
  if (auto *extension = dyn_cast<CastInst>(operand))
    return builder.CreateCast(extension->getOpcode(),
                              ofBlockAndLane(builder, extension->getOperand(0), block, lane),
                              extension->getDestTy());
  if (isThreadIndex(operand, Intrinsic::nvvm_read_ptx_sreg_tid_x))
    return lane;
  Instruction *product = cast<Instruction>(operand)->clone(); // with its flags
  product->setOperand(0, block);
  return builder.Insert(product);
}

void joinBeside(Function &thread, unsigned row) {
  constexpr Intrinsic::ID Index = Intrinsic::nvvm_read_ptx_sreg_tid_x;
  Value *first = thread.getArg(ParamBlockX);
  SmallVector<Instruction *, 8> columns, indices;
  for (Instruction &instruction : instructions(thread))
    if (isGridIndex(&instruction, Index, first, row))
      columns.push_back(&instruction);
    else if (isThreadIndex(&instruction, Index))
      indices.push_back(&instruction);
  IRBuilder<> builder(&*thread.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Value *lane = builder.CreateIntrinsic(Index, {});
  Value *number = builder.CreateUDiv(lane, builder.getInt32(row));
  Value *block = builder.CreateAdd(first, number, "blockIdx", /*HasNUW=*/true);
  Value *inBlock = builder.CreateURem(lane, builder.getInt32(row));
  first->replaceUsesWithIf(block, [&](const Use &use) { return use.getUser() != block; });
  for (Instruction *column : columns) {
    builder.SetInsertPoint(column);
    for (Use &operand : column->operands())
      operand.set(ofBlockAndLane(builder, operand.get(), first, lane));
  }
  for (Instruction *index : indices) {
    index->replaceAllUsesWith(inBlock);
    index->eraseFromParent();
  }
  addBits(thread);
}

} // namespace heddle::simt
