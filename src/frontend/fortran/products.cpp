// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a * b + c with one rounding needs to know (simt/lower/lower_nvvm.cpp makes it).
//
// x**2 is a product as x * x is. MLIR's pattern for it forgets that it may be contracted, so it is
// expanded here:
//
//   math.fpowi %x, 3 fastmath<contract>  ->  %2 = arith.mulf %x, %x fastmath<contract>; arith.mulf %x, %2 ...
//
// Of two products one is rounded by itself. A Fortran expression is evaluated from left to right,
// so that is the left one, and the right one is added to it: x**2 + y**2 is fma(y, y, x * x), as
// the count of CUDA Fortran for Scientists and Engineers, 5.2.1 has it. (Of CUDA C++ nvcc fuses
// the left one.)
//
//   fadd contract (fmul contract %x, %x), (fmul contract %y, %y)
//     ->  llvm.fma(%y, %y, (fmul contract %x, %x))
//
// It is done at once, for other statements may use the same products.
#include "frontend/fortran/products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

/// The exponent of a power that is a few products; 0 if it is another one.
unsigned productsOf(Operation *power) {
  constexpr int64_t Most = 8; // as MLIR's pattern has it
  APInt integer;
  APFloat real(0.0);
  if (isa<math::FPowIOp>(power) && matchPattern(power->getOperand(1), m_ConstantInt(&integer)))
    return integer.sgt(1) && integer.sle(Most) ? static_cast<unsigned>(integer.getZExtValue()) : 0;
  if (isa<math::PowFOp>(power) && matchPattern(power->getOperand(1), m_ConstantFloat(&real)))
    return real.isExactlyValue(2.0) ? 2 : real.isExactlyValue(3.0) ? 3 : 0;
  return 0;
}

struct PowersPass : PassWrapper<PowersPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PowersPass)

  StringRef getArgument() const override { return "heddle-fortran-powers"; }

  void runOnOperation() override {
    getOperation().walk([](Operation *power) {
      if (unsigned exponent = productsOf(power))
        expand(power, exponent);
    });
  }

  static void expand(Operation *power, unsigned exponent) {
    OpBuilder builder(power);
    Value base = power->getOperand(0), result = base;
    auto flags = cast<arith::ArithFastMathInterface>(power).getFastMathFlagsAttr();
    for (unsigned i = 1; i < exponent; ++i)
      result = arith::MulFOp::create(builder, power->getLoc(), base, result, flags);
    power->replaceAllUsesWith(ValueRange(result));
    power->erase();
  }
};

bool isProduct(llvm::Value *value) {
  auto *product = llvm::dyn_cast<llvm::BinaryOperator>(value);
  return product && product->getOpcode() == llvm::Instruction::FMul && product->hasAllowContract();
}

bool isSum(const llvm::BinaryOperator &op) {
  return (op.getOpcode() == llvm::Instruction::FAdd || op.getOpcode() == llvm::Instruction::FSub) &&
         op.hasAllowContract();
}

void fuseRight(llvm::BinaryOperator &sum) {
  auto *right = llvm::cast<llvm::BinaryOperator>(sum.getOperand(1));
  llvm::IRBuilder<> builder(&sum);
  builder.setFastMathFlags(sum.getFastMathFlags());
  llvm::Value *factor = right->getOperand(0);
  if (sum.getOpcode() == llvm::Instruction::FSub)
    factor = builder.CreateFNeg(factor);
  sum.replaceAllUsesWith(builder.CreateIntrinsic(
      llvm::Intrinsic::fma, sum.getType(), {factor, right->getOperand(1), sum.getOperand(0)}));
  sum.eraseFromParent();
  if (right->use_empty())
    right->eraseFromParent();
}

} // namespace

std::unique_ptr<Pass> createPowersPass() { return std::make_unique<PowersPass>(); }

void fuseRightProducts(llvm::Module &device) {
  for (llvm::Function &function : device)
    for (llvm::Instruction &op : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(&op);
      if (sum && isSum(*sum) && isProduct(sum->getOperand(0)) && isProduct(sum->getOperand(1)))
        fuseRight(*sum);
    }
}

} // namespace heddle::fortran
