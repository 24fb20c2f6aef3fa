// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/module/read_module.h"

#include "frontend/kernels.h"
#include "frontend/pack.h"
#include "frontend/ptx/module/build_module.h"
#include "frontend/ptx/module/find_byte.h"
#include "frontend/ptx/module/flushes.h"
#include "frontend/ptx/module/reserved_memory.h"
#include "frontend/ptx/module/tidy_module.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

constexpr StringRef DeviceTriple = "nvptx64-nvidia-cuda";
/// As clang writes it for that target.
constexpr StringRef DeviceLayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

void checkUndefined(const Module &module, Problems &problems) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        !isLibraryFunction(function.getName()))
      problems.fatal("Unresolved extern function '" + function.getName() + "'");
  for (const GlobalVariable &variable : module.globals())
    if (variable.isDeclaration() && !variable.use_empty() && variable.getAddressSpace() != 3)
      problems.fatal("Unresolved extern variable '" + variable.getName() + "'");
}

std::unique_ptr<Module> makeModule(LLVMContext &context) {
  auto module = std::make_unique<Module>("ptx", context);
  module->setTargetTriple(Triple(DeviceTriple));
  module->setDataLayout(DeviceLayout);
  return module;
}

std::vector<uint8_t> take(Expected<std::vector<uint8_t>> image, Problems &problems) {
  if (image)
    return std::move(*image);
  problems.fatal(toString(image.takeError()));
  return {};
}

/// Variables of the module that are declared in a function, where a statement begins with their
/// space, or are textures with a sampler. An index cannot know them.
bool hasHiddenVariables(const ModuleText &module) {
  if (any_of(module.variables, [](const ModuleVariable &declared) {
        return declared.variable.opaque == "samplerref";
      }))
    return true;
  auto mayBegin = [](auto c, auto next) { return (c == '.') & ((next == 'g') | (next == 'c')); };
  for (const ModuleFunction &function : module.functions)
    for (size_t at = 0; (at = findByte(function.body, at, mayBegin)) < function.body.size(); ++at) {
      const char before = at == 0 ? ' ' : function.body[at - 1];
      StringRef word = function.body.drop_front(at + 1);
      if (!isAlnum(before) && (word.starts_with("global") || word.starts_with("const")))
        return true;
    }
  return false;
}

/// What the directives of a kernel say, and its parameters.
KernelFacts factsOf(const ModuleFunction &declared, uint64_t number) {
  KernelFacts facts{nullptr, declared.name, {}, {}};
  uint64_t offset = 0;
  for (const Variable &param : declared.signature.params) {
    offset = alignTo(offset, param.alignment());
    facts.params.push_back(
        {uint32_t(offset), uint32_t(param.bytes()), uint32_t(param.alignment()), 0});
    offset += param.bytes();
  }
  facts.row.paramCount = uint32_t(facts.params.size());
  facts.row.paramBytes = uint32_t(offset);
  facts.row.dynamicSharedAlign = 1;
  facts.row.functionNumber = uint32_t(number);
  return facts;
}

/// The image of a large text: kernels are read when they are first used (readKernel).
std::vector<uint8_t> readIndex(const ModuleText &declared, StringRef text,
                               const ReadOptions &options, Problems &problems) {
  LLVMContext context;
  std::unique_ptr<Module> module = makeModule(context);
  ModuleBuilder builder(*module, declared, text, problems);
  builder.buildIndex();
  if (problems.any())
    return {};
  builder.numberFunctions();
  std::vector<KernelFacts> kernels;
  uint64_t number = 0;
  for (const ModuleFunction &function : declared.functions) {
    if (function.isEntry && function.hasBody)
      kernels.push_back(factsOf(function, number));
    number += function.hasBody;
  }
  return take(packIndex(*module, kernels, text,
                        {ImagePtx | options.imageFlags(), declared.sm, 0, options.maxRegisters}),
              problems);
}

/// Bounds that options give to kernels.
void setBounds(ModuleText &module, const ReadOptions &options) {
  for (ModuleFunction &function : module.functions) {
    const bool hasShape = !function.maxThreads.empty() || !function.exactThreads.empty();
    if (!function.isEntry)
      continue;
    if (options.maxThreads && (!hasShape || options.overrides)) {
      function.maxThreads = {options.maxThreads};
      function.exactThreads.clear();
    }
    if (options.minBlocks && (!function.minBlocks || options.overrides))
      function.minBlocks = options.minBlocks;
    if (options.maxRegisters && options.overrides)
      function.maxRegisters = options.maxRegisters;
  }
}

} // namespace

std::vector<uint8_t> readModule(StringRef text, const ReadOptions &options, Problems &problems) {
  ModuleText declared = readModuleText(text, problems);
  if (problems.any())
    return {};
  setBounds(declared, options);
  if (!options.isRelocatable && text.size() > options.mostAtOnce && !hasHiddenVariables(declared))
    return readIndex(declared, text, options, problems);
  LLVMContext context;
  std::unique_ptr<Module> module = makeModule(context);
  ModuleBuilder(*module, declared, text, problems).buildAll();
  if (problems.any()) // its functions may have no end
    return {};
  // What is linked takes an option only if all of it has it.
  const uint32_t flushes =
      expandFlushes(*module, !options.isRelocatable) ? OptionFlushDenormals : 0;
  if (!options.isRelocatable)
    checkUndefined(*module, problems);
  if (problems.any())
    return {};
  clearReservedMemory(*module);
  tidyModule(*module);
  return take(
      packModule(*module, {options.imageFlags(), declared.sm, flushes, options.maxRegisters}),
      problems);
}

std::vector<uint8_t> readKernel(const ImageView &index, StringRef text, StringRef name,
                                Problems &problems) {
  ModuleText declared = readModuleText(text, problems);
  if (problems.any())
    return {};
  LLVMContext context;
  std::unique_ptr<Module> module = makeModule(context);
  ModuleBuilder builder(*module, declared, text, problems);
  builder.buildKernel(name);
  if (problems.any())
    return {};
  builder.numberFunctions(); // before any of them goes
  const uint32_t flushes = expandFlushes(*module, true) ? OptionFlushDenormals : 0;
  checkUndefined(*module, problems);
  if (problems.any())
    return {};
  clearReservedMemory(*module);
  tidyModule(*module);
  return take(packKernel(*module, index, flushes), problems);
}

} // namespace heddle::frontend::ptx
