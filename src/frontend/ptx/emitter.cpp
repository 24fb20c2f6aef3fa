// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/emitter.h"

#include "frontend/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::frontend::ptx {

Emitter::Emitter(IRBuilder<> &builder, Registers &registers, const Statement &statement,
                 const Opcode &opcode, Value *guard)
    : b(builder), registers_(registers), statement_(statement), guard_(guard),
      onlyComputes_(opcode.effects == Effects::None) {
  append_range(modifiers_, ArrayRef(statement.parts).drop_front(opcode.words));
}

void Emitter::fail(const Twine &message) {
  if (error_.empty())
    error_ = ("'" + statement_.name + "': " + message).str();
}

void Emitter::refuse(StringRef modifier) {
  if (error_.empty())
    error_ = ("'" + statement_.name + "' is not supported: '." + modifier + "'").str();
}

void Emitter::refuseOperands() {
  if (error_.empty())
    error_ = ("Arguments mismatch for instruction '" + opcode() + "'").str();
}

Error Emitter::finish() {
  if (error_.empty() && !modifiers_.empty())
    refuse(modifiers_.front());
  // Of what has effects, hints and policies may be passed over.
  for (unsigned i = 0; onlyComputes_ && i < count(); ++i)
    if (isOfModule() && (i >= seen_.size() || !seen_[i]))
      refuseOperands();
    else
      failUnless(i < seen_.size() && seen_[i], "unexpected operand " + Twine(i + 1));
  return error_.empty() ? Error::success() : frontend::fail(error_);
}

bool Emitter::take(StringRef modifier) { return !takeOneOf({modifier}).empty(); }

StringRef Emitter::takeOneOf(ArrayRef<StringRef> modifiers) {
  auto at = find_if(modifiers_, [&](StringRef m) { return is_contained(modifiers, m); });
  if (at == modifiers_.end())
    return "";
  StringRef found = *at;
  modifiers_.erase(at);
  return found;
}

StringRef Emitter::takePrefixed(StringRef prefix) {
  auto at = find_if(modifiers_, [&](StringRef m) { return m.starts_with(prefix); });
  if (at == modifiers_.end())
    return "";
  StringRef found = *at;
  modifiers_.erase(at);
  return found;
}

std::optional<PtxType> Emitter::peekType() const {
  for (StringRef modifier : modifiers_)
    if (std::optional<PtxType> type = findType(modifier))
      return type;
  return {};
}

std::optional<PtxType> Emitter::takeTypeIf() {
  std::optional<PtxType> type = peekType();
  if (type)
    take(type->name);
  return type;
}

PtxType Emitter::takeType() {
  if (std::optional<PtxType> type = takeTypeIf())
    return *type;
  if (modifiers_.empty())
    fail("expected a type");
  else
    refuse(modifiers_.back()); // where a type would stand
  return *findType("u32");
}

PtxType Emitter::takeWordType() {
  PtxType type = takeType();
  failUnless(type == "u32" || type == "s32", "expected '.u32' or '.s32'");
  return type;
}

PtxType Emitter::takeInteger(bool mayBePair) {
  PtxType type = takeType();
  if (type.isInteger() && type.elementBits >= 16 && type.bits() <= 64 &&
      (mayBePair || !type.isPacked()))
    return type;
  fail("expected an integer type, found '." + type.name + "'");
  return *findType("u32");
}

const Operand &Emitter::operand(unsigned i) {
  static const Operand missing;
  if (i < statement_.operands.size()) {
    seen_.resize(std::max<size_t>(seen_.size(), i + 1));
    seen_.set(i);
    return statement_.operands[i];
  }
  if (isOfModule())
    refuseOperands();
  fail("expected operand " + Twine(i + 1));
  return missing;
}

//===-- Values -----------------------------------------------------------------------------------//

Value *Emitter::asBits(Value *value) {
  if (value->getType()->isPointerTy())
    return b.CreatePtrToInt(value, b.getInt64Ty());
  return b.CreateBitCast(value, b.getIntNTy(value->getType()->getPrimitiveSizeInBits()));
}

Value *Emitter::asType(Value *value, const PtxType &type) {
  return b.CreateBitCast(asBits(value), ir(type));
}

SmallVector<Value *, 2> Emitter::split(Value *packed, const PtxType &element) {
  SmallVector<Value *, 2> parts;
  unsigned total = packed->getType()->getIntegerBitWidth();
  for (unsigned first = 0; first < total; first += element.elementBits)
    parts.push_back(asType(
        b.CreateTrunc(b.CreateLShr(packed, first), b.getIntNTy(element.elementBits)), element));
  return parts;
}

Value *Emitter::join(ArrayRef<Value *> elements) {
  unsigned bits = elements[0]->getType()->getPrimitiveSizeInBits();
  Type *whole = b.getIntNTy(bits * elements.size());
  Value *result = nullptr;
  for (auto [i, element] : enumerate(elements)) {
    Value *part = b.CreateShl(b.CreateZExt(asBits(element), whole), i * bits);
    result = result ? b.CreateOr(result, part) : part;
  }
  return result;
}

Value *Emitter::eachElement(const PtxType &type, ArrayRef<Value *> operands,
                            function_ref<Value *(ArrayRef<Value *>)> combine) {
  if (!type.isPacked())
    return combine(operands);
  SmallVector<SmallVector<Value *, 2>, 3> parts;
  for (Value *operand : operands)
    parts.push_back(split(operand, type.element()));
  SmallVector<Value *, 2> results;
  for (unsigned i = 0; i < type.elements; ++i) {
    SmallVector<Value *, 3> of;
    for (auto &part : parts)
      of.push_back(part[i]);
    results.push_back(combine(of));
  }
  return join(results);
}

Value *Emitter::library(const Twine &name, Type *result, ArrayRef<Value *> arguments,
                        bool readsNothing) {
  SmallVector<Type *, 4> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  SmallString<32> space;
  FunctionCallee callee = b.GetInsertBlock()->getModule()->getOrInsertFunction(
      name.toStringRef(space), FunctionType::get(result, types, false));
  CallInst *call = b.CreateCall(callee, arguments);
  if (readsNothing) {
    call->setDoesNotAccessMemory();
    call->setDoesNotThrow();
    call->addFnAttr(Attribute::WillReturn);
  }
  return call;
}

//===-- Reading ----------------------------------------------------------------------------------//

const Register *Emitter::find(const Operand &operand) const {
  return operand.kind == Operand::Name ? registers_.find(operand.name) : nullptr;
}

/// The number that a variable's address is in its state space; generic ones are alike but for shared
/// memory. Of a reference, the handle of what is bound to it.
Value *Emitter::addressOf(const Register &variable) {
  if (variable.space.ends_with("ref")) { // no kernel sees it change (frontend/references.h)
    LoadInst *handle = b.CreateAlignedLoad(b.getInt64Ty(), variable.value, Align(8));
    handle->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(context(), {}));
    return handle;
  }
  Value *generic = b.CreateAddrSpaceCast(variable.value, b.getPtrTy());
  Value *address = b.CreatePtrToInt(generic, b.getInt64Ty());
  if (variable.space != "shared")
    return address;
  return b.CreateSub(address, b.CreatePtrToInt(sharedMemory(), b.getInt64Ty()));
}

/// Of any type; null and an error if there is none.
Value *Emitter::readRegister(const Operand &operand) {
  if (operand.kind != Operand::Name) {
    fail("expected a register");
    return nullptr;
  }
  failUnless(!operand.isMinus, "'-' before '" + operand.name + "'");
  if (const Register *found = registers_.find(operand.name)) {
    if (found->slot)
      return b.CreateLoad(found->slot->getAllocatedType(), found->slot);
    if (!found->space.empty() && found->value) {
      Value *address = addressOf(*found);
      return operand.bits ? b.CreateAdd(address, b.getInt64(operand.bits)) : address;
    }
    if (found->value)
      return found->value;
  } else if (operand.name == "WARP_SZ") {
    return b.getInt32(32);
  } else if (Value *special = specialRegister(operand.name)) {
    return special;
  }
  if (registers_.hasOuter() && error_.empty())
    error_ = ("Unknown symbol '" + operand.name + "'").str();
  fail("'" + operand.name + "' is no register that is supported");
  return nullptr;
}

Value *Emitter::literal(const Operand &operand, const PtxType &type) {
  bool isFloat = operand.kind == Operand::Float;
  APFloat value(APFloat::IEEEdouble(), APInt(64, operand.bits));
  bool lost;
  if (isFloat && operand.isSingle && type.kind == TypeKind::Bits) { // mov.b32 %0, 0f3f800000
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
    return ConstantInt::get(context(), value.bitcastToAPInt().zextOrTrunc(type.bits()));
  }
  if (isFloat && type.kind == TypeKind::Bits)
    return number(operand.bits, type.bits());
  if (isFloat && type.isFloat() && !type.isPacked()) {
    Type *to = ir(type);
    value.convert(to->getFltSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return ConstantFP::get(to, value);
  }
  if (isFloat || (type.isFloat() && operand.bits != 0)) {
    fail("a number of another type than '." + type.name + "'");
    return PoisonValue::get(ir(type));
  }
  return asType(number(operand.bits, type.bits()), type);
}

Value *Emitter::read(const Operand &operand, const PtxType &type) {
  if (operand.kind == Operand::Integer || operand.kind == Operand::Float)
    return literal(operand, type);
  Value *value = readRegister(operand);
  if (!value)
    return PoisonValue::get(ir(type));
  if (isa<Constant>(value) && value->getType()->isIntegerTy()) // an operand "n", WARP_SZ
    return asType(b.CreateIntCast(value, b.getIntNTy(type.bits()), true), type);
  value = asBits(value);
  unsigned width = value->getType()->getIntegerBitWidth();
  if (width == type.bits())
    return asType(value, type);
  if (const Register *found = find(operand); found && found->space == "shared")
    return asType(b.CreateZExtOrTrunc(value, b.getIntNTy(type.bits())), type);
  if (operand.name.starts_with("%") && !registers_.find(operand.name)) // a special register
    return asType(b.CreateZExtOrTrunc(value, b.getIntNTy(type.bits())), type);
  fail("'" + operand.name + "' has " + Twine(width) + " bits, and '." + type.name + "' " +
       Twine(type.bits()));
  return PoisonValue::get(ir(type));
}

Value *Emitter::readLow(const Operand &operand, const PtxType &type) {
  if (operand.kind != Operand::Name)
    return read(operand, type);
  Value *value = readRegister(operand);
  if (!value)
    return PoisonValue::get(ir(type));
  value = asBits(value);
  if (isa<Constant>(value))
    value = b.CreateIntCast(value, b.getIntNTy(type.bits()), true);
  if (value->getType()->getIntegerBitWidth() < type.bits()) {
    fail("'" + operand.name + "' has fewer bits than '." + type.name + "'");
    return PoisonValue::get(ir(type));
  }
  return asType(b.CreateTrunc(value, b.getIntNTy(type.bits())), type);
}

Value *Emitter::bits(unsigned i, unsigned width) {
  return read(i, {"b", TypeKind::Bits, width, 1});
}

bool Emitter::isPredicate(const Operand &operand) const {
  const Register *found = registers_.find(operand.name);
  return found && found->bits == 1;
}

Value *Emitter::predicate(const Operand &operand) {
  Value *value = nullptr;
  if (operand.kind == Operand::Integer)
    value = b.getInt1(operand.bits != 0);
  else if ((value = readRegister(operand)) && !value->getType()->isIntegerTy(1)) {
    if (isa<ConstantInt>(value)) {
      value = b.getInt1(!cast<ConstantInt>(value)->isZero());
    } else {
      fail("'" + operand.name + "' is no predicate");
      value = nullptr;
    }
  }
  if (!value)
    return b.getFalse();
  return operand.isNegated ? b.CreateNot(value) : value;
}

std::optional<int64_t> Emitter::constantIf(const Operand &operand) {
  if (operand.kind == Operand::Integer)
    return int64_t(operand.bits);
  const Register *found = registers_.find(operand.name);
  auto *value = found ? dyn_cast_or_null<ConstantInt>(found->value) : nullptr;
  if (operand.kind == Operand::Name && value)
    return value->getSExtValue();
  return {};
}

int64_t Emitter::constant(unsigned i) {
  std::optional<int64_t> value = constantIf(operand(i));
  failUnless(value.has_value(), "operand " + Twine(i + 1) + " must be a constant");
  return value.value_or(0);
}

std::pair<Operand, StringRef> Emitter::selected(unsigned i) {
  Operand whole = operand(i);
  size_t dot = whole.kind == Operand::Name ? whole.name.rfind('.') : StringRef::npos;
  if (dot == StringRef::npos || registers_.find(whole.name))
    return {whole, ""};
  StringRef selector = whole.name.drop_front(dot + 1);
  whole.name = whole.name.take_front(dot);
  return {whole, selector};
}

SmallVector<Operand, 8> Emitter::elements(const Operand &whole) {
  if (whole.kind == Operand::Vector)
    return SmallVector<Operand, 8>(whole.elements.begin(), whole.elements.end());
  SmallVector<Operand, 8> parts;
  for (StringRef name : registers_.elementsOf(whole.name)) {
    parts.push_back(whole);
    parts.back().name = name;
  }
  return parts.empty() ? SmallVector<Operand, 8>{whole} : parts;
}

//===-- Writing ----------------------------------------------------------------------------------//

void Emitter::write(const Operand &operand, Value *value) {
  if (operand.kind == Operand::Sink)
    return;
  const Register *found = operand.kind == Operand::Name ? registers_.find(operand.name) : nullptr;
  if (!found || !found->slot)
    return fail("'" + operand.name + "' is no register to be written to");
  value = asBits(value);
  Type *type = found->slot->getAllocatedType();
  if (value->getType() != type)
    return fail("'" + operand.name + "' has " + Twine(found->bits) + " bits, and the result " +
                Twine(value->getType()->getIntegerBitWidth()));
  if (guard_)
    value = b.CreateSelect(guard_, value, b.CreateLoad(type, found->slot));
  b.CreateStore(value, found->slot);
}

void Emitter::writeExtended(const Operand &operand, Value *value, bool isSigned) {
  const Register *found = operand.kind == Operand::Name ? registers_.find(operand.name) : nullptr;
  value = asBits(value);
  if (found && found->bits > value->getType()->getIntegerBitWidth())
    value = b.CreateIntCast(value, b.getIntNTy(found->bits), isSigned);
  write(operand, value);
}

Value *Emitter::carry() { return b.CreateLoad(b.getInt1Ty(), registers_.carry()); }

void Emitter::setCarry(Value *value) {
  AllocaInst *slot = registers_.carry();
  if (guard_)
    value = b.CreateSelect(guard_, value, b.CreateLoad(b.getInt1Ty(), slot));
  b.CreateStore(value, slot);
}

//===-- Addresses --------------------------------------------------------------------------------//

Value *Emitter::sharedMemory() { return library("__heddle_shared_memory", b.getPtrTy(), {}); }

/// Of the window shared::cluster: the upper byte is 0 in the own shared memory, else one more than
/// the block's rank (device_mbarrier.h).
Value *Emitter::clusterAddress(Value *at) {
  Value *own = b.CreateGEP(b.getInt8Ty(), sharedMemory(), b.CreateAnd(at, 0xffffff));
  Value *block = b.CreateAnd(b.CreateLShr(at, 24), 0xff);
  Value *rank = b.CreateTrunc(b.CreateSub(block, b.getInt64(1)), b.getInt32Ty());
  Value *other = intrinsic(Intrinsic::nvvm_mapa, {own, rank});
  return b.CreateSelect(b.CreateICmpEQ(block, b.getInt64(0)), own, other);
}

/// Global, constant and local addresses are generic ones; an address in shared memory is an offset
/// (__cvta_generic_to_shared, device_memory.h).
Value *Emitter::address(unsigned i, StringRef space) {
  const Operand &whole = operand(i);
  if (whole.kind != Operand::Address) {
    fail("expected an address");
    return PoisonValue::get(b.getPtrTy());
  }
  const Operand &base = whole.elements[0];
  int64_t offset = int64_t(whole.bits);
  if (whole.elements.size() > 1) {
    std::optional<int64_t> named = constantIf(whole.elements[1]);
    failUnless(named.has_value(), "an offset that is no constant");
    offset = whole.isNegated ? -named.value_or(0) : named.value_or(0);
  }
  auto behind = [&](Value *pointer, Value *bytes) {
    return b.CreateGEP(b.getInt8Ty(), pointer, bytes);
  };
  if (const Register *found = find(base); found && !found->space.empty() && found->value) {
    failUnless(space.empty() || space.starts_with(found->space),
               "'" + base.name + "' lies in ." + found->space);
    Value *variable = b.CreateAddrSpaceCast(found->value, b.getPtrTy());
    return offset ? behind(variable, b.getInt64(offset)) : variable;
  }
  Value *value = base.kind == Operand::Integer ? number(base.bits, 64) : readRegister(base);
  if (!value)
    return PoisonValue::get(b.getPtrTy());
  if (space.starts_with("shared")) {
    Value *wide = b.CreateZExtOrTrunc(asBits(value), b.getInt64Ty());
    Value *pointer = space == "shared" ? behind(sharedMemory(), wide) : clusterAddress(wide);
    return offset ? behind(pointer, b.getInt64(offset)) : pointer;
  }
  Value *pointer = value;
  if (!value->getType()->isPointerTy()) {
    Value *at = asBits(value);
    failUnless(at->getType()->getIntegerBitWidth() <= 64, "an address has 64 bits at most");
    pointer = b.CreateIntToPtr(b.CreateZExtOrTrunc(at, b.getInt64Ty()), b.getPtrTy());
  }
  return offset ? behind(pointer, b.getInt64(offset)) : pointer;
}

} // namespace heddle::frontend::ptx
