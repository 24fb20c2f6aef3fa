// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/opencl/compile.h"

#include "frontend/nvptx.h"
#include "frontend/opencl/watched_files.h"

#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"

#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;

namespace heddle::opencl {

namespace {

constexpr const char *SourceName = "program.cl";

/// clang's own list of a target's extensions is replaced by the devices' (features.def).
std::string extensions() {
  std::string list = "-cl-ext=-all";
#define HEDDLE_OPENCL_EXTENSION(name, major, minor, patch) list += ",+" #name;
#define HEDDLE_OPENCL_FEATURE(name) list += ",+" #name;
#include "frontend/opencl/features.def"
  return list;
}

std::vector<std::string> commandLine(const CompileRequest &request, const std::string &resources) {
  std::vector<std::string> words = {
      "-triple", "nvptx64-nvidia-cuda", "-target-cpu", "sm_90", "-target-feature", "+ptx78",
      "-emit-llvm-bc", "-resource-dir", resources, "-internal-isystem", resources + "/include",
      "-x", "cl", "-finclude-default-header", "-fdeclare-opencl-builtins", "-cl-kernel-arg-info",
      "-D__IMAGE_SUPPORT__=1",
      "-D__OPENCL_VERSION__=300", // of the devices
      "-O2", "-disable-llvm-passes", "-ffp-contract=on", "-debug-info-kind=line-tables-only",
      "-dwarf-version=4",
      // Warnings of the compilers that programs were written for.
      "-Wno-error=incompatible-pointer-types", "-Wno-error=int-conversion", "-ferror-limit", "100",
      "-main-file-name", SourceName, extensions()};
  words.insert(words.end(), request.flags.begin(), request.flags.end());
  if (!request.headers.empty())
    words.push_back("-I/heddle-headers");
  words.insert(words.end(), {"-o", "-", SourceName});
  return words;
}

} // namespace

Compiled compileSource(const CompileRequest &request, const std::string &resources) {
  initializeNvptx();
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  auto watched = llvm::makeIntrusiveRefCnt<WatchedFiles>();
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(watched);
  files->pushOverlay(memory); // which gives it the current folder
  auto add = [&](const std::string &path, StringRef text) {
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  };
  add(SourceName, request.source);
  for (const SourceText &header : request.headers)
    add("/heddle-headers/" + header.name, header.text);

  Compiled result;
  llvm::raw_string_ostream log(result.log);
  DiagnosticOptions options;
  TextDiagnosticPrinter printer(log, options);
  DiagnosticsEngine early(DiagnosticIDs::create(), options, &printer, /*ShouldOwnClient=*/false);
  const std::vector<std::string> words = commandLine(request, resources);
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  auto invocation = std::make_shared<CompilerInvocation>();
  if (!CompilerInvocation::CreateFromArgs(*invocation, arguments, early))
    return result;
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getCodeGenOpts().DisableFree = false;

  CompilerInstance clang(std::move(invocation));
  clang.setVirtualFileSystem(files);
  clang.createDiagnostics(&printer, /*ShouldOwnClient=*/false);
  llvm::SmallVector<char, 0> bitcode;
  clang.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(bitcode));
  clang.setVerboseOutputStream(log);
  EmitBCAction action;
  result.isGood = clang.ExecuteAction(action);
  if (result.isGood)
    result.code.assign(bitcode.begin(), bitcode.end());
  result.isRepeatable =
      !watched->readsClock() && !namesClock(request.source) &&
      llvm::none_of(request.headers, [](auto &header) { return namesClock(header.text); }) &&
      llvm::none_of(request.flags, namesClock);
  result.files = watched->answers();
  return result;
}

} // namespace heddle::opencl
