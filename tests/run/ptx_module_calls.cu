// RUN: %heddle cc %s -o %t -lcuda
// RUN: %t | FileCheck %s
// RUN: env HEDDLE_WIDTH=8 %t | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions in PTX modules: parameters and results in memory and in registers, recursion, calls through addresses, aliases,
// weak ones, and those of the device library.
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
)");
  expectAll("memory", runPtx(module, "k", {1, 2, 3, 4}), {17101, 27102, 67103, 247104});
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
	  type2 : .callprototype (.param .b32 _) _ (.param .b32 _); }
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
.global .align 1 .b8 format[] = "%d %f %s\n";
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
  // CHECK: 7 1.500000 word
  expectAll("library", runPtx(module, "k", {7}), {26});
  CUDA_OK(cudaDeviceSynchronize());
}

int main() {
  CUDA_OK(cudaFree(nullptr));
  testMemory();
  testIndirect();
  testLibrary();
  return finish();
}
