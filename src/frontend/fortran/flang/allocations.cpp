// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The descriptor of an array says which allocator it has (lib/fortran/memory.cpp). Flang 22 writes
// it for variables, and for components with the attribute device of variables that are no module's.
// Other components would be in the memory of malloc, and so would be copies that threads of OpenMP
// have of variables. They get theirs where they are allocated:
//
//   cuf.allocate %box {data_attr = managed}
//     -> fir.call @heddleFortranSetAllocator(%box, 3); cuf.allocate %box {data_attr = managed}
//
// C_F_POINTER writes a descriptor without an allocator, be the array allocatable or a pointer. And
// what an allocatable dummy with INTENT(OUT) has at first is freed as the host's memory is:
//
//   fir.freemem (address in %box)  ->  fir.call @_FortranACUFMemFree(address, 0)
//
// The caller frees a function's allocatable result as the host's memory, too; its descriptor says
// where it is:
//
//   fir.freemem (address in %result)  ->  fir.call @heddleFortranFreeResult(%result)
//
// Structures with components on the device are managed memory for Flang, which boards before Kepler
// lack. The host alone looks at them, so they are unified memory, which our runtime has everywhere
// (lib/fortran/memory.cpp). If one is a function's result, the
// memory is the caller's in the end, and Flang would free that:
//
//   %r = cuf.alloc T; ...; %v = fir.load %r; cuf.free %r; return %v
//     -> %r = fir.alloca T; ...; %v = fir.load %r; return %v
#include "frontend/fortran/flang/hooks.h"

#include "flang/Optimizer/Builder/CUFCommon.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/Runtime/RTBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "flang/Runtime/CUDA/common.h"
#include "flang/Runtime/CUDA/memory.h"
#include "flang/Runtime/allocator-registry-consts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::fortran {

namespace {

constexpr const char *SetAllocator = "heddleFortranSetAllocator";
constexpr const char *FreeResult = "heddleFortranFreeResult";

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
  auto argument = mlir::dyn_cast_if_present<mlir::BlockArgument>(declare ? declare->getOperand(0)
                                                                         : mlir::Value());
  return argument && !mlir::isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
}

bool isComponent(mlir::Value box) {
  auto designate = box.getDefiningOp<hlfir::DesignateOp>();
  return designate && designate.getComponent();
}

/// Whether a variable is of structures with descriptors of arrays.
bool isOfStructures(mlir::Type type) {
  auto record = mlir::dyn_cast<fir::RecordType>(hlfir::getFortranElementType(type));
  return record && llvm::any_of(record.getTypeList(), [](const auto &component) {
           return mlir::isa<fir::BaseBoxType>(component.second);
         });
}

/// What is allocated for a variable with the attribute.
cuf::DataAttribute memoryFor(cuf::DataAttribute attribute, mlir::Type type) {
  return attribute == cuf::DataAttribute::Managed && isOfStructures(type)
             ? cuf::DataAttribute::Unified
             : attribute;
}

void setAllocator(mlir::ModuleOp module, cuf::AllocateOp allocate) {
  auto attribute = memoryFor(allocate.getDataAttr().value_or(cuf::DataAttribute::Device),
                             allocate.getBox().getType());
  int allocator = allocatorOf(attribute);
  bool isWritten = attribute == cuf::DataAttribute::Device && !isCopyOfThread(allocate.getBox()) &&
                   !isComponent(allocate.getBox());
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

/// The variable that holds the array whose memory is freed; null if it is none of one's own.
hlfir::DeclareOp variableOf(fir::FreeMemOp release) {
  auto address = release.getHeapref().getDefiningOp<fir::BoxAddrOp>();
  auto load = address ? address.getVal().getDefiningOp<fir::LoadOp>() : fir::LoadOp();
  return load ? load.getMemref().getDefiningOp<hlfir::DeclareOp>() : hlfir::DeclareOp();
}

unsigned kindOf(cuf::DataAttribute attribute) {
  switch (attribute) {
  case cuf::DataAttribute::Managed:
    return kMemTypeManaged;
  case cuf::DataAttribute::Unified:
    return kMemTypeUnified;
  case cuf::DataAttribute::Pinned:
    return kMemTypePinned;
  default:
    return kMemTypeDevice;
  }
}

void freeWhereItIs(mlir::ModuleOp module, fir::FreeMemOp release) {
  hlfir::DeclareOp variable = variableOf(release);
  std::optional<cuf::DataAttribute> attribute = variable ? variable.getDataAttr() : std::nullopt;
  bool isInDeviceCode = cuf::isCUDADeviceContext(release); // whose heap is the one of free
  if (!attribute || allocatorOf(*attribute) == 0 || isInDeviceCode)
    return;
  mlir::Location location = release.getLoc();
  fir::FirOpBuilder builder(release, fir::getKindMapping(module));
  using namespace Fortran::runtime::cuda;
  mlir::func::FuncOp free = fir::runtime::getRuntimeFunc<mkRTKey(CUFMemFree)>(location, builder);
  mlir::Value kind =
      builder.createIntegerConstant(location, builder.getI32Type(), kindOf(*attribute));
  mlir::Value file = fir::factory::locationToFilename(builder, location);
  mlir::Value line = fir::factory::locationToLineNo(builder, location, builder.getI32Type());
  fir::CallOp::create(builder, location, free,
                      fir::runtime::createArguments(builder, location, free.getFunctionType(),
                                                    release.getHeapref(), kind, file, line));
  release.erase();
}

/// Where the caller has the result whose memory is freed; null if it is something else.
fir::AllocaOp resultOf(fir::FreeMemOp release) {
  auto address = release.getHeapref().getDefiningOp<fir::BoxAddrOp>();
  auto load = address ? address.getVal().getDefiningOp<fir::LoadOp>() : fir::LoadOp();
  auto place = load ? load.getMemref().getDefiningOp<fir::AllocaOp>() : fir::AllocaOp();
  return place && place.getBindcName() == ".result" ? place : fir::AllocaOp();
}

void freeResult(mlir::ModuleOp module, fir::FreeMemOp release) {
  fir::AllocaOp place = resultOf(release);
  if (!place || cuf::isCUDADeviceContext(release))
    return;
  mlir::Location location = release.getLoc();
  fir::FirOpBuilder builder(release, fir::getKindMapping(module));
  auto box = fir::ReferenceType::get(fir::BoxType::get(builder.getNoneType()));
  auto type = mlir::FunctionType::get(builder.getContext(), {box}, {});
  fir::CallOp::create(builder, location, builder.createFunction(location, FreeResult, type),
                      {builder.createConvert(location, box, place)});
  release.erase();
}

/// The memory of a result that is returned by value; null if it is no such.
cuf::AllocOp memoryOf(mlir::Value result) {
  auto load = result.getDefiningOp<fir::LoadOp>();
  auto variable = load ? load.getMemref().getDefiningOp<hlfir::DeclareOp>() : hlfir::DeclareOp();
  auto memory = variable ? variable.getMemref().getDefiningOp<cuf::AllocOp>() : cuf::AllocOp();
  return memory && !mlir::isa<fir::BaseBoxType>(memory.getInType()) ? memory : cuf::AllocOp();
}

void leaveToCaller(cuf::AllocOp memory) {
  mlir::OpBuilder builder(memory);
  auto local = fir::AllocaOp::create(builder, memory.getLoc(), memory.getInType(),
                                     memory.getTypeparams(), memory.getShape());
  for (mlir::Operation *user : llvm::make_early_inc_range(memory->getUsers()))
    if (auto variable = mlir::dyn_cast<hlfir::DeclareOp>(user)) {
      variable->removeAttr(variable.getDataAttrAttrName());
      for (mlir::Operation *use : llvm::make_early_inc_range(variable->getUsers()))
        if (mlir::isa<cuf::FreeOp>(use))
          use->erase();
    }
  memory.replaceAllUsesWith(local.getResult());
  memory.erase();
}

} // namespace

void mendAllocations(mlir::ModuleOp module) {
  module.walk([](mlir::func::ReturnOp end) {
    for (mlir::Value result : end.getOperands())
      if (cuf::AllocOp memory = memoryOf(result))
        leaveToCaller(memory);
  });
  module.walk([](cuf::AllocOp memory) {
    memory.setDataAttr(memoryFor(memory.getDataAttr(), memory.getInType()));
  });
  module.walk([&](fir::FreeMemOp release) { freeWhereItIs(module, release); });
  module.walk([&](fir::FreeMemOp release) { freeResult(module, release); });
  module.walk([&](cuf::AllocateOp allocate) { setAllocator(module, allocate); });
  module.walk([](fir::StoreOp store) { setAllocator(store); });
}

} // namespace heddle::fortran
