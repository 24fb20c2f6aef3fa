// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries: device code that the program loads while it runs (runtime API, "Library Management").
// A library is a binary like those that are registered before main, which belongs to no executable;
// a kernel's handle stands where a host stub would, so all that takes a stub takes it.
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

CUresult refuse(const char *message, CUresult error) {
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
CUresult checkFormat(const void *code) {
  constexpr std::string_view Elf = "\x7f"
                                   "ELF",
                             Fat = "\x50\xed\x55\xba";
  if (!isMapped(reinterpret_cast<uintptr_t>(code), sizeof(ImageMagic)))
    return refuse("the process has no memory there", CUDA_ERROR_INVALID_VALUE);
  if (deviceCodeBytes(code, SIZE_MAX))
    return CUDA_SUCCESS;
  if (beginsWith(code, Elf))
    return refuse("a cubin holds NVIDIA's machine code, which cannot run here; compile the source "
                  "with 'heddle cc -cubin' or -fatbin",
                  CUDA_ERROR_NO_BINARY_FOR_GPU);
  if (beginsWith(code, Fat))
    return refuse("a fatbinary of NVIDIA's compiler cannot run here; compile the source with "
                  "'heddle cc -fatbin'",
                  CUDA_ERROR_NO_BINARY_FOR_GPU);
  if (isPtx(code))
    return refuse("PTX text is not supported", CUDA_ERROR_NOT_SUPPORTED);
  return refuse("not device code", CUDA_ERROR_INVALID_IMAGE);
}

/// Options of the compiler are hints here. Those of the library: whether `code` stays where it is.
CUresult readOptions(const cudaLibraryOption *options, unsigned count, bool &isPreserved) {
  if (count && !options)
    return CUDA_ERROR_INVALID_VALUE;
  for (const cudaLibraryOption option : std::span(options, count)) {
    if (option == cudaLibraryHostUniversalFunctionAndDataTable)
      return refuse("cudaLibraryHostUniversalFunctionAndDataTable is not supported",
                    CUDA_ERROR_NOT_SUPPORTED);
    if (option != cudaLibraryBinaryIsPreserved)
      return CUDA_ERROR_INVALID_VALUE;
    isPreserved = true;
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
  for (const ImageVariable &variable : image.variables()) {
    if (variable.space != VariableSpace::Managed || variable.isExtern)
      continue;
    void *storage = takeModuleMemory(currentContext(), std::max<size_t>(variable.size, 1), true);
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

void unload(Library &library) {
  unregister(*library.binary);
  for (void *storage : library.managed)
    giveModuleMemory(storage);
  pool().destroy(&library);
}

/// A library of `data`, which the binary may have as its copy.
CUresult addLibrary(std::unique_ptr<FatBinary> binary, cudaLibrary_t *out) {
  auto chosen = chooseImage(binary->data, capabilityOf(currentContext()));
  if (!chosen)
    return refuse(chosen.error().c_str(), CUDA_ERROR_INVALID_IMAGE);
  Library *library = pool().create();
  if (!library)
    return CUDA_ERROR_OUT_OF_MEMORY;
  binary->home = binary.get();
  library->binary = binary.get();
  {
    std::unique_lock guard(moduleTable().mutex);
    moduleTable().binaries.push_back(std::move(binary));
  }
  addKernels(*library, chosen->image);
  if (CUresult error = addManaged(*library, chosen->image)) {
    unload(*library);
    return error;
  }
  *out = reinterpret_cast<cudaLibrary_t>(library);
  return CUDA_SUCCESS;
}

CUresult load(cudaLibrary_t *out, const void *code, bool isPreserved) {
  if (CUresult error = checkFormat(code))
    return error;
  auto binary = std::make_unique<FatBinary>();
  binary->data = code;
  if (!isPreserved) {
    // Its size can be trusted only then.
    if (auto chosen = chooseImage(code, capabilityOf(currentContext())); !chosen)
      return refuse(chosen.error().c_str(), CUDA_ERROR_INVALID_IMAGE);
    auto *bytes = static_cast<const uint8_t *>(code);
    binary->copy.assign(bytes, bytes + deviceCodeBytes(code, SIZE_MAX));
    binary->data = binary->copy.data();
  }
  return addLibrary(std::move(binary), out);
}

CUresult loadFile(cudaLibrary_t *out, const char *name) {
  struct stat status;
  if (stat(name, &status) != 0)
    return CUDA_ERROR_FILE_NOT_FOUND;
  auto bytes = readFile(name);
  if (!bytes)
    return refuse(bytes.error().c_str(), CUDA_ERROR_OPERATING_SYSTEM);
  const size_t size = bytes->size();
  bytes->resize(size + 16); // text ends with a zero
  if (CUresult error = checkFormat(bytes->data()))
    return error;
  if (!deviceCodeBytes(bytes->data(), size))
    return refuse((std::string(name) + " is cut short").c_str(), CUDA_ERROR_INVALID_IMAGE);
  auto binary = std::make_unique<FatBinary>();
  binary->copy = std::move(*bytes);
  binary->data = binary->copy.data();
  return addLibrary(std::move(binary), out);
}

/// Runs `body(library)` for a live handle.
template <typename F> CUresult withLibrary(cudaLibrary_t handle, F &&body) {
  return enter([&]() -> CUresult {
    Library *library = pool().find(handle);
    return library ? body(*library) : CUDA_ERROR_INVALID_HANDLE;
  });
}

cudaKernel_t handleOf(const Function *function) {
  return reinterpret_cast<cudaKernel_t>(const_cast<Function *>(function));
}

/// The variable of that name on the current device, if it is managed or not as asked for.
CUresult findGlobal(Library &library, const char *name, bool managed, void **p, size_t *bytes) {
  if (!name || (!p && !bytes))
    return CUDA_ERROR_INVALID_VALUE;
  Context &device = currentContext();
  auto module = moduleOf(*library.binary, device);
  if (!module)
    return reportNoCode(device, "device code", module.error(), CUDA_ERROR_INVALID_IMAGE);
  const ImageVariable *variable = (*module)->image.findVariable(name);
  if (!variable || variable->space == VariableSpace::Internal ||
      (variable->space == VariableSpace::Managed) != managed)
    return CUDA_ERROR_NOT_FOUND;
  if (bytes)
    *bytes = variable->size;
  if (!p)
    return CUDA_SUCCESS;
  if (managed) {
    std::shared_lock guard(moduleTable().mutex);
    *p = findRegistered(name, library.binary->home)->host;
    return CUDA_SUCCESS;
  }
  auto globals = globalsOf(**module, device);
  if (!globals) {
    reportFailure("device code", globals.error());
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *p = *globals + variable->offset;
  return CUDA_SUCCESS;
}

} // namespace
} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                             cudaJitOption *jitOptions, void **, unsigned jitCount,
                                             cudaLibraryOption *options, void **, unsigned count) {
  return enter([&]() -> CUresult {
    bool isPreserved = false;
    if (!library || !code || (jitCount && !jitOptions))
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = readOptions(options, count, isPreserved))
      return error;
    return load(library, code, isPreserved);
  });
}

CUresult heddle::driver::cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *name,
                                                 cudaJitOption *jitOptions, void **,
                                                 unsigned jitCount, cudaLibraryOption *options,
                                                 void **, unsigned count) {
  return enter([&]() -> CUresult {
    bool isPreserved = false;
    if (!library || !name || (jitCount && !jitOptions))
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = readOptions(options, count, isPreserved))
      return error;
    return loadFile(library, name);
  });
}

CUresult heddle::driver::cudaLibraryUnload(cudaLibrary_t handle) {
  return withLibrary(handle, [](Library &library) -> CUresult {
    if (CUresult error = synchronizeContexts())
      return error;
    unload(library);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t handle,
                                              const char *name) {
  return withLibrary(handle, [&](Library &library) -> CUresult {
    if (!kernel || !name)
      return CUDA_ERROR_INVALID_VALUE;
    auto found = std::ranges::find_if(library.kernels, [&](const Function *function) {
      return std::strcmp(function->name, name) == 0;
    });
    if (found == library.kernels.end())
      return CUDA_ERROR_NOT_FOUND;
    *kernel = handleOf(*found);
    return CUDA_SUCCESS;
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
  return withLibrary(handle,
                     [&](Library &library) { return findGlobal(library, name, false, p, bytes); });
}

CUresult heddle::driver::cudaLibraryGetManaged(void **p, size_t *bytes, cudaLibrary_t handle,
                                               const char *name) {
  return withLibrary(handle,
                     [&](Library &library) { return findGlobal(library, name, true, p, bytes); });
}

/// There are none: cudaDevAttrUnifiedFunctionPointers is 0.
CUresult heddle::driver::cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t handle,
                                                       const char *name) {
  return withLibrary(handle, [&](Library &) -> CUresult {
    return function && name ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
  });
}
