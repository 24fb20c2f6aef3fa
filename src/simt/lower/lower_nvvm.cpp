// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/lower_nvvm.h"

#include "base/image/module_image.h"
#include "simt/analysis/intrinsics.h"
#include "simt/lower/float_checks.h"
#include "simt/lower/lower_intrinsic.h"
#include "simt/lower/lower_small_floats.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

class NvvmLowering {
public:
  NvvmLowering(Function &function, const Options &options, bool hasHalves)
      : function_(function), options_(options), hasHalves_(hasHalves) {}

  void contract();

  Error run() {
    if (options_.isOptimised())
      joinRemainders();
    for (Instruction &instruction : make_early_inc_range(instructions(function_))) {
      if (auto *call = dyn_cast<CallInst>(&instruction)) {
        if (Error error = visitCall(*call))
          return error;
      } else if (auto *binary = dyn_cast<BinaryOperator>(&instruction)) {
        visitBinary(*binary);
      } else if (isa<FPToSIInst>(instruction) || isa<FPToUIInst>(instruction)) {
        visitFloatToInt(instruction, cast<CastInst>(instruction).getOpcode());
      }
    }
    if (!(options_.compileOptions & OptionNoContract))
      contract();
    if (options_.checks & CheckFloat)
      checkSmallFloats(function_);
    lowerSmallFloats(function_, hasHalves_);
    return Error::success();
  }

private:
  void joinRemainders();
  Error visitCall(CallInst &);
  void visitBinary(BinaryOperator &);
  void visitFloatToInt(Instruction &, Instruction::CastOps);
  bool contractOne(BinaryOperator &);

  void replace(Instruction &old, Value *now) {
    if (auto *instruction = dyn_cast<Instruction>(now); instruction && !instruction->getDebugLoc())
      instruction->setDebugLoc(old.getDebugLoc());
    old.replaceAllUsesWith(now);
    old.eraseFromParent();
  }

  Function &function_;
  const Options &options_;
  bool hasHalves_;
};

/// An empty asm hands each operand that it may change ("+r") on. What it only writes is anything.
///   %y = call i32 asm "", "=r,0"(i32 %x)   ->   %x for %y
Value *resultOfEmptyAsm(CallInst &call) {
  InlineAsm::ConstraintInfoVector constraints =
      cast<InlineAsm>(call.getCalledOperand())->ParseConstraints();
  SmallVector<Value *> arguments; // of each constraint
  unsigned next = 0;
  for (const InlineAsm::ConstraintInfo &constraint : constraints)
    arguments.push_back(constraint.hasArg() ? call.getArgOperand(next++) : nullptr);
  auto *structure = dyn_cast<StructType>(call.getType());
  Value *result = Constant::getNullValue(call.getType());
  IRBuilder<> builder(&call);
  unsigned field = 0;
  for (const InlineAsm::ConstraintInfo &constraint : constraints) {
    if (constraint.Type != InlineAsm::isOutput || constraint.isIndirect)
      continue;
    Value *tied = constraint.hasMatchingInput() ? arguments[constraint.MatchingInput] : nullptr;
    Type *type = structure ? structure->getElementType(field) : call.getType();
    if (tied && tied->getType() == type)
      result = structure ? builder.CreateInsertValue(result, tied, field) : tied;
    ++field;
  }
  return result;
}

Error NvvmLowering::visitCall(CallInst &call) {
  if (call.isInlineAsm()) {          // without instructions: the front end has replaced all others
    if (!call.getType()->isVoidTy()) // an empty asm is a compiler barrier
      call.replaceAllUsesWith(resultOfEmptyAsm(call));
    StringRef constraints = cast<InlineAsm>(call.getCalledOperand())->getConstraintString();
    if (constraints.contains("~{memory}")) // matters in loops that poll (polls.h)
      new FenceInst(call.getContext(), AtomicOrdering::SequentiallyConsistent,
                    SyncScope::SingleThread, call.getIterator());
    call.eraseFromParent();
    return Error::success();
  }
  Function *callee = call.getCalledFunction();
  IRBuilder<> builder(&call);
  if (callee && callee->getName() == "__heddle_int_of") // src/devlib/native.h
    replace(call, builder.CreateFPToSI(call.getArgOperand(0), call.getType()));
  if (!callee || !callee->isIntrinsic())
    return Error::success();
  if (Intrinsic::ID id = callee->getIntrinsicID();
      id == Intrinsic::fptosi_sat || id == Intrinsic::fptoui_sat) {
    visitFloatToInt(call, id == Intrinsic::fptosi_sat ? Instruction::FPToSI : Instruction::FPToUI);
    return Error::success();
  }
  if (Value *value = lowerIntrinsic(call, builder)) {
    replace(call, value);
    return Error::success();
  }
  if (callee->getName().starts_with("llvm.nvvm.") && callKind(call) == CallKind::Unknown)
    return errorAt(call, "'" + callee->getName() + "' is not supported on the CPU");
  return Error::success();
}

/// What clang has taken apart where a kernel needs both `i / w` and `i % w`: as a remainder its
/// range is known, and it goes straight where quotients are the same (version_clamps.cpp).
///   sub %i, (mul (sdiv %i, %w), %w)   ->   srem %i, %w
void NvvmLowering::joinRemainders() {
  for (Instruction &instruction : make_early_inc_range(instructions(function_))) {
    auto *whole = dyn_cast<BinaryOperator>(&instruction);
    Value *number = nullptr, *divisor = nullptr, *quotient = nullptr;
    if (!whole || !whole->getType()->isIntegerTy() ||
        !match(whole, m_Sub(m_Value(number),
                            m_c_Mul(m_CombineAnd(m_IDiv(m_Deferred(number), m_Value(divisor)),
                                                 m_Value(quotient)),
                                    m_Deferred(divisor)))) ||
        isa<Constant>(divisor))
      continue;
    bool isSigned = cast<BinaryOperator>(quotient)->getOpcode() == Instruction::SDiv;
    IRBuilder<> builder(whole);
    replace(*whole,
            isSigned ? builder.CreateSRem(number, divisor) : builder.CreateURem(number, divisor));
  }
}

/// Integer division by zero gives all ones and the remainder the dividend, as the hardware's
/// software division does; INT_MIN / -1 wraps. Shifts by the width or more give 0 or the sign (PTX
/// ISA, shl and shr).
void NvvmLowering::visitBinary(BinaryOperator &op) {
  Value *left = op.getOperand(0), *right = op.getOperand(1);
  Type *type = op.getType();
  if (isa<Constant>(right) || !type->isIntOrIntVectorTy())
    return;
  IRBuilder<> builder(&op);
  unsigned bits = type->getScalarSizeInBits();
  switch (op.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem: {
    bool isSigned = op.getOpcode() == Instruction::SDiv || op.getOpcode() == Instruction::SRem;
    bool isRemainder = op.getOpcode() == Instruction::URem || op.getOpcode() == Instruction::SRem;
    // Whether that applies is up to the divisor alone: one that is the same in all lanes stays so.
    Value *one = ConstantInt::get(type, 1);
    Value *zero = builder.CreateICmpEQ(right, ConstantInt::get(type, 0)), *unsafe = zero;
    if (isSigned) // 0 or -1
      unsafe = builder.CreateICmpULT(builder.CreateAdd(right, one), ConstantInt::get(type, 2));
    auto *safe = cast<Instruction>(
        builder.CreateBinOp(op.getOpcode(), left, builder.CreateSelect(unsafe, one, right)));
    Value *result = safe;
    if (isSigned && !isRemainder)
      result = builder.CreateSelect(unsafe, builder.CreateNeg(left), safe);
    Value *byZero = isRemainder ? left : Constant::getAllOnesValue(type);
    result = builder.CreateSelect(zero, byZero, result);
    if (isNotedFloat(op))
      result = checkWhere(builder, result, FloatOperation::IntegerDivide, zero, {left});
    replace(op, result);
    return;
  }
  case Instruction::Shl:
  case Instruction::LShr: {
    Value *inRange = builder.CreateICmpULT(right, ConstantInt::get(type, bits));
    Value *amount = builder.CreateAnd(right, ConstantInt::get(type, bits - 1));
    if (!isPowerOf2_32(bits))
      return;
    Value *shifted = op.getOpcode() == Instruction::Shl ? builder.CreateShl(left, amount)
                                                        : builder.CreateLShr(left, amount);
    replace(op, builder.CreateSelect(inRange, shifted, ConstantInt::get(type, 0)));
    return;
  }
  case Instruction::AShr: {
    Value *amount =
        builder.CreateBinaryIntrinsic(Intrinsic::umin, right, ConstantInt::get(type, bits - 1));
    replace(op, builder.CreateAShr(left, amount));
    return;
  }
  default:
    return;
  }
}

/// Whether the integer type has the number, without its fraction.
Value *isInRange(IRBuilder<> &builder, Value *source, Type *to, bool isSigned) {
  const fltSemantics &semantics = source->getType()->getScalarType()->getFltSemantics();
  unsigned bits = to->getScalarSizeInBits();
  APFloat end(semantics), first(semantics, isSigned ? "-1" : "0");
  end = scalbn(APFloat(semantics, "1"), int(isSigned ? bits - 1 : bits),
               APFloat::rmNearestTiesToEven); // one more than the last
  if (isSigned)
    first = neg(end);
  // A number between -1 and 0 becomes 0.
  APFloat before = first;
  before.subtract(APFloat(semantics, "1"), APFloat::rmTowardZero);
  bool isExact = before.compare(first) != APFloat::cmpEqual;
  Value *isBehindFirst =
      isExact ? builder.CreateFCmpOGT(source, ConstantFP::get(source->getType(), before))
              : builder.CreateFCmpOGE(source, ConstantFP::get(source->getType(), first));
  return builder.CreateAnd(isBehindFirst,
                           builder.CreateFCmpOLT(source, ConstantFP::get(source->getType(), end)));
}

/// Out of range saturates. NaN gives 0, or the highest bit alone if source or destination has 64
/// bits (PTX ISA, cvt). Types below 32 bits go through 32. Made of comparisons and not of LLVM's
/// saturating conversions, which back ends take lane by lane; what is out of range is not selected.
/// Those conversions become the same: of each type, and NaN gives 0.
void NvvmLowering::visitFloatToInt(Instruction &cast, Instruction::CastOps operation) {
  IRBuilder<> builder(&cast);
  Value *source = cast.getOperand(0);
  Type *type = cast.getType(), *from = source->getType();
  const bool isLlvms = isa<CallInst>(cast);
  Type *to = !isLlvms && type->getScalarSizeInBits() < 32 ? type->getWithNewBitWidth(32) : type;
  unsigned bits = to->getScalarSizeInBits();
  bool isSigned = operation == Instruction::FPToSI;
  APInt least = isSigned ? APInt::getSignedMinValue(bits) : APInt::getZero(bits);
  APInt most = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  auto asFloat = [&](const APInt &number) { // or the next one towards zero
    APFloat result(from->getScalarType()->getFltSemantics());
    result.convertFromAPInt(number, isSigned, APFloat::rmTowardZero);
    return ConstantFP::get(from, result);
  };
  Value *isAbove = builder.CreateFCmpOGT(source, asFloat(least));
  Value *bounded = builder.CreateSelect(isAbove, source, asFloat(least)); // NaN too
  Value *number = builder.CreateCast(operation, bounded, to);
  number = builder.CreateSelect(builder.CreateFCmpOGT(source, asFloat(most)),
                                ConstantInt::get(to, most), number);
  bool isWide = !isLlvms && (bits == 64 || from->getScalarSizeInBits() == 64);
  APInt ofNaN = isWide ? APInt::getSignMask(bits) : APInt::getZero(bits);
  if (ofNaN != least)
    number = builder.CreateSelect(builder.CreateFCmpUNO(source, source),
                                  ConstantInt::get(to, ofNaN), number);
  number = builder.CreateTrunc(number, type);
  if (isNotedFloat(cast))
    number = checkWhere(builder, number, FloatOperation::ToInteger,
                        builder.CreateNot(isInRange(builder, source, type, isSigned)), {source});
  replace(cast, number);
}

/// Whether results may differ in their last bits anyway: fast math, estimates.
static bool isApproximate(const FPMathOperator &op) {
  return op.hasAllowReassoc() || op.hasAllowReciprocal() || op.hasApproxFunc();
}

/// A sum or difference that may be fused with a product.
static bool isSum(const User &user) {
  const auto *sum = dyn_cast<BinaryOperator>(&user);
  return sum && is_contained({Instruction::FAdd, Instruction::FSub}, sum->getOpcode()) &&
         sum->hasAllowContract();
}

/// a * b + c as one rounding where clang's `contract` flags allow it (nvcc's default -fmad=true).
/// Done here and not in the code generator so that all widths and CPUs give the same bits.
///
/// As in ptxas, a product that something else needs, too, stays one: its users see one number.
///   g = a * b;  h = c * d;  max(g, h) == g ? g - h : ...       no -0x1p-30 where both are the same
///
/// The permission ends here. LLVM's folds make operations anew with the flags of one of the old:
/// of a `contract` difference and a product without, __fmul_rn's, InstCombine makes
///   fsub contract %x, (fmul (fneg %y), %z)   ->   fadd contract %x, (fmul contract %y, %z)
/// which the code generator would fuse.
void NvvmLowering::contract() {
  for (Instruction &instruction : make_early_inc_range(instructions(function_))) {
    if (isSum(instruction))
      contractOne(cast<BinaryOperator>(instruction));
  }
  for (Instruction &instruction : instructions(function_))
    if (auto *op = dyn_cast<FPMathOperator>(&instruction); op && !isApproximate(*op))
      instruction.setHasAllowContract(false);
}

bool NvvmLowering::contractOne(BinaryOperator &op) {
  auto product = [](Value *value) -> BinaryOperator * {
    auto *binary = dyn_cast<BinaryOperator>(value);
    bool isProduct =
        binary && binary->getOpcode() == Instruction::FMul && binary->hasAllowContract();
    return isProduct && all_of(binary->users(),
                               [&](const User *user) {
                                 return isSum(*user) &&
                                        cast<Instruction>(user)->getParent() == binary->getParent();
                               })
               ? binary
               : nullptr;
  };
  bool subtract = op.getOpcode() == Instruction::FSub;
  BinaryOperator *left = product(op.getOperand(0)), *right = product(op.getOperand(1));
  if (left && right && left->getNumUses() > right->getNumUses())
    left = nullptr;
  BinaryOperator *chosen = left ? left : right;
  if (!chosen)
    return false;
  IRBuilder<> builder(&op);
  builder.setFastMathFlags(op.getFastMathFlags());
  Value *a = chosen->getOperand(0), *b = chosen->getOperand(1);
  Value *c = chosen == left ? op.getOperand(1) : op.getOperand(0);
  if (subtract && chosen == left)
    c = builder.CreateFNeg(c);
  else if (subtract)
    a = builder.CreateFNeg(a);
  Value *fused = builder.CreateIntrinsic(Intrinsic::fma, op.getType(), {a, b, c});
  if (isNotedFloat(op) && isa<Instruction>(fused))
    copyFloatNote(op, *cast<Instruction>(fused));
  replace(op, fused);
  if (chosen->use_empty())
    chosen->eraseFromParent();
  return true;
}

} // namespace

Error lowerNvvm(Function &function, const Options &options, bool hasHalves) {
  return NvvmLowering(function, options, hasHalves).run();
}

void contractProducts(Function &function) {
  Options none;
  NvvmLowering(function, none, false).contract();
}

/// Arithmetic of one element type: what rounds.
static bool isArithmetic(const Instruction &instruction, bool (Type::*kind)() const) {
  if (!(instruction.getType()->getScalarType()->*kind)())
    return false;
  if (const auto *call = dyn_cast<CallInst>(&instruction))
    return is_contained({Intrinsic::fma, Intrinsic::fmuladd, Intrinsic::sqrt},
                        call->getIntrinsicID());
  return is_contained({Instruction::FAdd, Instruction::FSub, Instruction::FMul, Instruction::FDiv,
                       Instruction::FRem},
                      instruction.getOpcode());
}

bool computesInDouble(const Function &function) {
  return any_of(instructions(function),
                [](const Instruction &i) { return isArithmetic(i, &Type::isDoubleTy); });
}

static Value *flushed(IRBuilder<> &builder, Value *value) {
  Value *smallest =
      ConstantFP::get(value->getType(), APFloat::getSmallestNormalized(APFloat::IEEEsingle()));
  Value *magnitude = builder.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  Value *zero = builder.CreateBinaryIntrinsic(Intrinsic::copysign,
                                              ConstantFP::get(value->getType(), 0.0), value);
  return builder.CreateSelect(builder.CreateFCmpOLT(magnitude, smallest), zero, value);
}

void flushDenormals(Function &function) {
  SmallVector<Instruction *, 32> arithmetic;
  for (Instruction &instruction : instructions(function))
    if (isArithmetic(instruction, &Type::isFloatTy))
      arithmetic.push_back(&instruction);
  for (Instruction *instruction : arithmetic) {
    IRBuilder<> before(instruction);
    for (Use &operand : instruction->operands())
      if (operand->getType()->getScalarType()->isFloatTy() && !isa<Constant>(operand) &&
          !is_contained(arithmetic, operand.get()))
        operand.set(flushed(before, operand));
    SmallVector<Use *, 4> uses;
    for (Use &use : instruction->uses())
      uses.push_back(&use);
    IRBuilder<> after(instruction->getNextNode());
    Value *result = flushed(after, instruction);
    for (Use *use : uses)
      use->set(result);
  }
}

} // namespace heddle::simt
