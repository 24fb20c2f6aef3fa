// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations (PTX ISA, "atom", "red"). Vectors and pairs are operations on their elements,
// each atomic by itself, which is all that PTX says of them. Additions of halves are loops of
// compare-and-swap. Words of 128 bits go through memory to the runtime (Services::cas128).
#include "frontend/ptx/memory_modifiers.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

struct Atomic {
  AtomicOrdering ordering;
  bool isOfBlock;
  StringRef space, operation;
  unsigned elements;
  PtxType type;
};

Atomic takeAtomic(Emitter &e) {
  Atomic atomic;
  atomic.ordering =
      StringSwitch<AtomicOrdering>(e.takeOneOf({"relaxed", "acquire", "release", "acq_rel"}))
          .Case("acquire", AtomicOrdering::Acquire)
          .Case("release", AtomicOrdering::Release)
          .Case("acq_rel", AtomicOrdering::AcquireRelease)
          .Default(AtomicOrdering::Monotonic);
  atomic.isOfBlock = takeScope(e);
  atomic.space = takeSpace(e);
  atomic.operation =
      e.takeOneOf({"and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max"});
  e.take("noftz");
  takeCacheHints(e);
  StringRef vector = e.takeOneOf({"v2", "v4", "v8"});
  atomic.elements = vector.empty() ? 1 : vector[1] - '0';
  atomic.type = e.takeType();
  if (atomic.type.bits() < 16) {
    e.fail("'." + atomic.type.name + "' is no type of an atomic operation");
    atomic.type = *findType("u32");
  }
  return atomic;
}

AtomicRMWInst::BinOp operationOf(const Atomic &atomic) {
  bool isSigned = atomic.type.isSigned(), isFloat = atomic.type.isFloat();
  return StringSwitch<AtomicRMWInst::BinOp>(atomic.operation)
      .Case("and", AtomicRMWInst::And)
      .Case("or", AtomicRMWInst::Or)
      .Case("xor", AtomicRMWInst::Xor)
      .Case("exch", AtomicRMWInst::Xchg)
      .Case("add", isFloat ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
      .Case("inc", AtomicRMWInst::UIncWrap)
      .Case("dec", AtomicRMWInst::UDecWrap)
      .Case("min", isSigned ? AtomicRMWInst::Min : AtomicRMWInst::UMin)
      .Case("max", isSigned ? AtomicRMWInst::Max : AtomicRMWInst::UMax)
      .Default(AtomicRMWInst::BAD_BINOP);
}

Align alignOf(const PtxType &type) { return Align(type.bits() / 8); }

Value *compareAndSwap(Emitter &e, const Atomic &atomic, Value *address, Value *expected,
                      Value *desired) {
  AtomicCmpXchgInst *pair = e.b.CreateAtomicCmpXchg(
      address, e.asBits(expected), e.asBits(desired), alignOf(atomic.type), atomic.ordering,
      AtomicCmpXchgInst::getStrongestFailureOrdering(atomic.ordering));
  noteScope(*pair, atomic.isOfBlock);
  return e.b.CreateExtractValue(pair, 0);
}

/// add, min or max of numbers of 16 bits; null for another operation. Of a number and a NaN, min
/// and max give the number.
Value *combineSmall(Emitter &e, StringRef operation, Value *a, Value *b) {
  if (operation == "add")
    return e.b.CreateFAdd(a, b);
  if (operation != "min" && operation != "max")
    return nullptr;
  Intrinsic::ID id = operation == "min" ? Intrinsic::minimumnum : Intrinsic::maximumnum;
  Type *wide = e.b.getFloatTy();
  Value *result = e.b.CreateBinaryIntrinsic(id, e.b.CreateFPExt(a, wide), e.b.CreateFPExt(b, wide));
  return e.b.CreateFPTrunc(result, a->getType());
}

/// do { sum = seen + value; } while (the memory has changed); gives what was there before.
Value *changeSmall(Emitter &e, const Atomic &atomic, Value *address, Value *value) {
  IRBuilder<> &b = e.b;
  Type *bits = b.getInt16Ty();
  LoadInst *first = b.CreateAlignedLoad(bits, address, Align(2));
  first->setVolatile(true);
  BasicBlock *head = b.GetInsertBlock();
  BasicBlock *loop = BasicBlock::Create(e.context(), "", head->getParent());
  BasicBlock *done = BasicBlock::Create(e.context(), "", head->getParent());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *before = b.CreatePHI(bits, 2);
  Value *sum = combineSmall(e, atomic.operation, e.asType(before, atomic.type.element()), value);
  Atomic one = atomic;
  one.type = atomic.type.element();
  Value *seen = compareAndSwap(e, one, address, before, sum);
  before->addIncoming(first, head);
  before->addIncoming(seen, loop);
  b.CreateCondBr(b.CreateICmpEQ(seen, before), done, loop);
  b.SetInsertPoint(done);
  return before;
}

/// A word of 128 bits as memory has it: two of 64, for the warp compiler's vectors have no larger.
class WideSlot {
public:
  explicit WideSlot(Emitter &e) : e_(e) {
    BasicBlock &entry = e.b.GetInsertBlock()->getParent()->getEntryBlock();
    auto *slot = IRBuilder<>(&entry, entry.getFirstInsertionPt())
                     .CreateAlloca(ArrayType::get(e.b.getInt64Ty(), 2));
    slot->setAlignment(Align(16));
    address = slot;
  }
  static std::array<Value *, 2> load(Emitter &e, Value *from) {
    Type *i64 = e.b.getInt64Ty();
    return {e.b.CreateLoad(i64, from),
            e.b.CreateLoad(i64, e.b.CreateConstInBoundsGEP1_64(i64, from, 1))};
  }
  void store(Value *low, Value *high) {
    e_.b.CreateStore(low, address);
    e_.b.CreateStore(high, e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt64Ty(), address, 1));
  }
  void store(Value *word) {
    auto halves = e_.split(e_.asBits(word), *findType("b64"));
    store(halves[0], halves[1]);
  }

  Value *address;

private:
  Emitter &e_;
};

/// atom.cas.b128, atom.exch.b128; gives what was there.
Value *changeWide(Emitter &e, const Atomic &atomic, Value *address) {
  IRBuilder<> &b = e.b;
  WideSlot expected(e), desired(e), seen(e);
  auto swap = [&] {
    e.library("__heddle_cas128", b.getVoidTy(),
              {address, expected.address, desired.address, seen.address}, /*readsNothing=*/false);
    return WideSlot::load(e, seen.address);
  };
  if (atomic.operation == "cas") {
    expected.store(e.read(2, atomic.type));
    desired.store(e.read(3, atomic.type));
    return e.join(swap());
  }
  desired.store(e.read(2, atomic.type));
  auto first = WideSlot::load(e, address);
  BasicBlock *head = b.GetInsertBlock();
  BasicBlock *loop = BasicBlock::Create(e.context(), "", head->getParent());
  BasicBlock *done = BasicBlock::Create(e.context(), "", head->getParent());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *low = b.CreatePHI(b.getInt64Ty(), 2), *high = b.CreatePHI(b.getInt64Ty(), 2);
  expected.store(low, high);
  auto now = swap();
  Value *isSame = b.CreateAnd(b.CreateICmpEQ(now[0], low), b.CreateICmpEQ(now[1], high));
  low->addIncoming(first[0], head), high->addIncoming(first[1], head);
  low->addIncoming(now[0], b.GetInsertBlock()), high->addIncoming(now[1], b.GetInsertBlock());
  b.CreateCondBr(isSame, done, loop);
  b.SetInsertPoint(done);
  return e.join(now);
}

Value *readModifyWrite(Emitter &e, const Atomic &atomic, Value *address, Value *value) {
  if (atomic.type.isSmallFloat()) {
    if (atomic.operation != "add" && atomic.operation != "min" && atomic.operation != "max") {
      e.fail("'." + atomic.operation + "' of '." + atomic.type.name + "' is not supported");
      return value;
    }
    SmallVector<Value *, 2> before;
    PtxType element = atomic.type.element();
    for (auto [i, part] : enumerate(e.split(e.asBits(value), element))) {
      Value *at = i ? e.b.CreateConstInBoundsGEP1_64(e.b.getInt16Ty(), address, i) : address;
      before.push_back(changeSmall(e, atomic, at, part));
    }
    return e.join(before);
  }
  AtomicRMWInst::BinOp operation = operationOf(atomic);
  bool isFloat = atomic.type.isFloat();
  if (operation == AtomicRMWInst::BAD_BINOP || !(isFloat || atomic.type.isInteger()) ||
      (isFloat && atomic.operation != "add") || atomic.type.bits() < 32 ||
      atomic.type.bits() > 64) {
    e.fail("'." + atomic.operation + "' of '." + atomic.type.name + "' is not supported");
    return value;
  }
  AtomicRMWInst *change =
      e.b.CreateAtomicRMW(operation, address, value, alignOf(atomic.type), atomic.ordering);
  noteScope(*change, atomic.isOfBlock);
  return change;
}

} // namespace

/// atom d, [a], b, c;   red [a], b;
void lowerAtomic(Emitter &e) {
  bool hasResult = e.opcode() == "atom";
  Atomic atomic = takeAtomic(e);
  unsigned first = hasResult ? 1 : 0;
  Value *address = e.address(first, atomic.space);
  if (hasResult && atomic.type.bits() == 128 &&
      (atomic.operation == "cas" || atomic.operation == "exch"))
    return e.write(0, changeWide(e, atomic, address));
  if (atomic.operation == "cas") {
    if (!hasResult || atomic.type.bits() > 64 || atomic.type.bits() < 16)
      return e.fail("'." + atomic.type.name + "' is not supported");
    Value *expected = e.read(2, atomic.type), *desired = e.read(3, atomic.type);
    return e.write(0, compareAndSwap(e, atomic, address, expected, desired));
  }
  SmallVector<Operand, 8> sources = e.elements(first + 1), targets;
  if (hasResult)
    targets = e.elements(0);
  if (sources.size() != atomic.elements || (hasResult && targets.size() != atomic.elements))
    return e.fail("expected " + Twine(atomic.elements) + " elements");
  SmallVector<Value *, 8> values, before;
  for (const Operand &source : sources)
    values.push_back(e.read(source, atomic.type));
  for (auto [i, value] : enumerate(values)) {
    Value *at = i ? e.b.CreateConstInBoundsGEP1_64(e.ir(atomic.type), address, i) : address;
    before.push_back(readModifyWrite(e, atomic, at, value));
  }
  if (hasResult)
    for (auto [target, value] : zip_equal(targets, before))
      e.write(target, value);
}

/// red.async [a], b, [barrier];   done at once, and the barrier is told of the bytes
void lowerRedAsync(Emitter &e) {
  e.failUnless(e.take("mbarrier::complete_tx::bytes"), "expected .mbarrier::complete_tx::bytes");
  Atomic atomic = takeAtomic(e);
  StringRef space = atomic.space.empty() ? "shared::cluster" : atomic.space;
  e.failUnless(space == "shared::cluster" && atomic.elements == 1 && atomic.type.isInteger(),
               "expected an integer in .shared::cluster");
  Value *address = e.address(0, space), *barrier = e.address(2, space);
  readModifyWrite(e, atomic, address, e.read(1, atomic.type));
  completeBytes(e, barrier, e.number(atomic.type.bits() / 8));
}

/// cp.reduce.async.bulk.TO.FROM.completion.OPERATION.TYPE [to], [from], bytes {, [barrier]}: done
/// at once, element by element.
void lowerBulkReduction(Emitter &e) {
  StringRef to = takeSpace(e), from = takeSpace(e);
  bool isTold = e.take("mbarrier::complete_tx::bytes");
  e.failUnless(isTold || e.take("bulk_group"), "expected how the end is told");
  e.failUnless(from == "shared" && to == (isTold ? "shared::cluster" : "global"),
               "expected from .shared::cta to .shared::cluster or .global");
  Atomic atomic = takeAtomic(e);
  IRBuilder<> &b = e.b;
  Value *target = e.address(0, to), *source = e.address(1, from), *bytes = e.bits(2, 32);
  BasicBlock *before = b.GetInsertBlock(),
             *loop = BasicBlock::Create(e.context(), "", before->getParent()),
             *done = BasicBlock::Create(e.context(), "", before->getParent());
  unsigned size = atomic.type.bits() / 8;
  b.CreateCondBr(b.CreateICmpEQ(bytes, e.number(0)), done, loop);
  b.SetInsertPoint(loop);
  PHINode *at = b.CreatePHI(b.getInt32Ty(), 2);
  Value *offset = b.CreateZExt(at, b.getInt64Ty());
  Value *value = b.CreateAlignedLoad(e.ir(atomic.type), b.CreateGEP(b.getInt8Ty(), source, offset),
                                     alignOf(atomic.type));
  readModifyWrite(e, atomic, b.CreateGEP(b.getInt8Ty(), target, offset), value);
  Value *next = b.CreateAdd(at, e.number(size));
  at->addIncoming(e.number(0), before);
  at->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, bytes), loop, done);
  b.SetInsertPoint(done);
  if (isTold)
    completeBytes(e, e.address(3, to), bytes);
  else
    noteBulkRead(e, source, bytes);
}

} // namespace heddle::frontend::ptx
