// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores (PTX ISA, "ld", "ld.global.nc", "ldu", "st"; "Memory Consistency Model"). A weak
// access is a plain one, .relaxed and stronger ones LLVM's atomic accesses; .volatile, .cv and .wt
// are volatile, as volatile variables of C++ are. .cg goes past the cache of a multiprocessor, so
// programs poll with it: it stays in its loop, as __ldcg() does (include/heddle/device_memory.h).
//
// PTX makes no promise that a vector is accessed at once, but GPUs do so with up to 16 bytes, and
// programs count on it where threads poll: the look-back of scans keeps a state and a sum in one
// vector. So where other threads may look on (.volatile, .cg, .relaxed and stronger), a vector is
// one integer, and of 16 bytes a call that simt makes an access of 16 bytes in each lane:
//
//     ld.relaxed.gpu.v2.u64 {%0, %1}, [p]   ->   call void @__heddle_load_pair(ptr p, ptr result)
#include "frontend/ptx/memory_modifiers.h"

using namespace llvm;

namespace heddle::frontend::ptx {

void lowerAtomic(Emitter &);

namespace {

struct Access {
  StringRef space;
  AtomicOrdering ordering = AtomicOrdering::NotAtomic;
  bool isVolatile = false, staysInLoops = false, hasPolicy = false, isOfBlock = false;
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
  access.isOfBlock = takeScope(e);
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
  noteScope(*made, access.isOfBlock);
  if (access.staysInLoops) // for racecheck: others may look on
    made->setMetadata("heddle.watched", MDNode::get(made->getContext(), {}));
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

uint64_t bytesOf(const Access &access) { return access.type.bits() / 8 * access.elements; }

/// Other threads may look on.
bool isWatched(const Access &access) {
  return access.isVolatile || access.staysInLoops || access.ordering != AtomicOrdering::NotAtomic;
}

/// The words in which a watched vector is accessed: one, or pairs of 64 bits.
PtxType wordOf(const Access &access) {
  return *findType("b" + std::to_string(std::min<uint64_t>(bytesOf(access) * 8, 64)));
}

Value *elementAddress(Emitter &e, const Access &access, Value *address, unsigned i) {
  return i ? e.b.CreateConstInBoundsGEP1_64(e.ir(access.type), address, i) : address;
}

bool isComplete(Emitter &e, const Access &access, size_t operands) {
  if (access.type.bits() < 8)
    e.fail("'." + access.type.name + "' is not supported");
  else if (operands != access.elements)
    e.fail("expected " + Twine(access.elements) + " elements");
  else
    return true;
  return false;
}

/// Values of `from` bits as values of `to`, in the order of memory.
SmallVector<Value *, 8> regroup(Emitter &e, ArrayRef<Value *> values, const PtxType &to) {
  SmallVector<Value *, 8> result;
  const unsigned from = e.asBits(values[0])->getType()->getIntegerBitWidth(), bits = to.bits();
  if (from < bits) {
    for (size_t i = 0; i < values.size(); i += bits / from)
      result.push_back(e.asType(e.join(values.slice(i, bits / from)), to));
    return result;
  }
  for (Value *value : values)
    for (unsigned first = 0; first < from; first += bits)
      result.push_back(e.asType(
          e.b.CreateTrunc(e.b.CreateLShr(e.asBits(value), first), e.b.getIntNTy(bits)), to));
  return result;
}

Value *loadElement(Emitter &e, const Access &access, Value *address, unsigned i) {
  LoadInst *load =
      finish(e.b.CreateLoad(e.ir(access.type), elementAddress(e, access, address, i)), access, i);
  if (access.staysInLoops)
    load->setMetadata(LLVMContext::MD_nontemporal,
                      MDNode::get(e.context(), ConstantAsMetadata::get(e.b.getInt32(1))));
  return load;
}

/// Elements i and i + 1, of 64 bits.
std::array<Value *, 2> loadPair(Emitter &e, const Access &access, Value *address, unsigned i) {
  Type *i64 = e.b.getInt64Ty();
  BasicBlock &entry = e.b.GetInsertBlock()->getParent()->getEntryBlock();
  Value *result =
      IRBuilder<>(&entry, entry.getFirstInsertionPt()).CreateAlloca(ArrayType::get(i64, 2));
  e.library("__heddle_load_pair", e.b.getVoidTy(), {elementAddress(e, access, address, i), result},
            /*readsNothing=*/false);
  if (isStrongerThan(access.ordering, AtomicOrdering::Monotonic))
    e.b.CreateFence(access.ordering);
  return {e.b.CreateLoad(i64, result),
          e.b.CreateLoad(i64, e.b.CreateConstInBoundsGEP1_64(i64, result, 1))};
}

/// The words of a vector that others may look at.
SmallVector<Value *, 8> loadWatched(Emitter &e, const Access &access, Value *address) {
  Access words = access;
  words.type = wordOf(access);
  words.elements = bytesOf(access) * 8 / words.type.bits();
  SmallVector<Value *, 8> values;
  if (words.elements == 1)
    values.push_back(loadElement(e, words, address, 0));
  else
    for (unsigned i = 0; i < words.elements; i += 2)
      append_range(values, loadPair(e, words, address, i));
  if (access.staysInLoops)
    e.b.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
  return values;
}

void storeWatched(Emitter &e, const Access &access, Value *address, ArrayRef<Value *> values) {
  Access words = access;
  words.type = wordOf(access);
  SmallVector<Value *, 8> stored = regroup(e, values, words.type);
  if (stored.size() == 1) {
    words.elements = 1;
    finish(e.b.CreateStore(stored[0], address), words, 0);
    return;
  }
  for (unsigned i = 0; i < stored.size(); i += 2) {
    if (isStrongerThan(access.ordering, AtomicOrdering::Monotonic))
      e.b.CreateFence(access.ordering);
    e.library("__heddle_store_pair", e.b.getVoidTy(),
              {elementAddress(e, words, address, i), stored[i], stored[i + 1]},
              /*readsNothing=*/false);
  }
}

void storeElements(Emitter &e, const Access &access, Value *address, ArrayRef<Operand> sources) {
  SmallVector<Value *, 8> values;
  for (const Operand &source : sources)
    values.push_back(e.readLow(source, access.type));
  if (isWatched(access))
    return storeWatched(e, access, address, values);
  Access part = partsOf(access);
  for (auto [i, value] : enumerate(regroup(e, values, part.type)))
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
  if (isWatched(access)) {
    values = loadWatched(e, access, address);
  } else {
    Access part = partsOf(access);
    for (unsigned i = 0; i < part.elements; ++i)
      values.push_back(loadElement(e, part, address, i));
  }
  for (auto [target, value] : zip_equal(targets, regroup(e, values, access.type)))
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

/// st.bulk: zeros.
void lowerStoreBulk(Emitter &e) {
  e.take("weak");
  Value *address = e.address(0, takeSpace(e));
  e.failUnless(e.constant(2) == 0, "the initial value must be 0");
  e.b.CreateMemSet(address, e.b.getInt8(0), e.bits(1, 64), MaybeAlign(8));
}

// Memory of several devices at one address (multimem): there are no such objects (cuMulticastCreate),
// so an address has the memory of one device, and what is read of all is what it has.

void lowerMultimemLoad(Emitter &e) {
  StringRef operation = e.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  e.failUnless(!operation.empty(), "expected an operation");
  e.takeOneOf({"acc::f32", "acc::f16"});
  lowerLoad(e);
}

void lowerMultimemStore(Emitter &e) { lowerStore(e); }

void lowerMultimemReduction(Emitter &e) { lowerAtomic(e); }

} // namespace heddle::frontend::ptx
