// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extensions go to the terms.
//
// An index is a sum of 32 bits, and an address one of 64. What the extension of the sum is in one
// thread does not follow from what it is in another one, for the sum may wrap around in between
// (analysis/overflow.h). Where it does not, the terms are extended instead: then how the address
// goes over the threads follows from how the terms go, and no pass behind this one needs to know
// why.
//
//     %i = add nsw i32 %row, %x                      %r = sext i32 %row to i64
//     %w = sext i32 %i to i64                   ->   %t = zext i32 %x to i64
//     %p = getelementptr float, ptr %a, i64 %w       %w = add nsw i64 %r, %t
//                                                    %p = getelementptr float, ptr %a, i64 %w
//
// Exact sums are taken apart like this for whatever they are used. Of a sum of which nothing is
// known, what varies with the thread's index and is small is taken out where it is the index of an
// access, if objects are too short for it to wrap around:
//
//     %i = add i32 %u, %x                            %s = sext i32 %u to i64
//     %p = gep inbounds float, %a, zext(%i)     ->   %p = gep inbounds float, %a, %s + zext(%x)
//
// In a thread that accesses memory the index is 0 <= i < 2^31 - 2^24, for so many elements no object
// has, and x is at most 2^24; so u = i - x, read as signed, is the whole number i - x, and the sums
// are the same. The index must be all that stands between the address and an object that holds it:
// the access is inbounds, so that the address before it lies in the object too (or the result is
// poison), or it counts from where an object was given to the kernel and only accesses come of it.
//
// Only sums that go regularly over the threads are taken apart: 64 bits take twice the vector
// registers of 32.
//
// Legality (extend-terms):
//  1. The sum does not wrap around in any thread, in the sense of the extension. [exact]
//  2. Or it is the index of an access to an object that is too short for that. [short objects]
//  3. Nobody sees an address that counts on short objects where it is not accessed. [only accessed]
#include "simt/extend_terms.h"

#include "simt/analysis/overflow.h"
#include "simt/function_facts.h"
#include "simt/intrinsics.h"
#include "simt/lower_device.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned Deepest = 12;            ///< operations that are looked through

class Terms {
public:
  Terms(Function &thread, const Options &options)
      : thread_(thread), options_(options), tables_(options.blockDim) {}

  bool run() {
    SmallVector<WeakTrackingVH, 32> extensions;
    for (Instruction &instruction : instructions(thread_))
      if (isa<SExtInst, ZExtInst>(instruction) && instruction.getType()->isIntegerTy())
        extensions.push_back(&instruction);
    for (bool all : {true, false}) { // what is left of a sum may be exact, too
      for (const WeakTrackingVH &extension : extensions)
        if (auto *cast = dyn_cast_or_null<CastInst>(extension); cast && !isDead(*cast))
          extendExactTerms(*cast, all);
      if (!all)
        break;
      SmallVector<GetElementPtrInst *, 32> addresses;
      for (Instruction &instruction : instructions(thread_))
        if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
          addresses.push_back(address);
      for (GetElementPtrInst *address : addresses)
        for (Use &index : address->indices())
          extendTermsOfIndex(*address, index);
    }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead_);
    return trusts_;
  }

private:
  /// Known for each thread of the block, and not the same in all.
  bool isOfThreads(Value &value) {
    if (isa<Constant>(value))
      return false;
    const ThreadTable *table = tables_.of(&value);
    return table && !all_equal(*table);
  }

  /// A variable of a loop that counts from `start` on by steps that have nothing of the thread's
  /// index in them.
  struct Counter {
    Value *start = nullptr;
    unsigned fromStart = 0; ///< the incoming edge
    BinaryOperator *next = nullptr;
    explicit operator bool() const { return next; }
  };

  Counter counterOf(Value &value) {
    auto *phi = dyn_cast<PHINode>(&value);
    if (!phi || phi->getNumIncomingValues() != 2)
      return {};
    for (unsigned i : {0u, 1u}) {
      auto *next = dyn_cast<BinaryOperator>(phi->getIncomingValue(1 - i));
      unsigned opcode = next ? next->getOpcode() : 0;
      bool counts = (opcode == Instruction::Add && is_contained(next->operands(), phi)) ||
                    (opcode == Instruction::Sub && next->getOperand(0) == phi);
      if (!counts)
        continue;
      Value *step = next->getOperand(next->getOperand(0) == phi), *start = phi->getIncomingValue(i);
      bool hasThreads = false;
      if (isa<Instruction>(step) && !isa<LoadInst>(step) &&
          (!goesRegularly(*step, hasThreads, Deepest) || hasThreads))
        return {};
      return step != phi && start != next ? Counter{start, i, next} : Counter();
    }
    return {};
  }

  /// A sum of what is known of the threads and of what may be the same in some of them: no element
  /// of an array is in it, which is another one in each.
  bool goesRegularly(Value &value, bool &hasThreads, unsigned depth) {
    if (isOfThreads(value))
      return hasThreads = true;
    auto *instruction = dyn_cast<Instruction>(&value);
    if (!instruction)
      return true;
    if (isa<PHINode>(instruction)) {
      if (depth == 0 || !looked_.insert(instruction).second)
        return true;
      Counter counter = counterOf(value);
      looked_.erase(instruction);
      return !counter || goesRegularly(*counter.start, hasThreads, depth - 1);
    }
    if (isa<LoadInst>(instruction)) // a parameter, or what a warp reads together
      return instruction->hasMetadata(LLVMContext::MD_invariant_load) || isOfWarps(*instruction);
    if (depth == 0 || !isa<BinaryOperator, CastInst, SelectInst, ICmpInst>(instruction))
      return false;
    return all_of(instruction->operands(), [&](Value *operand) {
      return goesRegularly(*operand, hasThreads, depth - 1);
    });
  }
  /// The same in all lanes of a warp. Asked of what was there from the start.
  bool isOfWarps(const Instruction &instruction) {
    if (!lanes_) {
      facts_.emplace(thread_);
      lanes_.emplace(thread_, *facts_, LaneFacts{WarpSize, options_.blockDim});
    }
    return lanes_->shapes.isUniform(&instruction);
  }
  bool goesRegularly(Value &value) {
    bool hasThreads = false;
    return goesRegularly(value, hasThreads, Deepest) && hasThreads;
  }

  bool isDead(const CastInst &extension) const { return extension.use_empty(); }

  /// All that varies with the thread's index is a term that can be extended by itself.
  bool isAllExact(Value &value, Sign sign, unsigned depth) {
    bool hasThreads = false;
    if (tables_.of(&value) || !goesRegularly(value, hasThreads, Deepest) || !hasThreads)
      return true;
    if (Counter counter = counterOf(value))
      return isExact(*counter.next, sign, &tables_) && depth > 0 &&
             isAllExact(*counter.start, sign, depth - 1);
    auto *sum = dyn_cast<BinaryOperator>(&value);
    unsigned opcode = sum && depth > 0 ? sumOpcode(*sum) : 0;
    if (!opcode || opcode == Instruction::Mul) // of whatever the product is
      return !opcode || !isa<Constant>(sum->getOperand(1)) || isExact(*sum, sign, &tables_);
    return isExact(*sum, sign, &tables_) && all_of(sum->operands(), [&](Value *operand) {
             return isAllExact(*operand, sign, depth - 1);
           });
  }

  /// With `all` only if nothing that may wrap around is left in its terms.
  void extendExactTerms(CastInst &extension, bool all) {
    if (auto *phi = dyn_cast<PHINode>(extension.getOperand(0)))
      return extendCounter(extension, *phi);
    auto *sum = dyn_cast<BinaryOperator>(extension.getOperand(0));
    if (!sum)
      return;
    bool isSigned = isa<SExtInst>(extension);
    Sign sign = isSigned ? Sign::Signed : Sign::Unsigned;
    if (!isSigned && extension.hasNonNeg() && isExact(*sum, Sign::Signed, &tables_))
      sign = Sign::Signed; // it makes no difference, and comparisons mostly read so
    if (isProduct(*sum) || !isExact(*sum, sign, &tables_) || !goesRegularly(*sum) ||
        (all && !isAllExact(*sum, sign, Deepest)))
      return;
    Value *wide = extended(*sum, *extension.getType(), sign, Deepest);
    wide->takeName(&extension);
    extension.replaceAllUsesWith(wide);
    dead_.push_back(&extension);
  }

  /// Of two that vary: how it goes over the threads does not follow from theirs.
  static bool isProduct(const BinaryOperator &sum) {
    return (sum.getOpcode() == Instruction::Mul || sum.getOpcode() == Instruction::Shl) &&
           !isa<Constant>(sum.getOperand(1));
  }

  void extendCounter(CastInst &extension, PHINode &phi) {
    Sign sign = isa<SExtInst>(extension) ? Sign::Signed : Sign::Unsigned;
    if (Value *wide = extendedCounter(phi, *extension.getType(), sign, Deepest)) {
      extension.replaceAllUsesWith(wide);
      dead_.push_back(&extension);
    }
  }

  /// A counter of its own. Null if the value is none that counts exactly from a thread's number on.
  Value *extendedCounter(PHINode &phi, Type &type, Sign sign, unsigned depth) {
    Counter counter = counterOf(phi);
    if (!counter || !isExact(*counter.next, sign, &tables_) || !goesRegularly(*counter.start))
      return nullptr;
    PHINode *wide = IRBuilder<>(&phi).CreatePHI(&type, 2);
    extended_[{&phi, &type, unsigned(sign)}] = wide;
    Value *start = extended(*counter.start, type, sign, depth - 1);
    Value *next = extendedSum(*counter.next, type, sign, depth - 1);
    for (unsigned i : {0u, 1u})
      wide->addIncoming(i == counter.fromStart ? start : next, phi.getIncomingBlock(i));
    return wide;
  }

  /// The value's extension, of its terms where that is the same.
  Value *extended(Value &value, Type &type, Sign sign, unsigned depth) {
    if (auto *constant = dyn_cast<ConstantInt>(&value)) {
      const APInt &number = constant->getValue();
      unsigned bits = type.getIntegerBitWidth();
      return ConstantInt::get(&type, sign == Sign::Signed ? number.sext(bits) : number.zext(bits));
    }
    Value *&known = extended_[{&value, &type, unsigned(sign)}];
    if (known)
      return known;
    Value *result = nullptr;
    auto *sum = dyn_cast<BinaryOperator>(&value);
    auto *phi = dyn_cast<PHINode>(&value);
    if (sum && depth > 0 && !isProduct(*sum) && isExact(*sum, sign, &tables_) &&
        goesRegularly(*sum))
      result = extendedSum(*sum, type, sign, depth);
    else if (phi && depth > 0)
      result = extendedCounter(*phi, type, sign, depth);
    if (!result)
      result = plainExtension(value, type, sign);
    return extended_[{&value, &type, unsigned(sign)}] = result;
  }

  Value *extendedSum(BinaryOperator &sum, Type &type, Sign sign, unsigned depth) {
    unsigned opcode = sumOpcode(sum);
    Value *first = extended(*sum.getOperand(0), type, sign, depth - 1);
    Sign ofSecond = opcode == Instruction::Shl ? Sign::Unsigned : sign;
    Value *second = extended(*sum.getOperand(1), type, ofSecond, depth - 1);
    IRBuilder<> builder(&sum);
    Value *wide = builder.CreateBinOp(Instruction::BinaryOps(opcode), first, second);
    if (auto *operation = dyn_cast<BinaryOperator>(wide)) // in twice the bits nothing wraps
      if (type.getIntegerBitWidth() >= 2 * sum.getType()->getIntegerBitWidth()) {
        operation->setHasNoSignedWrap();
        operation->setHasNoUnsignedWrap(sign == Sign::Unsigned);
      }
    return wide;
  }

  /// Where the value is made: one for all that use it.
  Value *plainExtension(Value &value, Type &type, Sign sign) {
    if (auto *cast = dyn_cast<CastInst>(&value)) // of an extension
      if (isa<ZExtInst>(cast) || (isa<SExtInst>(cast) && sign == Sign::Signed))
        return IRBuilder<>(cast).CreateCast(cast->getOpcode(), cast->getOperand(0), &type);
    IRBuilder<> builder(thread_.getContext());
    auto *instruction = dyn_cast<Instruction>(&value);
    if (instruction)
      builder.SetInsertPoint(*instruction->getInsertionPointAfterDef());
    else
      builder.SetInsertPoint(&*thread_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    bool isPositive = sign == Sign::Signed &&
                      computeConstantRange(&value, /*ForSigned=*/true).isAllNonNegative();
    return sign == Sign::Signed && !isPositive ? builder.CreateSExt(&value, &type)
                                               : builder.CreateZExt(&value, &type, "", isPositive);
  }

  /// A term of an index: factor * value, or the extension of that value.
  struct Term {
    Value *value;
    CastInst *extension; ///< or null
    int64_t factor;
  };

  /// False if there is too much.
  bool termsOf(Value &index, int64_t factor, SmallVectorImpl<Term> &terms, int64_t &constant,
               unsigned depth) {
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
      int64_t by = opcode == Instruction::Mul ? number->getSExtValue()
                                              : int64_t(1) << number->getZExtValue();
      return !MulOverflow(factor, by, by) &&
             termsOf(*sum->getOperand(0), by, terms, constant, depth - 1);
    }
    auto *extension = isa<SExtInst, ZExtInst>(index) ? cast<CastInst>(&index) : nullptr;
    terms.push_back({extension ? extension->getOperand(0) : &index, extension, factor});
    return true;
  }

  static bool isNeverNegative(const Term &term) {
    return term.factor >= 0 && term.extension && isa<ZExtInst>(term.extension);
  }

  /// What an address adds to one that lies in the object, in bytes.
  struct Place {
    SmallVector<Term, 8> terms;
    int64_t constants = 0; ///< at most, up or down
    Value *base = nullptr; ///< lies in the object
  };

  void extendTermsOfIndex(GetElementPtrInst &address, Use &use) {
    SmallVector<Term, 4> terms;
    int64_t constant = 0;
    if (!use->getType()->isIntegerTy(64) || !termsOf(*use, 1, terms, constant, Deepest))
      return;
    for (Term &term : terms) {
      if (!term.extension || !term.value->getType()->isIntegerTy(32) || !mayWrap(*term.value) ||
          !canBeApart(*term.value))
        continue;
      if (!staysShort(address, term))
        continue;
      IRBuilder<> builder(&address);
      Value *rest = ofRest(*term.value, Deepest), *wide = ofThreads(*term.value, 1, builder);
      if (rest)
        wide = builder.CreateAdd(plainExtension(*rest, *use->getType(), Sign::Signed), wide);
      Value *sum = builder.getInt64(constant);
      for (const Term &other : terms) {
        Value *part = &other == &term        ? wide
                      : other.extension ? other.extension
                                        : other.value;
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
  bool mayWrap(Value &value) {
    auto *sum = dyn_cast<BinaryOperator>(&value);
    return ((sum && sumOpcode(*sum)) || counterOf(value)) && !tables_.of(&value);
  }

  /// What is known of the threads is small and can be taken out of the sum.
  bool canBeApart(Value &value) {
    int64_t most = 0;
    return goesRegularly(value) && greatest(value, 1, Deepest, most) && most > 0 &&
           most <= IndexMargin / 2;
  }

  /// Adds up how much the terms that are known of the threads may be.
  bool greatest(Value &value, int64_t factor, unsigned depth, int64_t &most) {
    if (isa<Constant>(value) || depth == 0)
      return depth != 0;
    if (const ThreadTable *table = tables_.of(&value)) {
      for (int64_t &number : SmallVector<int64_t, 2>{*min_element(*table), *max_element(*table)}) {
        int64_t part;
        if (MulOverflow(factor, number, part) || std::abs(part) > IndexMargin)
          return false;
        most = std::max(most, std::abs(part));
      }
      return true;
    }
    if (Counter counter = counterOf(value))
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
    return by == 0 || (!MulOverflow(factor, by, by) && std::abs(by) <= IndexMargin &&
                       greatest(*sum->getOperand(0), by, depth - 1, most));
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

  /// The sum without what is known of the threads; null: nothing is left.
  Value *ofRest(Value &value, unsigned depth) {
    if (isOfThreads(value))
      return nullptr;
    if (depth > 0 && counterOf(value))
      return restOfCounter(cast<PHINode>(value), depth);
    auto *sum = dyn_cast<BinaryOperator>(&value);
    unsigned opcode = sum && !tables_.of(&value) ? sumOpcode(*sum) : 0;
    bool adds = opcode == Instruction::Add || opcode == Instruction::Sub;
    if (depth == 0 || !opcode || (!adds && factorOf(sum, opcode) == 0))
      return &value;
    IRBuilder<> builder(sum);
    Value *first = ofRest(*sum->getOperand(0), depth - 1);
    if (!adds) {
      if (first == sum->getOperand(0))
        return &value;
      return first ? builder.CreateBinOp(sum->getOpcode(), first, sum->getOperand(1)) : nullptr;
    }
    Value *second = ofRest(*sum->getOperand(1), depth - 1);
    if (first == sum->getOperand(0) && second == sum->getOperand(1))
      return &value;
    if (!second)
      return first;
    if (!first)
      return opcode == Instruction::Add ? second : builder.CreateNeg(second);
    return builder.CreateBinOp(Instruction::BinaryOps(opcode), first, second);
  }

  /// A counter without what is known of the threads in its start.
  Value *restOfCounter(PHINode &phi, unsigned depth) {
    Counter counter = counterOf(phi);
    if (PHINode *known = rests_.lookup(&phi))
      return known;
    Value *start = ofRest(*counter.start, depth - 1);
    if (start == counter.start)
      return &phi;
    PHINode *rest = IRBuilder<>(&phi).CreatePHI(phi.getType(), 2);
    rests_[&phi] = rest;
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
  Value *ofThreads(Value &value, int64_t factor, IRBuilder<> &builder) {
    Type *wide = builder.getInt64Ty();
    if (isOfThreads(value)) {
      auto *sum = dyn_cast<BinaryOperator>(&value);
      Value *number = sum && isExact(*sum, Sign::Signed, &tables_)
                          ? extendedSum(*sum, *wide, Sign::Signed, Deepest)
                          : plainExtension(value, *wide, Sign::Signed);
      return factor == 1 ? number : builder.CreateMul(number, builder.getInt64(factor));
    }
    if (Counter counter = counterOf(value))
      return ofThreads(*counter.start, factor, builder);
    auto *sum = dyn_cast<BinaryOperator>(&value);
    unsigned opcode = sum && !tables_.of(&value) ? sumOpcode(*sum) : 0;
    if (opcode == Instruction::Add || opcode == Instruction::Sub)
      return builder.CreateAdd(ofThreads(*sum->getOperand(0), factor, builder),
                               ofThreads(*sum->getOperand(1),
                                         opcode == Instruction::Add ? factor : -factor, builder));
    int64_t by = factorOf(sum, opcode);
    return by ? ofThreads(*sum->getOperand(0), factor * by, builder) : builder.getInt64(0);
  }

  /// The index is near the number that it is without bounds, in each thread that accesses memory by
  /// the address.
  bool staysShort(GetElementPtrInst &address, const Term &term) {
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
      if (!isGiven(*place.base) || !isAccessedOnly(address, place, Deepest))
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
  bool addPlace(GetElementPtrInst &address, Place &place) {
    SmallMapVector<Value *, APInt, 4> indices;
    APInt bytes(64, 0);
    if (!address.collectOffset(address.getDataLayout(), 64, indices, bytes))
      return false;
    int64_t constant = bytes.getSExtValue();
    bool isKnown = all_of(indices, [&](const auto &part) {
      return part.first->getType()->isIntegerTy(64) &&
             termsOf(*part.first, part.second.getSExtValue(), place.terms, constant, Deepest);
    });
    constexpr int64_t Most = IndexMargin / 2;
    place.constants = std::abs(constant) > Most ? Most + 1 : place.constants + std::abs(constant);
    return isKnown && place.constants <= Most;
  }

  /// An address of the object, not one that was counted.
  bool isGiven(const Value &base) const {
    return isa<Argument, LoadInst, AllocaInst>(base) ||
           (isa<GetElementPtrInst>(base) && cast<GetElementPtrInst>(base).isInBounds());
  }

  /// Whatever the address is in other threads, nobody sees it. Adds to the place what users add.
  bool isAccessedOnly(Value &address, Place &place, unsigned depth) {
    return depth > 0 && all_of(address.users(), [&](User *user) {
             if (isa<LoadInst>(user))
               return true;
             if (auto *store = dyn_cast<StoreInst>(user))
               return store->getValueOperand() != &address;
             if (auto *rmw = dyn_cast<AtomicRMWInst>(user))
               return rmw->getValOperand() != &address;
             if (auto *cas = dyn_cast<AtomicCmpXchgInst>(user))
               return cas->getPointerOperand() == &address &&
                      cas->getCompareOperand() != &address && cas->getNewValOperand() != &address;
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

  Function &thread_;
  const Options &options_;
  ThreadTables tables_;
  std::optional<LoopFacts> facts_;
  std::optional<LaneShapes> lanes_; ///< of a warp, when they are first asked for
  DenseMap<std::tuple<Value *, Type *, unsigned>, Value *> extended_; ///< by Sign, too
  DenseMap<PHINode *, PHINode *> rests_;
  SmallPtrSet<Instruction *, 8> looked_; ///< phis on the way
  SmallVector<WeakTrackingVH, 32> dead_;
  bool trusts_ = false;
};

} // namespace

bool extendTerms(Function &thread, const Options &options) {
  unsigned threads = options.blockDim[0] * options.blockDim[1] * options.blockDim[2];
  return options.width != 1 && threads > 1 && Terms(thread, options).run();
}

} // namespace heddle::simt
