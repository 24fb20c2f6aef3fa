// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of device code on the driver of a GPU (modules are in gpu_modules.cpp). One that came with
// host code (HostTable) is given to the driver at the first use of something in it: relocatable images
// of one executable are linked then, and a program pays for the kernels that it uses. So a handle of such
// a library is ours, and the functions that take one look it up.
//
// Managed variables of host code lie in the host's own memory (gpu_managed.cpp), which the host reads
// without a call. The code has a pointer in the place of each, which is set when the library is loaded in
// a context.
#include "driver/gpu/gpu_libraries.h"

#include "driver/gpu/gpu_code.h"
#include "driver/gpu/gpu_kernels.h"
#include "driver/gpu/gpu_managed.h"
#include "driver/gpu/gpu_statements.h"
#include "driver/modules/link_images.h"

#include "base/image/host_table.h"
#include "base/image/image_bundle.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

namespace heddle::driver {

namespace {

/// What host code brought: images that wait for their first use.
struct GpuLibrary {
  const void *code = nullptr;
  const void *home = nullptr; ///< HostTable::home
  std::vector<HostVariable> variables;
  bool isLoaded = false;
  CUresult error = CUDA_SUCCESS;
  CUlibrary real = nullptr; ///< of the GPU's driver; images that were linked share one
  bool hasManaged = false;
  std::set<CUcontext> preparedContexts; ///< in which the pointers to managed variables are set
};

struct Libraries {
  std::mutex mutex;
  std::vector<std::unique_ptr<GpuLibrary>> all;
};

Libraries &libraries() {
  static Libraries &all = *new Libraries;
  return all;
}

// ---------------------------------------------------------------------------------------------------
// Libraries of host code.

GpuLibrary *find(CUlibrary handle) {
  for (auto &library : libraries().all)
    if (reinterpret_cast<CUlibrary>(library.get()) == handle)
      return library.get();
  return nullptr;
}

/// Gives `text` to the driver; what that says of text that it refuses is told.
CUresult loadText(CUlibrary &library, const std::vector<uint8_t> &text) {
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  CUresult error = machine().cuLibraryLoadData(&library, text.data(), options, values,
                                               std::size(options), nullptr, nullptr, 0);
  if (error != CUDA_SUCCESS && *log)
    refused(log, error);
  return error;
}

struct Linked {
  std::vector<ImageView> images;
  std::vector<GpuLibrary *> members;
};

/// The images that are linked with the library's; none if it stands alone.
Result<Linked> groupOf(GpuLibrary &library, unsigned capability) {
  Linked group;
  for (auto &other : libraries().all) {
    if (other->home != library.home)
      continue;
    auto chosen = chooseImage(other->code, capability);
    if (!chosen)
      return Failure{chosen.error()};
    if (!(chosen->image.header().flags & ImageRelocatable))
      continue;
    group.images.push_back(chosen->image);
    group.members.push_back(other.get());
  }
  return group;
}

bool hasManaged(const ImageView &image) {
  return std::ranges::any_of(image.variables(), [](const ImageVariable &variable) {
    return variable.space == VariableSpace::Managed;
  });
}

/// What the library's code is made of. `linked` has its bytes if it is linked, of `members`.
Result<ImageView> imageOf(GpuLibrary &library, unsigned capability, std::vector<uint8_t> &linked,
                          std::vector<GpuLibrary *> &members) {
  auto chosen = chooseImage(library.code, capability);
  if (!chosen)
    return Failure{chosen.error()};
  members = {&library};
  if (!(chosen->image.header().flags & ImageRelocatable))
    return chosen->image;
  auto group = groupOf(library, capability);
  auto made = group ? linkImages(group->images) : Failure{group.error()};
  if (!made)
    return Failure{made.error()};
  linked = std::move(*made);
  members = group->members;
  return ImageView::create(linked);
}

/// With the mutex held.
CUresult load(GpuLibrary &library) {
  if (library.isLoaded)
    return library.error;
  const unsigned capability = gpuCapability();
  if (!capability)
    return CUDA_ERROR_NOT_INITIALIZED;
  std::vector<uint8_t> linked;
  std::vector<GpuLibrary *> members;
  auto image = imageOf(library, capability, linked, members);
  if (!image)
    return refused(image.error(), CUDA_ERROR_INVALID_IMAGE);
  CUlibrary real = nullptr;
  CUresult error = CUDA_SUCCESS;
  if (auto text = gpuCode(*image, capability, {true}); !text)
    error = refused(text.error(), CUDA_ERROR_INVALID_PTX);
  else
    error = loadText(real, *text);
  if (error == CUDA_SUCCESS)
    noteStatements(real);
  for (GpuLibrary *member : members) {
    member->isLoaded = true;
    member->error = error;
    member->real = real;
    member->hasManaged = hasManaged(*image);
  }
  return error;
}

/// Where the host has a managed variable of that name, in what was loaded with `home`.
void *findHost(const char *name, const void *home) {
  for (auto &library : libraries().all)
    if (library->home == home)
      for (const HostVariable &variable : library->variables)
        if (std::strcmp(variable.name, name) == 0)
          return variable.host;
  return nullptr;
}

CUresult setPointer(GpuLibrary &library, const char *name, size_t size) {
  void *host = findHost(name, library.home);
  CUdeviceptr place = 0;
  size_t bytes = 0;
  if (!host || machine().cuLibraryGetGlobal(&place, &bytes, library.real, name) != CUDA_SUCCESS)
    return CUDA_SUCCESS; // this code does not use it
  CUdeviceptr address = 0;
  if (CUresult error = reachManaged(host, size, address))
    return refused(std::string("the GPU cannot reach the managed variable '") + name + "'", error);
  return machine().cuMemcpyHtoD_v2(place, &address, sizeof address);
}

/// Sets the pointers to managed variables in the current context. With the mutex held.
CUresult prepareContext(GpuLibrary &library) {
  CUcontext context = nullptr;
  if (!library.hasManaged || machine().cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context ||
      !library.preparedContexts.insert(context).second)
    return CUDA_SUCCESS;
  const unsigned capability = gpuCapability();
  for (auto &other : libraries().all) {
    if (other->home != library.home)
      continue;
    auto chosen = chooseImage(other->code, capability);
    if (!chosen)
      continue;
    for (const ImageVariable &variable : chosen->image.variables())
      if (variable.space == VariableSpace::Managed)
        if (CUresult error =
                setPointer(library, chosen->image.string(variable.name).data(), variable.size))
          return error;
  }
  return CUDA_SUCCESS;
}

/// A managed variable of host code, by the name in its library: where the host has it.
bool findManaged(CUlibrary handle, const char *name, CUdeviceptr *pointer, size_t *bytes) {
  std::lock_guard guard(libraries().mutex);
  GpuLibrary *library = find(handle);
  void *host = library && name ? findHost(name, library->home) : nullptr;
  if (!host)
    return false;
  for (auto &other : libraries().all) {
    if (other->home != library->home)
      continue;
    auto chosen = chooseImage(other->code, gpuCapability());
    const ImageVariable *variable = chosen ? chosen->image.findVariable(name) : nullptr;
    if (!variable || variable->space != VariableSpace::Managed)
      continue;
    if (pointer)
      *pointer = reinterpret_cast<CUdeviceptr>(host);
    if (bytes)
      *bytes = variable->size;
    return true;
  }
  return false;
}

/// A context has ended, and its address may become another's.
void forgetContexts() {
  std::lock_guard guard(libraries().mutex);
  for (auto &library : libraries().all)
    library->preparedContexts.clear();
  forgetStatementStreams();
  forgetAgain();
}

template <auto Member, typename Argument> CUresult endContext(Argument argument) {
  CUresult error = (machine().*Member)(argument);
  forgetContexts();
  return error;
}

/// Calls `body(handle)` with the driver's own handle.
template <typename F> CUresult withLibrary(CUlibrary handle, F &&body) {
  {
    std::lock_guard guard(libraries().mutex);
    if (GpuLibrary *library = find(handle)) {
      if (CUresult error = load(*library))
        return error;
      if (CUresult error = prepareContext(*library))
        return error;
      handle = library->real;
    }
  }
  return body(handle);
}

/// The host table among a library's options; null if there is none of ours.
const HostTable *hostTableOf(const CUlibraryOption *options, void *const *values, unsigned count) {
  for (unsigned i = 0; options && values && i < count; ++i) {
    if (options[i] != CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE || !values[i])
      continue;
    auto &tables = *static_cast<const CUlibraryHostUniversalFunctionAndDataTable *>(values[i]);
    const auto *host = static_cast<const HostTable *>(tables.dataTable);
    if (tables.dataWindowSize == sizeof *host && isThere(host, sizeof *host) &&
        std::ranges::equal(host->magic, HostTableMagic))
      return host;
  }
  return nullptr;
}

/// Managed ones, whose sizes the code has.
void noteVariables(const GpuLibrary &library) {
  auto chosen = chooseImage(library.code, gpuCapability());
  for (const HostVariable &variable : library.variables)
    if (const ImageVariable *found = chosen ? chosen->image.findVariable(variable.name) : nullptr;
        found && found->space == VariableSpace::Managed)
      noteManaged(variable.host, found->size);
}

CUresult loadLibrary(CUlibrary *out, const void *code, CUjit_option *jitOptions, void **jitValues,
                     unsigned jitCount, CUlibraryOption *options, void **values, unsigned count) {
  if (!out || !code)
    return CUDA_ERROR_INVALID_VALUE;
  const HostTable *host = hostTableOf(options, values, count);
  if (CUresult problem = bytesOfOurs(code) ? CUDA_SUCCESS : problemOf(code))
    return problem;
  if (!bytesOfOurs(code)) // the runtime's table says nothing to NVIDIA's driver
    return machine().cuLibraryLoadData(out, code, jitOptions, jitValues, jitCount,
                                       host ? nullptr : options, host ? nullptr : values,
                                       host ? 0 : count);
  if (!gpuCapability())
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!host) {
    auto text = codeOf(code);
    if (!text)
      return refused(text.error(), CUDA_ERROR_INVALID_IMAGE);
    CUresult error = machine().cuLibraryLoadData(out, text->data(), jitOptions, jitValues, jitCount,
                                                 nullptr, nullptr, 0);
    if (error == CUDA_SUCCESS)
      noteImage(*out, chosenBytes(code));
    return error;
  }
  auto library = std::make_unique<GpuLibrary>();
  library->code = code;
  library->home = host->home;
  library->variables.assign(host->variables, host->variables + host->count);
  *out = reinterpret_cast<CUlibrary>(library.get());
  noteVariables(*library);
  std::lock_guard guard(libraries().mutex);
  libraries().all.push_back(std::move(library));
  return CUDA_SUCCESS;
}

CUresult loadLibraryFile(CUlibrary *out, const char *file, CUjit_option *jitOptions,
                         void **jitValues, unsigned jitCount, CUlibraryOption *options,
                         void **values, unsigned count) {
  std::vector<uint8_t> bytes = ourFile(file);
  return bytes.empty()
             ? machine().cuLibraryLoadFromFile(out, file, jitOptions, jitValues, jitCount, options,
                                               values, count)
             : loadLibrary(out, bytes.data(), jitOptions, jitValues, jitCount, nullptr, nullptr, 0);
}

/// What came with the executable's host code stays as long as the process; so does what was linked.
CUresult unloadLibrary(CUlibrary handle) {
  std::unique_lock guard(libraries().mutex);
  GpuLibrary *library = find(handle);
  forgetImage(handle);
  if (!library) {
    guard.unlock();
    return machine().cuLibraryUnload(handle);
  }
  const CUlibrary real = library->real;
  auto &all = libraries().all;
  std::erase_if(all, [&](auto &entry) { return entry.get() == library; });
  const bool isShared = std::ranges::any_of(all, [&](auto &entry) { return entry->real == real; });
  if (!real || isShared)
    return CUDA_SUCCESS;
  forgetStatements(real);
  return machine().cuLibraryUnload(real);
}

CUresult getKernel(CUkernel *kernel, CUlibrary handle, const char *name) {
  CUresult error = withLibrary(handle, [&](CUlibrary library) {
    return machine().cuLibraryGetKernel(kernel, library, name);
  });
  if (error == CUDA_SUCCESS) {
    noteKernels({kernel, 1});
    noteOrigin(reinterpret_cast<CUfunction>(*kernel), {handle, nullptr, name});
  }
  return error;
}

CUresult enumerateKernels(CUkernel *kernels, unsigned count, CUlibrary handle) {
  CUresult error = withLibrary(handle, [&](CUlibrary library) {
    return machine().cuLibraryEnumerateKernels(kernels, count, library);
  });
  if (error == CUDA_SUCCESS && kernels)
    noteKernels({kernels, count});
  return error;
}

} // namespace

Result<OriginalCode> codeOfLibrary(CUlibrary handle) {
  std::lock_guard guard(libraries().mutex);
  GpuLibrary *library = find(handle);
  if (!library || load(*library) != CUDA_SUCCESS || prepareContext(*library) != CUDA_SUCCESS)
    return Failure{"no code of host code's"};
  OriginalCode code = {{}, true, library->real};
  std::vector<GpuLibrary *> members;
  auto image = imageOf(*library, gpuCapability(), code.image, members);
  if (!image)
    return Failure{image.error()};
  if (code.image.empty())
    code.image.assign(image->bytes().begin(), image->bytes().end());
  return code;
}

void interceptLibraries(Table &table) {
  table.cuLibraryLoadData = loadLibrary;
  table.cuLibraryLoadFromFile = loadLibraryFile;
  table.cuLibraryUnload = unloadLibrary;
  table.cuLibraryGetKernel = getKernel;
  table.cuLibraryEnumerateKernels = enumerateKernels;
  table.cuLibraryGetKernelCount = [](unsigned *count, CUlibrary handle) {
    return withLibrary(handle, [&](CUlibrary library) {
      return machine().cuLibraryGetKernelCount(count, library);
    });
  };
  table.cuLibraryGetModule = [](CUmodule *module, CUlibrary handle) {
    return withLibrary(
        handle, [&](CUlibrary library) { return machine().cuLibraryGetModule(module, library); });
  };
  table.cuLibraryGetGlobal = [](CUdeviceptr *pointer, size_t *bytes, CUlibrary handle,
                                const char *name) {
    CUresult error = withLibrary(handle, [&](CUlibrary library) {
      return machine().cuLibraryGetGlobal(pointer, bytes, library, name);
    });
    return findManaged(handle, name, pointer, bytes) ? CUDA_SUCCESS : error;
  };
  table.cuLibraryGetManaged = [](CUdeviceptr *pointer, size_t *bytes, CUlibrary handle,
                                 const char *name) {
    CUresult error = withLibrary(handle, [&](CUlibrary library) {
      return machine().cuLibraryGetManaged(pointer, bytes, library, name);
    });
    return findManaged(handle, name, pointer, bytes) ? CUDA_SUCCESS : error;
  };
  table.cuDevicePrimaryCtxReset_v2 = endContext<&Table::cuDevicePrimaryCtxReset_v2, CUdevice>;
  table.cuDevicePrimaryCtxRelease_v2 = endContext<&Table::cuDevicePrimaryCtxRelease_v2, CUdevice>;
  table.cuCtxDestroy_v2 = endContext<&Table::cuCtxDestroy_v2, CUcontext>;
}

} // namespace heddle::driver
