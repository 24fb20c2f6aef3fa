// RUN: %nvcc -O1 -I%S/Inputs %s -lnvrtc -lcuda -o %t
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every option that the guide of NVRTC has is taken; those that decide code do; words that are made of them at random
// end with a code and a log.
#include "rtc.h"

#include <random>

static const char *Source = "#ifndef VALUE\n#define VALUE 1\n#endif\n"
                            "__device__ float divided(float a, float b) { return a / b; }\n"
                            "extern \"C\" __global__ void kernel(float *p, float a) {\n"
                            "  p[threadIdx.x] = divided(p[threadIdx.x], a) * 3.0f + VALUE;\n}\n";

// Those that change nothing here.
static const std::vector<const char *> Accepted = {
    "-dw", "-ewp", "-dopt=on", "-Ofc=0", "-Xptxas=-v", "-maxrregcount=32", "-extra-device-vectorization",
    "-modify-stack-limit=true", "-jtd=3", "-device-stack-protector=true", "-no-cache", "-frandom-seed=x", "-UVALUE",
    "-I/nonexistent", "-no-source-include", "-builtin-move-forward=false", "-builtin-initializer-list=false", "--pch",
    "-pch-dir=x", "-pch-verbose=true", "-pch-messages=false",
    "-instantiate-templates-in-pch=true", "-restrict", "-default-device", "-device-int128", "-device-float128",
    "-opt-info=inline", "-err-no", "-no-err-no", "-diag-error=1", "-diag-suppress=177", "-diag-warn=2",
    "-brief-diag=true",
    "-split-compile=2", "-minimal", "-fdevice-time-trace=x", "-dQ=true", "-prec-sqrt=true", "-std=c++17"};

static bool contains(const Rtc &rtc, const char *text) { return rtc.ptx().find(text) != std::string::npos; }

int main() {
  Rtc rtc(Source);
  std::vector<const char *> all = Accepted;
  CHECK(rtc.compile(all).result == NVRTC_SUCCESS);
  const std::string usual = rtc.ptx();
  CHECK(rtc.compile().ptx() == usual && contains(rtc, "div.rn.f32") && contains(rtc, "fma.rn.f32"));
  CHECK(!contains(rtc, ".loc") && !contains(rtc, "debug"));
  CHECK(rtc.compile({"-fmad=false"}).result == NVRTC_SUCCESS && !contains(rtc, "fma"));
  CHECK(rtc.compile({"--use_fast_math"}).result == NVRTC_SUCCESS && contains(rtc, "div.approx.ftz.f32"));
  CHECK(rtc.compile({"-prec-div=false"}).result == NVRTC_SUCCESS && contains(rtc, "div.full.f32"));
  CHECK(rtc.compile({"-ftz=true"}).result == NVRTC_SUCCESS && contains(rtc, "div.rn.ftz.f32"));
  CHECK(rtc.compile({"-lineinfo"}).result == NVRTC_SUCCESS && contains(rtc, ".loc\t") && !contains(rtc, ", debug"));
  CHECK(contains(rtc, ".file\t1 \"") && contains(rtc, "default_program\""));
  CHECK(rtc.compile({"-G"}).result == NVRTC_SUCCESS && contains(rtc, ".target sm_52, debug"));
  CHECK(rtc.compile({"-DVALUE=2"}).result == NVRTC_SUCCESS && rtc.ptx() != usual);
  CHECK(rtc.compile({"-D", "VALUE=2"}).result == NVRTC_SUCCESS && rtc.ptx() != usual);
  CHECK(rtc.compile({"--define-macro=VALUE=1", "-D=OTHER"}).result == NVRTC_SUCCESS && rtc.ptx() == usual);
  CHECK(rtc.compile({"-arch", "sm_90a"}).result == NVRTC_SUCCESS && contains(rtc, ".target sm_90a"));
  CHECK(rtc.compile({"-rdc=true"}).result == NVRTC_SUCCESS && contains(rtc, ".visible .func"));
  CHECK(rtc.compile({"-dlto"}).result == NVRTC_SUCCESS && rtc.ptx() == "" && rtc.ltoIr().size() > 100);
  CHECK(rtc.compile({"-fdevice-syntax-only"}).result == NVRTC_SUCCESS && rtc.ptx() == "");
  CHECK(rtc.compile({"-include=nowhere.h"}).result == NVRTC_ERROR_COMPILATION);
  CHECK(rtc.log().find("cannot open source file \"nowhere.h\"") != std::string::npos);
  CHECK(rtc.compile({"-time=-"}).result == NVRTC_SUCCESS && rtc.log().find("NVVM Optimizer") != std::string::npos);

  // Numbers of warnings.
  Rtc unused("__global__ void k(int *p) { int unused; p[0] = 1; }\n");
  CHECK(unused.compile({"-diag-warn=1,177"}).result == NVRTC_SUCCESS);
  CHECK(unused.log().find("warning #177-D: ") != std::string::npos);
  CHECK(unused.compile({"-diag-warn=177", "-no-err-no"}).result == NVRTC_SUCCESS);
  CHECK(unused.log().find("warning: ") != std::string::npos);
  CHECK(unused.compile({"--diag-error=177"}).result == NVRTC_ERROR_COMPILATION);
  CHECK(unused.compile({"-diag-error=177", "-diag-warn=177"}).result == NVRTC_SUCCESS);
  CHECK(unused.compile({"-diag-warn=177", "--diag-suppress=177"}).log() == "");
  CHECK(unused.compile({"-diag-warn=177", "-w"}).log() == "");
  CHECK(unused.compile({"-diag-suppress=177,x"}).result == NVRTC_ERROR_INVALID_OPTION);
  CHECK(unused.log().find("--diag-suppress (-diag-suppress) expects numbers") != std::string::npos);

  // The same in the source.
  Rtc pragmas("#pragma nv_diag_suppress 177, 550\n"
              "__global__ void k(int *p) { int first; p[0] = 1; }\n"
              "#pragma nv_diagnostic push\n"
              "#pragma nv_diag_error 177\n"
              "#pragma nv_diag_default 177\n"
              "__global__ void l(int *p) { int second; p[0] = 1; }\n"
              "#pragma nv_diagnostic pop\n"
              "#define QUIET _Pragma(\"nv_diag_suppress 177\")\n"
              "QUIET __global__ void m(int *p) { int third; p[0] = 1; }\n"
              "#pragma nv_diag_warning 177\n"
              "__global__ void n(int *p) { int fourth; p[0] = 1; }\n"
              "#pragma nv_diag_suppress declared_but_not_referenced\n");
  CHECK(pragmas.compile({"-diag-warn=177"}).result == NVRTC_SUCCESS);
  CHECK(pragmas.log().find("'first'") == std::string::npos && pragmas.log().find("'third'") == std::string::npos);
  CHECK(pragmas.log().find("'second'") != std::string::npos && pragmas.log().find("'fourth'") != std::string::npos);
  CHECK(pragmas.compile().result == NVRTC_SUCCESS && pragmas.log().find("'second'") != std::string::npos);

  std::mt19937 random(1);
  for (int i = 0; i < 400; i++) {
    std::vector<std::string> words;
    for (int n = int(random() % 4) + 1; n > 0; n--) {
      std::string word = Accepted[random() % Accepted.size()];
      for (int changes = int(random() % 3); changes > 0 && !word.empty(); changes--)
        switch (random() % 3) {
        case 0:
          word.erase(random() % word.size(), 1);
          break;
        case 1:
          word.insert(random() % word.size(), 1, char(random() % 94 + 33));
          break;
        default:
          word = word.substr(0, random() % word.size()) + Accepted[random() % Accepted.size()];
        }
      words.push_back(word);
    }
    words.push_back("-fdevice-syntax-only");
    std::vector<const char *> options;
    for (const std::string &word : words)
      options.push_back(word.c_str());
    rtc.compile(options);
    CHECK(rtc.result == NVRTC_SUCCESS || !rtc.log().empty());
  }
}
