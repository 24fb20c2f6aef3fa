// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file in the cache is the number of bytes, then the bytes: the cache adds a trailer. It is named
// by the flags and by what the folder of headers looks like; clang refuses one whose headers have
// other sizes, so those are part of the name.
#include "frontend/cuda/prelude.h"

#include "base/cache/object_cache.h"
#include "base/cache/version.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Serialization/ASTWriter.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <algorithm>
#include <map>
#include <mutex>

using namespace clang;

namespace heddle::cuda {

namespace {

/// Gives the bytes of a precompiled header in memory.
class PreludeAction : public GeneratePCHAction {
public:
  std::shared_ptr<PCHBuffer> buffer = std::make_shared<PCHBuffer>();

private:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &clang, StringRef) override {
    return std::make_unique<PCHGenerator>(
        clang.getPreprocessor(), clang.getModuleCache(), PreludeFile, "", buffer,
        clang.getCodeGenOpts(), clang.getFrontendOpts().ModuleFileExtensions,
        /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false);
  }
};

/// Names and sizes of all headers below a folder.
std::string stateOf(const std::string &folder) {
  std::vector<std::string> states;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator at(folder, error), end; at != end && !error;
       at.increment(error))
    if (auto status = at->status();
        status && status->type() == llvm::sys::fs::file_type::regular_file)
      states.push_back(at->path() + " " + std::to_string(status->getSize()));
  std::sort(states.begin(), states.end());
  std::string all;
  for (const std::string &state : states)
    all += state + "\n";
  return all;
}

std::shared_ptr<llvm::MemoryBuffer> copyOf(StringRef bytes) {
  return llvm::MemoryBuffer::getMemBufferCopy(bytes, PreludeFile);
}

std::shared_ptr<llvm::MemoryBuffer> fromCache(const Hash128 &key) {
  auto path = objectCache().lookup(key);
  if (!path)
    return nullptr;
  auto file =
      llvm::MemoryBuffer::getFile(*path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  uint64_t size;
  if (!file || (*file)->getBufferSize() < sizeof size)
    return nullptr;
  StringRef bytes = (*file)->getBuffer();
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes = bytes.drop_front(sizeof size);
  return size <= bytes.size() ? copyOf(bytes.take_front(size)) : nullptr;
}

void toCache(const Hash128 &key, StringRef bytes) {
  const uint64_t size = bytes.size();
  std::vector<uint8_t> file(sizeof size + bytes.size());
  std::memcpy(file.data(), &size, sizeof size);
  std::memcpy(file.data() + sizeof size, bytes.data(), bytes.size());
  objectCache().keep(key, file); // a cache that cannot be written only costs time
}

Result<std::shared_ptr<llvm::MemoryBuffer>> compile(Invocation invocation) {
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  CompilerInstance clang(std::move(invocation));
  clang.createVirtualFileSystem();
  clang.createDiagnostics(new TextDiagnosticPrinter(stream, clang.getDiagnosticOpts()));
  clang.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  PreludeAction action;
  if (!clang.ExecuteAction(action) || !action.buffer->IsComplete)
    return Failure{"the device headers cannot be compiled:\n" + messages};
  return copyOf({action.buffer->Data.data(), action.buffer->Data.size()});
}

} // namespace

Result<Prelude> preludeFor(const std::vector<std::string> &flags, const Toolkit &toolkit,
                           llvm::function_ref<MakeInvocation> invoke) {
  struct Known {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<llvm::MemoryBuffer>> preludes;
    std::map<std::string, std::string> states; ///< of folders; they are read once
  };
  static Known &known = *new Known; // threads may still compile when the process ends
  std::lock_guard lock(known.mutex);
  std::string name = toolkit.root;
  for (const std::string &flag : flags)
    name += '\0' + flag;
  std::shared_ptr<llvm::MemoryBuffer> &bytes = known.preludes[name];
  if (bytes)
    return Prelude{bytes};
  const std::string include = toolkit.root + "/include";
  std::string &state = known.states[include];
  if (state.empty())
    state = stateOf(include + "/heddle") + include;
  const Hash128 key = hashOf({"prelude", compilerVersion(), name, state});
  bytes = fromCache(key);
  if (bytes)
    return Prelude{bytes};
  std::vector<std::string> all = flags;
  all.insert(all.end(),
             {"-isystem", toolkit.resources + "/include/cuda_wrappers", "-isystem",
              include + "/heddle/rtc/standard", "-isystem", toolkit.resources + "/include",
              "-isystem", include, "-Xclang", "-fno-pch-timestamp"});
  Invocation invocation = invoke(all, include + "/heddle/rtc/begin.h");
  if (!invocation)
    return Failure{"clang does not take its own flags"};
  auto made = compile(std::move(invocation));
  if (!made)
    return Failure{made.error()};
  bytes = *made;
  toCache(key, bytes->getBuffer());
  return Prelude{bytes};
}

} // namespace heddle::cuda
