// RUN: %heddle cc %s -o %t.exe -lcuda
// RUN: env CUDA_CACHE_PATH=%t.cache %t.exe %t
// RUN: env CUDA_CACHE_PATH=%t.cache HEDDLE_WIDTH=8 %t.exe %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of PTX text: loaded in every way, from memory, a file, a fatbinary, as libraries and by the linker; kernels with
// parameters of all sizes, branches and shared memory.
#include "driver.h"

static const std::string head = ".version 8.0\n.target sm_75\n.address_size 64\n";

static const std::string add = head + R"(
// c[i] = a[i] + b[i]
.visible .entry add(
	.param .u64 add_a, .param .u64 .ptr .global .align 4 add_b,
	.param .u64 add_c,
	.param .u32 add_n
)
.maxntid 128, 1, 1
{
	.reg .pred 	%p<2>;
	.reg .f32 	%f<4>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<11>;

	ld.param.u64 	%rd1, [add_a];
	ld.param.u64 	%rd2, [add_b];
	ld.param.u64 	%rd3, [add_c];
	ld.param.u32 	%r2, [add_n];
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r1, %r3, %r4, %r5;
	setp.ge.s32 	%p1, %r1, %r2;
	@%p1 bra 	$DONE;
	cvta.to.global.u64 	%rd4, %rd1;
	mul.wide.s32 	%rd5, %r1, 4;
	add.s64 	%rd6, %rd4, %rd5;
	cvta.to.global.u64 	%rd7, %rd2;
	add.s64 	%rd8, %rd7, %rd5;
	ld.global.f32 	%f1, [%rd8];
	ld.global.f32 	%f2, [%rd6];
	add.f32 	%f3, %f2, %f1;
	cvta.to.global.u64 	%rd9, %rd3;
	add.s64 	%rd10, %rd9, %rd5;
	st.global.f32 	[%rd10], %f3;
$DONE:
	ret;
}
)";

static void runAdd(CUfunction function) {
  const int n = 1000;
  std::vector<float> a(n), b(n), want(n), found(n);
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    b[i] = 0.5f * i;
    want[i] = a[i] + b[i];
  }
  Buffer<float> da(a), db(b), dc(std::vector<float>(n, 0.f));
  int count = n;
  void *args[] = {&da.data, &db.data, &dc.data, &count};
  DRIVER_OK(cuLaunchKernel(function, (n + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, args, nullptr));
  CUDA_OK(cudaMemcpy(found.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost));
  expectAll("add", found, want);
}

static void testLoading(const std::string &file) {
  CUmodule module;
  DRIVER_OK(cuModuleLoadData(&module, add.c_str()));
  runAdd(functionOf(module, "add"));
  int threads = 0;
  DRIVER_OK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                               functionOf(module, "add")));
  expect("bounds", 0, threads, 128);
  CUfunction function;
  expectCode("no function", cuModuleGetFunction(&function, module, "sub"), CUDA_ERROR_NOT_FOUND);
  DRIVER_OK(cuModuleUnload(module));
  char log[64];
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  DRIVER_OK(cuModuleLoadDataEx(&module, add.c_str(), 2, options, values));
  expectTrue("an empty log", !log[0] && !values[1]);
  runAdd(functionOf(module, "add"));
  DRIVER_OK(cuModuleUnload(module));
  std::ofstream(file + ".ptx") << add;
  DRIVER_OK(cuModuleLoad(&module, (file + ".ptx").c_str()));
  runAdd(functionOf(module, "add"));
  DRIVER_OK(cuModuleUnload(module));
  CUlibrary library;
  CUkernel kernel;
  DRIVER_OK(cuLibraryLoadData(&library, add.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  DRIVER_OK(cuLibraryGetKernel(&kernel, library, "add"));
  DRIVER_OK(cuKernelGetFunction(&function, kernel));
  runAdd(function);
  size_t offset = 0, size = 0;
  DRIVER_OK(cuFuncGetParamInfo(function, 3, &offset, &size));
  expectTrue("a parameter's place", offset == 24 && size == 4);
  DRIVER_OK(cuLibraryUnload(library));
}

static void testLinking() {
  const std::string uses = head + R"(
.extern .func (.param .b32 r) twice(.param .b32 a);
.extern .global .align 4 .u32 base;
.visible .entry k(.param .u64 p) {
	.reg .b32 %r<4>; .reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	ld.global.u32 %r1, [%rd1];
	{ .param .b32 a; .param .b32 r;
	  st.param.b32 [a], %r1;
	  call.uni (r), twice, (a);
	  ld.param.b32 %r2, [r]; }
	ld.global.u32 %r3, [base];
	add.u32 %r2, %r2, %r3;
	st.global.u32 [%rd1], %r2;
	ret;
})",
                    defines = head + R"(
.visible .global .align 4 .u32 base = 100;
.visible .func (.param .b32 r) twice(.param .b32 a) {
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [a];
	shl.b32 %r2, %r1, 1;
	st.param.b32 [r], %r2;
	ret;
})";
  CUlinkState link;
  DRIVER_OK(cuLinkCreate(0, nullptr, nullptr, &link));
  for (const std::string &text : {uses, defines})
    DRIVER_OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)text.c_str(), text.size() + 1, "", 0,
                            nullptr, nullptr));
  void *image;
  DRIVER_OK(cuLinkComplete(link, &image, nullptr));
  CUmodule module;
  DRIVER_OK(cuModuleLoadData(&module, image));
  DRIVER_OK(cuLinkDestroy(link));
  Buffer<int> p(std::vector<int>{21});
  void *args[] = {&p.data};
  DRIVER_OK(cuLaunchKernel(functionOf(module, "k"), 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
  int found;
  CUDA_OK(cudaMemcpy(&found, p, sizeof found, cudaMemcpyDeviceToHost));
  expect("linked", 0, found, 142);
  globalOf(module, "base", 4);
  expectCode("not linked", cuModuleLoadData(&module, uses.c_str()), CUDA_ERROR_INVALID_PTX);
}

static void put(std::string &bytes, size_t at, uint64_t field, size_t size) {
  std::memcpy(bytes.data() + at, &field, size);
}

/// An entry of a fatbinary.
static std::string entry(unsigned kind, unsigned capability, const std::string &payload) {
  std::string bytes(64, '\0');
  put(bytes, 0, kind, 2);
  put(bytes, 4, 64, 4);
  put(bytes, 8, payload.size(), 8);
  put(bytes, 28, capability, 4);
  return bytes + payload;
}

static std::string fatBinary(const std::string &entries) {
  std::string bytes(16, '\0');
  put(bytes, 0, 0xBA55ED50, 4);
  put(bytes, 4, 1, 2);
  put(bytes, 6, 16, 2);
  put(bytes, 8, entries.size(), 8);
  return bytes + entries;
}

static void testFatBinaries() {
  const std::string none = head, machine(64, 'x');
  CUmodule module;
  const std::string fat = fatBinary(entry(2, 75, machine) + entry(1, 50, none) + entry(1, 80, add) +
                                    entry(1, 100, none));
  DRIVER_OK(cuModuleLoadFatBinary(&module, fat.data()));
  runAdd(functionOf(module, "add"));
  DRIVER_OK(cuModuleUnload(module));
  expectCode("for later devices",
             cuModuleLoadFatBinary(&module, fatBinary(entry(1, 120, add)).data()),
             CUDA_ERROR_NO_BINARY_FOR_GPU);
}

/// Parameters of all sizes, and dynamic beside static shared memory.
static void testParameters() {
  const std::string text = head + R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry gather(
	.param .u64 out, .param .u8 a, .param .s16 b, .param .f64 c,
	.param .align 8 .b8 d[24], .param .u64 plain)
{
	.shared .align 4 .b8 fixed[128];
	.reg .b16 %rs<2>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f64 %fd<4>; .reg .pred %p;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, fixed;
	add.u32 %r4, %r3, %r2;
	ld.param.u8 %rs1, [a];
	cvt.u32.u16 %r5, %rs1;
	add.u32 %r5, %r5, %r1;
	st.shared.u32 [%r4], %r5;
	mov.u32 %r6, dynamic;
	add.u32 %r7, %r6, %r2;
	ld.param.s16 %r8, [b];
	st.shared.u32 [%r7], %r8;
	bar.sync 0;
	xor.b32 %r9, %r2, 4;                        // the neighbour's
	add.u32 %r10, %r3, %r9;
	ld.shared.u32 %r11, [%r10];
	add.u32 %r12, %r6, %r9;
	ld.shared.u32 %r13, [%r12];
	add.s32 %r11, %r11, %r13;
	ld.param.f64 %fd1, [c];
	cvt.rzi.s32.f64 %r14, %fd1;
	add.s32 %r11, %r11, %r14;
	mov.b64 %rd2, d;                            // at an address that is computed
	and.b32 %r15, %r1, 1;
	mul.wide.u32 %rd3, %r15, 8;
	add.s64 %rd4, %rd2, %rd3;
	ld.param.u32 %r16, [%rd4+8];
	add.s32 %r11, %r11, %r16;
	ld.param.u32 %r17, [plain+4];
	add.s32 %r11, %r11, %r17;
	cvta.to.global.u64 %rd5, %rd1;
	mul.wide.u32 %rd6, %r1, 4;
	add.s64 %rd7, %rd5, %rd6;
	st.global.u32 [%rd7], %r11;
	ret;
}
)";
  CUmodule module;
  DRIVER_OK(cuModuleLoadData(&module, text.c_str()));
  Buffer<int> out(std::vector<int>(32, 0));
  unsigned char a = 200;
  short b = -50;
  double c = 1000.9;
  struct {
    long long first, second, third;
  } d = {1, 20000, 30000};
  unsigned long long plain = 7ull << 32;
  void *args[] = {&out.data, &a, &b, &c, &d, &plain};
  DRIVER_OK(
      cuLaunchKernel(functionOf(module, "gather"), 1, 1, 1, 32, 1, 1, 128, nullptr, args, nullptr));
  std::vector<int> found(32), want(32);
  CUDA_OK(cudaMemcpy(found.data(), out, sizeof(int) * 32, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i)
    want[i] = 200 + (i ^ 1) - 50 + 1000 + (i & 1 ? 30000 : 20000) + 7;
  expectAll("gather", found, want);
  int bytes = 0;
  DRIVER_OK(cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                               functionOf(module, "gather")));
  expect("static shared memory", 0, bytes, 128);
}

/// Options of the compiler that are not logs.
static void testOptions() {
  struct Case {
    CUjit_option option;
    unsigned value;
    CUresult code;
  };
  const Case cases[] = {{CU_JIT_MAX_REGISTERS, 24, CUDA_SUCCESS},
                        {CU_JIT_THREADS_PER_BLOCK, 128, CUDA_SUCCESS},
                        {CU_JIT_OPTIMIZATION_LEVEL, 4, CUDA_SUCCESS},
                        {CU_JIT_OPTIMIZATION_LEVEL, 0, CUDA_SUCCESS},
                        {CU_JIT_OPTIMIZATION_LEVEL, 5, CUDA_ERROR_INVALID_VALUE},
                        {CU_JIT_TARGET_FROM_CUCONTEXT, 0, CUDA_SUCCESS},
                        {CU_JIT_TARGET, CU_TARGET_COMPUTE_80, CUDA_SUCCESS},
                        {CU_JIT_TARGET, CU_TARGET_COMPUTE_90A, CUDA_SUCCESS},
                        {CU_JIT_TARGET, CU_TARGET_COMPUTE_120, CUDA_ERROR_NO_BINARY_FOR_GPU},
                        {CU_JIT_TARGET, 79, CUDA_ERROR_INVALID_IMAGE},
                        {CU_JIT_FALLBACK_STRATEGY, CU_PREFER_BINARY, CUDA_SUCCESS},
                        {CU_JIT_FALLBACK_STRATEGY, 2, CUDA_ERROR_INVALID_VALUE},
                        {CU_JIT_CACHE_MODE, CU_JIT_CACHE_OPTION_CA, CUDA_SUCCESS},
                        {CU_JIT_CACHE_MODE, 3, CUDA_ERROR_INVALID_VALUE},
                        {CU_JIT_GENERATE_DEBUG_INFO, 1, CUDA_SUCCESS},
                        {CU_JIT_GENERATE_LINE_INFO, 1, CUDA_SUCCESS},
                        {CU_JIT_LOG_VERBOSE, 1, CUDA_SUCCESS}};
  for (const Case &one : cases) {
    CUjit_option options[] = {one.option, CU_JIT_WALL_TIME};
    void *values[] = {(void *)size_t(one.value), (void *)size_t(0xffffffff)};
    CUmodule module;
    const std::string name = "option " + std::to_string(one.option) + " = " + std::to_string(one.value);
    expectCode(name.c_str(), cuModuleLoadDataEx(&module, add.c_str(), 2, options, values), one.code);
    float milliseconds;
    std::memcpy(&milliseconds, &values[1], sizeof milliseconds);
    expectTrue("the time", one.code == CUDA_ERROR_INVALID_VALUE || one.code == CUDA_ERROR_INVALID_IMAGE || milliseconds >= 0);
    if (one.code)
      continue;
    runAdd(functionOf(module, "add"));
    DRIVER_OK(cuModuleUnload(module));
  }
}

int main(int, char **argv) {
  CUDA_OK(cudaFree(nullptr));
  testLoading(argv[1]);
  testLinking();
  testFatBinaries();
  testParameters();
  testOptions();
  return finish();
}
