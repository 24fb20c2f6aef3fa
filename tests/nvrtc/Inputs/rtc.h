// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(condition)                                                                                               \
  do                                                                                                                   \
    if (!(condition)) {                                                                                                \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                      \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  while (0)

/// A program, its result and its log.
struct Rtc {
  nvrtcProgram program = nullptr;
  nvrtcResult result = NVRTC_SUCCESS;

  explicit Rtc(const char *source, const char *name = nullptr, std::vector<const char *> headers = {},
               std::vector<const char *> names = {}) {
    CHECK(nvrtcCreateProgram(&program, source, name, int(headers.size()), headers.data(), names.data()) ==
          NVRTC_SUCCESS);
  }
  ~Rtc() { CHECK(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS && !program); }
  Rtc(const Rtc &) = delete;

  Rtc &compile(std::vector<const char *> options = {}) {
    result = nvrtcCompileProgram(program, int(options.size()), options.data());
    return *this;
  }
  std::string log() const {
    size_t size = 0;
    CHECK(nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS && size > 0);
    std::string text(size, 'x');
    CHECK(nvrtcGetProgramLog(program, text.data()) == NVRTC_SUCCESS && text.back() == '\0');
    text.pop_back();
    return text;
  }
  std::string ptx() const {
    size_t size = 0;
    CHECK(nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS && size > 0);
    std::string text(size, 'x');
    CHECK(nvrtcGetPTX(program, text.data()) == NVRTC_SUCCESS && text.back() == '\0');
    text.pop_back();
    return text;
  }
  std::string cubin() const {
    size_t size = 99;
    CHECK(nvrtcGetCUBINSize(program, &size) == NVRTC_SUCCESS);
    std::string bytes(size, 'x');
    CHECK(nvrtcGetCUBIN(program, bytes.data()) == NVRTC_SUCCESS);
    return bytes;
  }
  std::string ltoIr() const {
    size_t size = 99;
    CHECK(nvrtcGetLTOIRSize(program, &size) == NVRTC_SUCCESS);
    std::string bytes(size, 'x');
    CHECK(nvrtcGetLTOIR(program, bytes.data()) == NVRTC_SUCCESS);
    return bytes;
  }
  const char *name(const char *expression) const {
    const char *lowered = nullptr;
    return nvrtcGetLoweredName(program, expression, &lowered) == NVRTC_SUCCESS ? lowered : nullptr;
  }
};

inline void useDevice() {
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
  CHECK(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS && cuCtxSetCurrent(context) == CUDA_SUCCESS);
}

inline CUmodule load(const std::string &code) {
  CUmodule module;
  CHECK(cuModuleLoadData(&module, code.c_str()) == CUDA_SUCCESS);
  return module;
}

/// What a kernel of one block of 32 threads writes to an array of integers, which is given to it.
inline std::vector<int> run(CUmodule module, const char *kernel) {
  CUfunction function;
  CUdeviceptr out;
  std::vector<int> values(32);
  CHECK(cuModuleGetFunction(&function, module, kernel) == CUDA_SUCCESS);
  CHECK(cuMemAlloc(&out, values.size() * sizeof(int)) == CUDA_SUCCESS);
  void *arguments[] = {&out};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoH(values.data(), out, values.size() * sizeof(int)) == CUDA_SUCCESS);
  CHECK(cuMemFree(out) == CUDA_SUCCESS);
  return values;
}
