// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP code of clang's calls libomp, that of g++ calls libgomp. Objects of nvcc's are g++'s, and
// build scripts link them with `g++ -fopenmp`, which brings libgomp alone. So a file's code gets
// functions of its own that do what libomp's do by calling libgomp's (on_libgomp.cpp):
//
//     call void (...) @__kmpc_fork_call(ptr @loc, i32 1, ptr @main.omp_outlined, ptr %n)
//  -> call void (...) @heddle.openmp.fork_call(...)        // calls @GOMP_parallel
//
// libomp has libgomp's functions, too, so a link with libomp is right as before. A file that needs
// what on_libgomp.cpp does not have (cancellation, copyprivate, doacross loops, task reductions,
// detached tasks, allocators, teams) calls libomp for all; the driver's links see to that
// (tool/link/host_link.cpp).
//
// A critical section has the same lock in objects of both compilers: the one without a name is a
// lock of libgomp's, the others are variables that clang calls `.gomp_critical_user_NAME.var` and
// g++ `.gomp_critical_user_NAME`, both common.
#include "plugin/openmp/use_libgomp.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

extern "C" const char heddle_on_libgomp_begin[], heddle_on_libgomp_end[]; // bitcode.S

namespace heddle::plugin {

namespace {

constexpr StringRef Prefix = "__kmpc_", OwnPrefix = "heddle.openmp.";
constexpr StringRef LockPrefix = ".gomp_critical_user_", LockSuffix = ".var";

bool isLibomps(StringRef name) { return name.starts_with(Prefix) || name.starts_with("__tgt_"); }

SmallVector<Function *, 16> libompsFunctions(Module &module) {
  SmallVector<Function *, 16> functions;
  for (Function &function : module)
    if (function.isDeclaration() && isLibomps(function.getName()) && !function.use_empty())
      functions.push_back(&function);
  return functions;
}

std::unique_ptr<Module> ourFunctions(LLVMContext &context) {
  StringRef bytes(heddle_on_libgomp_begin,
                  static_cast<size_t>(heddle_on_libgomp_end - heddle_on_libgomp_begin));
  auto module = parseBitcodeFile(MemoryBufferRef(bytes, "on_libgomp"), context);
  if (!module)
    report_fatal_error(module.takeError());
  for (StringRef metadata : {"llvm.module.flags", "llvm.ident"}) // the program's count
    if (NamedMDNode *node = (*module)->getNamedMetadata(metadata))
      node->eraseFromParent();
  return std::move(*module);
}

bool hasAll(const Module &ours, ArrayRef<Function *> needed) {
  return all_of(needed, [&](Function *function) {
    const Function *own = ours.getFunction(function->getName());
    return own && !own->isDeclaration();
  });
}

/// The lock that a call of __kmpc_critical and its like names.
GlobalVariable *lockOf(CallBase &call) {
  return dyn_cast<GlobalVariable>(call.getArgOperand(2)->stripPointerCasts());
}

/// The section without a name: GOMP_critical_start() and GOMP_critical_end().
void useUnnamedLock(Module &module, StringRef name, StringRef libgomps) {
  Function *function = module.getFunction(name);
  if (!function)
    return;
  for (User *user : make_early_inc_range(function->users())) {
    auto *call = dyn_cast<CallBase>(user);
    GlobalVariable *lock = call ? lockOf(*call) : nullptr;
    if (!lock || lock->getName() != LockPrefix.str() + LockSuffix.str())
      continue;
    IRBuilder<> builder(call);
    builder.CreateCall(
        module.getOrInsertFunction(libgomps, FunctionType::get(builder.getVoidTy(), false)));
    call->eraseFromParent();
  }
}

void nameLocks(Module &module) {
  for (GlobalVariable &variable : module.globals())
    if (StringRef name = variable.getName();
        name.starts_with(LockPrefix) && name.ends_with(LockSuffix) && !name.contains(".reduction"))
      variable.setName(name.drop_back(LockSuffix.size()).str());
}

} // namespace

PreservedAnalyses UseLibgompPass::run(Module &module, ModuleAnalysisManager &) {
  SmallVector<Function *, 16> needed = libompsFunctions(module);
  if (needed.empty() || !module.getTargetTriple().isOSLinux())
    return PreservedAnalyses::all();
  std::unique_ptr<Module> ours = ourFunctions(module.getContext());
  if (!hasAll(*ours, needed))
    return PreservedAnalyses::all();
  for (StringRef name : {"__kmpc_critical", "__kmpc_critical_with_hint"})
    useUnnamedLock(module, name, "GOMP_critical_start");
  useUnnamedLock(module, "__kmpc_end_critical", "GOMP_critical_end");
  nameLocks(module);
  ours->setTargetTriple(module.getTargetTriple());
  ours->setDataLayout(module.getDataLayout());
  auto makeInternal = [&](Module &whole, const StringSet<> &names) {
    for (const auto &entry : names)
      if (Function *function = whole.getFunction(entry.getKey());
          function && !function->isDeclaration())
        function->setLinkage(GlobalValue::InternalLinkage);
  };
  if (Linker::linkModules(module, std::move(ours), Linker::LinkOnlyNeeded, makeInternal))
    report_fatal_error("libgomp's functions do not link");
  for (Function &function : module) // passes know libomp's names
    if (!function.isDeclaration() && function.getName().starts_with(Prefix))
      function.setName(OwnPrefix + function.getName().drop_front(Prefix.size()));
  return PreservedAnalyses::none();
}

} // namespace heddle::plugin
