// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instruction of the copy gets a line of its own, by which `.loc` tells where an operation of
// the text comes from.
#include "jit/count/write_code.h"

#include "jit/count/read_code.h"
#include "jit/load/ptx.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <cstdlib>

using namespace llvm;

namespace heddle::jit {

namespace {

/// A line for each instruction, which are `places`.
std::unique_ptr<Module> copyWithLines(const Module &module, const Numbering &numbering,
                                      model::KernelCode &code, std::vector<CodePlace> &places) {
  ValueToValueMapTy map;
  std::unique_ptr<Module> copy = CloneModule(module, map);
  StripDebugInfo(*copy);
  LLVMContext &context = module.getContext();
  DIBuilder debug(*copy);
  DIFile *file = debug.createFile("code", "");
  DICompileUnit *unit =
      debug.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C), file, "", true, "", 0, "",
                              DICompileUnit::DebugDirectivesOnly);
  (void)unit;
  DISubroutineType *type = debug.createSubroutineType(debug.getOrCreateTypeArray({}));
  Lines lines(code.lines);
  for (const Function &function : module) {
    if (function.isDeclaration())
      continue;
    auto *copied = cast<Function>(map[&function]);
    auto first = unsigned(places.size() + 1);
    DISubprogram *scope = debug.createFunction(
        file, copied->getName(), "", file, first, type, first, DINode::FlagZero,
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
    copied->setSubprogram(scope);
    for (const Instruction &instruction : instructions(function)) {
      auto found = numbering.accesses.find(&instruction);
      places.push_back({numbering.blocks.lookup(instruction.getParent()),
                        found == numbering.accesses.end() ? model::None : found->second,
                        lines.of(instruction)});
      if (auto *twin = dyn_cast_or_null<Instruction>(static_cast<Value *>(map[&instruction])))
        twin->setDebugLoc(DILocation::get(context, unsigned(places.size()), 0, scope));
    }
  }
  debug.finalize();
  return copy;
}

/// They order accesses for the compiler alone, and the back end has nothing for them.
void eraseThreadFences(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (auto *fence = dyn_cast<FenceInst>(&instruction);
          fence && fence->getSyncScopeID() == SyncScope::SingleThread)
        fence->eraseFromParent();
}

} // namespace

Error takeOperations(const Module &module, const Numbering &numbering, TargetMachine &gpu,
                     uint32_t compileOptions, model::KernelCode &code) {
  std::vector<CodePlace> places;
  std::unique_ptr<Module> copy = copyWithLines(module, numbering, code, places);
  eraseThreadFences(*copy);
  prepareForGpu(*copy, compileOptions, gpu.getTargetCPU());
  auto text = writePtx(*copy, gpu, /*keepsCounters=*/true);
  if (!text)
    return text.takeError();
  const char *printed = std::getenv("HEDDLE_PRINT_AFTER");
  if (printed && (StringRef(printed) == "count" || StringRef(printed) == "*"))
    errs() << "; after count\n" << StringRef(text->data(), text->size()) << '\n';
  return readCode({text->data(), text->size()}, places, code);
}

} // namespace heddle::jit
