// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUTIL of the SDKs before CUDA 5, which old courses and books use (helper_string.h says whose this is). What a check
// finds wrong ends the program.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <unistd.h>

#include <cuda_runtime.h>
#include <helper_image.h>
#include <helper_string.h>
#include <helper_timer.h>

enum CUTBoolean { CUTFalse = 0, CUTTrue = 1 };

// --- Checks ---

inline void heddleCutFail(const char *what, const char *detail, const char *file, int line) {
  fprintf(stderr, "%s in file '%s' in line %i : %s.\n", what, file, line, detail);
  exit(EXIT_FAILURE);
}
inline void heddleCutCheck(cudaError_t error, const char *what, const char *file, int line) {
  if (error != cudaSuccess)
    heddleCutFail(what, cudaGetErrorString(error), file, line);
}
inline CUTBoolean cutCheckCondition(int value, const char *file, const int line) {
  if (!value)
    heddleCutFail("Condition failed", "expected a true value", file, line);
  return CUTTrue;
}

#define CUDA_SAFE_CALL_NO_SYNC(call) heddleCutCheck((call), "Cuda error", __FILE__, __LINE__)
#define CUDA_SAFE_CALL(call) CUDA_SAFE_CALL_NO_SYNC(call)
#define CU_SAFE_CALL_NO_SYNC(call) heddleCutCheck(cudaError_t(call), "Cuda driver error", __FILE__, __LINE__)
#define CU_SAFE_CALL(call) CU_SAFE_CALL_NO_SYNC(call)
#define CUFFT_SAFE_CALL(call)                                                                                          \
  do {                                                                                                                 \
    if ((call) != CUFFT_SUCCESS)                                                                                       \
      heddleCutFail("CUFFT error", #call, __FILE__, __LINE__);                                                         \
  } while (0)
#define CUT_SAFE_CALL(call)                                                                                            \
  do {                                                                                                                 \
    if (CUTTrue != (call))                                                                                             \
      heddleCutFail("Cut error", #call, __FILE__, __LINE__);                                                           \
  } while (0)
#define CUT_SAFE_MALLOC(mallocCall)                                                                                    \
  do {                                                                                                                 \
    if (!(mallocCall))                                                                                                 \
      heddleCutFail("Host malloc failure", #mallocCall, __FILE__, __LINE__);                                           \
  } while (0)
#define CUT_CHECK_ERROR(errorMessage)                                                                                  \
  do {                                                                                                                 \
    heddleCutCheck(cudaGetLastError(), errorMessage, __FILE__, __LINE__);                                              \
    heddleCutCheck(cudaDeviceSynchronize(), errorMessage, __FILE__, __LINE__);                                         \
  } while (0)
#define CUT_CONDITION(val) cutCheckCondition((val), __FILE__, __LINE__)
#define CUT_BANK_CHECKER(array, index) array[index]
#define CUT_THREADPROC void *
#define CUT_THREADEND return NULL

// --- The command line ---

inline CUTBoolean cutCheckCmdLineFlag(const int argc, const char **argv, const char *name) {
  return CUTBoolean(checkCmdLineFlag(argc, argv, name));
}
inline CUTBoolean cutGetCmdLineArgumenti(const int argc, const char **argv, const char *name, int *value) {
  const char *text = heddleFindArgument(argc, argv, name);
  if (text && *text)
    *value = atoi(text);
  return CUTBoolean(text && *text);
}
inline CUTBoolean cutGetCmdLineArgumentf(const int argc, const char **argv, const char *name, float *value) {
  const char *text = heddleFindArgument(argc, argv, name);
  if (text && *text)
    *value = float(atof(text));
  return CUTBoolean(text && *text);
}
inline CUTBoolean cutGetCmdLineArgumentstr(const int argc, const char **argv, const char *name, char **value) {
  const char *text = heddleFindArgument(argc, argv, name);
  if (text && *text)
    *value = strdup(text);
  return CUTBoolean(text && *text);
}

inline char *cutFindFilePath(const char *file, const char *program) { return sdkFindFilePath(file, program); }
inline void cutFree(void *memory) { free(memory); }

// --- The device ---

/// The one of -device=n, else the first.
inline void heddleCutInit(int argc, char **argv) {
  int count = 0, device = 0;
  heddleCutCheck(cudaGetDeviceCount(&count), "Cuda error", __FILE__, __LINE__);
  cutGetCmdLineArgumenti(argc, const_cast<const char **>(argv), "device", &device);
  device = device < 0 ? 0 : device < count ? device : count - 1;
  cudaDeviceProp properties;
  heddleCutCheck(cudaGetDeviceProperties(&properties, device), "Cuda error", __FILE__, __LINE__);
  if (!checkCmdLineFlag(argc, const_cast<const char **>(argv), "quiet"))
    fprintf(stderr, "Using device %d: %s\n", device, properties.name);
  heddleCutCheck(cudaSetDevice(device), "Cuda error", __FILE__, __LINE__);
}
#define CUT_DEVICE_INIT(argc, argv) heddleCutInit(argc, (char **)(argv))

/// Waits for Enter unless -noprompt is given or nobody is there.
inline void heddleCutExit(int argc, char **argv) {
  if (!checkCmdLineFlag(argc, const_cast<const char **>(argv), "noprompt") && isatty(0)) {
    printf("\nPress ENTER to exit...\n");
    fflush(stdout);
    getchar();
  }
  exit(EXIT_SUCCESS);
}
#define CUT_EXIT(argc, argv) heddleCutExit(argc, (char **)(argv))

// --- Timers: numbers from 1 ---

inline std::vector<StopWatchInterface *> &heddleCutTimers() {
  static std::vector<StopWatchInterface *> timers(1);
  return timers;
}
inline StopWatchInterface *heddleCutTimer(unsigned int name) {
  return name < heddleCutTimers().size() ? heddleCutTimers()[name] : NULL;
}
inline CUTBoolean cutCreateTimer(unsigned int *name) {
  *name = static_cast<unsigned int>(heddleCutTimers().size());
  heddleCutTimers().push_back(new StopWatchLinux);
  return CUTTrue;
}
inline CUTBoolean cutDeleteTimer(unsigned int name) {
  if (!heddleCutTimer(name))
    return CUTFalse;
  delete heddleCutTimers()[name];
  heddleCutTimers()[name] = NULL;
  return CUTTrue;
}
inline CUTBoolean cutStartTimer(const unsigned int name) {
  if (StopWatchInterface *timer = heddleCutTimer(name))
    return timer->start(), CUTTrue;
  return CUTFalse;
}
inline CUTBoolean cutStopTimer(const unsigned int name) {
  if (StopWatchInterface *timer = heddleCutTimer(name))
    return timer->stop(), CUTTrue;
  return CUTFalse;
}
inline CUTBoolean cutResetTimer(const unsigned int name) {
  if (StopWatchInterface *timer = heddleCutTimer(name))
    return timer->reset(), CUTTrue;
  return CUTFalse;
}
inline float cutGetTimerValue(const unsigned int name) {
  StopWatchInterface *timer = heddleCutTimer(name);
  return timer ? timer->getTime() : 0;
}
inline float cutGetAverageTimerValue(const unsigned int name) {
  StopWatchInterface *timer = heddleCutTimer(name);
  return timer ? timer->getAverageTime() : 0;
}

// --- Files and comparisons, by the letters of their types ---

#define HEDDLE_CUT_TYPE(letters, type)                                                                                 \
  inline CUTBoolean cutReadFile##letters(const char *file, type **data, unsigned int *len, bool verbose = false) {     \
    return CUTBoolean(sdkReadFile(file, data, len, verbose));                                                          \
  }                                                                                                                    \
  inline CUTBoolean cutWriteFile##letters(const char *file, const type *data, unsigned int len, const type epsilon,    \
                                          bool verbose = false) {                                                      \
    return CUTBoolean(sdkWriteFile(file, data, len, epsilon, verbose));                                                \
  }                                                                                                                    \
  inline CUTBoolean cutCompare##letters(const type *reference, const type *data, const unsigned int len) {             \
    return CUTBoolean(compareData(reference, data, len, 0.0f, 0.0f));                                                  \
  }
HEDDLE_CUT_TYPE(f, float)
HEDDLE_CUT_TYPE(d, double)
HEDDLE_CUT_TYPE(i, int)
HEDDLE_CUT_TYPE(ui, unsigned int)
HEDDLE_CUT_TYPE(b, char)
HEDDLE_CUT_TYPE(ub, unsigned char)
#undef HEDDLE_CUT_TYPE

inline CUTBoolean cutComparefe(const float *reference, const float *data, const unsigned int len, const float epsilon) {
  return CUTBoolean(compareData(reference, data, len, epsilon, 0.0f));
}
inline CUTBoolean cutComparefet(const float *reference, const float *data, const unsigned int len, const float epsilon,
                                const float threshold) {
  return CUTBoolean(compareData(reference, data, len, epsilon, threshold));
}
inline CUTBoolean cutCompareube(const unsigned char *reference, const unsigned char *data, const unsigned int len,
                                const float epsilon) {
  return CUTBoolean(compareData(reference, data, len, epsilon, 0.0f));
}
inline CUTBoolean cutCompareL2fe(const float *reference, const float *data, const unsigned int len,
                                 const float epsilon) {
  return CUTBoolean(sdkCompareL2fe(reference, data, len, epsilon));
}
inline CUTBoolean cutComparePPM(const char *file, const char *reference, const float epsilon, const float threshold,
                                bool verbose = false) {
  return CUTBoolean(sdkComparePPM(file, reference, epsilon, threshold, verbose));
}

#define HEDDLE_CUT_IMAGE(letters, type, load, save)                                                                    \
  inline CUTBoolean cutLoad##letters(const char *file, type **data, unsigned int *w, unsigned int *h) {                \
    return CUTBoolean(load(file, data, w, h));                                                                         \
  }                                                                                                                    \
  inline CUTBoolean cutSave##letters(const char *file, type *data, unsigned int w, unsigned int h) {                   \
    return CUTBoolean(save(file, data, w, h));                                                                         \
  }
HEDDLE_CUT_IMAGE(PGMub, unsigned char, sdkLoadPGM, sdkSavePGM)
HEDDLE_CUT_IMAGE(PGMs, unsigned short, sdkLoadPGM, sdkSavePGM)
HEDDLE_CUT_IMAGE(PGMi, int, sdkLoadPGM, sdkSavePGM)
HEDDLE_CUT_IMAGE(PGMf, float, sdkLoadPGM, sdkSavePGM)
HEDDLE_CUT_IMAGE(PPMub, unsigned char, sdkLoadPPMub, sdkSavePPMub)
HEDDLE_CUT_IMAGE(PPM4ub, unsigned char, sdkLoadPPM4ub, sdkSavePPM4ub)
#undef HEDDLE_CUT_IMAGE
