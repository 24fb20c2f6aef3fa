// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "world.h"

#include <fstream>
#include <iterator>

inline std::string readModule() {
  std::ifstream file(moduleFile, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline void modules() {
  makeWorld();
  makeDestroyedOnes();
  const std::string image = readModule();
  CUmodule module = nullptr;
  CUfunction function = nullptr, all[8] = {};
  CUdeviceptr p = 0;
  size_t bytes = 0;
  unsigned count = 0;
  CUtexref texture = nullptr;
  CUsurfref surface = nullptr;
  CUjit_option options[4] = {CU_JIT_LOG_VERBOSE};
  void *values[4] = {};
  VARY(cuModuleLoad, &module, moduleFile);
  VARY(cuModuleLoadData, &module, image.data());
  VARY(cuModuleLoadDataEx, &module, image.data(), 1, options, values);
  for (int option = 0; option < 36; ++option) {
    options[0] = static_cast<CUjit_option>(option);
    values[0] = nullptr;
    CALL("option=" + std::to_string(option), cuModuleLoadDataEx, &module, image.data(), 1, options,
         values);
  }
  options[0] = CU_JIT_LOG_VERBOSE;
  VARY(cuModuleLoadFatBinary, &module, image.data());
  CALL("a folder", cuModuleLoad, &module, "/");
  CALL("an empty file", cuModuleLoad, &module, "/dev/null");
  CALL("zeros", cuModuleLoadData, &module, w.pageable);
  VARY(cuModuleGetFunction, &function, module, "add");
  VARY(cuModuleGetFunctionCount, &count, module);
  value("count", count);
  VARY(cuModuleEnumerateFunctions, all, 3, module);
  CALL("count=2", cuModuleEnumerateFunctions, all, 2, module);
  CALL("count=4", cuModuleEnumerateFunctions, all, 4, module);
  VARY(cuModuleGetGlobal_v2, &p, &bytes, module, "counter");
  value("bytes", bytes);
  CALL("neither pointer", cuModuleGetGlobal_v2, nullptr, nullptr, module, "counter");
  CALL("a constant", cuModuleGetGlobal_v2, &p, &bytes, module, "factors");
  CALL("managed", cuModuleGetGlobal_v2, &p, &bytes, module, "shown");
  CALL("a kernel", cuModuleGetGlobal_v2, &p, &bytes, module, "add");
  CALL("a variable", cuModuleGetFunction, &function, module, "counter");
  CALL("a variable", cuMemFree_v2, p);
  VARY(cuModuleGetTexRef, &texture, module, "counter");
  VARY(cuModuleGetSurfRef, &surface, module, "counter");
  VARY(cuFuncGetModule, &module, w.add);
  value("is the same", module == w.module);
  VARY(cuModuleUnload, module);
  endUnit();
}

inline void libraries() {
  makeWorld();
  const std::string image = readModule();
  CUlibrary library = nullptr, gone = nullptr, other = nullptr;
  CUkernel kernel = nullptr, all[8] = {}, lost = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr p = 0;
  size_t bytes = 0, offset = 0;
  unsigned count = 0;
  void *unified = nullptr;
  int n = 0;
  const char *name = nullptr;
  CU(cuLibraryLoadData)(&gone, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  CU(cuLibraryGetKernel)(&lost, gone, "add");
  VARY(cuLibraryLoadData, &library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  VARY(cuLibraryLoadFromFile, &library, moduleFile, nullptr, nullptr, 0, nullptr, nullptr, 0);
  CUlibraryOption option = CU_LIBRARY_BINARY_IS_PRESERVED;
  void *value0 = reinterpret_cast<void *>(1);
  for (int o : {0, 1, 2, 9}) {
    option = static_cast<CUlibraryOption>(o);
    CALL("option=" + std::to_string(o), cuLibraryLoadFromFile, &other, moduleFile, nullptr, nullptr,
         0, &option, &value0, 1);
  }
  VARY(cuLibraryGetKernel, &kernel, library, "add");
  VARY(cuLibraryGetKernelCount, &count, library);
  value("count", count);
  VARY(cuLibraryEnumerateKernels, all, 3, library);
  CALL("count=4", cuLibraryEnumerateKernels, all, 4, library);
  VARY(cuLibraryGetModule, &module, library);
  CALL("a library's", cuModuleUnload, module);
  VARY(cuKernelGetFunction, &function, kernel);
  VARY(cuKernelGetLibrary, &other, kernel);
  value("is the same", other == library);
  VARY(cuLibraryGetGlobal, &p, &bytes, library, "counter");
  CALL("managed", cuLibraryGetGlobal, &p, &bytes, library, "shown");
  VARY(cuLibraryGetManaged, &p, &bytes, library, "shown");
  CALL("not managed", cuLibraryGetManaged, &p, &bytes, library, "counter");
  VARY(cuLibraryGetUnifiedFunction, &unified, library, "add");
  VARY(cuKernelGetAttribute, &n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0);
  for (int a = 0; a < 17; ++a) {
    CALL("attribute=" + std::to_string(a), cuKernelGetAttribute, &n,
         static_cast<CUfunction_attribute>(a), kernel, 0);
    CALL("attribute=" + std::to_string(a), cuKernelSetAttribute,
         static_cast<CUfunction_attribute>(a), 0, kernel, 0);
  }
  VARY(cuKernelSetAttribute, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536, kernel, 0);
  VARY(cuKernelSetCacheConfig, kernel, CU_FUNC_CACHE_PREFER_L1, 0);
  VARY(cuKernelGetName, &name, kernel);
  VARY(cuKernelGetParamInfo, kernel, 1, &offset, &bytes);
  value("offset", offset);
  value("size", bytes);
  CALL("size=null", cuKernelGetParamInfo, kernel, 2, &offset, nullptr);
  CU(cuLibraryUnload)(gone);
  Handles<CUlibrary>::destroyed = gone;
  Handles<CUkernel>::destroyed = lost;
  VARY(cuKernelGetFunction, &function, kernel);
  VARY(cuLibraryGetModule, &module, library);
  VARY(cuKernelGetName, &name, kernel);
  VARY(cuLibraryUnload, library);
  CALL("behind its library", cuFuncGetModule, &module, w.add);
  endUnit();
}

inline void links() {
  makeWorld();
  const std::string image = readModule();
  CUlinkState link = nullptr;
  void *result = nullptr;
  size_t bytes = 0;
  CUjit_option options[4] = {CU_JIT_LOG_VERBOSE};
  void *values[4] = {};
  VARY(cuLinkCreate, 1, options, values, &link);
  CU(cuLinkDestroy)(link);
  VARY(cuLinkCreate_v2, 1, options, values, &link);
  CALL("nothing added", cuLinkComplete, link, &result, &bytes);
  CU(cuLinkCreate_v2)(0, nullptr, nullptr, &link);
  char text[] = "no code";
  for (int type = 0; type < 8; ++type)
    CALL("type=" + std::to_string(type), cuLinkAddData_v2, link, static_cast<CUjitInputType>(type),
         text, sizeof text, "text", 0, nullptr, nullptr);
  VARY(cuLinkAddData, link, CU_JIT_INPUT_OBJECT, text, sizeof text, "text", 0, nullptr, nullptr);
  VARY(cuLinkAddData_v2, link, CU_JIT_INPUT_OBJECT, text, sizeof text, "text", 0, nullptr, nullptr);
  VARY(cuLinkAddFile, link, CU_JIT_INPUT_OBJECT, "/there/is/no/such/file", 0, nullptr, nullptr);
  VARY(cuLinkAddFile_v2, link, CU_JIT_INPUT_OBJECT, "/there/is/no/such/file", 0, nullptr, nullptr);
  CU(cuLinkCreate_v2)(0, nullptr, nullptr, &link);
  VARY(cuLinkComplete, link, &result, &bytes);
  VARY(cuLinkDestroy, link);
  endUnit();
}

inline void functions() {
  makeWorld();
  makeDestroyedOnes();
  int n = 0;
  const char *name = nullptr;
  size_t offset = 0, bytes = 0;
  CUfunctionLoadingState state;
  VARY(cuFuncGetAttribute, &n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, w.bounded);
  for (int a = 0; a < 17; ++a) {
    const std::string text = "attribute=" + std::to_string(a);
    const auto attribute = static_cast<CUfunction_attribute>(a);
    CALL(text, cuFuncGetAttribute, &n, attribute, w.bounded);
    if (a == 0 || a == 1 || a == 8 || a > 9)
      value("value", n);
    for (int v : {-1, 0, 1, 3, 50, 101, 1 << 20})
      CALL(text + " value=" + std::to_string(v), cuFuncSetAttribute, w.bounded, attribute, v);
  }
  VARY(cuFuncSetAttribute, w.add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536);
  VARY(cuFuncSetCacheConfig, w.add, CU_FUNC_CACHE_PREFER_L1);
  VARY(cuFuncSetSharedMemConfig, w.add, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
  VARY(cuFuncGetName, &name, w.add);
  VARY(cuFuncGetParamInfo, w.add, 1, &offset, &bytes);
  value("offset", offset);
  value("size", bytes);
  CALL("size=null", cuFuncGetParamInfo, w.add, 1, &offset, nullptr);
  VARY(cuFuncIsLoaded, &state, w.add);
  VARY(cuFuncLoad, w.add);
  int blocks = 0, size = 0;
  VARY(cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, w.nothing, 128, 0);
  value("blocks", blocks);
  VARY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, &blocks, w.nothing, 128, 0, 0);
  for (int threads : {1, 31, 32, 33, 512, 768, 1024, 1025})
    for (size_t shared : {size_t(0), size_t(1024), size_t(49152), size_t(49153), size_t(300000)}) {
      blocks = -1;
      CALL(std::to_string(threads) + " " + std::to_string(shared),
           cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, w.nothing, threads, shared);
      value("blocks", blocks);
    }
  VARY(cuOccupancyMaxPotentialBlockSize, &blocks, &size, w.bounded, nullptr, 0, 0);
  value("size", size);
  VARY(cuOccupancyMaxPotentialBlockSizeWithFlags, &blocks, &size, w.bounded, nullptr, 0, 0, 0);
  VARY(cuOccupancyAvailableDynamicSMemPerBlock, &bytes, w.nothing, 2, 128);
  value("bytes", bytes);
  auto config = zeros<CUlaunchConfig>();
  config.gridDimX = 4, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128, config.blockDimY = config.blockDimZ = 1;
  VARY(cuOccupancyMaxPotentialClusterSize, &n, w.nothing, &config);
  value("size", n);
  auto cluster = zeros<CUlaunchAttribute>();
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {2, 1, 1};
  config.attrs = &cluster, config.numAttrs = 1;
  VARY(cuOccupancyMaxActiveClusters, &n, w.nothing, &config);
  fields("cuOccupancyMaxActiveClusters", config,
         [&](auto &s) { return CU(cuOccupancyMaxActiveClusters)(&n, w.nothing, &s); },
         {SET(gridDimX, 0), SET(gridDimX, 3), SET(blockDimX, 0), SET(blockDimX, 1025),
          SET(sharedMemBytes, 300000), SET(attrs, nullptr), SET(numAttrs, 0)});
  endUnit();
}

inline void launches() {
  makeWorld();
  makeDestroyedOnes();
  CUdeviceptr p = w.memory;
  int n = 1;
  float x = 0;
  void *parameters[4] = {&p, &n, &x};
  VARY(cuLaunchKernel, w.add, 1, 1, 1, 32, 1, 1, 0, w.stream, parameters, nullptr);
  CALL("without parameters", cuLaunchKernel, w.nothing, 1, 1, 1, 32, 1, 1, 0, w.stream, nullptr,
       nullptr);
  struct Shape {
    unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, shared;
  };
  for (Shape s :
       {Shape{0x7fffffff, 0, 1, 1, 1, 1, 0}, Shape{1, 65536, 1, 1, 1, 1, 0},
        Shape{1, 1, 65536, 1, 1, 1, 0}, Shape{1, 1, 1, 1025, 1, 1, 0},
        Shape{1, 1, 1, 1, 1025, 1, 0}, Shape{1, 1, 1, 1, 1, 65, 0}, Shape{1, 1, 1, 32, 33, 1, 0},
        Shape{1, 1, 1, 1, 1, 64, 0}, Shape{1, 1, 1, 32, 1, 1, 49152},
        Shape{1, 1, 1, 32, 1, 1, 49153}, Shape{0x80000000u, 1, 1, 1, 1, 1, 0}})
    CALL(std::to_string(s.gridX) + " " + std::to_string(s.gridY) + " " + std::to_string(s.gridZ) +
             ", " + std::to_string(s.blockX) + " " + std::to_string(s.blockY) + " " +
             std::to_string(s.blockZ) + ", " + std::to_string(s.shared),
         cuLaunchKernel, w.nothing, s.gridX, s.gridY, s.gridZ, s.blockX, s.blockY, s.blockZ,
         s.shared, w.stream, nullptr, nullptr);
  CALL("above __launch_bounds__", cuLaunchKernel, w.bounded, 1, 1, 1, 65, 1, 1, 0, w.stream,
       parameters, nullptr);
  struct {
    CUdeviceptr p;
    int n;
    float x;
  } packed = {p, 1, 0};
  size_t packedBytes = 16;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &packedBytes, CU_LAUNCH_PARAM_END};
  CALL("packed", cuLaunchKernel, w.add, 1, 1, 1, 32, 1, 1, 0, w.stream, nullptr, extra);
  CALL("packed, and parameters", cuLaunchKernel, w.add, 1, 1, 1, 32, 1, 1, 0, w.stream, parameters,
       extra);
  for (size_t bytes : {size_t(0), size_t(12), size_t(15), size_t(17), size_t(24)}) {
    packedBytes = bytes;
    CALL("packed, " + std::to_string(bytes), cuLaunchKernel, w.add, 1, 1, 1, 32, 1, 1, 0, w.stream,
         nullptr, extra);
  }
  auto config = zeros<CUlaunchConfig>();
  config.gridDimX = 4, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 64, config.blockDimY = config.blockDimZ = 1;
  config.hStream = w.stream;
  CUlaunchAttribute attribute[4] = {};
  config.attrs = attribute;
  VARY(cuLaunchKernelEx, &config, w.add, parameters, nullptr);
  fields("cuLaunchKernelEx", config,
         [](auto &s) { return CU(cuLaunchKernelEx)(&s, w.nothing, nullptr, nullptr); },
         {SET(gridDimX, 0), SET(gridDimY, 65536), SET(blockDimX, 0), SET(blockDimX, 1025),
          SET(sharedMemBytes, 49153), SET(hStream, nullptr), SET(attrs, nullptr)});
  config.numAttrs = 1;
  for (int id = 0; id < 20; ++id) {
    std::memset(static_cast<void *>(attribute), 0, sizeof attribute);
    attribute[0].id = static_cast<CUlaunchAttributeID>(id);
    CALL("attribute=" + std::to_string(id), cuLaunchKernelEx, &config, w.nothing, nullptr, nullptr);
  }
  attribute[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  for (unsigned size : {1u, 2u, 3u, 4u, 8u, 16u, 0u}) {
    attribute[0].value.clusterDim = {size, 1, 1};
    CALL("a cluster of " + std::to_string(size), cuLaunchKernelEx, &config, w.nothing, nullptr,
         nullptr);
  }
  config.gridDimX = 16;
  attribute[0].value.clusterDim = {16, 1, 1};
  CALL("a cluster of 16 of 16", cuLaunchKernelEx, &config, w.nothing, nullptr, nullptr);
  attribute[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  for (int v : {0, 1, 2}) {
    attribute[0].value.cooperative = v;
    CALL("cooperative=" + std::to_string(v), cuLaunchKernelEx, &config, w.nothing, nullptr,
         nullptr);
  }
  VARY(cuLaunchCooperativeKernel, w.add, 1, 1, 1, 32, 1, 1, 0, w.stream, parameters);
  CALL("more than fit", cuLaunchCooperativeKernel, w.nothing, 100000, 1, 1, 32, 1, 1, 0, w.stream,
       nullptr);
  CUDA_LAUNCH_PARAMS one = {w.nothing, 1, 1, 1, 32, 1, 1, 0, w.stream, nullptr};
  VARY(cuLaunchCooperativeKernelMultiDevice, padded(one), 1, 0);
  VARY(cuFuncSetBlockShape, w.add, 32, 1, 1);
  VARY(cuFuncSetSharedSize, w.add, 64);
  VARY(cuParamSetSize, w.add, 16);
  VARY(cuParamSeti, w.add, 8, 1);
  VARY(cuParamSetf, w.add, 12, 1.0f);
  VARY(cuParamSetv, w.add, 0, &p, 8);
  CALL("beyond the end", cuParamSeti, w.add, 14, 1);
  CALL("beyond the end", cuParamSetv, w.add, 12, &p, 8);
  CALL("odd offset", cuParamSeti, w.add, 9, 1);
  CU(cuParamSetv)(w.add, 0, &p, 8);
  CU(cuParamSeti)(w.add, 8, 1);
  VARY(cuParamSetTexRef, w.add, CU_PARAM_TR_DEFAULT, nullptr);
  VARY(cuLaunch, w.add);
  VARY(cuLaunchGrid, w.add, 2, 1);
  VARY(cuLaunchGridAsync, w.add, 2, 1, w.stream);
  endUnit();
}
