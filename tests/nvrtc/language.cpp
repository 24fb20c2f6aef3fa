// RUN: %nvcc -O1 -I%S/Inputs %s -lnvrtc -lcuda -o %t
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program has without a header, headers from memory and from the toolkit, and what it does not have: the host's
// headers and names, so that it may define them itself.
#include "rtc.h"

static const char *Builtin = R"(
struct Pair { int a, b; };
__device__ int sum(std::initializer_list<int> list) { int s = 0; for (int i : list) s += i; return s; }
__shared__ int shared[32];
extern "C" __global__ void kernel(int *out) {
  int t = threadIdx.x, lane = t % warpSize;
  shared[t] = t;
  __syncthreads();
  atomicAdd(&shared[0], 1);
  __syncthreads();
  assert(blockDim.x == 32 && gridDim.x == 1);
  int value = __shfl_sync(0xffffffff, shared[t], (lane + 1) % 32);
  float root = sqrtf(float(t * t)) + fmaxf(sinf(0.0f), 0.0f) + powf(2.0f, 0.0f) - 1.0f;
  size_t size = sizeof(size_t);
  ptrdiff_t difference = out - out;
  clock_t start = clock();
  alignas(Pair) char place[sizeof(Pair)];
  Pair *pair = new (place) Pair{1, 2};
  int *heap = new int(std::move(t));
  dim3 shape(1, 2);
  float4 four = make_float4(1, 2, 3, 4);
  if (t == 0)
    printf("from a kernel: %d %s\n", __popc(255), "text");
  out[t] = value + int(root + 0.5f) + int(size) + int(difference) + pair->b + *heap + shape.y + int(four.w) +
           sum({1, 2, 3}) + min(t, 0) + (start == clock_t(-2));
  delete heap;
}
)";

// Names of the standard library's that programs bring themselves.
static const char *Own = R"(
typedef unsigned int uint32_t;
typedef long long int int64_t;
#define INT_MAX 2147483647
#define INFINITY (1.0f / 0.0f)
namespace std {
template <class T> struct numeric_limits { static const bool is_specialized = true; };
template <class A, class B> struct is_same { static const bool value = false; };
struct nothrow_t {};
}
extern "C" __global__ void kernel(int *out) {
  out[threadIdx.x] = std::numeric_limits<int>::is_specialized + int(uint32_t(5));
}
)";

// Nor is it another compiler, or a host's.
static const char *Macros = R"(
#if defined(__clang__) || defined(__GNUC__) || defined(__linux__) || defined(__x86_64__) || defined(__NVCC__)
#error
#endif
#if !defined(__CUDACC_RTC__) || !defined(__CUDACC__) || __CUDACC_VER_MAJOR__ != 12 || __CUDA_ARCH__ != 900
#error
#endif
extern "C" __global__ void kernel(int *out) { out[threadIdx.x] = ASKED; }
)";

static const char *Headers = R"(
#include "first.h"
#include <folder/second.h>
extern "C" __global__ void kernel(int *out) { out[threadIdx.x] = first() + second(); }
)";

static const char *Toolkit = R"(
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuComplex.h>
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <curand_kernel.h>
#include <math_constants.h>
#include <mma.h>
extern "C" __global__ void kernel(int *out) {
  auto block = cooperative_groups::this_thread_block();
  __half2 two = __floats2half2_rn(1.5f, 2.5f);
  out[threadIdx.x] = int(block.size()) + int(__low2float(two) + __high2float(two));
}
)";

static int result(Rtc &rtc, std::vector<const char *> options = {}) {
  options.push_back("-arch=sm_90");
  rtc.compile(options);
  if (rtc.result != NVRTC_SUCCESS)
    printf("%s", rtc.log().c_str());
  CHECK(rtc.result == NVRTC_SUCCESS);
  CHECK(rtc.log() == "");
  CUmodule module = load(rtc.ptx());
  std::vector<int> values = run(module, "kernel");
  CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
  module = load(rtc.cubin());
  CHECK(run(module, "kernel") == values);
  return values[5];
}

int main() {
  useDevice();
  Rtc builtin(Builtin), own(Own), toolkit(Toolkit), macros(Macros);
  CHECK(result(macros, {"-DASKED=3", "-D__linux__=1", "-U__linux__"}) == 3);
  CHECK(result(builtin) == 6 + 5 + 8 + 0 + 2 + 5 + 2 + 4 + 6);
  CHECK(result(builtin, {"-DNDEBUG", "-use_fast_math", "-G"}) == 6 + 5 + 8 + 0 + 2 + 5 + 2 + 4 + 6);
  CHECK(result(own) == 6);
  CHECK(result(toolkit) == 36);
  Rtc headers(Headers, "folder/program.cu",
              {"#include <nested.h>\n__device__ int first() { return NESTED; }",
               "#include \"../third.h\"\n__device__ int second() { return THIRD; }",
               "#include \"../none.h/../third%.h\"\n", "#define NESTED 4", "#define THIRD 30"},
              {"first.h", "folder/second.h", "../third.h", "nested.h", "../none.h/../third%.h"});
  CHECK(result(headers) == 34);

  // Without -default-device code is the host's, of which there is none.
  const char *Unmarked = "int count; namespace inner { int more = 2; int get() { return more + count; } }\n"
                         "extern \"C\" __global__ void kernel(int *out) { out[threadIdx.x] = inner::get(); }";
  Rtc unmarked(Unmarked);
  CHECK(result(unmarked, {"-default-device"}) == 2);
  CHECK(unmarked.compile().result == NVRTC_ERROR_COMPILATION);
  CHECK(unmarked.log().find("default_program(1): error: a variable without __device__") != std::string::npos);
  CHECK(unmarked.log().find("with -default-device it is the device's") != std::string::npos);

  for (const char *header : {"stdio.h", "string", "vector", "stdint.h", "cstring", "limits", "type_traits"}) {
    Rtc missing(("#include <" + std::string(header) + ">\n").c_str());
    CHECK(missing.compile().result == NVRTC_ERROR_COMPILATION);
    CHECK(missing.log() == "default_program(1): catastrophic error: could not open source file \"" +
                               std::string(header) + "\" (no directories in search list)\n  #include <" + header +
                               ">\n           ^\n\n1 catastrophic error detected in the compilation of "
                               "\"default_program\".\nCompilation terminated.\n");
  }
}
