// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links built-in functions. They lie in an archive whose members have a name's functions each
// (split_builtins.cpp); the process keeps its index. A member gives what is missing of
// it; what that calls is looked for in the next round.
#include "frontend/opencl/link.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <mutex>

namespace heddle::opencl {

using namespace llvm;

namespace {

/// The archive, mapped for as long as the process lives.
struct Library {
  std::unique_ptr<MemoryBuffer> file;
  std::unique_ptr<object::Archive> archive;
  StringMap<object::Archive::Symbol> index;
};

Result<std::unique_ptr<Library>> readLibrary(const std::string &path) {
  auto library = std::make_unique<Library>();
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  if (!file)
    return Failure{"the built-in functions are missing: " + path + ": " +
                   file.getError().message()};
  library->file = std::move(*file);
  Expected<std::unique_ptr<object::Archive>> archive =
      object::Archive::create(library->file->getMemBufferRef());
  if (!archive)
    return Failure{path + ": " + toString(archive.takeError())};
  library->archive = std::move(*archive);
  for (const object::Archive::Symbol &symbol : library->archive->symbols())
    library->index.try_emplace(symbol.getName(), symbol);
  return library;
}

Result<const Library *> libraryAt(const std::string &path) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<Library>> known;
  std::lock_guard lock(mutex);
  std::unique_ptr<Library> &found = known[path];
  if (!found) {
    Result<std::unique_ptr<Library>> library = readLibrary(path);
    if (!library)
      return Failure{library.error()};
    found = std::move(*library);
  }
  return found.get();
}

class BuiltinLinker {
public:
  BuiltinLinker(Module &module, const Library &library)
      : module_(module), library_(library), linker_(module) {}

  Result<bool> run() {
    for (;;) {
      Expected<SmallVector<MemoryBufferRef>> members = wantedMembers();
      if (!members)
        return Failure{toString(members.takeError())};
      if (members->empty())
        return true;
      for (MemoryBufferRef member : *members)
        if (Error error = linkMember(member))
          return Failure{toString(std::move(error))};
    }
  }

private:
  /// The members that define what is declared and has not been asked for yet.
  Expected<SmallVector<MemoryBufferRef>> wantedMembers() {
    SmallVector<MemoryBufferRef> members;
    SmallPtrSet<const char *, 16> seen;
    for (const GlobalValue &value : module_.global_values()) {
      if (!value.isDeclaration() || !asked_.insert(value.getName()).second)
        continue;
      auto symbol = library_.index.find(value.getName());
      if (symbol == library_.index.end())
        continue;
      Expected<object::Archive::Child> child = symbol->second.getMember();
      if (!child)
        return child.takeError();
      Expected<MemoryBufferRef> bytes = child->getMemoryBufferRef();
      if (!bytes)
        return bytes.takeError();
      if (seen.insert(bytes->getBufferStart()).second)
        members.push_back(*bytes);
    }
    return members;
  }

  Error linkMember(MemoryBufferRef member) {
    Expected<std::unique_ptr<Module>> part = getLazyBitcodeModule(member, module_.getContext());
    if (!part)
      return part.takeError();
    (*part)->setTargetTriple(module_.getTargetTriple());
    if (linker_.linkInModule(std::move(*part), Linker::LinkOnlyNeeded))
      return createStringError("the built-in functions cannot be linked");
    return Error::success();
  }

  Module &module_;
  const Library &library_;
  Linker linker_;
  StringSet<> asked_;
};

} // namespace

Result<bool> linkBuiltins(Module &module, const std::string &path) {
  Result<const Library *> library = libraryAt(path);
  if (!library)
    return Failure{library.error()};
  // The library's tables are hidden, but known by name: a program's own variables are other ones.
  SmallVector<GlobalVariable *> own;
  for (GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && variable.hasExternalLinkage()) {
      variable.setLinkage(GlobalValue::InternalLinkage);
      own.push_back(&variable);
    }
  Result<bool> linked = BuiltinLinker(module, **library).run();
  for (GlobalVariable *variable : own)
    variable->setLinkage(GlobalValue::ExternalLinkage);
  return linked;
}

} // namespace heddle::opencl
