// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %all env HEDDLE_DISABLE=spell-out-targets %t
// RUN: %t null 2>&1 | FileCheck %s --check-prefix=NULL
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that call the same method of their parts: a list of shapes, among them lists, which gets the addresses of
// local variables, and writes to them. A method that is called of no object.
#include "support.h"

struct Ray {
  float at[2], to[2];
};
struct Hit {
  float distance = 1e9f;
  int what = -1, depth = 0;
};
struct Shape {
  __device__ virtual bool hit(const Ray &ray, float most, Hit &hit) const = 0;
};
struct Circle : Shape {
  float x, y, r;
  int number;
  __device__ Circle(float a, float b, float c, int n) : x(a), y(b), r(c), number(n) {}
  __device__ bool hit(const Ray &ray, float most, Hit &hit) const override {
    float dx = ray.at[0] - x, dy = ray.at[1] - y;
    float b = dx * ray.to[0] + dy * ray.to[1], c = dx * dx + dy * dy - r * r;
    float root = b * b - c;
    if (root <= 0 || -b - sqrtf(root) >= most || -b - sqrtf(root) <= 0)
      return false;
    hit.distance = -b - sqrtf(root);
    hit.what = number, hit.depth = 0;
    return true;
  }
};
struct Wall : Shape {
  float y;
  __device__ Wall(float at) : y(at) {}
  __device__ bool hit(const Ray &ray, float most, Hit &hit) const override {
    float t = (y - ray.at[1]) / ray.to[1];
    if (!(t > 0 && t < most))
      return false;
    hit.distance = t, hit.what = 1000, hit.depth = 0;
    return true;
  }
};
struct List : Shape {
  Shape *parts[8];
  int count = 0;
  __device__ bool hit(const Ray &ray, float most, Hit &hit) const override {
    Hit part;
    bool any = false;
    for (int i = 0; i < count; i++)
      if (parts[i]->hit(ray, most, part)) {
        most = part.distance;
        hit = part;
        hit.depth++;
        any = true;
      }
    return any;
  }
};

__device__ Shape *world, *missing;

__global__ void make() {
  List *all = new List;
  for (int l = 0; l < 3; l++) {
    List *some = new List;
    for (int i = 0; i < 5; i++)
      some->parts[some->count++] =
          new Circle(float(3 * i), float(4 * l + i), 1.0f + 0.1f * l, 10 * l + i);
    all->parts[all->count++] = some;
    all->parts[all->count++] = new Circle(float(l), -3, 0.5f, 100 + l);
  }
  all->parts[all->count++] = new Wall(14);
  world = all;
}

__global__ void trace(const Shape *const *world, int *what, float *distance, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  Ray ray = {{float(i % 16), -6 + 0.01f * i}, {0.6f, 0.8f}};
  for (int bounce = 0; bounce < 3; bounce++) {
    Hit hit;
    if (!(*world)->hit(ray, 1e9f, hit))
      break;
    what[i] = 7 * what[i] + hit.what + 5000 * hit.depth;
    distance[i] += hit.distance;
    ray.at[0] += 0.5f * hit.distance * ray.to[0];
    ray.to[bounce & 1] = -ray.to[bounce & 1];
  }
}

/// The same on the host.
static bool hitAll(const Ray &ray, Hit &hit) {
  float most = 1e9f;
  bool any = false;
  auto circle = [&](float x, float y, float r, int number, int depth) {
    float dx = ray.at[0] - x, dy = ray.at[1] - y;
    float b = fmaf(dx, ray.to[0], dy * ray.to[1]), c = fmaf(-r, r, fmaf(dx, dx, dy * dy));
    float root = fmaf(b, b, -c);
    if (root <= 0 || -b - sqrtf(root) >= most || -b - sqrtf(root) <= 0)
      return;
    most = hit.distance = -b - sqrtf(root);
    hit.what = number, hit.depth = depth, any = true;
  };
  for (int l = 0; l < 3; l++) {
    for (int i = 0; i < 5; i++)
      circle(float(3 * i), float(4 * l + i), 1.0f + 0.1f * l, 10 * l + i, 2);
    circle(float(l), -3, 0.5f, 100 + l, 1);
  }
  float t = (14 - ray.at[1]) / ray.to[1];
  if (t > 0 && t < most)
    hit.distance = t, hit.what = 1000, hit.depth = 1, any = true;
  return any;
}

int main(int argc, char **) {
  const int n = 300;
  Buffer<int> what(n);
  Buffer<float> distance(n);
  CUDA_OK(cudaMemset(static_cast<int *>(what), 0, n * sizeof(int)));
  CUDA_OK(cudaMemset(static_cast<float *>(distance), 0, n * sizeof(float)));
  void *address;
  if (argc > 1) {
    cudaGetSymbolAddress(&address, missing);
    trace<<<2, 32>>>(static_cast<const Shape *const *>(address), what, distance, n);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
    // NULL: invalid global read
    // NULL: ErrorIllegalAddress
  }
  make<<<1, 1>>>();
  cudaGetSymbolAddress(&address, world);
  trace<<<3, 100>>>(static_cast<const Shape *const *>(address), what, distance, n);
  checkLaunch();
  std::vector<int> wanted(n);
  std::vector<float> far(n);
  for (int i = 0; i < n; i++) {
    Ray ray = {{float(i % 16), fmaf(0.01f, float(i), -6)}, {0.6f, 0.8f}};
    for (int bounce = 0; bounce < 3; bounce++) {
      Hit hit;
      if (!hitAll(ray, hit))
        break;
      wanted[i] = 7 * wanted[i] + hit.what + 5000 * hit.depth;
      far[i] += hit.distance;
      ray.at[0] = fmaf(0.5f * hit.distance, ray.to[0], ray.at[0]);
      ray.to[bounce & 1] = -ray.to[bounce & 1];
    }
  }
  expectAll("what", what.get(), wanted);
  std::vector<float> got = distance.get();
  for (int i = 0; i < n; i++)
    expect("distance", i, fabsf(got[i] - far[i]) < 1e-3f, true);
  return finish();
}
