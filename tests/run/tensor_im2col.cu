// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor copies in im2col mode: pixels of images in one, two and three dimensions, several images on end, corners on
// either side of the border, filter taps, traversal strides. And a convolution by it, against plain C++.
// NVCC: -arch=sm_90
#include "tensor.h"

constexpr u32 MostBoxBytes = 32 << 10;

#define LOAD_IM2COL(rank, coordinates, offsets)                                                                          \
  asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%1], [%0, "  \
               coordinates "], [%7], " offsets ";"                                                                       \
               ::"l"(&map), "r"(windowOf(box)), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4]),    \
               "r"(windowOf(&barrier)), "h"(w), "h"(h), "h"(d)                                                           \
               : "memory")

__device__ void loadPixels(const CUtensorMap &map, u32 rank, const Coordinates &c, u16 w, u16 h, u16 d, u8 *box, u64 &barrier) {
  if (rank == 3)
    LOAD_IM2COL(3, "{%2, %3, %4}", "{%8}");
  else if (rank == 4)
    LOAD_IM2COL(4, "{%2, %3, %4, %5}", "{%8, %9}");
  else
    LOAD_IM2COL(5, "{%2, %3, %4, %5, %6}", "{%8, %9, %10}");
}

__global__ void load(const __grid_constant__ CUtensorMap map, u32 rank, Coordinates c, u16 w, u16 h, u16 d, u32 bytes, u32 room, u8 *out) {
  __shared__ alignas(1024) u8 box[MostBoxBytes];
  __shared__ u64 barrier;
  if (threadIdx.x == 0) {
    initBarrier(&barrier, 1);
    expectBytes(&barrier, bytes);
    loadPixels(map, rank, c, w, h, d, box, barrier);
  }
  __syncthreads();
  waitFor(&barrier, 0);
  for (u32 i = threadIdx.x; i < room; i += blockDim.x)
    out[i] = box[i];
}

/// The box in shared memory goes to the tensor's pixels.
__global__ void store(const __grid_constant__ CUtensorMap map, Coordinates c, u32 room, const u8 *in) {
  __shared__ alignas(1024) u8 box[MostBoxBytes];
  for (u32 i = threadIdx.x; i < room; i += blockDim.x)
    box[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%2, %3, %4, %5}], [%1];\n"
                 "cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;"
                 ::"l"(&map), "r"(windowOf(box)), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]) : "memory");
}

struct Images : Tensor {
  int lower[3], upper[3];
  u32 channels, pixels;
};

/// Only for loads may the pixels' box leave the images.
Images randomImages(Random &random, u32 rank, CUtensorMapDataType type, bool isLoad) {
  Images t;
  static_cast<Tensor &>(t) = randomTensor(random, rank, type, MostBoxBytes);
  for (u32 d = 0; d + 2 < rank; ++d)
    do {
      t.lower[d] = isLoad ? int(random.below(7)) - 3 : int(random.below(2));
      t.upper[d] = isLoad ? int(random.below(7)) - 3 : -int(random.below(2));
    } while (int(t.sizes[d + 1]) - 1 + t.upper[d] < t.lower[d]);
  t.steps[rank - 1] = 1;
  t.channels = t.box[0];
  t.pixels = 1 + random.below(std::min(MostBoxBytes / t.pitch(), 200u));
  return t;
}

CUtensorMap im2colMap(const Images &t, void *address) {
  static const auto encode = PFN_cuTensorMapEncodeIm2col_v12000(driverFunction("cuTensorMapEncodeIm2col"));
  CUtensorMap map;
  CUresult result = encode(&map, t.type, t.rank, address, t.sizes, t.strides, t.lower, t.upper, t.channels, t.pixels, t.steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, t.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, t.fill);
  expect("cuTensorMapEncodeIm2col", t.rank, int(result), 0);
  return map;
}

/// The positions that a walk over the pixels' boxes of all images takes, from the one that `c` names: all of them in
/// order, and where the walk begins.
template <class Body> void eachPixel(const Images &t, const int *c, Body body) {
  u32 space = t.rank - 2;
  std::vector<int> at(c + 1, c + 1 + space);
  int image = c[t.rank - 1];
  for (u32 pixel = 0; pixel < t.pixels; ++pixel) {
    body(pixel, at, image);
    u32 d = 0;
    for (; d < space; ++d) {
      at[d] += int(t.steps[d + 1]);
      if (at[d] <= int(t.sizes[d + 1]) - 1 + t.upper[d])
        break;
      at[d] = t.lower[d];
    }
    image += d == space;
  }
}

/// The tensor's byte of channel `channel` at a place, or -1.
long long offsetOf(const Images &t, int channel, const std::vector<int> &at, const u16 *tap, int image) {
  if (channel < 0 || channel >= int(t.sizes[0]) || image < 0 || image >= int(t.sizes[t.rank - 1]))
    return -1;
  long long offset = (long long)(channel) * t.bytes() + image * (long long)(t.stride(t.rank - 1));
  for (u32 d = 0; d + 2 < t.rank; ++d) {
    int place = at[d] + tap[d];
    if (place < 0 || place >= int(t.sizes[d + 1]))
      return -1;
    offset += place * (long long)(t.stride(d + 1));
  }
  return offset;
}

Coordinates randomPixel(Random &random, const Images &t) {
  Coordinates c = {};
  c.at[0] = random.below(3) ? 0 : alignedCoordinate(t, random.below(int(t.sizes[0])));
  for (u32 d = 0; d + 2 < t.rank; ++d) {
    int places = (int(t.sizes[d + 1]) - 1 + t.upper[d] - t.lower[d]) / int(t.steps[d + 1]) + 1;
    c.at[d + 1] = t.lower[d] + random.below(places) * int(t.steps[d + 1]);
  }
  c.at[t.rank - 1] = random.below(int(t.sizes[t.rank - 1]));
  return c;
}

void testLoad(Random &random, u32 rank, CUtensorMapDataType type) {
  Images t = randomImages(random, rank, type, true);
  std::vector<u8> memory(t.total());
  for (u8 &byte : memory)
    byte = u8(random.bits());
  Buffer<u8> tensor(memory), out(MostBoxBytes);
  CUtensorMap map = im2colMap(t, tensor);
  Coordinates c = randomPixel(random, t);
  u16 tap[3] = {u16(random.below(5)), u16(random.below(5)), u16(random.below(5))};
  u32 size = t.bytes();
  load<<<1, 64>>>(map, rank, c, tap[0], tap[1], tap[2], t.channels * t.pixels * size, t.roomOf(t.pixels), out);
  CUDA_OK(cudaGetLastError());
  std::vector<u8> box = out.get();
  eachPixel(t, c.at, [&](u32 pixel, const std::vector<int> &at, int image) {
    for (u32 channel = 0; channel < t.channels; ++channel) {
      long long offset = offsetOf(t, c.at[0] + int(channel), at, tap, image);
      u64 got = 0, want = 0;
      std::memcpy(&got, &box[placeInShared(t, pixel * t.channels + channel)], size);
      if (offset < 0) {
        expectTrue("fill", isFill(t, got));
        continue;
      }
      std::memcpy(&want, &memory[offset], size);
      expect("load", pixel * t.channels + channel, got, want);
    }
  });
}

void testStore(Random &random, CUtensorMapDataType type) {
  Images t = randomImages(random, 4, type, false);
  std::vector<u8> memory(t.total()), box(MostBoxBytes);
  for (u8 &byte : box)
    byte = u8(random.bits());
  Buffer<u8> tensor(memory), in(box);
  CUtensorMap map = im2colMap(t, tensor);
  Coordinates c = randomPixel(random, t);
  store<<<1, 64>>>(map, c, t.roomOf(t.pixels), in);
  CUDA_OK(cudaGetLastError());
  const u16 none[3] = {};
  eachPixel(t, c.at, [&](u32 pixel, const std::vector<int> &at, int image) {
    for (u32 channel = 0; channel < t.channels; ++channel)
      if (long long offset = offsetOf(t, c.at[0] + int(channel), at, none, image); offset >= 0)
        std::memcpy(&memory[offset], &box[placeInShared(t, pixel * t.channels + channel)], t.bytes());
  });
  std::vector<u8> got = tensor.get();
  ignoreRowEnds(t, got, memory);
  expectAll("store", got, memory);
}

constexpr int Channels = 8, Width = 11, Height = 9, Number = 3, Filter = 3, Pixels = 32;

/// A block computes the convolution at `Pixels` places in a row, tap by tap, of whole numbers as floats.
__global__ void convolve(const __grid_constant__ CUtensorMap map, const float *filter, float *out) {
  __shared__ alignas(128) float box[Pixels * Channels];
  __shared__ u64 barrier;
  int t = threadIdx.x, first = blockIdx.x * Pixels;
  Coordinates c = {{0, first % Width - 1, first / Width % Height - 1, first / (Width * Height), 0}};
  if (t == 0)
    initBarrier(&barrier, 1);
  __syncthreads();
  float sum = 0;
  for (int tap = 0; tap < Filter * Filter; ++tap) {
    if (t == 0) {
      expectBytes(&barrier, sizeof box);
      loadPixels(map, 4, c, u16(tap % Filter), u16(tap / Filter), 0, reinterpret_cast<u8 *>(box), barrier);
    }
    waitFor(&barrier, tap & 1);
    for (int channel = 0; channel < Channels; ++channel)
      sum += box[t * Channels + channel] * filter[tap * Channels + channel];
    __syncthreads();
  }
  if (first + t < Width * Height * Number)
    out[first + t] = sum;
}

void testConvolution(Random &random) {
  Images t = {};
  t.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  t.rank = 4;
  const cuuint64_t sizes[] = {Channels, Width, Height, Number};
  for (u32 d = 0; d < 4; ++d) {
    t.sizes[d] = sizes[d];
    t.steps[d] = 1;
    if (d < 3)
      t.strides[d] = t.stride(d) * sizes[d];
  }
  for (int d = 0; d < 2; ++d) { // as many places as pixels: padding 1, and the filter's size
    t.lower[d] = -1;
    t.upper[d] = 1 - (Filter - 1);
  }
  t.channels = Channels;
  t.pixels = Pixels;
  std::vector<float> image(Channels * Width * Height * Number), filter(Filter * Filter * Channels);
  for (std::vector<float> *numbers : {&image, &filter})
    for (float &x : *numbers)
      x = float(random.below(9) - 4);
  const int places = Width * Height * Number;
  Buffer<float> images(image), filters(filter), out(places);
  convolve<<<(places + Pixels - 1) / Pixels, Pixels>>>(im2colMap(t, images), filters, out);
  CUDA_OK(cudaGetLastError());
  std::vector<float> got = out.get();
  for (int i = 0; i < places; ++i) {
    int x = i % Width, y = i / Width % Height, n = i / (Width * Height);
    float sum = 0;
    for (int tap = 0; tap < Filter * Filter; ++tap) {
      int px = x + tap % Filter - 1, py = y + tap / Filter - 1;
      if (px < 0 || px >= Width || py < 0 || py >= Height)
        continue;
      for (int channel = 0; channel < Channels; ++channel)
        sum += image[((n * Height + py) * Width + px) * Channels + channel] * filter[tap * Channels + channel];
    }
    expect("convolution", i, got[i], sum);
  }
}

int main() {
  Random random(4020);
  for (u32 rank = 3; rank <= 5; ++rank)
    for (int i = 0; i < 15; ++i)
      testLoad(random, rank, CUtensorMapDataType(random.below(10)));
  for (int i = 0; i < 8; ++i)
    testStore(random, CUtensorMapDataType(random.below(10)));
  testConvolution(random);
  return finish();
}
