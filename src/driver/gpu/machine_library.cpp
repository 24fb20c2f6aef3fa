// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our own libcuda.so.1 has the soname of the machine's, and programs have ours in their search path:
// dlopen by that name would find ours. So the machine's is looked for where the dynamic linker looks
// for libraries of the system, and opened by its path; one that leads to us is passed over. Its own
// symbols come first for it (RTLD_DEEPBIND): ours have the same names.
#include "driver/gpu/machine_library.h"

#include "driver/gpu/device_list.h"
#include "driver/gpu/mixed_table.h"

#include "base/messages/messages.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <unistd.h>

namespace heddle::driver {

namespace {

constexpr const char *FileName = "libcuda.so.1";
/// Of our libcuda.so.1 (driver/libcuda.cpp).
constexpr const char *OurMark = "heddle_is_ours";

#if defined(__aarch64__)
constexpr const char *Triplet = "aarch64-linux-gnu";
#else
constexpr const char *Triplet = "x86_64-linux-gnu";
#endif

void addList(std::vector<std::string> &folders, std::string_view list) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(':'), list.size());
    if (end)
      folders.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

/// The folders that /etc/ld.so.conf and what it includes name.
void addConfigured(std::vector<std::string> &folders, const char *file, int depth = 0) {
  constexpr int Deepest = 4;
  FILE *stream = depth < Deepest ? std::fopen(file, "re") : nullptr;
  if (!stream)
    return;
  char line[PATH_MAX], word[PATH_MAX];
  while (std::fgets(line, sizeof line, stream)) {
    if (std::sscanf(line, " include %4095s", word) == 1) {
      glob_t found = {};
      if (glob(word, 0, nullptr, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; ++i)
          addConfigured(folders, found.gl_pathv[i], depth + 1);
      globfree(&found);
    } else if (std::sscanf(line, " %4095s", word) == 1 && word[0] == '/') {
      folders.emplace_back(word);
    }
  }
  std::fclose(stream);
}

} // namespace

std::vector<std::string> searchedFolders() {
  std::vector<std::string> folders;
  if (const char *list = std::getenv("LD_LIBRARY_PATH"))
    addList(folders, list);
  addConfigured(folders, "/etc/ld.so.conf");
  const std::string triplet = Triplet;
  for (const std::string &folder :
       {"/usr/lib/" + triplet, "/lib/" + triplet, "/usr/lib/" + triplet + "/nvidia/current",
        std::string("/usr/lib64"), std::string("/lib64"), std::string("/usr/lib"),
        std::string("/lib"), std::string("/usr/lib/wsl/lib"),
        std::string("/usr/local/nvidia/lib64"), std::string("/usr/local/nvidia/lib")})
    folders.push_back(folder);
  return folders;
}

namespace {

/// The mark is looked for in what the library needs, too, and that may be ours.
bool isOurs(void *library) {
  const void *mark = dlsym(library, OurMark);
  Dl_info info;
  link_map *map = nullptr;
  return mark && dladdr(mark, &info) && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 &&
         reinterpret_cast<uintptr_t>(info.dli_fbase) == map->l_addr;
}

} // namespace

void *openForeign(const std::string &path, std::string &problem, int binding) {
  void *library = dlopen(path.c_str(), binding | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!library) {
    problem = dlerror();
    return nullptr;
  }
  if (!isOurs(library))
    return library;
  dlclose(library);
  return nullptr;
}

std::vector<std::string> splitFolders(std::string_view list) {
  std::vector<std::string> folders;
  addList(folders, list);
  return folders;
}

namespace {

void *openMachineLibrary(std::string &problem) {
  if (const char *path = std::getenv("HEDDLE_GPU_DRIVER"); path && *path) {
    void *library = openForeign(path, problem, RTLD_NOW);
    if (library && dlsym(library, "cuInit"))
      return library;
    if (problem.empty())
      problem = std::string(path) + " is no driver of CUDA's for a GPU";
    return nullptr;
  }
  for (const std::string &folder : searchedFolders()) {
    const std::string path = folder + "/" + FileName;
    if (access(path.c_str(), R_OK) == 0)
      if (void *library = openForeign(path, problem, RTLD_NOW))
        return library;
  }
  return nullptr;
}

void *machineLibrary(std::string *problem = nullptr) {
  static std::string why;
  static void *library = openMachineLibrary(why);
  if (problem)
    *problem = why;
  return library;
}

CUresult tellAbsent(const char *symbol) {
  tellf("heddle: %s: the driver of this machine's GPU does not have it\n", symbol);
  return CUDA_ERROR_NOT_SUPPORTED;
}

#define HEDDLE_TWIN_None(symbol, parameters)
#define HEDDLE_TWIN_ptds(symbol, parameters) HEDDLE_TAKE(symbol##_ptds, parameters)
#define HEDDLE_TWIN_ptsz(symbol, parameters) HEDDLE_TAKE(symbol##_ptsz, parameters)
#define HEDDLE_TAKE(name, parameters)                                                              \
  table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name));                      \
  if (!table.name)                                                                                 \
    table.name = [] parameters -> CUresult { return tellAbsent(#name); };

#pragma GCC diagnostic ignored "-Wunused-parameter"
Result<Table> openMachineDriver() {
  std::string problem;
  void *library = machineLibrary(&problem);
  if (!library)
    return Failure{problem.empty() ? "this machine has no driver for a GPU (libcuda.so.1)"
                                   : "the driver of this machine's GPU cannot be used: " + problem};
  Table table;
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  HEDDLE_TAKE(symbol, parameters) HEDDLE_TWIN_##twin(symbol, parameters)
#include "driver/driver.def"
  return table;
}

/// Names the devices for NVIDIA's driver: those of the list, of what CUDA_VISIBLE_DEVICES allows.
void chooseDevices(const char *list) {
  std::vector<std::string> allowed;
  if (const char *visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    std::string commas = visible;
    for (char &c : commas)
      c = c == ',' ? ':' : c;
    addList(allowed, commas);
  }
  std::string chosen;
  std::string_view rest = list;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(','), rest.size());
    std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool isFirst = part == "gpu" && isMixed(list); // elsewhere it is all
    if (!part.starts_with("gpu:") && !isFirst)
      continue;
    const size_t index =
        isFirst ? 0 : std::strtoul(std::string(part.substr(4)).c_str(), nullptr, 10);
    std::string name = allowed.empty()          ? std::to_string(index)
                       : index < allowed.size() ? allowed[index]
                                                : "-1";
    chosen += (chosen.empty() ? "" : ",") + name;
  }
  if (!chosen.empty())
    setenv("CUDA_VISIBLE_DEVICES", chosen.c_str(), 1);
}

/// `gpu` or `gpu:1`.
bool isGpu(std::string_view part) {
  return part == "gpu" || (part.starts_with("gpu:") && part.size() > 4 &&
                           part.find_first_not_of("0123456789", 4) == part.npos);
}

bool machineHasGpu() {
  const Result<Table> &driver = machineDriver();
  int count = 0;
  return driver && driver->cuInit(0) == CUDA_SUCCESS &&
         driver->cuDeviceGetCount(&count) == CUDA_SUCCESS && count > 0;
}

} // namespace

bool asksForGpu(const char *list) {
  if (!list)
    return false;
  if (std::strcmp(list, "auto") == 0)
    return machineHasGpu();
  std::string_view rest = list;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(','), rest.size());
    if (isGpu(rest.substr(0, end)))
      return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

const Result<Table> &machineDriver() {
  static const Result<Table> driver = [] {
    if (const char *list = askedDevices())
      chooseDevices(list);
    return openMachineDriver();
  }();
  return driver;
}

bool machineHas(const char *symbol) {
  void *library = machineLibrary();
  return library && dlsym(library, symbol);
}

} // namespace heddle::driver
