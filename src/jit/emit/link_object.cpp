// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lld works on files and keeps its state in a global. So one link runs at a time. The object goes
// in through a memory file, and the result comes out through a pipe. An ordinary file will not do:
// lld would write beside it, and LLVM would then install signal handlers for the whole process to
// remove that file, over the program's own and over those that find faults in kernels.
//
// Before it reads options for LLVM, of which it gets none here, lld puts all of LLVM's options back
// to their initial values. They belong to the program too, if it uses LLVM, and to compilations in
// other threads. So that call of lld's comes to us (CMakeLists.txt), and does nothing.
#include "jit/emit/link_object.h"

#include "base/abi/kernel_abi.h"
#include "base/messages/missing_library.h"
#include "base/temporary_files.h"
#include "frontend/error.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

LLD_HAS_DRIVER(elf)

/// In place of llvm::cl::ResetAllOptionOccurrences.
extern "C" void __wrap__ZN4llvm2cl25ResetAllOptionOccurrencesEv() {}

namespace heddle::jit {

using namespace llvm;
using frontend::fail;

namespace {

constexpr const char *Sleef = "libsleef.so.3";

class MemoryFile {
public:
  explicit MemoryFile(const char *name)
      : descriptor_(memfd_create(name, MFD_CLOEXEC)), path_(pathOfDescriptor(descriptor_)) {
    if (!path_.empty() || descriptor_ < 0)
      return;
    close(descriptor_);
    folder_.emplace();
    path_ = folder_->path() + "/" + name;
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  }
  ~MemoryFile() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  bool write(ArrayRef<char> bytes) {
    while (!bytes.empty()) {
      ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written <= 0)
        return false;
      bytes = bytes.drop_front(static_cast<size_t>(written));
    }
    return true;
  }

  const std::string &path() const { return path_; }

private:
  int descriptor_;
  std::string path_;
  std::optional<ScratchFolder> folder_; ///< where there is no /proc
};

/// A pipe that a thread of ours empties while lld fills it.
class OutputPipe {
public:
  OutputPipe() {
    if (!open())
      return;
    auto body = [](void *self) -> void * {
      static_cast<OutputPipe *>(self)->read();
      return nullptr;
    };
    isReading_ = pthread_create(&reader_, nullptr, body, this) == 0;
  }
  ~OutputPipe() {
    finish();
    for (int end : ends_)
      if (end >= 0)
        close(end);
  }
  OutputPipe(const OutputPipe &) = delete;
  OutputPipe &operator=(const OutputPipe &) = delete;

  bool isValid() const { return isReading_; }
  const std::string &path() const { return path_; }

  /// All that was written, when the writer is done.
  std::vector<uint8_t> take() {
    finish();
    return std::move(bytes_);
  }

private:
  void read() {
    std::vector<uint8_t> room(1 << 16); // not on the stack, which may be small
    uint8_t *buffer = room.data();
    for (;;) {
      ssize_t count = ::read(ends_[0], buffer, room.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return;
      bytes_.insert(bytes_.end(), buffer, buffer + count);
    }
  }

  void finish() {
    if (!std::exchange(isReading_, false))
      return;
    close(std::exchange(ends_[1], -1));
    pthread_join(reader_, nullptr);
  }

  /// Where there is no /proc, the pipe has a name in a folder.
  bool open() {
    if (pipe2(ends_, O_CLOEXEC) != 0)
      return false;
    path_ = pathOfDescriptor(ends_[1]);
    if (!path_.empty())
      return true;
    folder_.emplace();
    path_ = folder_->path() + "/output";
    for (int end : ends_)
      close(end);
    ends_[0] = mkfifo(path_.c_str(), 0600) == 0
                   ? ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                   : -1;
    ends_[1] = ends_[0] < 0 ? -1 : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    return ends_[1] >= 0 && fcntl(ends_[0], F_SETFL, 0) == 0;
  }

  int ends_[2] = {-1, -1};
  std::string path_;
  std::optional<ScratchFolder> folder_;
  std::vector<uint8_t> bytes_;
  pthread_t reader_ = {};
  bool isReading_ = false;
};

/// Where the system's loader finds a library.
Expected<std::string> findLibrary(const char *name) {
  void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!handle)
    return make_error<MissingLibrary>(explainLoadError(dlerror()));
  struct link_map *map = nullptr;
  std::string path = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map ? map->l_name : "";
  dlclose(handle);
  return path;
}

/// The libraries in which lld should look for what `object` does not define. Most kernels need
/// none, and reading libc's symbols takes longer than the rest of the link.
Expected<std::vector<std::string>> libraries(ArrayRef<char> object) {
  MemoryBufferRef buffer(StringRef(object.data(), object.size()), "kernel");
  auto file = object::ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return file.takeError();
  bool needsSleef = false, needsOthers = false;
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags.takeError(), name.takeError());
    if (!(*flags & object::SymbolRef::SF_Undefined) || name->empty())
      continue;
    (name->starts_with("Sleef_") ? needsSleef : needsOthers) = true;
  }
  std::vector<std::string> paths;
  for (const char *name : {Sleef, "libm.so.6", "libc.so.6", "libgcc_s.so.1"}) {
    if (!(name == Sleef ? needsSleef : needsOthers))
      continue;
    Expected<std::string> path = findLibrary(name);
    if (!path)
      return path.takeError();
    paths.push_back(std::move(*path));
  }
  return paths;
}

/// "ld.lld: error: text" lines to "text" lines.
std::string tidy(StringRef output) {
  std::string text;
  SmallVector<StringRef> lines;
  output.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    line.consume_front("ld.lld: ");
    line.consume_front("error: ");
    text += (text.empty() ? "" : "\n") + line.str();
  }
  return text;
}

Error linkError(const std::string &output) {
  if (!missingSleefFunction(output).empty())
    return make_error<MissingLibrary>(explainLoadError(output));
  return fail("cannot link the kernel: " + tidy(output));
}

bool runLinker(ArrayRef<const char *> arguments, std::string &messages) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  raw_string_ostream stream(messages);
  bool ok = lld::elf::link(arguments, stream, stream, /*exitEarly=*/false, /*disableOutput=*/false);
  lld::CommonLinkerContext::destroy();
  return ok;
}

} // namespace

char MissingLibrary::ID = 0;

Expected<std::vector<uint8_t>> linkObject(ArrayRef<char> object) {
  MemoryFile input("heddle-object");
  OutputPipe output;
  if (!input.write(object) || !output.isValid())
    return fail("cannot link the kernel: no room for temporary files");
  std::string inputPath = input.path(), outputPath = output.path();
  Expected<std::vector<std::string>> needed = libraries(object);
  if (!needed)
    return needed.takeError();
  std::vector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "--threads=1",
                                         "-z",
                                         "defs",
                                         "-z",
                                         "now",
                                         "-z",
                                         "noseparate-code",
                                         "--hash-style=gnu",
                                         "--build-id=none",
                                         "--eh-frame-hdr",
                                         "--color-diagnostics=never",
                                         "-soname",
                                         "heddle-kernel",
                                         "-o",
                                         outputPath.c_str(),
                                         inputPath.c_str(),
                                         "--as-needed"};
  for (const std::string &path : *needed)
    arguments.push_back(path.c_str());
  std::string messages;
  if (!runLinker(arguments, messages))
    return linkError(messages);
  return output.take();
}

} // namespace heddle::jit
