// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual functions: objects made in one kernel, used in others, types that differ between lanes, multiple
// inheritance, calls from constructors' bases, virtual destructors, pure virtual interfaces.
#include "support.h"

struct Shape {
  int id;
  __device__ explicit Shape(int n) : id(n) {}
  __device__ virtual float area() const = 0;
  __device__ virtual int sides() const { return 0; }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ Square(int n, float s) : Shape(n), side(s) {}
  __device__ float area() const override { return side * side; }
  __device__ int sides() const override { return 4; }
};
struct Circle : Shape {
  float radius;
  int *log;
  __device__ Circle(int n, float r, int *l) : Shape(n), radius(r), log(l) {}
  __device__ float area() const override { return 3 * radius * radius; }
  __device__ ~Circle() override { *log = id + 1000; }
};
struct Named {
  __device__ virtual int name() const { return 7; }
  int extra = 5;
};
struct Both : Square, Named {
  __device__ Both(int n, float s) : Square(n, s) {}
  __device__ int name() const override { return id + extra; }
  __device__ int sides() const override { return Square::sides() * 2; }
};

__global__ void make(Shape **shapes, Named **named, int *log, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  named[i] = nullptr;
  switch (i % 3) {
  case 0: shapes[i] = new Square(i, float(i)); break;
  case 1: shapes[i] = new Circle(i, float(i), log + i); break;
  default: {
    Both *b = new Both(i, float(2 * i));
    shapes[i] = b, named[i] = b;
  }
  }
}
__global__ void use(Shape *const *shapes, Named *const *named, float *areas, int *sides, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  areas[i] = shapes[i]->area();
  sides[i] = shapes[i]->sides();
  if (named[i])
    sides[i] += named[i]->name() * 100;
  if (i == 5)
    areas[i] += shapes[0]->area() + shapes[4]->area();
}
__global__ void destroy(Shape **shapes, int n) {
  int i = threadInGrid();
  if (i < n)
    delete shapes[i];
}

__global__ void local(float *out, int n) {
  int i = threadInGrid();
  int ignored;
  Square square(1, 3);
  Circle circle(2, 2, &ignored);
  const Shape *s = i & 1 ? static_cast<const Shape *>(&square) : &circle;
  if (i < n)
    out[i] = s->area() + float(s->sides());
}

int main() {
  const int n = 131;
  Buffer<Shape *> shapes(n);
  Buffer<Named *> named(n);
  Buffer<int> log(n), sides(n);
  Buffer<float> areas(n);
  make<<<3, 50>>>(shapes, named, log, n);
  use<<<5, 32>>>(shapes, named, areas, sides, n);
  destroy<<<2, 100>>>(shapes, n);
  checkLaunch();
  std::vector<float> wantAreas(n);
  std::vector<int> wantSides(n), wantLog(n);
  for (int i = 0; i < n; i++) {
    float f = float(i);
    wantAreas[i] = i % 3 == 0 ? f * f : i % 3 == 1 ? 3 * f * f : 4 * f * f;
    wantSides[i] = i % 3 == 0 ? 4 : i % 3 == 1 ? 0 : 8 + (i + 5) * 100;
    wantLog[i] = i % 3 == 1 ? i + 1000 : 0;
  }
  wantAreas[5] += 3 * 16;
  expectAll("areas", areas.get(), wantAreas);
  expectAll("sides", sides.get(), wantSides);
  expectAll("destructors", log.get(), wantLog);

  local<<<3, 50>>>(areas, n);
  checkLaunch();
  for (int i = 0; i < n; i++)
    wantAreas[i] = i & 1 ? 13.0f : 12.0f;
  expectAll("local objects", areas.get(), wantAreas);
  return finish();
}
