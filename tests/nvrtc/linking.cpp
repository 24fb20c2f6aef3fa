// RUN: %nvcc -O1 -I%S/Inputs %s -lnvrtc -lnvJitLink -lcuda -o %t
// RUN: %heddle cc -rdc=true -fatbin %S/Inputs/callee.cu -o %t.fatbin
// RUN: %heddle cc -rdc=true -c %S/Inputs/callee.cu -o %t.o
// RUN: %t %t.fatbin %t.o
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvJitLink: PTX, cubins and LTO IR of NVRTC, and what nvcc wrote, linked in all pairs; to a cubin and to PTX; what is
// wrong.
#include "rtc.h"

#include <nvJitLink.h>

#include <cstring>

static const char *Caller =
    "extern __device__ int callee(int x);\n"
    "extern \"C\" __global__ void kernel(int *out) { out[threadIdx.x] = callee(threadIdx.x); }";
static const char *Callee =
    "__device__ int factor = 3; __device__ int callee(int x) { return factor * x; }";

struct Link {
  nvJitLinkHandle handle = nullptr;
  nvJitLinkResult result;

  explicit Link(std::vector<const char *> options = {"-arch=sm_90"}) {
    result = nvJitLinkCreate(&handle, uint32_t(options.size()), options.data());
  }
  ~Link() { CHECK(nvJitLinkDestroy(&handle) == NVJITLINK_SUCCESS && !handle); }
  nvJitLinkResult add(nvJitLinkInputType type, const std::string &code, const char *name = "code") {
    return nvJitLinkAddData(handle, type, code.data(), code.size(), name);
  }
  std::string cubin() {
    CHECK(nvJitLinkComplete(handle) == NVJITLINK_SUCCESS);
    size_t size = 0;
    CHECK(nvJitLinkGetLinkedCubinSize(handle, &size) == NVJITLINK_SUCCESS && size > 0);
    std::string bytes(size, 'x');
    CHECK(nvJitLinkGetLinkedCubin(handle, bytes.data()) == NVJITLINK_SUCCESS);
    CHECK(nvJitLinkGetLinkedPtxSize(handle, &size) == NVJITLINK_ERROR_INVALID_INPUT);
    return bytes;
  }
  std::string errors() {
    size_t size = 0;
    CHECK(nvJitLinkGetErrorLogSize(handle, &size) == NVJITLINK_SUCCESS);
    std::string text(size, 'x');
    CHECK(nvJitLinkGetErrorLog(handle, text.data()) == NVJITLINK_SUCCESS);
    return text;
  }
};

struct Code {
  nvJitLinkInputType type;
  std::string bytes;
};

static std::vector<Code> codesOf(const char *source) {
  Rtc rtc(source);
  CHECK(rtc.compile({"-rdc=true", "-arch=sm_90"}).result == NVRTC_SUCCESS);
  std::vector<Code> codes = {{NVJITLINK_INPUT_PTX, rtc.ptx()},
                             {NVJITLINK_INPUT_CUBIN, rtc.cubin()}};
  CHECK(rtc.compile({"-dlto", "-arch=sm_90"}).result == NVRTC_SUCCESS);
  codes.push_back({NVJITLINK_INPUT_LTOIR, rtc.ltoIr()});
  return codes;
}

static void checkModule(const std::string &code) {
  CUmodule module = load(code);
  CHECK(run(module, "kernel")[7] == 21);
  CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
}

/// A fat binary as NVIDIA's tools write it: a head, and one entry of PTX.
static std::string fatBinaryOf(const std::string &ptx, uint32_t architecture) {
  std::string bytes(16 + 64, '\0');
  auto put = [&](size_t at, auto value) { std::memcpy(&bytes[at], &value, sizeof value); };
  put(0, uint32_t(0xBA55ED50));
  put(4, uint16_t(1));
  put(6, uint16_t(16));
  put(8, uint64_t(64 + ptx.size()));
  put(16, uint16_t(1));
  put(20, uint32_t(64));
  put(24, uint64_t(ptx.size()));
  put(44, architecture);
  return bytes + ptx;
}

static void pairs(const char *fatbin, const char *object) {
  std::vector<Code> callers = codesOf(Caller), callees = codesOf(Callee);
  for (const Code &caller : callers)
    for (const Code &callee : callees) {
      Link link({"-arch=sm_90", "-lto", "-O3", "-maxrregcount=32"});
      CHECK(link.add(caller.type, caller.bytes) == NVJITLINK_SUCCESS);
      CHECK(link.add(NVJITLINK_INPUT_ANY, callee.bytes) == NVJITLINK_SUCCESS);
      checkModule(link.cubin());
      CHECK(link.errors().empty());
    }
  Link file;
  CHECK(file.add(NVJITLINK_INPUT_PTX, callers[0].bytes) == NVJITLINK_SUCCESS);
  CHECK(nvJitLinkAddFile(file.handle, NVJITLINK_INPUT_FATBIN, fatbin) == NVJITLINK_SUCCESS);
  checkModule(file.cubin());
  for (nvJitLinkInputType type : {NVJITLINK_INPUT_FATBIN, NVJITLINK_INPUT_ANY}) {
    Link theirs;
    CHECK(theirs.add(NVJITLINK_INPUT_PTX, callers[0].bytes) == NVJITLINK_SUCCESS);
    CHECK(theirs.add(type, fatBinaryOf(callees[0].bytes, 90)) == NVJITLINK_SUCCESS);
    checkModule(theirs.cubin());
    Link embedded;
    CHECK(embedded.add(NVJITLINK_INPUT_PTX, callers[0].bytes) == NVJITLINK_SUCCESS);
    CHECK(embedded.add(NVJITLINK_INPUT_LIBRARY, "!<arch>\n" + fatBinaryOf(callees[0].bytes, 90)) ==
          NVJITLINK_SUCCESS);
    checkModule(embedded.cubin());
    CHECK(theirs.add(type, fatBinaryOf(callees[0].bytes, 120)) == NVJITLINK_ERROR_UNRECOGNIZED_INPUT);
    CHECK(theirs.errors().find("has no PTX for sm_90") != std::string::npos);
  }
  for (nvJitLinkInputType type :
       {NVJITLINK_INPUT_OBJECT, NVJITLINK_INPUT_LIBRARY, NVJITLINK_INPUT_ANY}) {
    Link host; // what the host's linker takes
    CHECK(host.add(NVJITLINK_INPUT_PTX, callers[0].bytes) == NVJITLINK_SUCCESS);
    CHECK(nvJitLinkAddFile(host.handle, type, object) == NVJITLINK_SUCCESS);
    checkModule(host.cubin());
  }

  Link ptx({"-arch=sm_90", "-lto", "-ptx"});
  CHECK(ptx.add(NVJITLINK_INPUT_LTOIR, callers[2].bytes) == NVJITLINK_SUCCESS);
  CHECK(ptx.add(NVJITLINK_INPUT_LTOIR, callees[2].bytes) == NVJITLINK_SUCCESS);
  CHECK(nvJitLinkComplete(ptx.handle) == NVJITLINK_SUCCESS);
  size_t size = 0;
  CHECK(nvJitLinkGetLinkedCubinSize(ptx.handle, &size) == NVJITLINK_ERROR_INVALID_INPUT);
  CHECK(nvJitLinkGetLinkedPtxSize(ptx.handle, &size) == NVJITLINK_SUCCESS);
  std::string text(size, 'x');
  CHECK(nvJitLinkGetLinkedPtx(ptx.handle, text.data()) == NVJITLINK_SUCCESS && text.back() == '\0');
  checkModule(text);
}

static void badLinks() {
  std::vector<Code> caller = codesOf(Caller), callee = codesOf(Callee);
  Link missing;
  CHECK(missing.add(NVJITLINK_INPUT_PTX, caller[0].bytes) == NVJITLINK_SUCCESS);
  CHECK(nvJitLinkComplete(missing.handle) == NVJITLINK_ERROR_INTERNAL);
  CHECK(missing.errors().find("Undefined reference to '_Z6calleei'") != std::string::npos);
  Link twice;
  CHECK(twice.add(NVJITLINK_INPUT_PTX, callee[0].bytes) == NVJITLINK_SUCCESS);
  CHECK(twice.add(NVJITLINK_INPUT_CUBIN, callee[1].bytes) == NVJITLINK_SUCCESS);
  CHECK(nvJitLinkComplete(twice.handle) == NVJITLINK_ERROR_INTERNAL);
  CHECK(twice.errors().find("Multiple definition of '_Z6calleei'") != std::string::npos);

  Link wrong;
  CHECK(wrong.add(NVJITLINK_INPUT_LTOIR, caller[2].bytes) == NVJITLINK_ERROR_LTO_NOT_ENABLED);
  CHECK(wrong.add(NVJITLINK_INPUT_PTX, caller[1].bytes) == NVJITLINK_ERROR_INCORRECT_INPUT_TYPE);
  CHECK(wrong.add(NVJITLINK_INPUT_CUBIN, caller[0].bytes) == NVJITLINK_ERROR_INCORRECT_INPUT_TYPE);
  CHECK(wrong.add(NVJITLINK_INPUT_CUBIN, "\x7f"
                                         "ELF of another") == NVJITLINK_ERROR_INCORRECT_INPUT_TYPE);
  CHECK(wrong.add(NVJITLINK_INPUT_ANY, "nothing of the kind") ==
        NVJITLINK_ERROR_UNRECOGNIZED_INPUT);
  CHECK(wrong.add(NVJITLINK_INPUT_NONE, caller[0].bytes) == NVJITLINK_ERROR_INCORRECT_INPUT_TYPE);
  CHECK(wrong.add(NVJITLINK_INPUT_OBJECT, caller[1].bytes) == NVJITLINK_ERROR_INCORRECT_INPUT_TYPE);
  CHECK(wrong.add(NVJITLINK_INPUT_LIBRARY, "!<arch>\n") == NVJITLINK_SUCCESS);
  CHECK(wrong.add(NVJITLINK_INPUT_PTX, ".version 7.0\n.target sm_90\n.foo") ==
        NVJITLINK_ERROR_PTX_COMPILE);
  CHECK(wrong.errors().find("line 3") != std::string::npos);
  Link older({"-arch=sm_75"});
  CHECK(older.add(NVJITLINK_INPUT_PTX, callee[0].bytes) == NVJITLINK_ERROR_PTX_COMPILE);
  CHECK(older.errors().find("SM version specified by .target is higher") != std::string::npos);
  CHECK(nvJitLinkAddFile(wrong.handle, NVJITLINK_INPUT_PTX, "/nonexistent") ==
        NVJITLINK_ERROR_INVALID_INPUT);
  CHECK(nvJitLinkAddData(wrong.handle, NVJITLINK_INPUT_PTX, nullptr, 1, "x") ==
        NVJITLINK_ERROR_NULL_INPUT);
  CHECK(nvJitLinkComplete(wrong.handle) == NVJITLINK_ERROR_INVALID_INPUT);
}

static void badOptions() {
  struct {
    std::vector<const char *> options;
    nvJitLinkResult result;
    const char *message;
  } cases[] = {
      {{"-lto"}, NVJITLINK_ERROR_MISSING_ARCH, "-arch=sm_NN is missing"},
      {{"-arch=sm_90", "-foo"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "unrecognized option: -foo"},
      {{"-arch=sm_90", "-O5"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "unsupported value of -O: 5"},
      {{"-arch=foo"}, NVJITLINK_ERROR_UNRECOGNIZED_ARCH, "unrecognized architecture (foo)"},
      {{"-arch=sm_10"}, NVJITLINK_ERROR_UNSUPPORTED_ARCH, "unsupported architecture (sm_10)"},
      {{"-arch=compute_90"},
       NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS,
       "ERROR: virtual arch requires -ptx"},
      {{"-arch=sm_90", "-ptx"}, NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS, "ERROR: -ptx requires -lto"}};
  for (auto &each : cases) {
    Link link(each.options);
    CHECK(link.result == each.result);
    CHECK(link.errors().find(each.message) == 0);
  }
}

int main(int, char **arguments) {
  useDevice();
  unsigned major = 0, minor = 0;
  CHECK(nvJitLinkVersion(&major, &minor) == NVJITLINK_SUCCESS && major == 12 && minor == 8);
  CHECK(nvJitLinkVersion(nullptr, &minor) == NVJITLINK_ERROR_NULL_INPUT);
  nvJitLinkHandle none = nullptr;
  CHECK(nvJitLinkCreate(nullptr, 0, nullptr) == NVJITLINK_ERROR_NULL_INPUT);
  CHECK(nvJitLinkCreate(&none, 1, nullptr) == NVJITLINK_ERROR_NULL_INPUT);
  CHECK(nvJitLinkComplete(none) == NVJITLINK_ERROR_NULL_INPUT);
  size_t size = 1;
  Link link;
  CHECK(nvJitLinkGetInfoLogSize(link.handle, &size) == NVJITLINK_SUCCESS && size == 0);
  char byte;
  CHECK(nvJitLinkGetInfoLog(link.handle, &byte) == NVJITLINK_SUCCESS);
  pairs(arguments[1], arguments[2]);
  badLinks();
  badOptions();
}
