// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries and modules: device code that the program loads while it runs, or that its host code was
// compiled with (HostTable).
#include "driver/modules/library.h"

#include "driver/handle_pool.h"
#include "driver/memory/memory.h"
#include "driver/modules/link_images.h"
#include "driver/modules/module_table.h"
#include "driver/modules/ptx.h"
#include "driver/rooms.h"
#include "driver/streams/stream.h"

#include "base/image/image_bundle.h"
#include "base/machine/mapped.h"
#include "check/check.h"

#include <algorithm>
#include <cstring>

#include <sys/stat.h>

namespace heddle::driver {

namespace {

HandlePool<Library, 1u << 16> &pool() { return rooms().libraries.get(); }

bool beginsWith(const void *code, std::string_view start) {
  return std::strncmp(static_cast<const char *>(code), start.data(), start.size()) == 0;
}

constexpr const char *NoPtx =
    "a fatbinary of NVIDIA's compiler holds NVIDIA's machine code only, which cannot run here; "
    "compile the source with 'heddle cc -fatbin'";

HandlePool<Kernel, 1u << 20> &kernelPool() { return rooms().kernels.get(); }

} // namespace

Kernel *kernelOf(const void *handle) { return kernelPool().find(handle); }

CUresult refuse(Loading &loading, std::string reason, CUresult error) {
  reportFailure(loading.api, reason);
  loading.reason = std::move(reason);
  return error;
}

namespace {

/// Links the PTX of relocatable fatbinaries. One without any for this device is passed over: it is
/// NVIDIA's device runtime, whose functions the device library has; if it is not, the linker says
/// what is missing.
CUresult linkPtx(std::span<const void *const> fatBinaries, Loading &loading,
                 std::vector<uint8_t> &linked) {
  const unsigned capability = capabilityOf(currentContext());
  std::vector<std::vector<uint8_t>> images;
  std::vector<ImageView> views;
  for (const void *fatBinary : fatBinaries) {
    std::vector<PtxText> texts = ptxOf(fatBinary);
    std::erase_if(texts, [&](const PtxText &text) { return !text.isFor(capability); });
    if (texts.empty())
      continue;
    if (CUresult error = readPtx(texts, /*isRelocatable=*/true, loading, images.emplace_back()))
      return error;
  }
  for (const std::vector<uint8_t> &image : images) {
    auto chosen = chooseImage(image.data(), image.size(), capability);
    if (!chosen)
      return refuse(loading, chosen.error(), CUDA_ERROR_INVALID_IMAGE);
    views.push_back(chosen->image);
  }
  if (views.empty())
    return refuse(loading, NoPtx, CUDA_ERROR_NO_BINARY_FOR_GPU);
  auto made = linkImages(views);
  if (!made)
    return refuse(loading, made.error(), CUDA_ERROR_INVALID_IMAGE);
  linked = std::move(*made);
  return CUDA_SUCCESS;
}

} // namespace

CUresult checkFormat(const void *code, bool isRelocatable, Loading &loading,
                     std::vector<uint8_t> &made) {
  constexpr std::string_view Elf = "\x7f"
                                   "ELF";
  if (!isMapped(reinterpret_cast<uintptr_t>(code), sizeof(ImageMagic)))
    return refuse(loading, "the process has no memory there", CUDA_ERROR_INVALID_VALUE);
  if (deviceCodeBytes(code, SIZE_MAX))
    return CUDA_SUCCESS;
  if (beginsWith(code, Elf))
    return refuse(loading,
                  "a cubin holds NVIDIA's machine code, which cannot run here; compile the source "
                  "with 'heddle cc -cubin' or -fatbin",
                  CUDA_ERROR_NO_BINARY_FOR_GPU);
  if (isPtx(code)) {
    const PtxText text[] = {{static_cast<const char *>(code)}};
    return readPtx(text, isRelocatable, loading, made);
  }
  if (isFatBinary(code)) {
    if (std::vector<PtxText> texts = ptxOf(code); !texts.empty())
      return readPtx(texts, isRelocatable, loading, made);
    return refuse(loading, NoPtx, CUDA_ERROR_NO_BINARY_FOR_GPU);
  }
  if (isWrapper(code)) {
    bool areLinked = false;
    std::vector<const void *> fatBinaries = fatBinariesOf(code, areLinked);
    if (areLinked)
      return linkPtx(fatBinaries, loading, made);
    if (!fatBinaries.empty() && isFatBinary(fatBinaries.front()))
      return checkFormat(fatBinaries.front(), isRelocatable, loading, made);
  }
  return refuse(loading, "not device code", CUDA_ERROR_INVALID_IMAGE);
}

namespace {

/// The bundle in a wrapper that our `fatbinary` has made; else `code`.
const void *unwrap(const void *code) {
  const auto isCode = [](const void *p) {
    return isMapped(reinterpret_cast<uintptr_t>(p), sizeof(ImageMagic));
  };
  if (!isCode(code) || !isWrapper(code))
    return code;
  bool areLinked = false;
  const std::vector<const void *> held = fatBinariesOf(code, areLinked);
  return !areLinked && !held.empty() && isCode(held.front()) &&
                 deviceCodeBytes(held.front(), SIZE_MAX)
             ? held.front()
             : code;
}

bool isManaged(const ImageVariable &variable) {
  return variable.space == VariableSpace::Managed && !variable.isExtern;
}

void giveInitialValue(void *storage, const ImageView &image, const ImageVariable &variable) {
  std::span<const uint8_t> init = image.globalsInit();
  std::memset(storage, 0, variable.size);
  if (variable.initOffset < init.size())
    std::memcpy(storage, init.data() + variable.initOffset,
                std::min<size_t>(variable.size, init.size() - variable.initOffset));
}

/// Notes the places of managed variables that lie in the host's own memory. Those of PTX get their
/// values here; the runtime does not read it.
void addHostVariables(Library &library, const HostTable &host, const ImageView &image,
                      bool givesValues) {
  ModuleTable &table = moduleTable();
  std::unique_lock guard(table.mutex);
  for (const HostVariable &variable : std::span(host.variables, host.count))
    table.variables[variable.host] = {library.binary, variable.name, variable.host};
  for (const ImageVariable &variable : image.variables()) {
    const ManagedVariable *found =
        isManaged(variable) ? findManaged(image.string(variable.name), host.home) : nullptr;
    if (!found)
      continue;
    table.managed[reinterpret_cast<uintptr_t>(found->host)] = variable.size;
    check::registered(found->host, variable.size, true);
    if (givesValues)
      giveInitialValue(found->host, image, variable);
  }
  table.managedCount = table.managed.size();
}

/// A new managed variable, with its initial value.
void *makeManaged(Context &context, const ImageView &image, const ImageVariable &variable) {
  void *storage = takeModuleMemory(context, std::max<size_t>(variable.size, 1), true);
  if (storage)
    giveInitialValue(storage, image, variable);
  return storage;
}

CUresult addManaged(Library &library, const ImageView &image) {
  // A library outlives the context that is current.
  Context &context = library.binary->owner ? currentContext() : primaryOf(currentContext());
  for (const ImageVariable &variable : image.variables()) {
    if (!isManaged(variable))
      continue;
    void *storage = makeManaged(context, image, variable);
    if (!storage)
      return CUDA_ERROR_OUT_OF_MEMORY;
    library.managed.push_back(storage);
    ModuleTable &table = moduleTable();
    std::unique_lock guard(table.mutex);
    table.variables[storage] = {library.binary, image.string(variable.name).data(), storage};
    table.managed[reinterpret_cast<uintptr_t>(storage)] = variable.size;
    table.managedCount = table.managed.size();
  }
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
  binary->home = loading.host ? loading.host->home : binary.get();
  binary->isRegistered = loading.host;
  binary->isOfProgram = loading.host && loading.host->isOfProgram;
  binary->owner = loading.owner;
  binary->library = library;
  library->binary = binary.get();
  {
    std::unique_lock guard(moduleTable().mutex);
    moduleTable().binaries.push_back(std::move(binary));
  }
  if (loading.host)
    addHostVariables(*library, *loading.host, chosen->image, loading.isPtx);
  else if (CUresult error = addManaged(*library, chosen->image)) {
    unregister(*library->binary);
    return error;
  }
  out = library;
  return CUDA_SUCCESS;
}

} // namespace

CUresult loadLibrary(Library *&out, const void *code, Loading &loading) {
  std::vector<uint8_t> made;
  code = unwrap(code);
  if (CUresult error = checkFormat(code, /*isRelocatable=*/false, loading, made))
    return error;
  auto binary = std::make_unique<FatBinary>();
  binary->data = code;
  loading.isPtx = !made.empty();
  if (loading.isPtx) {
    binary->copy = std::move(made);
    binary->data = binary->copy.data();
  } else if (!loading.isPreserved) {
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
  if (!*name)
    return CUDA_ERROR_INVALID_VALUE;
  if (stat(name, &status) != 0)
    return CUDA_ERROR_FILE_NOT_FOUND;
  auto bytes = readFile(name);
  if (!bytes)
    return refuse(loading, bytes.error(), CUDA_ERROR_OPERATING_SYSTEM);
  const size_t size = bytes->size();
  bytes->resize(size + sizeof(ImageHeader)); // text ends with a zero, a header can be read
  std::vector<uint8_t> made;
  if (CUresult error = checkFormat(bytes->data(), /*isRelocatable=*/false, loading, made))
    return error;
  if (!made.empty())
    *bytes = std::move(made);
  else if (!deviceCodeBytes(bytes->data(), size))
    return refuse(loading, std::string(name) + " is cut short", CUDA_ERROR_INVALID_IMAGE);
  auto binary = std::make_unique<FatBinary>();
  binary->copy = std::move(*bytes);
  binary->data = binary->copy.data();
  return addLibrary(std::move(binary), out, loading);
}

Library *findLibrary(const void *handle) { return pool().find(handle); }

namespace {

/// Calls `body(module)` for the library's code for the current device.
template <typename F> CUresult withModule(Library &library, F &&body) {
  const Context &device = currentContext();
  auto module = moduleOf(*library.binary, device);
  return module ? body(**module)
                : reportNoCode(device, "device code", module.error(), CUDA_ERROR_INVALID_IMAGE);
}

CUresult kernelIn(Library &library, const char *name, Kernel *&kernel) {
  std::unique_lock guard(moduleTable().mutex);
  auto [place, isNew] = library.kernels.try_emplace(name, nullptr);
  if (!place->second) {
    place->second = kernelPool().create();
    if (!place->second)
      return CUDA_ERROR_OUT_OF_MEMORY;
    place->second->binary = library.binary;
    place->second->name = name;
  }
  kernel = place->second;
  return CUDA_SUCCESS;
}

} // namespace

CUresult findKernel(Library &library, const char *name, Kernel *&kernel) {
  {
    std::shared_lock guard(moduleTable().mutex);
    auto known = library.kernels.find(name);
    if (known != library.kernels.end() && (kernel = known->second))
      return CUDA_SUCCESS;
  }
  return withModule(library, [&](const Module &module) {
    const ImageKernel *found = module.image.findKernel(name);
    return found ? kernelIn(library, module.image.string(found->name).data(), kernel)
                 : CUDA_ERROR_NOT_FOUND;
  });
}

CUresult findKernels(Library &library, std::span<Kernel *> found) {
  return withModule(library, [&](const Module &module) {
    std::span<const ImageKernel> kernels = module.image.kernels();
    for (size_t i = 0; i < std::min(found.size(), kernels.size()); ++i)
      if (CUresult error = kernelIn(library, module.image.string(kernels[i].name).data(), found[i]))
        return error;
    return CUDA_SUCCESS;
  });
}

CUresult countKernels(Library &library, unsigned &count) {
  return withModule(library, [&](const Module &module) {
    count = static_cast<unsigned>(module.image.kernels().size());
    return CUDA_SUCCESS;
  });
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
  for (auto &[name, kernel] : library.kernels)
    if (kernel)
      kernelPool().destroy(kernel);
  for (void *storage : library.managed)
    giveModuleMemory(storage);
  pool().destroy(&library);
}

std::vector<std::string> globalsThatBegin(Library &library, std::string_view start) {
  std::vector<std::string> names;
  (void)withModule(library, [&](Module &loaded) {
    for (const ImageVariable &variable : loaded.image.variables())
      if (std::string_view name = loaded.image.string(variable.name); name.starts_with(start))
        names.emplace_back(name);
    return CUDA_SUCCESS;
  });
  return names;
}

CUresult findGlobal(Library &library, const char *name, Globals which, void **p, size_t *bytes) {
  if (!name || !*name || (!p && !bytes))
    return CUDA_ERROR_INVALID_VALUE;
  Module *module = nullptr;
  if (CUresult error = withModule(library, [&](Module &loaded) {
        module = &loaded;
        return CUDA_SUCCESS;
      }))
    return error;
  const ImageVariable *variable = module->image.findVariable(name);
  // Compiled host code knows of variables that only the compiler has named.
  if (!variable || (variable->space == VariableSpace::Internal && !library.binary->isRegistered))
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
    const ManagedVariable *found = findManaged(name, library.binary->home);
    *p = found ? found->host : nullptr;
    return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  }
  auto globals = globalsOf(*module, currentContext());
  if (!globals) {
    reportFailure("device code", globals.error());
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *p = *globals + variable->offset;
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
