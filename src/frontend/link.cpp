// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/link.h"

#include "frontend/analyses.h"
#include "frontend/annotations.h"
#include "frontend/call_types.h"
#include "frontend/diagnostics.h"
#include "frontend/error.h"
#include "frontend/kernels.h"
#include "frontend/layout.h"
#include "frontend/pack.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

#include <algorithm>

namespace heddle::frontend {

using namespace llvm;

namespace {

/// Remembers which file defines and which first names a symbol.
class Symbols {
public:
  void add(const Module &module) {
    for (const GlobalValue &value : module.global_values())
      if (!value.hasLocalLinkage() && !value.getName().starts_with("llvm."))
        add(value, module.getSourceFileName());
  }

  void addUndefined(const Module &linked) {
    for (const Function &function : linked)
      if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
          !isLibraryFunction(function.getName()))
        undefined(function);
    for (const GlobalVariable &variable : linked.globals())
      if (variable.isDeclaration() && !variable.use_empty() &&
          variable.getAddressSpace() != SharedSpace && !isBookkeeping(variable))
        undefined(variable);
  }

  std::string takeErrors() { return join(errors_, "\n"); }
  bool hasErrors() const { return !errors_.empty(); }

private:
  void add(const GlobalValue &value, const std::string &file) {
    users_.try_emplace(value.getName(), file);
    if (!value.isStrongDefinitionForLinker())
      return;
    auto [at, isNew] = definers_.try_emplace(value.getName(), file);
    if (!isNew)
      errors_.push_back("nvlink error   : Multiple definition of '" + value.getName().str() +
                        "' in '" + file + "', first defined in '" + at->second + "'");
  }

  void undefined(const GlobalValue &value) {
    errors_.push_back("nvlink error   : Undefined reference to '" + value.getName().str() +
                      "' in '" + users_.lookup(value.getName()) + "'");
  }

  StringMap<std::string> definers_, users_;
  std::vector<std::string> errors_;
};

PackOptions mergeOptions(ArrayRef<ImageView> images) {
  constexpr uint32_t Relaxed =
      OptionFlushDenormals | OptionApproxDivide | OptionApproxSqrt | OptionFastMath;
  PackOptions merged{0, 0, Relaxed};
  for (const ImageView &image : images) {
    merged.imageFlags |= image.header().flags & ~uint32_t(ImageRelocatable);
    merged.sm = std::max(merged.sm, image.header().sm);
    uint32_t options = image.header().compileOptions;
    merged.compileOptions = (merged.compileOptions & (options | ~Relaxed)) | (options & ~Relaxed);
  }
  return merged;
}

/// clang's flag for sources with and without -ftz differs. What holds is in the images' options.
void dropReflectFlags(Module &module) {
  NamedMDNode *flags = module.getModuleFlagsMetadata();
  if (!flags)
    return;
  SmallVector<MDNode *, 8> kept;
  for (MDNode *flag : flags->operands())
    if (!cast<MDString>(flag->getOperand(1))->getString().starts_with("nvvm-reflect-"))
      kept.push_back(flag);
  flags->clearOperands();
  for (MDNode *flag : kept)
    flags->addOperand(flag);
}

/// Nobody refers to it from outside: device code is whole now, and the host knows kernels and the
/// variables that it has registered, which are `externally_initialized`.
bool isInside(const GlobalValue &value) {
  if (const auto *variable = dyn_cast<GlobalVariable>(&value))
    return !variable->isExternallyInitialized() && !isBookkeeping(*variable);
  const auto *function = dyn_cast<Function>(&value);
  return function && !isKernel(*function);
}

/// What no kernel needs goes, and so do its strings and tables.
void removeDeadCode(Module &module) {
  for (GlobalValue &value : module.global_values())
    if (!value.isDeclaration() && isInside(value)) {
      value.setLinkage(GlobalValue::InternalLinkage);
      value.setVisibility(GlobalValue::DefaultVisibility);
      if (auto *object = dyn_cast<GlobalObject>(&value))
        object->setComdat(nullptr);
    }
  Analyses analyses;
  GlobalDCEPass().run(module, analyses.modules);
}

} // namespace

Expected<std::vector<uint8_t>> linkImages(ArrayRef<ImageView> images) {
  if (images.empty())
    return fail("nothing to link");
  LLVMContext context;
  std::string diagnostics;
  collectDiagnostics(context, diagnostics, "nvlink error   : ");
  Module linked("device", context);
  Linker linker(linked);
  Symbols symbols;
  for (const ImageView &image : images) {
    Expected<MemoryBufferRef> code = bitcodeOf(image);
    if (!code)
      return code.takeError();
    Expected<std::unique_ptr<Module>> module = parseBitcodeFile(*code, context);
    if (!module)
      return module.takeError();
    symbols.add(**module);
    if (symbols.hasErrors())
      continue;
    dropReflectFlags(**module);
    if (linker.linkInModule(std::move(*module)))
      return fail(diagnostics);
  }
  if (!symbols.hasErrors())
    symbols.addUndefined(linked);
  if (symbols.hasErrors())
    return fail(symbols.takeErrors());
  matchCallTypes(linked);
  removeDeadCode(linked);
  return packModule(linked, mergeOptions(images));
}

} // namespace heddle::frontend
