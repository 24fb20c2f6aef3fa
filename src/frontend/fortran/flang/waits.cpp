// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of the host over arrays of the device. Flang 22 refuses most of them, and copies
// whole arrays to the host for some. Here the host computes all of them where they are, for device
// memory is memory of the process; what was launched before must have ended:
//
//   a_d = sqrt(b_d) + c(1:n)     -> wait; temporary = sqrt(b_d) + c(1:n); transfer to a_d
//   if (any(a_d > x_d)) ...      -> wait; if ...
//   where (a_d > 0) b_d = 1/a_d  -> wait; where ...
//
// So they have the host's meaning, with any function, and a left side may be on the right, too.
// Transfers alone (transfers.cpp) wait in the runtime.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Optimizer/Builder/CUFCommon.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"

namespace heddle::fortran {

namespace {

/// What lib/fortran has for host code that reads device memory itself.
constexpr const char *Wait = "heddleFortranWait";

bool isCallOf(mlir::Operation *op, llvm::StringRef prefix) {
  auto call = mlir::dyn_cast<fir::CallOp>(op);
  std::optional<mlir::SymbolRefAttr> callee = call ? call.getCallee() : std::nullopt;
  return callee && callee->getRootReference().getValue().starts_with(prefix);
}

/// Whether the operation is in code of the host alone.
bool isOnHost(mlir::Operation *op) {
  auto function = op->getParentOfType<mlir::func::FuncOp>();
  auto kind = function ? function->getAttrOfType<cuf::ProcAttributeAttr>(cuf::getProcAttrName())
                       : cuf::ProcAttributeAttr();
  return (!kind || kind.getValue() == cuf::ProcAttribute::Host) && !cuf::isCUDADeviceContext(op);
}

/// Whether the operation itself launches kernels, or calls what may.
bool launches(mlir::Operation *op) {
  if (mlir::isa<cuf::KernelOp, cuf::KernelLaunchOp, fir::DispatchOp>(op))
    return true;
  return mlir::isa<fir::CallOp>(op) && !isCallOf(op, "_FortranA") && !isCallOf(op, Wait);
}

/// The same of what is in it.
bool mayLaunch(mlir::Operation *op) {
  auto found = op->walk([](mlir::Operation *inner) {
    return launches(inner) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// The outermost operation that `op` is a part of in its statement.
mlir::Operation *wholeOf(mlir::Operation *op) {
  for (mlir::Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp()) {
    bool isOne = outer->getLoc() == op->getLoc() && !mlir::isa<mlir::FunctionOpInterface>(outer);
    if (mlir::isa<hlfir::OrderedAssignmentTreeOpInterface, hlfir::ElementalOpInterface>(outer) ||
        isOne)
      op = outer;
  }
  return op;
}

/// Whether the operation is of an earlier statement than one at the location.
bool isOfOther(mlir::Operation *op, mlir::Location location) {
  return op->getLoc() != location && !mlir::isMemoryEffectFree(op) && !mlir::isa<fir::LoadOp>(op);
}

bool hasWaited(mlir::Operation *op) {
  for (; op && !mayLaunch(op); op = op->getPrevNode())
    if (isCallOf(op, Wait))
      return true;
  return false;
}

/// The address or descriptor that this one is made of; null if it is none.
mlir::Value baseOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<mlir::Operation *, mlir::Value>(op)
      .Case([](hlfir::DeclareOp variable) { return variable.getMemref(); })
      .Case([](hlfir::DesignateOp part) { return part.getMemref(); })
      .Case([](hlfir::ParentComponentOp part) { return part.getMemref(); })
      .Case([](fir::LoadOp load) { return load.getMemref(); })
      .Case<fir::ConvertOp, fir::BoxAddrOp, fir::ReboxOp, fir::EmboxOp, fir::EmboxCharOp,
            fir::UnboxCharOp, fir::CoordinateOp>([](auto op) { return op->getOperand(0); })
      .Default([](mlir::Operation *) { return mlir::Value(); });
}

bool isNumber(mlir::Type type) { return fir::isa_trivial(type) || fir::isa_char(type); }

bool isOnDevice(mlir::Value value, const llvm::StringSet<> &components) {
  for (; value && !isNumber(value.getType()); value = baseOf(value)) {
    auto part = value.getDefiningOp<hlfir::DesignateOp>();
    if (part && part.getComponent() && components.contains(*part.getComponent()))
      return true;
    if (auto variable = value.getDefiningOp<hlfir::DeclareOp>())
      if (auto attribute = variable.getDataAttr())
        return attribute == cuf::DataAttribute::Device || attribute == cuf::DataAttribute::Constant;
  }
  return false;
}

/// Whether the operation looks at memory that it has the address of, or writes there; others look
/// at descriptors alone.
bool usesMemory(mlir::Operation *op) {
  if (auto load = mlir::dyn_cast<fir::LoadOp>(op))
    return !fir::isa_box_type(load.getType());
  if (mlir::isa<fir::CallOp>(op))
    return op->getParentOfType<hlfir::ElementalOpInterface>() ||
           (isCallOf(op, "_FortranA") && !isCallOf(op, "_FortranAAllocatable") &&
            !isCallOf(op, "_FortranAPointer") && !isCallOf(op, "_FortranACUF"));
  if (mlir::isa<hlfir::DeclareOp, hlfir::DesignateOp, hlfir::ParentComponentOp, hlfir::CopyInOp,
                hlfir::CopyOutOp, hlfir::GetLengthOp, hlfir::GetExtentOp, hlfir::EndAssociateOp,
                hlfir::DestroyOp>(op))
    return false;
  if (auto store = mlir::dyn_cast<fir::StoreOp>(op))
    return isNumber(store.getValue().getType());
  return op->getName().getDialectNamespace() == "hlfir";
}

} // namespace

void waitBefore(mlir::Operation *op) {
  mlir::Operation *begin = wholeOf(op);
  mlir::Location location = begin->getLoc();
  while (begin->getPrevNode() && !isOfOther(begin->getPrevNode(), location))
    begin = begin->getPrevNode();
  if (hasWaited(begin->getPrevNode()) || isCallOf(begin, Wait))
    return;
  fir::FirOpBuilder builder(begin, fir::getKindMapping(op->getParentOfType<mlir::ModuleOp>()));
  auto type = mlir::FunctionType::get(builder.getContext(), {}, {});
  fir::CallOp::create(builder, location, builder.createFunction(location, Wait, type));
}

void mendWaits(mlir::ModuleOp module, const llvm::StringSet<> &components) {
  llvm::SmallVector<mlir::Operation *> found;
  module.walk([&](mlir::Operation *op) {
    auto reaches = [&](mlir::Value value) { return isOnDevice(value, components); };
    if (usesMemory(op) && llvm::any_of(op->getOperands(), reaches) && isOnHost(op))
      found.push_back(op);
  });
  for (mlir::Operation *op : found)
    waitBefore(op);
}

} // namespace heddle::fortran

namespace Fortran::evaluate {
struct SomeType;
template <typename T> class Expr;
} // namespace Fortran::evaluate

// HasCUDAImplicitTransfer(expression): whether Flang copies what is on the device in it.
bool isCopiedByFlang(const Fortran::evaluate::Expr<Fortran::evaluate::SomeType> &) __asm__(
    "__wrap__ZN7Fortran8evaluate23HasCUDAImplicitTransferERKNS0_4ExprINS0_8SomeTypeEEE");
bool isCopiedByFlang(const Fortran::evaluate::Expr<Fortran::evaluate::SomeType> &) { return false; }
