// RUN: %heddle cc -rdc=true -cubin -DHELPER %s -o %t.cubin
// RUN: %heddle cc %s -o %t -lcuda
// RUN: %t %t.cubin 2>&1 | FileCheck %s
// RUN: env HEDDLE_WIDTH=8 %t %t.cubin 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions in PTX modules: parameters and results in memory and in registers, recursion, calls through addresses, aliases,
// weak ones, and those of the device library.
#ifdef HELPER

struct Pair {
  double first;
  float second;
};
__device__ __noinline__ extern "C" float scale(float x, const Pair p) {
  return x * p.second + float(p.first);
}
__device__ __noinline__ extern "C" Pair pairOf(int *p) { return {*p * 0.5, 0.25f}; }

#else

#include "ptx_module.h"

/// A result and a parameter of several words; one function calls itself.
static void testMemory() {
  CUmodule module = loadPtx(R"(
.func (.param .align 8 .b8 r[16]) pair(.param .b32 n, .param .align 4 .b8 s[12]);
.func (.param .align 8 .b8 r[16]) pair(.param .b32 n, .param .align 4 .b8 s[12]) {
	.reg .b32 %r<6>; .reg .b64 %rd;
	ld.param.u32 %r1, [n];
	ld.param.u32 %r2, [s+8];
	add.u32 %r3, %r1, %r2;
	cvt.u64.u32 %rd, %r3;
	st.param.b64 [r+0], %rd;
	ld.param.u32 %r4, [s];
	st.param.b32 [r+8], %r4;
	ret;
}
.func (.param .align 4 .b8 r[400], .param .b32 sum) several(.param .b32 from, .param .align 8 .b8 s[16]) {
	.reg .b32 %v, %w;
	ld.param.u32 %v, [from];
	ld.param.u32 %w, [s+12];
	st.param.b32 [r+396], %v;
	st.param.b32 [r+4], %w;
	add.u32 %v, %v, %w;
	st.param.b32 [sum], %v;
	ret;
}
.func (.param .b32 r) factorial(.param .b32 n) {
	.reg .b32 %r<5>; .reg .pred %p;
	ld.param.u32 %r1, [n];
	mov.u32 %r3, 1;
	setp.le.u32 %p, %r1, 1;
	@%p bra done;
	sub.u32 %r2, %r1, 1;
	{ .param .b32 a; .param .b32 b;
	  st.param.b32 [a], %r2;
	  call.uni (b), factorial, (a);
	  ld.param.b32 %r3, [b]; }
	mul.lo.u32 %r3, %r3, %r1;
done:
	st.param.b32 [r], %r3;
	ret;
}
.visible .entry k(.param .u64 p) {)" +
                            ptxElement + R"(
	.reg .b32 %r<9>; .reg .b64 %rd;
	{ .param .b32 n; .param .align 4 .b8 s[12]; .param .align 8 .b8 r[16];
	  st.param.b32 [n], %v;
	  st.param.b32 [s], 7;
	  st.param.b32 [s+4], 0;
	  st.param.b32 [s+8], 100;
	  call (r), pair, (n, s);
	  ld.param.b64 %rd, [r];
	  ld.param.b32 %r1, [r+8]; }
	cvt.u32.u64 %r2, %rd;
	mad.lo.u32 %r3, %r1, 1000, %r2;
	{ .param .b32 a; .param .b32 b;
	  st.param.b32 [a], %v;
	  call (b), factorial, (a);
	  ld.param.b32 %r4, [b]; }
	mad.lo.u32 %r3, %r4, 10000, %r3;
	st.global.u32 [%a], %r3;
	ret;
}
.visible .entry long(.param .u64 p) {)" +
                            ptxElement + R"(
	.reg .b32 %r<9>; .reg .b64 %rd;
	{ .param .b32 n; .param .align 8 .b8 s[16]; .param .align 4 .b8 r[400]; .param .b32 sum;
	  st.param.b32 [n], %v;
	  st.param.b32 [s+12], 50;
	  call (r, sum), several, (n, s);
	  ld.param.b32 %r1, [r+396];
	  ld.param.b32 %r2, [r+4];
	  ld.param.b32 %r3, [sum]; }
	mov.u64 %rd, several;
	{ .param .b32 n; .param .align 8 .b8 s[16]; .param .align 4 .b8 r[400]; .param .b32 sum;
	  st.param.b32 [n], %r3;
	  st.param.b32 [s+12], 6;
	  type : .callprototype (.param .align 4 .b8 _[400], .param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);
	  call (r, sum), %rd, (n, s), type;
	  ld.param.b32 %r4, [sum]; }
	mad.lo.u32 %r1, %r1, 1000, %r2;
	mad.lo.u32 %r1, %r4, 100000, %r1;
	st.global.u32 [%a], %r1;
	ret;
}
)");
  expectAll("memory", runPtx(module, "k", {1, 2, 3, 4}), {17101, 27102, 67103, 247104});
  expectAll("long", runPtx(module, "long", {1, 2, 3, 4}), {5701050, 5802050, 5903050, 6004050});
  DRIVER_OK(cuModuleUnload(module));
}

/// Registers as parameters, two results, a predicate; what is called through an address, in registers and tables.
static void testIndirect() {
  CUmodule module = loadPtx(R"(
.func (.reg .u32 q, .reg .u32 m) divide(.reg .u32 a, .reg .u32 b) {
	div.u32 q, a, b;
	rem.u32 m, a, b;
	ret;
}
.func (.param .b32 r) twice(.param .b32 a) {
	.reg .u32 %r;
	ld.param.u32 %r, [a];
	shl.b32 %r, %r, 1;
	st.param.u32 [r], %r;
	ret;
}
.weak .func (.param .b32 r) square(.param .b32 a) {
	.reg .u32 %r;
	ld.param.u32 %r, [a];
	mul.lo.u32 %r, %r, %r;
	st.param.u32 [r], %r;
	ret;
}
.func (.param .b32 r) other(.param .b32 a);
.alias other, twice;
.global .align 8 .u64 functions[2] = {twice, square};
.const .u64 single = square;
.visible .entry k(.param .u64 p) {)" +
                            ptxElement + R"(
	.reg .u32 %r<9>; .reg .b64 %f, %g; .reg .pred %q;
	call (%r1, %r2), divide, (%v, 3);
	and.b32 %r3, %t, 1;
	mul.wide.u32 %f, %r3, 8;
	mov.u64 %g, functions;
	add.u64 %f, %f, %g;
	ld.global.u64 %f, [%f];
	{ .param .b32 a; .param .b32 b;
	  st.param.b32 [a], %v;
	  type : .callprototype (.param .b32 _) _ (.param .b32 _);
	  call (b), %f, (a), type;
	  ld.param.b32 %r4, [b]; }
	setp.eq.u32 %q, %t, 2;
	ld.const.u64 %f, [single];
	mov.u32 %r5, 0;
	{ .param .b32 a; .param .b32 b;
	  st.param.b32 [a], %v;
	  @%q call (b), %f, (a), type2;
	  @%q ld.param.b32 %r5, [b];
	  type2 : .calltargets square, other; }
	{ .param .b32 a; .param .b32 b;
	  st.param.b32 [a], %v;
	  call (b), other, (a);
	  ld.param.b32 %r6, [b]; }
	mad.lo.u32 %r1, %r1, 10, %r2;
	mad.lo.u32 %r1, %r4, 100, %r1;
	mad.lo.u32 %r1, %r5, 100000, %r1;
	mad.lo.u32 %r1, %r6, 10000000, %r1;
	st.global.u32 [%a], %r1;
	ret;
}
)");
  expectAll("indirect", runPtx(module, "k", {10, 11, 12, 13}),
            {200002031, 220012132, 254402440, 260016941});
  DRIVER_OK(cuModuleUnload(module));
}

/// malloc, free and vprintf; the stack; a function that does not return.
static void testLibrary() {
  CUmodule module = loadPtx(R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.global .align 1 .b8 format[] = "%d %f %s\n\0";
.global .align 1 .b8 word[5] = {119, 111, 114, 100, 0};
.visible .entry k(.param .u64 p) {
	.local .align 8 .b8 __local_depot0[24];
	.reg .b64 %SP, %SPL;)" +
                            ptxElement + R"(
	.reg .b64 %rd<9>; .reg .f64 %fd; .reg .b32 %r<4>; .reg .pred %q;
	mov.u64 %SPL, __local_depot0;
	cvta.local.u64 %SP, %SPL;
	add.u64 %rd1, %SP, 0;
	add.u64 %rd2, %SPL, 0;
	st.local.u32 [%rd2], %v;
	mov.f64 %fd, 0d3FF8000000000000;
	st.local.f64 [%rd2+8], %fd;
	mov.u64 %rd3, word;
	cvta.global.u64 %rd3, %rd3;
	st.local.u64 [%rd2+16], %rd3;
	mov.u64 %rd4, format;
	cvta.global.u64 %rd4, %rd4;
	{ .param .b64 f; .param .b64 a; .param .b32 r;
	  st.param.b64 [f], %rd4;
	  st.param.b64 [a], %rd1;
	  call.uni (r), vprintf, (f, a);
	  ld.param.b32 %r1, [r]; }
	{ .param .b64 n; .param .b64 r;
	  st.param.b64 [n], 8;
	  call.uni (r), malloc, (n);
	  ld.param.b64 %rd5, [r]; }
	st.u32 [%rd5+4], %v;
	stacksave.u64 %rd6;
	alloca.u64 %rd7, 64;
	st.local.u32 [%rd7+60], 5;
	ld.local.u32 %r3, [%rd7+60];
	stackrestore.u64 %rd6;
	ld.u32 %r2, [%rd5+4];
	{ .param .b64 p; st.param.b64 [p], %rd5; call.uni free, (p); }
	mad.lo.u32 %r2, %r2, %r1, %r3;
	st.global.u32 [%a], %r2;
	ret;
}
)");
  // CHECK-DAG: 7 1.500000 word
  expectAll("library", runPtx(module, "k", {7}), {26});
  CUDA_OK(cudaDeviceSynchronize());
}

/// What the first compilers wrote: no address size, registers of 16 bits for indices, `exit`, inline debug lines.
static void testFirstVersions() {
  CUmodule module;
  DRIVER_OK(cuModuleLoadData(&module, R"(	.version 1.4
	.target sm_10, map_f64_to_f32
	// compiled long ago
	.file	1	"<command-line>"
	.file	28	"old.cu"
@@DWARF .section .debug_pubnames { "ignored" }
	.const .s32 factor = 3;

	.entry k (
		.param .u64 __cudaparm_k_p)
	{
	.reg .u16 %rh<4>;
	.reg .u32 %r<8>;
	.reg .u64 %rd<6>;
	.reg .pred %p<3>;
	.shared .s32 block[4];
	.loc	28	3	0
$LBB1_k:
	mov.u16 	%rh1, %ctaid.x;
	mov.u16 	%rh2, %ntid.x;
	mul.wide.u16 	%r1, %rh1, %rh2;
	cvt.u32.u16 	%r2, %tid.x;
	add.u32 	%r3, %r2, %r1;
	mov.s32 	%r4, 3;
	setp.le.s32 	%p1, %r4, %r3;
	@%p1 bra 	$Lt_0_1026;
	.loc	28	5	0
	cvt.u64.s32 	%rd1, %r3;
	mul.lo.u64 	%rd2, %rd1, 4;
	ld.param.u64 	%rd3, [__cudaparm_k_p];
	add.u64 	%rd4, %rd3, %rd2;
	ld.global.s32 	%r5, [%rd4+0];
	ld.const.s32 	%r6, [factor];
	mul24.lo.s32 	%r7, %r5, %r6;
	st.shared.s32 	[block+4], %r7;
	st.global.s32 	[%rd4+0], %r7;
$Lt_0_1026:
	exit;
$LDWend_k:
	} // k
)"));
  expectAll("the first versions", runPtx(module, "k", {1, 2, 3, 4}), {3, 6, 9, 4});
  DRIVER_OK(cuModuleUnload(module));
}

/// An assertion that fails, and code that does not come back.
static void testAssertion() {
  CUmodule module = loadPtx(R"(
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 g, .param .b64 s) .noreturn;
.global .b8 message[] = "v < 3\0";
.global .b8 file[] = "some.cu\0";
.global .b8 function[] = "kernel\0";
.func ended(.param .b32 v) .noreturn {
    exit; }
.visible .entry k(.param .u64 p) {)" +
                            ptxElement + R"(
	.reg .pred %q; .reg .b64 %d<4>;
	setp.lt.u32 %q, %v, 2;
	@!%q bra next;
	{ .param .b32 v; st.param.b32 [v], %v; call ended, (v); }
next:
	setp.lt.u32 %q, %v, 3;
	@%q ret;
	mov.u64 %d1, message; mov.u64 %d2, file; mov.u64 %d3, function;
	{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 g; .param .b64 s;
	  st.param.b64 [m], %d1; st.param.b64 [f], %d2; st.param.b32 [l], 42; st.param.b64 [g], %d3;
	  st.param.b64 [s], 1;
	  call.uni __assertfail, (m, f, l, g, s); }
	ret;
}
)");
  expectAll("no assertion", runPtx(module, "k", {1, 2}), {1, 2});
  Buffer<int> p(std::vector<int>{3});
  void *args[] = {&p.data};
  DRIVER_OK(cuLaunchKernel(functionOf(module, "k"), 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
  // CHECK-DAG: some.cu:42: {{.*}}v < 3
  expectCode("an assertion", cuCtxSynchronize(), CUDA_ERROR_ASSERT);
}

/// Functions that C++ has, linked in.
static void testLinked(const char *file) {
  const std::string text = ptxHead + R"(
.extern .func (.param .b32 r) scale(.param .b32 x, .param .align 8 .b8 p[16]);
.extern .func (.param .align 8 .b8 r[16]) pairOf(.param .b64 p);
.visible .entry k(.param .u64 p) {)" +
                           ptxElement + R"(
	.reg .f32 %f<3>; .reg .b64 %d<3>;
	{ .param .b64 p; .param .align 8 .b8 r[16];
	  st.param.b64 [p], %a;
	  call (r), pairOf, (p);
	  ld.param.b64 %d1, [r]; ld.param.b64 %d2, [r+8]; }
	{ .param .b32 x; .param .align 8 .b8 p[16]; .param .b32 r;
	  st.param.f32 [x], 0f42C80000;
	  st.param.b64 [p], %d1; st.param.b64 [p+8], %d2;
	  call (r), scale, (x, p);
	  ld.param.f32 %f1, [r]; }
	cvt.rzi.s32.f32 %v, %f1;
	st.global.u32 [%a], %v;
	ret;
}
)";
  CUlinkState link;
  void *image;
  CUmodule module;
  DRIVER_OK(cuLinkCreate(0, nullptr, nullptr, &link));
  DRIVER_OK(cuLinkAddFile(link, CU_JIT_INPUT_CUBIN, file, 0, nullptr, nullptr));
  DRIVER_OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)text.c_str(), text.size() + 1, "", 0,
                          nullptr, nullptr));
  DRIVER_OK(cuLinkComplete(link, &image, nullptr));
  DRIVER_OK(cuModuleLoadData(&module, image));
  DRIVER_OK(cuLinkDestroy(link));
  expectAll("linked", runPtx(module, "k", {10, 20, 30}), {30, 35, 40});
  DRIVER_OK(cuModuleUnload(module));
}

int main(int, char **argv) {
  CUDA_OK(cudaFree(nullptr));
  testLinked(argv[1]);
  testMemory();
  testIndirect();
  testLibrary();
  testFirstVersions();
  // CHECK-DAG: all right
  const int result = finish();
  testAssertion();
  return result;
}

#endif
