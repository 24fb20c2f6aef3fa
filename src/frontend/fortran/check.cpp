// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of CUDA Fortran that Flang 22 lets pass: scalars of the host in device code, which a
// kernel would read as zeros, variables of device procedures that keep their values, and device
// procedures that the host calls. (Of arrays of the host Flang tells itself.)
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/InternalNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

std::optional<cuf::ProcAttribute> attributeOf(func::FuncOp function) {
  auto attribute = function->getAttrOfType<cuf::ProcAttributeAttr>(cuf::getProcAttrName());
  return attribute ? std::optional(attribute.getValue()) : std::nullopt;
}

bool isOnDeviceAlone(func::FuncOp function) {
  std::optional<cuf::ProcAttribute> kind = attributeOf(function);
  return kind == cuf::ProcAttribute::Device || kind == cuf::ProcAttribute::Global ||
         kind == cuf::ProcAttribute::GridGlobal;
}

bool isOnHostAlone(func::FuncOp function) {
  std::optional<cuf::ProcAttribute> kind = attributeOf(function);
  return !kind || kind == cuf::ProcAttribute::Host;
}

std::string userName(StringRef symbol) { return fir::NameUniquer::deconstruct(symbol).second.name; }

} // namespace

std::string faultInDeviceCode(fir::GlobalOp global, bool isUnified) {
  StringRef symbol = global.getSymName();
  if (global.getConstant() || isPredefined(symbol) || (isUnified && isHostVariable(global)))
    return "";
  std::string name = "'" + userName(symbol) + "'";
  if (!global.getDataAttr())
    return "host variable " + name +
           " is used in device code; pass its value, or give it the attribute device, constant or "
           "managed";
  if (!fir::NameUniquer::deconstruct(symbol).second.procs.empty())
    return name + " has an initial value or the attribute save, which variables of device "
                  "procedures may not have";
  return "";
}

Operation *firstUse(fir::AddrOfOp address) {
  for (Operation *user : address->getUsers()) {
    if (!isa<fir::DeclareOp>(user))
      return user;
    if (!user->use_empty())
      return *user->user_begin();
  }
  return nullptr;
}

std::string faultOfCallee(func::FuncOp called) {
  // Others are C's and of Flang's runtime, which have no attributes.
  bool isUsers = called && called.getName().starts_with("_Q");
  return isUsers && isOnHostAlone(called)
             ? "host procedure '" + userName(called.getName()) + "' is called in device code"
             : "";
}

namespace {

LogicalResult checkDeviceProcedure(func::FuncOp function, const SymbolTable &symbols,
                                   bool isUnified) {
  LogicalResult result = success();
  function.walk([&](fir::AddrOfOp address) {
    auto global = symbols.lookup<fir::GlobalOp>(address.getSymbol().getRootReference());
    Operation *use = firstUse(address);
    std::string fault = global && use ? faultInDeviceCode(global, isUnified) : "";
    if (fault.empty())
      return;
    emitError(use->getLoc(), fault);
    result = failure();
  });
  function.walk([&](fir::CallOp call) {
    std::optional<SymbolRefAttr> callee = call.getCallee();
    std::string fault =
        callee ? faultOfCallee(symbols.lookup<func::FuncOp>(callee->getRootReference())) : "";
    if (fault.empty())
      return;
    emitError(call.getLoc(), fault);
    result = failure();
  });
  return result;
}

LogicalResult checkHostProcedure(func::FuncOp function, const SymbolTable &symbols) {
  LogicalResult result = success();
  function.walk([&](fir::CallOp call) {
    std::optional<SymbolRefAttr> callee = call.getCallee();
    auto called = callee ? symbols.lookup<func::FuncOp>(callee->getRootReference()) : nullptr;
    if (!called || attributeOf(called) != cuf::ProcAttribute::Device ||
        call->getParentOfType<cuf::KernelOp>())
      return;
    emitError(call.getLoc(),
              "device procedure '" + userName(called.getName()) + "' is called on the host");
    result = failure();
  });
  return result;
}

} // namespace

LogicalResult checkPlaces(ModuleOp module, bool isUnified) {
  SymbolTable symbols(module);
  LogicalResult result = success();
  for (auto function : module.getOps<func::FuncOp>()) {
    if (isOnDeviceAlone(function) && failed(checkDeviceProcedure(function, symbols, isUnified)))
      result = failure();
    if (isOnHostAlone(function) && failed(checkHostProcedure(function, symbols)))
      result = failure();
  }
  return result;
}

} // namespace heddle::fortran
