// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang's host code calls, all of it before main or in dlopen: it must be cheap, and only notes
// pointers. The driver is given a binary at the first use of something in it.
//
// Managed variables lie in the host's own memory, and the host reads them without a call: they get
// their initial values here, and the driver is told of them with the program's first call.
//
// The dynamic linker calls with its lock held, which loading device code may wait for. So what it
// calls waits for no use of device code: `mutex` is held for moments, or while the driver looks at a
// binary, which must stay there so long.
#include "runtime/registration.h"

#include "base/image/image_bundle.h"
#include "base/messages/messages.h"

#include <algorithm>
#include <cstring>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/auxv.h>

/// Whether a CUDA device is a GPU of the machine, in our driver (driver/gpu/cuda_libraries.cpp).
extern "C" bool heddle_is_on_gpu(int device, bool *areAll);

namespace heddle::runtime {

Registered &registered() {
  static Registered *all = [] {
    auto *made = new Registered;
    // A forked process has the tables as no thread is changing them.
    pthread_atfork([] { registered().mutex.lock(); }, [] { registered().mutex.unlock(); },
                   [] { new (&registered().mutex) std::shared_mutex; });
    return made;
  }();
  return *all;
}

std::atomic<bool> awaitsLoad{false};

namespace {

constexpr uint32_t WrapperMagic = 0x466243b1;
/// Managed variables are the same in the code for all architectures.
constexpr unsigned AnyCapability = 90;

/// What clang emits for a translation unit.
struct FatBinaryWrapper {
  uint32_t magic, version;
  const void *data;
  void *unused;
};

/// The executable or shared library that an address lies in.
const void *imageGroup(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : address;
}

const void *programGroup() {
  static const void *group = imageGroup(reinterpret_cast<const void *>(getauxval(AT_ENTRY)));
  return group;
}

/// Not the binary's fault.
bool mayLoadLater(CUresult error) {
  return error == CUDA_ERROR_NOT_INITIALIZED || error == CUDA_ERROR_NOT_PERMITTED ||
         error == CUDA_ERROR_OUT_OF_MEMORY;
}

/// What nvcc has compiled: a fatbinary as NVIDIA's tools write it, or a wrapper of several that are
/// to be linked (-rdc=true).
bool isForeign(const Binary &binary) {
  uint32_t magic = 0;
  if (binary.data)
    std::memcpy(&magic, binary.data, sizeof magic);
  return magic == 0xBA55ED50 || magic == WrapperMagic;
}

/// The driver of a GPU has memory of its own for managed variables of nvcc's code, as soon as a context has
/// that code: the host's pointers lead there. With both locks held.
void followManaged(const Binary &binary) {
  CUdevice device = 0;
  CUmodule module;
  bool areAll;
  if (binary.managed.empty() || !isForeign(binary) ||
      cu().cuCtxGetDevice(&device) != CUDA_SUCCESS || !heddle_is_on_gpu(device, &areAll) ||
      cu().cuLibraryGetModule(&module, binary.library) != CUDA_SUCCESS)
    return;
  for (auto &[host, symbol] : registered().symbols) {
    CUdeviceptr place = 0;
    size_t bytes = 0;
    if (symbol.binary == &binary &&
        std::ranges::find(binary.managed, symbol.name, &HostVariable::name) !=
            binary.managed.end() &&
        cu().cuLibraryGetManaged(&place, &bytes, binary.library, symbol.name) == CUDA_SUCCESS)
      *static_cast<void **>(const_cast<void *>(host)) = reinterpret_cast<void *>(place);
  }
}

/// With both locks held.
CUresult loadOne(Binary &binary) {
  HostTable host = {.home = binary.home,
                    .isOfProgram = binary.isOfProgram,
                    .count = binary.managed.size(),
                    .variables = binary.managed.data()};
  CUlibraryHostUniversalFunctionAndDataTable tables = {nullptr, 0, &host, sizeof host};
  CUlibraryOption options[] = {CU_LIBRARY_BINARY_IS_PRESERVED,
                               CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE};
  void *values[] = {nullptr, &tables};
  CUresult error = cu().cuLibraryLoadData(&binary.library, binary.data, nullptr, nullptr, 0,
                                          options, values, std::size(options));
  if (mayLoadLater(error))
    return error;
  binary.isLoaded = true;
  binary.error = error;
  if (error == CUDA_SUCCESS)
    followManaged(binary);
  return CUDA_SUCCESS;
}

/// Loads those that `isWanted(binary)` tells.
template <typename F> CUresult loadAll(F &&isWanted) {
  Registered &all = registered();
  std::lock_guard loading(all.loadMutex);
  std::shared_lock guard(all.mutex);
  for (auto &binary : all.binaries)
    if (!binary->isLoaded && isWanted(*binary))
      if (CUresult error = loadOne(*binary))
        return error;
  return CUDA_SUCCESS;
}

/// Where the variable of a name that came with `home` lies; null if there is none.
void *findHost(std::string_view name, const void *home) {
  for (auto &[host, symbol] : registered().symbols)
    if (name == symbol.name && symbol.binary->home == home)
      return const_cast<void *>(host);
  return nullptr;
}

/// Gives managed variables the initial values in this binary, and lists them. They may have been
/// registered with another one of the home.
std::vector<HostVariable> initializeManaged(const Binary &binary) {
  std::vector<HostVariable> managed;
  auto chosen = chooseImage(binary.data, AnyCapability);
  if (!chosen)
    return managed; // said at first use
  std::span<const uint8_t> init = chosen->image.globalsInit();
  std::shared_lock guard(registered().mutex);
  for (const ImageVariable &variable : chosen->image.variables()) {
    if (variable.space != VariableSpace::Managed || variable.isExtern)
      continue;
    std::string_view name = chosen->image.string(variable.name);
    void *host = findHost(name, binary.home);
    if (!host)
      continue;
    managed.push_back({name.data(), host});
    std::memset(host, 0, variable.size);
    if (variable.initOffset < init.size())
      std::memcpy(host, init.data() + variable.initOffset,
                  std::min<size_t>(variable.size, init.size() - variable.initOffset));
  }
  return managed;
}

/// Memory for a managed variable that nvcc's host code reaches through `*host`. It gets its value when
/// the binary is loaded (__cudaInitModule).
void giveStorage(Binary &binary, void **host, const char *name, size_t size) {
  constexpr size_t Align = 256;
  auto bytes = std::make_unique<uint8_t[]>(size + Align);
  const auto address = reinterpret_cast<uintptr_t>(bytes.get());
  *host = reinterpret_cast<void *>((address + Align - 1) / Align * Align);
  std::lock_guard loading(registered().loadMutex);
  binary.managed.push_back({name, *host});
  binary.storage.push_back(std::move(bytes));
}

Binary *binaryOf(void **handle) { return reinterpret_cast<Binary *>(handle); }

void addSymbol(const void *host, const HostSymbol &symbol) {
  std::unique_lock guard(registered().mutex);
  registered().symbols[host] = symbol;
}

void forgetNames(const Binary &binary) {
  Registered &all = registered();
  std::erase_if(all.kernels, [&](auto &entry) {
    if (entry.second.binary != &binary)
      return false;
    all.stubs.erase(entry.second.kernel);
    return true;
  });
  std::erase_if(all.symbols, [&](auto &entry) { return entry.second.binary == &binary; });
  all.closings.fetch_add(1, std::memory_order_release);
}

} // namespace

CUresult load(Binary &wanted) {
  const void *home = wanted.home;
  const bool isAlone = isForeign(wanted);
  CUresult error = loadAll([&](const Binary &binary) {
    return isAlone ? &binary == &wanted : binary.home == home && !isForeign(binary);
  });
  return error == CUDA_SUCCESS ? wanted.error : error;
}

void loadAwaited() {
  awaitsLoad = false;
  if (loadAll([](const Binary &binary) { return !binary.managed.empty(); }) != CUDA_SUCCESS)
    awaitsLoad = true;
}

} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API void **__cudaRegisterFatBinary(void *wrapperAddress) {
  auto *wrapper = static_cast<FatBinaryWrapper *>(wrapperAddress);
  auto binary = std::make_unique<Binary>();
  constexpr uint32_t Linked = 2; // it names the parts, which the driver links
  binary->data = wrapper->version == Linked ? wrapperAddress : wrapper->data;
  if (wrapper->magic != WrapperMagic) {
    heddle::tell("heddle: __cudaRegisterFatBinary: device code of an unknown format\n");
    binary->data = nullptr;
    binary->isLoaded = true;
    binary->error = CUDA_ERROR_INVALID_IMAGE;
  }
  binary->home = imageGroup(wrapperAddress);
  binary->isOfProgram = binary->home == programGroup();
  int count; // the driver sees the thread that loads the program: it ends that, too
  (void)cu().cuDeviceGetCount(&count);
  std::unique_lock guard(registered().mutex);
  registered().binaries.push_back(std::move(binary));
  return reinterpret_cast<void **>(registered().binaries.back().get());
}

HEDDLE_API void __cudaRegisterFatBinaryEnd(void **handle) {
  if (isForeign(*binaryOf(handle))) // it is read at first use, or by __cudaInitModule
    return;
  std::vector<heddle::HostVariable> managed = initializeManaged(*binaryOf(handle));
  if (managed.empty())
    return;
  {
    std::lock_guard loading(registered().loadMutex);
    binaryOf(handle)->managed = std::move(managed);
  }
  loadAwaited();
}

HEDDLE_API void __cudaUnregisterFatBinary(void **handle) {
  Registered &all = registered();
  std::unique_ptr<Binary> binary;
  {
    std::unique_lock guard(all.mutex);
    auto place = std::ranges::find(all.binaries, binaryOf(handle), &std::unique_ptr<Binary>::get);
    if (place == all.binaries.end())
      return;
    forgetNames(**place);
    binary = std::move(*place);
    all.binaries.erase(place);
  }
  if (binary->library && !binary->isOfProgram)
    (void)cu().cuLibraryUnload(binary->library);
}

HEDDLE_API int __cudaRegisterFunction(void **handle, const char *stub, char *, const char *name,
                                      int, void *, void *, void *, void *, int *) {
  std::unique_lock guard(registered().mutex);
  registered().kernels[stub] = {binaryOf(handle), name};
  return 0;
}

HEDDLE_API void __cudaRegisterVar(void **handle, char *host, char *, const char *name, int, size_t,
                                  int, int) {
  addSymbol(host, {binaryOf(handle), name});
}

HEDDLE_API void __cudaRegisterManagedVar(void **handle, void **host, char *, const char *name, int,
                                         size_t size, int, int) {
  addSymbol(host, {binaryOf(handle), name});
  if (isForeign(*binaryOf(handle)))
    giveStorage(*binaryOf(handle), host, name, size);
}

HEDDLE_API void __cudaRegisterTexture(void **handle, const void *host, const void *,
                                      const char *name, int, int normalized, int) {
  addSymbol(host, {binaryOf(handle), name, true, normalized != 0});
}

HEDDLE_API void __cudaRegisterSurface(void **handle, const void *host, const void *,
                                      const char *name, int, int) {
  addSymbol(host, {binaryOf(handle), name, true});
}

/// Before nvcc's host code touches a managed variable for the first time.
HEDDLE_API char __cudaInitModule(void **handle) {
  if (isForeign(*binaryOf(handle)))
    (void)translate([&] { return load(*binaryOf(handle)); });
  return 1;
}
