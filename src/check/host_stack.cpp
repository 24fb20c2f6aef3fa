// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/host_stack.h"

#include "base/source/tool_files.h"
#include "check/settings.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>

namespace heddle::check {

namespace {

constexpr int MostFrames = 64;

using Addresses = std::vector<void *>;

struct Stack {
  Addresses program; ///< from the caller of CUDA on
  std::string api;
  bool isThroughRuntime = false, isOfLibrary = false;
  bool isLookedUp = false, isFortran = false, isInKernel = false;
  std::vector<Frame> frames;
};

/// All stacks. Never destroyed, and no stack is forgotten: a program has few.
struct Stacks {
  std::mutex mutex;
  std::map<Addresses, uint32_t> numbers;
  std::vector<std::unique_ptr<Stack>> all; ///< by number, from 1 on
  SymbolizeHost symbolize = nullptr;
};

Stacks &stacks() {
  static Stacks &stacks = *new Stacks;
  return stacks;
}

/// Where code lies: the file, and the symbol that is exported there.
struct Place {
  std::string_view file, folder;
  const char *path = "";
  uintptr_t base = 0; ///< what addresses in the file are moved by
  bool isProgram = false;
  std::string symbol; ///< empty: the address is in no exported function
};

Place placeAt(void *address) {
  Place place;
  Dl_info info;
  const ElfW(Sym) *symbol = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void **>(const_cast<ElfW(Sym) **>(&symbol)),
               RTLD_DL_SYMENT) ||
      !info.dli_fname)
    return place;
  place.path = info.dli_fname;
  std::string_view path = place.path;
  size_t slash = path.rfind('/');
  place.file = path.substr(slash + 1);
  place.folder = slash == path.npos ? "" : path.substr(0, slash);
  auto offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(info.dli_saddr);
  if (info.dli_sname && symbol && offset < symbol->st_size)
    place.symbol = info.dli_sname;
  link_map *map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) && map) {
    place.base = map->l_addr;
    place.isProgram = !*map->l_name; // which may have another name than its file
  }
  return place;
}

bool isRuntime(const Place &place) { return place.file.starts_with("libcudart.so"); }
bool isCuda(const Place &place) {
  return isRuntime(place) || place.file.starts_with("libheddle_driver.so") ||
         place.file.starts_with("libcuda.so");
}

bool isOfLanguage(const Place &place) {
  for (std::string_view name : {"libc.so", "libc++.so", "libm.so", "libstdc++.so", "libgomp.so"})
    if (place.file.starts_with(name))
      return true;
  return false;
}

/// The folder of this library, where those of CUDA lie, too.
std::string_view ownFolder() {
  static const Place &own = *new Place(placeAt(reinterpret_cast<void *>(&hostStackHere)));
  return own.folder;
}

/// "cudaLaunchKernel" of "cudaLaunchKernel_ptsz".
std::string apiName(std::string symbol) {
  for (std::string_view suffix : {"_ptsz", "_ptds"})
    if (symbol.ends_with(suffix))
      symbol.resize(symbol.size() - suffix.size());
  return symbol;
}

/// The calling thread's; noteStub, noteDriverCall.
thread_local const void *stub = nullptr;
thread_local const char *driverCall = nullptr;

/// Takes the frames in CUDA apart from those of the program.
void readStack(const Addresses &all, Stack &stack) {
  size_t at = 0;
  while (at < all.size() && !isCuda(placeAt(all[at])))
    ++at; // a sanitizer's own backtrace
  if (at == all.size())
    at = 0;
  for (; at < all.size(); ++at) {
    Place place = placeAt(all[at]);
    if (!isCuda(place))
      break;
    stack.isThroughRuntime |= isRuntime(place);
    if (place.symbol.starts_with("cu") || place.symbol.starts_with("__cuda"))
      stack.api = apiName(place.symbol);
  }
  if (stack.api.empty() && driverCall)
    stack.api = apiName(driverCall);
  bool isStub = stub && at + 1 < all.size() && _Unwind_FindEnclosingFunction(all[at]) == stub;
  at += isStub;
  if (at < all.size())
    stack.isOfLibrary = placeAt(all[at]).folder == ownFolder();
  stack.program.assign(all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
}

std::string demangled(const std::string &name) {
  int status = 0;
  char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = text ? text : name;
  free(text);
  return result;
}

std::string pathOf(const Place &place) {
  char path[PATH_MAX];
  if (!place.isProgram)
    return place.path;
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : place.path;
}

/// Of code in a library of CUDA's that was stripped: its function, if that is a public one, as the
/// library itself knows it (lib/support/forward_table.cpp). Empty: it is none.
std::string publicName(const Place &place, void *address) {
  if (!place.symbol.empty() || place.folder.empty() || place.folder != ownFolder())
    return "";
  void *library = dlopen(place.path, RTLD_LAZY | RTLD_NOLOAD);
  if (!library)
    return "";
  auto *nameOf =
      reinterpret_cast<const char *(*)(const void *)>(dlsym(library, "heddle_public_name"));
  const char *name = nullptr;
  if (nameOf)
    name = nameOf(_Unwind_FindEnclosingFunction(address));
  dlclose(library);
  return name ? name : "";
}

/// What the program has called of a library of CUDA's, which has called CUDA.
std::string libraryFunction(const Addresses &program) {
  std::string name;
  for (void *address : program) {
    Place place = placeAt(address);
    if (place.folder != ownFolder())
      break;
    std::string own = publicName(place, address);
    name = !own.empty() ? own : !place.symbol.empty() ? place.symbol : name;
  }
  return name;
}

/// Of a return address: the call lies before it.
std::vector<Frame> framesAt(void *address, SymbolizeHost symbolize) {
  Place place = placeAt(address);
  std::string path = pathOf(place);
  uint64_t offset = reinterpret_cast<uintptr_t>(address) - 1 - place.base;
  std::vector<Frame> frames;
  if (std::string name = publicName(place, address); !name.empty())
    frames.push_back({name, "", 0, 0, 0});
  else if (symbolize && *place.path)
    frames = symbolize(path.c_str(), offset);
  if (frames.empty())
    frames.push_back({place.symbol.empty() ? "" : demangled(place.symbol), "", 0, 0, 0});
  for (Frame &frame : frames)
    if (frame.line == 0)
      frame.file = path, frame.offset = offset;
  return frames;
}

/// Flang's name of a Fortran program.
constexpr std::string_view FortranMain = "_QQmain";

bool isMain(std::string_view function) {
  return function == "main" || function == "MAIN_" || function == FortranMain;
}

/// What programs are linked with.
bool isOfFortran(std::string_view function) {
  for (std::string_view begin :
       {"_FortranA", "heddleFortran", "heddle::fortran::", "Fortran::runtime::"})
    if (function.starts_with(begin))
      return true;
  return false;
}

/// Written in Fortran.
bool isInFortran(const Frame &frame) {
  std::string_view file = frame.file, function = frame.function;
  for (std::string_view suffix : {".cuf", ".CUF", ".f90", ".F90", ".f95", ".F95", ".f03", ".F03",
                                  ".f08", ".F08", ".f", ".F", ".for", ".FOR"})
    if (file.ends_with(suffix))
      return true;
  return function.starts_with("_Q") || function.find("Fortran") != function.npos;
}

/// The entry of a kernel's compiled code (base/abi/kernel_abi.h).
bool isKernelEntry(const Place &place, const Frame &frame) {
  return !place.isProgram && (frame.function == "runBlocks" || frame.function == "resume");
}

/// What a library of ours calls within itself: of a stripped one it has no name.
bool isWithinLibrary(const Place &place, const std::string &function) {
  return !place.folder.empty() && place.folder == ownFolder() &&
         (function.empty() || function.find("heddle::") != function.npos);
}

/// With the lock held.
void lookUp(Stack &stack, SymbolizeHost symbolize) {
  stack.isLookedUp = true;
  for (void *address : stack.program) {
    Place place = placeAt(address);
    if (place.file.starts_with("libc.so"))
      break; // what has called main, or begun the thread
    for (Frame &frame : framesAt(address, symbolize)) {
      bool isRuntimes = isOfFortran(frame.function);
      stack.isFortran |= isRuntimes || isInFortran(frame);
      bool isEntry = isKernelEntry(place, frame);
      stack.isInKernel |= isEntry;
      if (!isRuntimes && !isEntry && !isToolFile(frame.file) && // a template of ours
          !isWithinLibrary(place, frame.function))
        stack.frames.push_back(std::move(frame));
    }
    if (stack.frames.empty())
      continue;
    if (isMain(stack.frames.back().function) || !settings().hostStacks)
      break;
  }
  if (!stack.frames.empty() && stack.frames.back().function == FortranMain)
    stack.frames.back().function = "main";
  if (!settings().hostStacks && stack.frames.size() > 1)
    stack.frames.resize(1);
}

} // namespace

void setHostSymbolizer(SymbolizeHost symbolize) { stacks().symbolize = symbolize; }

void noteStub(const void *function) { stub = function; }
void noteDriverCall(const char *function) { driverCall = function; }

uint32_t hostStackHere() {
  void *found[MostFrames];
  int count = backtrace(found, MostFrames);
  Addresses addresses(found, found + std::max(count, 0));
  Stacks &all = stacks();
  std::lock_guard lock(all.mutex);
  auto [at, isNew] = all.numbers.try_emplace(std::move(addresses), 0);
  if (!isNew)
    return at->second;
  auto stack = std::make_unique<Stack>();
  readStack(at->first, *stack);
  if (stack->program.empty())
    return 0;
  all.all.push_back(std::move(stack));
  return at->second = static_cast<uint32_t>(all.all.size());
}

int framesFrom(const void *instruction, void **frames, int most) {
  int count = backtrace(frames, most), first = 0;
  while (first < count && frames[first] != instruction)
    ++first; // the handler
  std::copy(frames + first, frames + count, frames);
  return count - first;
}

uint32_t hostStackAt(void *const *addresses, size_t count) {
  size_t first = count, end = count; // of the program's
  for (size_t i = 0; i < count; ++i) {
    Place place = placeAt(addresses[i]);
    if (isCuda(place) || (!place.folder.empty() && place.folder == ownFolder()))
      return 0;
    if (first == count && place.isProgram)
      first = i;
    else if (first == count && !isOfLanguage(place))
      return 0;
    else if (first < count && !place.isProgram)
      end = std::min(end, i);
  }
  if (first == count)
    return 0;
  Addresses program(addresses + first, addresses + end);
  if (first == 0) // the instruction itself; those behind it are where calls come back to
    program[0] = static_cast<char *>(program[0]) + 1;
  Stacks &all = stacks();
  std::lock_guard lock(all.mutex);
  auto [at, isNew] = all.numbers.try_emplace(program, 0);
  if (!isNew)
    return at->second;
  auto stack = std::make_unique<Stack>();
  stack->program = std::move(program);
  all.all.push_back(std::move(stack));
  return at->second = static_cast<uint32_t>(all.all.size());
}

static Stack *stackOf(uint32_t number) {
  Stacks &all = stacks();
  return number && number <= all.all.size() ? all.all[number - 1].get() : nullptr;
}

const std::vector<Frame> &framesOfStack(uint32_t number) {
  static const std::vector<Frame> &none = *new std::vector<Frame>;
  Stacks &all = stacks();
  std::lock_guard lock(all.mutex);
  Stack *stack = stackOf(number);
  if (!stack)
    return none;
  if (!stack->isLookedUp)
    lookUp(*stack, all.symbolize);
  return stack->frames;
}

std::string apiNameOf(uint32_t number) {
  std::lock_guard lock(stacks().mutex);
  const Stack *stack = stackOf(number);
  return stack ? stack->api : "";
}

std::string callNameOf(uint32_t number) {
  std::string name = libraryNameOf(number);
  return name.empty() ? apiNameOf(number) : name;
}

bool isThroughRuntime(uint32_t number) {
  std::lock_guard lock(stacks().mutex);
  const Stack *stack = stackOf(number);
  return stack && stack->isThroughRuntime;
}

std::string libraryNameOf(uint32_t number) {
  std::lock_guard lock(stacks().mutex);
  const Stack *stack = stackOf(number);
  return stack && stack->isOfLibrary ? libraryFunction(stack->program) : "";
}

bool isFortran(uint32_t number) {
  framesOfStack(number);
  std::lock_guard lock(stacks().mutex);
  const Stack *stack = stackOf(number);
  return stack && stack->isFortran;
}

bool isInKernel(uint32_t number) {
  framesOfStack(number);
  std::lock_guard lock(stacks().mutex);
  const Stack *stack = stackOf(number);
  return stack && stack->isInKernel;
}

bool isOfLibrary(uint32_t number) {
  std::lock_guard lock(stacks().mutex);
  const Stack *stack = stackOf(number);
  return stack && stack->isOfLibrary;
}

} // namespace heddle::check
