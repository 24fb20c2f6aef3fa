// RUN: %nvcc -DTYPES %s -o %t && %t | FileCheck %s --check-prefix=TYPES
// RUN: %nvcc -DTEMPLATES %s -o %t && %t | FileCheck %s --check-prefix=TEMPLATES
// RUN: %nvcc -DFUNCTIONS %s -o %t && %t | FileCheck %s --check-prefix=FUNCTIONS
// RUN: %nvcc -DNAMESPACE %s -o %t && %t | FileCheck %s --check-prefix=NAMESPACE
// RUN: %nvcc %s -o %t && %t | FileCheck %s --check-prefix=CUDAS
// RUN: not %nvcc -DTWICE %s -o %t 2>&1 | FileCheck %s --check-prefix=TWICE
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `texture` and `surface` are names of the program's, as for nvcc since CUDA 12, or those of CUDA 11's references.
#include <cstdio>

#if defined(TYPES)
// TYPES: 8 3
class texture;
class texture {
public:
  __device__ virtual float value(float u) const = 0;
};
class checker : public texture {
public:
  __device__ float value(float u) const override { return u * 2; }
};
struct surface {
  float depth;
};
__global__ void shade(float *out, surface *seen) {
  checker own;
  const texture *any = &own;
  out[0] = any->value(4);
  out[1] = seen->depth;
}
void run(float *out) {
  surface *seen;
  cudaMallocManaged(&seen, sizeof *seen);
  seen->depth = 3;
  shade<<<1, 1>>>(out, seen);
}
#elif defined(TEMPLATES)
// TEMPLATES: 5 6
template <class T> struct texture {
  T value;
};
using surface = texture<float>;
__global__ void shade(float *out, surface seen) {
  int texture = 6;
  out[0] = seen.value;
  out[1] = texture;
}
void run(float *out) { shade<<<1, 1>>>(out, surface{5}); }
#elif defined(FUNCTIONS)
// FUNCTIONS: 7 9
__device__ int surface = 9;
__global__ void texture(float *out) {
  out[0] = 7;
  out[1] = surface;
}
void run(float *out) { texture<<<1, 1>>>(out); }
#elif defined(TWICE)
struct texture {};
// TWICE: error: redefinition of 'texture'
struct texture {};
void run(float *) {}
#else
// NAMESPACE: 2 1
// CUDAS: 3 1
namespace shading {
struct texture {
  float value;
};
template <class T> struct surface {
  T value;
};
} // namespace shading
#ifdef NAMESPACE
using namespace shading;
__device__ float lookUp() { return texture{2}.value; }
void bind() {}
#else
texture<float, 1, cudaReadModeElementType> reference;
__device__ float lookUp() { return tex1Dfetch(reference, 3); }
void bind() {
  float *memory, values[] = {0, 1, 2, 3};
  cudaMalloc(&memory, sizeof values);
  cudaMemcpy(memory, values, sizeof values, cudaMemcpyDefault);
  cudaBindTexture(nullptr, reference, memory, sizeof values);
}
#endif
__global__ void shade(float *out) {
  shading::surface<int> one = {1};
  out[0] = lookUp();
  out[1] = one.value;
}
void run(float *out) {
  bind();
  shade<<<1, 1>>>(out);
}
#endif

int main() {
  float *out;
  cudaMallocManaged(&out, 2 * sizeof *out);
  run(out);
  cudaDeviceSynchronize();
  std::printf("%g %g\n", out[0], out[1]);
}
