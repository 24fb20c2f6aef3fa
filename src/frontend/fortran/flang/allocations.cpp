// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The descriptor of an array says which allocator it has (lib/fortran/memory.cpp). Flang 22 writes
// it for variables, and for components with the attribute device; components that are managed,
// unified or pinned would be in the memory of malloc, and so would be copies that threads of OpenMP
// have of variables. They get theirs where they are allocated:
//
//   cuf.allocate %box {data_attr = managed}
//     -> fir.call @heddleFortranSetAllocator(%box, 3); cuf.allocate %box {data_attr = managed}
//
// C_F_POINTER writes a descriptor without an allocator, be the array allocatable or a pointer.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "flang/Runtime/allocator-registry-consts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::fortran {

namespace {

constexpr const char *SetAllocator = "heddleFortranSetAllocator";

/// The number of the allocator; 0 if the attribute needs none.
int allocatorOf(cuf::DataAttribute attribute) {
  switch (attribute) {
  case cuf::DataAttribute::Device:
    return kDeviceAllocatorPos;
  case cuf::DataAttribute::Pinned:
    return kPinnedAllocatorPos;
  case cuf::DataAttribute::Managed:
    return kManagedAllocatorPos;
  case cuf::DataAttribute::Unified:
    return kUnifiedAllocatorPos;
  default:
    return 0;
  }
}

/// Whether a variable is a thread's copy of another, whose descriptor nobody has written.
bool isCopyOfThread(mlir::Value box) {
  auto declare = box.getDefiningOp<fir::FortranVariableOpInterface>();
  auto argument = mlir::dyn_cast_if_present<mlir::BlockArgument>(
      declare ? declare->getOperand(0) : mlir::Value());
  return argument && !mlir::isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
}

void setAllocator(mlir::ModuleOp module, cuf::AllocateOp allocate) {
  auto attribute = allocate.getDataAttr().value_or(cuf::DataAttribute::Device);
  int allocator = allocatorOf(attribute);
  bool isWritten =
      attribute == cuf::DataAttribute::Device && !isCopyOfThread(allocate.getBox());
  if (allocator == 0 || isWritten)
    return;
  mlir::Location location = allocate.getLoc();
  fir::FirOpBuilder builder(allocate, fir::getKindMapping(module));
  auto box = fir::ReferenceType::get(fir::BoxType::get(builder.getNoneType()));
  auto type = mlir::FunctionType::get(builder.getContext(), {box, builder.getI32Type()}, {});
  mlir::Value number = builder.createIntegerConstant(location, builder.getI32Type(), allocator);
  fir::CallOp::create(builder, location, builder.createFunction(location, SetAllocator, type),
                      {builder.createConvert(location, box, allocate.getBox()), number});
}

/// The descriptor that C_F_POINTER stores to a variable.
void setAllocator(fir::StoreOp store) {
  auto box = store.getValue().getDefiningOp<fir::EmboxOp>();
  auto variable = store.getMemref().getDefiningOp<hlfir::DeclareOp>();
  std::optional<cuf::DataAttribute> attribute = variable ? variable.getDataAttr() : std::nullopt;
  int allocator = attribute ? allocatorOf(*attribute) : 0;
  if (box && allocator != 0 && !box.getAllocatorIdx())
    box.setAllocatorIdx(allocator);
}

} // namespace

void mendAllocations(mlir::ModuleOp module) {
  module.walk([&](cuf::AllocateOp allocate) { setAllocator(module, allocate); });
  module.walk([](fir::StoreOp store) { setAllocator(store); });
}

} // namespace heddle::fortran
