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
//
// Managed arrays are the host's, too. Assignments of arrays and expressions over them wait; an
// element alone is read and written as in C, where waiting is the program's affair:
//
//   b = ms, a(i:j) = -g(i:j)     -> wait; b = ms
//   h = make(n), a managed array -> call; wait; h = its result
//
// A section with gaps is copied for a dummy argument without. The copy of what is on the device is
// there, too: its descriptor has the allocator of the section's.
#include "frontend/fortran/flang/assignments.h"
#include "frontend/fortran/flang/hooks.h"
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Builder/CUFCommon.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "flang/Runtime/allocator-registry-consts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"

namespace heddle::fortran {

namespace {

// In lib/fortran: for host code that reads device memory itself, and for descriptors.
constexpr const char *Wait = "heddleFortranWait";
constexpr const char *SetAllocator = "heddleFortranSetAllocator";
/// Is there if the host's code touches arrays of the device (lib/fortran/on_gpu.h).
constexpr const char *HostTouches = "heddleFortranHostTouches";

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

} // namespace

std::optional<cuf::DataAttribute> attributeOf(mlir::Value value, const DeviceNames &names) {
  for (; value && !isNumber(value.getType()); value = baseOf(value)) {
    auto part = value.getDefiningOp<hlfir::DesignateOp>();
    if (part && part.getComponent() && names.components.contains(*part.getComponent()))
      return cuf::DataAttribute::Device;
    if (part && part.getComponent() && names.managedComponents.contains(*part.getComponent()))
      return cuf::DataAttribute::Managed;
    if (auto variable = value.getDefiningOp<hlfir::DeclareOp>())
      if (auto attribute = variable.getDataAttr())
        return attribute;
  }
  return std::nullopt;
}

namespace {

bool isArray(mlir::Value value) {
  return mlir::isa<fir::SequenceType>(hlfir::getFortranElementOrSequenceType(value.getType()));
}

/// Whether the operation is of arrays, or part of what is computed for each element of one.
bool isOfArrays(mlir::Operation *op) {
  return op->getParentOfType<hlfir::ElementalOpInterface>() ||
         op->getParentOfType<hlfir::OrderedAssignmentTreeOpInterface>() ||
         llvm::any_of(op->getOperands(), isArray);
}

bool isOnDevice(mlir::Value value, const DeviceNames &names) {
  std::optional<cuf::DataAttribute> attribute = attributeOf(value, names);
  return attribute == cuf::DataAttribute::Device || attribute == cuf::DataAttribute::Constant;
}

/// Whether the operation must not run before the device's work with the value has ended.
bool mustWaitFor(mlir::Operation *op, mlir::Value value, const DeviceNames &names) {
  std::optional<cuf::DataAttribute> attribute = attributeOf(value, names);
  if (attribute == cuf::DataAttribute::Managed || attribute == cuf::DataAttribute::Unified)
    return isOfArrays(op);
  return isOnDevice(value, names);
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

mlir::func::FuncOp waitFunction(fir::FirOpBuilder &builder, mlir::Location location) {
  auto type = mlir::FunctionType::get(builder.getContext(), {}, {});
  return builder.createFunction(location, Wait, type);
}

/// The user's name of the function that is called; empty if it is not known.
std::string nameOfCalled(fir::CallOp call) {
  std::optional<mlir::SymbolRefAttr> callee = call.getCallee();
  return callee ? fir::NameUniquer::deconstruct(callee->getRootReference().getValue()).second.name
                : "";
}

/// A function's kernels may still work at its result when it returns.
void waitBehind(fir::CallOp call) {
  mlir::Operation *last = call;
  if (call->getNumResults() == 1 && call->hasOneUse())
    if (auto save = mlir::dyn_cast<fir::SaveResultOp>(*call->user_begin()))
      last = save;
  fir::FirOpBuilder builder(call, fir::getKindMapping(call->getParentOfType<mlir::ModuleOp>()));
  mlir::func::FuncOp wait = waitFunction(builder, call.getLoc());
  builder.setInsertionPointAfter(last);
  fir::CallOp::create(builder, call.getLoc(), wait);
}

void markTouches(mlir::ModuleOp module) {
  fir::FirOpBuilder builder(module, fir::getKindMapping(module));
  builder.setInsertionPointToStart(module.getBody());
  builder.createGlobalConstant(
      module.getLoc(), builder.getIntegerType(8), HostTouches,
      [&](fir::FirOpBuilder &inner) {
        mlir::Value one = inner.createIntegerConstant(module.getLoc(), inner.getIntegerType(8), 1);
        fir::HasValueOp::create(inner, module.getLoc(), one);
      },
      builder.createWeakLinkage());
}

void copyOnDevice(hlfir::CopyInOp copy) {
  mlir::Location location = copy.getLoc();
  fir::FirOpBuilder builder(copy, fir::getKindMapping(copy->getParentOfType<mlir::ModuleOp>()));
  mlir::Value box = copy.getVar();
  mlir::Value place = builder.createTemporary(location, box.getType());
  fir::StoreOp::create(builder, location, box, place);
  auto any = fir::ReferenceType::get(fir::BoxType::get(builder.getNoneType()));
  auto type = mlir::FunctionType::get(builder.getContext(), {any, builder.getI32Type()}, {});
  mlir::Value allocator =
      builder.createIntegerConstant(location, builder.getI32Type(), kDeviceAllocatorPos);
  fir::CallOp::create(builder, location, builder.createFunction(location, SetAllocator, type),
                      {builder.createConvert(location, any, place), allocator});
  copy.getVarMutable().assign(fir::LoadOp::create(builder, location, place));
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
  fir::CallOp::create(builder, location, waitFunction(builder, location));
}

/// A constant array is no constant memory on a GPU where the host's code looks at it itself.
void markConstant(mlir::ModuleOp module, mlir::Value value) {
  while (mlir::Value base = baseOf(value))
    value = base;
  if (auto address = value.getDefiningOp<fir::AddrOfOp>())
    if (auto global = module.lookupSymbol<fir::GlobalOp>(address.getSymbol());
        global && global.getDataAttr() == cuf::DataAttribute::Constant)
      global->setAttr(TouchedMark, mlir::UnitAttr::get(module.getContext()));
}

void mendWaits(mlir::ModuleOp module, const DeviceNames &names) {
  callAssignments(module, names);
  llvm::SmallVector<mlir::Operation *> found;
  llvm::SmallVector<fir::CallOp> calls;
  llvm::SmallVector<hlfir::CopyInOp> copies;
  bool touches = false;
  module.walk([&](mlir::Operation *op) {
    if (auto copy = mlir::dyn_cast<hlfir::CopyInOp>(op);
        copy && isOnHost(op) && mlir::isa<fir::BaseBoxType>(copy.getVar().getType()) &&
        attributeOf(copy.getVar(), names) == cuf::DataAttribute::Device)
      copies.push_back(copy);
    auto reaches = [&](mlir::Value value) { return mustWaitFor(op, value, names); };
    if (usesMemory(op) && llvm::any_of(op->getOperands(), reaches) && isOnHost(op)) {
      found.push_back(op);
      for (mlir::Value value : op->getOperands())
        if (isOnDevice(value, names)) {
          touches = true;
          markConstant(module, value);
        }
    }
    if (auto call = mlir::dyn_cast<fir::CallOp>(op);
        call && isOnHost(op) && names.functions.contains(nameOfCalled(call)))
      calls.push_back(call);
  });
  for (mlir::Operation *op : found)
    waitBefore(op);
  if (touches || !calls.empty())
    markTouches(module);
  for (fir::CallOp call : calls)
    waitBehind(call);
  for (hlfir::CopyInOp copy : copies)
    copyOnDevice(copy);
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
