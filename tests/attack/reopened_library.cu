// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that opens and closes a plug-in for ever neither grows nor runs out of mappings, and
// the plug-in begins anew each time: its variables have their initial values, its kernels their
// settings. It is closed while its kernels run, and while a graph holds one of them.
//
// UNSUPPORTED: sanitizer
// RUN: %heddle cc -shared -Xcompiler -fPIC -DPLUGIN %s -o %t.so
// RUN: %heddle cc -shared -Xcompiler -fPIC -rdc=true -DPLUGIN %s -o %t.linked.so
// RUN: %heddle cc -fatbin -DPLUGIN %s -o %t.fatbin
// RUN: %heddle cc %s -o %t
// RUN: env HEDDLE_WORKERS=2 %t %t.so 400
// RUN: env HEDDLE_WORKERS=2 %t %t.linked.so 100
// RUN: env HEDDLE_WORKERS=2 %t %t.fatbin 400
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

#ifdef PLUGIN

#ifndef BYTES
#define BYTES (64 << 20)
#endif
__device__ char large[BYTES];
__device__ int count = 41;
__managed__ int shared = 7;

extern "C" __global__ void step(int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    out[0] = ++count, out[1] = ++shared, out[2] = large[BYTES / 64]++;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < BYTES / 64; i += gridDim.x * blockDim.x)
    large[64 * i + 1] += 1;
}

/// Leaves work in the stream.
extern "C" int run(int *out, cudaStream_t stream, cudaGraph_t *graph) {
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, step) || attributes.maxDynamicSharedSizeBytes != 48 << 10)
    return 1;
  if (cudaFuncSetAttribute(step, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 10))
    return 2;
  step<<<4, 64, 0, stream>>>(out);
  if (graph) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    step<<<4, 64, 0, stream>>>(out);
    if (cudaStreamEndCapture(stream, graph))
      return 3;
  }
  return cudaGetLastError();
}

#else

struct Size {
  long pages = 0;
  int mappings = 0;
};

Size now() {
  Size size;
  long all;
  FILE *file = fopen("/proc/self/statm", "r");
  if (fscanf(file, "%ld %ld", &all, &size.pages) != 2)
    abort();
  fclose(file);
  file = fopen("/proc/self/maps", "r");
  for (int c; (c = fgetc(file)) != EOF;)
    size.mappings += c == '\n';
  fclose(file);
  return size;
}

void fail(const char *what, int turn, int code) {
  printf("turn %d: %s %d\n", turn, what, code);
  exit(1);
}

void useFile(const char *name, int turn, int *out, cudaStream_t stream, cudaGraph_t *graph) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(dlerror(), turn, 0);
  auto run = (int (*)(int *, cudaStream_t, cudaGraph_t *))dlsym(library, "run");
  if (int code = run(out, stream, graph))
    fail("run", turn, code);
  dlclose(library);
}

void useData(const char *name, int turn, int *out, cudaStream_t stream) {
  cudaLibrary_t library;
  cudaKernel_t kernel;
  void *arguments[] = {&out};
  if (int code = cudaLibraryLoadFromFile(&library, name, 0, 0, 0, 0, 0, 0))
    fail("load", turn, code);
  if (int code = cudaLibraryGetKernel(&kernel, library, "step"))
    fail("kernel", turn, code);
  if (int code = cudaLaunchKernel((void *)kernel, 4, 64, arguments, 0, stream))
    fail("launch", turn, code);
  if (int code = cudaLibraryUnload(library))
    fail("unload", turn, code);
}

int main(int, char **arguments) {
  const char *name = arguments[1];
  const int turns = atoi(arguments[2]), warmUp = 20;
  const bool isData = strstr(name, ".fatbin");
  int *out;
  cudaStream_t stream;
  cudaMallocManaged(&out, 3 * sizeof(int));
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  Size before;
  for (int turn = 0; turn < turns; turn++) {
    memset(out, 0, 3 * sizeof(int));
    if (isData)
      useData(name, turn, out, stream);
    else
      useFile(name, turn, out, stream, nullptr);
    if (int code = cudaStreamSynchronize(stream))
      fail("work", turn, code);
    if (out[0] != 42 || out[1] != 8 || out[2] != 0)
      fail("old value", turn, out[0] != 42 ? out[0] : out[1]);
    if (turn == warmUp)
      before = now();
  }
  Size after = now();
  printf("%ld pages, %d mappings after %d turns, %ld and %d after %d\n", before.pages,
         before.mappings, warmUp, after.pages, after.mappings, turns);
  if (after.pages > before.pages + 1024 || after.mappings > before.mappings + 32)
    fail("grows", turns, 0);
  if (!isData) { // who launches a kernel of a closed library gets an error, and no more
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    useFile(name, turns, out, stream, &graph);
    if (cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess)
      fail("a kernel without a library", turns, 0);
    if (int code = cudaDeviceSynchronize())
      fail("afterwards", turns, code);
  }
  printf("ok\n");
}

#endif
