// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/pass_notes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// The numbers of a note, as constants of a type.
MDNode *nodeOf(Type *type, ArrayRef<uint64_t> numbers) {
  SmallVector<Metadata *, 2> operands;
  for (uint64_t number : numbers)
    operands.push_back(ConstantAsMetadata::get(ConstantInt::get(type, number)));
  return MDNode::get(type->getContext(), operands);
}

uint64_t numberOf(const MDNode &node, unsigned i) {
  return mdconst::extract<ConstantInt>(node.getOperand(i))->getZExtValue();
}

FunctionCallee declare(IRBuilder<> &builder, StringRef name, Type *result,
                       ArrayRef<Type *> parameters) {
  return builder.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, FunctionType::get(result, parameters, /*isVarArg=*/false));
}

CallInst *call(IRBuilder<> &builder, StringRef name, ArrayRef<Value *> arguments = {}) {
  SmallVector<Type *, 3> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  return builder.CreateCall(declare(builder, name, builder.getVoidTy(), types), arguments);
}

constexpr StringLiteral RotatesBits = "heddle-rotates-bits";

} // namespace

void AccessMark::put(Instruction &instruction) const {
  MDBuilder builder(instruction.getContext());
  MDNode *type = builder.createTBAAScalarTypeNode(name, builder.createTBAARoot(name));
  instruction.setMetadata(LLVMContext::MD_tbaa, builder.createTBAAStructTagNode(type, type, 0));
}

bool AccessMark::isOn(const Instruction &instruction) const {
  const MDNode *tag = instruction.getMetadata(LLVMContext::MD_tbaa);
  const auto *type = tag && tag->getNumOperands() ? dyn_cast<MDNode>(tag->getOperand(0)) : nullptr;
  const auto *text =
      type && type->getNumOperands() ? dyn_cast<MDString>(type->getOperand(0)) : nullptr;
  return text && text->getString() == name;
}

void DeferredNote::put(Instruction &instruction, Facts facts) const {
  instruction.setMetadata(kind, nodeOf(Type::getInt32Ty(instruction.getContext()),
                                       {facts.isSame, facts.hasCells, facts.whole}));
}

std::optional<DeferredNote::Facts> DeferredNote::get(const Instruction &instruction) const {
  const MDNode *node = instruction.getMetadata(kind);
  if (!node)
    return std::nullopt;
  return Facts{numberOf(*node, 0) != 0, numberOf(*node, 1) != 0, unsigned(numberOf(*node, 2))};
}

static void putTwo(Instruction &instruction, StringRef kind, uint64_t first, uint64_t second) {
  instruction.setMetadata(kind,
                          nodeOf(Type::getInt64Ty(instruction.getContext()), {first, second}));
}

/// As a structure of two numbers.
template <class Two>
static std::optional<Two> getTwo(const Instruction &instruction, StringRef kind) {
  const MDNode *node = instruction.getMetadata(kind);
  return node ? std::optional(Two{numberOf(*node, 0), numberOf(*node, 1)}) : std::nullopt;
}

void StreamNote::put(Instruction &instruction, Numbers numbers) const {
  putTwo(instruction, kind, numbers.element, numbers.bytes);
}

std::optional<StreamNote::Numbers> StreamNote::get(const Instruction &instruction) const {
  return getTwo<Numbers>(instruction, kind);
}

void NearNote::put(Instruction &instruction, Bytes bytes) const {
  putTwo(instruction, kind, bytes.before, bytes.step);
}

std::optional<NearNote::Bytes> NearNote::get(const Instruction &instruction) const {
  return getTwo<Bytes>(instruction, kind);
}

void ChosenNote::put(Instruction &instruction, unsigned choice, unsigned form) const {
  instruction.setMetadata(kind, nodeOf(Type::getInt32Ty(instruction.getContext()), {choice, form}));
}

std::optional<unsigned> ChosenNote::form(const Instruction &instruction, uint64_t choice) const {
  const MDNode *node = instruction.getMetadata(kind);
  return node && numberOf(*node, 0) == choice ? std::optional<unsigned>(numberOf(*node, 1))
                                              : std::nullopt;
}

void describeProgram(Function &function) {
  function.addFnAttr(Attribute::NoUnwind);
  function.addFnAttr(Attribute::NullPointerIsValid);
}

uint64_t rotatedBits(const Function &function) {
  uint64_t bits = 0;
  function.getFnAttribute(RotatesBits).getValueAsString().getAsInteger(10, bits);
  return bits;
}

void noteRotatedBits(Function &function, uint64_t bits) {
  function.addFnAttr(RotatesBits, std::to_string(std::max(bits, rotatedBits(function))));
}

/// A call on what the lanes of a program have, which gives what is of the type of that.
static CallInst *askLanes(IRBuilder<> &builder, const Twine &name, Value *value) {
  FunctionCallee callee = declare(builder, name.str(), value->getType(), value->getType());
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setConvergent();
  return builder.CreateCall(callee, value);
}

CallInst *emitAllLanes(IRBuilder<> &builder, Value *condition) {
  return askLanes(builder, AllLanesName, condition);
}

CallInst *emitNoLane(IRBuilder<> &builder, Value *condition) {
  return askLanes(builder, NoLaneName, condition);
}

CallInst *emitFirstLane(IRBuilder<> &builder, Value *value) {
  unsigned bits = value->getType()->getIntegerBitWidth();
  return askLanes(builder, FirstLaneName + "i" + Twine(bits), value);
}

CallInst *emitAligned(IRBuilder<> &builder, Value *generic, uint32_t bytes) {
  CallInst *check = call(builder, AlignedName, {generic, builder.getInt32(bytes)});
  check->getCalledFunction()->setDoesNotThrow();
  check->getCalledFunction()->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  return check;
}

void SiteNote::put(Instruction &instruction, const Facts &facts) const {
  LLVMContext &context = instruction.getContext();
  SmallVector<Metadata *, 8> operands;
  for (uint64_t number : {facts.bytes, facts.align, uint64_t(facts.access), uint64_t(facts.space),
                          uint64_t(facts.isVolatile), uint64_t(facts.order), uint64_t(facts.scope),
                          uint64_t(facts.param)})
    operands.push_back(
        ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(context), number)));
  operands.push_back(MDString::get(context, facts.variable));
  instruction.setMetadata(kind, MDNode::get(context, operands));
}

SiteNote::Facts SiteNote::get(const Instruction &instruction) const {
  const MDNode &node = *instruction.getMetadata(kind);
  return {numberOf(node, 0),
          numberOf(node, 1),
          AccessKind(numberOf(node, 2)),
          AccessSpace(numberOf(node, 3)),
          numberOf(node, 4) != 0,
          cast<MDString>(node.getOperand(8))->getString(),
          uint8_t(numberOf(node, 5)),
          AccessScope(numberOf(node, 6)),
          uint8_t(numberOf(node, 7))};
}

void ScopeNote::put(Instruction &instruction, AccessScope scope) const {
  instruction.setMetadata(kind,
                          nodeOf(Type::getInt32Ty(instruction.getContext()), {uint64_t(scope)}));
}

AccessScope ScopeNote::get(const Instruction &instruction) const {
  const MDNode *node = instruction.getMetadata(kind);
  return node ? AccessScope(numberOf(*node, 0)) : AccessScope::System;
}

CallInst *emitCheck(IRBuilder<> &builder, Value *pointer, Value *length, Value *low, Value *bytes) {
  Type *type = builder.getPtrTy(), *number = builder.getInt64Ty();
  FunctionCallee check = declare(builder, CheckName, type, {type, number, type, number});
  cast<Function>(check.getCallee())->setDoesNotThrow();
  return builder.CreateCall(check, {pointer, length, low ? low : Constant::getNullValue(type),
                                    low ? bytes : builder.getInt64(0)});
}

/// Not `willreturn`, so that nobody drops it; convergent and not to be duplicated, so that nobody moves
/// it into other control flow. To memory it does nothing.
static CallInst *emitMarker(IRBuilder<> &builder, StringRef name, ArrayRef<Value *> arguments) {
  CallInst *marker = call(builder, name, arguments);
  Function *function = marker->getCalledFunction();
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setConvergent();
  function->addFnAttr(Attribute::NoDuplicate);
  return marker;
}

CallInst *emitCountBlock(IRBuilder<> &builder, uint32_t number) {
  return emitMarker(builder, CountBlockName, {builder.getInt32(number)});
}

CallInst *emitCountAccess(IRBuilder<> &builder, uint32_t number, Value *pointer) {
  return emitMarker(builder, CountAccessName, {builder.getInt32(number), pointer});
}

CallInst *emitCountLocal(IRBuilder<> &builder, uint32_t number, Value *offset) {
  return emitMarker(builder, CountLocalName, {builder.getInt32(number), offset});
}

CallInst *emitChecked(IRBuilder<> &builder, Value *pointer, Value *checked) {
  CallInst *end = call(builder, CheckedName, {pointer, checked});
  end->getCalledFunction()->setDoesNotThrow();
  return end;
}

CallInst *emitHappened(IRBuilder<> &builder, Value *swapped, Constant *found) {
  CallInst *end = call(builder, HappenedName, {swapped, found});
  end->getCalledFunction()->setDoesNotThrow();
  return end;
}

CallInst *emitShadow(IRBuilder<> &builder, Value *pointer, const ShadowPlace &place) {
  Type *type = builder.getPtrTy(), *number = builder.getInt64Ty();
  FunctionCallee shadow =
      declare(builder, ShadowName, type, {type, number, number, number, type, builder.getInt1Ty()});
  auto *function = cast<Function>(shadow.getCallee());
  function->setDoesNotThrow();
  function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  return builder.CreateCall(shadow, {pointer, place.low, place.bytes, place.distance, place.other,
                                     builder.getInt1(place.asks)});
}

CallInst *emitUninitialized(IRBuilder<> &builder, Value *bad, Value *pointer) {
  CallInst *check = call(builder, UninitializedName, {bad, pointer});
  check->getCalledFunction()->setDoesNotThrow();
  check->getCalledFunction()->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  return check;
}

CallInst *emitShadowCopy(IRBuilder<> &builder, Value *to, Value *from, Value *bytes) {
  CallInst *copy = call(builder, ShadowCopyName, {to, from, bytes});
  copy->getCalledFunction()->setDoesNotThrow();
  return copy;
}

bool isFloatCheck(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && call->getCalledFunction() &&
         call->getCalledFunction()->getName().starts_with(FloatCheckName);
}

CallInst *emitOnStack(IRBuilder<> &builder, Value *generic) {
  return builder.CreateCall(declare(builder, OnStackName, builder.getInt1Ty(), generic->getType()),
                            generic);
}

CallInst *emitFetch(IRBuilder<> &builder, Value *address, Value *step, uint64_t bytes) {
  return call(builder, FetchName, {address, step, builder.getInt64(bytes)});
}

CallInst *emitPoll(IRBuilder<> &builder) { return call(builder, PollName); }

CallInst *emitYield(IRBuilder<> &builder) { return call(builder, YieldName); }

CallInst *emitInCluster(IRBuilder<> &builder) { return call(builder, InClusterName); }

CallInst *emitSuspend(IRBuilder<> &builder) { return call(builder, SuspendName); }

bool isSuspend(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == SuspendName;
}

CallInst *emitFrameSize(IRBuilder<> &builder, Value *bytes, Value *align) {
  return call(builder, FrameSizeName, {bytes, align});
}

} // namespace heddle::simt
