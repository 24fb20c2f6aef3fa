// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learning.h"

using namespace learning;
using bench::Data;

/// A block has 16 inputs times 16 units; columns of products are added by a tree.
__global__ static void forward(int inputs, const float *in, const float *weights, float *partial) {
  __shared__ float mine[16], products[16][16];
  int unit = threadIdx.x, line = threadIdx.y, i = blockIdx.x * 16 + line;
  if (unit == 0)
    mine[line] = i < inputs ? in[i] : 0;
  __syncthreads();
  products[line][unit] = i < inputs ? weights[i * Hidden + unit] * mine[line] : 0;
  __syncthreads();
  for (int step = 1; step < 16; step *= 2) {
    if (line % (2 * step) == 0)
      products[line][unit] += products[line + step][unit];
    __syncthreads();
  }
  if (line == 0)
    partial[blockIdx.x * Hidden + unit] = products[0][unit];
}

__global__ static void squash(int blocks, const float *partial, float *out) {
  int unit = threadIdx.x;
  float sum = 0;
  for (int block = 0; block < blocks; block++)
    sum += partial[block * Hidden + unit];
  out[unit] = 1.0f / (1.0f + expf(-sum));
}

__global__ static void adjust(int inputs, const float *in, const float *weights,
                              const float *errors, float *out) {
  int unit = threadIdx.x, i = blockIdx.x * 16 + threadIdx.y;
  if (i < inputs)
    out[i * Hidden + unit] = weights[i * Hidden + unit] + 0.3f * errors[unit] * in[i] +
                             0.3f * weights[i * Hidden + unit];
}

static void backpropRun(Data &data) {
  unsigned blocks = cover(Inputs, 16);
  forward<<<blocks, dim3(Hidden, 16)>>>(Inputs, data.get<float>(0), data.get<float>(1),
                                        data.get<float>(3));
  squash<<<1, Hidden>>>(blocks, data.get<float>(3), data.get<float>(4));
  adjust<<<blocks, dim3(Hidden, 16)>>>(Inputs, data.get<float>(0), data.get<float>(1),
                                       data.get<float>(2), data.get<float>(5));
}

/// Points lie beside each other, feature by feature (as Rodinia turns them), or each in a row of
/// its own.
template <bool ByFeature>
__global__ static void kmeansKernel(int points, int features, int centres, const float *all,
                                    const float *means, int *nearest) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points)
    return;
  int best = 0;
  float least = 3e38f;
  for (int centre = 0; centre < centres; centre++) {
    float distance = 0;
    for (int f = 0; f < features; f++) {
      float difference = (ByFeature ? all[f * points + point] : all[point * features + f]) -
                         means[centre * features + f];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = centre;
    }
  }
  nearest[point] = best;
}

template <bool ByFeature> static void kmeansRun(Data &data) {
  kmeansKernel<ByFeature><<<cover(Points, 256), 256>>>(
      Points, Features, Centres, data.get<float>(0), data.get<float>(1), data.get<int>(2));
}

struct Place {
  float latitude, longitude;
};

__global__ static void nnKernel(int records, float latitude, float longitude, const Place *places,
                                float *distances) {
  int i = blockIdx.y * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < records) {
    Place place = places[i];
    distances[i] = sqrtf((latitude - place.latitude) * (latitude - place.latitude) +
                         (longitude - place.longitude) * (longitude - place.longitude));
  }
}

static void nnRun(Data &data) {
  nnKernel<<<cover(Records, 256), 256>>>(Records, 30, 60, data.get<Place>(0), data.get<float>(1));
}

/// Where the new centre is nearer a point changes; else its centre may lose it.
__global__ static void gainKernel(int points, int dimensions, int candidate, const float *all,
                                  const float *weights, const int *centres, const float *costs,
                                  float *switched, float *saved) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points)
    return;
  float distance = 0;
  for (int d = 0; d < dimensions; d++) {
    float difference = all[d * points + point] - all[d * points + candidate];
    distance += difference * difference;
  }
  float cost = distance * weights[point];
  if (cost < costs[point])
    switched[point] = cost - costs[point];
  else {
    switched[point] = 0;
    atomicAdd(&saved[centres[point]], costs[point] - cost);
  }
}

static void streamclusterRun(Data &data) {
  cudaMemsetAsync(data.get<float>(5), 0, Opened * sizeof(float));
  gainKernel<<<cover(Points, 256), 256>>>(Points, Dimensions, 101, data.get<float>(0),
                                          data.get<float>(1), data.get<int>(2), data.get<float>(3),
                                          data.get<float>(4), data.get<float>(5));
}

/// A thread keeps the nearest of its query in order, by insertion.
__global__ static void knnKernel(int queries, int base, const float *asked, const float *all,
                                 float *nearest) {
  int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= queries)
    return;
  float kept[Kept];
  for (int i = 0; i < Kept; i++)
    kept[i] = 3e38f;
  for (int point = 0; point < base; point++) {
    float distance = 0;
    for (int axis = 0; axis < Axes; axis++) {
      float difference = asked[query * Axes + axis] - all[point * Axes + axis];
      distance += difference * difference;
    }
    if (distance < kept[Kept - 1]) {
      int at = Kept - 1;
      while (at > 0 && kept[at - 1] > distance) {
        kept[at] = kept[at - 1];
        at--;
      }
      kept[at] = distance;
    }
  }
  for (int i = 0; i < Kept; i++)
    nearest[query * Kept + i] = kept[i];
}

static void knnRun(Data &data) {
  knnKernel<<<cover(Queries, 32), 32>>>(Queries, Base, data.get<float>(0), data.get<float>(1),
                                        data.get<float>(2));
}

/// Resampling: each tooth of the comb looks for its place from the front.
__global__ static void findIndex(int n, const float *sums, const float *places, const float *comb,
                                 float *drawn) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int index = -1;
  for (int j = 0; j < n; j++)
    if (sums[j] >= comb[i]) {
      index = j;
      break;
    }
  if (index == -1)
    index = n - 1;
  drawn[i] = places[index];
}

static void particlefilterRun(Data &data) {
  findIndex<<<cover(Filtered, 128), 128>>>(Filtered, data.get<float>(0), data.get<float>(1),
                                           data.get<float>(2), data.get<float>(3));
}

__global__ static void layerKernel(int side, int channels, const float *in, const float *filters,
                                   const float *biases, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      filter = blockIdx.z;
  if (x >= side || y >= side)
    return;
  int pitch = side + 2;
  float sum = biases[filter];
  for (int c = 0; c < channels; c++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        sum += in[(c * pitch + y + i) * pitch + x + j] *
               filters[((filter * channels + c) * 3 + i) * 3 + j];
  out[(filter * side + y) * side + x] = sum > 0 ? sum : 0;
}

static void layerRun(Data &data) {
  layerKernel<<<dim3(cover(Side, 16), cover(Side, 16), Filters), dim3(16, 16)>>>(
      Side, Channels, data.get<float>(0), data.get<float>(1), data.get<float>(2),
      data.get<float>(3));
}

__global__ static void poolKernel(int side, const float *in, float *out) {
  int half = side / 2, x = blockIdx.x * blockDim.x + threadIdx.x,
      y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= half || y >= half)
    return;
  const float *plane = in + blockIdx.z * side * side;
  float most = plane[2 * y * side + 2 * x];
  most = fmaxf(most, plane[2 * y * side + 2 * x + 1]);
  most = fmaxf(most, plane[(2 * y + 1) * side + 2 * x]);
  most = fmaxf(most, plane[(2 * y + 1) * side + 2 * x + 1]);
  out[(blockIdx.z * half + y) * half + x] = most;
}

static void poolRun(Data &data) {
  poolKernel<<<dim3(cover(PoolSide / 2, 32), cover(PoolSide / 2, 8), PoolChannels), dim3(32, 8)>>>(
      PoolSide, data.get<float>(0), data.get<float>(1));
}

BENCHMARK("backprop", backprop, backpropRun)
BENCHMARK("kmeans_features", kmeans, kmeansRun<true>)
BENCHMARK("kmeans_rows", kmeans, kmeansRun<false>)
BENCHMARK("nn", nn, nnRun)
BENCHMARK("streamcluster", streamcluster, streamclusterRun)
BENCHMARK("knn", knn, knnRun)
BENCHMARK("particlefilter", particlefilter, particlefilterRun)
BENCHMARK("convolution_layer", layer, layerRun)
BENCHMARK("max_pool", pool, poolRun)
