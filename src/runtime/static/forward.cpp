// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcudart_static.a: CUDA's functions as jumps into libcudart.so.12.
//
// A process must have one runtime. NVIDIA's static runtime may be in a process many times, in the
// program and in each shared library that nvcc linked, for all of them hand their work to the one
// driver below; streams, memory and the current device are the driver's. Here the runtime itself
// keeps them. So what nvcc links by default, and what CMake's CUDA::cudart_static is, is not a
// runtime but a way to the shared one: a table of addresses that is filled when the program starts,
// before any kernel is registered, and for each function of runtime.def a jump through its entry.
// The functions are hidden: a shared library that links the shared runtime has its constructors run
// before the program's table is filled, and must not find the program's jumps.
//
// The shared one is, in this order: one that is in the process already (a library such as
// libcublas.so brought it), the one in the toolkit's folder that `heddle cc` noted in the program's
// objects or that the archive notes itself, one beside the program or in ../lib64, one on the
// dynamic linker's path, and one in the toolkit's folder that HEDDLE_HOME names, or that belongs to
// a `heddle` or `nvcc` in PATH: an archive from a tarball notes nothing, since it may lie anywhere.
// A library of that name which is not ours is passed over. If there is none, the program ends before
// main, as it does where the dynamic linker misses a library.
#include "runtime/static/jump.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

// In every host object that `heddle cc` compiled (include/heddle/toolkit_folder.h).
extern "C" __attribute__((weak)) const char __heddle_toolkit[];
// Where the archive lies (toolkit_folder.cpp).
extern "C" const char heddle_static_toolkit[];

// Of stream_makers.cpp, if the program calls what that has.
extern "C" __attribute__((weak, visibility("hidden"))) const char heddle_makes_streams;

// An entry of the table, and the function that jumps through it, unless stream_makers.cpp has that.
#define HEDDLE_SYMBOL(name, state)                                                                 \
  extern "C" __attribute__((visibility("hidden"), used)) void *heddle_static_##name = nullptr;     \
  asm(".ifnc " #name ",cudaStreamCreateWithFlags\n.ifnc " #name                                    \
      ",cudaStreamCreateWithPriority\n" HEDDLE_FUNCTION(name) ".endif\n.endif\n");
#include "runtime/symbols.inc"

namespace {

struct Entry {
  const char *name;
  void **address;
};

const Entry Entries[] = {
#define HEDDLE_SYMBOL(name, state) {#name, &heddle_static_##name},
#include "runtime/symbols.inc"
};

constexpr const char *FileName = "libcudart.so.12";

/// The runtime's heddle_sigaction.
using SetAction = int (*)(int, const struct sigaction *, struct sigaction *);
std::atomic<SetAction> setAction{nullptr};

using BeforeExit = void (*)();
std::atomic<BeforeExit> beforeExit{nullptr};
std::atomic<BeforeExit> beforeEnd{nullptr};

/// Bring signal_names.cpp and exit_name.cpp from the archive into the program.
__attribute__((used)) const auto SignalNames = &sigaction;
__attribute__((used)) const auto ExitName = &exit;

/// The folder of the file that this code lies in: a shared library, or the program, whose name may
/// be any text.
std::string ownFolder() {
  Dl_info info;
  char real[PATH_MAX];
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info) || !std::strchr(info.dli_fname, '/') ||
      !realpath(info.dli_fname, real))
    if (!realpath("/proc/self/exe", real) &&
        !realpath(reinterpret_cast<const char *>(getauxval(AT_EXECFN)), real))
      return "";
  std::string path = real;
  return path.substr(0, path.rfind('/'));
}

/// The library at `path`, if it is there and ours; null if not.
void *openRuntime(const std::string &path, int flags = 0) {
  if (path.find('/') != path.npos && access(path.c_str(), R_OK) != 0)
    return nullptr;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | flags);
  if (library && !dlsym(library, "heddle_rsqrt")) {
    dlclose(library);
    return nullptr;
  }
  return library;
}

/// The folder of a program's file, links followed; empty: it is not there.
std::string realFolder(const std::string &program) {
  char real[PATH_MAX];
  if (access(program.c_str(), X_OK) != 0 || !realpath(program.c_str(), real))
    return "";
  std::string path = real;
  return path.substr(0, path.rfind('/'));
}

/// The toolkit that the environment names.
void *openEnvironmentsRuntime() {
  if (const char *home = std::getenv("HEDDLE_HOME"))
    if (void *library = openRuntime(home + std::string("/lib64/") + FileName))
      return library;
  const char *variable = std::getenv("PATH");
  std::string folders = variable ? variable : "";
  for (size_t begin = 0; begin < folders.size();) {
    size_t end = std::min(folders.find(':', begin), folders.size());
    for (const char *name : {"/heddle", "/nvcc"}) { // in <prefix>/bin or <prefix>/lib/heddle/bin
      std::string bin = realFolder(folders.substr(begin, end - begin) + name);
      const char *toolkit =
          bin.ends_with("/lib/heddle/bin") ? "/../lib64/" : "/../lib/heddle/lib64/";
      if (!bin.empty())
        if (void *library = openRuntime(bin + toolkit + FileName))
          return library;
    }
    begin = end + 1;
  }
  return nullptr;
}

void *findRuntime() {
  if (void *loaded = openRuntime(FileName, RTLD_NOLOAD))
    return loaded;
  std::string folder = ownFolder();
  std::string noted = __heddle_toolkit ? __heddle_toolkit : heddle_static_toolkit;
  for (const std::string &place :
       {noted + "/lib64/", heddle_static_toolkit + std::string("/lib64/"), folder + "/",
        folder + "/../lib64/", std::string()})
    if (place != "/lib64/") // nothing is noted
      if (void *library = openRuntime(place + FileName))
        return library;
  return openEnvironmentsRuntime();
}

/// Ends the process, as the dynamic linker would.
[[noreturn]] void fail(const char *why) {
  std::fprintf(stderr, "heddle: %s %s\n", FileName, why);
  _exit(127);
}

/// Whether a dynamic linker has started the program, which is the first object that there is.
bool isProgramDynamic() {
  bool found = false;
  auto lookForInterpreter = [](dl_phdr_info *info, size_t, void *to) {
    for (int i = 0; i < info->dlpi_phnum; ++i)
      *static_cast<bool *>(to) |= info->dlpi_phdr[i].p_type == PT_INTERP;
    return 1;
  };
  dl_iterate_phdr(lookForInterpreter, &found);
  return found;
}

void fillTable() {
  if (!isProgramDynamic()) // dlopen would bring a second C library
    fail("is a shared library: the program cannot be linked with -static or -static-pie");
  void *library = findRuntime();
  if (!library)
    fail("is missing: install Heddle, or set HEDDLE_HOME to its folder lib/heddle");
  for (const Entry &entry : Entries)
    *entry.address = dlsym(library, entry.name);
  setAction = reinterpret_cast<SetAction>(dlsym(library, "heddle_sigaction"));
  beforeExit = reinterpret_cast<BeforeExit>(dlsym(library, "heddle_before_exit"));
  beforeEnd = reinterpret_cast<BeforeExit>(dlsym(library, "heddle_before_end"));
  if (&heddle_makes_streams)
    if (auto note = reinterpret_cast<void (*)()>(dlsym(library, "heddle_program_makes_streams")))
      note();
}

/// Before device code is registered (heddle/register_linked.h, plugin/register_first.cpp). Compilers
/// keep these priorities from programs.
__attribute__((section(".init_array.00098"), used)) void (*fillFirst)() = fillTable;

} // namespace

// Of glibc, under a name that nobody stands in front of.
extern "C" int __sigaction(int, const struct sigaction *, struct sigaction *);

extern "C" __attribute__((visibility("hidden"))) int
heddle_sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
  const SetAction set = setAction.load(std::memory_order_acquire);
  return set ? set(signal, action, old) : __sigaction(signal, action, old);
}

extern "C" __attribute__((visibility("hidden"))) void heddle_before_exit() {
  if (const BeforeExit call = beforeExit.load(std::memory_order_acquire))
    call();
}

extern "C" __attribute__((visibility("hidden"))) void heddle_before_end() {
  if (const BeforeExit call = beforeEnd.load(std::memory_order_acquire))
    call();
}
