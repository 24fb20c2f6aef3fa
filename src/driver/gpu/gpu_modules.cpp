// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of ours on the driver of a GPU: modules, and what a linker is given. What that driver knows
// itself (PTX, NVIDIA's machine code) goes to it as it is; an image of ours becomes PTX first.
#include "driver/gpu/gpu_libraries.h"

#include "driver/gpu/gpu_again.h"
#include "driver/gpu/gpu_code.h"

#include "base/image/image_bundle.h"

namespace heddle::driver {

namespace {

CUresult loadModule(CUmodule *module, const void *image, unsigned count, CUjit_option *options,
                    void **values) {
  if (!bytesOfOurs(image)) {
    const CUresult problem = problemOf(image);
    return problem ? problem : machine().cuModuleLoadDataEx(module, image, count, options, values);
  }
  if (!gpuCapability())
    return CUDA_ERROR_NOT_INITIALIZED;
  auto text = codeOf(image);
  if (!text)
    return refused(text.error(), CUDA_ERROR_INVALID_IMAGE);
  CUresult error = machine().cuModuleLoadDataEx(module, text->data(), count, options, values);
  if (error == CUDA_SUCCESS)
    noteImage(*module, chosenBytes(image));
  return error;
}

CUresult getFunction(CUfunction *function, CUmodule module, const char *name) {
  CUresult error = machine().cuModuleGetFunction(function, module, name);
  if (error == CUDA_SUCCESS)
    noteOrigin(*function, {nullptr, module, name});
  return error;
}

CUresult unloadModule(CUmodule module) {
  forgetImage(module);
  return machine().cuModuleUnload(module);
}

CUresult loadModuleFile(CUmodule *module, const char *file) {
  std::vector<uint8_t> bytes = ourFile(file);
  return bytes.empty() ? machine().cuModuleLoad(module, file)
                       : loadModule(module, bytes.data(), 0, nullptr, nullptr);
}

CUresult addLinkData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                     const char *name, unsigned count, CUjit_option *options, void **values) {
  if (!data || size < sizeof(ImageHeader) || !deviceCodeBytes(data, size))
    return machine().cuLinkAddData_v2(state, type, data, size, name, count, options, values);
  if (!gpuCapability())
    return CUDA_ERROR_NOT_INITIALIZED;
  auto text = codeOf(data);
  if (!text)
    return refused(text.error(), CUDA_ERROR_INVALID_IMAGE);
  return machine().cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, text->data(), text->size(), name,
                                    count, options, values);
}

CUresult addLinkFile(CUlinkState state, CUjitInputType type, const char *file, unsigned count,
                     CUjit_option *options, void **values) {
  std::vector<uint8_t> bytes = ourFile(file);
  return bytes.empty()
             ? machine().cuLinkAddFile_v2(state, type, file, count, options, values)
             : addLinkData(state, type, bytes.data(), bytes.size(), file, count, options, values);
}

} // namespace

void interceptModules(Table &table) {
  table.cuModuleLoad = loadModuleFile;
  table.cuModuleLoadData = [](CUmodule *module, const void *image) {
    return loadModule(module, image, 0, nullptr, nullptr);
  };
  table.cuModuleLoadDataEx = loadModule;
  table.cuModuleGetFunction = getFunction;
  table.cuModuleUnload = unloadModule;
  table.cuModuleLoadFatBinary = table.cuModuleLoadData;
  table.cuLinkAddData_v2 = addLinkData;
  table.cuLinkAddFile_v2 = addLinkFile;
}

} // namespace heddle::driver
