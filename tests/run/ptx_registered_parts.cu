// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code as nvcc -rdc=true writes it: a wrapper of version 2 names relocatable fatbinaries, whose PTX is linked. One
// without PTX for this device is passed over, as NVIDIA's device runtime. Kernels launch others by the runtime's functions
// under both of their names.
#include "support.h"

#include <cstring>
#include <string>

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
                            void *, void *, int *);
}

static const std::string head = ".version 8.0\n.target sm_75\n.address_size 64\n";
static const std::string caller = head + R"(
.extern .func (.param .b32 r) twice(.param .b32 n);
.extern .global .align 4 .u32 base;
.visible .entry child(.param .u64 p, .param .u32 more) {
	.reg .u64 a, i; .reg .u32 v, t;
	ld.param.u64 a, [p];
	mov.u32 t, %tid.x;
	mul.wide.u32 i, t, 4;
	add.u64 a, a, i;
	ld.param.u32 v, [more];
	{
	.param .b32 n; .param .b32 r;
	st.param.b32 [n], t;
	call.uni (r), twice, (n);
	ld.param.b32 t, [r];
	}
	add.u32 v, v, t;
	ld.global.u32 t, [base];
	add.u32 v, v, t;
	st.u32 [a], v;
	ret;
}
)";
/// Launches child<<<1, 3>>>(p, more) by these functions.
static std::string parent(const std::string &name, const std::string &prefix) {
  return ".extern .func (.param .b64 r) " + prefix + "GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], "
         ".param .align 4 .b8 b[12], .param .b32 s);\n.extern .func (.param .b32 r) " + prefix +
         "LaunchDeviceV2(.param .b64 m, .param .b64 s);\n.visible .entry " + name + R"((.param .u64 p, .param .u32 more) {
	.reg .u64 a, m; .reg .u32 v; .reg .pred bad;
	mov.u64 a, child;
	{
	.param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;
	st.param.b64 [f], a;
	st.param.b32 [g], 1;
	st.param.b32 [g+4], 1;
	st.param.b32 [g+8], 1;
	st.param.b32 [b], 3;
	st.param.b32 [b+4], 1;
	st.param.b32 [b+8], 1;
	st.param.b32 [s], 0;
	call.uni (r), )" + prefix + R"(GetParameterBufferV2, (f, g, b, s);
	ld.param.b64 m, [r];
	}
	ld.param.u64 a, [p];
	ld.param.u32 v, [more];
	st.u64 [m], a;
	st.u32 [m+8], v;
	{
	.param .b64 to; .param .b64 s; .param .b32 r;
	st.param.b64 [to], m;
	st.param.b64 [s], 0;
	call.uni (r), )" + prefix + R"(LaunchDeviceV2, (to, s);
	ld.param.b32 v, [r];
	}
	setp.ne.u32 bad, v, 0;
	@bad trap;
	ret;
}
)";
}
static const std::string callee = head + R"(
.visible .global .align 4 .u32 base = 100;
.visible .func (.param .b32 r) twice(.param .b32 n) {
	.reg .u32 v;
	ld.param.b32 v, [n];
	shl.b32 v, v, 1;
	st.param.b32 [r], v;
	ret;
}
)";

/// A fatbinary of PTX for an architecture.
static std::string fatBinary(const std::string &text, unsigned architecture) {
  std::string fat(16 + 64, '\0');
  auto put = [&](size_t at, uint64_t field, size_t size) { std::memcpy(&fat[at], &field, size); };
  put(0, 0xBA55ED50, 4);
  put(4, 1, 2);
  put(6, 16, 2);
  put(8, 64 + text.size() + 1, 8);
  put(16, 1, 2);
  put(20, 64, 4);
  put(24, text.size() + 1, 8);
  put(44, architecture, 4);
  return fat + text + '\0';
}

struct Wrapper {
  int magic, version;
  const void *data;
  const void *const *parts;
};

int main() {
  const std::string machineCode(16, '\0'),
      parts[] = {fatBinary(caller + parent("parent", "cuda") + parent("parent2", "__cudaCDP2"), 75),
                 fatBinary("of NVIDIA's device runtime", 121), fatBinary(callee, 75)};
  const void *const list[] = {parts[0].data(), parts[1].data(), parts[2].data(), nullptr};
  Wrapper wrapper = {0x466243b1, 2, machineCode.data(), list};
  void **handle = __cudaRegisterFatBinary(&wrapper);
  static char stubs[3];
  char names[3][8] = {"child", "parent", "parent2"};
  for (int i = 0; i < 3; ++i)
    __cudaRegisterFunction(handle, &stubs[i], names[i], names[i], -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  for (int i = 0; i < 3; ++i) {
    Buffer<int> out(std::vector<int>(3));
    int more = 1000 * i;
    void *args[] = {&out.data, &more};
    CUDA_OK(cudaLaunchKernel((const void *)&stubs[i], dim3(1), dim3(i ? 1 : 3), args, 0, nullptr));
    checkLaunch();
    expectAll(names[i], out.get(), {more + 100, more + 102, more + 104});
  }
  __cudaUnregisterFatBinary(handle);
  return finish();
}
