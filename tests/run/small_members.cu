// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures of bytes and halves (pixels): all members, some of them, in the wrong order, twice, at odd
// addresses, through pointers that may be the same; and conversions of floats to bytes out of range.
//
// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=combine-member-loads %t
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 1037; // no multiple of any block

struct Colour {
  unsigned char r, g, b;
};

struct Sample {
  short left;
  unsigned short right;
};

#define CHECKED(call)                                                                                        \
  if (cudaError_t error = call) {                                                                            \
    printf("%s: %s\n", #call, cudaGetErrorString(error));                                                    \
    exit(1);                                                                                                 \
  }

__host__ __device__ unsigned char byteOf(float x) { return (unsigned char)(int)x; }

/// All four, of which the last is a constant.
__host__ __device__ uchar4 shade(const float *in, int i) {
  return make_uchar4(byteOf(in[i]), byteOf(2 * in[i]), byteOf(in[i] + 100), 255);
}
__global__ void shadeAll(int n, const float *in, uchar4 *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = shade(in, i);
}

/// Three of four, one after the other.
__host__ __device__ unsigned char grey(const uchar4 *in, int i) {
  return (in[i].x * 77 + in[i].y * 150 + in[i].z * 29) >> 8;
}
__global__ void greyAll(int n, const uchar4 *in, unsigned char *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = grey(in, i);
}

/// Structures of three bytes lie at odd addresses.
__host__ __device__ Colour turn(const Colour *in, int i) {
  return {in[i].b, (unsigned char)(in[i].r + 1), (unsigned char)(255 - in[i].g)};
}
__global__ void turnAll(int n, const Colour *in, Colour *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = turn(in, i);
}

/// Of three bytes, or three of four, with signs or without; numbers that a float holds.
__host__ __device__ float weigh(const Colour *three, const uchar4 *four, int i) {
  return 3.0f * three[i].r + 59.0f * three[i].g + 11.0f * (signed char)three[i].b + 1000.0f * four[i].y +
         7.0f * (signed char)four[i].z + four[i].w;
}
__global__ void weighAll(int n, const Colour *three, const uchar4 *four, float *out) {
  int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = weigh(three, four, i);
}

/// Backwards and one member twice; what lies between may be the same memory.
__host__ __device__ void mix(uchar4 *a, const unsigned char *b, int i) {
  a[i].w = b[4 * i];
  a[i].z = b[4 * i + 3];
  a[i].y = 1;
  a[i].x = 2;
  a[i].y = b[4 * i + 2] + 3;
}
__global__ void mixAll(int n, uchar4 *a, const unsigned char *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    mix(a, b, i);
}

/// Pixels in an array of bytes, which begins anywhere: all four of one, in rows of 16 threads, and what lies in two.
__host__ __device__ void paint(const unsigned char *in, unsigned char *out, int i) {
  unsigned char grey = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];
  out[4 * i + 0] = grey;
  out[4 * i + 1] = grey + 1;
  out[4 * i + 3] = 255;
  out[4 * i + 2] = i;
}
__host__ __device__ void smear(const unsigned char *in, unsigned char *out, int i) {
  unsigned char sum = in[i] + 3 * in[i + 1] + 5 * in[i + 2] + 7 * in[i + 3];
  out[4 * i + 1] = sum;
  out[4 * i + 2] = sum + 1;
  out[4 * i + 3] = sum + 2;
  out[4 * i + 4] = sum + 3;
}
__global__ void paintAll(int n, const unsigned char *in, unsigned char *out) {
  int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (i < n && i % 11 != 5)
    paint(in, out, i);
}
__global__ void smearAll(int n, const unsigned char *in, unsigned char *out) {
  int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (i < n && i % 11 != 5)
    smear(in, out, i);
}

/// Halves of a word, rows of 16 threads, and only some of them.
__host__ __device__ Sample fade(const Sample *in, int i) {
  return {(short)(in[i].left / 2), (unsigned short)(in[i].right * 3)};
}
__global__ void fadeAll(int n, const Sample *in, Sample *out) {
  int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (i < n && i % 7 != 3)
    out[i] = fade(in, i);
}

/// Conversions: NaN is 0, what is out of range the nearest number.
__global__ void convertAll(int n, const float *in, int *asInt, unsigned *asUnsigned, long long *asLong,
                           unsigned char *asByte) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  asInt[i] = (int)in[i];
  asUnsigned[i] = (unsigned)in[i];
  asLong[i] = (long long)in[i];
  asByte[i] = byteOf(in[i]);
}

template <typename T> T *managed(int n) {
  T *pointer;
  CHECKED(cudaMallocManaged(&pointer, n * sizeof(T)));
  for (size_t i = 0; i < n * sizeof(T); ++i)
    ((unsigned char *)pointer)[i] = (i * 2654435761u) >> 11;
  return pointer;
}

static int failures = 0;

template <typename T> void expect(const char *what, const T *got, const std::vector<T> &wanted) {
  for (size_t i = 0; i < wanted.size(); ++i)
    for (size_t byte = 0; byte < sizeof(T); ++byte)
      if (((const unsigned char *)(got + i))[byte] != ((const unsigned char *)(&wanted[i]))[byte]) {
        printf("%s: byte %zu of element %zu is wrong\n", what, byte, i);
        ++failures;
        return;
      }
}

template <typename T> T clamped(float x, T least, T most, T ofNaN) {
  if (std::isnan(x))
    return ofNaN;
  if (x <= float(least))
    return least;
  return x >= float(most) ? most : T(x);
}

static void pixels(int threads) {
  int blocks = (N + threads - 1) / threads;
  float *in = managed<float>(N);
  for (int i = 0; i < N; ++i)
    in[i] = i * 0.237f;
  uchar4 *four = managed<uchar4>(N + 1);
  unsigned char *one = managed<unsigned char>(N + 1);
  Colour *three = managed<Colour>(N + 1), *turned = managed<Colour>(N + 1);
  std::vector<uchar4> shades(four, four + N + 1);
  std::vector<unsigned char> greys(one, one + N + 1);
  std::vector<Colour> turns(turned, turned + N + 1);
  for (int i = 0; i < N; ++i) {
    shades[i] = shade(in, i);
    greys[i] = grey(shades.data(), i);
    turns[i] = turn(three, i);
  }
  shadeAll<<<blocks, threads>>>(N, in, four);
  greyAll<<<blocks, threads>>>(N, four, one);
  turnAll<<<blocks, threads>>>(N, three, turned);
  CHECKED(cudaDeviceSynchronize());
  expect("shade", four, shades);
  expect("grey", one, greys);
  expect("turn", turned, turns);
  float *weights = managed<float>(N + 1);
  std::vector<float> weighed(weights, weights + N + 1);
  for (int i = 0; i < N; ++i)
    weighed[i] = weigh(three, four, i);
  weighAll<<<blocks, dim3(16, (threads + 15) / 16)>>>(N, three, four, weights);
  CHECKED(cudaDeviceSynchronize());
  expect("weigh", weights, weighed);
  std::vector<uchar4> mixed(four, four + N + 1);
  for (int i = 0; i < N; ++i)
    mix(mixed.data(), (unsigned char *)mixed.data(), i);
  mixAll<<<blocks, threads>>>(N, four, (unsigned char *)four);
  CHECKED(cudaDeviceSynchronize());
  expect("mix", four, mixed);
}

/// `offset`: where the arrays begin.
static void bytes(int offset) {
  constexpr int Size = 4 * N + 16;
  unsigned char *in = managed<unsigned char>(Size + 4) + offset, *out = managed<unsigned char>(Size);
  for (bool isPaint : {true, false}) {
    std::vector<unsigned char> wanted(out, out + Size);
    for (int i = 0; i < N; ++i)
      if (i % 11 != 5)
        (isPaint ? paint : smear)(in, wanted.data() + offset, i);
    (isPaint ? paintAll : smearAll)<<<(N + 127) / 128, dim3(16, 8)>>>(N, in, out + offset);
    CHECKED(cudaDeviceSynchronize());
    expect(isPaint ? "paint" : "smear", out, wanted);
  }
}

static void samples() {
  Sample *in = managed<Sample>(N), *out = managed<Sample>(N + 1);
  std::vector<Sample> wanted(out, out + N + 1);
  for (int i = 0; i < N; ++i)
    if (i % 7 != 3)
      wanted[i] = fade(in, i);
  fadeAll<<<(N + 127) / 128, dim3(16, 8)>>>(N, in, out);
  CHECKED(cudaDeviceSynchronize());
  expect("fade", out, wanted);
}

static void conversions() {
  float *in = managed<float>(N); // any bits at first
  const float special[] = {0.0f, -0.0f, 0.9f, -0.9f, 255.5f, -1.5f, 2147483520.0f, 2147483648.0f, -2147483648.0f,
                           -2147483904.0f, 4294967040.0f, 4294967296.0f, 9223372036854775808.0f, -9223372036854775808.0f,
                           1e30f, -1e30f, INFINITY, -INFINITY, NAN};
  for (size_t i = 0; i < sizeof(special) / sizeof(*special); ++i)
    in[i] = special[i];
  int *asInt = managed<int>(N);
  unsigned *asUnsigned = managed<unsigned>(N);
  long long *asLong = managed<long long>(N);
  unsigned char *asByte = managed<unsigned char>(N);
  std::vector<int> ints(N);
  std::vector<unsigned> unsigneds(N);
  std::vector<long long> longs(N);
  std::vector<unsigned char> bytes(N);
  for (int i = 0; i < N; ++i) {
    ints[i] = clamped<int>(in[i], INT_MIN, INT_MAX, 0);
    unsigneds[i] = clamped<unsigned>(in[i], 0, UINT_MAX, 0);
    longs[i] = clamped<long long>(in[i], LLONG_MIN, LLONG_MAX, LLONG_MIN);
    bytes[i] = (unsigned char)ints[i];
  }
  convertAll<<<(N + 255) / 256, 256>>>(N, in, asInt, asUnsigned, asLong, asByte);
  CHECKED(cudaDeviceSynchronize());
  expect("int", asInt, ints);
  expect("unsigned", asUnsigned, unsigneds);
  expect("long long", asLong, longs);
  expect("byte", asByte, bytes);
}

int main() {
  pixels(32);
  pixels(100);
  pixels(256);
  for (int offset : {0, 1, 2, 3})
    bytes(offset);
  samples();
  conversions();
  return failures != 0;
}
