// RUN: %heddle cc %s -o %t -lcuda
// RUN: %t
// RUN: env HEDDLE_WIDTH=8 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of PTX modules: initial values of all types, addresses among them, state spaces, managed ones.
#include "ptx_module.h"

template <typename T>
static void expectGlobal(CUmodule module, const char *name, std::vector<T> want) {
  std::vector<T> found(want.size());
  DRIVER_OK(cuMemcpyDtoH(found.data(), globalOf(module, name, sizeof(T) * want.size()),
                         sizeof(T) * want.size()));
  expectAll(name, found, want);
}

static void testValues() {
  CUmodule module = loadPtx(R"(
.visible .global .align 4 .u32 numbers[2][3] = { {1, 2}, {-1, 0x10, 077} };
.global .f32 floats[3] = {0f3F800000, 2.5, -1.0};
.global .f64 wide[] = {0d3FF8000000000000, 1e3};
.global .b8 text[8] = "ab\n\"c";
.global .s16 halves[4] = {-2, 3};
.const .align 16 .v4 .u32 quad = {1, 2, 3, 4};
.global .u8 byte = 255;
.global .align 8 .b8 zeros[100];
.global .u64 big = 0xFEDCBA9876543210;
)");
  expectGlobal<int>(module, "numbers", {1, 2, 0, -1, 16, 63});
  expectGlobal<float>(module, "floats", {1, 2.5f, -1});
  expectGlobal<double>(module, "wide", {1.5, 1000});
  expectGlobal<char>(module, "text", {'a', 'b', '\n', '"', 'c', 0, 0, 0});
  expectGlobal<short>(module, "halves", {-2, 3, 0, 0});
  expectGlobal<unsigned>(module, "quad", {1, 2, 3, 4});
  expectGlobal<unsigned char>(module, "byte", {255});
  expectGlobal<char>(module, "zeros", std::vector<char>(100));
  expectGlobal<unsigned long long>(module, "big", {0xFEDCBA9876543210});
  CUdeviceptr pointer;
  size_t bytes;
  expectCode("no variable", cuModuleGetGlobal(&pointer, &bytes, module, "none"),
             CUDA_ERROR_NOT_FOUND);
  DRIVER_OK(cuModuleUnload(module));
}

/// Addresses of variables that come later, with offsets, as generic ones, and byte by byte.
static void testAddresses() {
  CUmodule module = loadPtx(R"(
.global .u64 places[4] = {later, later+4, generic(later)+8, 7};
.global .align 8 .u8 bytes[8] = {0xff(later), 0xff00(later), 0xff0000(later), 0xff000000(later),
  0xff00000000(later), 0xff0000000000(later), 0xff000000000000(later), 0xff00000000000000(later)};
.global .align 4 .u32 later[3] = {10, 20, 30};
.global .align 4 .u32 changed = 5;
.visible .entry k(.param .u64 p) {)" +
                            ptxElement + R"(
	.reg .b64 %x, %y; .reg .u32 %r;
	.global .align 4 .u32 own[4] = {1000, 2000, 3000, 4000};
	mov.u64 %x, places;
	mul.wide.u32 %y, %t, 8;
	add.u64 %x, %x, %y;
	.reg .pred %q;
	setp.lt.u32 %q, %t, 3;
	ld.global.u64 %x, [%x];
	@!%q ld.global.u64 %x, [bytes];
	ld.global.u32 %v, [%x];
	mov.u64 %x, own+4;
	mul.wide.u32 %y, %t, 4;
	and.b64 %y, %y, 4;
	add.u64 %x, %x, %y;
	ld.global.u32 %r, [%x];
	add.u32 %v, %v, %r;
	ld.global.u32 %r, [changed];
	add.u32 %v, %v, %r;
	st.global.u32 [%a], %v;
	ret;
}
)");
  int five = 6;
  DRIVER_OK(cuMemcpyHtoD(globalOf(module, "changed", 4), &five, 4));
  expectAll("addresses", runPtx(module, "k", {0, 0, 0, 0}), {2016, 3026, 2036, 3016});
  DRIVER_OK(cuModuleUnload(module));
}

/// Shared memory of the module and of a function, constant memory, and what the host has too.
static void testSpaces() {
  CUmodule module = loadPtx(R"(
.shared .align 4 .u32 block[32];
.global .attribute(.managed) .align 4 .u32 both[2] = {3, 4};
.const .u32 factor = 100;
.func (.param .b32 r) neighbour(.param .b32 i) {
	.reg .u32 %r, %s;
	ld.param.u32 %r, [i];
	xor.b32 %r, %r, 1;
	shl.b32 %r, %r, 2;
	mov.u32 %s, block;
	add.u32 %r, %r, %s;
	ld.shared.u32 %r, [%r];
	st.param.u32 [r], %r;
	ret;
}
.visible .entry k(.param .u64 p) {)" +
                            ptxElement + R"(
	.reg .u32 %r<6>; .reg .u64 %rd<3>; .reg .pred %q;
	mov.u32 %r1, block;
	shl.b32 %r2, %t, 2;
	add.u32 %r1, %r1, %r2;
	st.shared.u32 [%r1], %v;
	bar.sync 0;
	{ .param .b32 a; .param .b32 b;
	  st.param.b32 [a], %t;
	  call.uni (b), neighbour, (a);
	  ld.param.b32 %r3, [b]; }
	ld.const.u32 %r4, [factor];
	mul.lo.u32 %r3, %r3, %r4;
	mov.u64 %rd2, block;
	cvta.shared.u64 %rd1, %rd2;
	mul.wide.u32 %rd0, %t, 4;
	add.u64 %rd1, %rd1, %rd0;
	ld.u32 %r5, [%rd1];                 // its own, at a generic address
	add.u32 %r3, %r3, %r5;
	isspacep.shared %q, %rd1;
	@!%q add.u32 %r3, %r3, 1000000;
	st.global.u32 [%a], %r3;
	setp.eq.u32 %q, %t, 0;
	@%q ld.global.u32 %r5, [both+4];
	@%q add.u32 %r5, %r5, 1;
	@%q st.global.u32 [both], %r5;
	ret;
}
)");
  expectAll("spaces", runPtx(module, "k", {1, 2, 3, 4}), {201, 102, 403, 304});
  CUDA_OK(cudaDeviceSynchronize());
  auto *both = (int *)globalOf(module, "both", 8);
  expectTrue("a managed variable", both[0] == 5 && both[1] == 4);
  DRIVER_OK(cuModuleUnload(module));
}

/// References by name, as declared now and in the first versions.
static void testTextures() {
  CUmodule module = loadPtx(R"(
.visible .global .texref line;
.tex .u32 old;
.visible .entry k(.param .u64 p) {)" +
                            ptxElement + R"(
	.reg .f32 %f<8>; .reg .u32 %r;
	tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [line, {%t}];
	tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [old, {%v}];
	fma.rn.f32 %f0, %f4, 0f42C80000, %f0;
	cvt.rzi.s32.f32 %r, %f0;
	st.global.u32 [%a], %r;
	ret;
}
)");
  Buffer<float> values(std::vector<float>{1, 2, 3, 4});
  for (const char *name : {"line", "old"}) {
    CUtexref reference;
    size_t offset = 0;
    DRIVER_OK(cuModuleGetTexRef(&reference, module, name));
    DRIVER_OK(cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 1));
    DRIVER_OK(cuTexRefSetAddress(&offset, reference, (CUdeviceptr)values.data, 16));
  }
  expectAll("textures", runPtx(module, "k", {3, 2, 1, 0}), {401, 302, 203, 104});
  DRIVER_OK(cuModuleUnload(module));
}

/// A surface object: reads, writes and reductions, inside and outside.
static void testSurfaces() {
  CUmodule module = loadPtx(R"(
.visible .entry k(.param .u64 p, .param .u64 s) {)" +
                            ptxElement + R"(
	.reg .u64 %s; .reg .u32 %x, %y, %r<4>; .reg .b16 %h<3>;
	ld.param.u64 %s, [s];
	shl.b32 %x, %t, 2;
	mov.u32 %y, 1;
	sust.b.2d.b32.zero [%s, {%x, %y}], %v;       // the sixth lies outside
	sured.b.add.2d.u32.zero [%s, {%x, %y}], 5;
	suld.b.2d.b32.zero {%r1}, [%s, {%x, %y}];
	suld.b.2d.v2.b16.clamp {%h1, %h2}, [%s, {%x, %y}];
	cvt.u32.u16 %r2, %h1;
	mad.lo.u32 %r1, %r2, 1000, %r1;
	st.global.u32 [%a], %r1;
	ret;
}
)");
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  CUDA_OK(cudaMallocArray(&array, &format, 5, 2, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CUDA_OK(cudaCreateSurfaceObject(&surface, &resource));
  Buffer<int> p(std::vector<int>{10, 20, 30, 40, 50, 60});
  void *args[] = {&p.data, &surface};
  DRIVER_OK(cuLaunchKernel(functionOf(module, "k"), 1, 1, 1, 6, 1, 1, 0, nullptr, args, nullptr));
  std::vector<int> found = p.get();
  found[5] %= 1000; // the fifth may have been read before or after it was written
  expectAll("surfaces", found, {15015, 25025, 35035, 45045, 55055, 0});
  CUDA_OK(cudaDestroySurfaceObject(surface));
  CUDA_OK(cudaFreeArray(array));
  DRIVER_OK(cuModuleUnload(module));
}

/// The codes of variables that are wrong, and what the log says.
static void expectRefused(const std::string &text, const std::string &message) {
  char log[512] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  CUmodule module;
  expectCode(text, cuModuleLoadDataEx(&module, (ptxHead + text).c_str(), 2, options, values),
             CUDA_ERROR_INVALID_PTX);
  if (!strstr(log, message.c_str()))
    report(text, 0, std::string(log), message);
}

static void testErrors() {
  expectRefused(".global .u32 a[2] = {1, 2, 3};",
                "line 4; error   : Too many initial values for variable 'a'");
  expectRefused(".global .u32 a = {1};", "Initializer of variable 'a' does not fit its type");
  expectRefused(".global .u64 a = nothing;", "Unknown symbol 'nothing'");
  expectRefused(".global .u32 b; .global .u32 a = b;", "the address of 'b' needs 64 bits");
  expectRefused(".global .u32 a; .global .f32 a;", "Duplicate definition of variable 'a'");
  expectRefused(".local .u32 a;",
                "Module-scoped variables in .local state space are not allowed with ABI");
  expectRefused(".shared .u32 a = 1;", "Initial value of variable 'a' in .shared");
  expectRefused(".global .align 3 .u32 a;", "expected an alignment that is a power of two");
  expectRefused(".global .u128 a;", "'.u128' is not supported");
  expectRefused(".global .u32 a[2;", "expected ']'");
  expectRefused(".const .b8 a[70000]; .entry k() { .reg .u32 r; ld.const.u32 r, [a]; ret; }",
                "constant memory of the module is 70000 bytes");
}

int main() {
  CUDA_OK(cudaFree(nullptr));
  testValues();
  testAddresses();
  testSpaces();
  testTextures();
  testSurfaces();
  testErrors();
  return finish();
}
