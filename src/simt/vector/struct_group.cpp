// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/vector/struct_group.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::simt {

unsigned lanesOf(const Value *value) {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  return type ? type->getNumElements() : 0;
}

bool isElementwise(const Instruction &instruction) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return is_contained({Intrinsic::fma, Intrinsic::fmuladd, Intrinsic::minnum, Intrinsic::maxnum,
                         Intrinsic::fabs, Intrinsic::smin, Intrinsic::smax, Intrinsic::umin,
                         Intrinsic::umax},
                        call->getIntrinsicID());
  if (const auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return !binary->isIntDivRem();
  if (const auto *cast = dyn_cast<BitCastInst>(&instruction))
    return lanesOf(cast) == lanesOf(cast->getOperand(0));
  return isa<UnaryOperator>(instruction);
}

unsigned operandCount(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call ? call->arg_size() : instruction.getNumOperands();
}

static bool isSameOperation(const Instruction &a, const Instruction &b) {
  const auto *call = dyn_cast<CallInst>(&a), *other = dyn_cast<CallInst>(&b);
  return a.isSameOperationAs(&b) &&
         (!call || !other || call->getCalledOperand() == other->getCalledOperand());
}

Group takenApart(Instruction &wide) {
  unsigned elements = lanesOf(&wide);
  SmallVector<Value *, LargestStruct> picks(LargestStruct);
  unsigned factor = 0;
  for (User *user : wide.users()) {
    auto *shuffle = dyn_cast<ShuffleVectorInst>(user);
    unsigned lanes = shuffle ? lanesOf(shuffle) : 0, index = 0;
    if (lanes < 2 || shuffle->getOperand(0) != &wide || elements % lanes != 0)
      continue;
    unsigned by = elements / lanes;
    if (by < 2 || by > LargestStruct || (factor && by != factor) ||
        !shuffle->isDeInterleaveMaskOfFactor(shuffle->getShuffleMask(), by, index))
      continue;
    factor = by;
    picks[index] = shuffle;
  }
  picks.resize(factor);
  bool isWhole = all_of(picks, [](Value *pick) { return pick; });
  return isWhole ? Group(picks.begin(), picks.end()) : Group();
}

std::optional<Group> interleaves(Value *wide) {
  auto origin = [](Value *value, unsigned element) -> std::pair<Value *, int> {
    for (;;) {
      auto *shuffle = dyn_cast<ShuffleVectorInst>(value);
      if (!shuffle)
        return {value, element};
      int from = shuffle->getMaskValue(element);
      if (from < 0)
        return {nullptr, 0};
      int count = lanesOf(shuffle->getOperand(0));
      value = shuffle->getOperand(from >= count);
      element = from % count;
    }
  };
  unsigned elements = lanesOf(wide);
  auto [first, zero] = origin(wide, 0);
  unsigned lanes = first ? lanesOf(first) : 0;
  if (lanes < 2 || elements % lanes != 0 || elements / lanes < 2 ||
      elements / lanes > LargestStruct)
    return {};
  Group group(elements / lanes);
  for (unsigned element = 0; element < elements; ++element) {
    auto [value, lane] = origin(wide, element);
    Value *&member = group[element % group.size()];
    if (!value || lanesOf(value) != lanes || lane != int(element / group.size()) ||
        (member && member != value))
      return {};
    member = value;
  }
  return group;
}

Group partners(const Group &group, Instruction &first, unsigned operand) {
  Group found = {&first};
  for (Value *member : drop_begin(group)) {
    Instruction *match = nullptr;
    for (Use &use : member->uses()) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      if (!user || use.getOperandNo() != operand || user->getParent() != first.getParent() ||
          !isSameOperation(first, *user) || is_contained(found, user))
        continue;
      bool sharesOperand = operandCount(first) == 1 || isa<PHINode>(first);
      for (unsigned i = 0; i < operandCount(first); ++i)
        sharesOperand |= i != operand && first.getOperand(i) == user->getOperand(i);
      if (sharesOperand) {
        match = user;
        break;
      }
    }
    if (!match)
      return {};
    found.push_back(match);
  }
  return found;
}

Group operands(const Group &group, unsigned index) {
  Group result;
  for (Value *value : group)
    result.push_back(cast<Instruction>(value)->getOperand(index));
  return result;
}

Group incoming(const Group &group, const BasicBlock *block) {
  Group result;
  for (Value *value : group)
    result.push_back(cast<PHINode>(value)->getIncomingValueForBlock(block));
  return result;
}

bool areAlike(const Group &group) {
  auto *first = dyn_cast<Instruction>(group[0]);
  return first && all_of(group, [&](Value *value) {
           auto *instruction = dyn_cast<Instruction>(value);
           return instruction && instruction->getParent() == first->getParent() &&
                  isSameOperation(*first, *instruction);
         });
}

} // namespace heddle::simt
