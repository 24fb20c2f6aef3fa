// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of the API write, copy and allocate anew.
// RUN: %heddle cc -g -rdc=true %s -o %t -lcublas && %check --tool initcheck %s %t
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <thread>

const int N = 64, Bytes = N * sizeof(int);

int *device(size_t count = N) {
  int *p;
  cudaMalloc(&p, count * sizeof(int));
  return p;
}

__global__ void use(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void useAfterFree(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void useOfPool(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void useOfPart(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void useOfRows(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void useOfGraph(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void useOfChild(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void useBetween(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }
__global__ void fillBack(int *end) { end[-1 - int(threadIdx.x)] = 1; }
__global__ void parent(int *p, int *out, const int *fresh) {
  if (threadIdx.x == 0) {
    fill<<<1, N>>>(p, 2);
    use<<<1, N>>>(p, out);
    useOfChild<<<1, N>>>(fresh, out);
  }
}
__global__ void ofTexture(cudaTextureObject_t texture, int *out) {
  out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x) + 1;
}
__device__ int *kept;
__global__ void keepInHeap() {
  if (threadIdx.x == 0)
    kept = (int *)malloc(Bytes);
  __syncthreads();
  kept[threadIdx.x] = threadIdx.x;
}
__global__ void useOfHeap(int *out) { out[threadIdx.x] = kept[threadIdx.x] + 1; }

void frees(int *out) {
  int *p = device();
  cudaMemset(p, 0, Bytes);
  use<<<1, N>>>(p, out);
  cudaFree(p);
  useAfterFree<<<1, N>>>(device(), out);
}

void pools(int *out) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *p;
  for (int i = 0; i < 3; ++i) {
    cudaMallocAsync((void **)&p, Bytes, stream);
    cudaMemsetAsync(p, 0, Bytes, stream);
    use<<<1, N, 0, stream>>>(p, out);
    cudaFreeAsync(p, stream);
  }
  cudaMallocAsync((void **)&p, Bytes, stream);
  useOfPool<<<1, N, 0, stream>>>(p, out);
  cudaFreeAsync(p, stream);
  cudaStreamSynchronize(stream);
}

void copies(int *out) {
  int host[N] = {};
  int *p = device(), *q = device(), *r = device();
  cudaMemcpyAsync(p, host, Bytes / 2, cudaMemcpyHostToDevice);
  cudaMemcpy(q, p, Bytes, cudaMemcpyDeviceToDevice);
  useOfPart<<<1, N>>>(q, out);
  cudaMemcpy(q, p, Bytes / 2, cudaMemcpyDeviceToDevice);
  cudaMemcpy(q + N / 2, p, Bytes / 2, cudaMemcpyDeviceToDevice);
  use<<<1, N>>>(q, out);
  cudaMemcpy2D(r, 16, host, 8, 8, N / 4, cudaMemcpyHostToDevice);
  useOfRows<<<1, N>>>(r, out);
  cudaMemcpy2D(r + 2, 16, host, 8, 8, N / 4, cudaMemcpyHostToDevice);
  use<<<1, N>>>(r, out);
  int *end = device();
  fillBack<<<1, N>>>(end + N);
  use<<<1, N>>>(end, out);
  cudaMemcpy(host, end, Bytes, cudaMemcpyDeviceToHost);
  int *fresh = device();
  cudaMemcpy(host, fresh, Bytes, cudaMemcpyDeviceToHost); // error: uninitialized-copy
  fill<<<1, 3>>>(fresh, 0);
  cudaMemcpy(host, fresh, Bytes, cudaMemcpyDeviceToHost);
  cudaMemcpy(host, fresh + 8, 4, cudaMemcpyDeviceToHost); // error: uninitialized-copy
  cudaMemcpy2D(host, 4, fresh, 16, 4, 8, cudaMemcpyDeviceToHost);
}

void hostMemory(int *out) {
  int *p, *pinned, *ordinary = (int *)aligned_alloc(4096, 4096);
  cudaMallocManaged(&p, Bytes);
  cudaMallocHost(&pinned, Bytes);
  cudaHostRegister(ordinary, 4096, cudaHostRegisterDefault);
  use<<<1, N>>>(p, out); // host code may have written it
  use<<<1, N>>>(pinned, out);
  use<<<1, N>>>(ordinary, out);
  cudaDeviceSynchronize();
}

void graphs(int *out) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *p = device(), *fresh = device();
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(p, 0, Bytes, stream);
  use<<<1, N, 0, stream>>>(p, out);
  useOfGraph<<<1, N, 0, stream>>>(fresh, out);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
}

void textures(int *out) {
  int *p = device();
  cudaMemset(p, 0, Bytes);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {p, cudaCreateChannelDesc<int>(), Bytes};
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  ofTexture<<<1, N>>>(texture, out);
}

/// What a library writes counts as written.
void libraries(int *out) {
  int *x = device(), *y = device();
  fill<<<1, N>>>(x, 0);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasScopy(handle, N, (float *)x, 1, (float *)y, 1);
  use<<<1, N>>>(y, out);
  cublasDestroy(handle);
}

int main() {
  int *out = device();
  frees(out);
  pools(out);
  copies(out);
  hostMemory(out);
  graphs(out);
  textures(out);
  parent<<<1, 32>>>(device(), out, device());
  keepInHeap<<<1, N>>>();
  useOfHeap<<<1, N>>>(out);
  useBetween<<<1, N>>>(device(), out);
  cudaDeviceSynchronize();
  libraries(out);
  return cudaDeviceSynchronize();
}
