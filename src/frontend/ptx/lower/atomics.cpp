// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations (PTX ISA, "atom", "red"). Vectors and pairs are operations on their elements,
// each atomic by itself, which is all that PTX says of them. Additions of halves are loops of
// compare-and-swap.
#include "frontend/ptx/memory_modifiers.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

struct Atomic {
  AtomicOrdering ordering;
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
  takeScope(e);
  atomic.space = takeSpace(e);
  atomic.operation =
      e.takeOneOf({"and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max"});
  e.take("noftz");
  takeCacheHints(e);
  StringRef vector = e.takeOneOf({"v2", "v4", "v8"});
  atomic.elements = vector.empty() ? 1 : vector[1] - '0';
  atomic.type = e.takeType();
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
  return e.b.CreateExtractValue(pair, 0);
}

/// do { sum = seen + value; } while (the memory has changed); gives what was there before.
Value *addSmall(Emitter &e, const Atomic &atomic, Value *address, Value *value) {
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
  Value *sum = b.CreateFAdd(e.asType(before, atomic.type.element()), value);
  Atomic one = atomic;
  one.type = atomic.type.element();
  Value *seen = compareAndSwap(e, one, address, before, sum);
  before->addIncoming(first, head);
  before->addIncoming(seen, loop);
  b.CreateCondBr(b.CreateICmpEQ(seen, before), done, loop);
  b.SetInsertPoint(done);
  return before;
}

Value *readModifyWrite(Emitter &e, const Atomic &atomic, Value *address, Value *value) {
  if (atomic.type.isSmallFloat()) {
    if (atomic.operation != "add")
      e.fail("'." + atomic.operation + "' of '." + atomic.type.name + "' is not supported");
    SmallVector<Value *, 2> before;
    PtxType element = atomic.type.element();
    for (auto [i, part] : enumerate(e.split(e.asBits(value), element))) {
      Value *at = i ? e.b.CreateConstInBoundsGEP1_64(e.b.getInt16Ty(), address, i) : address;
      before.push_back(addSmall(e, atomic, at, part));
    }
    return e.join(before);
  }
  AtomicRMWInst::BinOp operation = operationOf(atomic);
  bool isFloat = atomic.type.isFloat();
  if (operation == AtomicRMWInst::BAD_BINOP || (isFloat && atomic.operation != "add") ||
      atomic.type.bits() < 32 || atomic.type.bits() > 64) {
    e.fail("'." + atomic.operation + "' of '." + atomic.type.name + "' is not supported");
    return value;
  }
  return e.b.CreateAtomicRMW(operation, address, value, alignOf(atomic.type), atomic.ordering);
}

} // namespace

/// atom d, [a], b, c;   red [a], b;
void lowerAtomic(Emitter &e) {
  bool hasResult = e.opcode() == "atom";
  Atomic atomic = takeAtomic(e);
  unsigned first = hasResult ? 1 : 0;
  Value *address = e.address(first, atomic.space);
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

} // namespace heddle::frontend::ptx
