// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: Nickolls & Kirk, appendix B, section B.3, "Pixel Shader Example" (environment
// mapping).
//
// The text's shader is written in Cg; this is the same idea as a kernel. Each thread shades one
// pixel: it samples a surface image at the pixel's texture coordinates and a cube of six images in
// the direction of the reflection, and mixes the two. Sampling is bilinear and done in the kernel,
// from plain arrays.
#include "common.h"

struct Texture {
  const float4 *texels;
  int width, height;
};

__host__ __device__ inline float4 lerp(float4 a, float4 b, float t) {
  return make_float4(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z),
                     a.w + t * (b.w - a.w));
}

__host__ __device__ inline int clampTo(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

/// Bilinear sample at (u, v) in [0, 1]; texel centres lie at half-integers, the edge texels extend
/// outside.
__host__ __device__ inline float4 sample2D(Texture t, float u, float v) {
  float x = u * t.width - 0.5f, y = v * t.height - 0.5f;
  float x0 = floorf(x), y0 = floorf(y);
  int left = clampTo(int(x0), t.width), right = clampTo(int(x0) + 1, t.width);
  int top = clampTo(int(y0), t.height), bottom = clampTo(int(y0) + 1, t.height);
  float4 upper = lerp(t.texels[top * t.width + left], t.texels[top * t.width + right], x - x0);
  float4 lower =
      lerp(t.texels[bottom * t.width + left], t.texels[bottom * t.width + right], x - x0);
  return lerp(upper, lower, y - y0);
}

/// The direction's largest component selects one of six square images, +x -x +y -y +z -z; the other
/// two are the coordinates in it.
__host__ __device__ inline float4 sampleCube(Texture cube, float3 d) {
  float ax = fabsf(d.x), ay = fabsf(d.y), az = fabsf(d.z), largest, u, v;
  int face;
  if (ax >= ay && ax >= az) {
    face = d.x < 0;
    largest = ax;
    u = d.y;
    v = d.z;
  } else if (ay >= az) {
    face = 2 + (d.y < 0);
    largest = ay;
    u = d.x;
    v = d.z;
  } else {
    face = 4 + (d.z < 0);
    largest = az;
    u = d.x;
    v = d.y;
  }
  cube.texels += face * cube.width * cube.height;
  return sample2D(cube, 0.5f + 0.5f * u / largest, 0.5f + 0.5f * v / largest);
}

__host__ __device__ inline float4 shadePixel(Texture surface, Texture environment, float2 texCoord,
                                             float3 reflection, float shiny) {
  return lerp(sample2D(surface, texCoord.x, texCoord.y), sampleCube(environment, reflection),
              shiny);
}

__global__ void shade(Texture surface, Texture environment, const float2 *texCoords,
                      const float3 *reflections, float shiny, float4 *colours, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    colours[i] = shadePixel(surface, environment, texCoords[i], reflections[i], shiny);
}

static std::vector<float4> randomTexels(int n, uint32_t seed) {
  Random random(seed);
  std::vector<float4> texels(n);
  for (float4 &texel : texels)
    texel = make_float4(random.unit(), random.unit(), random.unit(), 1);
  return texels;
}

static void run(int n, int width, int height, int cubeSize, float shiny) {
  Random random(47);
  std::vector<float4> surface = randomTexels(width * height, 48);
  std::vector<float4> cube = randomTexels(6 * cubeSize * cubeSize, 49);
  std::vector<float2> texCoords(n);
  std::vector<float3> reflections(n);
  for (int i = 0; i < n; ++i) {
    texCoords[i] = make_float2(random.unit(), random.unit());
    do {
      reflections[i] =
          make_float3(2 * random.unit() - 1, 2 * random.unit() - 1, 2 * random.unit() - 1);
    } while (reflections[i].x == 0 && reflections[i].y == 0 && reflections[i].z == 0);
  }
  float4 *dSurface = toDevice(surface), *dCube = toDevice(cube),
         *colours = zerosOnDevice<float4>(n);
  float2 *dTexCoords = toDevice(texCoords);
  float3 *dReflections = toDevice(reflections);
  shade<<<(n + 127) / 128, 128>>>({dSurface, width, height}, {dCube, cubeSize, cubeSize},
                                  dTexCoords, dReflections, shiny, colours, n);
  std::vector<float4> got = toHost(colours, n);
  bool right = true;
  for (int i = 0; i < n; ++i) {
    float4 want = shadePixel({surface.data(), width, height}, {cube.data(), cubeSize, cubeSize},
                             texCoords[i], reflections[i], shiny);
    right = right && close(got[i].x, want.x, 1e-4) && close(got[i].y, want.y, 1e-4) &&
            close(got[i].z, want.z, 1e-4) && close(got[i].w, want.w, 1e-4);
  }
  check(right, "%d pixels, surface %d x %d, environment 6 x %d x %d, shiny %g", n, width, height,
        cubeSize, cubeSize, shiny);
  for (void *array :
       {(void *)dSurface, (void *)dCube, (void *)colours, (void *)dTexCoords, (void *)dReflections})
    CUDA_CHECK(cudaFree(array));
}

int main() {
  run(1, 1, 1, 1, 0.5f);
  run(1000, 16, 9, 8, 0.0f);
  run(1001, 16, 9, 8, 1.0f);
  run(50000, 64, 64, 32, 0.3f);
  return exitCode();
}
