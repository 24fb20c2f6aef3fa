// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Procedures with ATTRIBUTES(HOST, DEVICE) may use what the host alone has where on_device() is
// false. Flang's passes have made the device's copies, in which the function is a constant; here
// what the copies never do is taken out:
//
//   fir.if %false { fir.call @note(%i) } else { ... }   ->  ...
//
// What is left of the host's procedures and variables there is an error of the source's.
#include "frontend/fortran/stages.h"

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/InternalNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace heddle::fortran {

using namespace mlir;

namespace {

/// Whether the host has the function, too.
bool isOfBothSides(gpu::GPUFuncOp function, const SymbolTable &symbols) {
  auto onHost = symbols.lookup<func::FuncOp>(function.getName());
  auto kind = onHost ? onHost->getAttrOfType<cuf::ProcAttributeAttr>(cuf::getProcAttrName())
                     : cuf::ProcAttributeAttr();
  return kind && kind.getValue() == cuf::ProcAttribute::HostDevice;
}

/// Puts the part of a branch that is taken in its place.
void takeOneSide(fir::IfOp branch, bool condition) {
  Region &taken = condition ? branch.getThenRegion() : branch.getElseRegion();
  if (!taken.empty()) {
    Operation *end = taken.front().getTerminator();
    branch->replaceAllUsesWith(end->getOperands());
    end->erase();
    branch->getBlock()->getOperations().splice(branch->getIterator(),
                                               taken.front().getOperations());
  }
  branch.erase();
}

LogicalResult simplify(Operation *code) {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal); // blocks, too
  PassManager passes(code->getContext(), code->getName().getStringRef());
  passes.addPass(createCanonicalizerPass(config));
  return passes.run(code);
}

/// What device code lacks of the host's; empty if there is nothing.
std::string faultOf(Operation *op, const SymbolTable &host, bool isUnified) {
  if (auto call = dyn_cast<fir::CallOp>(op)) {
    std::optional<SymbolRefAttr> callee = call.getCallee();
    return callee ? faultOfCallee(host.lookup<func::FuncOp>(callee->getRootReference())) : "";
  }
  auto address = dyn_cast<fir::AddrOfOp>(op);
  auto global = address ? host.lookup<fir::GlobalOp>(address.getSymbol().getRootReference())
                        : fir::GlobalOp();
  return global && firstUse(address) ? faultInDeviceCode(global, isUnified) : "";
}

} // namespace

LogicalResult takeDeviceSides(ModuleOp module, bool isUnified) {
  SymbolTable host(module);
  LogicalResult result = success();
  for (auto code : module.getOps<gpu::GPUModuleOp>()) {
    SmallVector<gpu::GPUFuncOp> copies;
    for (auto function : code.getOps<gpu::GPUFuncOp>())
      if (isOfBothSides(function, host))
        copies.push_back(function);
    if (copies.empty())
      continue;
    if (failed(simplify(code)))
      return failure();
    for (gpu::GPUFuncOp copy : copies) {
      copy.walk([](fir::IfOp branch) {
        APInt condition;
        if (matchPattern(branch.getCondition(), m_ConstantInt(&condition)))
          takeOneSide(branch, condition.getBoolValue());
      });
      copy.walk([&](Operation *op) {
        std::string fault = faultOf(op, host, isUnified);
        if (fault.empty())
          return;
        auto address = dyn_cast<fir::AddrOfOp>(op);
        emitError(address ? firstUse(address)->getLoc() : op->getLoc(), fault);
        result = failure();
      });
    }
  }
  return result;
}

} // namespace heddle::fortran
