// RUN: %heddle cc %s -o %t
// RUN: %widths(16,64) %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of bytes and shorts that fit in 16 bits, and those that just do not; minima and maxima of bytes (simt/thread/narrow_sums.cpp).
#include "support.h"

#include <utility>

using Byte = unsigned char;
using Sign = signed char;

template <int K> __host__ __device__ int value(Byte a, Byte b, Byte c, short s) {
  int x = a, y = b, z = c, sx = Sign(a), sy = Sign(b);
  switch (K) {
  case 0:
    return x + y + z == 300;
  case 1:
    return Byte((x * 25 + y * 50 + z * 50) / 125); // up to 31875
  case 2:
    return Byte((x * 30 + y * 59 + z * 41) >> 7); // up to 33150
  case 3:
    return (sx - sy) * 64 + sx * sy > 0;
  case 4:
    return Byte(min(max(5 * x - y - z - 300, 0), 255));
  case 5:
    return Byte(abs(sx * sy - x * 60) / 77);
  case 6:
    return s + x > 32766; // does not fit
  case 7:
    return s * 2 - 5 + x < -65000;
  case 8:
    return (x > y) + (y > z) + (z > x) - (s > 3) * 2 == 0;
  case 9:
    return unsigned(x - y) > unsigned(z + 3 * y);
  case 10:
    return max(min(x, y), min(max(x, y), z)); // of bytes alone: the median
  case 11:
    return max(sx, sy); // with signs
  case 12:
    return min(max(x, 100), 200) > max(y, 128) ? max(y, z) : 255;
  case 13:
    return min(x, 256) < max(y, 0) ? min(y, z) : max(x, z); // 256 is no byte
  case 14:
    return max(x, y) + min(y, z);
  case 15:
    return min(x, y) > -1 && max(y, z) > sx;
  case 16:
    return Byte((x * 77 + y * 151 + z * 28) / 256); // up to 65280
  case 17:
    return x * 77 + y * 151 + z * 28 > sx * 200; // with a sign and without
  case 18:
    return max(x * 200, y * 150 + z) > 40000 ? (x * 255 + z) >> 9 : (y * 250 + 32768 / 256) / 251;
  case 19:
    return min(x * 257, 65279) / 255 - y > 0;
  case 20:
    return abs(x * 250 - y * 129) / 260; // does not fit
  case 21:
    return (unsigned short)s / 300 + ((unsigned short)s > 40000 + x) + ((unsigned short)s >> 15) * 7;
  case 22:
    return Byte(max(x * 256, sx) >> 8) + (x * 257 == y * 256 + z);
  case 23:
    return x * 256 + y < 65536 - z; // does not fit
  default:
    return Byte((x > z ? x * 3 - y : z - y * 2) - sx);
  }
}

template <int K> __global__ void bytes(const Byte *in, const short *shorts, Byte *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = Byte(value<K>(in[i], in[i + 1], in[i + 2], shorts[i]));
}
template <int K> __global__ void words(const Byte *in, const short *shorts, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = float(value<K>(in[i], in[i + 1], in[i + 2], shorts[i])) + float((in[i] - in[i + 1]) * 3 - in[i + 2] * 2);
}

constexpr int Count = 3001;
static std::vector<Byte> input(Count + 2), found(Count);
static std::vector<short> shorts(Count);
static std::vector<float> floats(Count);
static Byte *in, *out;
static short *inShorts;
static float *outFloats;

template <int K> void check() {
  bytes<K><<<24, 128>>>(in, inShorts, out, Count);
  words<K><<<24, 128>>>(in, inShorts, outFloats, Count);
  CUDA_OK(cudaMemcpy(found.data(), out, Count, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(floats.data(), outFloats, Count * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < Count; i++) {
    int wanted = value<K>(input[i], input[i + 1], input[i + 2], shorts[i]);
    float more = float(wanted) + float((input[i] - input[i + 1]) * 3 - input[i + 2] * 2);
    if (found[i] != Byte(wanted) || floats[i] != more) {
      std::printf("kind %d, place %d: %d and %g, not %d and %g\n", K, i, found[i], floats[i], Byte(wanted), more);
      std::exit(1);
    }
  }
}
template <int... K> void checkAll(std::integer_sequence<int, K...>) { (check<K>(), ...); }

int main() {
  Random random(1);
  for (Byte &b : input)
    b = random.next() % 5 == 0 ? 255 : random.next() % 7 == 0 ? 128 : Byte(random.next());
  for (short &s : shorts)
    s = random.next() % 3 == 0 ? 32767 : random.next() % 3 == 0 ? -32768 : short(random.next());
  CUDA_OK(cudaMalloc(&in, Count + 2));
  CUDA_OK(cudaMalloc(&out, Count));
  CUDA_OK(cudaMalloc(&inShorts, Count * sizeof(short)));
  CUDA_OK(cudaMalloc(&outFloats, Count * sizeof(float)));
  CUDA_OK(cudaMemcpy(in, input.data(), Count + 2, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(inShorts, shorts.data(), Count * sizeof(short), cudaMemcpyHostToDevice));
  checkAll(std::make_integer_sequence<int, 25>());
  std::puts("ok");
}
