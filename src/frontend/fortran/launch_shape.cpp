// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/fortran/launch_shape.h"

#include "flang/Optimizer/Dialect/FIROpsSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

constexpr int64_t MostThreads = 1 << 16;
constexpr int64_t MostBlocks[Dimensions] = {0x7fffffff, 65535, 65535};
// Blocks of <<<*, *>>>, by the number of loops.
constexpr int64_t DefaultBlock[Dimensions][Dimensions] = {{128, 1, 1}, {32, 4, 1}, {32, 4, 1}};

std::optional<int64_t> constantOf(Value value) { return fir::getIntIfConstant(asGiven(value)); }

class ShapeBuilder {
public:
  ShapeBuilder(cuf::KernelOp loops, unsigned parallel, bool hasReductions)
      : loops_(loops), location_(loops.getLoc()), host_(loops), values_(host_, location_),
        parallel_(parallel), hasReductions_(hasReductions) {}

  LaunchShape build() {
    LaunchShape shape;
    unsigned used = std::min(parallel_, Dimensions);
    for (unsigned d = 0; d < Dimensions; ++d) {
      Value given = operandOf(loops_.getBlock(), d);
      bool isDefault = used > 0 && loops_.getBlock().empty();
      shape.sizes[Dimensions + d] =
          given ? values_.toIndex(given)
                : values_.constant(isDefault ? DefaultBlock[used - 1][d] : 1);
    }
    for (unsigned loop = 0; loop < parallel_; ++loop)
      if (std::optional<unsigned> d = dimensionOf(loop, parallel_))
        shape.sizes[*d] = gridOf(loop, *d, shape.sizes[Dimensions + *d]);
    for (unsigned d = 0; d < Dimensions; ++d)
      if (!shape.sizes[d])
        shape.sizes[d] = values_.constant(1);
    shape.oneAlongX = hasOneAlongX(shape);
    return shape;
  }

private:
  /// The innermost loops, which stay in the body of the others and have no threads.
  unsigned inOrder() { return static_cast<unsigned>(loops_.getLowerbound().size()) - parallel_; }
  /// Whether the launch says what size the dimension has: loops that stay in the body have none.
  bool isGiven(unsigned dimension) { return inOrder() == 0 || dimension < parallel_; }

  /// An operand of the grid or the block in that dimension; null for "*". One that is 0 is "*",
  /// too.
  Value operandOf(OperandRange operands, unsigned dimension) {
    unsigned at = dimension + inOrder(); // the innermost loop's is the first
    if (!isGiven(dimension) || at >= operands.size())
      return {};
    Value value = operands[at];
    return constantOf(value) == 0 ? Value() : value;
  }

  Value gridOf(unsigned loop, unsigned dimension, Value block) {
    if (Value given = operandOf(loops_.getGrid(), dimension))
      return values_.toIndex(given);
    Value lessOne = arith::SubIOp::create(host_, location_, block, values_.constant(1)); // round up
    Value blocks = arith::DivSIOp::create(
        host_, location_,
        arith::AddIOp::create(host_, location_, iterationsOf(loops_, loop, host_), lessOne), block);
    blocks = arith::MaxSIOp::create(host_, location_, blocks, values_.constant(1));
    int64_t most = MostBlocks[dimension];
    if (hasReductions_) // of 128 threads or more, over all dimensions
      most = parallel_ == 1 ? MostThreads / 128 : 32;
    return arith::MinSIOp::create(host_, location_, blocks, values_.constant(most));
  }

  /// A grid of * has a thread for each iteration of a loop with bounds of 32 bits, if blocks have
  /// four threads or more: 2^31 - 1 blocks are enough for them.
  bool hasOneAlongX(const LaunchShape &shape) {
    if (parallel_ == 0 || hasReductions_ || operandOf(loops_.getGrid(), 0))
      return false;
    std::optional<int64_t> block = constantOf(shape.sizes[Dimensions]);
    return block && *block >= 4 && isShort(loops_.getLowerbound()[parallel_ - 1]) &&
           isShort(loops_.getUpperbound()[parallel_ - 1]);
  }

  cuf::KernelOp loops_;
  Location location_;
  OpBuilder host_;
  IndexValues values_;
  unsigned parallel_;
  bool hasReductions_;
};

} // namespace

bool isShort(Value bound) {
  if (std::optional<int64_t> number = constantOf(bound))
    return llvm::isInt<32>(*number);
  Type type = asGiven(bound).getType();
  return type.isInteger() && type.getIntOrFloatBitWidth() <= 32;
}

Value iterationsOf(cuf::KernelOp loops, unsigned loop, OpBuilder &host) {
  Location location = loops.getLoc();
  IndexValues values(host, location);
  Value lower = values.toIndex(loops.getLowerbound()[loop]);
  Value upper = values.toIndex(loops.getUpperbound()[loop]);
  Value step = values.toIndex(loops.getStep()[loop]);
  Value span = arith::AddIOp::create(host, location,
                                     arith::SubIOp::create(host, location, upper, lower), step);
  Value trips = arith::DivSIOp::create(host, location, span, step);
  return arith::MaxSIOp::create(host, location, trips, values.constant(0));
}

std::optional<unsigned> dimensionOf(unsigned loop, unsigned parallel) {
  unsigned fromInside = parallel - 1 - loop;
  return fromInside < Dimensions ? std::optional(fromInside) : std::nullopt;
}

LaunchShape launchShapeOf(cuf::KernelOp loops, unsigned parallel, bool hasReductions) {
  return ShapeBuilder(loops, parallel, hasReductions).build();
}

} // namespace heddle::fortran
