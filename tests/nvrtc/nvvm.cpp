// RUN: %nvcc -I%build/lib/heddle/nvvm/include %s -L%build/lib -lnvvm -lcuda -o %t
// RUN: clang --target=nvptx64-nvidia-cuda -c -emit-llvm -x ir %S/Inputs/nvvm_scale.ll -o %t.bc
// RUN: %t %t.bc %build/lib/heddle/nvvm/libdevice/libdevice.10.bc %build/lib
// RUN: %python %S/Inputs/old_bitcode.py %t.old.bc
// RUN: %t %t.old.bc %build/lib/heddle/nvvm/libdevice/libdevice.10.bc %build/lib
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libNVVM: modules of text with types of pointers, of bitcode and of LLVM 7's bitcode, libdevice, options, and what is wrong. The calls are in
// the order that Numba has.
#include <cuda.h>
#include <nvvm.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

static int failures;
#define EXPECT(condition)                                                                          \
  ((condition) ? 0 : (std::printf("%d: %s\n", __LINE__, #condition), ++failures))

/// As LLVM 7 has it: all kinds of types before a star, an argument by value, intrinsics that have other names now.
static const std::string Text = R"(
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%pair = type { i32, float* }  ; a comment with i32*
@table = internal addrspace(1) constant [3 x i32] [i32 10, i32 20, i32 30]
@text = internal addrspace(1) constant [5 x i8] c"i8*;\00"
@buffer = internal addrspace(3) global [64 x double] undef
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1
declare void @llvm.nvvm.barrier0()
declare double @__nv_sin(double)
declare double @scale(double)
declare i8* @__nv_sincosf(float, float*, float*)  ; which returns nothing; so has Numba
declare float @llvm.nvvm.atomic.load.add.f32.p0f32(float*, float)
declare void @llvm.memcpy.p0i8.p0i8.i64(i8* nocapture writeonly, i8* nocapture readonly, i64, i1)

define void @kernel(double* %out, { i32, [2 x i32*] }* nocapture %unused, %pair* byval align 8 %given) #0 {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = sext i32 %i to i64
  %place = getelementptr inbounds [64 x double], [64 x double]* addrspacecast ([64 x double] addrspace(3)* @buffer to [64 x double]*), i64 0, i64 %wide
  %x = sitofp i32 %i to double
  %sin = call double @__nv_sin(double %x)
  %scaled = call double @scale(double %sin)
  store double %scaled, double* %place, align 8
  call void @llvm.nvvm.barrier0()
  %function = select i1 true, double (double*, i64)* @read, double (double*, i64)* null
  %back = call double %function(double* %place, i64 0)
  %field = getelementptr %pair, %pair* %given, i32 0, i32 0
  %n = load i32, i32* %field
  %index = sext i32 %n to i64
  %row = getelementptr [3 x i32], [3 x i32] addrspace(1)* @table, i64 0, i64 %index
  %t = load i32, i32 addrspace(1)* %row
  %td = sitofp i32 %t to double
  %sum = fadd double %back, %td
  %to = getelementptr double, double* %out, i64 %wide
  store double %sum, double* %to, align 8
  %sumPlace = getelementptr %pair, %pair* %given, i32 0, i32 1
  %total = load float*, float** %sumPlace
  %old = call float @llvm.nvvm.atomic.load.add.f32.p0f32(float* %total, float 1.0)
  %sine = alloca float
  %nothing = call i8* @__nv_sincosf(float 0.0, float* %sine, float* %sine)
  ret void
}

define internal double @read(double* %p, i64 %i) {
  %q = getelementptr double, double* %p, i64 %i
  %v = load double, double* %q
  ret double %v
}

attributes #0 = { nounwind }
attributes #1 = { nounwind readnone }
!nvvm.annotations = !{!0}
!nvvmir.version = !{!1}
!0 = !{void (double*, { i32, [2 x i32*] }*, %pair*)* @kernel, !"kernel", i32 1}
!1 = !{i32 2, i32 0, i32 3, i32 1}
)";

static std::string contentsOf(const char *file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Program {
  nvvmProgram handle = nullptr;
  Program() { EXPECT(nvvmCreateProgram(&handle) == NVVM_SUCCESS); }
  ~Program() { EXPECT(nvvmDestroyProgram(&handle) == NVVM_SUCCESS && !handle); }

  void add(const std::string &code, bool isLazy = false) {
    EXPECT((isLazy ? nvvmLazyAddModuleToProgram : nvvmAddModuleToProgram)(
               handle, code.data(), code.size(), "module") == NVVM_SUCCESS);
  }
  nvvmResult compile(std::vector<const char *> options = {}) {
    return nvvmCompileProgram(handle, int(options.size()), options.data());
  }
  std::string log() {
    size_t size = 0;
    EXPECT(nvvmGetProgramLogSize(handle, &size) == NVVM_SUCCESS && size > 0);
    std::vector<char> text(size);
    EXPECT(nvvmGetProgramLog(handle, text.data()) == NVVM_SUCCESS);
    return text.data();
  }
  std::string result() {
    size_t size = 0;
    EXPECT(nvvmGetCompiledResultSize(handle, &size) == NVVM_SUCCESS);
    std::vector<char> text(size + 1);
    EXPECT(nvvmGetCompiledResult(handle, text.data()) == NVVM_SUCCESS);
    return text.data();
  }
};

static void testRun(const std::string &scale, const std::string &libdevice) {
  Program program;
  program.add(Text);
  program.add(scale);
  program.add(libdevice, /*isLazy=*/true);
  EXPECT(nvvmVerifyProgram(program.handle, 0, nullptr) == NVVM_SUCCESS);
  const nvvmResult code = program.compile({"-arch=compute_80", "-opt=3", "-ftz=0", "-prec-sqrt=1",
                                           "-prec-div=1", "-fma=1", "-generate-line-info"});
  if (code != NVVM_SUCCESS)
    std::printf("%s: %s\n", nvvmGetErrorString(code), program.log().c_str()), ++failures;
  const std::string ptx = program.result();
  EXPECT(ptx.find(".target sm_80") != ptx.npos && ptx.find(".entry kernel") != ptx.npos);

  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  EXPECT(!cuInit(0) && !cuDeviceGet(&device, 0) && !cuDevicePrimaryCtxRetain(&context, device) &&
         !cuCtxSetCurrent(context));
  EXPECT(!cuModuleLoadData(&module, ptx.c_str()) &&
         !cuModuleGetFunction(&kernel, module, "kernel"));
  constexpr unsigned Threads = 64;
  CUdeviceptr out, total;
  EXPECT(!cuMemAlloc(&out, Threads * sizeof(double)) && !cuMemAlloc(&total, 4) &&
         !cuMemsetD32(total, 0, 1));
  struct {
    int n;
    CUdeviceptr total;
  } pair = {2, total};
  CUdeviceptr unused = 0;
  void *args[] = {&out, &unused, &pair};
  EXPECT(!cuLaunchKernel(kernel, 1, 1, 1, Threads, 1, 1, 0, nullptr, args, nullptr) &&
         !cuCtxSynchronize());
  double got[Threads] = {};
  float count = 0;
  EXPECT(!cuMemcpyDtoH(got, out, sizeof got) && !cuMemcpyDtoH(&count, total, 4));
  for (unsigned i = 0; i < Threads; ++i)
    EXPECT(std::fabs(got[i] - (3 * std::sin(double(i)) + 30)) < 1e-12);
  EXPECT(count == Threads);
}

/// Inline PTX stays as it is, and nothing is contracted that is not optimised.
static void testText() {
  const std::string text = R"(
target triple = "nvptx64-nvidia-cuda"
define void @k(float* %p, float %x) {
  %r = call float asm "rsqrt.approx.f32 $0, $1;", "=f,f"(float %x)
  %m = fmul float %x, %x
  %s = fadd float %m, %r
  store float %s, float* %p
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (float*, float)* @k, !"kernel", i32 1}
)";
  for (const char *option : {"-opt=3", "-opt=0"}) {
    Program program;
    program.add(text);
    EXPECT(program.compile({"-arch=compute_75", option}) == NVVM_SUCCESS);
    const std::string ptx = program.result();
    EXPECT(ptx.find("rsqrt.approx.f32 ") != ptx.npos);
    EXPECT((ptx.find("fma.rn.f32") == ptx.npos) == !std::strcmp(option, "-opt=0"));
  }
}

/// Functions of libdevice that a GPU has instructions for are these, which flush with -ftz=1.
static void testFast() {
  const std::string text = R"(
target triple = "nvptx64-nvidia-cuda"
declare float @__nv_fast_sinf(float)
declare float @__nv_fast_tanf(float)
declare float @__nv_fast_logf(float)
declare float @__nv_fast_powf(float, float)
declare float @__nv_fast_fdividef(float, float)
declare float @__nv_fast_tanhf(float)
define float @f(float %x, float %y) {
  %a = call float @__nv_fast_sinf(float %x)
  %b = call float @__nv_fast_tanf(float %a)
  %c = call float @__nv_fast_logf(float %b)
  %d = call float @__nv_fast_powf(float %c, float %y)
  %e = call float @__nv_fast_fdividef(float %d, float %y)
  %f = call float @__nv_fast_tanhf(float %e)
  ret float %f
}
)";
  for (bool flushes : {false, true}) {
    Program program;
    program.add(text);
    EXPECT(program.compile({"-arch=compute_75", flushes ? "-ftz=1" : "-ftz=0"}) == NVVM_SUCCESS);
    const std::string ptx = program.result();
    for (const char *name : {"sin", "cos", "div", "lg2", "ex2"})
      EXPECT(ptx.find(std::string(name) + ".approx." + (flushes ? "ftz." : "") + "f32 ") !=
             ptx.npos);
    EXPECT(ptx.find("tanh.approx.f32 ") != ptx.npos);
  }
}

/// Operations of a warp that have a mode in NVVM, and inline PTX that stays in its branch.
static void testWarpOperations() {
  const std::string text = R"(
target triple = "nvptx64-nvidia-cuda"
declare { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.vote.sync(i32, i32, i1)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i64(i32, i64)
define i32 @f(i32 %x, i64 %y, i1 %z) {
  %a = call { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32 -1, i32 3, i32 %x, i32 1, i32 31)
  %b = extractvalue { i32, i1 } %a, 0
  %c = call { i32, i1 } @llvm.nvvm.vote.sync(i32 %b, i32 3, i1 %z)
  %d = extractvalue { i32, i1 } %c, 0
  %e = call { i32, i1 } @llvm.nvvm.match.all.sync.i64(i32 %d, i64 %y)
  %p = extractvalue { i32, i1 } %e, 1
  br i1 %p, label %yes, label %no
yes:
  %g = call i32 asm sideeffect "activemask.b32 $0;", "=r"()
  ret i32 %g
no:
  %h = call i32 asm sideeffect "activemask.b32 $0;", "=r"()
  ret i32 %h
}
)";
  Program program;
  program.add(text);
  EXPECT(program.compile({"-arch=compute_75"}) == NVVM_SUCCESS);
  const std::string ptx = program.result();
  for (const char *name : {"shfl.sync.bfly.b32 ", "vote.sync.ballot.b32 ", "match.all.sync.b64 "})
    EXPECT(ptx.find(name) != ptx.npos);
  EXPECT(ptx.find("activemask") != ptx.rfind("activemask"));
}

/// A kernel that launches itself, with sizes as values; functions of the device runtime are left to its library.
static void testChildren(const std::string &toolkit) {
  const std::string text = R"(
target triple = "nvptx64-nvidia-cuda"
%struct.dim3 = type { i32, i32, i32 }
declare void @llvm.cuda.syncthreads()
declare i8* @cudaGetParameterBufferV2(i8*, %struct.dim3, %struct.dim3, i32)
declare i32 @cudaLaunchDeviceV2(i8*, i8*)
define void @k(i32* %count, i32 %depth) {
  %old = atomicrmw add i32* %count, i32 %depth seq_cst
  call void @llvm.cuda.syncthreads()
  %more = icmp slt i32 %depth, 4
  br i1 %more, label %launch, label %done
launch:
  %place = call i8* @cudaGetParameterBufferV2(i8* bitcast (void (i32*, i32)* @k to i8*), %struct.dim3 { i32 2, i32 1, i32 1 }, %struct.dim3 { i32 1, i32 1, i32 1 }, i32 0)
  %first = bitcast i8* %place to i32**
  store i32* %count, i32** %first
  %behind = getelementptr i8, i8* %place, i64 8
  %second = bitcast i8* %behind to i32*
  %next = add i32 %depth, 1
  store i32 %next, i32* %second
  %code = call i32 @cudaLaunchDeviceV2(i8* %place, i8* null)
  br label %done
done:
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32*, i32)* @k, !"kernel", i32 1}
)";
  Program program;
  program.add(text);
  EXPECT(program.compile({"-arch=compute_75"}) == NVVM_SUCCESS);
  const std::string ptx = program.result();
  EXPECT(ptx.find("bar.sync") != ptx.npos);
  for (const char *name : {"cudaGetParameterBufferV2", "cudaLaunchDeviceV2"})
    EXPECT(ptx.find(std::string(") ") + name) != ptx.npos && ptx.find("__heddle") == ptx.npos);
  CUlinkState link;
  void *cubin = nullptr;
  size_t size = 0;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr count;
  EXPECT(!cuLinkCreate(0, nullptr, nullptr, &link) &&
         !cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char *>(ptx.c_str()), ptx.size() + 1,
                        "k", 0, nullptr, nullptr) &&
         !cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, (toolkit + "/libcudadevrt.a").c_str(), 0,
                        nullptr, nullptr) &&
         !cuLinkComplete(link, &cubin, &size) && !cuModuleLoadData(&module, cubin) &&
         !cuLinkDestroy(link) && !cuModuleGetFunction(&kernel, module, "k"));
  int depth = 1, sum = 0;
  void *args[] = {&count, &depth};
  EXPECT(!cuMemAlloc(&count, 4) && !cuMemsetD32(count, 0, 1) &&
         !cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr) &&
         !cuCtxSynchronize() && !cuMemcpyDtoH(&sum, count, 4));
  EXPECT(sum == 1 + 2 * 2 + 4 * 3 + 8 * 4);
}

static void testErrors() {
  int a = 0, b = 0, c = 0, d = 0;
  EXPECT(nvvmVersion(&a, &b) == NVVM_SUCCESS && a == 2 && b == 0 &&
         nvvmVersion(nullptr, &b) == NVVM_ERROR_INVALID_INPUT);
  EXPECT(nvvmIRVersion(&a, &b, &c, &d) == NVVM_SUCCESS && a == 2 && c == 3);
  EXPECT(nvvmLLVMVersion("compute_90", &a) == NVVM_SUCCESS && a == 7 &&
         nvvmLLVMVersion("compute_100", &a) == NVVM_SUCCESS && a > 7);
  EXPECT(!strcmp(nvvmGetErrorString(NVVM_ERROR_INVALID_IR), "NVVM_ERROR_INVALID_IR"));
  Program program;
  EXPECT(program.compile() == NVVM_ERROR_NO_MODULE_IN_PROGRAM);
  EXPECT(nvvmAddModuleToProgram(program.handle, nullptr, 5, "x") == NVVM_ERROR_INVALID_INPUT);
  EXPECT(nvvmAddModuleToProgram(nullptr, "x", 1, "x") == NVVM_ERROR_INVALID_PROGRAM);
  EXPECT(nvvmGetCompiledResultSize(program.handle, nullptr) == NVVM_ERROR_INVALID_INPUT);
  program.add("define void @k(i32* %p) {\n  store i33 1, i32* %q\n  ret void\n}\n");
  EXPECT(program.compile({"-arch=compute_80", "-nothing"}) == NVVM_ERROR_INVALID_OPTION &&
         program.log().find("-nothing is an unsupported option") != std::string::npos);
  EXPECT(program.compile({"-opt=2"}) == NVVM_ERROR_INVALID_OPTION);
  EXPECT(program.compile() == NVVM_ERROR_INVALID_IR &&
         program.log().find("module (2, ") != std::string::npos);
  EXPECT(program.result().empty());
  // Whatever stands before a star: nothing of it may end the process.
  for (const char *text :
       {"*", ")*", "(*", "]*", "[ [ *", "addrspace(1)*", "define void @f(i32* byval", "\"", "c\"*",
        "%*", "i32 ()()*", "byval *", "}*}*", "ptr* byval* %"}) {
    Program wrong;
    wrong.add(text);
    EXPECT(wrong.compile() == NVVM_ERROR_INVALID_IR);
  }
  Program half;
  half.add(std::string("BC\xc0\xde", 4) + std::string(40, 'x'));
  EXPECT(half.compile() == NVVM_ERROR_INVALID_IR && !half.log().empty());
}

int main(int, char **argv) {
  testRun(contentsOf(argv[1]), contentsOf(argv[2]));
  testText();
  testFast();
  testWarpOperations();
  testChildren(argv[3]);
  testErrors();
  if (!failures)
    std::printf("all right\n");
  return failures != 0;
}
