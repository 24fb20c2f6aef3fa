// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two arms of a condition that end, or begin, with the same access, which the compiler would make one:
// each has its line. And what is made of arms at a kernel's end is no place that all come to.
// RUN: %heddle cc %s -o %t && %check --tool memcheck,racecheck,synccheck %s %t
#define T int(threadIdx.x)

__global__ void values(int *out, int n) {
  if (T & 1)
    out[T + n] = T; // error: out-of-bounds-access
  else
    out[T] = 2 * T;
}
__global__ void places(int *out, int *other, int n) {
  if (T & 1)
    out[T / 2] = T;
  else
    other[T / 2 + n] = 2 * T; // error: out-of-bounds-access
}
__global__ void reads(const int *a, const int *b, int *out, int n) {
  int value;
  if (T & 1)
    value = a[T / 2 + n]; // error: out-of-bounds-access
  else
    value = b[T / 2];
  out[T] = value;
}
__global__ void begins(int *out, int *other, int n) {
  if (T & 1) {
    out[T + n] = 0; // error: out-of-bounds-access
    other[T] = 1;
  } else {
    out[T + n] = 0; // error: out-of-bounds-access
    other[T] = 2 * n;
  }
}
__global__ void returns(int *out, int n) {
  if (T >= 16) {
    out[T + n] = T; // error: out-of-bounds-access
    return;
  }
  out[T] = 2 * T;
}
__global__ void overwritten(int *out, int n) {
  out[T] = 1;
  if (T >= 16)
    out[T + n] = 2; // error: out-of-bounds-access
}
__global__ void inBounds(int *out, int *other, const int *a, int n) {
  int value;
  if (T & 1)
    value = a[T / 2];
  else
    value = other[T / 2];
  if (T & 2)
    out[T] = value;
  else
    out[31 - T] = value + n; // error: race-write-write
  if (T & 1)
    other[T / 2] = 1; // error: race-read-write
  else
    out[T / 2 + 32] = 2;
}
__global__ void inOrder(int *out, int *other, const int *a) {
  int value;
  if (T & 1)
    value = a[T / 2];
  else
    value = other[T / 2];
  __syncwarp();
  if (T & 1)
    other[T / 2] = value;
  else
    out[T / 2] = value;
}
__global__ void endsEarly(int *out, int *shared) {
  __shared__ int s[32];
  s[T] = T;
  if (T >= 16) {
    out[T] = 1;
    return;
  }
  __syncthreads();
  out[T] = s[15 - T];
}
__global__ void endsElsewhere(int *out) {
  __shared__ int s[32];
  s[T] = T;
  if (T < 16) {
    __syncthreads();
    out[T] = s[15 - T];
  } else {
    out[T] = 1;
  }
}
__global__ void goesAround(int *out) {
  __shared__ int s[32];
  s[T] = T;
  int value;
  if (T < 16) {
    __syncthreads(); // error: divergent-barrier
    value = s[15 - T];
  } else {
    value = 1;
  }
  out[T] = value;
}

int main() {
  int *a, *b, *out;
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  cudaMalloc(&out, 256);
  cudaMemset(a, 0, 128);
  cudaMemset(b, 0, 128);
  cudaMemset(out, 0, 256);
  values<<<1, 32>>>(a, 32);
  places<<<1, 32>>>(a, b, 32);
  reads<<<1, 32>>>(a, b, out, 32);
  begins<<<1, 32>>>(a, b, 32);
  returns<<<1, 32>>>(a, 32);
  overwritten<<<1, 32>>>(a, 32);
  inBounds<<<1, 32>>>(out, b, a, 1);
  inOrder<<<1, 32>>>(out, b, a);
  endsEarly<<<1, 32>>>(out, a);
  endsElsewhere<<<1, 32>>>(out);
  goesAround<<<1, 32>>>(out);
  return cudaDeviceSynchronize();
}
