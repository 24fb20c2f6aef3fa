// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of rows.
//
// A program of several rows of threads computes the addresses of its rows as a vector, for they
// differ, and then takes them out one by one, since each is a load of its own: a multiplication of
// vectors, and for each row one or two instructions to bring it to a scalar register, which take
// the place of the products that the loop is there for. A matrix product with 16 rows spends half
// of its time so. But rows lie equally far apart, so each address is the one before plus a distance
// that is the same for all; scalar additions cost next to nothing, and LLVM knows what to do with
// them in a loop.
//
// An integer vector is a *line* if its lanes are start + lane * step in its own modular arithmetic:
// constants that count, splats, their sums and products with splats. An extension of a line is one
// if no lane wraps around before it (analysis/overflow.h): then start and step are computed in the
// wide type, from scalars, so that it does not matter whether lane 0 is active.
// Where nothing is known (unsigned indices of 32 bits may wrap around) each lane is extended by
// itself.
//
// Legality (strength-reduce-addresses):
//  1. An extended sum is one whose lanes do not wrap around before it is extended. [no wrap]
//  2. The lanes lie equally far apart in the arithmetic of their type: constants that count, what
//     is the same in all, their sums and products. [equal distances]
#include "simt/vector/strength_reduce_addresses.h"

#include "simt/analysis/overflow.h"
#include "simt/vector/struct_group.h"

#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned Depth = 12;      ///< of the computations looked through
constexpr unsigned MostPerLane = 3; ///< instructions that each lane needs by itself

/// Counts the lanes of one vector of addresses, before that.
class Rows {
public:
  explicit Rows(Instruction &before)
      : builder_(before.getContext(), InstSimplifyFolder(before.getDataLayout())) {
    builder_.SetInsertPoint(&before);
  }

  /// Whether all lanes follow from scalars with little work for each. Makes nothing.
  bool isCheap(Value *value) {
    plans_ = true;
    bool cheap = costOf(value, Depth) <= MostPerLane;
    plans_ = false;
    return cheap;
  }

  Value *lane(Value *value, unsigned number) {
    if (Value *known = made_.lookup({value, number}))
      return known;
    Value *fresh = make(value, number);
    return made_[{value, number}] = fresh;
  }

private:
  struct Line {
    Value *start = nullptr, *step = nullptr;
    explicit operator bool() const { return start; }
  };

  // While it only plans, all that would be made is this.
  Value *binary(Instruction::BinaryOps opcode, Value *a, Value *b) {
    return plans_ ? a : builder_.CreateBinOp(opcode, a, b);
  }
  Value *extended(Value *value, Type *type, bool isSigned) {
    return plans_ ? ConstantInt::get(type, 0) : builder_.CreateIntCast(value, type, isSigned);
  }

  /// As the vector's elements are, or extended to `wide`, which must then be exact.
  struct Form {
    Type *wide = nullptr;
    bool isSigned = false;
  };

  Value *scalar(Value *value, Form form) {
    return form.wide ? extended(value, form.wide, form.isSigned) : value;
  }

  Line lineOfConstant(const Constant &constant, Form form) {
    SmallVector<APInt, 16> values;
    for (unsigned i = 0; i < lanesOf(&constant); ++i) {
      auto *element = dyn_cast_or_null<ConstantInt>(constant.getAggregateElement(i));
      if (!element)
        return {};
      unsigned bits = form.wide ? form.wide->getIntegerBitWidth() : element->getBitWidth();
      const APInt &value = element->getValue();
      values.push_back(form.isSigned ? value.sext(bits) : value.zext(bits));
    }
    APInt step = values.size() > 1 ? values[1] - values[0] : APInt(values[0].getBitWidth(), 0);
    for (unsigned i = 1; i < values.size(); ++i)
      if (values[i] - values[i - 1] != step)
        return {};
    LLVMContext &context = constant.getContext();
    return {ConstantInt::get(context, values[0]), ConstantInt::get(context, step)};
  }

  Line lineOf(Value *value, Form form, unsigned depth) {
    if (!value->getType()->isIntOrIntVectorTy() || depth-- == 0)
      return {};
    if (auto *constant = dyn_cast<Constant>(value))
      return lineOfConstant(*constant, form);
    if (Value *same = getSplatValue(value)) {
      Value *start = scalar(same, form);
      return {start, ConstantInt::get(start->getType(), 0)};
    }
    if (auto *cast = dyn_cast<CastInst>(value))
      return lineOfCast(*cast, form, depth);
    auto *operation = dyn_cast<BinaryOperator>(value);
    Sign sign = form.isSigned ? Sign::Signed : Sign::Unsigned;
    return operation && (!form.wide || isExact(*operation, sign))
               ? lineOfBinary(*operation, form, depth)
               : Line();
  }

  Line lineOfCast(CastInst &cast, Form form, unsigned depth) {
    bool isSigned = isa<SExtInst>(cast), nonNegative = isa<ZExtInst>(cast) && cast.hasNonNeg();
    if (!isSigned && !isa<ZExtInst>(cast))
      return {};
    if (form.wide && form.isSigned && !isSigned) // zero-extended numbers are not negative
      form.isSigned = false;
    if (form.wide && !form.isSigned && isSigned)
      return {};
    Type *wide = form.wide ? form.wide : cast.getType()->getScalarType();
    Value *operand = cast.getOperand(0);
    if (isSigned || nonNegative)
      if (Line line = planned(operand, {wide, true}, depth))
        return line;
    return isSigned ? Line() : planned(operand, {wide, false}, depth);
  }

  /// Nothing is made where it leads nowhere.
  Line planned(Value *value, Form form, unsigned depth) {
    bool before = plans_;
    plans_ = true;
    Line line = lineOf(value, form, depth);
    plans_ = before;
    return line && !plans_ ? lineOf(value, form, depth) : line;
  }

  Line lineOfBinary(BinaryOperator &operation, Form form, unsigned depth) {
    Value *a = operation.getOperand(0), *b = operation.getOperand(1);
    auto opcode = operation.getOpcode();
    if (opcode == Instruction::Mul && !getSplatValue(b))
      std::swap(a, b);
    bool scales = opcode == Instruction::Mul || opcode == Instruction::Shl;
    if (scales && !getSplatValue(b))
      return {};
    if (opcode == Instruction::Or && cast<PossiblyDisjointInst>(operation).isDisjoint())
      opcode = Instruction::Add;
    if (!scales && opcode != Instruction::Add && opcode != Instruction::Sub)
      return {};
    Line left = lineOf(a, form, depth), right = left ? lineOf(b, form, depth) : Line();
    if (!left || !right)
      return {};
    return {binary(opcode, left.start, right.start),
            binary(opcode, left.step, scales ? right.start : right.step)};
  }

  /// Instructions for each lane: one for the next of a line, those of what is no line.
  unsigned costOf(Value *value, unsigned depth) {
    constexpr unsigned TooMany = MostPerLane + 1;
    if (!isa<FixedVectorType>(value->getType()) || getSplatValue(value))
      return 0;
    if (lineOf(value, {}, Depth))
      return 1;
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || depth-- == 0 ||
        !isa<BinaryOperator, SExtInst, ZExtInst, GetElementPtrInst>(instruction) ||
        (isa<BinaryOperator>(instruction) && instruction->isIntDivRem()))
      return TooMany;
    auto *address = dyn_cast<GetElementPtrInst>(instruction);
    if (address && address->getNumIndices() != 1)
      return TooMany;
    unsigned sum = address ? 0 : 1; // the last sum of an address is part of the access
    for (Value *operand : instruction->operands())
      sum = std::min(TooMany, sum + costOf(operand, depth));
    return sum;
  }

  Value *make(Value *value, unsigned number) {
    if (!isa<FixedVectorType>(value->getType()))
      return value;
    if (Value *same = getSplatValue(value))
      return same;
    if (Line line = lineFor(value))
      return number == 0 ? line.start : builder_.CreateAdd(lane(value, number - 1), line.step);
    auto *instruction = cast<Instruction>(value);
    SmallVector<Value *, 2> operands;
    if (auto *address = dyn_cast<GetElementPtrInst>(instruction))
      return makeAddress(*address, number);
    for (Value *operand : instruction->operands())
      operands.push_back(lane(operand, number));
    if (auto *cast = dyn_cast<CastInst>(instruction))
      return builder_.CreateCast(cast->getOpcode(), operands[0], cast->getType()->getScalarType());
    return builder_.CreateBinOp(cast<BinaryOperator>(instruction)->getOpcode(), operands[0],
                                operands[1]);
  }

  /// From the address before, if that is known.
  Value *makeAddress(GetElementPtrInst &address, unsigned number) {
    Value *index = address.getOperand(1), *base = address.getPointerOperand();
    Type *element = address.getSourceElementType();
    bool sameBase = !isa<FixedVectorType>(base->getType()) || getSplatValue(base);
    bool isWide = index->getType()->getScalarSizeInBits() == 64 && lanesOf(index) > 0;
    Line line = sameBase && isWide && number > 0 ? lineFor(index) : Line();
    if (!line)
      return builder_.CreateGEP(element, lane(base, number), lane(index, number));
    Value *bytes = builder_.CreateMul(
        line.step,
        builder_.getInt64(address.getDataLayout().getTypeAllocSize(element).getFixedValue()));
    return builder_.CreateGEP(builder_.getInt8Ty(), lane(&address, number - 1), bytes);
  }

  Line lineFor(Value *value) {
    auto [known, isNew] = lines_.try_emplace(value);
    if (isNew)
      known->second = planned(value, {}, Depth);
    return known->second;
  }

  IRBuilder<InstSimplifyFolder> builder_;
  bool plans_ = false;
  DenseMap<std::pair<Value *, unsigned>, Value *> made_;
  DenseMap<Value *, Line> lines_;
};

/// Takes out single lanes only.
bool isTakenApart(const Value &vector) {
  return !vector.use_empty() && all_of(vector.users(), [&](const User *user) {
    auto *extract = dyn_cast<ExtractElementInst>(user);
    auto *number = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
    return number && number->getValue().ult(lanesOf(&vector));
  });
}

void count(GetElementPtrInst &address) {
  Rows rows(address);
  if (!rows.isCheap(&address))
    return;
  std::multimap<uint64_t, ExtractElementInst *> extracts; // from the first row on
  for (User *user : address.users()) {
    auto *extract = cast<ExtractElementInst>(user);
    extracts.insert({cast<ConstantInt>(extract->getIndexOperand())->getZExtValue(), extract});
  }
  for (auto [number, extract] : extracts) {
    extract->replaceAllUsesWith(rows.lane(&address, number));
    extract->eraseFromParent();
  }
}

} // namespace

PreservedAnalyses StrengthReduceAddresses::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<WeakTrackingVH, 16> counted;
  for (Instruction &instruction : instructions(function))
    if (auto *address = dyn_cast<GetElementPtrInst>(&instruction);
        address && lanesOf(address) > 1 && isTakenApart(*address))
      counted.push_back(address);
  for (const WeakTrackingVH &address : counted)
    count(*cast<GetElementPtrInst>(address));
  const bool isChanged = !counted.empty();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(counted);
  return changedInBlocks(isChanged);
}

} // namespace heddle::simt
