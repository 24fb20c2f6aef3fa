// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What these tests need of the driver API, of whatever libcuda.so.1 is found, so that the same program records on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

class Driver {
public:
  Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (!library_)
      fail("dlopen", dlerror());
    call<int>("cuInit", 0u);
    int device = 0;
    call<int>("cuDeviceGet", &device, 0);
    call<int>("cuDevicePrimaryCtxRetain", &context_, device);
    call<int>("cuCtxSetCurrent", context_);
  }

  /// A kernel of a module that stays loaded.
  void *kernelOf(void *module, const std::string &name) {
    void *kernel = nullptr;
    call<int>("cuModuleGetFunction", &kernel, module, name.c_str());
    return kernel;
  }
  /// An error ends the process with the JIT's log.
  void *load(const std::string &ptx) {
    static char log[16384];
    int options[] = {5, 6};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    void *module = nullptr;
    if (find<int(void **, const char *, unsigned, int *, void **)>("cuModuleLoadDataEx")(&module, ptx.c_str(), 2, options, values))
      fail("cuModuleLoadDataEx", log);
    return module;
  }
  void unload(void *module) { call<int>("cuModuleUnload", module); }

  /// kernel(in, out, count), a thread for each of `count`.
  void run(void *kernel, unsigned blocks, const std::vector<uint64_t> &in, std::vector<uint64_t> &out, uint32_t count) {
    uint64_t from = allocate(in.size() * 8), to = allocate(out.size() * 8);
    call<int>("cuMemcpyHtoD_v2", from, static_cast<const void *>(in.data()), in.size() * 8);
    call<int>("cuMemcpyHtoD_v2", to, static_cast<const void *>(out.data()), out.size() * 8);
    void *args[] = {&from, &to, &count};
    constexpr unsigned Threads = 128;
    call<int>("cuLaunchKernel", kernel, (count + Threads - 1) / Threads, blocks, 1u, Threads, 1u, 1u, 0u, static_cast<void *>(nullptr), static_cast<void **>(args),
              static_cast<void **>(nullptr));
    call<int>("cuCtxSynchronize");
    call<int>("cuMemcpyDtoH_v2", static_cast<void *>(out.data()), to, out.size() * 8);
    call<int>("cuMemFree_v2", from);
    call<int>("cuMemFree_v2", to);
  }

private:
  [[noreturn]] static void fail(const std::string &what, const char *why) {
    std::printf("%s: %s\n", what.c_str(), why);
    std::exit(2);
  }
  uint64_t allocate(size_t bytes) {
    uint64_t address = 0;
    call<int>("cuMemAlloc_v2", &address, bytes);
    return address;
  }
  template <class F> F *find(const char *name) {
    void *function = dlsym(library_, name);
    if (!function)
      fail(name, "is missing");
    return reinterpret_cast<F *>(function);
  }
  template <class Result, class... Args> void call(const char *name, Args... args) {
    if (Result error = find<Result(Args...)>(name)(args...))
      fail(name, std::to_string(error).c_str());
  }

  void *library_, *context_ = nullptr;
};
