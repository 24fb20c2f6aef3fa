// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For cuda_c_calls.cuf.
struct Particle {
  double x[3];
  int id;
  float charge;
};

extern "C" __device__ void shift(double *value, int by);
extern "C" __device__ double potential(const Particle *p) { return p->charge * (p->x[0] + p->x[1] + p->x[2]); }

extern "C" __global__ void move(Particle *p, int n, double step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (double &x : p[i].x)
    x += step;
  shift(&p[i].x[1], p[i].id);
}
