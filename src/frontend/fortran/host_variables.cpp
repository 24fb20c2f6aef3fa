// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -gpu=mem:unified: device code may name variables of the host's modules and common blocks. A
// variable of the device holds the address of each:
//
//   device   load i32, ptr @_QMmEn   ->   %n = load ptr, ptr @_QMmEn.host
//                                         load i32, ptr %n
//   host     @_QMmEn.host = internal global ptr @_QMmEn
//
// The host's constructor tells the runtime of it (lib/fortran/host_variables.cpp), which copies it
// to each device before the first launch there. Sources that name one variable share the device's,
// so it is weak.
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/InternalNames.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ReplaceConstant.h"

namespace heddle::fortran {

namespace {

constexpr const char *Suffix = ".host";

/// Loads the address once in each function that uses the variable; false if other constants refer
/// to it.
bool loadAddress(llvm::GlobalVariable &variable, llvm::GlobalVariable &address) {
  llvm::convertUsersOfConstantsToInstructions({&variable});
  llvm::DenseMap<llvm::Function *, llvm::Value *> loaded;
  for (llvm::Use &use : llvm::make_early_inc_range(variable.uses())) {
    auto *user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (!user)
      return false;
    llvm::Function *function = user->getFunction();
    llvm::Value *&value = loaded[function];
    if (!value) {
      llvm::IRBuilder<> builder(&*function->getEntryBlock().getFirstInsertionPt());
      llvm::LoadInst *load = builder.CreateLoad(address.getValueType(), &address);
      load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(function->getContext(), {}));
      value = load;
    }
    use.set(value);
  }
  return true;
}

} // namespace

bool isHostVariable(fir::GlobalOp global) {
  if (global.getDataAttr() || global.getConstant())
    return false;
  auto [kind, parts] = fir::NameUniquer::deconstruct(global.getSymName());
  bool isVariable = kind == fir::NameUniquer::NameKind::VARIABLE ||
                    kind == fir::NameUniquer::NameKind::NOT_UNIQUED; // common blocks, bind(c)
  return isVariable && parts.procs.empty() && !isPredefined(global.getSymName());
}

bool isPredefined(llvm::StringRef symbol) {
  return symbol.contains("__fortran_builtins") || symbol.contains("__cuda_builtins");
}

std::vector<std::string> hostVariables(mlir::ModuleOp host) {
  std::vector<std::string> names;
  for (auto global : host.getOps<fir::GlobalOp>())
    if (isHostVariable(global))
      names.push_back(global.getSymName().str());
  return names;
}

std::vector<std::string> reachHostVariables(llvm::Module &device,
                                            llvm::ArrayRef<std::string> names) {
  std::vector<std::string> reached;
  for (const std::string &name : names) {
    llvm::GlobalVariable *variable = device.getGlobalVariable(name, /*AllowInternal=*/true);
    if (!variable || variable->use_empty())
      continue;
    auto *pointer = llvm::PointerType::getUnqual(device.getContext());
    auto *address = new llvm::GlobalVariable(
        device, pointer, /*isConstant=*/false, llvm::GlobalValue::WeakODRLinkage,
        llvm::ConstantPointerNull::get(pointer), name + Suffix);
    address->setExternallyInitialized(true);
    if (loadAddress(*variable, *address)) {
      variable->eraseFromParent();
      reached.push_back(name);
    }
  }
  return reached;
}

llvm::GlobalVariable *addressOnHost(llvm::Module &host, llvm::StringRef name) {
  llvm::Type *byte = llvm::Type::getInt8Ty(host.getContext());
  llvm::GlobalVariable *variable = host.getGlobalVariable(name, /*AllowInternal=*/true);
  if (!variable)
    variable = new llvm::GlobalVariable(host, byte, false, llvm::GlobalValue::ExternalLinkage,
                                        nullptr, name);
  return new llvm::GlobalVariable(host, variable->getType(), false,
                                  llvm::GlobalValue::InternalLinkage, variable, name + Suffix);
}

} // namespace heddle::fortran
