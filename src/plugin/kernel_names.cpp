// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Under nvcc a kernel is a host function with the kernel's own name, which files of other compilers
// declare as a plain function, whose address they give to cudaLaunchKernel. clang calls the function
// __device_stub__NAME. The kernel's name becomes an alias of it:
//
//     _Z19__device_stub__addPfi  ->  _Z3addPfi
//     __device_stub__add         ->  add          (extern "C")
#include "plugin/kernel_names.h"

#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Module.h"

#include <string>

using namespace llvm;

namespace heddle::plugin {

namespace {

constexpr StringLiteral Prefix = "__device_stub__";

/// The kernel's symbol; empty if `stub` is the symbol of no stub.
std::string kernelName(StringRef stub) {
  size_t at = stub.find(Prefix);
  if (at == StringRef::npos)
    return {};
  StringRef name = stub.drop_front(at + Prefix.size()), before = stub.take_front(at);
  if (!stub.starts_with("_Z"))
    return before.empty() ? name.str() : std::string();
  StringRef rest = before.rtrim("0123456789");
  unsigned length = 0;
  if (before.drop_front(rest.size()).getAsInteger(10, length) || length <= Prefix.size())
    return {};
  return (rest + Twine(length - Prefix.size()) + name).str();
}

} // namespace

PreservedAnalyses KernelNamesPass::run(Module &module, ModuleAnalysisManager &) {
  if (module.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  for (Function &stub : module) {
    if (stub.isDeclaration() || stub.hasLocalLinkage() || stub.hasAvailableExternallyLinkage())
      continue;
    std::string name = kernelName(stub.getName());
    if (name.empty() || module.getNamedValue(name))
      continue;
    auto *alias = GlobalAlias::create(stub.getLinkage(), name, &stub);
    alias->setVisibility(stub.getVisibility());
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::plugin
