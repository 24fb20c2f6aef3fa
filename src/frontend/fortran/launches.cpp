// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches become calls of the runtime, which takes the addresses of the arguments and copies them
// before it returns.
//
// Flang passes descriptors (of assumed-shape dummies) and values of derived type by address, and
// its own lowering leaves them on the host's stack, where kernels may not read, or in memory that
// nobody frees. Here they travel by value: the kernel's parameter has LLVM's attribute `byval`, as
// clang gives it to structures, and its code does not change.
//
//   cuf.kernel_launch @k<<<...>>>(%box, %n)  ->  store %box to %a; store %n to %b
//                                                fir.call @_FortranACUFLaunchKernel(@k, ..., [%a,
//                                                %b])
//
// The rule needs no more than a kernel's declaration: a dummy of derived type is a value if it has
// no attribute of data.
#include "frontend/fortran/stages.h"
#include "frontend/fortran/text_arguments.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/Support/DataLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

// Of a descriptor (flang/ISO_Fortran_binding.h; the addendum as in Flang's runtime, for one type
// without parameters).
constexpr uint64_t HeadBytes = 24, DimensionBytes = 24, AddendumBytes = 16, Alignment = 8;

uint64_t bytesOf(fir::BaseBoxType box) {
  Type element = fir::unwrapPassByRefType(box);
  unsigned rank = 0;
  if (auto array = dyn_cast<fir::SequenceType>(element)) {
    rank = array.getDimension();
    element = array.getEleTy();
  }
  bool hasAddendum = isa<fir::RecordType, NoneType>(element);
  return HeadBytes + DimensionBytes * rank + (hasAddendum ? AddendumBytes : 0);
}

/// Size and alignment of what an argument's address stands for; no size for one that is itself the
/// value or an address for the kernel.
std::pair<uint64_t, unsigned> sizeByValue(func::FuncOp kernel, unsigned argument,
                                          const DataLayout &layout, const fir::KindMapping &kinds) {
  Type type = kernel.getArgumentTypes()[argument];
  if (auto box = dyn_cast<fir::BaseBoxType>(type))
    return {bytesOf(box), Alignment};
  auto record = dyn_cast<fir::RecordType>(fir::unwrapRefType(type));
  if (!record || !fir::isa_ref_type(type) || kernel.getArgAttr(argument, cuf::getDataAttrName()))
    return {0, 1};
  return fir::getTypeSizeAndAlignmentOrCrash(kernel.getLoc(), record, layout, kinds);
}

class Launch {
public:
  Launch(cuf::KernelLaunchOp launch, func::FuncOp kernel)
      : launch_(launch), kernel_(kernel), location_(launch.getLoc()),
        builder_(launch, fir::getKindMapping(launch->getParentOfType<ModuleOp>())),
        pointer_(fir::LLVMPointerType::get(builder_.getContext(), builder_.getI8Type())) {}

  void lower() {
    Value arguments = argumentArray();
    SmallVector<Value> values = {
        builder_.createConvert(location_, pointer_,
                               fir::AddrOfOp::create(builder_, location_, kernel_.getFunctionType(),
                                                     launch_.getCallee()))};
    std::string name = "_FortranACUFLaunchKernel";
    if (auto cluster =
            kernel_->getAttrOfType<cuf::ClusterDimsAttr>(cuf::getClusterDimsAttrName())) {
      name = "_FortranACUFLaunchClusterKernel";
      for (IntegerAttr size : {cluster.getX(), cluster.getY(), cluster.getZ()})
        values.push_back(integer(64, size.getInt()));
    } else if (kernel_->getAttrOfType<cuf::ProcAttributeAttr>(cuf::getProcAttrName()).getValue() ==
               cuf::ProcAttribute::GridGlobal) {
      name = "_FortranACUFLaunchCooperativeKernel";
    }
    for (Value size : {launch_.getGridX(), launch_.getGridY(), launch_.getGridZ(),
                       launch_.getBlockX(), launch_.getBlockY(), launch_.getBlockZ()})
      values.push_back(builder_.createConvert(location_, builder_.getI64Type(), size));
    values.push_back(launch_.getStream() ? pointer(launch_.getStream()) : null());
    values.push_back(launch_.getBytes() ? launch_.getBytes() : integer(32, 0));
    values.append({arguments, null()});
    call(name, values);
    launch_.erase();
  }

private:
  Value integer(unsigned bits, int64_t value) {
    return builder_.createIntegerConstant(location_, builder_.getIntegerType(bits), value);
  }

  Value pointer(Value reference) { return builder_.createConvert(location_, pointer_, reference); }

  Value null() { return builder_.createConvert(location_, pointer_, integer(64, 0)); }

  /// Memory that the function frees when it returns, in its first block: a launch may stand in a
  /// loop.
  Value allocate(Type type) {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointToStart(builder_.getAllocaBlock());
    return fir::AllocaOp::create(builder_, location_, type);
  }

  /// The address of an argument's value.
  Value addressOf(unsigned index, Value value) {
    if (fir::isa_ref_type(value.getType()) && kernel_.getArgAttr(index, "llvm.byval"))
      return pointer(value);
    value = onDevice(value);
    if (!isa<fir::BaseBoxType>(value.getType()) && fir::conformsWithPassByRef(value.getType()))
      value = builder_.createConvert(location_, builder_.getI64Type(), value);
    Value place = allocate(value.getType());
    fir::StoreOp::create(builder_, location_, value, place);
    return pointer(place);
  }

  /// A module's allocatable or pointer goes by the descriptor that kernels see.
  Value onDevice(Value value) {
    if (!fir::isa_ref_type(value.getType()) ||
        !isa<fir::BaseBoxType>(fir::unwrapRefType(value.getType())))
      return value;
    Value origin = value;
    if (auto declaration = value.getDefiningOp<fir::DeclareOp>())
      origin = declaration.getMemref();
    auto global = origin.getDefiningOp<fir::AddrOfOp>();
    if (!global)
      return value;
    return cuf::DeviceAddressOp::create(builder_, location_, value.getType(), global.getSymbol());
  }

  Value argumentArray() {
    auto type = fir::SequenceType::get(
        {static_cast<int64_t>(std::max<size_t>(launch_.getArgs().size(), 1))}, pointer_);
    Value array = allocate(type);
    for (auto [index, value] : llvm::enumerate(launch_.getArgs())) {
      Value address = addressOf(static_cast<unsigned>(index), value);
      Value element =
          fir::CoordinateOp::create(builder_, location_, builder_.getRefType(pointer_), array,
                                    ValueRange{integer(64, static_cast<int64_t>(index))});
      fir::StoreOp::create(builder_, location_, address, element);
    }
    return pointer(array);
  }

  void call(StringRef name, ArrayRef<Value> values) {
    SmallVector<Type> types;
    for (Value value : values)
      types.push_back(value.getType());
    func::FuncOp function = builder_.getNamedFunction(name);
    if (!function)
      function =
          builder_.createFunction(location_, name, builder_.getFunctionType(types, TypeRange{}));
    fir::CallOp::create(builder_, location_, function, values);
  }

  cuf::KernelLaunchOp launch_;
  func::FuncOp kernel_;
  Location location_;
  fir::FirOpBuilder builder_;
  Type pointer_;
};

} // namespace

void markArgumentsByValue(ModuleOp module) {
  auto layout = fir::support::getOrSetMLIRDataLayout(module, /*allowDefaultLayout=*/true);
  fir::KindMapping kinds = fir::getKindMapping(module);
  OpBuilder builder(module.getContext());
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!isKernel(kernel))
      continue;
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
      auto [bytes, alignment] = sizeByValue(kernel, i, *layout, kinds);
      if (bytes == 0)
        continue;
      Type unit = builder.getIntegerType(alignment * 8); // which has this alignment
      kernel.setArgAttr(
          i, "llvm.byval",
          TypeAttr::get(LLVM::LLVMArrayType::get(unit, llvm::divideCeil(bytes, alignment))));
      kernel.setArgAttr(i, "llvm.align", builder.getI64IntegerAttr(alignment));
    }
  }
}

void unmarkArgumentsByValue(ModuleOp module) {
  for (auto kernel : module.getOps<func::FuncOp>())
    for (unsigned i = 0; isKernel(kernel) && i < kernel.getNumArguments(); ++i)
      for (const char *name : {"llvm.byval", "llvm.align"})
        kernel.removeArgAttr(i, name);
}

LogicalResult lowerLaunches(ModuleOp module) {
  SmallVector<cuf::KernelLaunchOp> launches;
  module.walk([&](cuf::KernelLaunchOp launch) { launches.push_back(launch); });
  for (cuf::KernelLaunchOp launch : launches) {
    auto kernel = module.lookupSymbol<func::FuncOp>(launch.getCallee().getLeafReference());
    if (!kernel || launch.getArgs().size() != kernel.getNumArguments())
      return launch.emitError("the arguments do not fit the kernel's declaration");
    Launch(launch, kernel).lower();
  }
  return success();
}

} // namespace heddle::fortran
