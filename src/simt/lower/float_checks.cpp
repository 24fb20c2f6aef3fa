// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where do a NaN, an infinity or a number that is none of the program's come from?
//
//     %q = fdiv float %a, %b     ->   %r = fdiv float %a, %b
//                                     %q = call float @heddle.float(%r, Division, true, %a, %b)
//
// Of a call of the library its result counts and not what happens inside. So operations are noted
// before functions are inlined, in functions of the program, and on lines that are not in our
// headers; results of calls are looked at then. Products and sums become one later, and are looked
// at behind that.
//
// What was not asked for. Compilers compute ahead what one arm of a branch wants:
//
//     q = b != 0 ? a / b : 0     ->   %r = fdiv %a, %b;  %q = select %c, %r, 0
//
// An operation counts where its result is used: under the conditions of the selects that take it,
// and, where all uses are in other blocks, in the block that dominates them. If that cannot be said
// there, nothing is.
//
// Of __half and the like our headers' operators are the program's own operations. Their conversions
// are computed with integers; headers say themselves which number a type does not have
// (include/heddle/small_float.h).
#include "simt/lower/float_checks.h"

#include "base/source/tool_files.h"
#include "frontend/locations.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr Mark NotedFloat{{"heddle.float-operation"}};

bool isOfLibrary(const Function &function) {
  return function.getName().starts_with("__nv_") || function.getName().starts_with("__heddle_");
}

bool isSmall(const Type *type) {
  return type->getScalarType()->isHalfTy() || type->getScalarType()->isBFloatTy();
}

bool isFloat(const Type *type) { return type->isFloatTy() || type->isDoubleTy(); }

bool isInProgram(const Instruction &instruction) {
  const DILocation *at = instruction.getDebugLoc().get();
  return at && at->getLine() && !isToolFile(frontend::fileOf(*at));
}

/// The arithmetic of our types __half and __nv_bfloat16, which is the program's own.
bool isOfSmallTypes(const Instruction &instruction) {
  const DILocation *at = instruction.getDebugLoc().get();
  return at && at->getInlinedAt() && StringRef(frontend::fileOf(*at)).ends_with("/small_float.inc");
}

std::optional<FloatOperation> operationOf(const Instruction &instruction) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == Intrinsic::fma ? std::optional(FloatOperation::Fma)
                                                    : std::nullopt;
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
    return FloatOperation::Add;
  case Instruction::FSub:
    return FloatOperation::Subtract;
  case Instruction::FMul:
    return FloatOperation::Multiply;
  case Instruction::FDiv:
    return FloatOperation::Divide;
  case Instruction::FPTrunc:
    return FloatOperation::Narrow;
  default:
    return std::nullopt;
  }
}

bool isIntegerCase(const Instruction &instruction) {
  return isa<FPToSIInst, FPToUIInst>(instruction) ||
         (isa<BinaryOperator>(instruction) && cast<BinaryOperator>(instruction).isIntDivRem());
}

bool isNoted(const Instruction &instruction) {
  if (isIntegerCase(instruction))
    return isInProgram(instruction);
  if (!operationOf(instruction))
    return false;
  if (isSmall(instruction.getType()) && !isa<FPTruncInst>(instruction))
    return isInProgram(instruction) || isOfSmallTypes(instruction);
  return isFloat(instruction.getType()) &&
         (isInProgram(instruction) ||
          (isOfSmallTypes(instruction) && instruction.getOpcode() == Instruction::FDiv));
}

/// A function of the mathematical library, whose result may be no number.
bool isMathCall(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !isFloat(call.getType()) ||
      none_of(call.args(), [](const Use &use) { return isFloat(use->getType()); }))
    return false;
  switch (callee->getIntrinsicID()) {
  case Intrinsic::sqrt:
  case Intrinsic::exp:
  case Intrinsic::exp2:
  case Intrinsic::log:
  case Intrinsic::log2:
  case Intrinsic::log10:
  case Intrinsic::pow:
    return true;
  default:
    return callee->getName().starts_with("__nv_");
  }
}

CallInst *emitFloat(IRBuilder<> &builder, Value *value, FloatOperation operation, Value *condition,
                    ArrayRef<Value *> operands) {
  SmallVector<Value *, 6> arguments = {value, builder.getInt32(uint32_t(operation)), condition};
  append_range(arguments, operands.take_front(MostFloatOperands));
  SmallVector<Type *, 6> types;
  std::string name = FloatCheckName.str();
  for (Value *argument : arguments) {
    types.push_back(argument->getType());
    raw_string_ostream(name) << '.' << *argument->getType();
  }
  Module &module = *builder.GetInsertBlock()->getModule();
  FunctionCallee check =
      module.getOrInsertFunction(name, FunctionType::get(value->getType(), types, false));
  auto *function = cast<Function>(check.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return builder.CreateCall(check, arguments);
}

void checkCall(CallInst &call) {
  IRBuilder<> builder(call.getNextNode());
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  SmallVector<Value *, 3> operands;
  for (Value *argument : call.args())
    if (isFloat(argument->getType()))
      operands.push_back(argument);
  StringRef name = call.getCalledFunction()->getName();
  bool divides = operands.size() == 2 && (name.contains("div_r") || name.contains("fdividef"));
  CallInst *check =
      emitFloat(builder, &call, divides ? FloatOperation::Divide : FloatOperation::Call,
                builder.getTrue(), operands);
  call.replaceUsesWithIf(check, [&](Use &use) { return use.getUser() != check; });
}

/// Where a result is used: null for always, nothing if that is not known.
class Need {
public:
  Need(Instruction &place, DominatorTree &dominators) : place_(place), dominators_(dominators) {}

  std::optional<Value *> of(Instruction &value, unsigned depth = 6) {
    std::optional<Value *> any = nullptr;
    for (User *user : value.users()) {
      auto need = ofUse(value, *cast<Instruction>(user), depth);
      if (need && !*need)
        return need; // whatever the others say
      if (!need || !any)
        any = std::nullopt;
      else
        any = *any ? builder().CreateOr(*any, *need) : *need;
    }
    return any;
  }

private:
  std::optional<Value *> ofUse(Instruction &value, Instruction &user, unsigned depth) {
    if (auto *select = dyn_cast<SelectInst>(&user); select && select->getCondition() != &value) {
      Value *condition = select->getCondition();
      if (!dominators_.dominates(condition, &place_) || !condition->getType()->isIntegerTy(1))
        return std::nullopt;
      auto outer = depth ? of(*select, depth - 1) : std::nullopt;
      if (!outer)
        return std::nullopt;
      if (select->getTrueValue() != &value)
        condition = builder().CreateNot(condition);
      return *outer ? builder().CreateAnd(condition, *outer) : condition;
    }
    bool isPure = isa<BinaryOperator, UnaryOperator, CastInst, CmpInst>(user) ||
                  (isa<IntrinsicInst>(user) && !user.mayReadOrWriteMemory()) || isFloatCheck(user);
    if (!isPure || user.use_empty())
      return nullptr;
    return depth ? of(user, depth - 1) : std::nullopt;
  }
  IRBuilder<> &builder() {
    if (!builder_)
      builder_.emplace(&place_);
    return *builder_;
  }

  Instruction &place_;
  DominatorTree &dominators_;
  std::optional<IRBuilder<>> builder_;
};

/// In front of which instruction a result can be looked at, at the latest.
Instruction *placeFor(Instruction &value, DominatorTree &dominators) {
  BasicBlock *block = nullptr;
  for (Use &use : value.uses()) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    BasicBlock *at = phi ? phi->getIncomingBlock(use) : user->getParent();
    block = block ? dominators.findNearestCommonDominator(block, at) : at;
  }
  if (!block || block == value.getParent())
    return value.getNextNode();
  return &*block->getFirstInsertionPt();
}

void checkOne(Instruction &value, DominatorTree &dominators) {
  FloatOperation operation = *operationOf(value);
  SmallVector<Value *, 3> operands(value.operands());
  if (auto *call = dyn_cast<CallInst>(&value))
    operands.assign(call->arg_begin(), call->arg_end());
  if (value.use_empty())
    return;
  Instruction *place = placeFor(value, dominators);
  auto need = Need(*place, dominators).of(value);
  if (!need)
    return;
  IRBuilder<> builder(place);
  builder.SetCurrentDebugLocation(value.getDebugLoc());
  CallInst *check =
      emitFloat(builder, &value, operation, *need ? *need : builder.getTrue(), operands);
  value.replaceUsesWithIf(check, [&](Use &use) { return use.getUser() != check; });
}

/// A conversion or division that was looked at where it was.
void moveCheck(CallInst &check, DominatorTree &dominators) {
  if (check.use_empty())
    return;
  Instruction *place = placeFor(check, dominators);
  if (place->getParent() != check.getParent())
    check.moveBefore(place->getIterator());
  auto need = Need(check, dominators).of(check);
  Value *condition = check.getArgOperand(FloatCheckCondition);
  IRBuilder<> builder(&check);
  if (!need)
    check.setArgOperand(FloatCheckCondition, builder.getFalse());
  else if (*need)
    check.setArgOperand(FloatCheckCondition, builder.CreateAnd(condition, *need));
}

} // namespace

void noteFloats(Module &module) {
  SmallVector<CallInst *, 16> calls;
  for (Function &function : module)
    if (!function.isDeclaration() && !isOfLibrary(function))
      for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallInst>(&instruction);
        if (call && isMathCall(*call))
          calls.push_back(call);
        else if (isNoted(instruction))
          NotedFloat.put(instruction);
      }
  for_each(calls, [](CallInst *call) { checkCall(*call); });
}

void lowerNarrowed(Module &module, bool checks) {
  Function *narrowed = module.getFunction("__heddle_narrowed");
  if (!narrowed)
    return;
  for (User *user : make_early_inc_range(narrowed->users())) {
    auto *call = cast<CallInst>(user);
    Value *number = call->getArgOperand(0);
    auto *type = dyn_cast<ConstantInt>(call->getArgOperand(2));
    if (checks && type) {
      IRBuilder<> builder(call);
      auto operation = FloatOperation(uint64_t(FloatOperation::ToHalf) + type->getZExtValue());
      number = emitFloat(builder, number, operation, call->getArgOperand(1), number);
    }
    call->replaceAllUsesWith(number);
    call->eraseFromParent();
  }
  narrowed->eraseFromParent();
}

namespace {

void checkSmall(Instruction &value) {
  IRBuilder<> builder(value.getNextNode());
  builder.SetCurrentDebugLocation(value.getDebugLoc());
  SmallVector<Value *, 3> operands;
  for (Value *operand : value.operands())
    if (isSmall(operand->getType()))
      operands.push_back(operand);
  CallInst *check = emitFloat(builder, &value, *operationOf(value), builder.getTrue(), operands);
  value.replaceUsesWithIf(check, [&](Use &use) { return use.getUser() != check; });
}

/// An operation of each element in place of one of vectors.
SmallVector<Instruction *, 4> apart(Instruction &value) {
  auto *type = dyn_cast<FixedVectorType>(value.getType());
  if (!type)
    return {&value};
  SmallVector<Instruction *, 4> parts;
  IRBuilder<> builder(&value);
  Value *whole = PoisonValue::get(type);
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    SmallVector<Value *, 3> operands;
    for (Value *operand : value.operands())
      if (operand->getType()->isVectorTy())
        operands.push_back(builder.CreateExtractElement(operand, i));
    Value *part = isa<CallInst>(value)
                      ? builder.CreateIntrinsic(Intrinsic::fma, {type->getElementType()}, operands)
                      : builder.CreateBinOp(cast<BinaryOperator>(value).getOpcode(), operands[0],
                                            operands[1]);
    if (auto *instruction = dyn_cast<Instruction>(part))
      parts.push_back(instruction);
    whole = builder.CreateInsertElement(whole, part, i);
  }
  value.replaceAllUsesWith(whole);
  value.eraseFromParent();
  return parts;
}

} // namespace

void checkSmallFloats(Function &function) {
  SmallVector<Instruction *, 16> noted;
  for (Instruction &instruction : instructions(function))
    if (NotedFloat.isOn(instruction) && operationOf(instruction) && isSmall(instruction.getType()))
      noted.push_back(&instruction);
  for (Instruction *instruction : noted)
    for (Instruction *part : apart(*instruction))
      checkSmall(*part);
}

bool isNotedFloat(const Instruction &instruction) { return NotedFloat.isOn(instruction); }

void copyFloatNote(const Instruction &from, Instruction &to) { NotedFloat.copy(from, to); }

Value *checkWhere(IRBuilder<> &builder, Value *value, FloatOperation operation, Value *isBad,
                  ArrayRef<Value *> operands) {
  return emitFloat(builder, value, operation, isBad, operands);
}

static bool isNarrowing(const CallInst &check) {
  return FloatOperation(cast<ConstantInt>(check.getArgOperand(1))->getZExtValue()) >=
         FloatOperation::ToHalf;
}

void checkFloats(Function &function) {
  DominatorTree dominators(function);
  SmallVector<Instruction *, 32> noted;
  SmallVector<CallInst *, 8> checks;
  for (Instruction &instruction : instructions(function)) {
    if (NotedFloat.isOn(instruction) && operationOf(instruction) && isFloat(instruction.getType()))
      noted.push_back(&instruction);
    auto *call = dyn_cast<CallInst>(&instruction);
    if (call && isFloatCheck(*call) && (!isFloat(call->getType()) || isNarrowing(*call)))
      checks.push_back(call);
  }
  for (Instruction *instruction : noted)
    checkOne(*instruction, dominators);
  for (CallInst *check : checks)
    moveCheck(*check, dominators);
}

} // namespace heddle::simt
