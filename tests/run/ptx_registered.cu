// RUN: %heddle cc %s -o %t
// RUN: %t
// RUN: env HEDDLE_DEVICE=gpu HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code as nvcc writes it: a fatbinary with PTX, a kernel by its stub, variables, a managed one behind a pointer.
#include "support.h"

#include <cstring>
#include <string>

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
                            void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
}

static const std::string text = R"(.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 offset = 3;
.visible .global .attribute(.managed) .align 4 .u32 both[2] = {5, 6};
.visible .entry add(.param .u64 p, .param .u16 n) {
	.reg .u64 a, b; .reg .u32 v, t; .reg .b16 n16;
	ld.param.u64 a, [p];
	cvta.to.global.u64 a, a;
	mov.u32 t, %tid.x;
	mul.wide.u32 b, t, 4;
	add.u64 a, a, b;
	ld.param.u16 n16, [n];
	cvt.u32.u16 v, n16;
	ld.global.u32 t, [offset];
	add.u32 v, v, t;
	ld.global.u32 t, [both+4];
	add.u32 v, v, t;
	st.global.u32 [a], v;
	mov.u32 t, 50;
	st.global.u32 [both], t;
	ret;
}
)";

struct Wrapper {
  int magic, version;
  const void *data;
  void *none;
};

static char stub, offset;
static int *both;

int main() {
  std::string fat(16 + 64, '\0');
  auto put = [&](size_t at, uint64_t field, size_t size) { std::memcpy(&fat[at], &field, size); };
  put(0, 0xBA55ED50, 4);
  put(4, 1, 2);
  put(6, 16, 2);
  put(8, 64 + text.size() + 1, 8);
  put(16, 1, 2);
  put(20, 64, 4);
  put(24, text.size() + 1, 8);
  put(44, 75, 4);
  fat += text + '\0';
  Wrapper wrapper = {0x466243b1, 1, fat.data(), nullptr};
  void **handle = __cudaRegisterFatBinary(&wrapper);
  char name[] = "add", offsetName[] = "offset", bothName[] = "both";
  __cudaRegisterFunction(handle, &stub, name, name, -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterVar(handle, &offset, offsetName, offsetName, 0, 4, 0, 0);
  __cudaRegisterManagedVar(handle, (void **)&both, bothName, bothName, 0, 8, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  expectTrue("it is known", __cudaInitModule(handle) != 0);
  expectTrue("its initial value", both && both[0] == 5 && both[1] == 6);
  both[1] = 100;
  int thousand = 1000;
  CUDA_OK(cudaMemcpyToSymbol((const void *)&offset, &thousand, sizeof thousand));
  Buffer<int> out(std::vector<int>(3));
  unsigned short n = 7;
  void *args[] = {&out.data, &n};
  CUDA_OK(cudaLaunchKernel((const void *)&stub, dim3(1), dim3(3), args, 0, nullptr));
  checkLaunch();
  expectAll("add", out.get(), {1107, 1107, 1107});
  expect("the kernel's own value", 0, both[0], 50);
  void *address = nullptr;
  CUDA_OK(cudaGetSymbolAddress(&address, (const void *)&both));
  expectTrue("a managed symbol", address == both);
  __cudaUnregisterFatBinary(handle);
  return finish();
}
