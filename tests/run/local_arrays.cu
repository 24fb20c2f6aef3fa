// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread-local memory: arrays with a dynamic index, of structs, two-dimensional, large; pointers to locals that
// differ between lanes and are passed to functions; a thread's view of local and global memory mixed.
#include "support.h"

struct Histogram {
  __host__ __device__ unsigned operator()(unsigned x) const {
    unsigned bins[16] = {};
    for (int i = 0; i < 8; i++)
      bins[(x >> (4 * i)) & 15] += i + 1;
    unsigned r = 0;
    for (int i = 0; i < 16; i++)
      r = r * 3 + bins[i] * bins[15 - i];
    return r + bins[x & 15];
  }
};

struct Sort {
  __host__ __device__ unsigned long long operator()(unsigned x) const {
    unsigned char keys[12];
    for (int i = 0; i < 12; i++)
      keys[i] = (unsigned char)((x * 2654435761u + i * 40503u * x) >> (i + 3));
    for (int i = 1; i < 12; i++) {
      unsigned char k = keys[i];
      int j = i - 1;
      while (j >= 0 && keys[j] > k)
        keys[j + 1] = keys[j], j--;
      keys[j + 1] = k;
    }
    unsigned long long r = 0;
    for (int i = 0; i < 12; i++)
      r = r * 131 + keys[i];
    return r;
  }
};

struct Matrix {
  __host__ __device__ int operator()(unsigned x) const {
    int m[4][5];
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 5; j++)
        m[i][j] = int(x >> (i + j)) & 0xff;
    int r = 0;
    for (int k = 0; k < 20; k++)
      r += m[(x + k) & 3][(x >> k) % 5] * (k + 1);
    m[x & 3][x % 5] = -1;
    for (int i = 0; i < 4; i++)
      r = r * 5 + m[i][(i + x) % 5];
    return r;
  }
};

struct Particle {
  short id;
  double mass;
  unsigned char tags[3];
};
struct Structs {
  __host__ __device__ long long operator()(unsigned x) const {
    Particle ps[6] = {};
    for (int i = 0; i < 10; i++) {
      Particle &p = ps[(x >> (3 * i)) % 6];
      p.id += i;
      p.mass += 0.5 * i;
      p.tags[(x + i) % 3] ^= (unsigned char)(x >> i);
    }
    Particle copy = ps[x % 6];
    ps[(x + 1) % 6] = copy;
    long long r = 0;
    for (const Particle &p : ps)
      r = r * 1009 + p.id + (long long)(p.mass * 2) + p.tags[0] + 2 * p.tags[1] + 3 * p.tags[2];
    return r;
  }
};

__noinline__ __host__ __device__ void bump(int *p, int by) { *p += by; }
__noinline__ __host__ __device__ int *pick(int *a, int *b, bool first) { return first ? a : b; }

struct Pointers {
  __host__ __device__ int operator()(unsigned x) const {
    int a = 1, b = 2, array[5] = {10, 20, 30, 40, 50};
    int *p = x & 1 ? &a : &b;
    if (x & 2)
      p = &array[x % 5];
    bump(p, int(x & 0xff));
    int **pp = &p;
    **pp *= 3;
    *pp = pick(&a, &array[(x >> 3) % 5], x & 4);
    bump(*pp, 7);
    int *table[3] = {&a, &b, array + 2};
    *table[x % 3] += 1000;
    return a + b * 3 + array[0] * 5 + array[1] * 7 + array[2] * 11 + array[3] * 13 + array[4] * 17;
  }
};

// All elements are stored one after another, and some of them again.
struct Again {
  __host__ __device__ unsigned operator()(unsigned x) const {
    unsigned a[8] = {x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7};
    a[3] = x * 5;
    a[6] = a[x & 7];
    a[7] = 9;
    unsigned r = 0;
    for (int i = 0; i < 8; i++)
      r = r * 7 + a[(x + i) & 7];
    return r;
  }
};

struct Large {
  __host__ __device__ unsigned operator()(unsigned x) const {
    unsigned state[500];
    for (int i = 0; i < 500; i++)
      state[i] = x + i * 7919u;
    for (int i = 0; i < 1000; i++) {
      unsigned j = state[i % 500] % 500;
      state[j] = state[j] * 1664525u + state[(j + i) % 500];
    }
    return state[x % 500] ^ state[17];
  }
};

// One pointer that is local in some lanes, shared in others, global in the rest.
__global__ void generic(int *global, int *out, int n) {
  __shared__ int shared[64];
  int i = threadInGrid(), t = threadInBlock();
  int local[4] = {i, i + 1, i + 2, i + 3};
  shared[t] = 5 * t;
  __syncthreads();
  if (i >= n)
    return;
  int *p = i % 3 == 0 ? &local[i & 3] : i % 3 == 1 ? &shared[t] : &global[i];
  *p += 100;
  out[i] = *p + local[0] + local[1] * 2 + local[2] * 3 + local[3] * 4 + shared[t];
}

// A local array of floats that is read and written as vectors, too: at known places, and at places that lanes choose.
__global__ void views(const float4 *in, float4 *out, int chosen) {
  int i = threadInGrid();
  float row[16];
  for (int k = 0; k < 4; k++)
    reinterpret_cast<float4 *>(row)[k] = in[i];
  for (int k = 0; k < 16; k++)
    row[k] *= k;
  if (chosen)
    reinterpret_cast<float4 *>(row)[i & 1] = in[i];
  out[i] = reinterpret_cast<float4 *>(row)[chosen ? i & 3 : 2];
}
void testViews(int chosen) {
  const int n = 128;
  std::vector<float4> in(n), want(n);
  for (int i = 0; i < n; i++) {
    in[i] = {i + 0.f, i + 1.f, i + 2.f, i + 3.f};
    int place = chosen ? i & 3 : 2;
    bool whole = chosen && place == (i & 1);
    float k = 4.f * place;
    want[i] = whole ? in[i] : float4{k * i, (k + 1) * (i + 1), (k + 2) * (i + 2), (k + 3) * (i + 3)};
  }
  Buffer<float4> deviceIn(in), out(n);
  views<<<2, 64>>>(deviceIn, out, chosen);
  checkLaunch();
  std::vector<float4> got = out.get();
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++)
      expect("views", 4 * i + k, (&got[i].x)[k], (&want[i].x)[k]);
}

int main() {
  Random random(31);
  std::vector<unsigned> in;
  for (int i = 0; i < 400; i++)
    in.push_back(random.bits());
  std::vector<dim3> shapes = {dim3(96), dim3(5, 7)};
  mapOnDevice<Histogram>("histogram", in, shapes);
  mapOnDevice<Sort>("sort", in, shapes);
  mapOnDevice<Matrix>("matrix", in, shapes);
  mapOnDevice<Structs>("structs", in, shapes);
  mapOnDevice<Pointers>("pointers", in, shapes);
  mapOnDevice<Again>("stored again", in, shapes);
  mapOnDevice<Large>("large", in, shapes);

  const int n = 150;
  std::vector<int> global(n), want(n), wantGlobal(n);
  for (int i = 0; i < n; i++) {
    int t = i % 50, local[4] = {i, i + 1, i + 2, i + 3}, shared = 5 * t;
    global[i] = wantGlobal[i] = 9 * i;
    int *p = i % 3 == 0 ? &local[i & 3] : i % 3 == 1 ? &shared : &wantGlobal[i];
    *p += 100;
    want[i] = *p + local[0] + local[1] * 2 + local[2] * 3 + local[3] * 4 + shared;
  }
  Buffer<int> deviceGlobal(global), out(n);
  generic<<<3, 50>>>(deviceGlobal, out, n);
  checkLaunch();
  testViews(0);
  testViews(1);
  expectAll("generic pointers", out.get(), want);
  expectAll("generic pointers, global", deviceGlobal.get(), wantGlobal);
  return finish();
}
