// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-clang: clang 22, from its libraries, whose semantic analysis takes what nvcc takes. The
// linker puts our functions in front of some of Sema's (--wrap, CMakeLists.txt); the files beside
// this one have them. Command lines are clang's: the driver, which runs the compiler proper (-cc1)
// in the same process.
//
// nvcc's device half never reads the body of a template that nothing instantiates: what stands
// under __CUDA_ARCH__ there may hold anything (CGBN names variables that do not exist). A device
// half with errors is therefore read once more with bodies read at their instantiation. That is not
// the first way, because a body then sees what is declared behind it, too.
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/DiagnosticSema.h"
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

/// What a device half has said so far and may yet be dropped, or null.
std::string *heldText = nullptr;

void reportFatalError(void *diagnostics, const char *message, bool isBug) {
  static_cast<DiagnosticsEngine *>(diagnostics)->Report(diag::err_fe_error_backend) << message;
  if (heldText)
    llvm::errs() << *heldText;
  llvm::sys::RunInterruptHandlers();
  llvm::sys::Process::Exit(isBug ? 70 : 1);
}

/// What nvcc and g++ take in templates, and clang understands, too:
///
///     typename A::B<C>              without `template` where only a type can stand (P1787)
///     int A<T *>::f(int n = 0) {}   a default argument that is not in the class: nobody gets it
void acceptTemplates(DiagnosticsEngine &diagnostics) {
  const unsigned errors[] = {diag::err_missing_dependent_template_keyword,
                             diag::err_param_default_argument_member_template_redecl};
  for (unsigned error : errors)
    diagnostics.setSeverity(error, diag::Severity::Ignored, SourceLocation());
}

enum class Bodies { AtDefinition, AtInstantiation };

/// The compiler proper; `arguments` are those behind -cc1. What it says goes to `text`, if any.
bool compile(llvm::ArrayRef<const char *> arguments, const char *program, Bodies bodies,
             std::string *text) {
  auto formats = std::make_shared<PCHContainerOperations>();
  formats->registerWriter(std::make_unique<ObjectFilePCHContainerWriter>());
  formats->registerReader(std::make_unique<ObjectFilePCHContainerReader>());

  DiagnosticOptions options;
  auto *buffer = new TextDiagnosticBuffer; // the engine's
  DiagnosticsEngine early(DiagnosticIDs::create(), options, buffer);
  auto invocation = std::make_shared<CompilerInvocation>();
  bool isGood = CompilerInvocation::CreateFromArgs(*invocation, arguments, early, program);
  if (bodies == Bodies::AtInstantiation) {
    invocation->getLangOpts().DelayedTemplateParsing = true;
    invocation->getDiagnosticOpts().ErrorLimit = 1;
  }
  auto clang = std::make_unique<CompilerInstance>(std::move(invocation), std::move(formats));
  clang->createVirtualFileSystem(llvm::vfs::getRealFileSystem(), buffer);
  std::unique_ptr<llvm::raw_string_ostream> stream;
  DiagnosticConsumer *printer = nullptr; // the engine's
  if (text) {
    stream = std::make_unique<llvm::raw_string_ostream>(*text);
    stream->enable_colors(true);
    printer = new TextDiagnosticPrinter(*stream, clang->getDiagnosticOpts());
  }
  clang->createDiagnostics(printer);
  acceptTemplates(clang->getDiagnostics());
  heldText = text;
  llvm::install_fatal_error_handler(reportFatalError, &clang->getDiagnostics());
  buffer->FlushDiagnostics(clang->getDiagnostics());
  isGood = isGood && ExecuteCompilerInvocation(clang.get());
  llvm::remove_fatal_error_handler();
  heldText = nullptr;
  if (clang->getFrontendOpts().DisableFree) {
    llvm::BuryPointer(std::move(clang));
    llvm::BuryPointer(std::move(stream));
  }
  return isGood;
}

bool compileDevice(llvm::ArrayRef<const char *> arguments, const char *program) {
  std::string text, laterText;
  bool isGood = compile(arguments, program, Bodies::AtDefinition, &text);
  if (!isGood) {
    llvm::cl::ResetAllOptionOccurrences();
    isGood = compile(arguments, program, Bodies::AtInstantiation, &laterText);
    if (isGood)
      text = laterText;
  }
  llvm::errs() << text;
  return isGood;
}

int runTool(llvm::SmallVectorImpl<const char *> &arguments) {
  llvm::cl::ResetAllOptionOccurrences();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::InitializeAllAsmParsers();
  llvm::ArrayRef words = llvm::ArrayRef(arguments).drop_front(2);
  bool isDevice = llvm::any_of(
      words, [](const char *word) { return llvm::StringRef(word) == "-fcuda-is-device"; });
  return isDevice ? !compileDevice(words, arguments[0])
                  : !compile(words, arguments[0], Bodies::AtDefinition, nullptr);
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
