// RUN: %heddle cc %s -o %t
// RUN: %check --tool floatcheck %s %t | FileCheck %s
// RUN: env HEDDLE_WIDTH=1 %check --tool floatcheck %s %t
// CHECK: Division by zero, in kernel dividedForAll
// CHECK: by thread (1,0,0) in block (0,0,0){{$}}
// CHECK: Division by zero, in kernel divided(float*, float const*)
// CHECK-NEXT: at {{.*}}numbers.cu:[[#@LINE+18]]
// CHECK: by thread (3,0,0) in block (0,0,0){{$}}
// CHECK-NEXT: 4 / 0 = inf
// CHECK: NaN appears, in kernel rooted
// CHECK: sqrtf(-1) = {{-?}}nan
// CHECK: Infinity appears, in kernel narrowed
// CHECK: 1e+40 as a float = inf
// CHECK: in kernel converted
// CHECK: 2.4e+09 becomes 2147483647
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where NaNs, infinities, divisions by zero and numbers that no integer is appear, each beside its correct twin.
#include <cmath>

__global__ void divided(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = (t + 1) / in[t]; // error: division-by-zero
}
__global__ void dividedGuarded(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = in[t] != 0 ? (t + 1) / in[t] : 0;
}
__global__ void dividedInBranch(float *out, const float *in) {
  int t = threadIdx.x;
  if (in[t] == 0)
    return;
  out[t] = 1 / in[t];
}

__global__ void rooted(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = sqrtf(in[t]); // error: nan
}
__global__ void rootedMagnitude(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = sqrtf(fabsf(in[t]));
}

__global__ void logged(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = logf(in[t] + 1); // error: infinity
}
__global__ void loggedGuarded(float *out, const float *in) {
  int t = threadIdx.x;
  float x = in[t] + 1;
  out[t] = x > 0 ? logf(x) : 0;
}

__global__ void grown(float *out, const float *in) {
  int t = threadIdx.x;
  float x = 2 + in[t];
  for (int i = 0; i < 8; i++)
    x *= x; // error: infinity
  out[t] = x;
}
__global__ void bounded(float *out, const float *in) {
  int t = threadIdx.x;
  float x = 2 + in[t];
  for (int i = 0; i < 8; i++)
    x = fminf(x * x, 1000);
  out[t] = x;
}

__global__ void raised(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = expf(200 * in[t]); // error: infinity
}
__global__ void raisedLess(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = expf(in[t]) + sinf(in[t]) + powf(2, in[t]) + tanhf(1e4f * in[t]) + cosf(1e9f * in[t]);
}

__global__ void passedOn(float *out, const float *in) { // where it appears, not where it is used
  int t = threadIdx.x;
  float x = in[t] / (in[t] - in[t]); // error: division-by-zero
  float y = x + 1;
  out[t] = y * 2;
}
/// Infinities that are meant.
__global__ void smallest(float *out, const float *in) {
  int t = threadIdx.x;
  float least = INFINITY;
  for (int i = 0; i < 8; i++)
    least = fminf(least, in[(t + i) % 32]);
  out[t] = least < 3 ? least : -INFINITY;
  out[t] += t == 5 ? HUGE_VALF : NAN;
}

/// A NaN of infinities that are meant: where a row has no number.
__global__ void softened(float *out, const float *in) {
  int t = threadIdx.x;
  float mine = in[t] < 1e6f ? -INFINITY : in[t], most = fmaxf(-INFINITY, mine);
  out[t] = expf(mine - most); // error: nan
}
__global__ void softenedSome(float *out, const float *in) {
  int t = threadIdx.x;
  float mine = t % 2 ? -INFINITY : in[t], most = fmaxf(-INFINITY, in[t]);
  out[t] = expf(mine - most);
}

__global__ void narrowed(float *out, const double *in) {
  int t = threadIdx.x;
  out[t] = float(in[t] * 1e40); // error: infinity
}
__global__ void narrowedLess(float *out, const double *in) {
  int t = threadIdx.x;
  out[t] = float(in[t] * 1e30);
}

__global__ void converted(int *out, const float *in) {
  int t = threadIdx.x;
  out[t] = int(in[t] * 3e8f); // error: invalid-conversion
}
__global__ void convertedLess(int *out, const float *in) {
  int t = threadIdx.x;
  out[t] = int(in[t] * 3e7f) + int(-0.5f) + (in[t] < 7 ? int(in[t] * 3e8f) : 0);
}
__global__ void unsignedNegative(unsigned *out, const float *in) {
  int t = threadIdx.x;
  out[t] = unsigned(in[t] - 3.5f); // error: invalid-conversion
}
__global__ void unsignedFraction(unsigned *out, const float *in) {
  int t = threadIdx.x;
  out[t] = unsigned(in[t] + 1.5f) + unsigned(in[t] >= 1 ? 4e9f : -0.75f);
}
__global__ void convertedNaN(int *out, const float *in) {
  int t = threadIdx.x;
  out[t] = int(in[t] / in[3]); // error: division-by-zero, invalid-conversion
}

__global__ void modulo(int *out, const int *in) {
  int t = threadIdx.x;
  out[t] = 100 % in[t]; // error: division-by-zero
}
__global__ void moduloGuarded(int *out, const int *in) {
  int t = threadIdx.x;
  out[t] = in[t] ? 100 % in[t] + 100 / in[t] : 0;
}

__global__ void mean(double *out, const double *in, int n) {
  int t = threadIdx.x;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < n; i++)
    if (in[i] > t * 10)
      sum += in[i], count++;
  out[t] = sum / count; // error: division-by-zero
}
__global__ void meanOfSome(double *out, const double *in, int n) {
  int t = threadIdx.x;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < n; i++)
    if (in[i] > t * 10)
      sum += in[i], count++;
  out[t] = count ? sum / count : 0;
}

__device__ float distance(float x, float y) {
  return 1 / (x - y); // error: division-by-zero
}
__global__ void inFunction(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = distance(in[t], in[31 - t] + (t == 4 ? in[t] - in[31 - t] : 40));
}
__device__ float softDistance(float x, float y) { return 1 / ((x - y) * (x - y) + 1e-6f); }
__global__ void inSoftFunction(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = softDistance(in[t], in[t]);
}

__global__ void arc(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = acosf(in[t] + 0.5f); // error: nan
}
__global__ void arcInside(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = acosf(fminf(fmaxf(in[t], -1), 1)) + asinf(1) + atan2f(0, in[t]) + rsqrtf(in[t] + 2);
}

__global__ void summed(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = in[t] * 3e38f + 1; // error: infinity
}
__global__ void summedLess(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = in[t] * 3e36f + 1;
}

template <class Out, class In, class... T>
void run(void (*kernel)(Out *, const In *, T...), T... more) {
  Out *out;
  In *in;
  cudaMallocManaged(&out, 32 * sizeof(Out));
  cudaMallocManaged(&in, 32 * sizeof(In));
  for (int i = 0; i < 32; i++)
    in[i] = i == 0 ? 1 : i == 3 ? 0 : i == 6 ? -1 : i;
  kernel<<<1, 32>>>(out, in, more...);
  cudaDeviceSynchronize();
  cudaFree(out);
  cudaFree(in);
}

// One division for all threads, where not all of them are.
__global__ void dividedForAll(float *out, const float *in) {
  int zero = int(in[3]);
  if (threadIdx.x & 1)
    out[threadIdx.x] = 7 / zero; // error: division-by-zero
}

int main() {
  run(dividedForAll);
  run(divided);
  run(dividedGuarded);
  run(dividedInBranch);
  run(rooted);
  run(rootedMagnitude);
  run(logged);
  run(loggedGuarded);
  run(grown);
  run(bounded);
  run(raised);
  run(raisedLess);
  run(passedOn);
  run(smallest);
  run(softened);
  run(softenedSome);
  run(narrowed);
  run(narrowedLess);
  run(converted);
  run(convertedLess);
  run(unsignedNegative);
  run(unsignedFraction);
  run(convertedNaN);
  run(modulo);
  run(moduloGuarded);
  run(mean, 32);
  run(meanOfSome, 32);
  run(inFunction);
  run(inSoftFunction);
  run(arc);
  run(arcInside);
  run(summed);
  run(summedLess);
}
