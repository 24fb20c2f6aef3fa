// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves, and addresses in state spaces (PTX ISA, "Data Movement and Conversion Instructions").
#include "frontend/ptx/memory_modifiers.h"

#include "base/abi/check_abi.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::frontend::ptx {

StringRef takeSpace(Emitter &e) {
  StringRef space = e.takeOneOf({"global", "shared", "shared::cta", "shared::cluster", "const",
                                 "local", "param", "param::entry", "param::func"});
  return space == "shared::cta" ? "shared" : space.split("::").first == "param" ? "param" : space;
}

bool takeCacheHints(Emitter &e) {
  bool hasPolicy = e.take("L2::cache_hint");
  while (!e.takePrefixed("L1::").empty() || !e.takePrefixed("L2::").empty())
    ;
  return hasPolicy;
}

bool takeScope(Emitter &e) { return e.takeOneOf({"cta", "cluster", "gpu", "gl", "sys"}) == "cta"; }

void noteScope(Instruction &instruction, bool isOfBlock) {
  LLVMContext &context = instruction.getContext();
  auto *block = ConstantInt::get(Type::getInt32Ty(context), uint64_t(AccessScope::Block));
  if (isOfBlock)
    instruction.setMetadata("heddle.scope", MDNode::get(context, ConstantAsMetadata::get(block)));
}

/// mov.v4.u32 {a, b, c, _}, %tid;   mov.v2.f32 d, a;   of vectors, element by element.
static void moveVector(Emitter &e, size_t count) {
  const PtxType type = e.takeType();
  SmallVector<Operand, 8> targets = e.elements(0), sources = e.elements(1);
  std::string names[4];
  if (const Operand &whole = e.operand(1); sources.size() == 1 && whole.name.starts_with("%")) {
    sources.assign(count, whole);
    for (size_t i = 0; i < count; ++i)
      sources[i].name = names[i] = (whole.name + "." + StringRef("xyzw").substr(i, 1)).str();
  }
  if (targets.size() != count || sources.size() != count)
    return e.fail("expected vectors of " + Twine(count) + " elements");
  SmallVector<Value *, 4> values;
  for (const Operand &source : sources)
    values.push_back(e.read(source, type));
  for (auto [target, value] : zip_equal(targets, values))
    e.write(target, value);
}

/// mov.b64 d, {a, b};   mov.b64 {a, b}, d;   mov.u32 d, a;
void lowerMov(Emitter &e) {
  if (StringRef size = e.takeOneOf({"v2", "v4"}); !size.empty())
    return moveVector(e, size == "v2" ? 2 : 4);
  PtxType type = e.takeType();
  if (type.kind == TypeKind::Predicate)
    return e.write(0, e.predicate(1));
  SmallVector<Operand, 8> targets = e.elements(0), sources = e.elements(1);
  const size_t count = std::max(targets.size(), sources.size());
  if (std::min(targets.size(), sources.size()) != 1 || type.bits() % count ||
      type.bits() / count < 8)
    return e.fail("a value of " + Twine(type.bits()) + " bits has no " + Twine(count) +
                  " elements");
  auto element = [&](size_t count) {
    return PtxType{"b", TypeKind::Bits, type.bits() / unsigned(count), 1};
  };
  Value *whole = nullptr;
  if (sources.size() == 1) {
    whole = e.asBits(e.read(sources[0], type));
  } else {
    SmallVector<Value *, 4> parts;
    for (const Operand &source : sources)
      parts.push_back(e.read(source, element(sources.size())));
    whole = e.join(parts);
  }
  if (targets.size() == 1)
    return e.write(targets[0], whole);
  for (auto [target, part] : zip_equal(targets, e.split(whole, element(targets.size()))))
    e.write(target, part);
}

/// A number in a state space from a generic address, or the other way.
void lowerCvta(Emitter &e) {
  bool isTo = e.take("to");
  StringRef space = takeSpace(e);
  PtxType type = e.takeType();
  if (type != "u32" && type != "u64")
    return e.fail("Instruction 'cvta' requires .u32 or .u64 type");
  e.failUnless(!space.empty(), "expected a state space");
  Value *a = e.b.CreateZExt(e.read(1, type), e.b.getInt64Ty());
  if (space.starts_with("shared") && isTo) { // of any block of the cluster
    a = e.library("__heddle_shared_offset", e.b.getInt64Ty(),
                  {e.b.CreateIntToPtr(a, e.b.getPtrTy())});
  } else if (space == "shared") {
    Value *base = e.b.CreatePtrToInt(e.sharedMemory(), e.b.getInt64Ty());
    a = e.b.CreateAdd(a, base);
  }
  e.write(0, e.b.CreateTrunc(a, e.ir(type)));
}

void lowerIsspacep(Emitter &e) {
  StringRef space = takeSpace(e);
  Intrinsic::ID id = StringSwitch<Intrinsic::ID>(space)
                         .Case("global", Intrinsic::nvvm_isspacep_global)
                         .Case("shared", Intrinsic::nvvm_isspacep_shared)
                         .Case("shared::cluster", Intrinsic::nvvm_isspacep_shared_cluster)
                         .Case("local", Intrinsic::nvvm_isspacep_local)
                         .Case("const", Intrinsic::nvvm_isspacep_const)
                         .Default(Intrinsic::not_intrinsic);
  const Register *found = e.find(e.operand(1));
  Value *address = e.bits(1, found && found->bits == 32 ? 32 : 64);
  Value *pointer = e.b.CreateIntToPtr(e.b.CreateZExt(address, e.b.getInt64Ty()), e.b.getPtrTy());
  if (space == "param")
    return e.write(0, e.library("__heddle_is_parameter", e.b.getInt1Ty(), {pointer}));
  if (id == Intrinsic::not_intrinsic)
    return e.fail("expected .global, .shared, .local, .const or .param");
  e.write(0, e.intrinsic(id, {pointer}));
}

/// prefetch, prefetchu, applypriority, discard, cp.async.bulk.prefetch: what a cache should do.
/// What is discarded may stay as it is.
void lowerCacheHint(Emitter &e) {
  takeSpace(e);
  takeCacheHints(e);
  e.takeOneOf({"L1", "L2", "tensormap"});
  e.failUnless(e.operand(0).kind == Operand::Address, "expected an address");
}

/// A cache policy is a number that only cache hints look at.
void lowerCreatepolicy(Emitter &e) {
  e.takeOneOf({"fractional", "range", "cvt"});
  takeSpace(e);
  while (takeCacheHints(e) || e.take("L2"))
    ;
  e.failUnless(e.take("b64"), "expected .b64");
  for (unsigned i = 1; i < e.count(); ++i)
    e.operand(i);
  e.write(0, e.number(0, 64));
}

} // namespace heddle::frontend::ptx
