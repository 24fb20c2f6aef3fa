// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain names of the driver API lead to versions, and with per-thread default streams to twins; both have types of
// pointers. Old versions and twins are called by their symbols.
// UNSUPPORTED: sanitizer
// RUN: g++ -std=c++11 -Wall -Werror -I%build/lib/heddle/include %s -L%build/lib -lcuda -Wl,-rpath,%build/lib -o %t && %t
// RUN: gcc -std=c11 -Wall -Werror -x c -I%build/lib/heddle/include %s -L%build/lib -lcuda -Wl,-rpath,%build/lib -o %t && %t
// RUN: gcc -std=c11 -Wall -Werror -x c -DCUDA_API_PER_THREAD_DEFAULT_STREAM -I%build/lib/heddle/include %s -L%build/lib -lcuda -Wl,-rpath,%build/lib -o %t && %t
#include <cudaGLTypedefs.h>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>
#include <stdio.h>
#include <string.h>

#define TEXT(x) #x
#define NAME(x) TEXT(x)

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define SYNCHRONOUS "_ptds"
#define IN_STREAM "_ptsz"
PFN_cuMemcpyHtoD_v7000_ptds copyOfThread = cuMemcpyHtoD;
#else
#define SYNCHRONOUS ""
#define IN_STREAM ""
PFN_cuMemcpyHtoD_v3020 copyOfThread = cuMemcpyHtoD;
#endif
PFN_cuMemcpyHtoD copy = cuMemcpyHtoD;
PFN_cuGraphInstantiate instantiate = cuGraphInstantiate;
PFN_cuMemAlloc_v3020 allocate = cuMemAlloc;
PFN_cuGetProcAddress_v12000 get = cuGetProcAddress;
PFN_cuCtxCreate_v12050 create4 = cuCtxCreate_v4;
PFN_cuGLMapBufferObject map = cuGLMapBufferObject;
PFN_cuProfilerStart_v4000 start = cuProfilerStart;
PFN_cuMemcpyBatchAsync_v13000 batch;
PFN_cuStreamGetCaptureInfo_v12030 info;

static int wrong;
static void expect(const char *name, const char *symbol) {
  if (strcmp(name, symbol) != 0)
    wrong = printf("%s, and not %s\n", name, symbol);
}

int main() {
  expect(NAME(cuMemcpyHtoD), "cuMemcpyHtoD_v2" SYNCHRONOUS);
  expect(NAME(cuMemcpy), "cuMemcpy" SYNCHRONOUS);
  expect(NAME(cuMemcpyHtoDAsync), "cuMemcpyHtoDAsync_v2" IN_STREAM);
  expect(NAME(cuStreamGetCtx_v2), "cuStreamGetCtx_v2" IN_STREAM);
  expect(NAME(cuGLMapBufferObject), "cuGLMapBufferObject_v2" SYNCHRONOUS);
  expect(NAME(cuMemAlloc), "cuMemAlloc_v2");
  expect(NAME(cuCtxCreate), "cuCtxCreate_v2");
  expect(NAME(cuMemAdvise), "cuMemAdvise");
  expect(NAME(cuGraphInstantiate), "cuGraphInstantiateWithFlags");
  void *function = NULL, *direct = (void *)copy;
  if (cuGetProcAddress("cuMemcpyHtoD", &function, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, NULL) != CUDA_SUCCESS || function != direct)
    wrong = printf("another function than the linker's\n");
  return wrong;
}
