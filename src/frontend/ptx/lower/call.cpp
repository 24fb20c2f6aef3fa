// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls, and the stack (PTX ISA, "call", "Stack Manipulation Instructions"):
//
//     call (results), f, (arguments);    call (results), %rd1, (arguments), prototype;
//
// An argument is a .param variable, or a register or number; so is what gets a result.
#include "frontend/ptx/emitter.h"
#include "frontend/ptx/variables.h"

#include "llvm/IR/Function.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

struct CallParts {
  ArrayRef<Operand> results, arguments;
  const Operand *callee = nullptr, *prototype = nullptr;
};

std::optional<CallParts> partsOf(Emitter &e) {
  CallParts parts;
  unsigned i = 0;
  auto listAt = [&](unsigned at) { return at < e.count() && e.operand(at).kind == Operand::List; };
  if (listAt(i))
    parts.results = e.operand(i++).elements;
  if (i >= e.count() || e.operand(i).kind != Operand::Name) {
    e.fail("expected a function");
    return {};
  }
  parts.callee = &e.operand(i++);
  if (listAt(i))
    parts.arguments = e.operand(i++).elements;
  if (i < e.count())
    parts.prototype = &e.operand(i++);
  if (i < e.count()) {
    e.fail("too many operands");
    return {};
  }
  return parts;
}

bool isMemory(const Register *found) { return found && found->value && found->space == "param"; }

/// As what the callee takes: a scalar, a pointer, or memory to be copied.
Value *argument(Emitter &e, const Operand &operand, Type *type, bool isByval) {
  const Register *found = e.find(operand);
  if (isByval) {
    if (isMemory(found))
      return found->value;
    e.fail("'" + operand.name + "' is no variable in .param");
    return PoisonValue::get(type);
  }
  if (isMemory(found))
    return e.b.CreateLoad(type, found->value);
  const unsigned bits = type->isPointerTy() ? 64 : type->getIntegerBitWidth();
  Value *value = bits == 1 ? e.predicate(operand) : e.read(operand, {"b", TypeKind::Bits, bits, 1});
  return type->isPointerTy() ? e.b.CreateIntToPtr(value, type) : value;
}

void giveResult(Emitter &e, const Operand &target, Value *value) {
  if (target.kind == Operand::Sink)
    return;
  if (const Register *found = e.find(target); isMemory(found))
    e.b.CreateStore(value, found->value);
  else
    e.write(target, value);
}

/// A function, or its address with the signature of a prototype or of the first of a list of targets.
struct Callee {
  Value *value = nullptr;
  FunctionType *type = nullptr;
  AttributeList attributes;
  const Signature *signature = nullptr;
};

std::optional<Callee> calleeOf(Emitter &e, const CallParts &parts) {
  const Register *found = e.find(*parts.callee);
  if (found && found->space == "function") {
    auto *function = cast<Function>(found->value);
    return Callee{function, function->getFunctionType(), function->getAttributes(),
                  found->signature.get()};
  }
  if (!found && !parts.prototype) {
    e.fail("Unknown symbol '" + parts.callee->name + "'");
    return {};
  }
  const Register *prototype = parts.prototype ? e.find(*parts.prototype) : nullptr;
  if (!prototype || !prototype->signature) {
    e.fail("an indirect call needs a prototype");
    return {};
  }
  Value *address = e.b.CreateIntToPtr(e.read(*parts.callee, *findType("u64")), e.b.getPtrTy());
  return Callee{address, functionType(*prototype->signature, e.context()),
                attributesOf(*prototype->signature, e.context()), prototype->signature.get()};
}

/// Memory for results, which is the first argument.
AllocaInst *memoryOfResults(Emitter &e, const Signature &signature) {
  BasicBlock &entry = e.b.GetInsertBlock()->getParent()->getEntryBlock();
  AllocaInst *memory =
      IRBuilder<>(&entry, entry.getFirstInsertionPt())
          .CreateAlloca(ArrayType::get(e.b.getInt8Ty(), bytesOf(signature.results)));
  memory->setAlignment(Align(16));
  return memory;
}

void giveFromMemory(Emitter &e, const Signature &signature, Value *memory,
                    ArrayRef<Operand> targets) {
  for (auto [result, offset, target] :
       zip_equal(signature.results, resultOffsets(signature), targets)) {
    Value *at = e.b.CreateConstGEP1_64(e.b.getInt8Ty(), memory, offset);
    if (const Register *found = e.find(target); isMemory(found))
      e.b.CreateMemCpy(found->value, Align(1), at, Align(1), result.bytes());
    else if (!isInMemory(result))
      giveResult(e, target, e.b.CreateLoad(valueType(result, e.context()), at));
    else
      e.failUnless(target.kind == Operand::Sink, "'" + target.name + "' is no variable in .param");
  }
}

} // namespace

void lowerCall(Emitter &e) {
  e.take("uni");
  std::optional<CallParts> parts = partsOf(e);
  std::optional<Callee> callee = parts ? calleeOf(e, *parts) : std::nullopt;
  if (!callee)
    return;
  const Signature &signature = *callee->signature;
  SmallVector<Value *, 8> arguments;
  if (givesInMemory(signature))
    arguments.push_back(memoryOfResults(e, signature));
  const size_t expected = callee->type->getNumParams() - arguments.size();
  if (parts->arguments.size() != expected)
    return e.fail("function '" + parts->callee->name + "' takes " + Twine(expected) + " arguments");
  for (const Operand &operand : parts->arguments) {
    const unsigned i = unsigned(arguments.size());
    arguments.push_back(argument(e, operand, callee->type->getParamType(i),
                                 callee->attributes.hasParamAttr(i, Attribute::ByVal)));
  }
  CallInst *call = e.b.CreateCall(callee->type, callee->value, arguments);
  AttributeList attributes;
  for (unsigned i = 0; i < arguments.size(); ++i)
    attributes = attributes.addParamAttributes(
        e.context(), i, AttrBuilder(e.context(), callee->attributes.getParamAttrs(i)));
  call->setAttributes(attributes);
  call->setConvergent();
  Type *type = callee->type->getReturnType();
  const size_t count = signature.results.size();
  if (!count || (type->isVoidTy() && !givesInMemory(signature)))
    return e.failUnless(parts->results.empty(), "the function gives no result");
  if (parts->results.size() != count)
    return e.failUnless(parts->results.empty(), "the function gives another number of results");
  if (givesInMemory(signature))
    return giveFromMemory(e, signature, arguments[0], parts->results);
  auto *several = count > 1 ? cast<StructType>(type) : nullptr;
  for (auto [i, target] : enumerate(parts->results))
    giveResult(e, target,
               several ? e.b.CreateExtractValue(call, unsigned(i)) : static_cast<Value *>(call));
}

/// alloca.u64 pointer, bytes {, alignment};
void lowerAlloca(Emitter &e) {
  PtxType type = e.takeType();
  e.failUnless(type.bits() == 64, "expected .u64");
  AllocaInst *memory = e.b.CreateAlloca(e.b.getInt8Ty(), e.read(1, type));
  uint64_t align = e.count() > 2 ? uint64_t(e.constant(2)) : 8;
  if (!isPowerOf2_64(align) || align > 1u << 20)
    return e.fail("an alignment must be a power of two");
  memory->setAlignment(Align(std::max<uint64_t>(align, 8)));
  e.write(0, e.b.CreatePtrToInt(memory, e.b.getInt64Ty()));
}

void lowerStackSave(Emitter &e) {
  e.failUnless(e.takeType().bits() == 64, "expected .u64");
  e.write(0, e.b.CreatePtrToInt(e.b.CreateStackSave(), e.b.getInt64Ty()));
}

void lowerStackRestore(Emitter &e) {
  PtxType type = e.takeType();
  e.failUnless(type.bits() == 64, "expected .u64");
  e.b.CreateStackRestore(e.b.CreateIntToPtr(e.read(0, type), e.b.getPtrTy()));
}

} // namespace heddle::frontend::ptx
