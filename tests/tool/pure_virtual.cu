// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pure virtual functions in device code: the vtable of an abstract class names a function that only the C++ runtime
// library of a host has.
//
// RUN: %heddle run %s | FileCheck %s
// RUN: %heddle run -G %s | FileCheck %s
// RUN: %heddle run -rdc=true %s | FileCheck %s
// CHECK: areas 9 10 2
// CHECK: pure call: an illegal instruction was encountered
#include <cstdio>

struct Shape {
  float side;
  __device__ Shape(float side);
  __device__ virtual float area() const = 0;
  __device__ virtual int sides() const = 0;
  __device__ virtual ~Shape() {}
  __device__ virtual float deleted() = delete;
};
__device__ __noinline__ Shape::Shape(float side) : side(side) {}

struct Square : Shape {
  __device__ Square(float side) : Shape(side) {}
  __device__ float area() const override { return side * side; }
  __device__ int sides() const override { return 4; }
  __device__ float deleted() = delete;
};
struct Bar : Shape {
  __device__ Bar(float side) : Shape(side) {}
  __device__ float area() const override { return side * 2; }
  __device__ int sides() const override { return 2; }
  __device__ float deleted() = delete;
};

__device__ Shape *shapes[2];

__global__ void make() {
  shapes[0] = new Square(3);
  shapes[1] = new Bar(5);
}

__global__ void use(float *out) {
  out[threadIdx.x] = shapes[threadIdx.x & 1]->area();
  if (threadIdx.x == 31)
    out[2] = shapes[1]->sides();
}

struct Early {
  int value;
  __device__ Early();
  __device__ virtual int get() = 0;
};
__device__ __noinline__ int callIt(Early *early) { return early->get(); }
__device__ Early::Early() { value = callIt(this); }
struct Late : Early {
  __device__ int get() override { return 3; }
};

__global__ void callPure(int *out) {
  Late late;
  *out = late.get();
}

int main() {
  float *out;
  cudaMallocManaged(&out, 32 * sizeof(float));
  make<<<1, 1>>>();
  use<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  printf("areas %g %g %g\n", out[0], out[1], out[2]);
  callPure<<<1, 1>>>(reinterpret_cast<int *>(out));
  printf("pure call: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
