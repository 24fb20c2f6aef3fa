// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flang's passes gather the device's procedures and variables in a gpu.module inside of the host's
// module. Its code generation is for a module of one target; so they move into a module of their
// own, with NVPTX's triple and layout, and kernels become functions that carry a mark: the
// attribute that LLVM wants is only allowed on functions of its dialect.
#include "frontend/fortran/shared_memory.h"
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "flang/Optimizer/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/SetVector.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

// As clang has it for nvptx64 (LLVM 22, NVPTXTargetMachine).
constexpr const char *Triple = "nvptx64-nvidia-cuda";
constexpr const char *DataLayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

gpu::GPUModuleOp findDeviceCode(ModuleOp host) {
  for (auto code : host.getOps<gpu::GPUModuleOp>())
    return code;
  return {};
}

/// Whether there is more than parameters, which Flang gathers for any source.
bool hasDeviceCode(gpu::GPUModuleOp code) {
  return code && llvm::any_of(*code.getBody(), [](Operation &op) {
           return isa<gpu::GPUFuncOp>(op) || isDeviceVariable(op);
         });
}

bool isDefinedVariable(fir::GlobalOp global) {
  return global.isInitialized() && isDeviceVariable(*global);
}

/// What the host's target says stays behind.
bool isOfTarget(StringRef attribute) {
  return attribute == "sym_name" || attribute.starts_with("dlti") ||
         attribute.starts_with("llvm.") || attribute.starts_with("fir.target") ||
         attribute == "fir.tune_cpu";
}

OwningOpRef<ModuleOp> createModule(ModuleOp host, Location location) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  for (NamedAttribute attribute : host->getAttrs())
    if (!isOfTarget(attribute.getName().strref()))
      (*module)->setAttr(attribute.getName(), attribute.getValue());
  fir::setTargetTriple(*module, Triple);
  (*module)->setAttr("llvm.data_layout", StringAttr::get(host.getContext(), DataLayout));
  fir::support::setMLIRDataLayoutFromAttributes(*module, /*allowDefaultLayout=*/false);
  return module;
}

/// What markArgumentsByValue has written to the host's function of the same name.
void copyArgumentAttributes(func::FuncOp host, func::FuncOp to) {
  for (unsigned i = 0; host && i < to.getNumArguments(); ++i)
    for (const char *name : {"llvm.byval", "llvm.align"})
      if (Attribute attribute = host.getArgAttr(i, name))
        to.setArgAttr(i, name, attribute);
}

void cloneFunction(OpBuilder &builder, gpu::GPUFuncOp from, ModuleOp host) {
  auto to = func::FuncOp::create(builder, from.getLoc(), from.getName(), from.getFunctionType());
  if (from.isKernel())
    to->setAttr(KernelAttribute, builder.getUnitAttr());
  if (ArrayAttr attributes = from.getAllArgAttrs())
    to.setAllArgAttrs(attributes);
  copyArgumentAttributes(host.lookupSymbol<func::FuncOp>(from.getName()), to);
  IRMapping mapping;
  from.getBody().cloneInto(&to.getBody(), mapping);
  to.walk([](gpu::ReturnOp end) {
    OpBuilder at(end);
    func::ReturnOp::create(at, end.getLoc(), end.getOperands());
    end.erase();
  });
}

void fillModule(ModuleOp device, gpu::GPUModuleOp code, ModuleOp host) {
  OpBuilder builder = OpBuilder::atBlockEnd(device.getBody());
  for (Operation &op : *code.getBody())
    if (auto function = dyn_cast<gpu::GPUFuncOp>(op))
      cloneFunction(builder, function, host);
    else if (!op.hasTrait<OpTrait::IsTerminator>())
      builder.clone(op);
}

/// Symbols that the module refers to and does not have.
llvm::SmallSetVector<StringAttr, 8> missingSymbols(ModuleOp module) {
  SymbolTable table(module);
  llvm::SmallSetVector<StringAttr, 8> missing;
  module->walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      attribute.getValue().walk([&](SymbolRefAttr symbol) {
        if (!table.lookup(symbol.getRootReference()))
          missing.insert(symbol.getRootReference());
      });
  });
  return missing;
}

/// Parameters, literals and type descriptions come from the host's module.
void addReferences(ModuleOp device, ModuleOp host) {
  SymbolTable table(host);
  for (bool changed = true; changed;) {
    changed = false;
    OpBuilder builder = OpBuilder::atBlockEnd(device.getBody());
    for (StringAttr name : missingSymbols(device))
      if (Operation *op = table.lookup(name); op && !isa<gpu::GPUModuleOp>(op)) {
        builder.clone(*op);
        changed = true;
      }
  }
}

/// Variables that no device code of this source names: it is told their addresses, as CUF loops
/// are, or code of other sources names them.
void addVariables(ModuleOp device, ModuleOp host) {
  OpBuilder builder = OpBuilder::atBlockEnd(device.getBody());
  for (auto global : host.getOps<fir::GlobalOp>())
    if (isDefinedVariable(global) && !device.lookupSymbol(global.getSymName()))
      builder.clone(*global);
}

/// Flang's code generation puts descriptors of device memory into memory that kernels see, which
/// nobody frees. Launches copy descriptors (launches.cpp), so ours lie where all others do: the
/// address is hidden behind an operation without effect.
void hideDeviceMemory(ModuleOp host) {
  auto hide = [](OpOperand &operand) {
    OpBuilder builder(operand.getOwner());
    Value hidden = fir::NoReassocOp::create(builder, operand.getOwner()->getLoc(), operand.get());
    operand.set(hidden);
  };
  for (auto function : host.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (isa<fir::EmboxOp, fir::ReboxOp>(op))
        hide(op->getOpOperand(0));
    });
}

} // namespace

bool hasDescriptors(Type type) {
  type = fir::unwrapSequenceType(type);
  if (auto record = dyn_cast<fir::RecordType>(type))
    return llvm::any_of(record.getTypeList(),
                        [](const auto &field) { return hasDescriptors(field.second); });
  return isa<fir::BaseBoxType>(type);
}

bool isDeviceVariable(Operation &op) {
  auto global = dyn_cast<fir::GlobalOp>(op);
  std::optional<cuf::DataAttribute> kind = global ? global.getDataAttr() : std::nullopt;
  return kind && *kind != cuf::DataAttribute::Pinned && *kind != cuf::DataAttribute::Shared;
}

/// Gives calls of a runtime function another one of the same type.
static void replaceCallee(ModuleOp module, StringRef from, StringRef to,
                          llvm::function_ref<bool(fir::CallOp)> isMeant) {
  SmallVector<fir::CallOp> calls;
  module.walk([&](fir::CallOp call) {
    std::optional<SymbolRefAttr> callee = call.getCallee();
    if (callee && callee->getRootReference() == from && isMeant(call))
      calls.push_back(call);
  });
  if (!calls.empty() && !module.lookupSymbol(to)) {
    auto declaration = module.lookupSymbol<func::FuncOp>(from).clone();
    declaration.setName(to);
    module.push_back(declaration);
  }
  for (fir::CallOp call : calls)
    call.setCalleeAttr(SymbolRefAttr::get(module.getContext(), to));
}

/// Flang 22 frees pointers that are no variables of modules as it frees allocatable arrays, which
/// its runtime refuses.
static void freePointersAsSuch(ModuleOp module) {
  replaceCallee(module, "_FortranAAllocatableDeallocate", "_FortranAPointerDeallocate",
                [](fir::CallOp call) {
                  Value descriptor = call.getArgs()[0];
                  if (auto converted = descriptor.getDefiningOp<fir::ConvertOp>())
                    descriptor = converted.getValue();
                  auto type = dyn_cast<fir::BaseBoxType>(fir::unwrapRefType(descriptor.getType()));
                  return type && isa<fir::PointerType>(type.getEleTy());
                });
}

/// Where Flang's code generation knows the function that a descriptor comes from, it gives each
/// copy of the descriptor such memory, too, which nobody frees.
static void renameDescriptors(ModuleOp module) {
  replaceCallee(module, "_FortranACUFAllocDescriptor", "heddleFortranAllocDescriptor",
                [](fir::CallOp) { return true; });
}

LogicalResult lowerCudaFortran(ModuleOp module, bool isUnified) {
  PassManager copies(module->getName());
  copies.addNestedPass<func::FuncOp>(fir::createCUFPredefinedVarToGPU());
  copies.addPass(fir::createCUFDeviceGlobal());
  copies.addPass(fir::createCUFDeviceFuncTransform());
  copies.addPass(fir::createCUFFunctionRewrite()); // on_device() is true in the device's copies
  if (failed(copies.run(module)) || failed(takeDeviceSides(module, isUnified)))
    return failure();
  PassManager passes(module->getName());
  passes.addPass(fir::createCUFAllocationConversion());
  passes.addPass(fir::createCUFOpConversion());
  if (failed(passes.run(module)))
    return failure();
  freePointersAsSuch(module);
  renameDescriptors(module);
  arrangeSharedMemory(module);
  PassManager places(module->getName());
  places.addPass(fir::createCUFComputeSharedMemoryOffsetsAndSize());
  if (failed(places.run(module)))
    return failure();
  hideDeviceMemory(module);
  return success();
}

OwningOpRef<ModuleOp> takeDeviceModule(ModuleOp host) {
  gpu::GPUModuleOp code = findDeviceCode(host);
  OwningOpRef<ModuleOp> device;
  if (hasDeviceCode(code) || llvm::any_of(host.getOps<fir::GlobalOp>(), isDefinedVariable)) {
    device = createModule(host, host.getLoc());
    if (code) {
      writeInitialValues(code, host);
      fillModule(*device, code, host);
    }
    addVariables(*device, host);
    addReferences(*device, host);
  }
  if (code)
    code.erase();
  return device;
}

} // namespace heddle::fortran
