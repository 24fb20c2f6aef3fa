// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %all env HEDDLE_DISABLE=legalize-shuffles %t
// RUN: %if avx512 %{ env HEDDLE_CPU=x86-64-v3 %t %}
// RUN: %cpu(x86-64) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of structures of two to nine numbers: all members read and written, some of them, under a condition that parts
// the lanes, and in shared memory.
#include "support.h"

template <class T, int N> struct Members {
  T m[N];
};

template <class T, int N> __host__ __device__ Members<T, N> turned(Members<T, N> a, T x) {
  Members<T, N> r;
  for (int k = 0; k < N; ++k)
    r.m[k] = T(a.m[(k + 1) % N] * T(2) + a.m[k] + x);
  return r;
}

template <class T, int N> __global__ void all(int n, const Members<T, N> *in, Members<T, N> *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = turned(in[i], T(i % 11));
}

template <class T, int N> __global__ void some(int n, const Members<T, N> *in, Members<T, N> *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i].m[0] > T(40))
    out[i] = turned(in[i], T(1));
}

/// The first and the last member only.
template <class T, int N> __global__ void ends(int n, const Members<T, N> *in, Members<T, N> *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i].m[0] = in[i].m[N - 1];
    out[i].m[N - 1] += in[i].m[0];
  }
}

/// A member that is computed in one of three ways.
template <class T, int N> __host__ __device__ Members<T, N> chosen(Members<T, N> a) {
  T x = a.m[0], y = a.m[N - 1], most = x > y ? x : y, value = 0;
  if (most > T(0)) {
    if (most == x)
      value = T((y + T(3)) / most);
    else if (y > T(50))
      value = T((x - y) / most + T(2));
    else
      value = T(y / (x + T(1)));
  }
  a.m[0] = value;
  a.m[1] = most;
  return a;
}

template <class T, int N> __global__ void choose(int n, const Members<T, N> *in, Members<T, N> *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = chosen(in[i]);
}

template <class T, int N> __global__ void shared(const Members<T, N> *in, Members<T, N> *out) {
  __shared__ Members<T, N> tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t] = in[i];
  __syncthreads();
  out[i] = turned(tile[t ^ 1], tile[63 - t].m[0]);
}

template <class T, int N> static void check(const std::string &what, Random &random) {
  using Struct = Members<T, N>;
  for (int n : {33, 1000}) {
    std::vector<Struct> in((n + 63) / 64 * 64), wantAll(n), wantSome(n), wantEnds(n), wantChosen(n), wantShared(in.size());
    for (Struct &s : in)
      for (T &x : s.m)
        x = T(random.below(90));
    std::vector<Struct> zeros(n, Struct{});
    wantSome = wantEnds = zeros;
    for (int i = 0; i < n; ++i) {
      wantAll[i] = turned(in[i], T(i % 11));
      if (in[i].m[0] > T(40))
        wantSome[i] = turned(in[i], T(1));
      wantChosen[i] = chosen(in[i]);
      wantEnds[i].m[0] = in[i].m[N - 1];
      wantEnds[i].m[N - 1] += in[i].m[0];
    }
    for (int i = 0; i < int(in.size()); ++i)
      wantShared[i] = turned(in[i ^ 1], in[i / 64 * 64 + 63 - i % 64].m[0]);
    Buffer<Struct> device(in), a(zeros), s(zeros), e(zeros), c(zeros), sh(wantShared.size());
    int blocks = (n + 127) / 128;
    all<T, N><<<blocks, 128>>>(n, device.data, a.data);
    some<T, N><<<blocks, 128>>>(n, device.data, s.data);
    ends<T, N><<<blocks, 128>>>(n, device.data, e.data);
    choose<T, N><<<blocks, 128>>>(n, device.data, c.data);
    shared<T, N><<<in.size() / 64, 64>>>(device.data, sh.data);
    checkLaunch();
    auto compare = [&](const char *which, std::vector<Struct> got, const std::vector<Struct> &want) {
      for (size_t i = 0; i < want.size(); ++i)
        for (int k = 0; k < N; ++k)
          if (!same(got[i].m[k], want[i].m[k]))
            report(what + std::to_string(N) + " " + which + " " + std::to_string(n) + " member " + std::to_string(k), i,
                   show(got[i].m[k]), show(want[i].m[k]));
    };
    compare("all", a.get(), wantAll);
    compare("some", s.get(), wantSome);
    compare("ends", e.get(), wantEnds);
    compare("chosen", c.get(), wantChosen);
    compare("shared", sh.get(), wantShared);
  }
}

/// Numbers of two sizes behind one condition.
__global__ void twoSizes(int n, const float *c, const Members<float, 3> *a, Members<double, 3> *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && c[i] > 20) {
    Members<double, 3> x = b[i];
    Members<float, 3> y = turned(a[i], 1.0f);
    for (int k = 0; k < 3; ++k)
      x.m[k] += y.m[k];
    b[i] = x;
  }
}

static void checkTwoSizes(Random &random) {
  int n = 777;
  std::vector<float> c(n);
  std::vector<Members<float, 3>> a(n);
  std::vector<Members<double, 3>> b(n);
  for (float &x : c)
    x = float(random.below(60));
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) {
      a[i].m[k] = float(random.below(60));
      b[i].m[k] = random.below(1000);
    }
  Buffer<float> deviceC(c);
  Buffer<Members<float, 3>> deviceA(a);
  Buffer<Members<double, 3>> deviceB(b);
  twoSizes<<<(n + 127) / 128, 128>>>(n, deviceC.data, deviceA.data, deviceB.data);
  checkLaunch();
  std::vector<Members<double, 3>> got = deviceB.get();
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k)
      expect("two sizes", 3 * i + k, got[i].m[k],
             b[i].m[k] + (c[i] > 20 ? double(turned(a[i], 1.0f).m[k]) : 0));
}

int main() {
  Random random(3);
  check<float, 2>("float", random);
  check<float, 3>("float", random);
  check<float, 6>("float", random);
  check<float, 7>("float", random);
  check<float, 9>("float", random);
  check<double, 3>("double", random);
  check<double, 5>("double", random);
  check<short, 3>("short", random);
  check<short, 6>("short", random);
  checkTwoSizes(random);
  return finish();
}
