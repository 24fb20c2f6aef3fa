// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of a GPU's code that lie elsewhere, and who loads the code sets where. A managed variable of
// host code lies in the host's memory:
//
//   @x = addrspace(1) global [4 x i32] ...          ; managed
//   %v = load i32, ptr addrspacecast (@x)
//   ->
//   @x = addrspace(1) externally_initialized global ptr null
//   %at = load ptr, ptr addrspace(1) @x
//   %v = load i32, ptr %at
//
// One kernel that is loaded again, for larger blocks than the registers of its first code allow, has the
// variables of that code. Constants that nothing changes it has once more.
#include "jit/load/gpu_pointers.h"

#include "base/abi/gpu_notes.h"
#include "frontend/annotations.h"
#include "frontend/error.h"
#include "frontend/kernels.h"
#include "frontend/layout.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ReplaceConstant.h"

namespace heddle::jit {

using namespace llvm;
using frontend::fail;

namespace {

constexpr const char *ManagedNote = "heddle_managed";

/// Of variables that are pointers already.
constexpr const char *PointerMark = "heddle_pointer";

/// The address of the variable, in front of what uses it.
Value *loadAddress(GlobalVariable &pointer, Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  auto *phi = dyn_cast<PHINode>(user);
  IRBuilder<> builder(phi ? phi->getIncomingBlock(use)->getTerminator() : user);
  LoadInst *load = builder.CreateLoad(builder.getPtrTy(), &pointer);
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(user->getContext(), {}));
  return load;
}

/// A use of constant memory takes what lies at a generic address; false if it is none of an address.
bool takeGeneric(Use &use, Value *address) {
  auto *user = cast<Instruction>(use.getUser());
  if (isa<AddrSpaceCastInst>(user) && user->getType() == address->getType()) {
    user->replaceAllUsesWith(address);
    user->eraseFromParent();
    return true;
  }
  use.set(address);
  if (isa<LoadInst>(user))
    return true;
  if (!isa<GetElementPtrInst>(user) || user->getType()->isVectorTy())
    return false;
  user->mutateType(address->getType());
  return all_of(make_early_inc_range(user->uses()),
                [&](Use &each) { return takeGeneric(each, user); });
}

Error makePointer(GlobalVariable &variable) {
  Module &module = *variable.getParent();
  Constant *self = &variable;
  convertUsersOfConstantsToInstructions(ArrayRef<Constant *>(self));
  auto *type = PointerType::get(module.getContext(), 0);
  const bool isExtern = variable.isDeclaration();
  auto *pointer = new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage,
                                     isExtern ? nullptr : ConstantPointerNull::get(type), "",
                                     &variable, GlobalValue::NotThreadLocal, frontend::GlobalSpace,
                                     /*isExternallyInitialized=*/!isExtern);
  pointer->setAlignment(Align(8));
  pointer->addAttribute(PointerMark);
  for (Use &use : make_early_inc_range(variable.uses())) {
    if (!isa<Instruction>(use.getUser()))
      return fail("the address of the variable '" + variable.getName() +
                  "' is the initial value of another one, which is not supported on a GPU");
    Value *address = loadAddress(*pointer, use);
    if (variable.getAddressSpace() == frontend::ConstantSpace) {
      if (!takeGeneric(use, address))
        return fail("the constant variable '" + variable.getName() +
                    "' is used as something else than an address");
      continue;
    }
    IRBuilder<> builder(cast<Instruction>(address)->getNextNode());
    use.set(variable.getAddressSpace() == 0
                ? address
                : builder.CreateAddrSpaceCast(address, variable.getType()));
  }
  pointer->takeName(&variable);
  variable.eraseFromParent();
  return Error::success();
}

} // namespace

Expected<GlobalVariable *> leaveConstantSpace(GlobalVariable &variable) {
  Constant *self = &variable;
  convertUsersOfConstantsToInstructions(ArrayRef<Constant *>(self));
  auto *moved = new GlobalVariable(
      *variable.getParent(), variable.getValueType(), false, variable.getLinkage(),
      variable.hasInitializer() ? variable.getInitializer() : nullptr, "", &variable,
      GlobalValue::NotThreadLocal, frontend::GlobalSpace, variable.isExternallyInitialized());
  moved->copyAttributesFrom(&variable);
  moved->copyMetadata(&variable, 0);
  auto *generic = PointerType::get(variable.getContext(), 0);
  Constant *address = ConstantExpr::getAddrSpaceCast(moved, generic);
  for (Use &use : make_early_inc_range(variable.uses()))
    if (!isa<Instruction>(use.getUser()) || !takeGeneric(use, address))
      return fail("the constant variable '" + variable.getName() +
                  "' is used as something else than an address");
  moved->takeName(&variable);
  variable.eraseFromParent();
  return moved;
}

Error pointToManaged(Module &module) {
  std::vector<GlobalVariable *> managed;
  for (const frontend::Annotation &annotation : frontend::readAnnotations(module))
    if (annotation.text == ManagedNote)
      if (auto *variable = dyn_cast<GlobalVariable>(annotation.target))
        managed.push_back(variable);
  if (managed.empty())
    return Error::success();
  frontend::eraseBookkeeping(module);
  for (GlobalVariable *variable : managed)
    if (Error error = makePointer(*variable))
      return error;
  return Error::success();
}

namespace {

/// What kernels may change, or the host.
bool isShared(const GlobalVariable &variable) {
  const bool isDevices =
      is_contained({0u, unsigned(frontend::GlobalSpace), unsigned(frontend::ConstantSpace)},
                   variable.getAddressSpace());
  return isDevices && !variable.getName().starts_with("llvm.") &&
         !(variable.isConstant() && variable.hasLocalLinkage());
}

/// Other kernels, and what only they call.
void eraseOthers(Module &module, StringRef kernel) {
  for (Function &function : make_early_inc_range(module))
    if (frontend::isKernel(function) && function.getName() != kernel) {
      function.replaceAllUsesWith(PoisonValue::get(function.getType()));
      function.eraseFromParent();
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (Function &function : make_early_inc_range(module))
      if (function.hasLocalLinkage() && function.use_empty()) {
        function.eraseFromParent();
        changed = true;
      }
  }
}

} // namespace

Error keepKernel(Module &module, StringRef name, unsigned threads, std::string &notes) {
  Function *kernel = module.getFunction(name);
  if (!kernel)
    return fail("there is no kernel '" + name + "'");
  frontend::eraseBookkeeping(module);
  eraseOthers(module, name);
  for (StringRef limit : {"nvvm.minctasm", "heddle.maxnreg"})
    kernel->removeFnAttr(limit);
  kernel->addFnAttr("nvvm.maxntid", utostr(threads));
  SmallVector<GlobalVariable *> shared;
  for (GlobalVariable &variable : module.globals())
    if (isShared(variable)) {
      shared.push_back(&variable);
      if (variable.hasInitializer() && !variable.hasAttribute(PointerMark))
        variable.setInitializer(PoisonValue::get(variable.getValueType()));
    }
  for (GlobalVariable *variable : shared) {
    variable->removeDeadConstantUsers();
    if (variable->use_empty()) {
      variable->eraseFromParent();
      continue;
    }
    const bool isPointer = variable->hasAttribute(PointerMark);
    notes += ((isPointer ? GpuValueNote : GpuAddressNote) + variable->getName() + "\n").str();
    if (!isPointer)
      if (Error error = makePointer(*variable))
        return error;
  }
  return Error::success();
}

} // namespace heddle::jit
