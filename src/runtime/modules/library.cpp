// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries: device code that the program loads while it runs (runtime API, "Library Management").
// A library is a binary like those that are registered before main, which belongs to no executable;
// a kernel's handle stands where a host stub would, so all that takes a stub takes it.
#include "runtime/handle_pool.h"
#include "runtime/memory/memory.h"
#include "runtime/modules/link_images.h"
#include "runtime/modules/module_table.h"
#include "runtime/streams/stream.h"

#include "base/image_bundle.h"
#include "base/mapped.h"

#include <algorithm>
#include <cstring>

#include <sys/stat.h>

namespace heddle::runtime {

namespace {

struct Library {
  FatBinary *binary = nullptr;
  std::vector<Function *> kernels; ///< in the order of the image
  std::vector<void *> managed;     ///< storage of its variables
};

HandlePool<Library, 1u << 16> &pool() {
  static auto *libraries = new HandlePool<Library, 1u << 16>;
  return *libraries;
}

constexpr const char *Api = "cudaLibraryLoadData";

cudaError_t refuse(const char *message, cudaError_t error) {
  reportFailure(Api, message);
  return error;
}

bool beginsWith(const void *code, std::string_view start) {
  return std::strncmp(static_cast<const char *>(code), start.data(), start.size()) == 0;
}

/// Text of PTX: a comment, or the directive that must come first.
bool isPtx(const void *code) {
  const char *text = static_cast<const char *>(code);
  text += std::strspn(text, " \t\r\n");
  return beginsWith(text, ".version") || beginsWith(text, "//") || beginsWith(text, "/*");
}

/// Says what it is that is no device code of ours.
cudaError_t checkFormat(const void *code) {
  constexpr std::string_view Elf = "\x7f"
                                   "ELF",
                             Fat = "\x50\xed\x55\xba";
  if (!isMapped(reinterpret_cast<uintptr_t>(code), sizeof(ImageMagic)))
    return refuse("the process has no memory there", cudaErrorInvalidValue);
  if (deviceCodeBytes(code, SIZE_MAX))
    return cudaSuccess;
  if (beginsWith(code, Elf))
    return refuse("a cubin holds NVIDIA's machine code, which cannot run here; compile the source "
                  "with 'heddle cc -cubin' or -fatbin",
                  cudaErrorNoKernelImageForDevice);
  if (beginsWith(code, Fat))
    return refuse("a fatbinary of NVIDIA's compiler cannot run here; compile the source with "
                  "'heddle cc -fatbin'",
                  cudaErrorNoKernelImageForDevice);
  if (isPtx(code))
    return refuse("PTX text is not supported", cudaErrorNotSupported);
  return refuse("not device code", cudaErrorInvalidKernelImage);
}

/// Options of the compiler are hints here. Those of the library: whether `code` stays where it is.
cudaError_t readOptions(const cudaLibraryOption *options, unsigned count, bool &isPreserved) {
  if (count && !options)
    return cudaErrorInvalidValue;
  for (const cudaLibraryOption option : std::span(options, count)) {
    if (option == cudaLibraryHostUniversalFunctionAndDataTable)
      return refuse("cudaLibraryHostUniversalFunctionAndDataTable is not supported",
                    cudaErrorNotSupported);
    if (option != cudaLibraryBinaryIsPreserved)
      return cudaErrorInvalidValue;
    isPreserved = true;
  }
  return cudaSuccess;
}

void addKernels(Library &library, const ImageView &image) {
  std::unique_lock guard(moduleTable().mutex);
  for (const ImageKernel &kernel : image.kernels()) {
    auto function = std::make_unique<Function>();
    function->binary = library.binary;
    function->name = image.string(kernel.name).data();
    function->stub = function.get();
    library.kernels.push_back(function.get());
    moduleTable().functions[function->stub] = std::move(function);
  }
}

cudaError_t addManaged(Library &library, const ImageView &image) {
  for (const ImageVariable &variable : image.variables()) {
    if (variable.space != VariableSpace::Managed || variable.isExtern)
      continue;
    void *storage = takeModuleMemory(currentDevice(), std::max<size_t>(variable.size, 1), true);
    if (!storage)
      return cudaErrorMemoryAllocation;
    library.managed.push_back(storage);
    std::unique_lock guard(moduleTable().mutex);
    moduleTable().variables[storage] = {library.binary, image.string(variable.name).data(),
                                        storage};
  }
  initializeManaged(*library.binary);
  return cudaSuccess;
}

void unload(Library &library) {
  unregister(*library.binary);
  for (void *storage : library.managed)
    giveModuleMemory(storage);
  pool().destroy(&library);
}

/// A library of `data`, which the binary may have as its copy.
cudaError_t addLibrary(std::unique_ptr<FatBinary> binary, cudaLibrary_t *out) {
  auto chosen = chooseImage(binary->data, capabilityOf(currentDevice()));
  if (!chosen)
    return refuse(chosen.error().c_str(), cudaErrorInvalidKernelImage);
  Library *library = pool().create();
  if (!library)
    return cudaErrorMemoryAllocation;
  binary->home = binary.get();
  library->binary = binary.get();
  {
    std::unique_lock guard(moduleTable().mutex);
    moduleTable().binaries.push_back(std::move(binary));
  }
  addKernels(*library, chosen->image);
  if (cudaError_t error = addManaged(*library, chosen->image)) {
    unload(*library);
    return error;
  }
  *out = reinterpret_cast<cudaLibrary_t>(library);
  return cudaSuccess;
}

cudaError_t load(cudaLibrary_t *out, const void *code, bool isPreserved) {
  if (cudaError_t error = checkFormat(code))
    return error;
  auto binary = std::make_unique<FatBinary>();
  binary->data = code;
  if (!isPreserved) {
    // Its size can be trusted only then.
    if (auto chosen = chooseImage(code, capabilityOf(currentDevice())); !chosen)
      return refuse(chosen.error().c_str(), cudaErrorInvalidKernelImage);
    auto *bytes = static_cast<const uint8_t *>(code);
    binary->copy.assign(bytes, bytes + deviceCodeBytes(code, SIZE_MAX));
    binary->data = binary->copy.data();
  }
  return addLibrary(std::move(binary), out);
}

cudaError_t loadFile(cudaLibrary_t *out, const char *name) {
  struct stat status;
  if (stat(name, &status) != 0)
    return cudaErrorFileNotFound;
  auto bytes = readFile(name);
  if (!bytes)
    return refuse(bytes.error().c_str(), cudaErrorOperatingSystem);
  const size_t size = bytes->size();
  bytes->resize(size + 16); // text ends with a zero
  if (cudaError_t error = checkFormat(bytes->data()))
    return error;
  if (!deviceCodeBytes(bytes->data(), size))
    return refuse((std::string(name) + " is cut short").c_str(), cudaErrorInvalidKernelImage);
  auto binary = std::make_unique<FatBinary>();
  binary->copy = std::move(*bytes);
  binary->data = binary->copy.data();
  return addLibrary(std::move(binary), out);
}

/// Runs `body(library)` for a live handle.
template <typename F> cudaError_t withLibrary(cudaLibrary_t handle, F &&body) {
  return enter([&]() -> cudaError_t {
    Library *library = pool().find(handle);
    return library ? body(*library) : cudaErrorInvalidResourceHandle;
  });
}

cudaKernel_t handleOf(const Function *function) {
  return reinterpret_cast<cudaKernel_t>(const_cast<Function *>(function));
}

/// The variable of that name on the current device, if it is managed or not as asked for.
cudaError_t findGlobal(Library &library, const char *name, bool managed, void **p, size_t *bytes) {
  if (!name || (!p && !bytes))
    return cudaErrorInvalidValue;
  Device &device = currentDevice();
  auto module = moduleOf(*library.binary, device);
  if (!module)
    return reportNoCode(device, "device code", module.error(), cudaErrorInvalidKernelImage);
  const ImageVariable *variable = (*module)->image.findVariable(name);
  if (!variable || variable->space == VariableSpace::Internal ||
      (variable->space == VariableSpace::Managed) != managed)
    return cudaErrorSymbolNotFound;
  if (bytes)
    *bytes = variable->size;
  if (!p)
    return cudaSuccess;
  if (managed) {
    std::shared_lock guard(moduleTable().mutex);
    *p = findRegistered(name, library.binary->home)->host;
    return cudaSuccess;
  }
  auto globals = globalsOf(**module, device);
  if (!globals) {
    reportFailure("device code", globals.error());
    return cudaErrorMemoryAllocation;
  }
  *p = *globals + variable->offset;
  return cudaSuccess;
}

} // namespace
} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                           cudaJitOption *jitOptions, void **, unsigned jitCount,
                                           cudaLibraryOption *options, void **, unsigned count) {
  return enter([&]() -> cudaError_t {
    bool isPreserved = false;
    if (!library || !code || (jitCount && !jitOptions))
      return cudaErrorInvalidValue;
    if (cudaError_t error = readOptions(options, count, isPreserved))
      return error;
    return load(library, code, isPreserved);
  });
}

HEDDLE_API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *name,
                                               cudaJitOption *jitOptions, void **,
                                               unsigned jitCount, cudaLibraryOption *options,
                                               void **, unsigned count) {
  return enter([&]() -> cudaError_t {
    bool isPreserved = false;
    if (!library || !name || (jitCount && !jitOptions))
      return cudaErrorInvalidValue;
    if (cudaError_t error = readOptions(options, count, isPreserved))
      return error;
    return loadFile(library, name);
  });
}

HEDDLE_API cudaError_t cudaLibraryUnload(cudaLibrary_t handle) {
  return withLibrary(handle, [](Library &library) -> cudaError_t {
    for (auto &device : state().devices)
      if (cudaError_t error = synchronize(*device))
        return error;
    unload(library);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t handle,
                                            const char *name) {
  return withLibrary(handle, [&](Library &library) -> cudaError_t {
    if (!kernel || !name)
      return cudaErrorInvalidValue;
    auto found = std::ranges::find_if(library.kernels, [&](const Function *function) {
      return std::strcmp(function->name, name) == 0;
    });
    if (found == library.kernels.end())
      return cudaErrorSymbolNotFound;
    *kernel = handleOf(*found);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t handle) {
  return withLibrary(handle, [&](Library &library) -> cudaError_t {
    if (!count)
      return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(library.kernels.size());
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned room,
                                                   cudaLibrary_t handle) {
  return withLibrary(handle, [&](Library &library) -> cudaError_t {
    if (!kernels && room)
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < std::min<size_t>(room, library.kernels.size()); ++i)
      kernels[i] = handleOf(library.kernels[i]);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaLibraryGetGlobal(void **p, size_t *bytes, cudaLibrary_t handle,
                                            const char *name) {
  return withLibrary(handle,
                     [&](Library &library) { return findGlobal(library, name, false, p, bytes); });
}

HEDDLE_API cudaError_t cudaLibraryGetManaged(void **p, size_t *bytes, cudaLibrary_t handle,
                                             const char *name) {
  return withLibrary(handle,
                     [&](Library &library) { return findGlobal(library, name, true, p, bytes); });
}

/// There are none: cudaDevAttrUnifiedFunctionPointers is 0.
HEDDLE_API cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t handle,
                                                     const char *name) {
  return withLibrary(handle, [&](Library &) -> cudaError_t {
    return function && name ? cudaErrorSymbolNotFound : cudaErrorInvalidValue;
  });
}
