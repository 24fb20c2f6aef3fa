// RUN: %nvcc -O1 -I%S/Inputs %s -lnvrtc -lcuda -o %t
// RUN: %t -I%build/lib/heddle/include
// RUN: %t -I/nonexistent/include/cccl
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system's libcu++ in programs of NVRTC that look for headers in the toolkit's folder, or in that of CUDA 13; those that
// look nowhere do not find it.
#include "rtc.h"

static const char *Source = R"(
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <nv/target>

template <typename T> __device__ T halved(T value) {
  if constexpr (cuda::std::is_floating_point_v<T>)
    return value * T(0.5);
  else
    return value / 2;
}
constexpr cuda::std::array<int, 4> odd = {1, 3, 5, 7};
__device__ cuda::atomic<int, cuda::thread_scope_device> sum;

extern "C" __global__ void kernel(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  __shared__ int seen;
  if (threadIdx.x == 0) {
    init(&all, blockDim.x);
    seen = 0;
  }
  __syncthreads();
  atomicAdd(&seen, 1);
  sum.fetch_add(2, cuda::std::memory_order_relaxed);
  all.arrive_and_wait();
  cuda::std::complex<float> i(0, 1), squared = i * i;
  cuda::std::tuple<int, float> pair(seen, halved(8.0f));
  int device = 0;
  NV_IF_TARGET(NV_IS_DEVICE, (device = 1000;))
  out[threadIdx.x] = odd[threadIdx.x % 4] + int(squared.real()) + cuda::std::get<0>(pair) + int(cuda::std::get<1>(pair)) +
                     halved(sum.load()) + device + (cuda::std::numeric_limits<int>::max() == 0x7fffffff) +
                     int(cuda::std::sqrt(16.0f));
}
)";

int main(int, char **words) {
  useDevice();
  Rtc rtc(Source);
  rtc.compile({words[1], "-arch=sm_90", "-std=c++17"});
  if (rtc.result != NVRTC_SUCCESS)
    std::puts(rtc.log().c_str());
  CHECK(rtc.result == NVRTC_SUCCESS && rtc.log() == "");
  std::vector<int> values = run(load(rtc.ptx()), "kernel");
  for (int i = 0; i < 32; ++i)
    CHECK(values[i] == 1 + 2 * (i % 4) - 1 + 32 + 4 + 32 + 1000 + 1 + 4);
  CHECK(rtc.compile().result == NVRTC_ERROR_COMPILATION);
  CHECK(rtc.log().find("open source file \"cuda/std/") != std::string::npos);
}
