// RUN: %heddle cc -rdc=true -fatbin -DKERNEL %s -o %t.kernel.fatbin
// RUN: %heddle cc -rdc=true -cubin -DHELPER %s -o %t.helper.cubin
// RUN: %heddle cc -fatbin -DHELPER %s -o %t.whole.fatbin
// RUN: %heddle cc -rdc=true -c -DHELPER %s -o %t.helper.o
// RUN: rm -f %t.a && ar rcs %t.a %t.helper.o
// RUN: %heddle cc %s -o %t.exe -lcuda
// RUN: %t.exe %t.kernel.fatbin %t.helper.cubin %t.whole.fatbin %t.helper.o %t.a
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linking of relocatable device code while the program runs (cuLink*): of files and of memory, of objects and libraries,
// what is missing, and what cannot be linked.
#if defined(KERNEL)

extern __device__ int base;
__device__ int helper(int);
extern "C" __global__ void apply(int *p) { p[threadIdx.x] = helper(p[threadIdx.x]) + base; }

#elif defined(HELPER)

__device__ int base = 1000;
__device__ int helper(int i) { return i * i; }

#else

#include "driver.h"

static void runApply(void *image) {
  CUmodule module;
  DRIVER_OK(cuModuleLoadData(&module, image));
  Buffer<int> p(std::vector<int>{1, 2, 3});
  void *args[] = {&p.data};
  DRIVER_OK(
      cuLaunchKernel(functionOf(module, "apply"), 1, 1, 1, 3, 1, 1, 0, nullptr, args, nullptr));
  std::vector<int> found(3);
  CUDA_OK(cudaMemcpy(found.data(), p, 3 * sizeof(int), cudaMemcpyDeviceToHost));
  expectAll("apply", found, {1001, 1004, 1009});
  globalOf(module, "base", sizeof(int));
  DRIVER_OK(cuModuleUnload(module));
}

static void testWhole(const char *kernelFile, const char *helperFile) {
  char log[256] = "old";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_WALL_TIME};
  void *values[] = {log, (void *)sizeof log, (void *)77};
  CUlinkState link;
  DRIVER_OK(cuLinkCreate(3, options, values, &link));
  std::vector<char> kernel = bytesOf(kernelFile);
  DRIVER_OK(cuLinkAddData(link, CU_JIT_INPUT_FATBINARY, kernel.data(), kernel.size(), "kernel", 0,
                          nullptr, nullptr));
  std::fill(kernel.begin(), kernel.end(), 0);
  DRIVER_OK(cuLinkAddFile(link, CU_JIT_INPUT_CUBIN, helperFile, 0, nullptr, nullptr));
  void *image = nullptr;
  size_t bytes = 0;
  DRIVER_OK(cuLinkComplete(link, &image, &bytes));
  expectTrue("logs", image && bytes && !log[0] && !values[1] && values[2] != (void *)77);
  const std::vector<char> copy((char *)image, (char *)image + bytes);
  runApply(image);
  DRIVER_OK(cuLinkDestroy(link));
  runApply((void *)copy.data()); // it is as long as it was said to be
  expectCode("destroyed", cuLinkComplete(link, &image, &bytes), CUDA_ERROR_INVALID_HANDLE);
  expectCode("twice", cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
}

/// An object of the host's linker, or a library of some.
static void testEmbedded(const char *kernelFile, CUjitInputType type, const char *helperFile) {
  CUlinkState link;
  DRIVER_OK(cuLinkCreate(0, nullptr, nullptr, &link));
  DRIVER_OK(cuLinkAddFile(link, type, helperFile, 0, nullptr, nullptr));
  char none[] = "!<arch>\n"; // nothing is in it
  DRIVER_OK(cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, none, 8, "", 0, nullptr, nullptr));
  DRIVER_OK(cuLinkAddFile(link, CU_JIT_INPUT_FATBINARY, kernelFile, 0, nullptr, nullptr));
  void *image = nullptr;
  DRIVER_OK(cuLinkComplete(link, &image, nullptr));
  runApply(image);
  DRIVER_OK(cuLinkDestroy(link));
}

static void testErrors(const char *kernelFile, const char *wholeFile) {
  char log[1024] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log}, *image = nullptr;
  CUlinkState link;
  size_t bytes;
  DRIVER_OK(cuLinkCreate(2, options, values, &link));
  expectCode("nothing", cuLinkComplete(link, &image, &bytes), CUDA_ERROR_INVALID_VALUE);
  char ptx[] = ".version 8.7\n.target sm_90\nwrong\n";
  expectCode("PTX", cuLinkAddData(link, CU_JIT_INPUT_PTX, ptx, sizeof ptx, "", 0, nullptr, nullptr),
             CUDA_ERROR_INVALID_PTX);
  expectTrue("it says so", strstr(log, "line 3; fatal   : Parsing error near 'wrong'") &&
                               values[1] == (void *)strlen(log));
  expectCode("PTX as something else",
             cuLinkAddData(link, CU_JIT_INPUT_CUBIN, ptx, sizeof ptx, "", 0, nullptr, nullptr),
             CUDA_ERROR_INVALID_PTX);
  expectCode("a library", cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, wholeFile, 0, nullptr, nullptr),
             CUDA_ERROR_INVALID_IMAGE);
  expectCode("NVVM", cuLinkAddFile(link, CU_JIT_INPUT_NVVM, wholeFile, 0, nullptr, nullptr),
             CUDA_ERROR_NOT_SUPPORTED);
  expectCode("whole code",
             cuLinkAddFile(link, CU_JIT_INPUT_FATBINARY, wholeFile, 0, nullptr, nullptr),
             CUDA_ERROR_INVALID_IMAGE);
  expectCode("no file",
             cuLinkAddFile(link, CU_JIT_INPUT_CUBIN, "/nonexistent", 0, nullptr, nullptr),
             CUDA_ERROR_FILE_NOT_FOUND);
  expectCode("no such kind",
             cuLinkAddFile(link, CUjitInputType(99), kernelFile, 0, nullptr, nullptr),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no name", cuLinkAddFile(link, CU_JIT_INPUT_CUBIN, nullptr, 0, nullptr, nullptr),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no data",
             cuLinkAddData(link, CU_JIT_INPUT_CUBIN, nullptr, 5, "", 0, nullptr, nullptr),
             CUDA_ERROR_INVALID_VALUE);
  std::vector<char> half = bytesOf(kernelFile);
  expectCode("half a file",
             cuLinkAddData(link, CU_JIT_INPUT_FATBINARY, half.data(), half.size() / 2, "", 0,
                           nullptr, nullptr),
             CUDA_ERROR_INVALID_IMAGE);
  DRIVER_OK(cuLinkAddFile(link, CU_JIT_INPUT_FATBINARY, kernelFile, 0, nullptr, nullptr));
  expectCode("no helper", cuLinkComplete(link, &image, &bytes), CUDA_ERROR_INVALID_IMAGE);
  expectTrue("it is named", strstr(log, "helper"));
  expectCode("no place", cuLinkComplete(link, nullptr, &bytes), CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuLinkDestroy(link));
  expectCode("no state", cuLinkCreate(0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  options[0] = CUjit_option(500);
  expectCode("no option", cuLinkCreate(2, options, values, &link), CUDA_ERROR_INVALID_VALUE);
  expectCode("no link", cuLinkAddFile(nullptr, CU_JIT_INPUT_CUBIN, kernelFile, 0, nullptr, nullptr),
             CUDA_ERROR_INVALID_HANDLE);
}

int main(int, char **argv) {
  CUDA_OK(cudaFree(nullptr));
  testWhole(argv[1], argv[2]);
  testEmbedded(argv[1], CU_JIT_INPUT_OBJECT, argv[4]);
  testEmbedded(argv[1], CU_JIT_INPUT_LIBRARY, argv[5]);
  testErrors(argv[1], argv[3]);
  return finish();
}

#endif
