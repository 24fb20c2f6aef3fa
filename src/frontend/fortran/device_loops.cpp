// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DO loops of device code. Flang counts trips: (upper - lower + step) / step of them, in 64 bits.
// In a kernel, whose bounds go by the thread, that is a division for each thread, and nothing that
// comes later sees from which index to which a thread works. So a loop whose step's sign is known
// is written as it is in C++:
//
//   for (index = lower; index <= upper; index += step)
//
// The index must not overflow at the end. Bounds are 32 bits wide most often and the index has 64;
// ranges of what bounds are made of tell. They also tell where the index fits into the DO
// variable, whose conversions then keep the value, so that addresses are affine in the thread.
// Other loops, and all that is not a loop, are left to Flang.
#include "frontend/fortran/device_loops.h"

#include "flang/Optimizer/Dialect/FIRDialect.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

#include "llvm/IR/ConstantRange.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::fortran {

using namespace mlir;
using llvm::APInt;
using llvm::ConstantRange;

namespace {

constexpr unsigned Bits = 64; ///< of the ranges, which are read as signed

/// From `low` to `high`, both within.
ConstantRange range(int64_t low, int64_t high) {
  return ConstantRange::getNonEmpty(APInt(Bits, low, /*isSigned=*/true),
                                    APInt(Bits, high, /*isSigned=*/true) + 1);
}

ConstantRange rangeOf(Type type) {
  unsigned bits = type.isIndex() ? Bits : type.getIntOrFloatBitWidth();
  return bits >= Bits ? ConstantRange::getFull(Bits)
                      : range(llvm::minIntN(bits), llvm::maxIntN(bits));
}

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". None for other
/// operations.
std::optional<ConstantRange> rangeOfRegister(Operation *op) {
  if (isa<NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>(op))
    return range(0, 1023);
  if (isa<NVVM::BlockDimXOp, NVVM::BlockDimYOp, NVVM::BlockDimZOp>(op))
    return range(1, 1024);
  if (isa<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(op))
    return range(0, INT32_MAX - 1);
  if (isa<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(op))
    return range(1, INT32_MAX);
  return std::nullopt;
}

ConstantRange rangeOf(Value value);

ConstantRange rangeOfResult(Operation *op) {
  auto operand = [&](unsigned i) { return rangeOf(op->getOperand(i)); };
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return ConstantRange(APInt(Bits, number.getValue().getSExtValue(), /*isSigned=*/true));
  if (isa<arith::AddIOp>(op))
    return operand(0).add(operand(1));
  if (isa<arith::SubIOp>(op))
    return operand(0).sub(operand(1));
  if (isa<arith::MulIOp>(op))
    return operand(0).multiply(operand(1));
  if (isa<arith::DivSIOp>(op))
    return operand(0).sdiv(operand(1));
  if (isa<arith::RemSIOp>(op))
    return operand(0).srem(operand(1));
  if (isa<arith::MaxSIOp>(op))
    return operand(0).smax(operand(1));
  if (isa<arith::MinSIOp>(op))
    return operand(0).smin(operand(1));
  if (isa<arith::SelectOp>(op))
    return operand(1).unionWith(operand(2), ConstantRange::Signed);
  if (isa<fir::ConvertOp, fir::NoReassocOp, arith::IndexCastOp, arith::ExtSIOp>(op) &&
      op->getOperand(0).getType().isIntOrIndex())
    return operand(0);
  return ConstantRange::getFull(Bits);
}

/// Fortran has no integers that wrap, so a result outside its type's numbers is one that does not
/// occur.
ConstantRange rangeOf(Value value) {
  ConstantRange type = rangeOf(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op)
    return type;
  if (std::optional<ConstantRange> known = rangeOfRegister(op))
    return *known;
  ConstantRange result = rangeOfResult(op).intersectWith(type, ConstantRange::Signed);
  return result.isEmptySet() ? type : result;
}

/// Of a conversion to a type with all the range's numbers.
arith::IntegerOverflowFlags flagsOf(const ConstantRange &range) {
  using arith::IntegerOverflowFlags;
  return range.isAllNonNegative() ? IntegerOverflowFlags::nsw | IntegerOverflowFlags::nuw
                                  : IntegerOverflowFlags::nsw;
}

/// What the index of a loop can be in its body; none if the body never runs.
std::optional<ConstantRange> indexRange(const ConstantRange &lower, const ConstantRange &upper,
                                        bool isUp) {
  APInt low = (isUp ? lower : upper).getSignedMin(), high = (isUp ? upper : lower).getSignedMax();
  return low.sle(high) ? std::optional(ConstantRange::getNonEmpty(low, high + 1)) : std::nullopt;
}

/// A loop that compares its index with the upper bound.
class ComparedLoop : public OpRewritePattern<fir::DoLoopOp> {
public:
  ComparedLoop(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(fir::DoLoopOp loop, PatternRewriter &rewriter) const override {
    ConstantRange lower = rangeOf(loop.getLowerBound()), upper = rangeOf(loop.getUpperBound());
    ConstantRange step = rangeOf(loop.getStep());
    bool isUp = step.getSignedMin().isStrictlyPositive();
    if (!isUp && !step.isAllNegative())
      return failure();
    std::optional<ConstantRange> index = indexRange(lower, upper, isUp);
    const ConstantRange Small = range(INT64_MIN / 4, INT64_MAX / 4);
    if (!index || !Small.contains(*index) || !Small.contains(step) || !Small.contains(lower))
      return failure();
    Block *header = &loop.getRegion().front();
    Block *body = write(loop, isUp, rewriter);
    keepValues(header->getArgument(0), *index, rewriter);
    joinVariables(loop, header, body, *index, rewriter);
    if (loop.getFinalValue())
      rewriter.replaceOp(loop, header->getArguments());
    else
      rewriter.replaceOp(loop, header->getArguments().drop_front());
    return success();
  }

private:
  /// Writes the loop's blocks; the header has the index and what the loop carries. Returns the
  /// first block of the body.
  static Block *write(fir::DoLoopOp loop, bool isUp, PatternRewriter &rewriter) {
    Location location = loop.getLoc();
    Block *before = rewriter.getInsertionBlock();
    Block *behind = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *header = &loop.getRegion().front();
    Block *body = rewriter.splitBlock(header, header->begin());
    Block *latch = &loop.getRegion().back();
    rewriter.inlineRegionBefore(loop.getRegion(), behind);

    rewriter.setInsertionPointToEnd(latch);
    Operation *end = latch->getTerminator();
    SmallVector<Value> carried = {arith::AddIOp::create(rewriter, location, header->getArgument(0),
                                                        loop.getStep(),
                                                        arith::IntegerOverflowFlags::nsw)};
    llvm::append_range(carried, end->getOperands().drop_front(loop.getFinalValue() ? 1 : 0));
    cf::BranchOp::create(rewriter, location, header, carried);
    rewriter.eraseOp(end);

    rewriter.setInsertionPointToEnd(before);
    SmallVector<Value> first = {loop.getLowerBound()};
    llvm::append_range(first, loop.getIterOperands());
    cf::BranchOp::create(rewriter, location, header, first);

    rewriter.setInsertionPointToEnd(header);
    Value isInside = arith::CmpIOp::create(
        rewriter, location, isUp ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge,
        header->getArgument(0), loop.getUpperBound());
    cf::CondBranchOp::create(rewriter, location, isInside, body, ValueRange(), behind,
                             ValueRange());
    return body;
  }

  /// The DO variable begins with the index and no statement of the loop changes it (Fortran 2018,
  /// 11.1.7.4.3), so in the body it is the index.
  static void joinVariables(fir::DoLoopOp loop, Block *header, Block *body,
                            const ConstantRange &numbers, PatternRewriter &rewriter) {
    rewriter.setInsertionPointToStart(body);
    for (auto [variable, first] :
         llvm::zip(header->getArguments().drop_front(), loop.getIterOperands())) {
      auto convert = first.getDefiningOp<fir::ConvertOp>();
      auto narrow = dyn_cast<IntegerType>(variable.getType());
      if (!convert || convert.getValue() != loop.getLowerBound() || !narrow ||
          narrow.getWidth() > 64 || !rangeOf(narrow).contains(numbers))
        continue;
      Value index = arith::IndexCastOp::create(rewriter, loop.getLoc(), rewriter.getI64Type(),
                                               header->getArgument(0));
      if (narrow.getWidth() < 64)
        index = arith::TruncIOp::create(rewriter, loop.getLoc(), narrow, index, flagsOf(numbers));
      for (OpOperand &use : llvm::make_early_inc_range(variable.getUses()))
        rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(index); });
    }
  }

  /// Conversions of the index to a type with all its numbers keep the value, and say so.
  static void keepValues(Value index, const ConstantRange &numbers, PatternRewriter &rewriter) {
    for (Operation *user : llvm::make_early_inc_range(index.getUsers())) {
      auto convert = dyn_cast<fir::ConvertOp>(user);
      auto narrow = convert ? dyn_cast<IntegerType>(convert.getType()) : IntegerType();
      if (!narrow || narrow.getWidth() >= 64 || !rangeOf(narrow).contains(numbers))
        continue;
      rewriter.setInsertionPoint(convert);
      Value wide =
          arith::IndexCastOp::create(rewriter, convert.getLoc(), rewriter.getI64Type(), index);
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(convert, narrow, wide, flagsOf(numbers));
    }
  }
};

struct DeviceLoopsPass : PassWrapper<DeviceLoopsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DeviceLoopsPass)

  StringRef getArgument() const override { return "heddle-device-loops"; }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<cf::ControlFlowDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.insert<ComparedLoop>(&getContext());
    fir::populateCfgConversionRewrites(patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<affine::AffineDialect, cf::ControlFlowDialect, fir::FIROpsDialect,
                           func::FuncDialect>();
    target.addIllegalOp<fir::ResultOp, fir::DoLoopOp, fir::IfOp, fir::IterWhileOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createDeviceLoopsPass() { return std::make_unique<DeviceLoopsPass>(); }

} // namespace heddle::fortran
