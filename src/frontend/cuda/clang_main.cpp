// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-clang: clang 22, from its libraries, whose semantic analysis takes what nvcc takes. The
// linker puts our functions in front of some of Sema's (--wrap, CMakeLists.txt); the files beside
// this one have them. Command lines are clang's: the driver, which runs the compiler proper (-cc1)
// in the same process.
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/Stack.h"
#include "clang/CodeGen/ObjectFilePCHContainerWriter.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "clang/FrontendTool/Utils.h"
#include "clang/Serialization/ObjectFilePCHContainerReader.h"

#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"

using namespace clang;

namespace {

using Arguments = llvm::SmallVector<const char *, 256>;

void reportFatalError(void *diagnostics, const char *message, bool isBug) {
  static_cast<DiagnosticsEngine *>(diagnostics)->Report(diag::err_fe_error_backend) << message;
  llvm::sys::RunInterruptHandlers();
  llvm::sys::Process::Exit(isBug ? 70 : 1);
}

/// The compiler proper; `arguments` are those behind -cc1.
int compile(llvm::ArrayRef<const char *> arguments, const char *program) {
  auto formats = std::make_shared<PCHContainerOperations>();
  formats->registerWriter(std::make_unique<ObjectFilePCHContainerWriter>());
  formats->registerReader(std::make_unique<ObjectFilePCHContainerReader>());
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::InitializeAllAsmParsers();

  DiagnosticOptions options;
  auto *buffer = new TextDiagnosticBuffer; // the engine's
  DiagnosticsEngine early(DiagnosticIDs::create(), options, buffer);
  auto invocation = std::make_shared<CompilerInvocation>();
  bool isGood = CompilerInvocation::CreateFromArgs(*invocation, arguments, early, program);
  auto clang = std::make_unique<CompilerInstance>(std::move(invocation), std::move(formats));
  clang->createVirtualFileSystem(llvm::vfs::getRealFileSystem(), buffer);
  clang->createDiagnostics();
  llvm::install_fatal_error_handler(reportFatalError, &clang->getDiagnostics());
  buffer->FlushDiagnostics(clang->getDiagnostics());
  isGood = isGood && ExecuteCompilerInvocation(clang.get());
  llvm::remove_fatal_error_handler();
  if (clang->getFrontendOpts().DisableFree)
    llvm::BuryPointer(std::move(clang));
  return !isGood;
}

int runTool(llvm::SmallVectorImpl<const char *> &arguments) {
  llvm::cl::ResetAllOptionOccurrences();
  return compile(llvm::ArrayRef(arguments).drop_front(2), arguments[0]);
}

int drive(llvm::ArrayRef<const char *> arguments) {
  std::string path = llvm::sys::fs::getMainExecutable(
      arguments[0], reinterpret_cast<void *>(reinterpret_cast<intptr_t>(drive)));
  std::unique_ptr<DiagnosticOptions> options = CreateAndPopulateDiagOpts(arguments);
  auto *printer = new TextDiagnosticPrinter(llvm::errs(), *options); // the engine's
  printer->setPrefix("clang");
  DiagnosticsEngine diagnostics(DiagnosticIDs::create(), *options, printer);
  ProcessWarningOptions(diagnostics, *options, *llvm::vfs::getRealFileSystem(),
                        /*ReportDiags=*/false);
  driver::Driver clang(path, llvm::sys::getDefaultTargetTriple(), diagnostics);
  clang.CC1Main = runTool;
  std::unique_ptr<driver::Compilation> compilation(clang.BuildCompilation(arguments));
  if (!compilation || compilation->containsError())
    return 1;
  llvm::SmallVector<std::pair<int, const driver::Command *>, 4> failing;
  int code = clang.ExecuteCompilation(*compilation, failing);
  for (const auto &[failure, command] : failing)
    code = code ? code : failure;
  diagnostics.getClient()->finish();
  return code;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int heddleClangMain(int argc, char **argv);

int heddleClangMain(int argc, char **argv) {
  noteBottomOfStack();
  llvm::InitLLVM init(argc, argv);
  Arguments arguments(argv, argv + argc);
  if (arguments.size() > 1 && llvm::StringRef(arguments[1]) == "-cc1")
    return runTool(arguments);
  return drive(arguments);
}
