// RUN: %heddle cc -fatbin -DMODULE -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 %s -o %t.fatbin
// RUN: %heddle cc -cubin -DMODULE %s -o %t.cubin
// RUN: %heddle cc %s -o %t.exe -lcuda
// RUN: %t.exe %t.fatbin
// RUN: env HEDDLE_WIDTH=8 %t.exe %t.cubin
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of the driver API: loaded in every way, their functions and variables, two of one image, in contexts of the
// program's own, unloaded with work on its way, what cannot be loaded; beside the runtime API on the same memory.
#ifdef MODULE

__device__ int offset = 5;
__constant__ int factors[4] = {1, 2, 3, 4};
__managed__ int calls = 100;

extern "C" __global__ void scale(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    calls++;
  if (i < n)
    p[i] = p[i] * factors[i % 4] + offset;
}
extern "C" __global__ void spin(const volatile int *go) {
  while (*go == 0)
    ;
  offset++;
}

#else

#include "driver.h"

#include <algorithm>
#include <thread>

__device__ int ownOffset = 11;
__global__ void own(int *p, int n) {
  int i = threadInGrid();
  if (i < n)
    p[i] += ownOffset;
}

static const int N = 333;

static std::vector<int> numbers() {
  std::vector<int> values(N);
  for (int i = 0; i < N; ++i)
    values[size_t(i)] = 3 * i - 50;
  return values;
}

// Runs `scale` in the current context.
static void runScale(CUmodule module, int offset) {
  Buffer<int> p(numbers());
  int n = N;
  void *args[] = {&p.data, &n};
  DRIVER_OK(
      cuLaunchKernel(functionOf(module, "scale"), 3, 1, 1, 128, 1, 1, 0, nullptr, args, nullptr));
  std::vector<int> found(N), values = numbers();
  CUDA_OK(cudaMemcpy(found.data(), p, N * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; ++i)
    expect("scale", i, found[size_t(i)], values[size_t(i)] * (i % 4 + 1) + offset);
}

static int read(CUdeviceptr p) {
  int value = 0;
  CUDA_OK(cudaMemcpy(&value, (void *)p, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}
static void write(CUdeviceptr p, int value) {
  CUDA_OK(cudaMemcpy((void *)p, &value, sizeof value, cudaMemcpyHostToDevice));
}

static CUmodule load(const std::vector<char> &image) {
  CUmodule module = nullptr;
  DRIVER_OK(cuModuleLoadData(&module, image.data()));
  return module;
}

static void testLoading(const char *file, const std::vector<char> &image) {
  CUmodule module = nullptr;
  DRIVER_OK(cuModuleLoad(&module, file));
  runScale(module, 5);
  DRIVER_OK(cuModuleUnload(module));
  DRIVER_OK(cuModuleLoadFatBinary(&module, image.data()));
  runScale(module, 5);
  DRIVER_OK(cuModuleUnload(module));
  char info[64] = "old", error[64] = "old";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_MAX_REGISTERS};
  void *values[] = {info, (void *)sizeof info, error, (void *)sizeof error, (void *)32};
  DRIVER_OK(cuModuleLoadDataEx(&module, image.data(), 5, options, values));
  expectTrue("empty logs", !info[0] && !error[0] && !values[1] && !values[3]);
  runScale(module, 5);
  DRIVER_OK(cuModuleUnload(module));
  values[1] = (void *)sizeof info;
  values[3] = (void *)20;
  expectCode("PTX with logs",
             cuModuleLoadDataEx(&module, ".version 8.7\nwrong\n", 5, options, values),
             CUDA_ERROR_INVALID_PTX);
  expectTrue("a cut log", std::string(error) == "ptxas application p" && values[3] == (void *)19);
  options[4] = CUjit_option(1000);
  expectCode("no option", cuModuleLoadDataEx(&module, image.data(), 5, options, values),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no options", cuModuleLoadDataEx(&module, image.data(), 5, nullptr, nullptr),
             CUDA_ERROR_INVALID_VALUE);
}

static void testRefused(const std::vector<char> &image) {
  CUmodule module = nullptr;
  const std::string elf("\x7f"
                        "ELF\2\1\1\0\0\0\0\0\0\0\0\0",
                        16),
      fat("\x50\xed\x55\xba\1\0\x10\0\0\0\0\0\0\0\0\0", 16);
  expectCode("a cubin of NVIDIA's", cuModuleLoadData(&module, elf.data()),
             CUDA_ERROR_NO_BINARY_FOR_GPU);
  expectCode("a fatbinary of NVIDIA's", cuModuleLoadFatBinary(&module, fat.data()),
             CUDA_ERROR_NO_BINARY_FOR_GPU);
  expectCode("PTX", cuModuleLoadData(&module, "//\n.version 8.7\n.target sm_91\n"),
             CUDA_ERROR_INVALID_PTX);
  expectCode("text", cuModuleLoadData(&module, "no device code at all"), CUDA_ERROR_INVALID_IMAGE);
  std::vector<char> damaged = image;
  damaged[40] = char(~damaged[40]);
  expectCode("damaged", cuModuleLoadData(&module, damaged.data()), CUDA_ERROR_INVALID_IMAGE);
  expectCode("no file", cuModuleLoad(&module, "/nonexistent"), CUDA_ERROR_FILE_NOT_FOUND);
  expectCode("no image", cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  expectCode("no place", cuModuleLoadData(nullptr, image.data()), CUDA_ERROR_INVALID_VALUE);
  expectCode("no name of a file", cuModuleLoad(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  expectTrue("no module", module == nullptr);
}

static void testContents(CUmodule module) {
  unsigned count = 0;
  DRIVER_OK(cuModuleGetFunctionCount(&count, module));
  expect("functions", 0, count, 2u);
  CUfunction all[3] = {};
  DRIVER_OK(cuModuleEnumerateFunctions(all, 3, module));
  CUfunction scale = functionOf(module, "scale"), spin = functionOf(module, "spin");
  expectTrue("both", (all[0] == scale && all[1] == spin) || (all[0] == spin && all[1] == scale));
  expectTrue("no third", !all[2]);
  expectCode("no such function", cuModuleGetFunction(&all[2], module, "nothing"),
             CUDA_ERROR_NOT_FOUND);
  expectCode("no place", cuModuleGetFunction(nullptr, module, "scale"), CUDA_ERROR_INVALID_VALUE);
  expectCode("no name", cuModuleGetFunction(&all[2], module, nullptr), CUDA_ERROR_INVALID_VALUE);
  expectCode("no module", cuModuleGetFunction(&all[2], nullptr, "scale"),
             CUDA_ERROR_INVALID_HANDLE);
  expectCode("no place for all", cuModuleEnumerateFunctions(nullptr, 1, module),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no count", cuModuleGetFunctionCount(nullptr, module), CUDA_ERROR_INVALID_VALUE);

  expect("offset", 0, read(globalOf(module, "offset", sizeof(int))), 5);
  globalOf(module, "factors", 4 * sizeof(int));
  const int before = *(int *)globalOf(module, "calls", sizeof(int));
  runScale(module, 5);
  expect("calls", 0, *(int *)globalOf(module, "calls", sizeof(int)), before + 1);
  size_t bytes = 0;
  CUdeviceptr p = 0;
  DRIVER_OK(cuModuleGetGlobal(nullptr, &bytes, module, "factors"));
  DRIVER_OK(cuModuleGetGlobal(&p, nullptr, module, "factors"));
  expectCode("no such variable", cuModuleGetGlobal(&p, &bytes, module, "nothing"),
             CUDA_ERROR_NOT_FOUND);
  expectCode("nothing asked", cuModuleGetGlobal(nullptr, nullptr, module, "offset"),
             CUDA_ERROR_INVALID_VALUE);
  expectCode("no variable's name", cuModuleGetGlobal(&p, &bytes, module, nullptr),
             CUDA_ERROR_INVALID_VALUE);
  CUmoduleLoadingMode mode;
  DRIVER_OK(cuModuleGetLoadingMode(&mode));
  expectTrue("lazy", mode == CU_MODULE_LAZY_LOADING);
  expectCode("no mode", cuModuleGetLoadingMode(nullptr), CUDA_ERROR_INVALID_VALUE);
}

// Two of one image; the unloaded one's handles are refused.
static void testTwo(const std::vector<char> &image) {
  CUmodule first = load(image), second = load(image);
  const CUdeviceptr offset = globalOf(first, "offset", sizeof(int));
  expectTrue("other variables", offset != globalOf(second, "offset", sizeof(int)));
  write(offset, 77);
  runScale(first, 77);
  runScale(second, 5);
  CUfunction gone = functionOf(first, "scale");
  DRIVER_OK(cuModuleUnload(first));
  int value = 0;
  size_t bytes = 0;
  CUdeviceptr p = 0;
  const char *name = nullptr;
  CUmodule module = nullptr;
  expectCode("unloaded", cuModuleUnload(first), CUDA_ERROR_INVALID_HANDLE);
  expectCode("its variable", cuModuleGetGlobal(&p, &bytes, first, "offset"),
             CUDA_ERROR_INVALID_HANDLE);
  expectCode("its functions", cuModuleGetFunction(&gone, first, "scale"),
             CUDA_ERROR_INVALID_HANDLE);
  expectCode("a launch", cuLaunchKernel(gone, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
             CUDA_ERROR_INVALID_HANDLE);
  expectCode("an attribute", cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, gone),
             CUDA_ERROR_INVALID_HANDLE);
  expectCode("a name", cuFuncGetName(&name, gone), CUDA_ERROR_INVALID_HANDLE);
  expectCode("a module", cuFuncGetModule(&module, gone), CUDA_ERROR_INVALID_HANDLE);
  runScale(second, 5);
  DRIVER_OK(cuModuleUnload(second));
  CUmodule third = load(image);
  runScale(third, 5); // not what `first` had
  DRIVER_OK(cuModuleUnload(third));
}

// Unloading waits for the module's kernels.
static void testUnloadWaits(const std::vector<char> &image) {
  CUmodule module = load(image);
  int *go;
  CUDA_OK(cudaMallocManaged(&go, sizeof *go));
  *go = 0;
  void *args[] = {&go};
  DRIVER_OK(
      cuLaunchKernel(functionOf(module, "spin"), 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
  bool isOpen = false;
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    isOpen = true;
    *(volatile int *)go = 1;
  });
  DRIVER_OK(cuModuleUnload(module));
  expectTrue("it has waited", isOpen);
  opener.join();
  CUDA_OK(cudaFree(go));
}

// A module lives in its context, and ends with it.
static void testContexts(const std::vector<char> &image, CUmodule primarys) {
  CUcontext primary = nullptr;
  DRIVER_OK(cuCtxGetCurrent(&primary));
  CUfunction other = functionOf(primarys, "scale");
  CUcontext made = makeContext();
  CUmodule module = load(image);
  const CUdeviceptr offset = globalOf(module, "offset", sizeof(int));
  write(offset, 21);
  runScale(module, 21);
  CUdeviceptr p = 0;
  int n = 0;
  void *args[] = {&p, &n};
  expectCode("another context's function",
             cuLaunchKernel(other, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr),
             CUDA_ERROR_INVALID_HANDLE);
  DRIVER_OK(cuModuleGetGlobal(&p, nullptr, primarys, "offset")); // in its own context
  CUfunction function = functionOf(module, "scale");
  DRIVER_OK(cuCtxSetCurrent(primary));
  runScale(primarys, 5);
  expectCode("the other way", cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr),
             CUDA_ERROR_INVALID_HANDLE);
  DRIVER_OK(cuCtxDestroy(made));
  expectCode("ended with its context", cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  expectCode("and its function", cuFuncLoad(function), CUDA_ERROR_INVALID_HANDLE);
  runScale(primarys, 5);
}

// The program's own kernels and variables by the driver API, and a module's function by the runtime's.
static void testMixed(CUmodule module) {
  CUfunction function = nullptr;
  CUDA_OK(cudaGetFuncBySymbol(&function, (const void *)own));
  Buffer<int> p(numbers());
  int n = N;
  void *args[] = {&p.data, &n};
  DRIVER_OK(cuLaunchKernel(function, 3, 1, 1, 128, 1, 1, 0, nullptr, args, nullptr));
  own<<<3, 128>>>(p, n);
  CUfunction scale = functionOf(module, "scale");
  CUDA_OK(cudaLaunchKernel((const void *)scale, dim3(3), dim3(128), args, 0, nullptr));
  std::vector<int> found(N), values = numbers();
  CUDA_OK(cudaMemcpy(found.data(), p, N * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; ++i)
    expect("mixed", i, found[size_t(i)], (values[size_t(i)] + 22) * (i % 4 + 1) + 5);

  CUmodule ofProgram = nullptr, again = nullptr;
  DRIVER_OK(cuFuncGetModule(&ofProgram, function));
  DRIVER_OK(cuFuncGetModule(&again, functionOf(module, "scale")));
  expectTrue("a function's module", again == module && ofProgram && ofProgram != module);
  const char *name = nullptr;
  DRIVER_OK(cuFuncGetName(&name, function));
  expectTrue("the same function", functionOf(ofProgram, name) == function);
  void *address = nullptr;
  CUDA_OK(cudaGetSymbolAddress(&address, ownOffset));
  expectTrue("the same variable",
             globalOf(ofProgram, "ownOffset", sizeof(int)) == (CUdeviceptr)address);
  expectCode("the program's stays", cuModuleUnload(ofProgram), CUDA_ERROR_NOT_PERMITTED);
}

int main(int, char **argv) {
  const std::vector<char> image = bytesOf(argv[1]);
  CUmodule module = nullptr;
  expectCode("before cuInit", cuModuleLoadData(&module, image.data()), CUDA_ERROR_NOT_INITIALIZED);
  DRIVER_OK(cuInit(0));
  expectCode("without a context", cuModuleLoadData(&module, image.data()),
             CUDA_ERROR_INVALID_CONTEXT);
  CUcontext primary = nullptr;
  DRIVER_OK(cuDevicePrimaryCtxRetain(&primary, 0));
  DRIVER_OK(cuCtxSetCurrent(primary));
  testLoading(argv[1], image);
  testRefused(image);
  module = load(image);
  testContents(module);
  testTwo(image);
  testUnloadWaits(image);
  testContexts(image, module);
  testMixed(module);
  CUDA_OK(cudaDeviceReset());
  CUDA_OK(cudaFree(nullptr)); // the context is there again, without the module
  expectCode("ended with the reset", cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  DRIVER_OK(cuDevicePrimaryCtxRelease(0));
  return finish();
}

#endif
