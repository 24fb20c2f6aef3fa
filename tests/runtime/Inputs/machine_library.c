/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   In the place of a GPU machine's libraries (on_gpu_libraries.cu): they tell how they are called. */
#include <stdio.h>

#define SAY(...) (printf("machine: " __VA_ARGS__), fflush(stdout), 0)

#ifdef BLAS_LT
int cublasLtPrivate(void) { return SAY("cublasLtPrivate\n"); } /* which ours does not have */
#endif
#ifdef BLAS
int cublasLtPrivate(void);
int cublasCreate_v2(void **handle) { *handle = (void *)0x1234; cublasLtPrivate(); return SAY("cublasCreate_v2\n"); }
int cublasSetStream_v2(void *handle, void *stream) { return SAY("cublasSetStream_v2 %p %d\n", handle, stream != 0); }
int cublasSgemm_v2(void *handle, int a, int b, int m, int n, int k, const float *alpha, const float *x, int lx,
                   const float *y, int ly, const float *beta, float *z, int lz) {
  return SAY("cublasSgemm_v2 %p %d %d, %d x %d x %d, %g %d %d %g %d, %td %td\n", handle, a, b, m, n, k, *alpha, lx, ly,
             *beta, lz, y - x, z - x);
}
int cublasScnrm2_v2(void *handle, int n, const void *x, int step, float *result) { *result = 2.5f; return SAY("cublasScnrm2_v2\n"); }
#endif
#ifdef LINK
int nvJitLinkPrivate(void) { return SAY("nvJitLinkPrivate\n"); }
#endif
#ifdef FFT
#include <dlfcn.h>
int cufftPlan1d(int *plan, int n, int type, int batch) {
  void *linker = dlopen("libnvJitLink.so.13", RTLD_LAZY);
  int (*private)(void) = linker ? (int (*)(void))dlsym(linker, "nvJitLinkPrivate") : 0;
  if (private)
    private();
  *plan = 77;
  return SAY("cufftPlan1d %d %x %d\n", n, type, batch);
}
int cufftExecC2C(int plan, void *in, void *out, int direction) { return SAY("cufftExecC2C %d %d %d\n", plan, in == out, direction); }
#endif
#ifdef RAND
int curandGenerateNormal(void *g, float *out, size_t n, float mean, float deviation) {
  return SAY("curandGenerateNormal %p %zu %g %g\n", g, n, mean, deviation);
}
int curandCreateGenerator(void **g, int type) { *g = (void *)0x99; return SAY("curandCreateGenerator %d\n", type); }
#endif
