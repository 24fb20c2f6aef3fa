// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/record/known_code.h"

#include "driver/modules/link_images.h"

#include "base/image/host_table.h"
#include "base/image/image_bundle.h"
#include "base/machine/mapped.h"

#include <cstring>
#include <memory>
#include <mutex>

namespace heddle::driver {

namespace {

const Table *theBelow = nullptr;
const Table &below() { return *theBelow; }

struct All {
  std::mutex mutex;
  std::vector<std::unique_ptr<KnownCode>> codes;
  std::map<const void *, KnownKernel> kernels; ///< by CUfunction or CUkernel
};
All &all() {
  static All &all = *new All;
  return all;
}

/// Images for the CPU are of this compute capability.
constexpr uint32_t Capability = 90;

size_t bytesOfCode(const void *code) {
  if (!code)
    return 0;
  if (isMapped(reinterpret_cast<uintptr_t>(code), sizeof(ImageHeader)))
    if (size_t ours = deviceCodeBytes(code, SIZE_MAX))
      return ours;
  const auto *text = static_cast<const char *>(code);
  const bool isText = *text == '.' || *text == '/' || *text == '\n' || *text == ' ';
  return isText ? std::strlen(text) + 1 : 0; // NVIDIA's machine code says nothing here
}

KnownCode *note(std::vector<uint8_t> bytes) {
  auto code = std::make_unique<KnownCode>();
  code->bytes = std::move(bytes);
  std::lock_guard guard(all().mutex);
  all().codes.push_back(std::move(code));
  return all().codes.back().get();
}

KnownCode *note(const void *data) {
  const auto *bytes = static_cast<const uint8_t *>(data);
  return note(std::vector<uint8_t>(bytes, bytes + bytesOfCode(data)));
}

void noteKernel(const void *handle, const KnownCode *code, const char *name) {
  std::lock_guard guard(all().mutex);
  all().kernels[handle] = {code, name};
}

template <auto Field, typename Handle> const KnownCode *codeOf(Handle handle) {
  std::lock_guard guard(all().mutex);
  for (size_t i = all().codes.size(); i-- > 0;)
    if (all().codes[i].get()->*Field == handle)
      return all().codes[i].get();
  return nullptr;
}

/// HostTable::home of a library's options.
const void *homeOf(const CUlibraryOption *options, void *const *values, unsigned count) {
  for (unsigned i = 0; options && values && i < count; ++i) {
    if (options[i] != CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE || !values[i])
      continue;
    auto &tables = *static_cast<const CUlibraryHostUniversalFunctionAndDataTable *>(values[i]);
    const auto *host = static_cast<const HostTable *>(tables.dataTable);
    if (tables.dataWindowSize == sizeof *host)
      return host->home;
  }
  return nullptr;
}

CUresult loadLibrary(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                     void **jitValues, unsigned jitCount, CUlibraryOption *options, void **values,
                     unsigned count) {
  CUresult error = below().cuLibraryLoadData(library, code, jitOptions, jitValues, jitCount,
                                             options, values, count);
  if (error == CUDA_SUCCESS) {
    KnownCode *known = note(code);
    known->library = *library;
    known->home = homeOf(options, values, count);
  }
  return error;
}

CUresult loadModule(CUmodule *module, const void *code, unsigned count, CUjit_option *options,
                    void **values) {
  CUresult error = below().cuModuleLoadDataEx(module, code, count, options, values);
  if (error == CUDA_SUCCESS)
    note(code)->module = *module;
  return error;
}

void interceptLoads(Table &table) {
  table.cuLibraryLoadData = loadLibrary;
  table.cuLibraryLoadFromFile = [](CUlibrary *library, const char *file, CUjit_option *jitOptions,
                                   void **jitValues, unsigned jitCount, CUlibraryOption *options,
                                   void **values, unsigned count) {
    CUresult error = below().cuLibraryLoadFromFile(library, file, jitOptions, jitValues, jitCount,
                                                   options, values, count);
    if (error == CUDA_SUCCESS)
      if (auto bytes = readFile(file))
        note(std::move(*bytes))->library = *library;
    return error;
  };
  table.cuModuleLoadDataEx = loadModule;
  table.cuModuleLoadData = [](CUmodule *module, const void *code) {
    CUresult error = below().cuModuleLoadData(module, code);
    if (error == CUDA_SUCCESS)
      note(code)->module = *module;
    return error;
  };
  table.cuModuleLoadFatBinary = [](CUmodule *module, const void *code) {
    CUresult error = below().cuModuleLoadFatBinary(module, code);
    if (error == CUDA_SUCCESS)
      note(code)->module = *module;
    return error;
  };
  table.cuModuleLoad = [](CUmodule *module, const char *file) {
    CUresult error = below().cuModuleLoad(module, file);
    if (error == CUDA_SUCCESS)
      if (auto bytes = readFile(file))
        note(std::move(*bytes))->module = *module;
    return error;
  };
}

void interceptKernelNames(Table &table) {
  table.cuLibraryGetKernel = [](CUkernel *kernel, CUlibrary library, const char *name) {
    CUresult error = below().cuLibraryGetKernel(kernel, library, name);
    if (error == CUDA_SUCCESS)
      if (const KnownCode *code = codeOf<&KnownCode::library>(library))
        noteKernel(*kernel, code, name);
    return error;
  };
  table.cuModuleGetFunction = [](CUfunction *function, CUmodule module, const char *name) {
    CUresult error = below().cuModuleGetFunction(function, module, name);
    if (error == CUDA_SUCCESS)
      if (const KnownCode *code = codeOf<&KnownCode::module>(module))
        noteKernel(*function, code, name);
    return error;
  };
  table.cuKernelGetFunction = [](CUfunction *function, CUkernel kernel) {
    CUresult error = below().cuKernelGetFunction(function, kernel);
    if (error == CUDA_SUCCESS)
      if (auto known = knownKernel(reinterpret_cast<CUfunction>(kernel)))
        noteKernel(*function, known->code, known->name.c_str());
    return error;
  };
}

/// The images that are linked with this one, itself among them; none if it stands alone.
std::vector<ImageView> linkedWith(const KnownCode &code) {
  std::vector<ImageView> images;
  std::lock_guard guard(all().mutex);
  for (const auto &other : all().codes) {
    if (!code.home || other->home != code.home || other->bytes.empty())
      continue;
    auto chosen = chooseImage(other->bytes.data(), Capability);
    if (chosen && (chosen->image.header().flags & ImageRelocatable))
      images.push_back(chosen->image);
  }
  return images;
}

Result<ChosenImage> imageOf(const KnownCode &code) {
  if (code.bytes.size() < sizeof(ImageHeader) ||
      !deviceCodeBytes(code.bytes.data(), code.bytes.size()))
    return Failure{"it is no image of ours"};
  return chooseImage(code.bytes.data(), Capability);
}

} // namespace

void interceptCode(Table &table, const Table &belowTable) {
  theBelow = &belowTable;
  interceptLoads(table);
  interceptKernelNames(table);
}

std::optional<KnownKernel> knownKernel(CUfunction function) {
  std::lock_guard guard(all().mutex);
  auto place = all().kernels.find(function);
  return place == all().kernels.end() ? std::nullopt : std::optional(place->second);
}

Result<std::vector<uint8_t>> wholeCode(const KnownCode &code) {
  if (code.bytes.empty())
    return Failure{"its device code is NVIDIA's machine code"};
  auto chosen = imageOf(code);
  if (!chosen || !(chosen->image.header().flags & ImageRelocatable))
    return code.bytes;
  return linkImages(linkedWith(code));
}

std::string shownName(const KnownKernel &kernel) {
  auto chosen = imageOf(*kernel.code);
  const ImageKernel *found = chosen ? chosen->image.findKernel(kernel.name) : nullptr;
  return found ? std::string(chosen->image.string(found->displayName)) : kernel.name;
}

std::vector<SavedMemory> variablesOf(const KnownCode &code, std::vector<size_t> &sizes) {
  std::vector<SavedMemory> found;
  std::vector<ImageView> images = linkedWith(code);
  if (auto chosen = imageOf(code); chosen && images.empty())
    images.push_back(chosen->image);
  for (const ImageView &image : images)
    for (const ImageVariable &variable : image.variables()) {
      if (variable.space == VariableSpace::Internal || variable.isExtern)
        continue;
      SavedMemory m{SavedKind::Variable, 0, std::string(image.string(variable.name)), {}};
      CUdeviceptr address = 0;
      size_t bytes = 0;
      const bool isManaged = variable.space == VariableSpace::Managed;
      CUresult error =
          !code.library
              ? below().cuModuleGetGlobal_v2(&address, &bytes, code.module, m.name.c_str())
          : isManaged ? below().cuLibraryGetManaged(&address, &bytes, code.library, m.name.c_str())
                      : below().cuLibraryGetGlobal(&address, &bytes, code.library, m.name.c_str());
      if (error != CUDA_SUCCESS || !bytes)
        continue;
      m.address = address;
      found.push_back(std::move(m));
      sizes.push_back(bytes);
    }
  return found;
}

} // namespace heddle::driver
