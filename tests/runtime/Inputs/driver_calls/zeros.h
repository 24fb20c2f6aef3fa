// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function, and its variant for a thread's own stream, with arguments that are all zero: before cuInit, without
// a context, with one, and with one that is destroyed. A line has the four codes.
#pragma once

#include "calls.h"

#include <thread>

template <class... P> CUresult callWithZeros(void *f, CUresult (*)(P...)) {
  return reinterpret_cast<CUresult (*)(P...)>(f)(zeros<P>()...);
}

struct ZeroCall {
  std::string name;
  CUresult (*call)(void *);
  void *function;
};
inline std::vector<ZeroCall> zeroCalls() {
  std::vector<ZeroCall> all;
  for (const char *suffix : {"", "_ptds", "_ptsz"}) {
    auto add = [&](const char *name, const char *twin, CUresult (*call)(void *)) {
      if (!*suffix || std::strcmp(suffix + 1, twin) == 0)
        all.push_back({std::string(name) + suffix, call,
                       dlsym(cudaLibrary(), (std::string(name) + suffix).c_str())});
    };
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  add(#symbol, #twin, [](void *f) { return callWithZeros(f, decltype(api.f_##symbol)(nullptr)); });
#include "../../../../src/driver/driver.def"
  }
  return all;
}

/// The calling thread gets a current context that another thread destroys.
inline void makeDestroyedContext() {
  CUcontext context = nullptr;
  CU(cuCtxSetCurrent)(nullptr);
  CU(cuCtxCreate_v2)(&context, 0, 0);
  std::thread([=] { CU(cuCtxDestroy_v2)(context); }).join();
}

/// In the unit's process: makes the calls behind `first`.
inline void callZeros(int state, int first, const std::vector<ZeroCall> &all) {
  CUcontext context = nullptr;
  if (state > 0)
    CU(cuInit)(0);
  if (state == 2)
    CU(cuCtxCreate_v2)(&context, 0, 0);
  if (state == 3)
    makeDestroyedContext();
  for (int i = first; i < static_cast<int>(all.size()); ++i) {
    shared->call = i;
    if (!all[i].function || all[i].name == "cuInit")
      continue;
    if (state == 2)
      CU(cuCtxSetCurrent)(context);
    alarm(Patience);
    shared->codes[state][i] = all[i].call(all[i].function);
    alarm(0);
    if (state == 3 && all[i].name.find("Ctx") != std::string::npos)
      makeDestroyedContext(); // it may have changed which one is current
  }
}

inline void everythingWithZeros() {
  const std::vector<ZeroCall> all = zeroCalls();
  enum { NotCalled = -1, Dies = -2 };
  for (int state = 0; state < 4; ++state) {
    for (auto &code : shared->codes[state])
      code = NotCalled;
    for (int first = 0; first < static_cast<int>(all.size());) {
      shared->call = first;
      pid_t child = fork();
      if (child == 0) {
        callZeros(state, first, all);
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (!WIFSIGNALED(status))
        break;
      shared->codes[state][shared->call] = Dies;
      first = shared->call + 1;
    }
  }
  std::printf(
      "== all arguments zero: before cuInit, without a context, in one, in a destroyed one\n");
  for (size_t i = 0; i < all.size(); ++i) {
    std::printf("%s:", all[i].name.c_str());
    for (int state = 0; state < 4; ++state) {
      const int code = shared->codes[state][i];
      std::printf(" %s", code == NotCalled ? "-"
                         : code == Dies    ? "ends the process"
                                           : nameOf(CUresult(code)));
    }
    std::printf("\n");
  }
}
