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
// extents. The host's scalars are passed by value; loop_variables.h says which are reductions, and
// loop_parts.cpp makes one number of the threads' parts. launch_shape.cpp says how many threads
// there are.
//
// Loops that branches leave (loop_branches.cpp) stay in the body. If the outermost is such, the
// kernel has one thread, and the host's scalars get what they become there.
#include "frontend/fortran/index_values.h"
#include "frontend/fortran/launch_shape.h"
#include "frontend/fortran/loop_branches.h"
#include "frontend/fortran/loop_invariants.h"
#include "frontend/fortran/loop_parts.h"
#include "frontend/fortran/loop_variables.h"
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Support/InternalNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

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
  auto global = address ? module.lookupSymbol<fir::GlobalOp>(address.getSymbol()) : fir::GlobalOp();
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
    convertBounds();
    shape_ = launchShapeOf(loops_, parallel_, hasReductions());
    for (unsigned loop = 0; loop < parallel_; ++loop)
      bounds_.push_back(makeBounds(loop));
    makePartials();
    createKernel();
    launch();
    reduce();
    loops_.erase();
    return success();
  }

private:
  unsigned count() { return static_cast<unsigned>(loops_.getLowerbound().size()); }

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

  void makePartials() {
    for (const Scalar &scalar : scalars_) {
      if (!scalar.hasParts())
        continue;
      if (!threads_)
        threads_ = fir::ConvertOp::create(host_, location_, host_.getI64Type(),
                                          IndexValues(host_, location_).product(shape_.sizes));
      partials_.push_back(allocateParts(host_, location_, module_, scalar, threads_));
    }
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
      for (Value bound : bounds_[loop])
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
                                           : identityOf(builder, location_, scalar);
      fir::StoreOp::create(builder, location_, first, copy);
      map_.map(scalar.variable, copy);
    }
    unsigned partials = argument, bounds = partials + partials_.size();
    OpBuilder inner = builder;
    for (unsigned loop = 0; loop < parallel_; ++loop)
      inner = createLoop(inner, loop, bounds + 3 * loop);
    for (unsigned loop = parallel_; loop < count(); ++loop) // the body sets its variable again
      map_.map(loops_.getRegion().front().getArgument(loop),
               IndexValues(inner, location_).constant(0));
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

  /// The type of a loop's variable; null if the body has none.
  IntegerType variableType(unsigned loop) {
    for (Operation *user : loops_.getRegion().front().getArgument(loop).getUsers())
      if (auto convert = dyn_cast<fir::ConvertOp>(user))
        if (llvm::any_of(convert->getUsers(), llvm::IsaPred<fir::StoreOp>))
          return dyn_cast<IntegerType>(convert.getType());
    return {};
  }

  /// A DO statement converts its bounds and step to the type of its variable (Fortran 2018,
  /// 11.1.7.4.1).
  void convertBounds() {
    for (unsigned loop = 0; loop < parallel_; ++loop) {
      IntegerType type = variableType(loop);
      if (!type || type.getWidth() > 32)
        continue;
      for (OpOperand *bound :
           {&loops_.getLowerboundMutable()[loop], &loops_.getUpperboundMutable()[loop],
            &loops_.getStepMutable()[loop]}) {
        if (isShort(bound->get()))
          continue;
        Value converted = fir::ConvertOp::create(host_, location_, type, asGiven(bound->get()));
        bound->set(IndexValues(host_, location_).toIndex(converted));
      }
    }
  }

  /// Whether a kernel counts a loop's iterations: sums of bounds of 64 bits may overflow.
  bool isCounted(unsigned loop) {
    return !isShort(loops_.getLowerbound()[loop]) || !isShort(loops_.getUpperbound()[loop]) ||
           !isShort(loops_.getStep()[loop]);
  }

  /// A loop's bounds and step on the host, in the types that the user gave them. In the place of
  /// the upper bound there may be the number of iterations.
  SmallVector<Value> makeBounds(unsigned loop) {
    Value upper = asGiven(loops_.getUpperbound()[loop]);
    if (isCounted(loop))
      upper = fir::ConvertOp::create(host_, location_, host_.getI64Type(),
                                     iterationsOf(loops_, loop, host_));
    return {asGiven(loops_.getLowerbound()[loop]), upper, asGiven(loops_.getStep()[loop])};
  }

  /// A bound in the kernel: the constant that it is on the host, or the argument.
  Value boundInKernel(OpBuilder &builder, Value onHost, unsigned argument) {
    auto constant = onHost.getDefiningOp<arith::ConstantOp>();
    Value bound =
        constant ? builder.clone(*constant)->getResult(0) : Value(kernel_.getArgument(argument));
    return IndexValues(builder, location_).toIndex(bound);
  }

  /// A loop over the thread's share, or a test where that is one iteration; returns where its body
  /// is written.
  OpBuilder createLoop(OpBuilder &builder, unsigned loop, unsigned argument) {
    if (isCounted(loop))
      return createCountedLoop(builder, loop, argument);
    ArrayRef<Value> bounds = bounds_[loop];
    Value lower = boundInKernel(builder, bounds[0], argument);
    Value upper = boundInKernel(builder, bounds[1], argument + 1);
    Value step = boundInKernel(builder, bounds[2], argument + 2);
    Value index = loops_.getRegion().front().getArgument(loop);
    std::optional<unsigned> d = dimensionOf(loop, parallel_);
    if (d) {
      IndexValues values(builder, location_);
      Value first = values.product({values.position(*d), step});
      lower = arith::AddIOp::create(builder, location_, lower, first);
      step = values.product({step, values.blockSize(*d), values.gridSize(*d)});
    }
    std::optional<int64_t> known = fir::getIntIfConstant(bounds[2]);
    if (d == 0u && shape_.oneAlongX && known) {
      bool isUp = *known > 0;
      Value isInside = arith::CmpIOp::create(
          builder, location_, isUp ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge, lower,
          upper);
      auto test = fir::IfOp::create(builder, location_, isInside, /*withElseRegion=*/false);
      OpBuilder inside = OpBuilder::atBlockBegin(&test.getThenRegion().front());
      map_.map(index, withoutLoss(inside, lower));
      return inside;
    }
    auto created = fir::DoLoopOp::create(builder, location_, lower, upper, step);
    map_.map(index, created.getInductionVar());
    return OpBuilder::atBlockBegin(created.getBody());
  }

  /// A loop over the numbers of the thread's iterations. There are fewer than 2^60 of them, or the
  /// loop would take years, and so nothing overflows that tells whether there is another one
  /// (device_loops.cpp).
  OpBuilder createCountedLoop(OpBuilder &builder, unsigned loop, unsigned argument) {
    constexpr int64_t Most = int64_t(1) << 60;
    IndexValues values(builder, location_);
    Value lower = boundInKernel(builder, bounds_[loop][0], argument);
    Value count = boundInKernel(builder, bounds_[loop][1], argument + 1);
    Value step = boundInKernel(builder, bounds_[loop][2], argument + 2);
    count = arith::MinSIOp::create(builder, location_, count, values.constant(Most));
    Value last = arith::SubIOp::create(builder, location_, count, values.constant(1));
    Value first = values.constant(0), stride = values.constant(1);
    if (std::optional<unsigned> d = dimensionOf(loop, parallel_)) {
      first = values.position(*d);
      stride = values.product({values.blockSize(*d), values.gridSize(*d)});
    }
    auto created = fir::DoLoopOp::create(builder, location_, first, last, stride);
    OpBuilder inside = OpBuilder::atBlockBegin(created.getBody());
    Value behind = IndexValues(inside, location_).product({created.getInductionVar(), step});
    map_.map(loops_.getRegion().front().getArgument(loop),
             Value(arith::AddIOp::create(inside, location_, lower, behind)));
    return inside;
  }

  /// An index between bounds of 32 bits, and LLVM's word for it: conversions to the DO variable and
  /// back then leave it as it is (optimize.cpp).
  Value withoutLoss(OpBuilder &builder, Value index) {
    Value wide = arith::IndexCastOp::create(builder, location_, builder.getI64Type(), index);
    Value narrow = arith::TruncIOp::create(builder, location_, builder.getI32Type(), wide,
                                           arith::IntegerOverflowFlags::nsw);
    return IndexValues(builder, location_).toIndex(narrow);
  }

  void storePartials(OpBuilder &builder, unsigned argument) {
    if (partials_.empty())
      return;
    Value place = IndexValues(builder, location_).positionInGrid();
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
      llvm::append_range(arguments, bounds_[loop]);
    SmallVector<Value> shape;
    for (Value size : shape_.sizes)
      shape.push_back(fir::ConvertOp::create(host_, location_, host_.getI32Type(), size));
    Value stream = loops_.getStream();
    Value bytes = stream ? IndexValues(host_, location_).constant(0, host_.getI32Type()) : Value();
    cuf::KernelLaunchOp::create(host_, location_, SymbolRefAttr::get(kernel_), shape[0], shape[1],
                                shape[2], shape[3], shape[4], shape[5], bytes, stream, arguments,
                                nullptr, nullptr);
  }

  void reduce() {
    unsigned at = 0;
    for (const Scalar &scalar : scalars_)
      if (scalar.hasParts())
        reduceParts(host_, location_, module_, scalar, partials_[at++], threads_);
  }

  ModuleOp module_;
  cuf::KernelOp loops_;
  Location location_;
  OpBuilder host_;
  bool isUnified_;
  unsigned parallel_ = 0; ///< the number of the outermost loops whose iterations threads share
  SmallVector<Value> remade_, passed_, partials_;
  SmallVector<SmallVector<Value>> bounds_; ///< of the loops that threads share
  SmallVector<Scalar> scalars_;
  LaunchShape shape_;
  Value threads_;
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
