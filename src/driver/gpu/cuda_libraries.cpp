// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's libraries of a GPU's machine (libcublas.so.13 and the like), for ours, which forward their
// calls (lib/support/forward.h). They are looked for as the driver is, and where toolkits are; one
// that is ours is passed over. They come with a runtime of their own and take the driver's primary
// context, as our runtime does: streams and pointers are the same.
#include "driver/gpu/device_list.h"
#include "driver/gpu/gpu_table.h"
#include "driver/gpu/machine_library.h"
#include "driver/gpu/mixed_table.h"

#include "base/messages/messages.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::driver {

namespace {

std::vector<std::string> foldersOfToolkits() {
  std::vector<std::string> folders;
  const auto addToolkit = [&](const std::string &toolkit) {
    folders.push_back(toolkit + "/lib64");
    folders.push_back(toolkit + "/lib");
  };
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *toolkit = std::getenv(variable); toolkit && *toolkit)
      addToolkit(toolkit);
  addToolkit("/usr/local/cuda");
  return folders;
}

/// HEDDLE_GPU_LIBRARIES is a list of folders that replaces all others.
const std::vector<std::string> &folders() {
  static const std::vector<std::string> all = [] {
    if (const char *list = std::getenv("HEDDLE_GPU_LIBRARIES"); list && *list)
      return splitFolders(list);
    std::vector<std::string> found = searchedFolders();
    for (std::string &folder : foldersOfToolkits())
      found.push_back(std::move(folder));
    return found;
  }();
  return all;
}

/// The names of the libraries that an ELF file needs (DT_NEEDED).
std::vector<std::string> neededBy(const std::string &path) {
  std::vector<std::string> names;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0)
    return names;
  const size_t bytes = fstat(file, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
  void *mapped = bytes ? mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  close(file);
  if (mapped == MAP_FAILED)
    return names;
  const auto *data = static_cast<const char *>(mapped);
  const auto fits = [&](uint64_t offset, uint64_t size) {
    return offset <= bytes && size <= bytes - offset;
  };
  const auto *header = reinterpret_cast<const ElfW(Ehdr) *>(data);
  const bool isElf = fits(0, sizeof *header) && std::memcmp(data, ELFMAG, SELFMAG) == 0 &&
                     fits(header->e_shoff, uint64_t(header->e_shnum) * sizeof(ElfW(Shdr)));
  const auto *sections = reinterpret_cast<const ElfW(Shdr) *>(data + (isElf ? header->e_shoff : 0));
  for (unsigned i = 0; isElf && i < header->e_shnum; ++i) {
    const ElfW(Shdr) &s = sections[i];
    if (s.sh_type != SHT_DYNAMIC || s.sh_link >= header->e_shnum || !fits(s.sh_offset, s.sh_size))
      continue;
    const ElfW(Shdr) &texts = sections[s.sh_link];
    const auto *entries = reinterpret_cast<const ElfW(Dyn) *>(data + s.sh_offset);
    for (size_t k = 0; k < s.sh_size / sizeof *entries; ++k)
      if (entries[k].d_tag == DT_NEEDED && entries[k].d_un.d_val < texts.sh_size &&
          fits(texts.sh_offset, texts.sh_size))
        names.emplace_back(data + texts.sh_offset + entries[k].d_un.d_val);
  }
  munmap(mapped, bytes);
  return names;
}

/// What a library of NVIDIA's needs beside itself is opened by its path: else it would get ours, which
/// have the same names and may be found first.
void openNeeded(const std::string &folder, const std::string &file) {
  std::string problem;
  for (const std::string &name : neededBy(folder + "/" + file)) {
    const std::string path = folder + "/" + name;
    if (name.starts_with("libc.") || access(path.c_str(), R_OK) != 0 ||
        dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD))
      continue;
    openNeeded(folder, name);
    (void)openForeign(path, problem, RTLD_LAZY);
  }
}

/// What NVIDIA's libraries open themselves, by names that ours have, too: the linker and the compiler of
/// a toolkit (cuFFT), and the tool that tells of boards, which comes with the driver (NCCL).
void openAsked(const std::string &folder) {
  std::string problem;
  for (const char *pattern : {"/libnvJitLink.so.[0-9]?", "/libnvrtc.so.[0-9]?"}) {
    glob_t found = {};
    if (glob((folder + pattern).c_str(), 0, nullptr, &found) == 0)
      for (size_t i = 0; i < found.gl_pathc; ++i)
        (void)openForeign(found.gl_pathv[i], problem, RTLD_LAZY);
    globfree(&found);
  }
  for (const std::string &other : folders())
    if (const std::string path = other + "/libnvidia-ml.so.1"; access(path.c_str(), R_OK) == 0)
      if (openForeign(path, problem, RTLD_LAZY))
        return;
}

/// NVIDIA's libraries find the driver by its name, and what they need is a library of the machine's:
/// names that are not resolved at once need not be there.
void *openOne(const std::string &file) {
  std::string problem;
  for (const std::string &folder : folders()) {
    const std::string path = folder + "/" + file;
    if (access(path.c_str(), R_OK) != 0)
      continue;
    openNeeded(folder, file);
    if (void *library = openForeign(path, problem, RTLD_LAZY)) {
      openAsked(folder);
      return library;
    }
  }
  if (!problem.empty())
    tellf("heddle: %s cannot be used: %s\n", file.c_str(), problem.c_str());
  return nullptr;
}

void *openFirst(std::string_view files) {
  while (!files.empty()) {
    const size_t end = std::min(files.find(','), files.size());
    if (void *library = openOne(std::string(files.substr(0, end))))
      return library;
    files.remove_prefix(std::min(end + 1, files.size()));
  }
  return nullptr;
}

} // namespace

} // namespace heddle::driver

/// Whether a CUDA device of this process is a GPU of the machine; `always`: all are alike.
extern "C" __attribute__((visibility("default"))) bool heddle_is_on_gpu(int device, bool *always) {
  const bool isMixed = heddle::driver::isMixed(heddle::driver::askedDevices());
  *always = !isMixed;
  return isMixed ? heddle::driver::isGpuDevice(device) : heddle::driver::gpuTable() != nullptr;
}

/// The machine's library of the first of these names (with commas between them) that is there; null
/// if none is.
extern "C" __attribute__((visibility("default"))) void *heddle_machine_library(const char *files) {
  static std::mutex mutex;
  static std::map<std::string, void *, std::less<>> &known =
      *new std::map<std::string, void *, std::less<>>;
  std::lock_guard guard(mutex);
  auto place = known.find(std::string_view(files));
  if (place == known.end())
    place = known.emplace(files, heddle::driver::openFirst(files)).first;
  return place->second;
}
