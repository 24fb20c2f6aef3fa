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
// intervals of what bounds are made of tell. They also tell where the index fits into the DO
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

#include "llvm/Support/MathExtras.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

/// The numbers that a value of at most 64 bits can be.
struct Interval {
  int64_t low = INT64_MIN, high = INT64_MAX;

  bool contains(const Interval &other) const { return low <= other.low && other.high <= high; }
};

Interval intervalOf(Type type) {
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return bits >= 64 ? Interval() : Interval{llvm::minIntN(bits), llvm::maxIntN(bits)};
}

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". No interval for
/// other operations.
std::optional<Interval> intervalOfRegister(Operation *op) {
  if (isa<NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>(op))
    return Interval{0, 1023};
  if (isa<NVVM::BlockDimXOp, NVVM::BlockDimYOp, NVVM::BlockDimZOp>(op))
    return Interval{1, 1024};
  if (isa<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(op))
    return Interval{0, INT32_MAX - 1};
  if (isa<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(op))
    return Interval{1, INT32_MAX};
  return std::nullopt;
}

Interval intervalOf(Value value);

Interval add(const Interval &a, const Interval &b) {
  Interval sum;
  return llvm::AddOverflow(a.low, b.low, sum.low) || llvm::AddOverflow(a.high, b.high, sum.high)
             ? Interval()
             : sum;
}

Interval subtract(const Interval &a, const Interval &b) {
  Interval difference;
  return llvm::SubOverflow(a.low, b.high, difference.low) ||
                 llvm::SubOverflow(a.high, b.low, difference.high)
             ? Interval()
             : difference;
}

Interval multiply(const Interval &a, const Interval &b) {
  Interval product{INT64_MAX, INT64_MIN};
  for (int64_t x : {a.low, a.high})
    for (int64_t y : {b.low, b.high}) {
      int64_t corner;
      if (llvm::MulOverflow(x, y, corner))
        return {};
      product = {std::min(product.low, corner), std::max(product.high, corner)};
    }
  return product;
}

Interval intervalOfResult(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return {number.getValue().getSExtValue(), number.getValue().getSExtValue()};
  if (isa<arith::AddIOp>(op))
    return add(intervalOf(op->getOperand(0)), intervalOf(op->getOperand(1)));
  if (isa<arith::SubIOp>(op))
    return subtract(intervalOf(op->getOperand(0)), intervalOf(op->getOperand(1)));
  if (isa<arith::MulIOp>(op))
    return multiply(intervalOf(op->getOperand(0)), intervalOf(op->getOperand(1)));
  if (isa<fir::ConvertOp, arith::IndexCastOp, arith::ExtSIOp>(op) &&
      op->getOperand(0).getType().isIntOrIndex())
    return intervalOf(op->getOperand(0));
  return {};
}

/// Fortran has no integers that wrap, so a result outside its type's numbers is one that does not
/// occur.
Interval intervalOf(Value value) {
  Interval type = intervalOf(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op)
    return type;
  if (std::optional<Interval> known = intervalOfRegister(op))
    return *known;
  Interval result = intervalOfResult(op);
  if (result.low > type.high || result.high < type.low)
    return type;
  return {std::max(result.low, type.low), std::min(result.high, type.high)};
}

/// Of a conversion to a type with all the interval's numbers.
arith::IntegerOverflowFlags flagsOf(const Interval &interval) {
  using arith::IntegerOverflowFlags;
  return interval.low >= 0 ? IntegerOverflowFlags::nsw | IntegerOverflowFlags::nuw
                           : IntegerOverflowFlags::nsw;
}

/// A loop that compares its index with the upper bound.
class ComparedLoop : public OpRewritePattern<fir::DoLoopOp> {
public:
  ComparedLoop(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(fir::DoLoopOp loop, PatternRewriter &rewriter) const override {
    Interval lower = intervalOf(loop.getLowerBound()), upper = intervalOf(loop.getUpperBound());
    Interval step = intervalOf(loop.getStep());
    bool isUp = step.low > 0;
    if (!isUp && step.high >= 0)
      return failure();
    Interval index = isUp ? Interval{lower.low, upper.high} : Interval{upper.low, lower.high};
    constexpr Interval Small = {INT64_MIN / 4, INT64_MAX / 4};
    if (!Small.contains(index) || !Small.contains(step) || !Small.contains(lower))
      return failure();
    Block *header = &loop.getRegion().front();
    Block *body = write(loop, isUp, rewriter);
    keepValues(header->getArgument(0), index, rewriter);
    joinVariables(loop, header, body, index, rewriter);
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
                            const Interval &interval, PatternRewriter &rewriter) {
    rewriter.setInsertionPointToStart(body);
    for (auto [variable, first] :
         llvm::zip(header->getArguments().drop_front(), loop.getIterOperands())) {
      auto convert = first.getDefiningOp<fir::ConvertOp>();
      auto narrow = dyn_cast<IntegerType>(variable.getType());
      if (!convert || convert.getValue() != loop.getLowerBound() || !narrow ||
          narrow.getWidth() > 64 || !intervalOf(narrow).contains(interval))
        continue;
      Value index = arith::IndexCastOp::create(rewriter, loop.getLoc(), rewriter.getI64Type(),
                                               header->getArgument(0));
      if (narrow.getWidth() < 64)
        index = arith::TruncIOp::create(rewriter, loop.getLoc(), narrow, index, flagsOf(interval));
      for (OpOperand &use : llvm::make_early_inc_range(variable.getUses()))
        rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(index); });
    }
  }

  /// Conversions of the index to a type with all its numbers keep the value, and say so.
  static void keepValues(Value index, const Interval &interval, PatternRewriter &rewriter) {
    for (Operation *user : llvm::make_early_inc_range(index.getUsers())) {
      auto convert = dyn_cast<fir::ConvertOp>(user);
      auto narrow = convert ? dyn_cast<IntegerType>(convert.getType()) : IntegerType();
      if (!narrow || narrow.getWidth() >= 64 || !intervalOf(narrow).contains(interval))
        continue;
      rewriter.setInsertionPoint(convert);
      Value wide =
          arith::IndexCastOp::create(rewriter, convert.getLoc(), rewriter.getI64Type(), index);
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(convert, narrow, wide, flagsOf(interval));
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
