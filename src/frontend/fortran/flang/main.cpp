// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   heddle-flang MODULES options
//
// Flang's frontend as `flang-22 -fc1` is, made of the packaged libraries, with some differences.
// MODULES is the folder of its intrinsic modules; behind it there may be `-managed` or
// `-unified`, for nvfortran's -gpu=mem:managed and -gpu=mem:unified.
//
//   accepted.cpp      some statements that Flang 22 refuses in device code are accepted
//   waits.cpp         the host computes expressions over arrays of the device, and waits before
//   transfers.cpp     what its lowering makes of transfers that convert is mended before it is verified
//   extents.cpp       and the sizes of arrays with constant and other extents
//   atomics.cpp       and atomic functions
//   allocations.cpp   and allocations of components with CUDA's attributes
//   associated.cpp    names of ASSOCIATE are where what they stand for is
//   constants.cpp     arrays of named constants of modules are in each source that uses them
//   module_files.cpp  types in module files may have components with CUDA's attributes
//   submodules.cpp    procedures of submodules have the attributes of their interfaces
//   device_names.cpp  device code knows the names of our module heddle_device, and may declare names of cudadevice
//   messages.cpp      messages quote the user's text where that was changed
//   defined_assignments.cpp  right sides of defined assignments stay on the device
//   addresses.cpp     variables for TYPE(C_PTR), VALUE with IGNORE_TKR are passed by their addresses
//   dummy_kinds.cpp   dummies may be in bounds before their declarations, whatever their kind
//   fixes.cpp         a source with what nvfortran takes and Flang does not is compiled again with that changed
//
// They hang on functions that the linker wraps (--wrap), since Flang has no hooks there.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Frontend/CompilerInstance.h"
#include "flang/Frontend/CompilerInvocation.h"
#include "flang/Frontend/TextDiagnosticBuffer.h"
#include "flang/FrontendTool/Utils.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using Fortran::frontend::CompilerInstance;
using Fortran::frontend::CompilerInvocation;
using Fortran::frontend::TextDiagnosticBuffer;

namespace {

/// The user's source of which another one was made (tool/fortran/rewrite.cpp), from its first
/// line; the source itself if it was not.
std::string userSource(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  llvm::StringRef text = file ? (*file)->getBuffer() : llvm::StringRef();
  return text.consume_front("# 1 \"") ? text.split('"').first.str() : path.str();
}

/// Tells what is of no place in a source, with the name of the user's source.
class Diagnostics : public clang::DiagnosticConsumer {
public:
  explicit Diagnostics(llvm::StringRef path) : path_(path), userPath_(userSource(path)) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    llvm::SmallString<256> text;
    diagnostic.FormatDiagnostic(text);
    auto [before, behind] = llvm::StringRef(text).split(path_);
    bool isNamed = !path_.empty() && before.size() < text.size();
    llvm::errs() << (level >= clang::DiagnosticsEngine::Error     ? "error: "
                     : level == clang::DiagnosticsEngine::Warning ? "warning: "
                                                                  : "note: ")
                 << before << (isNamed ? userPath_ : "") << behind << '\n';
  }

private:
  std::string path_, userPath_;
};

/// Reads the options; their diagnostics come out in the form that the options ask for.
bool readOptions(CompilerInstance &flang, llvm::ArrayRef<const char *> arguments,
                 const char *program) {
  flang.createDiagnostics();
  auto *buffer = new TextDiagnosticBuffer; // the engine owns it
  clang::DiagnosticOptions options;
  clang::DiagnosticsEngine diagnostics(clang::DiagnosticIDs::create(), options, buffer);
  bool isRead =
      CompilerInvocation::createFromArgs(flang.getInvocation(), arguments, diagnostics, program);
  llvm::StringRef source = arguments.empty() ? "" : arguments.back();
  flang.getDiagnostics().setClient(new Diagnostics(source), /*ShouldOwnClient=*/true);
  buffer->flushDiagnostics(flang.getDiagnostics());
  return isRead;
}

/// The folder of heddle_device.mod. All modules there are intrinsic for Flang, so it has no others.
std::string ownModules(const char *program) {
  std::string path = llvm::sys::fs::getMainExecutable(program, nullptr);
  llvm::StringRef folder = llvm::sys::path::parent_path(llvm::sys::path::parent_path(path));
  return (folder + "/fortran/device").str();
}

/// Compiles the source again with what was noted. It is the last word, as the driver has it.
int compileFixed(llvm::ArrayRef<const char *> words) {
  llvm::StringRef source = words.back();
  auto file = llvm::MemoryBuffer::getFile(source);
  llvm::SmallString<128> path;
  int descriptor = -1;
  llvm::StringRef suffix = llvm::sys::path::extension(source).drop_front();
  if (!file || llvm::sys::fs::createTemporaryFile("heddle", suffix, descriptor, path))
    return 1;
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  llvm::StringRef text = (*file)->getBuffer();
  if (!text.starts_with("# 1 \"")) // the driver's own changes begin with it
    stream << "# 1 \"" << source << "\"\n";
  stream << heddle::fortran::fixedText(text);
  stream.close();
  std::string folder = "-I" + llvm::sys::path::parent_path(source).str();
  llvm::SmallVector<llvm::StringRef> again(words.begin(), words.end() - 1);
  if (folder.size() > 2)
    again.push_back(folder);
  again.push_back(path);
  return llvm::sys::ExecuteAndWait(llvm::sys::fs::getMainExecutable(words[0], nullptr), again);
}

} // namespace

#if __has_feature(address_sanitizer)
/// What Flang's library makes lives until the process ends.
extern "C" const char *__lsan_default_suppressions() { return "leak:Fortran::\n"; }
#endif

int main(int count, const char **words) {
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  CompilerInstance flang;
  llvm::ArrayRef<const char *> arguments(words, count), options = arguments.drop_front(2);
  llvm::StringRef memory = count > 2 ? options[0] : "";
  bool isUnified = memory == "-unified", isManaged = memory == "-managed" || isUnified;
  if (count < 3 || !readOptions(flang, options.drop_front(isManaged), words[0]))
    return 1;
  if (isManaged) {
    using Fortran::common::LanguageFeature;
    flang.getInvocation().getFrontendOpts().features.Enable(
        isUnified ? LanguageFeature::CudaUnified : LanguageFeature::CudaManaged);
    heddle::fortran::setManaged(isUnified);
  }
  if (llvm::is_contained(options, llvm::StringRef("-w")))
    heddle::fortran::setSilent();
  flang.getInvocation().getFortranOpts().intrinsicModuleDirectories = {words[1],
                                                                       ownModules(words[0])};
  heddle::fortran::setCompilation(&flang);
  bool isDone = Fortran::frontend::executeCompilerInvocation(&flang);
  flang.clearOutputFiles(/*eraseFiles=*/false);
  if (heddle::fortran::hasFixes()) // its diagnostics were silent
    return compileFixed(arguments);
  return isDone ? 0 : 1;
}
