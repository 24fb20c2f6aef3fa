#include <cuda_runtime.h>
#include <cstdio>
static void show(const char *what, cudaError_t e) { std::printf("%s: %s\n", what, cudaGetErrorName(e)); }
#define P(expr) show(#expr, (expr))
__global__ void fault(int *p) { *p = 1; }
__device__ int symbol[16];
__constant__ int constants[4];
int main() {
  void *a; size_t n; int host[16] = {};
  P(cudaGetSymbolAddress(&a, symbol)); P(cudaGetSymbolSize(&n, symbol)); std::printf("%zu\n", n);
  P(cudaGetSymbolSize(&n, constants)); std::printf("%zu\n", n);
  P(cudaGetSymbolAddress(&a, host)); cudaGetLastError();
  P(cudaGetSymbolAddress(&a, (const void*)0)); cudaGetLastError();
  P(cudaMemcpyToSymbol(symbol, host, 64)); P(cudaMemcpyToSymbol(symbol, host, 65)); cudaGetLastError();
  P(cudaMemcpyToSymbol(symbol, host, 8, 60)); cudaGetLastError();
  P(cudaMemcpyToSymbol(symbol, host, 8, 0, cudaMemcpyDeviceToHost)); cudaGetLastError();
  P(cudaMemcpyFromSymbol(host, symbol, 8, 0, cudaMemcpyHostToDevice)); cudaGetLastError();
  P(cudaMemcpyToSymbol(symbol, host, 8, 0, (cudaMemcpyKind)9)); cudaGetLastError();
  P(cudaMemcpyToSymbol(host, host, 8)); cudaGetLastError();
  int blocks;
  for (int t : {1, 32, 33, 96, 128, 256, 512, 1000, 1024, 1025, 0, -1}) for (size_t s : {0, 1, 1000, 10000, 48*1024, 48*1024+1, 100000}) {
    blocks = -1; cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fault, t, s);
    std::printf("occupancy %d %zu: %s %d\n", t, s, cudaGetErrorName(e), blocks); cudaGetLastError(); }
  P(cudaFuncSetAttribute(fault, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  P(cudaFuncSetAttribute(fault, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449)); cudaGetLastError();
  P(cudaFuncSetAttribute(fault, cudaFuncAttributeMaxDynamicSharedMemorySize, -1)); cudaGetLastError();
  for (int t : {32, 256, 1024}) for (size_t s : {48*1024+1, 100000, 232448, 232449}) { blocks = -1;
    cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fault, t, s);
    std::printf("occupancy after opt-in %d %zu: %s %d\n", t, s, cudaGetErrorName(e), blocks); cudaGetLastError(); }
  for (int b : {1, 2, 3, 8, 16, 32, 33, 0}) for (int t : {32, 256, 1024}) { size_t s = 7; cudaError_t e = cudaOccupancyAvailableDynamicSMemPerBlock(&s, fault, b, t);
    std::printf("available %d %d: %s %zu\n", b, t, cudaGetErrorName(e), s); cudaGetLastError(); }
  cudaLaunchConfig_t c = {}; c.gridDim = dim3(8); c.blockDim = dim3(128); cudaLaunchAttribute at[1]; at[0].id = cudaLaunchAttributeClusterDimension; at[0].val.clusterDim = {2,1,1};
  c.attrs = at; c.numAttrs = 1; int k = -1;
  P(cudaOccupancyMaxActiveClusters(&k, (const void*)fault, &c)); std::printf("%d\n", k);
  P(cudaOccupancyMaxPotentialClusterSize(&k, (const void*)fault, &c)); std::printf("%d\n", k);
  c.numAttrs = 0; P(cudaOccupancyMaxActiveClusters(&k, (const void*)fault, &c)); std::printf("%d\n", k); cudaGetLastError();
  cudaFuncAttributes fa; P(cudaFuncGetAttributes(&fa, fault));
  std::printf("%zu %zu %zu %d regs %d %d %d %d %d\n", fa.sharedSizeBytes, fa.constSizeBytes, fa.localSizeBytes, fa.maxThreadsPerBlock, fa.numRegs, fa.ptxVersion, fa.binaryVersion, fa.maxDynamicSharedSizeBytes, fa.preferredShmemCarveout);
  int *d; cudaMalloc(&d, 16); void *h = malloc(16);
  fault<<<1, 2000>>>(d); P(cudaPeekAtLastError()); P(cudaGetLastError()); P(cudaGetLastError());
  fault<<<0, 1>>>(d); P(cudaGetLastError()); fault<<<1, 0>>>(d); P(cudaGetLastError()); fault<<<1, 1, 300000>>>(d); P(cudaGetLastError());
  fault<<<dim3(1,70000), 1>>>(d); P(cudaGetLastError());
  fault<<<1, 1>>>((int *)16); P(cudaGetLastError()); P(cudaDeviceSynchronize()); P(cudaGetLastError()); P(cudaGetLastError()); P(cudaPeekAtLastError());
  P(cudaMalloc(&a, 16)); P(cudaFree(d)); P(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost)); P(cudaFreeHost(0)); P(cudaMallocHost(&a, 16));
  fault<<<1, 1>>>(d); P(cudaGetLastError()); cudaStream_t s; P(cudaStreamCreate(&s)); cudaEvent_t ev; P(cudaEventCreate(&ev));
  cudaDeviceProp pr; P(cudaGetDeviceProperties(&pr, 0)); int q; P(cudaGetDeviceCount(&q)); P(cudaGetDevice(&q)); P(cudaSetDevice(0)); P(cudaMemGetInfo(&n, &n)); P(cudaDeviceGetAttribute(&q, cudaDevAttrWarpSize, 0));
  cudaPointerAttributes pa; P(cudaPointerGetAttributes(&pa, d)); P(cudaDriverGetVersion(&q)); P(cudaStreamSynchronize(0)); P(cudaStreamQuery(0)); P(cudaFuncGetAttributes(&fa, fault));
  P(cudaDeviceReset()); P(cudaGetLastError()); P(cudaMalloc(&d, 16)); fault<<<1, 1>>>(d); P(cudaGetLastError()); P(cudaDeviceSynchronize());
}
