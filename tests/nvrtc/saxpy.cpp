// RUN: %nvcc -O1 -I%S/Inputs %s -lnvrtc -lcuda -o %t
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first example of the guide of NVRTC: a kernel from text, by its PTX and by its cubin, over the driver API.
#include "rtc.h"

static const char *Saxpy = R"(
extern "C" __global__ void saxpy(float a, float *x, float *y, float *out, size_t n) {
  size_t tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < n)
    out[tid] = a * x[tid] + y[tid];
})";

static void check(CUmodule module) {
  const size_t n = 32 * 128;
  CUfunction kernel;
  CHECK(cuModuleGetFunction(&kernel, module, "saxpy") == CUDA_SUCCESS);
  std::vector<float> x(n), y(n), out(n);
  for (size_t i = 0; i < n; i++)
    x[i] = float(i), y[i] = float(i * 2);
  CUdeviceptr dx, dy, dout;
  for (CUdeviceptr *p : {&dx, &dy, &dout})
    CHECK(cuMemAlloc(p, n * sizeof(float)) == CUDA_SUCCESS);
  CHECK(cuMemcpyHtoD(dx, x.data(), n * sizeof(float)) == CUDA_SUCCESS);
  CHECK(cuMemcpyHtoD(dy, y.data(), n * sizeof(float)) == CUDA_SUCCESS);
  float a = 5.1f;
  size_t count = n;
  void *arguments[] = {&a, &dx, &dy, &dout, &count};
  CHECK(cuLaunchKernel(kernel, 32, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoH(out.data(), dout, n * sizeof(float)) == CUDA_SUCCESS);
  for (size_t i = 0; i < n; i++)
    CHECK(out[i] - (a * x[i] + y[i]) < 1e-2f && (a * x[i] + y[i]) - out[i] < 1e-2f);
  for (CUdeviceptr p : {dx, dy, dout})
    CHECK(cuMemFree(p) == CUDA_SUCCESS);
  CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
}

int main() {
  useDevice();
  Rtc rtc(Saxpy, "saxpy.cu");
  CHECK(rtc.compile({"--gpu-architecture=sm_90", "--fmad=false"}).result == NVRTC_SUCCESS);
  CHECK(rtc.log() == "");
  CHECK(rtc.ptx().find(".target sm_90\n") != std::string::npos);
  CHECK(rtc.ptx().find(".version 8.7\n") != std::string::npos);
  CHECK(rtc.ltoIr().empty());
  check(load(rtc.ptx()));
  check(load(rtc.cubin()));
  // A virtual architecture has no machine code; without an architecture it is the oldest.
  CHECK(rtc.compile({"-arch=compute_80"}).result == NVRTC_SUCCESS);
  CHECK(rtc.cubin().empty() && rtc.ptx().find(".target sm_80\n") != std::string::npos);
  check(load(rtc.ptx()));
  CHECK(rtc.compile().result == NVRTC_SUCCESS);
  CHECK(rtc.cubin().empty() && rtc.ptx().find(".target sm_52\n") != std::string::npos);
}
