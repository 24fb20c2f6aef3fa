// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiled forms of a kernel: one for each block shape, and, after a fault, one more of single
// threads (device.h, KernelInfo::makeThreadwise). They come from this process's memory, from the
// cache on disk, or from the compiler, in this order.
#include "driver/forms/form_process.h"
#include "driver/forms/forms.h"
#include "driver/launch/launch_objects.h"
#include "driver/modules/jit_library.h"
#include "driver/modules/loader.h"
#include "driver/modules/module.h"

#include "base/abi/check_abi.h"
#include "base/abi/count_abi.h"
#include "base/cache/object_cache.h"
#include "base/machine/clock.h"
#include "base/messages/missing_library.h"
#include "check/check.h"
#include "jit/jit.h"
#include "profile/count/counting.h"

#include <chrono>
#include <cstdlib>

#include <dlfcn.h>

namespace heddle::driver {

namespace {

constexpr unsigned MostForms = 3; ///< of a kernel and block shape that count on allocations

/// HEDDLE_WIDTH: a power of two from 1 to 1024 lanes, but 2 and 4. 0 if unset.
uint32_t widthFromEnvironment() {
  const char *text = getenv("HEDDLE_WIDTH");
  if (!text || !*text)
    return 0;
  for (uint32_t width : {1u, 8u, 16u, 32u, 64u, 128u, 256u, 512u, 1024u})
    if (std::to_string(width) == text)
      return width;
  reportFailure("HEDDLE_WIDTH",
                std::string("'") + text + "' is not 1 or a power of two from 8 to 1024");
  return 0;
}

/// HEDDLE_CPU: the CPU to compile for, by LLVM's name (x86-64-v3, ...); null: this one, with all it
/// has.
const char *cpuFromEnvironment() {
  static const char *const cpu = getenv("HEDDLE_CPU");
  return cpu && *cpu ? cpu : nullptr;
}

uint32_t checksOf(const Function &function) {
  return function.hasOwnChecks ? function.ownChecks : check::checks();
}

Mode modeFor(const Function &function) {
  if (checksOf(function))
    return Mode::Checked;
  if (profile::counts() && !function.isUncounted)
    return Mode::Counted;
  return function.image.header().flags & ImageDebug ? Mode::Debug : Mode::Plain;
}

uint32_t checksFor(const Function &function) { return checksOf(function); }

/// 0: the compiler chooses.
uint32_t widthFor(const Function &function) {
  static const uint32_t forced = widthFromEnvironment();
  Mode mode = modeFor(function);
  if (mode == Mode::Counted)
    return CountedLanes;
  if (forced)
    return forced;
  if (mode == Mode::Checked)
    return MostCheckedLanes;
  return mode == Mode::Debug ? 1 : 0;
}

/// Threads that a debugger looks at one by one (device/debugger.h).
bool isDebugged(const Function &function, uint32_t width) {
  return width == 1 && modeFor(function) == Mode::Debug && device::isDebuggerAttached();
}

/// What the code counts on is right for the launch; rather such that counts on something.
Compiled *findIn(Compiled *list, const std::array<uint32_t, 3> &blockDim,
                 const ObjectNumbers &objects) {
  Compiled *general = nullptr;
  bool isLong = hasLongObjects();
  for (; list; list = list->next) {
    if (list->blockDim != blockDim || !fits(list->objects, objects) ||
        (isLong && list->forShortObjects))
      continue;
    if (list->objects != ObjectNumbers{})
      return list;
    general = list;
  }
  return general;
}

/// For HeddleCompileRequest.
std::vector<uint32_t> requestOf(const ObjectNumbers &objects, const Function &function) {
  std::vector<uint32_t> numbers;
  if (objects == ObjectNumbers{})
    return numbers;
  size_t next = 1;
  for (const ImageParam &param : function.image.params(*function.kernel))
    numbers.push_back(param.isPointer && next < MostObjects ? objects[next++] : 0);
  numbers.push_back(objects[0]);
  return numbers;
}

/// What code is asked for.
struct Wanted {
  Function &function;
  std::array<uint32_t, 3> blockDim;
  ObjectNumbers objects = {};
  bool hasLongObjects = false;
  uint32_t width = 0; ///< 0: the compiler chooses
  bool threadwise = false;
  bool elsewhere = false; ///< compiled in another process
};

/// For the cache. `purpose`: what else than code is kept under it.
Hash128 keyOf(const Wanted &wanted, const std::vector<uint32_t> &numbers,
              const char *purpose = "") {
  std::vector<uint32_t> objects = numbers;
  if (wanted.hasLongObjects)
    objects.push_back(UINT32_MAX);
  const char *cpu = cpuFromEnvironment();
  return kernelKey(wanted.function.image.header().hash, wanted.function.name, wanted.blockDim,
                   wanted.width, std::string(cpu ? cpu : "") + purpose, wanted.threadwise, objects,
                   modeFor(wanted.function), checksFor(wanted.function));
}

/// Counts the time that it takes.
Result<std::vector<uint8_t>> compileHere(const HeddleCompileRequest &request, Function &function,
                                         std::chrono::nanoseconds &time) {
  uint64_t start = nowNanoseconds();
  bool isLibraryMissing = false;
  auto object = jitCompile(request, isLibraryMissing);
  function.missesLibrary = isLibraryMissing;
  time = std::chrono::nanoseconds(nowNanoseconds() - start);
  return object;
}

/// The path of the kernel's shared object, and how long it was compiled, if it was not in the
/// cache.
Result<std::string> objectFor(const Wanted &wanted, std::chrono::nanoseconds &compilation) {
  const ImageView &image = wanted.function.image;
  const std::array<uint32_t, 3> &blockDim = wanted.blockDim;
  std::vector<uint32_t> numbers = requestOf(wanted.objects, wanted.function);
  Hash128 key = keyOf(wanted, numbers);
  if (auto path = objectCache().lookup(key))
    return *path;
  HeddleCompileRequest request = {image.bytes().data(),
                                  image.bytes().size(),
                                  wanted.function.name,
                                  {blockDim[0], blockDim[1], blockDim[2]},
                                  wanted.width,
                                  cpuFromEnvironment(),
                                  wanted.threadwise,
                                  numbers.empty() ? nullptr : numbers.data(),
                                  wanted.hasLongObjects,
                                  modeFor(wanted.function),
                                  checksFor(wanted.function)};
  auto object = wanted.elsewhere ? compileElsewhere(request, numbers.size(), compilation)
                                 : compileHere(request, wanted.function, compilation);
  if (!object)
    return Failure{object.error()};
  return objectCache().store(key, *object);
}

Result<const KernelCode *> loadObject(const std::string &path, Function &function) {
  void *handle = openLibrary(path.c_str());
  if (!handle) {
    std::string text = dlerror();
    // It is about one that the kernel needs, or about what the kernel misses in one.
    function.missesLibrary = !text.starts_with(path) || !missingSleefFunction(text).empty();
    return Failure{"cannot load a compiled kernel: " + explainLoadError(text)};
  }
  auto *code = static_cast<const KernelCode *>(dlsym(handle, KernelSymbol));
  if (!code)
    return Failure{path + " is no compiled kernel"};
  if (code->abiVersion != KernelAbiVersion)
    return Failure{"the program was linked with another version of Heddle than that which compiles "
                   "its kernels; "
                   "link it again"};
  return code;
}

const device::KernelInfo *makeThreadwise(const device::KernelInfo &);

/// Compiled and loaded, in no list.
Result<Compiled *> makeCompiled(const Wanted &wanted) {
  Result<std::string> path = Failure{""};
  Result<const KernelCode *> code = Failure{""};
  std::chrono::nanoseconds compilation{};
  // Another process may take an entry out of the cache before it is opened here.
  for (int tries = 0; !code && tries < 3; ++tries) {
    path = objectFor(wanted, compilation);
    if (!path)
      return Failure{path.error()};
    code = loadObject(*path, wanted.function);
  }
  if (!code)
    return Failure{code.error()};
  auto *compiled = new Compiled;
  compiled->function = &wanted.function;
  compiled->blockDim = wanted.blockDim;
  if ((*code)->flags & KernelTrustsObjects)
    compiled->objects = wanted.objects;
  compiled->forShortObjects = (*code)->flags & KernelTrustsShortObjects;
  compiled->objectPath = *path;
  compiled->compilation = static_cast<uint64_t>(compilation.count());
  compiled->info.code = *code;
  compiled->info.name = wanted.function.displayName.c_str();
  compiled->info.objectPath = compiled->objectPath.c_str();
  compiled->info.owner = compiled;
  if (!wanted.threadwise)
    compiled->info.makeThreadwise = makeThreadwise;
  return compiled;
}

/// The same code for the same launches, but for the width.
Wanted like(const Compiled &compiled) {
  return {*compiled.function, compiled.blockDim, compiled.objects, !compiled.forShortObjects};
}

/// For KernelInfo.
const device::KernelInfo *makeThreadwise(const device::KernelInfo &info) {
  auto &compiled = *static_cast<Compiled *>(info.owner);
  Function &function = *compiled.function;
  std::lock_guard guard(function.mutex);
  if (Compiled *found = findIn(function.threadwise, compiled.blockDim, {}))
    return &found->info;
  auto threadwise = makeCompiled({function, compiled.blockDim, {}, hasLongObjects(), 1, true});
  if (!threadwise)
    return nullptr;
  (*threadwise)->next = function.threadwise;
  function.threadwise = *threadwise;
  return &(*threadwise)->info;
}

} // namespace

const device::KernelInfo *carefulForm(Compiled &compiled) {
  const device::KernelInfo &info = compiled.info;
  const device::KernelInfo *threadwise = info.makeThreadwise ? info.makeThreadwise(info) : nullptr;
  return threadwise ? threadwise : &info;
}

const device::KernelInfo *findCarefulForm(Compiled &compiled) {
  if (!compiled.info.makeThreadwise)
    return &compiled.info;
  std::lock_guard guard(compiled.function->mutex);
  Compiled *found = findIn(compiled.function->threadwise, compiled.blockDim, {});
  return found ? &found->info : nullptr;
}

Result<std::unique_ptr<Compiled>> compileLike(const Compiled &compiled, uint32_t width) {
  Wanted wanted = like(compiled);
  wanted.width = width;
  wanted.elsewhere = true;
  auto made = makeCompiled(wanted);
  if (!made)
    return Failure{made.error()};
  return std::unique_ptr<Compiled>(*made);
}

Hash128 formsKey(const Compiled &compiled) {
  Wanted wanted = like(compiled);
  return keyOf(wanted, requestOf(wanted.objects, wanted.function), " forms");
}

Compiled *compiledForAll(const Function &function, const std::array<uint32_t, 3> &blockDim) {
  Compiled *found = nullptr;
  for (Compiled *one = function.compiled.load(std::memory_order_acquire); one; one = one->next) {
    if (one->blockDim != blockDim)
      continue;
    if (one->objects != ObjectNumbers{})
      return nullptr;
    if (!one->forShortObjects || !hasLongObjects())
      found = one;
  }
  return found;
}

Compiled *findCompiled(const Function &function, const std::array<uint32_t, 3> &blockDim,
                       const ObjectNumbers &objects) {
  return findIn(function.compiled.load(std::memory_order_acquire), blockDim, objects);
}

Result<Compiled *> compiledFor(Function &function, const std::array<uint32_t, 3> &blockDim,
                               const ObjectNumbers &objects) {
  if (Compiled *found = findCompiled(function, blockDim, objects))
    return found;
  std::lock_guard guard(function.mutex);
  Compiled *all = function.compiled.load(std::memory_order_relaxed);
  if (Compiled *found = findIn(all, blockDim, objects))
    return found;
  device::setSymbolizer(jitSymbolize);
  // A program that passes its arrays in many ways gets code for all of them.
  unsigned forms = 0;
  for (Compiled *other = all; other; other = other->next)
    forms += other->blockDim == blockDim;
  uint32_t width = widthFor(function);
  auto compiled = makeCompiled({function, blockDim, forms < MostForms ? objects : ObjectNumbers{},
                                hasLongObjects(), width, isDebugged(function, width)});
  if (!compiled)
    return compiled;
  if (width == 0)
    (*compiled)->tuned = tune(**compiled);
  (*compiled)->next = all;
  function.compiled.store(*compiled, std::memory_order_release);
  return compiled;
}

} // namespace heddle::driver
