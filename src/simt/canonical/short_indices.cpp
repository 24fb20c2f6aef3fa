// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/short_indices.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/overflow.h"
#include "simt/lower/lower_device.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle::simt {

static constexpr int64_t MostRows = 65535; ///< blocks along y or z of any launch

/// False if there is too much.
bool ShortIndices::termsOf(Value &index, int64_t factor, SmallVectorImpl<Term> &terms,
                           int64_t &constant, unsigned depth) {
  if (auto *number = dyn_cast<ConstantInt>(&index))
    return !MulOverflow(factor, number->getSExtValue(), factor) &&
           !AddOverflow(constant, factor, constant);
  auto *sum = dyn_cast<BinaryOperator>(&index);
  unsigned opcode = sum && depth > 0 ? sumOpcode(*sum) : 0;
  if (opcode == Instruction::Add || opcode == Instruction::Sub)
    return termsOf(*sum->getOperand(0), factor, terms, constant, depth - 1) &&
           termsOf(*sum->getOperand(1), opcode == Instruction::Add ? factor : -factor, terms,
                   constant, depth - 1);
  auto *number = opcode ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;
  if (number && number->getValue().isSignedIntN(32) &&
      (opcode == Instruction::Mul || number->getValue().ult(31))) {
    int64_t by =
        opcode == Instruction::Mul ? number->getSExtValue() : int64_t(1) << number->getZExtValue();
    return !MulOverflow(factor, by, by) &&
           termsOf(*sum->getOperand(0), by, terms, constant, depth - 1);
  }
  auto *extension = isa<SExtInst, ZExtInst>(index) ? cast<CastInst>(&index) : nullptr;
  terms.push_back({extension ? extension->getOperand(0) : &index, extension, factor});
  return true;
}

bool ShortIndices::isNeverNegative(const Term &term) {
  return term.factor >= 0 && term.extension && isa<ZExtInst>(term.extension);
}

void ShortIndices::extend(GetElementPtrInst &address, Use &use) {
  SmallVector<Term, 4> terms;
  int64_t constant = 0;
  if (!use->getType()->isIntegerTy(64) || !termsOf(*use, 1, terms, constant, DeepestSum))
    return;
  for (Term &term : terms) {
    if (!term.extension || !term.value->getType()->isIntegerTy(32) || !mayWrap(*term.value) ||
        !canBeApart(*term.value))
      continue;
    if (!staysShort(address, term))
      continue;
    IRBuilder<> builder(&address);
    Value *rest = ofRest(*term.value, 1, DeepestSum), *wide = ofThreads(*term.value, 1, builder);
    if (rest)
      wide = builder.CreateAdd(exact_.plainExtension(*rest, *use->getType(), Sign::Signed), wide);
    Value *sum = builder.getInt64(constant);
    for (const Term &other : terms) {
      Value *part = &other == &term ? wide : other.extension ? other.extension : other.value;
      if (other.factor != 1)
        part = builder.CreateMul(part, builder.getInt64(other.factor));
      sum = builder.CreateAdd(part, sum);
    }
    dead_.push_back(use.get());
    use.set(sum);
    return;
  }
}

/// Its terms are not extended already.
bool ShortIndices::mayWrap(Value &value) {
  auto *sum = dyn_cast<BinaryOperator>(&value);
  return ((sum && sumOpcode(*sum)) || sums_.counterOf(value)) && !sums_.tables().of(&value);
}

/// What is known of the threads is small and can be taken out of the sum.
bool ShortIndices::canBeApart(Value &value) {
  int64_t most = 0;
  return sums_.goesRegularly(value) && greatest(value, 1, DeepestSum, most) && most > 0 &&
         most <= IndexMargin / 2;
}

/// Of a product with a constant; 0: it is none.
static int64_t factorOf(BinaryOperator *sum, unsigned opcode) {
  auto *number = opcode ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;
  if (!number || !number->getValue().isSignedIntN(25))
    return 0;
  if (opcode == Instruction::Mul)
    return number->getSExtValue();
  return opcode == Instruction::Shl && number->getValue().ult(24)
             ? int64_t(1) << number->getZExtValue()
             : 0;
}

/// A sum of the thread's and the block's place in y and z that does not wrap around, and how much
/// it may be.
bool ShortIndices::isSmall(Value &value, int64_t &most, unsigned depth) {
  if (auto *number = dyn_cast<ConstantInt>(&value)) {
    most = number->getSExtValue();
    return most >= 0 && most <= IndexMargin;
  }
  if (const ThreadTable *table = sums_.tables().of(&value)) {
    most = *max_element(*table);
    return *min_element(*table) >= 0 && most <= IndexMargin;
  }
  if (&value == thread_.getArg(ParamBlockY) || &value == thread_.getArg(ParamBlockZ)) {
    most = MostRows;
    return true;
  }
  auto *sum = dyn_cast<BinaryOperator>(&value);
  unsigned opcode = sum && depth > 0 ? sumOpcode(*sum) : 0;
  int64_t one = 0, other = 0;
  if (!opcode || opcode == Instruction::Sub || !isExact(*sum, Sign::Signed, &sums_.tables()) ||
      !isSmall(*sum->getOperand(0), one, depth - 1) ||
      !isSmall(*sum->getOperand(1), other, depth - 1) || (opcode == Instruction::Shl && other > 24))
    return false;
  most = opcode == Instruction::Add   ? one + other
         : opcode == Instruction::Mul ? one * other
                                      : one << other;
  return most <= IndexMargin / 2;
}

/// Small also if it is taken so many times.
bool ShortIndices::isSmall(Value &value, int64_t factor) {
  int64_t most = 0;
  return isa<BinaryOperator>(value) && isSmall(value, most, DeepestSum) &&
         !MulOverflow(most, factor, most) && AbsoluteValue(most) <= IndexMargin;
}

/// Adds up how much the terms that are known of the threads may be.
bool ShortIndices::greatest(Value &value, int64_t factor, unsigned depth, int64_t &most) {
  if (isa<Constant>(value) || depth == 0)
    return depth != 0;
  if (const ThreadTable *table = sums_.tables().of(&value)) {
    for (int64_t &number : SmallVector<int64_t, 2>{*min_element(*table), *max_element(*table)}) {
      int64_t part;
      if (MulOverflow(factor, number, part) || AbsoluteValue(part) > IndexMargin)
        return false;
      most = std::max(most, std::abs(part));
    }
    return true;
  }
  if (int64_t number = 0; isSmall(value, factor) && isSmall(value, number, DeepestSum)) {
    most = std::max(most, std::abs(number * factor));
    return true;
  }
  if (Counter counter = sums_.counterOf(value))
    return greatest(*counter.start, factor, depth - 1, most);
  auto *sum = dyn_cast<BinaryOperator>(&value);
  unsigned opcode = sum ? sumOpcode(*sum) : 0;
  if (opcode == Instruction::Add || opcode == Instruction::Sub) {
    int64_t one = 0, other = 0;
    bool known = greatest(*sum->getOperand(0), factor, depth - 1, one) &&
                 greatest(*sum->getOperand(1), factor, depth - 1, other);
    most += one + other;
    return known;
  }
  int64_t by = factorOf(sum, opcode);
  return by == 0 || (!MulOverflow(factor, by, by) && AbsoluteValue(by) <= IndexMargin &&
                     greatest(*sum->getOperand(0), by, depth - 1, most));
}

/// The sum without what is known of the threads; null: nothing is left.
Value *ShortIndices::ofRest(Value &value, int64_t factor, unsigned depth) {
  if (sums_.isOfThreads(value) || isSmall(value, factor))
    return nullptr;
  if (depth > 0 && sums_.counterOf(value))
    return restOfCounter(cast<PHINode>(value), factor, depth);
  auto *sum = dyn_cast<BinaryOperator>(&value);
  unsigned opcode = sum && !sums_.tables().of(&value) ? sumOpcode(*sum) : 0;
  bool adds = opcode == Instruction::Add || opcode == Instruction::Sub;
  int64_t by = adds ? 1 : factorOf(sum, opcode);
  if (depth == 0 || !opcode || by == 0 || MulOverflow(by, factor, by))
    return &value;
  IRBuilder<> builder(sum);
  Value *first = ofRest(*sum->getOperand(0), by, depth - 1);
  if (!adds) {
    if (first == sum->getOperand(0))
      return &value;
    return first ? builder.CreateBinOp(sum->getOpcode(), first, sum->getOperand(1)) : nullptr;
  }
  Value *second =
      ofRest(*sum->getOperand(1), opcode == Instruction::Sub ? -factor : factor, depth - 1);
  if (first == sum->getOperand(0) && second == sum->getOperand(1))
    return &value;
  if (!second)
    return first;
  if (!first)
    return opcode == Instruction::Add ? second : builder.CreateNeg(second);
  return builder.CreateBinOp(Instruction::BinaryOps(opcode), first, second);
}

/// A counter without what is known of the threads in its start.
Value *ShortIndices::restOfCounter(PHINode &phi, int64_t factor, unsigned depth) {
  Counter counter = sums_.counterOf(phi);
  if (PHINode *known = rests_.lookup({&phi, factor}))
    return known;
  Value *start = ofRest(*counter.start, factor, depth - 1);
  if (start == counter.start)
    return &phi;
  PHINode *rest = IRBuilder<>(&phi).CreatePHI(phi.getType(), 2);
  rests_[{&phi, factor}] = rest;
  IRBuilder<> builder(counter.next);
  Instruction *next = builder.Insert(counter.next->clone());
  next->dropPoisonGeneratingFlags();
  next->replaceUsesOfWith(&phi, rest);
  for (unsigned i : {0u, 1u})
    rest->addIncoming(i != counter.fromStart ? next
                      : start                ? start
                                             : Constant::getNullValue(phi.getType()),
                      phi.getIncomingBlock(i));
  return rest;
}

/// What ofRest left out, times a factor, in 64 bits.
Value *ShortIndices::ofThreads(Value &value, int64_t factor, IRBuilder<> &builder) {
  Type *wide = builder.getInt64Ty();
  if (sums_.isOfThreads(value) || isSmall(value, factor)) {
    auto *sum = dyn_cast<BinaryOperator>(&value);
    Value *number = sum && isExact(*sum, Sign::Signed, &sums_.tables())
                        ? exact_.extendedSum(*sum, *wide, Sign::Signed)
                        : exact_.plainExtension(value, *wide, Sign::Signed);
    return factor == 1 ? number : builder.CreateMul(number, builder.getInt64(factor));
  }
  if (Counter counter = sums_.counterOf(value))
    return ofThreads(*counter.start, factor, builder);
  auto *sum = dyn_cast<BinaryOperator>(&value);
  unsigned opcode = sum && !sums_.tables().of(&value) ? sumOpcode(*sum) : 0;
  if (opcode == Instruction::Add || opcode == Instruction::Sub)
    return builder.CreateAdd(
        ofThreads(*sum->getOperand(0), factor, builder),
        ofThreads(*sum->getOperand(1), opcode == Instruction::Add ? factor : -factor, builder));
  int64_t by = factorOf(sum, opcode);
  return by ? ofThreads(*sum->getOperand(0), factor * by, builder) : builder.getInt64(0);
}

/// The index is near the number that it is without bounds, in each thread that accesses memory by
/// the address.
bool ShortIndices::staysShort(GetElementPtrInst &address, const Term &term) {
  Place place;
  if (!addPlace(address, place))
    return false;
  if (!address.isInBounds()) {
    for (Value *base = address.getPointerOperand();; base = place.base) {
      place.base = base;
      auto *before = dyn_cast<GetElementPtrInst>(base);
      if (auto *cast = dyn_cast<AddrSpaceCastInst>(base))
        place.base = cast->getPointerOperand();
      else if (!before)
        break;
      else if (!addPlace(*before, place))
        return false;
      else if (place.base = before->getPointerOperand(); before->isInBounds())
        break;
    }
    if (!isGiven(*place.base) || !isAccessedOnly(address, place, DeepestSum))
      return false;
  }
  bool isUnsigned = isa<ZExtInst>(term.extension), isAlone = true, othersGrow = true;
  int64_t scale = 0;
  for (const Term &other : place.terms) {
    if (other.extension == term.extension && scale == 0) {
      scale = other.factor;
      continue;
    }
    isAlone = false;
    othersGrow &= isNeverNegative(other);
  }
  if (scale <= 0 || !(isAlone || (isUnsigned && othersGrow)))
    return false;
  const Value *object = getUnderlyingObject(&address, /*MaxLookup=*/0);
  if (object == thread_.getArg(ParamShared) || isa<AllocaInst>(object))
    return true;
  if (options_.hasLongObjects)
    return false;
  trusts_ = true;
  return true;
}

/// What the address adds to its base.
bool ShortIndices::addPlace(GetElementPtrInst &address, Place &place) {
  SmallMapVector<Value *, APInt, 4> indices;
  APInt bytes(64, 0);
  if (!address.collectOffset(address.getDataLayout(), 64, indices, bytes))
    return false;
  int64_t constant = bytes.getSExtValue();
  bool isKnown = all_of(indices, [&](const auto &part) {
    return part.first->getType()->isIntegerTy(64) &&
           termsOf(*part.first, part.second.getSExtValue(), place.terms, constant, DeepestSum);
  });
  constexpr int64_t Most = IndexMargin / 2;
  place.constants =
      AbsoluteValue(constant) > Most ? Most + 1 : place.constants + std::abs(constant);
  return isKnown && place.constants <= Most;
}

/// An address of the object, not one that was counted.
bool ShortIndices::isGiven(const Value &base) const {
  return isa<Argument, LoadInst, AllocaInst>(base) ||
         (isa<GetElementPtrInst>(base) && cast<GetElementPtrInst>(base).isInBounds());
}

/// Whatever the address is in other threads, nobody sees it. Adds to the place what users add.
bool ShortIndices::isAccessedOnly(Value &address, Place &place, unsigned depth) {
  return depth > 0 && all_of(address.users(), [&](User *user) {
           if (isa<LoadInst>(user))
             return true;
           if (auto *store = dyn_cast<StoreInst>(user))
             return store->getValueOperand() != &address;
           if (auto *rmw = dyn_cast<AtomicRMWInst>(user))
             return rmw->getValOperand() != &address;
           if (auto *cas = dyn_cast<AtomicCmpXchgInst>(user))
             return cas->getPointerOperand() == &address && cas->getCompareOperand() != &address &&
                    cas->getNewValOperand() != &address;
           if (auto *call = dyn_cast<CallInst>(user))
             return is_contained({CallKind::Fetch, CallKind::Aligned}, callKind(*call));
           if (isa<AddrSpaceCastInst>(user))
             return isAccessedOnly(*user, place, depth - 1);
           auto *element = dyn_cast<GetElementPtrInst>(user);
           if (!element || element->getPointerOperand() != &address)
             return false;
           if (element->isInBounds()) // from where the object lies, too
             return true;
           return addPlace(*element, place) && isAccessedOnly(*element, place, depth - 1);
         });
}

} // namespace heddle::simt
