// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries: device code that the program loads while it runs (runtime API, "Library Management";
// driver API, "Module Management"). A library is a binary like those that are registered before
// main, which belongs to no executable; a kernel's handle stands where a host stub would, so all that
// takes a stub takes it.
#include "driver/modules/library.h"

#include "driver/handle_pool.h"
#include "driver/memory/memory.h"
#include "driver/modules/link_images.h"
#include "driver/modules/module_table.h"
#include "driver/streams/stream.h"

#include "base/image_bundle.h"
#include "base/mapped.h"

#include <algorithm>
#include <cstring>

#include <sys/stat.h>

namespace heddle::driver {

namespace {

HandlePool<Library, 1u << 16> &pool() {
  static auto *libraries = new HandlePool<Library, 1u << 16>;
  return *libraries;
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

} // namespace

CUresult refuse(Loading &loading, std::string reason, CUresult error) {
  reportFailure(loading.api, reason);
  loading.reason = std::move(reason);
  return error;
}

CUresult checkFormat(const void *code, Loading &loading) {
  constexpr std::string_view Elf = "\x7f"
                                   "ELF",
                             Fat = "\x50\xed\x55\xba";
  if (!isMapped(reinterpret_cast<uintptr_t>(code), sizeof(ImageMagic)))
    return refuse(loading, "the process has no memory there", CUDA_ERROR_INVALID_VALUE);
  if (deviceCodeBytes(code, SIZE_MAX))
    return CUDA_SUCCESS;
  if (beginsWith(code, Elf))
    return refuse(loading,
                  "a cubin holds NVIDIA's machine code, which cannot run here; compile the source "
                  "with 'heddle cc -cubin' or -fatbin",
                  CUDA_ERROR_NO_BINARY_FOR_GPU);
  if (beginsWith(code, Fat))
    return refuse(loading,
                  "a fatbinary of NVIDIA's compiler cannot run here; compile the source with "
                  "'heddle cc -fatbin'",
                  CUDA_ERROR_NO_BINARY_FOR_GPU);
  if (isPtx(code))
    return refuse(loading, "PTX text is not supported", loading.ptxError);
  return refuse(loading, "not device code", CUDA_ERROR_INVALID_IMAGE);
}

namespace {

/// Options of the compiler are hints here. Those of the library: whether `code` stays where it is.
CUresult readOptions(const cudaLibraryOption *options, unsigned count, Loading &loading) {
  if (count && !options)
    return CUDA_ERROR_INVALID_VALUE;
  for (const cudaLibraryOption option : std::span(options, count)) {
    if (option == cudaLibraryHostUniversalFunctionAndDataTable)
      return refuse(loading, "cudaLibraryHostUniversalFunctionAndDataTable is not supported",
                    CUDA_ERROR_NOT_SUPPORTED);
    if (option != cudaLibraryBinaryIsPreserved)
      return CUDA_ERROR_INVALID_VALUE;
    loading.isPreserved = true;
  }
  return CUDA_SUCCESS;
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

CUresult addManaged(Library &library, const ImageView &image) {
  // A library outlives the context that is current.
  Context &context = library.binary->owner ? currentContext() : primaryOf(currentContext());
  for (const ImageVariable &variable : image.variables()) {
    if (variable.space != VariableSpace::Managed || variable.isExtern)
      continue;
    void *storage = takeModuleMemory(context, std::max<size_t>(variable.size, 1), true);
    if (!storage)
      return CUDA_ERROR_OUT_OF_MEMORY;
    library.managed.push_back(storage);
    std::unique_lock guard(moduleTable().mutex);
    moduleTable().variables[storage] = {library.binary, image.string(variable.name).data(),
                                        storage};
  }
  initializeManaged(*library.binary);
  return CUDA_SUCCESS;
}

/// A library of `data`, which the binary may have as its copy.
CUresult addLibrary(std::unique_ptr<FatBinary> binary, Library *&out, Loading &loading) {
  auto chosen = chooseImage(binary->data, capabilityOf(currentContext()));
  if (!chosen)
    return refuse(loading, chosen.error(), CUDA_ERROR_INVALID_IMAGE);
  Library *library = pool().create();
  if (!library)
    return CUDA_ERROR_OUT_OF_MEMORY;
  binary->home = binary.get();
  binary->owner = loading.owner;
  binary->library = library;
  library->binary = binary.get();
  {
    std::unique_lock guard(moduleTable().mutex);
    moduleTable().binaries.push_back(std::move(binary));
  }
  addKernels(*library, chosen->image);
  if (CUresult error = addManaged(*library, chosen->image)) {
    unregister(*library->binary);
    return error;
  }
  out = library;
  return CUDA_SUCCESS;
}

} // namespace

CUresult loadLibrary(Library *&out, const void *code, Loading &loading) {
  if (CUresult error = checkFormat(code, loading))
    return error;
  auto binary = std::make_unique<FatBinary>();
  binary->data = code;
  if (!loading.isPreserved) {
    // Its size can be trusted only then.
    if (auto chosen = chooseImage(code, capabilityOf(currentContext())); !chosen)
      return refuse(loading, chosen.error(), CUDA_ERROR_INVALID_IMAGE);
    auto *bytes = static_cast<const uint8_t *>(code);
    binary->copy.assign(bytes, bytes + deviceCodeBytes(code, SIZE_MAX));
    binary->data = binary->copy.data();
  }
  return addLibrary(std::move(binary), out, loading);
}

CUresult loadLibraryFile(Library *&out, const char *name, Loading &loading) {
  struct stat status;
  if (stat(name, &status) != 0)
    return CUDA_ERROR_FILE_NOT_FOUND;
  auto bytes = readFile(name);
  if (!bytes)
    return refuse(loading, bytes.error(), CUDA_ERROR_OPERATING_SYSTEM);
  const size_t size = bytes->size();
  bytes->resize(size + sizeof(ImageHeader)); // text ends with a zero, a header can be read
  if (CUresult error = checkFormat(bytes->data(), loading))
    return error;
  if (!deviceCodeBytes(bytes->data(), size))
    return refuse(loading, std::string(name) + " is cut short", CUDA_ERROR_INVALID_IMAGE);
  auto binary = std::make_unique<FatBinary>();
  binary->copy = std::move(*bytes);
  binary->data = binary->copy.data();
  return addLibrary(std::move(binary), out, loading);
}

Library *findLibrary(const void *handle) { return pool().find(handle); }

Library *libraryOf(FatBinary &binary) {
  std::unique_lock guard(moduleTable().mutex);
  if (binary.library || !(binary.library = pool().create()))
    return binary.library;
  binary.library->binary = &binary;
  for (auto &[stub, function] : moduleTable().functions)
    if (function->binary == &binary)
      binary.library->kernels.push_back(function.get());
  return binary.library;
}

Function *findKernel(const Library &library, const char *name) {
  auto found = std::ranges::find_if(library.kernels, [&](const Function *function) {
    return std::strcmp(function->name, name) == 0;
  });
  return found == library.kernels.end() ? nullptr : *found;
}

CUresult unloadLibrary(Library &library) {
  const Context *owner = library.binary->owner;
  if (CUresult error = owner ? synchronize(contextAt(owner->index)) : synchronizeContexts())
    return error;
  unregister(*library.binary);
  return CUDA_SUCCESS;
}

void unloadModules(const Context &owner) {
  std::vector<FatBinary *> owned;
  {
    std::shared_lock guard(moduleTable().mutex);
    for (auto &binary : moduleTable().binaries)
      if (binary->owner == &owner)
        owned.push_back(binary.get());
  }
  for (FatBinary *binary : owned)
    unregister(*binary);
}

void forgetLibrary(Library &library) {
  for (void *storage : library.managed)
    giveModuleMemory(storage);
  pool().destroy(&library);
}

CUresult findGlobal(Library &library, const char *name, Globals which, void **p, size_t *bytes) {
  if (!name || (!p && !bytes))
    return CUDA_ERROR_INVALID_VALUE;
  Context &device = currentContext();
  auto module = moduleOf(*library.binary, device);
  if (!module)
    return reportNoCode(device, "device code", module.error(), CUDA_ERROR_INVALID_IMAGE);
  const ImageVariable *variable = (*module)->image.findVariable(name);
  if (!variable || variable->space == VariableSpace::Internal)
    return CUDA_ERROR_NOT_FOUND;
  const bool isManaged = variable->space == VariableSpace::Managed;
  if (which != Globals::All && isManaged != (which == Globals::Managed))
    return CUDA_ERROR_NOT_FOUND;
  if (bytes)
    *bytes = variable->size;
  if (!p)
    return CUDA_SUCCESS;
  if (isManaged) {
    std::shared_lock guard(moduleTable().mutex);
    const Variable *registered = findRegistered(name, library.binary->home);
    *p = registered ? registered->host : nullptr;
    return registered ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  }
  auto globals = globalsOf(**module, device);
  if (!globals) {
    reportFailure("device code", globals.error());
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *p = *globals + variable->offset;
  return CUDA_SUCCESS;
}

namespace {

/// Runs `body(library)` for a live handle.
template <typename F> CUresult withLibrary(cudaLibrary_t handle, F &&body) {
  return enter([&]() -> CUresult {
    Library *library = findLibrary(handle);
    return library ? body(*library) : CUDA_ERROR_INVALID_HANDLE;
  });
}

template <typename F> CUresult handOver(cudaLibrary_t *handle, F &&load) {
  Library *library = nullptr;
  if (CUresult error = load(library))
    return error;
  *handle = reinterpret_cast<cudaLibrary_t>(library);
  return CUDA_SUCCESS;
}

cudaKernel_t handleOf(const Function *function) {
  return reinterpret_cast<cudaKernel_t>(const_cast<void *>(function->stub));
}

} // namespace
} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                             cudaJitOption *jitOptions, void **, unsigned jitCount,
                                             cudaLibraryOption *options, void **, unsigned count) {
  return enter([&]() -> CUresult {
    Loading loading = {"cudaLibraryLoadData", CUDA_ERROR_NOT_SUPPORTED};
    if (!library || !code || (jitCount && !jitOptions))
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = readOptions(options, count, loading))
      return error;
    return handOver(library, [&](Library *&made) { return loadLibrary(made, code, loading); });
  });
}

CUresult heddle::driver::cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *name,
                                                 cudaJitOption *jitOptions, void **,
                                                 unsigned jitCount, cudaLibraryOption *options,
                                                 void **, unsigned count) {
  return enter([&]() -> CUresult {
    Loading loading = {"cudaLibraryLoadFromFile", CUDA_ERROR_NOT_SUPPORTED};
    if (!library || !name || (jitCount && !jitOptions))
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = readOptions(options, count, loading))
      return error;
    return handOver(library, [&](Library *&made) { return loadLibraryFile(made, name, loading); });
  });
}

CUresult heddle::driver::cudaLibraryUnload(cudaLibrary_t handle) {
  return withLibrary(handle, [](Library &library) { return unloadLibrary(library); });
}

CUresult heddle::driver::cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t handle,
                                              const char *name) {
  return withLibrary(handle, [&](Library &library) -> CUresult {
    if (!kernel || !name)
      return CUDA_ERROR_INVALID_VALUE;
    const Function *found = findKernel(library, name);
    if (found)
      *kernel = handleOf(found);
    return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  });
}

CUresult heddle::driver::cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t handle) {
  return withLibrary(handle, [&](Library &library) -> CUresult {
    if (!count)
      return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<unsigned>(library.kernels.size());
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned room,
                                                     cudaLibrary_t handle) {
  return withLibrary(handle, [&](Library &library) -> CUresult {
    if (!kernels && room)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < std::min<size_t>(room, library.kernels.size()); ++i)
      kernels[i] = handleOf(library.kernels[i]);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaLibraryGetGlobal(void **p, size_t *bytes, cudaLibrary_t handle,
                                              const char *name) {
  return withLibrary(handle, [&](Library &library) {
    return findGlobal(library, name, Globals::Plain, p, bytes);
  });
}

CUresult heddle::driver::cudaLibraryGetManaged(void **p, size_t *bytes, cudaLibrary_t handle,
                                               const char *name) {
  return withLibrary(handle, [&](Library &library) {
    return findGlobal(library, name, Globals::Managed, p, bytes);
  });
}

/// There are none: cudaDevAttrUnifiedFunctionPointers is 0.
CUresult heddle::driver::cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t handle,
                                                       const char *name) {
  return withLibrary(handle, [&](Library &) -> CUresult {
    return function && name ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
  });
}
