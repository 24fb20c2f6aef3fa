// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUF loops (!$cuf kernel do) become kernels. Flang 22 has the operation cuf.kernel and nothing
// that lowers it; here its body moves into a procedure with the attribute global, and a launch of
// it takes its place, so that all that follows treats them as it treats a kernel that the user
// wrote.
//
//   host                                     kernel
//   what the loop reads and does not change  do k = lower + step * thread, upper, step * threads
//     is computed in front of it               for each loop, the innermost along x
//   partial results: one for each thread      body, with copies of the host's scalars
//   launch                                    partial(thread) = the thread's part
//   reduce the parts into the host's variable
//
// Descriptors of arrays are read on the host (loop_invariants.cpp), and kernels get addresses and
// extents. The host's scalars are passed by value;
// loop_variables.h says which are reductions. A grid of * has a thread for each iteration, but no
// more than MostThreads where each thread has a part of a reduction.
//
// Loops that branches leave (loop_branches.cpp) stay in the body. If the outermost is such, the
// kernel has one thread, and the host's scalars get what they become there.
#include "frontend/fortran/loop_branches.h"
#include "frontend/fortran/loop_invariants.h"
#include "frontend/fortran/loop_variables.h"
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/InternalNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

constexpr unsigned Dimensions = 3;
constexpr int64_t MostThreads = 1 << 16;
constexpr int64_t MostBlocks[Dimensions] = {0x7fffffff, 65535, 65535};
// Blocks of <<<*, *>>>, by the number of loops.
constexpr int64_t DefaultBlock[Dimensions][Dimensions] = {{128, 1, 1}, {32, 4, 1}, {32, 4, 1}};

bool isScalarVariable(Value value) {
  return fir::isa_ref_type(value.getType()) &&
         fir::isa_trivial(fir::unwrapRefType(value.getType()));
}

/// Whether the operation gives the address of a named constant or of a literal, which the device
/// has, too.
bool namesParameter(ModuleOp module, Operation *op) {
  if (auto declare = dyn_cast<fir::DeclareOp>(op))
    op = declare.getMemref().getDefiningOp();
  auto address = dyn_cast_or_null<fir::AddrOfOp>(op);
  auto global =
      address ? module.lookupSymbol<fir::GlobalOp>(address.getSymbol()) : fir::GlobalOp();
  return global && global.getConstant().has_value();
}

class Outliner {
public:
  Outliner(ModuleOp module, cuf::KernelOp loops, bool isUnified)
      : module_(module), loops_(loops), location_(loops.getLoc()), host_(loops),
        isUnified_(isUnified) {}

  LogicalResult run() {
    parallel_ = count();
    if (!loops_.getRegion().hasOneBlock()) {
      FailureOr<unsigned> kept = keepOneIteration(loops_);
      if (failed(kept))
        return failure();
      parallel_ = *kept;
    }
    hoistInvariants(loops_);
    if (failed(classify()))
      return failure();
    computeShape();
    makePartials();
    createKernel();
    launch();
    reduce();
    loops_.erase();
    return success();
  }

private:
  unsigned count() { return static_cast<unsigned>(loops_.getLowerbound().size()); }
  /// The innermost loops, which stay in the body of the others and have no threads.
  unsigned inOrder() { return count() - parallel_; }
  /// The dimension of the loop's threads; the outermost loops of more than three have none.
  std::optional<unsigned> dimensionOf(unsigned loop) {
    unsigned fromInside = parallel_ - 1 - loop;
    return fromInside < Dimensions ? std::optional(fromInside) : std::nullopt;
  }
  /// Whether the launch says what size the dimension has: loops that stay in the body have none.
  bool isGiven(unsigned dimension) { return inOrder() == 0 || dimension < parallel_; }

  // What the body uses of the host.

  LogicalResult classify() {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(loops_.getRegion(), captured);
    for (unsigned i = 0; i < captured.size(); ++i) // grows by what shapes are made of
      if (failed(classify(captured, captured[i])))
        return failure();
    return success();
  }

  LogicalResult classify(llvm::SetVector<Value> &captured, Value value) {
    Operation *op = value.getDefiningOp();
    bool isPlain = fir::isa_trivial(value.getType());
    if (op && isa<arith::ConstantOp, fir::ZeroOp, fir::UndefOp>(op)) {
      remade_.push_back(value);
    } else if (op && (isa<fir::ShapeOp, fir::ShapeShiftOp, fir::ShiftOp, fir::SliceOp>(op) ||
                      namesParameter(module_, op))) {
      remade_.push_back(value);
      captured.insert(op->operand_begin(), op->operand_end());
    } else if (isPlain || isOnDevice(value)) {
      passed_.push_back(value);
    } else if (isScalarVariable(value)) {
      scalars_.push_back(parallel_ == 0 ? classifyInOneThread(loops_, value)
                                        : classifyScalar(loops_, value));
      if (scalars_.back().use == ScalarUse::Unknown)
        return loops_.emitError("a CUF loop reads a host variable that other iterations write, in "
                                "no form of a reduction");
    } else if (isUnified_ && fir::isa_ref_type(value.getType())) {
      passed_.push_back(value);
    } else {
      return loops_.emitError("a CUF loop uses host data other than scalars");
    }
    return success();
  }

  bool hasReductions() {
    return llvm::any_of(scalars_, [](const Scalar &s) { return s.use == ScalarUse::Reduction; });
  }

  // The launch's shape, on the host.

  Value constant(OpBuilder &builder, int64_t value, Type type = {}) {
    type = type ? type : builder.getIndexType();
    return arith::ConstantOp::create(builder, location_, builder.getIntegerAttr(type, value));
  }

  Value toIndex(OpBuilder &builder, Value value) {
    return value.getType().isIndex()
               ? value
               : fir::ConvertOp::create(builder, location_, builder.getIndexType(), value);
  }

  /// An operand of the grid or the block in that dimension; null for "*". One that is 0 is "*",
  /// too.
  Value operandOf(OperandRange operands, unsigned dimension) {
    unsigned at = dimension + inOrder(); // the innermost loop's is the first
    if (!isGiven(dimension) || at >= operands.size())
      return {};
    Value value = operands[at];
    auto known = value.getDefiningOp<arith::ConstantOp>();
    if (known && cast<IntegerAttr>(known.getValue()).getInt() == 0)
      return {};
    return value;
  }

  /// (upper - lower + step) / step, and 0 if that is negative.
  Value iterations(unsigned loop) {
    Value lower = toIndex(host_, loops_.getLowerbound()[loop]);
    Value upper = toIndex(host_, loops_.getUpperbound()[loop]);
    Value step = toIndex(host_, loops_.getStep()[loop]);
    Value span = arith::AddIOp::create(host_, location_,
                                       arith::SubIOp::create(host_, location_, upper, lower), step);
    Value trips = arith::DivSIOp::create(host_, location_, span, step);
    return arith::MaxSIOp::create(host_, location_, trips, constant(host_, 0));
  }

  void computeShape() {
    unsigned used = std::min(parallel_, Dimensions);
    for (unsigned d = 0; d < Dimensions; ++d) {
      Value given = operandOf(loops_.getBlock(), d);
      bool isDefault = used > 0 && loops_.getBlock().empty();
      block_[d] = given ? toIndex(host_, given)
                        : constant(host_, isDefault ? DefaultBlock[used - 1][d] : 1);
    }
    for (unsigned loop = 0; loop < parallel_; ++loop)
      if (std::optional<unsigned> d = dimensionOf(loop))
        grid_[*d] = gridOf(loop, *d);
    for (Value &blocks : grid_)
      if (!blocks)
        blocks = constant(host_, 1);
  }

  Value gridOf(unsigned loop, unsigned dimension) {
    if (Value given = operandOf(loops_.getGrid(), dimension))
      return toIndex(host_, given);
    Value size = block_[dimension]; // rounded up
    Value lessOne = arith::SubIOp::create(host_, location_, size, constant(host_, 1));
    Value blocks = arith::DivSIOp::create(
        host_, location_, arith::AddIOp::create(host_, location_, iterations(loop), lessOne), size);
    blocks = arith::MaxSIOp::create(host_, location_, blocks, constant(host_, 1));
    int64_t most = MostBlocks[dimension];
    if (hasReductions()) // of 128 threads or more, over all dimensions
      most = parallel_ == 1 ? MostThreads / 128 : 32;
    return arith::MinSIOp::create(host_, location_, blocks, constant(host_, most));
  }

  Value product(OpBuilder &builder, ArrayRef<Value> factors) {
    Value result = factors.front();
    for (Value factor : factors.drop_front())
      result = arith::MulIOp::create(builder, location_, result, factor);
    return result;
  }

  // Parts of reductions.

  static Type partialsType(Type element) {
    return fir::ReferenceType::get(
        fir::SequenceType::get({fir::SequenceType::getUnknownExtent()}, element));
  }

  func::FuncOp runtimeFunction(StringRef name, ArrayRef<Type> arguments, ArrayRef<Type> results) {
    if (auto known = module_.lookupSymbol<func::FuncOp>(name))
      return known;
    OpBuilder end = OpBuilder::atBlockEnd(module_.getBody());
    auto function =
        func::FuncOp::create(end, location_, name, end.getFunctionType(arguments, results));
    function.setPrivate();
    function->setAttr("fir.runtime", end.getUnitAttr());
    return function;
  }

  void makePartials() {
    Type generic = fir::ReferenceType::get(host_.getI8Type()), wide = host_.getI64Type();
    for (const Scalar &scalar : scalars_) {
      if (!scalar.hasParts())
        continue;
      if (!threads_)
        threads_ = fir::ConvertOp::create(
            host_, location_, wide,
            product(host_, {grid_[0], grid_[1], grid_[2], block_[0], block_[1], block_[2]}));
      Value bytes = constant(host_, byteSize(scalar.type), wide);
      auto function = runtimeFunction("heddleFortranPartials", {wide, wide}, {generic});
      Value memory =
          fir::CallOp::create(host_, location_, function, ValueRange{threads_, bytes}).getResult(0);
      partials_.push_back(
          fir::ConvertOp::create(host_, location_, partialsType(scalar.type), memory));
    }
  }

  int64_t byteSize(Type type) {
    if (auto logical = dyn_cast<fir::LogicalType>(type))
      return static_cast<int64_t>(logical.getFKind());
    if (auto complex = dyn_cast<ComplexType>(type))
      return 2 * complex.getElementType().getIntOrFloatBitWidth() / 8;
    return type.getIntOrFloatBitWidth() / 8;
  }

  // The kernel.

  std::string kernelName() {
    auto function = loops_->getParentOfType<func::FuncOp>();
    auto [kind, parts] = fir::NameUniquer::deconstruct(function.getName());
    std::string name = parts.name.empty() ? "main" : parts.name;
    std::string module = parts.modules.empty() ? "" : parts.modules.front() + "_";
    unsigned line = 0;
    location_->walk([&](Location inner) {
      if (auto place = dyn_cast<FileLineColLoc>(inner); place && line == 0)
        line = place.getLine();
      return WalkResult::advance();
    });
    std::string base = module + name + "_" + std::to_string(line) + "_gpu", unique = base;
    for (unsigned i = 1; module_.lookupSymbol(unique); ++i)
      unique = base + "_" + std::to_string(i);
    return unique;
  }

  void createKernel() {
    SmallVector<Type> types;
    for (Value value : passed_)
      types.push_back(value.getType());
    for (const Scalar &scalar : scalars_)
      if (scalar.hasFirstValue())
        types.push_back(scalar.type);
    for (Value partials : partials_)
      types.push_back(partials.getType());
    for (unsigned loop = 0; loop < parallel_; ++loop)
      for (Value bound : boundsOf(loop))
        types.push_back(bound.getType());
    OpBuilder end = OpBuilder::atBlockEnd(module_.getBody());
    kernel_ = func::FuncOp::create(end, location_, kernelName(), end.getFunctionType(types, {}));
    kernel_->setAttr(cuf::getProcAttrName(),
                     cuf::ProcAttributeAttr::get(module_.getContext(), cuf::ProcAttribute::Global));
    for (auto [i, value] : llvm::enumerate(passed_))
      if (fir::isa_ref_type(value.getType()) || fir::isa_box_type(value.getType()))
        kernel_.setArgAttr(
            i, cuf::getDataAttrName(),
            cuf::DataAttributeAttr::get(module_.getContext(), cuf::DataAttribute::Device));
    OpBuilder builder = OpBuilder::atBlockBegin(kernel_.addEntryBlock());
    fillKernel(builder);
    func::ReturnOp::create(builder, location_);
  }

  void fillKernel(OpBuilder &builder) {
    unsigned argument = 0;
    for (Value value : passed_)
      map_.map(value, kernel_.getArgument(argument++));
    for (Value value : remade_)
      map_.map(value, Value());
    for (Value value : remade_)
      remake(builder, value);
    for (const Scalar &scalar : scalars_) {
      Value copy = fir::AllocaOp::create(builder, location_, scalar.type);
      Value first = scalar.hasFirstValue() ? Value(kernel_.getArgument(argument++))
                                           : identity(builder, scalar);
      fir::StoreOp::create(builder, location_, first, copy);
      map_.map(scalar.variable, copy);
    }
    unsigned partials = argument, bounds = partials + partials_.size();
    OpBuilder inner = builder;
    for (unsigned loop = 0; loop < parallel_; ++loop)
      inner = createLoop(inner, loop, bounds + 3 * loop);
    for (unsigned loop = parallel_; loop < count(); ++loop) // the body sets its variable again
      map_.map(loops_.getRegion().front().getArgument(loop), constant(inner, 0));
    cloneBody(inner);
    storePartials(builder, partials);
  }

  /// A body with branches (SELECT CASE, GO TO) becomes an operation of several blocks.
  void cloneBody(OpBuilder &builder) {
    Region &body = loops_.getRegion();
    if (body.hasOneBlock()) {
      for (Operation &op : body.front().without_terminator())
        builder.clone(op, map_);
      return;
    }
    auto blocks = scf::ExecuteRegionOp::create(builder, location_, TypeRange{});
    Region &copy = blocks.getRegion();
    body.cloneInto(&copy, map_);
    copy.front().eraseArguments([](BlockArgument) { return true; });
    for (Block &block : copy)
      if (auto end = dyn_cast<fir::FirEndOp>(block.getTerminator())) {
        OpBuilder at(end);
        scf::YieldOp::create(at, location_);
        end.erase();
      }
  }

  /// Constants and shapes are made anew, shapes behind what they are made of.
  Value remake(OpBuilder &builder, Value value) {
    if (Value known = map_.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      remake(builder, operand);
    Operation *copy = builder.clone(*op, map_);
    map_.map(value, copy->getResult(0));
    return copy->getResult(0);
  }

  template <typename... Register> Value readRegister(OpBuilder &builder, unsigned dimension) {
    Type narrow = builder.getI32Type();
    Value value;
    unsigned at = 0;
    ((at++ == dimension ? void(value = Register::create(builder, location_, narrow)) : void()),
     ...);
    return toIndex(builder, value);
  }
  Value thread(OpBuilder &b, unsigned d) {
    return readRegister<NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>(b, d);
  }
  Value blockIndex(OpBuilder &b, unsigned d) {
    return readRegister<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(b, d);
  }
  Value blockSize(OpBuilder &b, unsigned d) {
    return readRegister<NVVM::BlockDimXOp, NVVM::BlockDimYOp, NVVM::BlockDimZOp>(b, d);
  }
  Value gridSize(OpBuilder &b, unsigned d) {
    return readRegister<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(b, d);
  }

  /// The thread's number in its dimension of the grid.
  Value position(OpBuilder &b, unsigned d) {
    return arith::AddIOp::create(b, location_, product(b, {blockIndex(b, d), blockSize(b, d)}),
                                 thread(b, d));
  }

  /// A loop's bounds and step on the host, in the types that the user gave them.
  SmallVector<Value> boundsOf(unsigned loop) {
    SmallVector<Value> bounds;
    for (Value bound :
         {loops_.getLowerbound()[loop], loops_.getUpperbound()[loop], loops_.getStep()[loop]}) {
      auto convert = bound.getDefiningOp<fir::ConvertOp>();
      bounds.push_back(convert && convert.getValue().getType().isInteger() ? convert.getValue()
                                                                           : bound);
    }
    return bounds;
  }

  /// A bound in the kernel: the constant that it is on the host, or the argument.
  Value boundInKernel(OpBuilder &builder, Value onHost, unsigned argument) {
    auto constant = onHost.getDefiningOp<arith::ConstantOp>();
    return toIndex(builder, constant ? builder.clone(*constant)->getResult(0)
                                     : Value(kernel_.getArgument(argument)));
  }

  /// A loop over the thread's share; returns where its body is written.
  OpBuilder createLoop(OpBuilder &builder, unsigned loop, unsigned argument) {
    SmallVector<Value> bounds = boundsOf(loop);
    Value lower = boundInKernel(builder, bounds[0], argument);
    Value upper = boundInKernel(builder, bounds[1], argument + 1);
    Value step = boundInKernel(builder, bounds[2], argument + 2);
    if (std::optional<unsigned> d = dimensionOf(loop)) {
      lower = arith::AddIOp::create(builder, location_, lower,
                                    product(builder, {position(builder, *d), step}));
      step = product(builder, {step, blockSize(builder, *d), gridSize(builder, *d)});
    }
    auto created = fir::DoLoopOp::create(builder, location_, lower, upper, step);
    map_.map(loops_.getRegion().front().getArgument(loop), created.getInductionVar());
    return OpBuilder::atBlockBegin(created.getBody());
  }

  Value identity(OpBuilder &builder, const Scalar &scalar) {
    using Operation = fir::ReduceOperationEnum;
    bool isTrue = scalar.reduction == Operation::AND || scalar.reduction == Operation::EQV;
    bool isOne = scalar.reduction == Operation::Multiply;
    Type type = scalar.type;
    if (auto logical = dyn_cast<fir::LogicalType>(type))
      return fir::ConvertOp::create(builder, location_, logical,
                                    constant(builder, isTrue, builder.getI1Type()));
    if (auto complex = dyn_cast<ComplexType>(type)) {
      auto part = cast<FloatType>(complex.getElementType());
      Value one = floatConstant(builder, part, isOne), zero = floatConstant(builder, part, 0);
      Value value = fir::UndefOp::create(builder, location_, type);
      value = insertPart(builder, value, one, 0);
      return insertPart(builder, value, zero, 1);
    }
    bool isMax = scalar.reduction == Operation::MAX, isMin = scalar.reduction == Operation::MIN;
    if (auto number = dyn_cast<FloatType>(type)) {
      if (isMax || isMin)
        return arith::ConstantOp::create(
            builder, location_,
            builder.getFloatAttr(number, llvm::APFloat::getInf(number.getFloatSemantics(), isMax)));
      return floatConstant(builder, number, isOne);
    }
    unsigned bits = type.getIntOrFloatBitWidth();
    llvm::APInt value = isMax                                 ? llvm::APInt::getSignedMinValue(bits)
                        : isMin                               ? llvm::APInt::getSignedMaxValue(bits)
                        : scalar.reduction == Operation::IAND ? llvm::APInt::getAllOnes(bits)
                                                              : llvm::APInt(bits, isOne);
    return arith::ConstantOp::create(builder, location_, builder.getIntegerAttr(type, value));
  }

  Value floatConstant(OpBuilder &builder, FloatType type, double value) {
    return arith::ConstantOp::create(builder, location_, builder.getFloatAttr(type, value));
  }

  Value insertPart(OpBuilder &builder, Value complex, Value part, int64_t at) {
    return fir::InsertValueOp::create(
        builder, location_, complex.getType(), complex, part,
        builder.getArrayAttr({builder.getIntegerAttr(builder.getIndexType(), at)}));
  }

  void storePartials(OpBuilder &builder, unsigned argument) {
    if (partials_.empty())
      return;
    Value columns = product(builder, {gridSize(builder, 0), blockSize(builder, 0)});
    Value rows = product(builder, {gridSize(builder, 1), blockSize(builder, 1)});
    Value place = arith::AddIOp::create(builder, location_, position(builder, 1),
                                        product(builder, {position(builder, 2), rows}));
    place = arith::AddIOp::create(builder, location_, position(builder, 0),
                                  product(builder, {place, columns}));
    for (const Scalar &scalar : scalars_) {
      if (!scalar.hasParts())
        continue;
      Value part = fir::LoadOp::create(builder, location_, map_.lookup(scalar.variable));
      Value address =
          fir::CoordinateOp::create(builder, location_, fir::ReferenceType::get(scalar.type),
                                    kernel_.getArgument(argument++), ValueRange{place});
      fir::StoreOp::create(builder, location_, part, address);
    }
  }

  // The host again.

  void launch() {
    SmallVector<Value> arguments(passed_);
    for (const Scalar &scalar : scalars_)
      if (scalar.hasFirstValue())
        arguments.push_back(fir::LoadOp::create(host_, location_, scalar.variable));
    arguments.append(partials_.begin(), partials_.end());
    for (unsigned loop = 0; loop < parallel_; ++loop)
      llvm::append_range(arguments, boundsOf(loop));
    SmallVector<Value> shape;
    for (Value size : {grid_[0], grid_[1], grid_[2], block_[0], block_[1], block_[2]})
      shape.push_back(fir::ConvertOp::create(host_, location_, host_.getI32Type(), size));
    Value stream = loops_.getStream();
    Value bytes = stream ? constant(host_, 0, host_.getI32Type()) : Value();
    cuf::KernelLaunchOp::create(host_, location_, SymbolRefAttr::get(kernel_), shape[0], shape[1],
                                shape[2], shape[3], shape[4], shape[5], bytes, stream, arguments,
                                nullptr, nullptr);
  }

  /// The kinds of values that heddleFortranReduce knows (lib/fortran/reduce.cpp).
  static int64_t kindOf(Type type) {
    if (isa<fir::LogicalType>(type))
      return 'l';
    if (isa<ComplexType>(type))
      return 'c';
    return isa<FloatType>(type) ? 'r' : 'i';
  }

  void reduce() {
    if (partials_.empty())
      return;
    Type narrow = host_.getI32Type(), wide = host_.getI64Type();
    Type generic = fir::ReferenceType::get(host_.getI8Type());
    auto function =
        runtimeFunction("heddleFortranReduce", {generic, generic, wide, wide, narrow, narrow}, {});
    unsigned at = 0;
    for (const Scalar &scalar : scalars_) {
      if (!scalar.hasParts())
        continue;
      constexpr int64_t Take = 0; // lib/fortran/reduce.cpp
      int64_t operation = scalar.use == ScalarUse::Carried ? Take : int64_t(scalar.reduction);
      Value to = fir::ConvertOp::create(host_, location_, generic, scalar.variable);
      Value from = fir::ConvertOp::create(host_, location_, generic, partials_[at++]);
      fir::CallOp::create(host_, location_, function,
                          ValueRange{to, from, threads_,
                                     constant(host_, byteSize(scalar.type), wide),
                                     constant(host_, kindOf(scalar.type), narrow),
                                     constant(host_, operation, narrow)});
    }
  }

  ModuleOp module_;
  cuf::KernelOp loops_;
  Location location_;
  OpBuilder host_;
  bool isUnified_;
  unsigned parallel_ = 0; ///< the number of the outermost loops whose iterations threads share
  SmallVector<Value> remade_, passed_, partials_;
  SmallVector<Scalar> scalars_;
  Value grid_[Dimensions], block_[Dimensions], threads_;
  func::FuncOp kernel_;
  IRMapping map_;
};

} // namespace

LogicalResult outlineLoops(ModuleOp module, bool isUnified) {
  SmallVector<cuf::KernelOp> found;
  module.walk([&](cuf::KernelOp loops) { found.push_back(loops); });
  for (cuf::KernelOp loops : found)
    if (failed(Outliner(module, loops, isUnified).run()))
      return failure();
  return success();
}

} // namespace heddle::fortran
