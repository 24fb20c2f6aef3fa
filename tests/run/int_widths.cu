// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic in 8, 16, 32 and 64 bits wraps at its width; bit-fields; bool; enums.
#include "support.h"

struct In {
  unsigned long long a, b;
};

template <class T> struct Arithmetic {
  __host__ __device__ unsigned long long operator()(In in) const {
    T a = T(in.a), b = T(in.b);
    T sum = T(a + b), difference = T(a - b), product = T((unsigned long long)a * (unsigned long long)b);
    T bits = T((a & b) ^ (a | T(~b)));
    T shifted = T(T(a << (in.b % (sizeof(T) * 4))) ^ T(b >> (in.a % (sizeof(T) * 8))));
    T counter = a;
    for (int i = 0; i < int(in.b & 7); i++)
      counter++, counter = T(counter * 3);
    int order = (a < b) + 2 * (a <= b) + 4 * (a == b);
    T least = a < b ? a : b;
    unsigned long long hash = (unsigned long long)sum;
    for (T v : {difference, product, bits, shifted, counter, least})
      hash = hash * 1000003 + (unsigned long long)v;
    return hash * 8 + order;
  }
};

struct Fields {
  unsigned a : 3, b : 7, c : 22;
  int d : 5;
  long long e : 40;
};

struct BitFields {
  __host__ __device__ long long operator()(In in) const {
    Fields f = {};
    f.a = unsigned(in.a);
    f.b = unsigned(in.a >> 7);
    f.c = unsigned(in.b);
    f.d = int(in.b >> 3 & 15);
    f.e = (long long)(in.a) >> 25;
    if (f.a & 1)
      f.b += 5;
    return f.a + f.b * 8ll + f.c * 1024ll + f.d * 3 + f.e;
  }
};

enum class Colour : unsigned char { Red, Green, Blue = 200 };

struct Booleans {
  __host__ __device__ int operator()(In in) const {
    bool p = in.a & 6, q = in.b != 0, r = p != q;
    bool flags[4] = {p, q, r, !p};
    Colour c = in.a & 1 ? Colour::Red : in.a & 2 ? Colour::Green : Colour::Blue;
    return p + 2 * q + 4 * r + 8 * flags[in.a & 3] + int(c) * 16;
  }
};

int main() {
  Random random(9);
  std::vector<In> in;
  for (int i = 0; i < 500; i++)
    in.push_back({random.next(), random.next() >> random.below(64)});
  std::vector<dim3> shapes = {dim3(96), dim3(33)};
  mapOnDevice<Arithmetic<int8_t>>("int8", in, shapes);
  mapOnDevice<Arithmetic<uint8_t>>("uint8", in, shapes);
  mapOnDevice<Arithmetic<int16_t>>("int16", in, shapes);
  mapOnDevice<Arithmetic<uint16_t>>("uint16", in, shapes);
  mapOnDevice<Arithmetic<int64_t>>("int64", in, shapes);
  mapOnDevice<Arithmetic<uint64_t>>("uint64", in, shapes);
  mapOnDevice<BitFields>("bit-fields", in, shapes);
  mapOnDevice<Booleans>("bool", in, shapes);
  return finish();
}
