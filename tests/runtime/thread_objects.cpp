// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object of a thread that was made before the thread's first CUDA call is destroyed after the driver's own state of
// the thread; the context is still current there, as caches of modules expect.
// RUN: g++ -std=c++17 -I%build/lib/heddle/include %s -L%build/lib -lcuda -lcudart -lpthread -Wl,-rpath,%build/lib -o %t
// RUN: %t | FileCheck %s
// CHECK: thread: context kept, link destroyed
// CHECK: main: context kept, link destroyed
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <thread>

struct Cache {
  const char *name;
  CUlinkState link = nullptr;
  ~Cache() {
    CUcontext context = nullptr;
    bool isKept = cuCtxGetCurrent(&context) == CUDA_SUCCESS && context;
    bool isDestroyed = cuLinkDestroy(link) == CUDA_SUCCESS;
    std::printf("%s: context %s, link %s\n", name, isKept ? "kept" : "lost", isDestroyed ? "destroyed" : "left");
  }
};

static int use(const char *name) {
  thread_local Cache cache{name};
  return cudaFree(nullptr) != cudaSuccess || cuLinkCreate(0, nullptr, nullptr, &cache.link) != CUDA_SUCCESS;
}

int main() {
  std::thread(use, "thread").join();
  return use("main");
}
