// RUN: rm -rf %t && mkdir -p %t/own && cd %t
// RUN: %nvcc -std=c++11 -DOLD %s -o old -lcufft && ./old -n=7 --file=x.txt -noprompt | FileCheck %s --check-prefix=OLD
// RUN: %nvcc %s -o new -lcublas && ./new -n=7 --file=x.txt -device=0 | FileCheck %s --check-prefix=NEW
// RUN: %nvcc -DFAILS %s -o fails -lcublas && not ./fails 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: %nvcc -x c++ -DPLAIN %s -o plain -lcudart && ./plain
// RUN: echo '#error "my own"' > own/helper_cuda.h && not %nvcc -Iown -c %s 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: cp own/helper_cuda.h . && echo '#include "helper_cuda.h"' > beside.cu && not %nvcc -c beside.cu 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: error: "my own"
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The headers of NVIDIA's samples and of the old SDK, which programs include without bringing them.
#include <cstdio>
#include <cstdlib>
#include <cstring>

int wrong = 0;
void expect(const char *what, bool isRight) {
  if (!isRight)
    printf("wrong: %s\n", what), ++wrong;
}

#ifdef OLD
#include <cufft.h>
#include <cutil.h>
#include <cutil_inline.h>
#include <cutil_math.h>
#include <multithreading.h>

__global__ void triple(float3 *p) { p[threadIdx.x] *= 3.0f; }
static CUT_THREADPROC add(void *value) {
  ++*static_cast<int *>(value);
  CUT_THREADEND;
}

int main(int argc, char **argv) {
  CUT_DEVICE_INIT(argc, argv);
  float3 h[32], *d;
  for (int i = 0; i < 32; i++)
    h[i] = make_float3(float(i), 1, 2);
  unsigned int timer = 0;
  CUT_SAFE_CALL(cutCreateTimer(&timer));
  CUT_SAFE_CALL(cutStartTimer(timer));
  CUDA_SAFE_CALL(cudaMalloc((void **)&d, sizeof h));
  cutilSafeCall(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
  triple<<<1, 32>>>(d);
  CUT_CHECK_ERROR("triple failed");
  cutilCheckMsg("triple failed");
  cutilSafeThreadSync();
  CUDA_SAFE_CALL(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  CUT_SAFE_CALL(cutStopTimer(timer));
  expect("timer", cutGetTimerValue(timer) > 0 && cutGetAverageTimerValue(timer) > 0);
  CUT_SAFE_CALL(cutDeleteTimer(timer));
  expect("deleted", cutStartTimer(timer) == CUTFalse);
  int n = 0;
  char *file = nullptr;
  const char **words = (const char **)argv;
  expect("n", cutGetCmdLineArgumenti(argc, words, "n", &n) == CUTTrue && n == 7);
  expect("file", cutGetCmdLineArgumentstr(argc, words, "file", &file) && !strcmp(file, "x.txt"));
  free(file);
  expect("flags", cutCheckCmdLineFlag(argc, words, "noprompt") && !cutCheckCmdLineFlag(argc, words, "fil"));
  float numbers[3] = {1, 2.5f, 3}, *read = nullptr;
  unsigned int count = 0;
  expect("numbers", cutComparefe(numbers, numbers, 3, 0) && cutCompareL2fe(numbers, numbers, 3, 1e-6f));
  FILE *text = fopen("numbers.txt", "w");
  fputs("1 2.5\n3\n", text);
  fclose(text);
  char *path = cutFindFilePath("numbers.txt", argv[0]);
  expect("read", cutReadFilef(path, &read, &count) && count == 3 && cutComparef(numbers, read, 3));
  cutFree(path);
  cufftHandle plan;
  CUFFT_SAFE_CALL(cufftPlan1d(&plan, 8, CUFFT_C2C, 1));
  cufftDestroy(plan);
  CUTThread thread = cutStartThread(add, &n);
  cutEndThread(thread);
  expect("device", cutGetMaxGflopsDeviceId() == 0 && cutilChooseCudaDevice(argc, argv) == 0);
  // OLD: ok 30 3 6 8
  if (!wrong)
    printf("ok %g %g %g %d\n", h[10].x, h[10].y, h[10].z, n);
  CUT_EXIT(argc, argv);
}
#else
#include <cublas_v2.h>
#include <drvapi_error_string.h>
#include <exception.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <helper_math.h>

#ifndef PLAIN
__global__ void vectors(float4 *p) {
  float4 v = make_float4(make_float3(3.0f, 0.0f, 4.0f), 0.0f);
  int2 i = make_int2(3) + make_int2(1, 2) * 2;
  p[0] = normalize(v) * 5.0f + 1.0f;
  p[1] = make_float4(clamp(5.0f, 0.0f, 1.0f), dot(v, v), float(i.x), float(i.y));
  p[2] = make_float4(cross(make_float3(1, 0, 0), make_float3(0, 1, 0)), length(make_float2(3, 4)));
  p[3] = lerp(v, -v, 0.25f);
  p[4] = fmaxf(make_float4(1.0f), v);
}
void checkVectors() {
  float4 *p;
  checkCudaErrors(cudaMallocManaged(&p, 5 * sizeof *p));
  vectors<<<1, 1>>>(p);
  getLastCudaError("vectors");
  checkCudaErrors(cudaDeviceSynchronize());
  expect("normalize", fabsf(p[0].x - 4) < 1e-5f && fabsf(p[0].z - 5) < 1e-5f && p[0].y == 1);
  expect("clamp, dot, int2", p[1].x == 1 && p[1].y == 25 && p[1].z == 5 && p[1].w == 7);
  expect("cross, length", p[2].x == 0 && p[2].z == 1 && p[2].w == 5);
  expect("lerp, fmaxf", p[3].x == 1.5f && p[3].z == 2 && p[4].x == 3 && p[4].y == 1);
}
#else
void checkVectors() {}
#endif

void checkImages() {
  unsigned char image[2 * 3 * 4], *read = nullptr;
  for (int i = 0; i < 24; ++i)
    image[i] = (unsigned char)(i % 4 == 3 ? 0 : i * 10);
  unsigned int w = 0, h = 0;
  expect("save", sdkSavePPM4ub("image.ppm", image, 2, 3));
  expect("load", sdkLoadPPM4ub("image.ppm", &read, &w, &h) && w == 2 && h == 3 && !memcmp(read, image, 24));
  expect("compare", sdkComparePPM("image.ppm", "image.ppm", 0, 0, true));
  float grey[4] = {0, 0.25f, 0.5f, 1}, *again = nullptr;
  expect("grey", sdkSavePGM("grey.pgm", grey, 2, 2) && sdkLoadPGM("grey.pgm", &again, &w, &h));
  expect("greys", compareData(grey, again, 4, 0.01f, 0.0f) && !compareData(grey, again, 4, 0.0001f, 0.0f));
  free(read);
  free(again);
  unsigned int count = 0;
  float *none = nullptr;
  expect("no file", !sdkReadFile("none.txt", &none, &count, false) && !sdkFindFilePath("none.txt", "x"));
}

int main(int argc, char **argv) {
  const char **words = (const char **)argv;
#ifdef FAILS
  // FAILS: CUDA error at {{.*}}sample_headers.cu:[[@LINE+1]] code=1(cudaErrorInvalidValue) "cudaMalloc(nullptr, 1)"
  checkCudaErrors(cudaMalloc(nullptr, 1));
#endif
  // NEW: {{Device|gpuDeviceInit}}
  int device = findCudaDevice(argc, words);
  StopWatchInterface *timer = nullptr;
  sdkCreateTimer(&timer);
  sdkStartTimer(&timer);
  checkVectors();
  checkImages();
  sdkStopTimer(&timer);
  expect("timer", sdkGetTimerValue(&timer) > 0 && sdkGetAverageTimerValue(&timer) > 0);
  sdkResetTimer(&timer);
  expect("reset", sdkGetTimerValue(&timer) == 0);
  sdkDeleteTimer(&timer);
  expect("deleted", timer == nullptr);
  char *file = nullptr;
#ifndef PLAIN
  expect("arguments", getCmdLineArgumentInt(argc, words, "n") == 7 && getCmdLineArgumentFloat(argc, words, "n") == 7);
  expect("text", getCmdLineArgumentString(argc, words, "file", &file) && !strcmp(file, "x.txt"));
#endif
  expect("no flag", !checkCmdLineFlag(argc, words, "other") && !getCmdLineArgumentString(argc, words, "other", &file));
  cublasHandle_t handle;
#ifndef PLAIN
  checkCudaErrors(cublasCreate(&handle));
  checkCudaErrors(cublasDestroy(handle));
#else
  (void)handle;
#endif
  expect("device", device == 0 && checkCudaCapabilities(2, 0) && _ConvertSMVer2Cores(3, 5) == 192);
  expect("driver's error", !strcmp(getCudaDrvErrorString(CUDA_ERROR_INVALID_VALUE), "cudaErrorInvalidValue"));
  try {
    RUNTIME_EXCEPTION("what");
  } catch (const std::runtime_error &error) {
    expect("exception", strstr(error.what(), "what") != nullptr);
  }
  // NEW: ok
  puts(wrong ? "wrong" : "ok");
  return wrong != 0;
}
#endif
