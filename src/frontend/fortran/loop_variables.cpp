// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/fortran/loop_variables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace heddle::fortran {

using namespace mlir;
using Reduction = fir::ReduceOperationEnum;

namespace {

Value withoutConversions(Value value) {
  while (auto convert = value.getDefiningOp<fir::ConvertOp>())
    value = convert.getValue();
  return value;
}

bool isLoadOf(Value value, Value variable) {
  auto load = withoutConversions(value).getDefiningOp<fir::LoadOp>();
  return load && load.getMemref() == variable;
}

/// The reduction that an operation of two numbers may be part of.
std::optional<Reduction> kindOf(Operation *op) {
  if (isa<arith::AddIOp, arith::AddFOp, fir::AddcOp, complex::AddOp, arith::SubIOp, arith::SubFOp,
          fir::SubcOp, complex::SubOp>(op)) // parts of what is taken away are added
    return Reduction::Add;
  if (isa<arith::MulIOp, arith::MulFOp, fir::MulcOp, complex::MulOp>(op))
    return Reduction::Multiply;
  if (isa<arith::MaxSIOp, arith::MaximumFOp, arith::MaxNumFOp>(op))
    return Reduction::MAX;
  if (isa<arith::MinSIOp, arith::MinimumFOp, arith::MinNumFOp>(op))
    return Reduction::MIN;
  bool isLogical = op->getResult(0).getType().isInteger(1);
  if (isa<arith::AndIOp>(op))
    return isLogical ? Reduction::AND : Reduction::IAND;
  if (isa<arith::OrIOp>(op))
    return isLogical ? Reduction::OR : Reduction::IOR;
  if (isa<arith::XOrIOp>(op))
    return isLogical ? Reduction::NEQV : Reduction::IEOR;
  if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && isLogical)
    return compare.getPredicate() == arith::CmpIPredicate::eq   ? Reduction::EQV
           : compare.getPredicate() == arith::CmpIPredicate::ne ? std::optional(Reduction::NEQV)
                                                                : std::nullopt;
  return {};
}

/// The reduction of s = s op x, and of s = s op x op y; none if the value is no such.
std::optional<Reduction> binaryReduction(Operation *op, Value variable) {
  if (!op || op->getNumOperands() < 2 || op->getNumResults() != 1)
    return {};
  std::optional<Reduction> kind = kindOf(op);
  if (!kind)
    return {};
  auto carries = [&](Value operand) {
    return isLoadOf(operand, variable) ||
           binaryReduction(withoutConversions(operand).getDefiningOp(), variable) == kind;
  };
  bool first = carries(op->getOperand(0)), second = carries(op->getOperand(1));
  bool isDifference = isa<arith::SubIOp, arith::SubFOp, fir::SubcOp, complex::SubOp>(op);
  return first != second && (first || !isDifference) ? kind : std::nullopt;
}

/// 1 if the comparison holds where its first operand is greater, -1 if where it is less, else 0.
int direction(Operation *compare) {
  if (auto op = dyn_cast_or_null<arith::CmpFOp>(compare))
    switch (op.getPredicate()) {
    case arith::CmpFPredicate::OGT:
    case arith::CmpFPredicate::OGE:
    case arith::CmpFPredicate::UGT:
    case arith::CmpFPredicate::UGE:
      return 1;
    case arith::CmpFPredicate::OLT:
    case arith::CmpFPredicate::OLE:
    case arith::CmpFPredicate::ULT:
    case arith::CmpFPredicate::ULE:
      return -1;
    default:
      return 0;
    }
  if (auto op = dyn_cast_or_null<arith::CmpIOp>(compare))
    switch (op.getPredicate()) {
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::sge:
      return 1;
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sle:
      return -1;
    default:
      return 0;
    }
  return 0;
}

/// What a variable becomes where a comparison with it decides that the other value is taken.
std::optional<Reduction> extremum(Operation *compare, Value variable, bool takesOtherIfTrue) {
  int sign = direction(compare);
  if (sign == 0)
    return {};
  bool first = isLoadOf(compare->getOperand(0), variable);
  if (first == isLoadOf(compare->getOperand(1), variable))
    return {};
  if (first)
    sign = -sign; // of the other value against the variable
  if (!takesOtherIfTrue)
    sign = -sign;
  return sign > 0 ? Reduction::MAX : Reduction::MIN;
}

/// m = merge(x, m, x > m), as maximum and minimum become it.
std::optional<Reduction> selectReduction(Operation *op, Value variable) {
  auto select = dyn_cast_or_null<arith::SelectOp>(op);
  if (!select)
    return {};
  bool ifTrue = isLoadOf(select.getTrueValue(), variable);
  if (ifTrue == isLoadOf(select.getFalseValue(), variable))
    return {};
  return extremum(select.getCondition().getDefiningOp(), variable, !ifTrue);
}

/// if (x > m) m = x
std::optional<Reduction> conditionalReduction(fir::StoreOp store, Value variable) {
  auto branch = dyn_cast<fir::IfOp>(store->getParentOp());
  if (!branch || store->getParentRegion() != &branch.getThenRegion())
    return {};
  return extremum(withoutConversions(branch.getCondition()).getDefiningOp(), variable, true);
}

std::optional<Reduction> reductionOf(fir::StoreOp store, Value variable) {
  Operation *value = withoutConversions(store.getValue()).getDefiningOp();
  if (auto found = binaryReduction(value, variable))
    return found;
  if (auto found = selectReduction(value, variable))
    return found;
  return conditionalReduction(store, variable);
}

/// The reduction that all stores in the body are of; none if they differ or one is of no reduction.
std::optional<Reduction> commonReduction(ArrayRef<fir::StoreOp> stores, Value variable) {
  std::optional<Reduction> common;
  for (fir::StoreOp store : stores) {
    std::optional<Reduction> one = reductionOf(store, variable);
    if (!one || (common && *common != *one))
      return {};
    common = one;
  }
  return common;
}

std::optional<Reduction> fromClause(cuf::KernelOp loops, Value variable) {
  std::optional<ArrayAttr> attributes = loops.getReduceAttrs();
  if (!attributes)
    return {};
  for (auto [operand, attribute] : llvm::zip(loops.getReduceOperands(), *attributes))
    if (operand == variable)
      return cast<fir::ReduceAttr>(attribute).getReduceOperation();
  return {};
}

} // namespace

Scalar classifyScalar(cuf::KernelOp loops, Value variable) {
  Scalar scalar{variable, fir::unwrapRefType(variable.getType())};
  if (auto clause = fromClause(loops, variable)) {
    scalar.use = ScalarUse::Reduction;
    scalar.reduction = *clause;
    return scalar;
  }
  SmallVector<fir::StoreOp> stores;
  bool isRead = false, isWrittenFirst = false;
  loops.getRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto store = dyn_cast<fir::StoreOp>(op); store && store.getMemref() == variable) {
      isWrittenFirst |= stores.empty() && !isRead;
      stores.push_back(store);
    } else if (llvm::is_contained(op->getOperands(), variable)) {
      isRead = true;
    }
  });
  if (stores.empty() || isWrittenFirst)
    return scalar;
  std::optional<Reduction> reduction = commonReduction(stores, variable);
  scalar.use = reduction ? ScalarUse::Reduction : ScalarUse::Unknown;
  scalar.reduction = reduction.value_or(Reduction::Add);
  return scalar;
}

Scalar classifyInOneThread(cuf::KernelOp loops, Value variable) {
  Scalar scalar{variable, fir::unwrapRefType(variable.getType())};
  bool isFlangs = variable.getDefiningOp<fir::AllocaOp>() != nullptr; // a counter of the loops
  loops.getRegion().walk([&](fir::StoreOp store) {
    if (store.getMemref() == variable && !isFlangs)
      scalar.use = ScalarUse::Carried;
  });
  return scalar;
}

} // namespace heddle::fortran
