// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The descriptor of an array says which allocator it has (lib/fortran/memory.cpp). Flang 22 writes
// it for variables, and for components with the attribute device; components that are managed,
// unified or pinned would be in the memory of malloc. They get theirs where they are allocated:
//
//   cuf.allocate %box {data_attr = managed}
//     -> fir.call @heddleFortranSetAllocator(%box, 3); cuf.allocate %box {data_attr = managed}
#include "frontend/fortran/flang/hooks.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Runtime/allocator-registry-consts.h"

namespace heddle::fortran {

namespace {

constexpr const char *SetAllocator = "heddleFortranSetAllocator";

/// The number of the allocator; 0 where Flang has written it.
int allocatorOf(cuf::DataAttribute attribute) {
  switch (attribute) {
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

void setAllocator(mlir::ModuleOp module, cuf::AllocateOp allocate) {
  int allocator = allocatorOf(allocate.getDataAttr().value_or(cuf::DataAttribute::Device));
  if (allocator == 0)
    return;
  mlir::Location location = allocate.getLoc();
  fir::FirOpBuilder builder(allocate, fir::getKindMapping(module));
  auto box = fir::ReferenceType::get(fir::BoxType::get(builder.getNoneType()));
  auto type = mlir::FunctionType::get(builder.getContext(), {box, builder.getI32Type()}, {});
  mlir::Value number = builder.createIntegerConstant(location, builder.getI32Type(), allocator);
  fir::CallOp::create(builder, location, builder.createFunction(location, SetAllocator, type),
                      {builder.createConvert(location, box, allocate.getBox()), number});
}

} // namespace

void mendAllocations(mlir::ModuleOp module) {
  module.walk([&](cuf::AllocateOp allocate) { setAllocator(module, allocate); });
}

} // namespace heddle::fortran
