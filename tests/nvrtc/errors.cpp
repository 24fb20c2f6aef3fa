// RUN: %nvcc -O1 -I%S/Inputs %s -lnvrtc -lcuda -o %t
// RUN: %t %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codes and logs: of programs, pointers and options that are wrong.
#include "rtc.h"

#include <fstream>
#include <iterator>

static void badPointers() {
  nvrtcProgram program = nullptr, none = nullptr, wrong = reinterpret_cast<nvrtcProgram>(&program);
  const char *null = nullptr;
  int number;
  size_t size;
  char byte;
  CHECK(nvrtcVersion(nullptr, &number) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcVersion(&number, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcGetNumSupportedArchs(nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcGetSupportedArchs(nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcCreateProgram(nullptr, "", nullptr, 0, nullptr, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcCreateProgram(&program, nullptr, nullptr, 0, nullptr, nullptr) ==
        NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcCreateProgram(&program, "", nullptr, -1, nullptr, nullptr) ==
        NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcCreateProgram(&program, "", nullptr, 1, nullptr, &null) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcCreateProgram(&program, "", nullptr, 1, &null, &null) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcDestroyProgram(nullptr) == NVRTC_ERROR_INVALID_PROGRAM);
  for (nvrtcProgram bad : {none, wrong}) {
    nvrtcProgram copy = bad;
    CHECK(nvrtcDestroyProgram(&copy) == NVRTC_ERROR_INVALID_PROGRAM);
    CHECK(nvrtcCompileProgram(bad, 0, nullptr) == NVRTC_ERROR_INVALID_PROGRAM);
    CHECK(nvrtcGetPTXSize(bad, &size) == NVRTC_ERROR_INVALID_PROGRAM);
    CHECK(nvrtcGetPTX(bad, &byte) == NVRTC_ERROR_INVALID_PROGRAM);
    CHECK(nvrtcGetProgramLog(bad, &byte) == NVRTC_ERROR_INVALID_PROGRAM);
    CHECK(nvrtcAddNameExpression(bad, "x") == NVRTC_ERROR_INVALID_PROGRAM);
    CHECK(nvrtcGetPCHCreateStatus(bad) == NVRTC_ERROR_INVALID_PROGRAM);
  }
  Rtc rtc("");
  CHECK(nvrtcCompileProgram(rtc.program, 1, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcCompileProgram(rtc.program, 1, &null) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcCompileProgram(rtc.program, -1, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcGetPTXSize(rtc.program, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcGetPTX(rtc.program, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcGetCUBINSize(rtc.program, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcGetProgramLogSize(rtc.program, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcAddNameExpression(rtc.program, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(nvrtcSetFlowCallback(rtc.program, nullptr, nullptr) == NVRTC_ERROR_INVALID_INPUT);
  CHECK(rtc.ptx() == "" && rtc.cubin() == "" && rtc.log() == "");
  CHECK(nvrtcGetNVVMSize(rtc.program, &size) == NVRTC_SUCCESS && size == 0);
  CHECK(nvrtcGetNVVM(rtc.program, &byte) == NVRTC_SUCCESS);
  CHECK(nvrtcGetOptiXIRSize(rtc.program, &size) == NVRTC_SUCCESS && size == 0);
  CHECK(nvrtcGetOptiXIR(rtc.program, &byte) == NVRTC_SUCCESS);
  CHECK(nvrtcGetOptiXIR(rtc.program, nullptr) == NVRTC_ERROR_INVALID_INPUT);
}

static void badSources() {
  struct {
    const char *source, *log;
  } cases[] = {
      {"__global__ void k(int *p) { x = 1; }",
       "my.cu(1): error: identifier \"x\" is undefined\n"
       "  __global__ void k(int *p) { x = 1; }\n"
       "                              ^\n\n"
       "1 error detected in the compilation of \"my.cu\".\n"},
      {"\n#include \"other.h\"",
       "my.cu(2): catastrophic error: cannot open source file \"other.h\"\n"
       "  #include \"other.h\"\n"
       "           ^\n\n"
       "1 catastrophic error detected in the compilation of \"my.cu\".\n"
       "Compilation terminated.\n"},
      {"__global__ int k() { return 1; }",
       "my.cu(1): error: kernel function type 'int ()' must have void return type\n"
       "  __global__ int k() { return 1; }\n"
       "             ^\n\n"
       "1 error detected in the compilation of \"my.cu\".\n"},
      {"__global__ void k(int *p) {\n  asm(\"foo.u32 %0;\" : \"=r\"(*p));\n}",
       "my.cu(2): error: inline PTX: 'foo.u32' is not supported\n"},
  };
  for (auto &each : cases) {
    Rtc rtc(each.source, "my.cu");
    CHECK(rtc.compile().result == NVRTC_ERROR_COMPILATION);
    if (rtc.log() != each.log)
      printf("%s", rtc.log().c_str());
    CHECK(rtc.log() == each.log);
    CHECK(rtc.ptx() == "" && rtc.cubin() == "");
  }
  for (const char *name : {"-G", "--", "a b\"c.o", "/nonexistent/x.ptx", "."}) {
    Rtc odd("extern \"C\" __global__ void k() {}", name);
    odd.compile();
    CHECK(odd.result == NVRTC_SUCCESS ? odd.ptx().find(".entry k") != std::string::npos
                                      : odd.log() != "");
  }
  Rtc unused("__global__ void k(int *p) {\n  int never;\n  int set;\n  set = *p;\n}", "my.cu");
  CHECK(unused.compile().result == NVRTC_SUCCESS);
  CHECK(unused.log().find("my.cu(2): warning #177-D: unused variable 'never'") !=
        std::string::npos);
  CHECK(unused.log().find("my.cu(3): warning #550-D: variable 'set' set but not used") !=
        std::string::npos);
  CHECK(unused.compile({"-w"}).log() == "");
  Rtc empty("");
  CHECK(empty.compile().result == NVRTC_SUCCESS && empty.ptx() != "");
  // PTX may call what is elsewhere, machine code may not.
  Rtc elsewhere("extern __device__ int f(); __global__ void k(int *p) { *p = f(); }");
  CHECK(elsewhere.compile().result == NVRTC_SUCCESS);
  CHECK(elsewhere.ptx().find(".extern .func") != std::string::npos);
  CHECK(elsewhere.compile({"-arch=sm_90"}).result == NVRTC_ERROR_COMPILATION);
  CHECK(elsewhere.log() == "default_program: error: unresolved extern function 'f()'\n");
  CHECK(elsewhere.ptx().find(".extern .func") != std::string::npos && elsewhere.cubin() == "");
  Rtc inHeader("#include \"a.h\"", nullptr, {"\n\nint x = ;"}, {"a.h"});
  CHECK(inHeader.compile().result == NVRTC_ERROR_COMPILATION);
  CHECK(inHeader.log().compare(0, 14, "a.h(3): error:") == 0);
}

static void badOptions() {
  struct {
    const char *option, *message;
  } cases[] = {{"--foo", "unrecognized option --foo found"},
               {"-foo=3", "unrecognized option -foo=3 found"},
               {"", "unrecognized option  found"},
               {"-O3", "unrecognized option -O3 found"},
               {"-Xptxas -v", "unrecognized option -Xptxas -v found"},
               {"-ftz=maybe", "--ftz (-ftz) expects true or false"},
               {"-rdc=maybe", "--relocatable-device-code (-rdc) expects true or false"},
               {"-maxrregcount=x", "--maxrregcount (-maxrregcount) expects an integer value"},
               {"-ftz", "--ftz (-ftz) expects true or false"},
               {"-time", "unrecognized option -time found"},
               {"-dopt=off", "invalid argument for option --dopt (-dopt): off"},
               {"-jtd=102", "Argument for --jump-table-density must be between [0-101]"},
               {"-std=c++98", "invalid value for --std(-std)"},
               {"-arch=sm_12", "invalid value for --gpu-architecture (-arch)"},
               {"-arch=all", "invalid value for --gpu-architecture (-arch)"},
               {"-arch", "invalid value for --gpu-architecture (-arch)"},
               {"-arch=sm_80a", "invalid value for --gpu-architecture (-arch)"},
               {"--optix-ir", "--optix-ir (-optix-ir) is not supported by Heddle"}};
  Rtc rtc("__global__ void k() {}");
  for (auto &each : cases) {
    CHECK(rtc.compile({"-lineinfo", each.option}).result == NVRTC_ERROR_INVALID_OPTION);
    CHECK(rtc.log() == "nvrtc: error: " + std::string(each.message) + "\n");
  }
  CHECK(rtc.compile({"-ewp", "-rdc", "true"}).result == NVRTC_ERROR_INVALID_OPTION);
  CHECK(rtc.log().find("(-ewp) is not compatible with") != std::string::npos);
  // Values that are options of their own:
  CHECK(rtc.compile({"-Xptxas", "-O3", "--ptxas-options", "-v", "-ftz", "true", "--fmad", "false",
                     "-maxrregcount", "32", "-dopt", "on", "-arch", "sm_90"})
            .result == NVRTC_SUCCESS);
}

static int cancel(void *payload, void *) { return ++*static_cast<int *>(payload) == 2; }

int main(int, char **arguments) {
  badPointers();
  badSources();
  badOptions();

  Rtc rtc("__global__ void k() {}");
  int calls = 0;
  CHECK(nvrtcSetFlowCallback(rtc.program, cancel, &calls) == NVRTC_SUCCESS);
  CHECK(rtc.compile().result == NVRTC_ERROR_CANCELLED && calls == 2);
  CHECK(rtc.compile({"-time=/nonexistent/file"}).result == NVRTC_ERROR_TIME_FILE_WRITE_FAILED);
  std::string path = std::string(arguments[1]) + ".csv";
  std::remove(path.c_str());
  CHECK(rtc.compile({("-time=" + path).c_str()}).result == NVRTC_SUCCESS);
  std::ifstream file(path);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {})
            .find("default_program, CUDA C++ Frontend, ") != std::string::npos);

  int major = 0, minor = 0, count = 0;
  CHECK(nvrtcVersion(&major, &minor) == NVRTC_SUCCESS && major == 12 && minor == 8);
  CHECK(nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 10);
  std::vector<int> all(count);
  CHECK(nvrtcGetSupportedArchs(all.data()) == NVRTC_SUCCESS && all[0] == 50 && all.back() == 120);
  size_t heap = 0;
  CHECK(nvrtcSetPCHHeapSize(1 << 20) == NVRTC_SUCCESS);
  CHECK(nvrtcGetPCHHeapSize(&heap) == NVRTC_SUCCESS && heap == 1 << 20);
  CHECK(nvrtcGetPCHHeapSizeRequired(rtc.program, &heap) == NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
  CHECK(nvrtcGetPCHCreateStatus(rtc.program) == NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
  CHECK(nvrtcGetErrorString(NVRTC_ERROR_CANCELLED) == std::string("NVRTC_ERROR_CANCELLED"));
  CHECK(nvrtcGetErrorString(static_cast<nvrtcResult>(99)) == std::string("NVRTC_ERROR unknown"));
}
