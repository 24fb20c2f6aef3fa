// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %all env HEDDLE_DISABLE=unroll-and-jam %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops around loops that load the same in each round, which go several rounds at a time: every number of rounds, no turns at
// all, results that a round leaves to the next, results where the inputs lie, steps down and by two, lanes that part. Each
// sum has its order, so all bits are as on the host.
#include "support.h"

/// What a thread does; on the host too.
struct Product { // a row of the thread's times each column
  template <class T>
  __host__ __device__ static void run(int i, const T *in, const T *w, T *out, int rounds, int turns) {
    for (int j = 0; j < rounds; ++j) {
      T sum = 0;
      for (int k = 0; k < turns; ++k)
        sum = fma(in[i * turns + k], w[k * rounds + j], sum);
      out[i * rounds + j] = sum;
    }
  }
};

struct Layer { // begins with a number of the round's, ends with a choice
  template <class T>
  __host__ __device__ static void run(int i, const T *in, const T *w, T *out, int rounds, int turns) {
    for (int j = 0; j < rounds; ++j) {
      T sum = w[j] - j;
      for (int k = 0; k < turns; ++k)
        sum = fma(in[i * turns + k], w[j * turns + k], sum);
      out[i * rounds + j] = sum > 0 ? sum : 0;
    }
  }
};

struct Nearest { // what a round leaves to the next
  template <class T>
  __host__ __device__ static void run(int i, const T *in, const T *w, T *out, int rounds, int turns) {
    T best = 1e30, total = 0;
    int which = -1;
    for (int j = 0; j < rounds; ++j) {
      T distance = 0;
      for (int k = 0; k < turns; ++k) {
        T d = in[i * turns + k] - w[j * turns + k];
        distance = fma(d, d, distance);
      }
      if (distance < best) {
        best = distance;
        which = j;
      }
      total = fma(total, T(0.5), distance);
    }
    if (rounds > 0) {
      out[i * rounds] = which;
      out[i * rounds + rounds - 1] += best + total;
    }
  }
};

struct Down { // by twos, from the end
  template <class T>
  __host__ __device__ static void run(int i, const T *in, const T *w, T *out, int rounds, int turns) {
    for (int j = rounds - 1; j >= 0; j -= 2) {
      T sum = 0, least = 1e30;
      for (int k = turns - 1; k >= 0; --k) {
        sum = fma(in[i * turns + k], w[k * rounds + j], sum);
        least = fmin(least, in[i * turns + k] + j);
      }
      out[i * rounds + j] = sum + least;
    }
  }
};

struct Carried { // each round goes on where the last one ended
  template <class T>
  __host__ __device__ static void run(int i, const T *in, const T *w, T *out, int rounds, int turns) {
    T sum = 1;
    for (int j = 0; j < rounds; ++j) {
      for (int k = 0; k < turns; ++k)
        sum = fma(in[i * turns + k], w[k * rounds + j], sum * T(0.25));
      out[i * rounds + j] = sum;
    }
  }
};

struct Uneven { // threads have different numbers of rounds, and rounds of turns
  template <class T>
  __host__ __device__ static void run(int i, const T *in, const T *w, T *out, int rounds, int turns) {
    int mine = turns > 0 && in[i * turns] > 0 ? rounds - 2 : rounds;
    for (int j = 0; j < mine; ++j) {
      T sum = 0;
      for (int k = 0; k < turns; ++k)
        sum = fma(in[i * turns + k], w[k * rounds + j], sum);
      for (int k = 0; k < j && k < turns; ++k)
        sum -= in[i * turns + k];
      out[i * rounds + j] = sum;
    }
  }
};

struct Fixed { // numbers that the compiler knows
  template <class T>
  __host__ __device__ static void run(int i, const T *in, const T *w, T *out, int rounds, int turns) {
    if (rounds < 19)
      return;
    for (int j = 0; j < 19; ++j) {
      T sum = 0;
      for (int k = 0; k < turns; ++k)
        sum = fma(in[i * turns + k], w[j * turns + k], sum);
      out[i * rounds + j] = sum;
    }
  }
};

template <class Body, class T>
__global__ void kernel(int n, const T *in, const T *w, T *out, int rounds, int turns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    Body::run(i, in, w, out, rounds, turns);
}

/// The same, from a copy of the thread's row in shared memory.
template <class Body, class T>
__global__ void fromShared(int n, const T *in, const T *w, T *out, int rounds, int turns) {
  extern __shared__ char memory[];
  T *rows = reinterpret_cast<T *>(memory);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < turns; ++k)
    rows[threadIdx.x * turns + k] = in[i * turns + k];
  Body::run(threadIdx.x, rows, w, out + blockIdx.x * blockDim.x * rounds, rounds, turns);
}

template <class Body, class T> static void check(const std::string &what, Random &random) {
  for (int rounds : {0, 1, 2, 3, 5, 8, 15, 16, 19, 23, 37})
    for (int turns : {0, 1, 7, 16}) {
      int n = 1 + random.below(150);
      std::vector<T> in(n * turns + 1), w(rounds * turns + rounds + 1), want(n * rounds + 1, T(3));
      for (T &x : in)
        x = T(random.between(-1, 1));
      for (T &x : w)
        x = T(random.between(-1, 1));
      for (int i = 0; i < n; ++i)
        Body::run(i, in.data(), w.data(), want.data(), rounds, turns);
      Buffer<T> deviceIn(in), deviceW(w);
      std::string name = what + " " + std::to_string(rounds) + " x " + std::to_string(turns);
      Buffer<T> out(std::vector<T>(n * rounds + 1, T(3))), other(std::vector<T>(n * rounds + 1, T(3)));
      kernel<Body, T><<<(n + 99) / 100, 100>>>(n, deviceIn.data, deviceW.data, out.data, rounds, turns);
      fromShared<Body, T><<<(n + 31) / 32, 32, 32 * turns * sizeof(T)>>>(n, deviceIn.data, deviceW.data, other.data,
                                                                        rounds, turns);
      checkLaunch();
      expectAll(name, out.get(), want);
      expectAll(name + ", shared", other.get(), want);
    }
}

/// The results lie where the rows are: each is the next one's input.
static void checkInPlace(Random &random) {
  for (int n : {1, 5, 16, 33}) {
    std::vector<float> rows(n * n), w(n * n);
    for (float &x : rows)
      x = float(random.between(-1, 1));
    for (float &x : w)
      x = float(random.between(-1, 1));
    Buffer<float> deviceRows(rows), deviceW(w);
    kernel<Product, float><<<(n + 31) / 32, 32>>>(n, deviceRows.data, deviceW.data, deviceRows.data, n, n);
    checkLaunch();
    for (int i = 0; i < n; ++i)
      Product::run(i, rows.data(), w.data(), rows.data(), n, n);
    expectAll("in place", deviceRows.get(), rows);
  }
}

template <class T> static void checkAll(const std::string &type, Random &random) {
  check<Product, T>("product of " + type, random);
  check<Layer, T>("layer of " + type, random);
  check<Nearest, T>("nearest of " + type, random);
  check<Down, T>("down by twos of " + type, random);
  check<Carried, T>("carried " + type, random);
  check<Uneven, T>("uneven " + type, random);
  check<Fixed, T>("19 of " + type, random);
}

int main() {
  Random random(14);
  checkAll<float>("floats", random);
  checkAll<double>("doubles", random);
  checkInPlace(random);
  return finish();
}
