// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "Example - thread-local variables" (ten nearest neighbours).
//
// Each thread has a point p and looks through all points q for the ten that are nearest. It keeps
// them in an array of its own, which lives in local memory, as a heap with the farthest on top: a
// nearer point replaces the top and sinks to its place. At the end the heap is sorted. The lecture
// leaves the heap out.
#include "common.h"

#include <algorithm>

constexpr int Neighbours = 10;

struct Near {
  float distance; // squared
  int index;
};

/// Farther first; among equally far points the later one, so that the result is unique.
__host__ __device__ bool farther(Near a, Near b) {
  return a.distance != b.distance ? a.distance > b.distance : a.index > b.index;
}

/// Lets the element at `at` sink until no child is farther.
__device__ void sink(Near *heap, int size, int at) {
  Near moving = heap[at];
  for (;;) {
    int child = 2 * at + 1;
    if (child >= size)
      break;
    if (child + 1 < size && farther(heap[child + 1], heap[child]))
      ++child;
    if (!farther(heap[child], moving))
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = moving;
}

__global__ void tenNearest(int *result, const float2 *ps, int numPs, const float2 *qs, int numQs) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= numPs)
    return;
  float2 p = ps[thread];
  Near heap[Neighbours];
  for (int i = 0; i < Neighbours; ++i)
    heap[i] = {INFINITY, -1 - i};

  for (int i = 0; i < numQs; ++i) {
    float dx = qs[i].x - p.x, dy = qs[i].y - p.y;
    Near q = {dx * dx + dy * dy, i};
    if (farther(heap[0], q)) {
      heap[0] = q;
      sink(heap, Neighbours, 0);
    }
  }
  for (int size = Neighbours - 1; size > 0; --size) { // heap sort: the farthest goes to the end
    Near top = heap[0];
    heap[0] = heap[size];
    heap[size] = top;
    sink(heap, size, 0);
  }
  for (int i = 0; i < Neighbours; ++i)
    result[thread * Neighbours + i] = heap[i].index < 0 ? -1 : heap[i].index;
}

static std::vector<float2> points(int n, int bound, uint32_t seed) {
  Random random(seed);
  std::vector<float2> result(n);
  for (float2 &point :
       result) // whole coordinates: squared distances are exact, and ties are common
    point = make_float2(float(random.integer(-bound, bound)), float(random.integer(-bound, bound)));
  return result;
}

static std::vector<int> tenNearestOnHost(const std::vector<float2> &ps,
                                         const std::vector<float2> &qs) {
  std::vector<int> result;
  for (float2 p : ps) {
    std::vector<Near> all;
    for (size_t i = 0; i < qs.size(); ++i) {
      float dx = qs[i].x - p.x, dy = qs[i].y - p.y;
      all.push_back({dx * dx + dy * dy, int(i)});
    }
    std::sort(all.begin(), all.end(), [](Near a, Near b) { return farther(b, a); });
    for (int i = 0; i < Neighbours; ++i)
      result.push_back(i < int(all.size()) ? all[i].index : -1);
  }
  return result;
}

static void run(int numPs, int numQs, int bound) {
  std::vector<float2> ps = points(numPs, bound, 22), qs = points(numQs, bound, 23);
  float2 *dps = toDevice(ps), *dqs = toDevice(qs);
  int *result = zerosOnDevice<int>(numPs * Neighbours);
  tenNearest<<<(numPs + 63) / 64, 64>>>(result, dps, numPs, dqs, numQs);
  check(same(toHost(result, numPs * Neighbours), tenNearestOnHost(ps, qs)),
        "ten nearest of %d points to each of %d", numQs, numPs);
  CUDA_CHECK(cudaFree(dps));
  CUDA_CHECK(cudaFree(dqs));
  CUDA_CHECK(cudaFree(result));
}

int main() {
  run(1, 10, 100);
  run(32, 7, 100); // fewer than ten
  run(100, 500, 1000);
  run(333, 1000, 10); // many ties
  return exitCode();
}
