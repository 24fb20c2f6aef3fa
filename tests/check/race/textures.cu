// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Textures and surfaces that are read while others write there, beside their correct twins.
// RUN: %heddle cc %s -o %t && %check --tool racecheck,memcheck %s %t
constexpr int N = 128, Height = 4;

__global__ void next(cudaTextureObject_t texture, int *out) {
  int t = threadIdx.x, value = tex1Dfetch<int>(texture, (t + 1) % N);
  out[t] = value; // error: race-read-write
}
__global__ void own(cudaTextureObject_t texture, int *out) {
  int t = threadIdx.x, value = tex1Dfetch<int>(texture, t);
  out[t] = value;
}
__global__ void behindBarrier(cudaTextureObject_t texture, int *out) {
  int t = threadIdx.x, value = tex1Dfetch<int>(texture, (t + 1) % N);
  __syncthreads();
  out[t] = value;
}
__global__ void outside(cudaTextureObject_t texture, int *out) { // zeros, which nobody writes
  int t = threadIdx.x, value = tex1Dfetch<int>(texture, N + t);
  out[t] = value;
}
__global__ void rows(cudaTextureObject_t texture, cudaSurfaceObject_t surface) {
  int x = threadIdx.x, y = blockIdx.x;
  float above = tex2D<float>(texture, x + 0.5f, (y + 1) % Height + 0.5f);
  surf2Dwrite(above, surface, x * 4, y); // error: race-read-write
}
__global__ void ownRows(cudaTextureObject_t texture, cudaSurfaceObject_t surface) {
  int x = threadIdx.x, y = blockIdx.x;
  float same = tex2D<float>(texture, x + 0.5f, y + 0.5f);
  surf2Dwrite(same + 1, surface, x * 4, y);
}
/// Filtered texels of plain memory: kernels that write elsewhere need no looking at.
__global__ void blur(cudaTextureObject_t texture, float *out) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * N + x] = tex2D<float>(texture, x + 1.0f, y + 1.0f);
}
__global__ void blurInPlace(cudaTextureObject_t texture, float *out) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * N + x] = tex2D<float>(texture, x + 1.0f, y + 1.0f); // error: race-read-write
}
__device__ cudaTextureObject_t kept;
__global__ void blurKept(float *out) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * N + x] = tex2D<float>(kept, x + 1.0f, y + 1.0f); // error: race-read-write
}
__global__ void blurKeptElsewhere(float *out) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * N + x] = tex2D<float>(kept, x + 1.0f, y + 1.0f);
}
__global__ void write(int *out) { out[threadIdx.x] = 1; } // error: race-read-write
__global__ void read(cudaTextureObject_t texture, int *out) { out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x); }

void filtered() {
  float *from, *to;
  cudaMalloc(&from, N * Height * sizeof(float));
  cudaMalloc(&to, N * Height * sizeof(float));
  cudaMemset(from, 0, N * Height * sizeof(float));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {from, cudaCreateChannelDesc<float>(), N, Height, N * sizeof(float)};
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  cudaMemcpyToSymbol(kept, &texture, sizeof(texture));
  blur<<<Height, N>>>(texture, to);
  blurKeptElsewhere<<<Height, N>>>(to);
  blurInPlace<<<Height, N>>>(texture, from);
  blurKept<<<Height, N>>>(from);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(texture);
  cudaFree(from);
  cudaFree(to);
}

int main() {
  filtered();
  int *data, *other;
  cudaMalloc(&data, N * sizeof(int));
  cudaMalloc(&other, N * sizeof(int));
  cudaMemset(data, 0, N * sizeof(int));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {data, cudaCreateChannelDesc<int>(), N * sizeof(int)};
  cudaTextureDesc description = {};
  cudaTextureObject_t linear, texture;
  cudaCreateTextureObject(&linear, &resource, &description, nullptr);

  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, N, Height, cudaArraySurfaceLoadStore);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);

  next<<<1, N>>>(linear, data);
  own<<<1, N>>>(linear, data);
  behindBarrier<<<1, N>>>(linear, data);
  outside<<<1, N>>>(linear, data);
  rows<<<Height, N>>>(texture, surface);
  ownRows<<<Height, N>>>(texture, surface);
  cudaDeviceSynchronize();

  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  read<<<1, N, 0, one>>>(linear, other);
  write<<<1, N, 0, two>>>(data);
  cudaDeviceSynchronize();
  read<<<1, N, 0, one>>>(linear, other);
  cudaStreamSynchronize(one);
  return cudaDeviceSynchronize();
}
