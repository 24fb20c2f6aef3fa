// RUN: %nvcc -O1 -I%S/Inputs %s -lnvrtc -lcuda -o %t
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Name expressions: templates are instantiated, and kernels and variables have their mangled names.
#define NVRTC_GET_TYPE_NAME 1
#include "rtc.h"

static const char *Source = R"(
template <typename T> __global__ void fill(int *out) { out[threadIdx.x] = sizeof(T) + threadIdx.x; }
namespace space {
__device__ int variable = 7;
__constant__ int table[32];
static __global__ void hidden(int *out) { out[threadIdx.x] = table[threadIdx.x] * variable; }
template <int N> struct Holder { static __device__ int value; };
template <int N> __device__ int Holder<N>::value = N;
}
__global__ void overloaded(int *) {}
__global__ void overloaded(int *, int) {}
extern "C" __global__ void plain(int *) {}
static __constant__ int constant;
static __device__ int unread = 4;
const __device__ int four = 4;
static __global__ void local(int *out) { out[threadIdx.x] = constant + four; }
)";

int main() {
  useDevice();
  Rtc rtc(Source);
  const char *good[] = {"fill<int>", "&fill<double>", "&space::variable", "space::table", "space::hidden", "plain",
                        "(void (*)(int *, int)) overloaded", "space::Holder<3>::value", "&four"};
  for (const char *expression : good)
    CHECK(nvrtcAddNameExpression(rtc.program, expression) == NVRTC_SUCCESS);
  const char *name = nullptr;
  CHECK(nvrtcGetLoweredName(rtc.program, "plain", &name) == NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  CHECK(rtc.compile({"-arch=sm_90"}).result == NVRTC_SUCCESS);
  CHECK(nvrtcAddNameExpression(rtc.program, "plain") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  CHECK(nvrtcGetLoweredName(rtc.program, "plane", &name) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  CHECK(nvrtcGetLoweredName(rtc.program, nullptr, &name) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(rtc.name("plain") == std::string("plain"));
  CHECK(rtc.name("&space::variable") == std::string("_ZN5space8variableE"));
  CHECK(rtc.name("(void (*)(int *, int)) overloaded") == std::string("_Z10overloadedPii"));
  CHECK(rtc.name("&four") == std::string("four"));
  CHECK(rtc.name("space::hidden") == std::string("_ZN5space6hiddenEPi"));
  CHECK(rtc.name("space::Holder<3>::value") == std::string("_ZN5space6HolderILi3EE5valueE"));
  for (const std::string &code : {rtc.ptx(), rtc.cubin()}) {
    CUmodule module = load(code);
    CHECK(run(module, rtc.name("fill<int>"))[3] == 7 && run(module, rtc.name("&fill<double>"))[3] == 11);
    CUdeviceptr table;
    size_t bytes;
    CHECK(cuModuleGetGlobal(&table, &bytes, module, rtc.name("space::table")) == CUDA_SUCCESS && bytes == 128);
    const int values[32] = {1, 2, 3};
    CHECK(cuMemcpyHtoD(table, values, sizeof values) == CUDA_SUCCESS);
    CHECK(run(module, rtc.name("space::hidden"))[2] == 21);
    // Static ones without being asked for, by their names in the source.
    const int five = 5;
    CHECK(cuModuleGetGlobal(&table, &bytes, module, "constant") == CUDA_SUCCESS && bytes == sizeof five);
    CHECK(cuMemcpyHtoD(table, &five, sizeof five) == CUDA_SUCCESS);
    CHECK(run(module, "_Z5localPi")[2] == 9);
    for (const char *name : {"unread", "four"}) {
      int value = 0;
      CHECK(cuModuleGetGlobal(&table, &bytes, module, name) == CUDA_SUCCESS);
      CHECK(cuMemcpyDtoH(&value, table, sizeof value) == CUDA_SUCCESS && value == 4);
    }
    CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
  }

  struct { const char *expression, *message; } bad[] = {
      {"nothing<int>", "__nv_name_map(2): error: identifier \"nothing\" is undefined\n"},
      {"1 + 2", "name expression must form address of a __global__ function or the address of a "
                "__device__/__constant__ variable; it was: \"1 + 2\"\n"},
      {"callee", "name expression cannot form address of a non-__global__ function; it was: \"callee\"\n"}};
  for (const char *odd : {"callee); (void)(callee", "callee);}\nvoid more() {(void)(callee", "", "callee\\", "/*"}) {
    Rtc wrong("__device__ int callee() { return 1; }");
    CHECK(nvrtcAddNameExpression(wrong.program, odd) == NVRTC_SUCCESS);
    CHECK(wrong.compile().result == NVRTC_ERROR_COMPILATION && wrong.log() != "");
  }
  Rtc swallowed("extern \"C\" __global__ void k() {}\n#define END \\", "-odd name.o");
  CHECK(nvrtcAddNameExpression(swallowed.program, "k") == NVRTC_SUCCESS);
  swallowed.compile();
  CHECK(swallowed.result == NVRTC_SUCCESS ? swallowed.name("k") != nullptr : swallowed.log() != "");
  for (auto &each : bad) {
    Rtc wrong("__device__ int callee() { return 1; }");
    CHECK(nvrtcAddNameExpression(wrong.program, each.expression) == NVRTC_SUCCESS);
    CHECK(wrong.compile().result == NVRTC_ERROR_COMPILATION);
    CHECK(wrong.log().find(each.message) != std::string::npos);
    CHECK(nvrtcGetLoweredName(wrong.program, each.expression, &name) ==
          NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  }

  std::string type;
  CHECK(nvrtcGetTypeName<const std::vector<int> &>(&type) == NVRTC_SUCCESS);
  CHECK(type == "std::vector<int, std::allocator<int> > const&");
}
