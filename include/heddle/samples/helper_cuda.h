// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of calls, and the choice of a device, of the samples' headers (helper_string.h).
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>
#include <helper_string.h>

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#define DEVICE_RESET cudaDeviceReset();

inline int ftoi(float value) { return value >= 0 ? int(value + 0.5f) : int(value - 0.5f); }

/// The name of a code: of the runtime's by its table, of a library's by its number.
inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
template <class T> inline const char *_cudaGetErrorEnum(T) { return "a library's status"; }

template <class T> inline void check(T result, char const *const call, const char *const file, int const line) {
  if (!result)
    return;
  fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, static_cast<int>(result),
          _cudaGetErrorEnum(result), call);
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)

inline void __getLastCudaError(const char *message, const char *file, const int line) {
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message,
          static_cast<int>(error), cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
#define getLastCudaError(msg) __getLastCudaError(msg, __FILE__, __LINE__)

inline void __printLastCudaError(const char *message, const char *file, const int line) {
  if (cudaError_t error = cudaGetLastError())
    fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message,
            static_cast<int>(error), cudaGetErrorString(error));
}
#define printLastCudaError(msg) __printLastCudaError(msg, __FILE__, __LINE__)

/// Cores of a multiprocessor (CUDA guide, "Compute Capabilities": results of single precision a clock).
inline int _ConvertSMVer2Cores(int major, int minor) {
  switch (major * 10 + minor) {
  case 20:
    return 32;
  case 21:
    return 48;
  case 30: case 32: case 35: case 37:
    return 192;
  case 60: case 70: case 72: case 75: case 80:
    return 64;
  default:
    return major < 2 ? 8 : 128;
  }
}

inline const char *_ConvertSMVer2ArchName(int major, int minor) {
  switch (major) {
  case 1:
    return "Tesla";
  case 2:
    return "Fermi";
  case 3:
    return "Kepler";
  case 5:
    return "Maxwell";
  case 6:
    return "Pascal";
  case 7:
    return minor == 5 ? "Turing" : minor == 2 ? "Xavier" : "Volta";
  case 8:
    return minor == 9 ? "Ada" : "Ampere";
  case 9:
    return "Hopper";
  default:
    return "Blackwell";
  }
}

inline int gpuDeviceInit(int device) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (count == 0) {
    fprintf(stderr, "gpuDeviceInit() CUDA error: no devices supporting CUDA.\n");
    exit(EXIT_FAILURE);
  }
  if (device < 0)
    device = 0;
  if (device >= count) {
    fprintf(stderr, "gpuDeviceInit(): -device=%d is not a valid GPU device; %d there.\n", device, count);
    return -device;
  }
  int major = 0, minor = 0;
  checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  checkCudaErrors(cudaSetDevice(device));
  printf("gpuDeviceInit() CUDA Device [%d]: \"%s\"\n", device, _ConvertSMVer2ArchName(major, minor));
  return device;
}

/// The device with the most multiprocessors times cores times clock.
inline int gpuGetMaxGflopsDeviceId() {
  int count = 0, best = 0;
  uint64_t most = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    int major = 0, minor = 0, processors = 0, clock = 0;
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    checkCudaErrors(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
    uint64_t rate = uint64_t(processors) * uint64_t(_ConvertSMVer2Cores(major, minor)) * uint64_t(clock);
    if (rate > most) {
      most = rate;
      best = device;
    }
  }
  return best;
}

/// What -device=n asks for, otherwise the fastest.
inline int findCudaDevice(int argc, const char **argv) {
  if (checkCmdLineFlag(argc, argv, "device")) {
    int device = gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device"));
    if (device < 0)
      exit(EXIT_FAILURE);
    return device;
  }
  int device = gpuGetMaxGflopsDeviceId();
  cudaDeviceProp properties;
  checkCudaErrors(cudaSetDevice(device));
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device,
         _ConvertSMVer2ArchName(properties.major, properties.minor), properties.major, properties.minor);
  return device;
}

inline int findIntegratedGPU() {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    int integrated = 0;
    checkCudaErrors(cudaDeviceGetAttribute(&integrated, cudaDevAttrIntegrated, device));
    if (integrated) {
      checkCudaErrors(cudaSetDevice(device));
      return device;
    }
  }
  fprintf(stderr, "CUDA error: No GPU with integrated memory.\n");
  exit(EXIT_FAILURE);
}

inline bool checkCudaCapabilities(int major, int minor) {
  int device = 0;
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDevice(&device));
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  if (properties.major > major || (properties.major == major && properties.minor >= minor))
    return true;
  printf("  No GPU device was found that can support CUDA compute capability %d.%d.\n", major, minor);
  return false;
}
