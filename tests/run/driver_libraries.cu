// RUN: %heddle cc -fatbin -DMODULE %s -o %t.fatbin
// RUN: %heddle cc -std=c++20 -I%S/../../src %s -o %t.exe -lcuda
// RUN: %t.exe %t.fatbin
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of the driver API, which are loaded without a context and have variables in each, and their kernels.
#ifdef MODULE

__device__ int offset = 5;
__managed__ int runs = 7;
extern "C" __global__ void add(int *p, int n) {
  if (threadIdx.x < n)
    p[threadIdx.x] += offset;
  if (threadIdx.x == 0)
    runs++;
}
extern "C" __global__ void large(int *p) {
  extern __shared__ int shared[];
  shared[15000] = *p;
  *p = shared[15000] + 1;
}

#else

#include "driver.h"

#include "base/image/host_table.h"

static CUkernel kernelOf(CUlibrary library, const char *name) {
  CUkernel kernel = nullptr;
  DRIVER_OK(cuLibraryGetKernel(&kernel, library, name));
  return kernel;
}

static void runAdd(CUfunction function, int offset) {
  Buffer<int> p(std::vector<int>{10, 20, 30});
  int n = 3;
  void *args[] = {&p.data, &n};
  DRIVER_OK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
  std::vector<int> found(3);
  CUDA_OK(cudaMemcpy(found.data(), p, 3 * sizeof(int), cudaMemcpyDeviceToHost));
  expectAll("add", found, {10 + offset, 20 + offset, 30 + offset});
}

static void runLarge(CUkernel large, CUresult want) {
  Buffer<int> p(std::vector<int>{41});
  void *args[] = {&p.data};
  expectCode("large",
             cuLaunchKernel((CUfunction)large, 1, 1, 1, 1, 1, 1, 64000, nullptr, args, nullptr),
             want);
}

// No context is current.
static void testLoading(const char *file, const std::vector<char> &image) {
  CUlibrary library = nullptr;
  DRIVER_OK(cuLibraryLoadFromFile(&library, file, nullptr, nullptr, 0, nullptr, nullptr, 0));
  DRIVER_OK(cuLibraryUnload(library));
  expectCode("unloaded", cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
  CUlibraryOption option = CU_LIBRARY_BINARY_IS_PRESERVED;
  void *value = (void *)1;
  DRIVER_OK(cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, &option, &value, 1));
  DRIVER_OK(cuLibraryUnload(library));
  expectCode(
      "PTX",
      cuLibraryLoadData(&library, ".version 8.7\n", nullptr, nullptr, 0, nullptr, nullptr, 0),
      CUDA_ERROR_INVALID_PTX);
  expectCode(
      "no file",
      cuLibraryLoadFromFile(&library, "/nonexistent", nullptr, nullptr, 0, nullptr, nullptr, 0),
      CUDA_ERROR_FILE_NOT_FOUND);
  expectCode("no place",
             cuLibraryLoadData(nullptr, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
             CUDA_ERROR_INVALID_VALUE);
  option = CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE;
  expectCode("table",
             cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, &option, &value, 1),
             CUDA_ERROR_NOT_SUPPORTED);
  expectCode("no options",
             cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 1, nullptr, nullptr, 0),
             CUDA_ERROR_INVALID_VALUE);
  CUcontext current = (CUcontext)1;
  DRIVER_OK(cuCtxGetCurrent(&current));
  expectTrue("still no context", !current);
}

static void testKernels(CUlibrary library) {
  unsigned count = 0;
  DRIVER_OK(cuLibraryGetKernelCount(&count, library));
  expect("kernels", 0, count, 2u);
  CUkernel all[3] = {}, add = kernelOf(library, "add"), large = kernelOf(library, "large");
  DRIVER_OK(cuLibraryEnumerateKernels(all, 3, library));
  expectTrue("both", (all[0] == add && all[1] == large) || (all[0] == large && all[1] == add));
  expectTrue("no third", !all[2]);
  expectCode("no such kernel", cuLibraryGetKernel(&all[2], library, "nothing"),
             CUDA_ERROR_NOT_FOUND);
  expectCode("no library", cuLibraryGetKernel(&all[2], nullptr, "add"), CUDA_ERROR_INVALID_HANDLE);
  expectCode("no count", cuLibraryGetKernelCount(nullptr, library), CUDA_ERROR_INVALID_VALUE);
  expectCode("no room", cuLibraryEnumerateKernels(nullptr, 2, library), CUDA_ERROR_INVALID_VALUE);
  CUlibrary again = nullptr;
  DRIVER_OK(cuKernelGetLibrary(&again, add));
  expectTrue("its library", again == library);
  const char *name = nullptr;
  DRIVER_OK(cuKernelGetName(&name, large));
  expectTrue("its name", std::string(name) == "large");
  size_t offset = 0, size = 0;
  DRIVER_OK(cuKernelGetParamInfo(add, 1, &offset, &size));
  expectTrue("its parameter", offset == 8 && size == 4);
  expectCode("no parameter", cuKernelGetParamInfo(add, 2, &offset, &size),
             CUDA_ERROR_INVALID_VALUE);
  int value = 0;
  DRIVER_OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64000, large, 0));
  DRIVER_OK(
      cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, large, 0));
  expect("shared memory", 0, value, 64000);
  DRIVER_OK(cuKernelSetCacheConfig(large, CU_FUNC_CACHE_PREFER_SHARED, 0));
  expectCode("no device", cuKernelSetCacheConfig(large, CU_FUNC_CACHE_PREFER_SHARED, 99),
             CUDA_ERROR_INVALID_DEVICE);
  expectCode("no device", cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, large, 99),
             CUDA_ERROR_INVALID_DEVICE);
  expectCode("no attribute", cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 1, large, 0),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no kernel", cuKernelGetName(&name, nullptr), CUDA_ERROR_INVALID_VALUE);
  expectCode("nor its library", cuKernelGetLibrary(&again, nullptr), CUDA_ERROR_INVALID_HANDLE);
  CUdeviceptr p = 0;
  DRIVER_OK(cuLibraryGetManaged(&p, &size, library, "runs"));
  expect("managed", 0, *(int *)p, 7);
  expectCode("not managed", cuLibraryGetManaged(&p, &size, library, "offset"),
             CUDA_ERROR_NOT_FOUND);
  void *function = nullptr;
  expectCode("unified", cuLibraryGetUnifiedFunction(&function, library, "add"),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no symbol", cuLibraryGetUnifiedFunction(&function, library, nullptr),
             CUDA_ERROR_INVALID_VALUE);
  CUfunction none;
  expectCode("without a context", cuKernelGetFunction(&none, add), CUDA_ERROR_INVALID_CONTEXT);
}

// In the current context.
static void testUse(CUlibrary library, int offset) {
  CUkernel add = kernelOf(library, "add");
  CUfunction function = nullptr;
  DRIVER_OK(cuKernelGetFunction(&function, add));
  CUdeviceptr p = 0;
  size_t bytes = 0;
  DRIVER_OK(cuLibraryGetGlobal(&p, &bytes, library, "offset"));
  expect("bytes", 0, bytes, sizeof(int));
  CUDA_OK(cudaMemcpy((void *)p, &offset, sizeof offset, cudaMemcpyHostToDevice));
  runAdd(function, offset);
  runAdd((CUfunction)add, offset);
  CUmodule module = nullptr;
  DRIVER_OK(cuLibraryGetModule(&module, library));
  runAdd(functionOf(module, "add"), offset);
  expectTrue("the same variable", globalOf(module, "offset", sizeof(int)) == p);
  expectCode("a library's module stays", cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
  runLarge(kernelOf(library, "large"), CUDA_SUCCESS);
  DRIVER_OK(cuLibraryGetGlobal(&p, &bytes, library, "runs")); // a managed one
  expectCode("no place", cuKernelGetFunction(nullptr, add), CUDA_ERROR_INVALID_VALUE);
  expectCode("no kernel", cuKernelGetFunction(&function, nullptr), CUDA_ERROR_INVALID_HANDLE);
  expectCode("no module", cuLibraryGetModule(&module, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

// A managed variable lies where host code has it. The bytes stay as long as the library.
static void testHostVariables(const std::vector<char> &image) {
  alignas(16) static int runs = 20, home;
  heddle::HostVariable variable = {"runs", &runs};
  heddle::HostTable host = {.home = &home, .count = 1, .variables = &variable};
  CUlibraryHostUniversalFunctionAndDataTable tables = {nullptr, 0, &host, sizeof host};
  CUlibraryOption options[] = {CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE,
                               CU_LIBRARY_BINARY_IS_PRESERVED};
  void *values[] = {&tables, nullptr};
  auto load = [&](CUlibrary &library, unsigned count) {
    return cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, options, values, count);
  };
  CUlibrary library = nullptr;
  expectCode("bytes that may go", load(library, 1), CUDA_ERROR_INVALID_VALUE);
  tables.dataWindowSize--;
  expectCode("a table of others", load(library, 2), CUDA_ERROR_NOT_SUPPORTED);
  tables.dataWindowSize++;
  DRIVER_OK(load(library, 2));
  expect("not initialised again", 0, runs, 20);
  runAdd((CUfunction)kernelOf(library, "add"), 5);
  DRIVER_OK(cuCtxSynchronize());
  expect("the host's", 0, runs, 21);
  CUdeviceptr p = 0;
  size_t bytes = 0;
  DRIVER_OK(cuLibraryGetManaged(&p, &bytes, library, "runs"));
  expectTrue("its place", p == (CUdeviceptr)&runs && bytes == sizeof runs);
  unsigned isManaged = 0;
  DRIVER_OK(cuPointerGetAttribute(&isManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
  expect("is managed", 0, isManaged, 1u);
  DRIVER_OK(cuLibraryUnload(library));
  expectCode("no more", cuPointerGetAttribute(&isManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED, p),
             CUDA_ERROR_INVALID_VALUE);
}

int main(int, char **argv) {
  const std::vector<char> image = bytesOf(argv[1]);
  DRIVER_OK(cuInit(0));
  testLoading(argv[1], image);
  CUlibrary library = nullptr;
  DRIVER_OK(cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  testKernels(library);
  CUcontext primary = nullptr, made = nullptr;
  DRIVER_OK(cuDevicePrimaryCtxRetain(&primary, 0));
  DRIVER_OK(cuCtxSetCurrent(primary));
  testUse(library, 100);
  testHostVariables(image);
  made = makeContext();
  testUse(library, 200);
  DRIVER_OK(cuCtxSetCurrent(primary));
  runAdd((CUfunction)kernelOf(library, "add"), 100); // each context has its own
  DRIVER_OK(cuCtxDestroy(made));
  CUkernel gone = kernelOf(library, "add");
  DRIVER_OK(cuLibraryUnload(library));
  runLarge(gone, CUDA_ERROR_INVALID_HANDLE);
  return finish();
}

#endif
