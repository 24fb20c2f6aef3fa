// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores (PTX ISA, "ld", "ld.global.nc", "ldu", "st"; "Memory Consistency Model"). A weak
// access is a plain one, .relaxed and stronger ones LLVM's atomic accesses; .volatile, .cv and .wt
// are volatile, as volatile variables of C++ are. .cg goes past the cache of a multiprocessor, so
// programs poll with it: it stays in its loop, as __ldcg() does (include/heddle/device_memory.h).
#include "frontend/ptx/memory_modifiers.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

struct Access {
  StringRef space;
  AtomicOrdering ordering = AtomicOrdering::NotAtomic;
  bool isVolatile = false, staysInLoops = false, hasPolicy = false;
  unsigned elements = 1;
  PtxType type;
};

Access takeAccess(Emitter &e) {
  Access access;
  e.take("weak");
  if (e.take("volatile"))
    access.isVolatile = true;
  e.take("mmio");
  if (e.take("relaxed"))
    access.ordering = AtomicOrdering::Monotonic;
  else if (e.take("acquire"))
    access.ordering = AtomicOrdering::Acquire;
  else if (e.take("release"))
    access.ordering = AtomicOrdering::Release;
  takeScope(e);
  access.space = takeSpace(e);
  StringRef cache = e.takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  access.isVolatile |= cache == "cv" || cache == "wt";
  access.staysInLoops = cache == "cg";
  access.hasPolicy = takeCacheHints(e);
  StringRef vector = e.takeOneOf({"v2", "v4", "v8"});
  access.elements = vector.empty() ? 1 : vector[1] - '0';
  access.type = e.takeType();
  return access;
}

/// Element i of a vector that is aligned as a whole.
template <class Instruction>
Instruction *finish(Instruction *made, const Access &access, unsigned i) {
  uint64_t bytes = access.type.bits() / 8;
  made->setAlignment(commonAlignment(Align(PowerOf2Ceil(bytes * access.elements)), bytes * i));
  made->setVolatile(access.isVolatile);
  made->setOrdering(access.ordering);
  return made;
}

/// Words of 128 bits are accessed as halves: the warp compiler's vectors have none of them.
Access partsOf(Access access) {
  if (access.type.bits() <= 64)
    return access;
  access.elements *= access.type.bits() / 64;
  access.type = *findType("b64");
  return access;
}

Value *elementAddress(Emitter &e, const Access &access, Value *address, unsigned i) {
  return i ? e.b.CreateConstInBoundsGEP1_64(e.ir(access.type), address, i) : address;
}

bool isComplete(Emitter &e, const Access &access, size_t operands) {
  bool isWide = access.type.bits() > 64;
  if (access.type.bits() < 8 || (isWide && access.ordering != AtomicOrdering::NotAtomic))
    e.fail("'." + access.type.name + "' is not supported");
  else if (operands != access.elements)
    e.fail("expected " + Twine(access.elements) + " elements");
  else
    return true;
  return false;
}

void storeElements(Emitter &e, const Access &access, Value *address, ArrayRef<Operand> sources) {
  Access part = partsOf(access);
  SmallVector<Value *, 8> values;
  for (const Operand &source : sources) {
    Value *value = e.readLow(source, access.type);
    if (part.elements == access.elements)
      values.push_back(value);
    else
      append_range(values, e.split(value, part.type));
  }
  for (auto [i, value] : enumerate(values))
    finish(e.b.CreateStore(value, elementAddress(e, part, address, i)), part, i);
}

} // namespace

/// ld, ldu.
void lowerLoad(Emitter &e) {
  e.take("nc");
  Access access = takeAccess(e);
  SmallVector<Operand, 8> targets = e.elements(0);
  Value *address = e.address(1, access.space);
  if (!isComplete(e, access, targets.size()))
    return;
  SmallVector<Value *, 8> values; // all are read before any target is written
  Access part = partsOf(access);
  for (unsigned i = 0; i < part.elements; ++i) {
    LoadInst *load =
        finish(e.b.CreateLoad(e.ir(part.type), elementAddress(e, part, address, i)), part, i);
    if (access.staysInLoops)
      load->setMetadata(LLVMContext::MD_nontemporal,
                        MDNode::get(e.context(), ConstantAsMetadata::get(e.b.getInt32(1))));
    values.push_back(load);
  }
  if (part.elements != access.elements) // halves of 128 bits
    for (unsigned i = 0; i < access.elements; ++i)
      values[i] = e.join({values[2 * i], values[2 * i + 1]});
  values.truncate(access.elements);
  if (access.staysInLoops && access.elements == 1)
    e.b.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
  for (auto [target, value] : zip_equal(targets, values))
    e.writeExtended(target, value, access.type.isSigned());
}

void lowerStore(Emitter &e) {
  Access access = takeAccess(e);
  Value *address = e.address(0, access.space);
  SmallVector<Operand, 8> sources = e.elements(1);
  if (!isComplete(e, access, sources.size()))
    return;
  storeElements(e, access, address, sources);
}

/// st.async [a], b, [barrier];   done at once, and the barrier is told of the bytes
void lowerStoreAsync(Emitter &e) {
  e.failUnless(e.take("mbarrier::complete_tx::bytes"), "expected .mbarrier::complete_tx::bytes");
  Access access = takeAccess(e);
  StringRef space = access.space.empty() ? "shared::cluster" : access.space;
  e.failUnless(space == "shared::cluster", "expected .shared::cluster");
  Value *address = e.address(0, space), *barrier = e.address(2, space);
  SmallVector<Operand, 8> sources = e.elements(1);
  if (!isComplete(e, access, sources.size()))
    return;
  storeElements(e, access, address, sources);
  completeBytes(e, barrier, e.number(access.elements * access.type.bits() / 8));
}

} // namespace heddle::frontend::ptx
