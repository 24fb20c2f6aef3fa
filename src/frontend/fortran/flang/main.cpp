// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   heddle-flang MODULES options
//
// Flang's frontend as `flang-22 -fc1` is, made of the packaged libraries, with three differences. MODULES is the folder of
// its intrinsic modules.
//
//   accepted.cpp    some statements that Flang 22 refuses in device code are accepted
//   transfers.cpp   what its lowering makes of transfers that convert is mended before it is verified
//   extents.cpp     and the sizes of arrays with constant and other extents
//
// They hang on functions that the linker wraps (--wrap), since Flang has no hooks there.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Frontend/CompilerInstance.h"
#include "flang/Frontend/CompilerInvocation.h"
#include "flang/Frontend/TextDiagnosticBuffer.h"
#include "flang/FrontendTool/Utils.h"

#include "llvm/Support/TargetSelect.h"

using namespace Fortran::frontend;

namespace {

/// Reads the options; their diagnostics come out in the form that the options ask for.
bool readOptions(CompilerInstance &flang, llvm::ArrayRef<const char *> arguments,
                 const char *program) {
  flang.createDiagnostics();
  auto *buffer = new TextDiagnosticBuffer; // the engine owns it
  clang::DiagnosticOptions options;
  clang::DiagnosticsEngine diagnostics(clang::DiagnosticIDs::create(), options, buffer);
  bool isRead =
      CompilerInvocation::createFromArgs(flang.getInvocation(), arguments, diagnostics, program);
  buffer->flushDiagnostics(flang.getDiagnostics());
  return isRead;
}

} // namespace

int main(int count, const char **words) {
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  CompilerInstance flang;
  if (count < 2 || !readOptions(flang, llvm::ArrayRef(words + 2, count - 2), words[0]))
    return 1;
  flang.getInvocation().getFortranOpts().intrinsicModuleDirectories = {words[1]};
  heddle::fortran::setCompilation(&flang);
  bool isDone = executeCompilerInvocation(&flang);
  flang.clearOutputFiles(/*eraseFiles=*/false);
  return isDone ? 0 : 1;
}
