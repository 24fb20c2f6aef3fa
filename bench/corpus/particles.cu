// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "particles.h"

using namespace particles;
using bench::Data;

__global__ static void moveStructures(int n, float dt, const Particle *from, Particle *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Particle p = from[i];
  p.vy -= 9.81f * dt;
  p.x += p.vx * dt;
  p.y += p.vy * dt;
  p.z += p.vz * dt;
  if (p.y < 0) {
    p.y = -p.y;
    p.vy = -0.8f * p.vy;
  }
  to[i] = p;
}

static void structuresRun(Data &data) {
  moveStructures<<<cover(Many, 256), 256>>>(Many, Step, data.get<Particle>(0),
                                            data.get<Particle>(1));
}

__global__ static void moveFields(int n, float dt, const float *from, float *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int axis = 0; axis < 3; axis++) {
    float place = from[axis * n + i], speed = from[(3 + axis) * n + i];
    place += speed * dt;
    if (place < 0 || place > 1)
      speed = -speed;
    to[axis * n + i] = place;
    to[(3 + axis) * n + i] = speed;
  }
}

static void fieldsRun(Data &data) {
  moveFields<<<cover(Many, 256), 256>>>(Many, Step, data.get<float>(0), data.get<float>(1));
}

__global__ static void nbodyKernel(int n, const float4 *bodies, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    float4 other = bodies[j];
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + Soft);
    float scale = other.w * inverse * inverse * inverse;
    ax += dx * scale;
    ay += dy * scale;
    az += dz * scale;
  }
  out[3 * i] = ax;
  out[3 * i + 1] = ay;
  out[3 * i + 2] = az;
}

static void nbodyRun(Data &data) {
  nbodyKernel<<<cover(Pairs, 128), 128>>>(Pairs, data.get<float4>(0), data.get<float>(1));
}

__global__ static void lennardJonesKernel(int n, float cutoff, const float *places,
                                          const int *neighbours, float *forces) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = places[3 * i], y = places[3 * i + 1], z = places[3 * i + 2], fx = 0, fy = 0, fz = 0;
  for (int k = 0; k < Neighbours; k++) {
    int j = neighbours[i * Neighbours + k];
    float dx = x - places[3 * j], dy = y - places[3 * j + 1], dz = z - places[3 * j + 2];
    float r2 = dx * dx + dy * dy + dz * dz + 0.5f;
    if (r2 < cutoff) {
      float inverse = 1.0f / r2, r6 = inverse * inverse * inverse,
            force = inverse * r6 * (1.5f * r6 - 2.0f);
      fx += dx * force;
      fy += dy * force;
      fz += dz * force;
    }
  }
  forces[3 * i] = fx;
  forces[3 * i + 1] = fy;
  forces[3 * i + 2] = fz;
}

static void lennardJonesRun(Data &data) {
  lennardJonesKernel<<<cover(Atoms, 128), 128>>>(Atoms, 20.0f, data.get<float>(0), data.get<int>(1),
                                                 data.get<float>(2));
}

/// A block a box; a neighbour's particles come through shared memory.
__global__ static void lavaKernel(const double *particles, const int *around, double *out) {
  __shared__ double theirs[InBox * 4];
  int thread = threadIdx.x;
  bool mine = thread < InBox;
  const double *me = particles + (blockIdx.x * InBox + (mine ? thread : 0)) * 4;
  double v = 0, x = 0, y = 0, z = 0;
  for (int n = 0; n < 27; n++) {
    int box = around[blockIdx.x * 27 + n];
    if (box < 0)
      continue;
    for (int i = thread; i < InBox * 4; i += blockDim.x)
      theirs[i] = particles[box * InBox * 4 + i];
    __syncthreads();
    if (mine)
      for (int j = 0; j < InBox; j++) {
        double dx = me[0] - theirs[4 * j], dy = me[1] - theirs[4 * j + 1],
               dz = me[2] - theirs[4 * j + 2];
        double r2 = dx * dx + dy * dy + dz * dz, vij = exp(-0.5 * r2),
               force = 2 * vij * theirs[4 * j + 3];
        v += theirs[4 * j + 3] * vij;
        x += force * dx;
        y += force * dy;
        z += force * dz;
      }
    __syncthreads();
  }
  if (mine) {
    double *sums = out + (blockIdx.x * InBox + thread) * 4;
    sums[0] = v;
    sums[1] = x;
    sums[2] = y;
    sums[3] = z;
  }
}

static void lavaRun(Data &data) {
  lavaKernel<<<Boxes, 32>>>(data.get<double>(0), data.get<int>(1), data.get<double>(2));
}

/// Each charge goes to the four corners of its cell.
__global__ static void depositKernel(int n, int w, int h, const float *xs, const float *ys,
                                     const float *charges, float *grid) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = xs[i] * (w - 1), y = ys[i] * (h - 1), charge = charges[i];
  int cx = int(x), cy = int(y);
  float dx = x - cx, dy = y - cy;
  atomicAdd(&grid[cy * w + cx], charge * (1 - dx) * (1 - dy));
  atomicAdd(&grid[cy * w + cx + 1], charge * dx * (1 - dy));
  atomicAdd(&grid[(cy + 1) * w + cx], charge * (1 - dx) * dy);
  atomicAdd(&grid[(cy + 1) * w + cx + 1], charge * dx * dy);
}

static void depositRun(Data &data) {
  cudaMemsetAsync(data.get<float>(3), 0, GridWidth * GridHeight * sizeof(float));
  depositKernel<<<cover(Charges, 256), 256>>>(Charges, GridWidth, GridHeight, data.get<float>(0),
                                              data.get<float>(1), data.get<float>(2),
                                              data.get<float>(3));
}

struct Cell {
  float density, energy, pressure, speed;
  float3 momentum, velocity;
};

__device__ static Cell load(const float *state, int n, int i) {
  Cell c;
  c.density = state[i];
  c.momentum = make_float3(state[n + i], state[2 * n + i], state[3 * n + i]);
  c.energy = state[4 * n + i];
  c.velocity =
      make_float3(c.momentum.x / c.density, c.momentum.y / c.density, c.momentum.z / c.density);
  float squares =
      c.velocity.x * c.velocity.x + c.velocity.y * c.velocity.y + c.velocity.z * c.velocity.z;
  c.pressure = 0.4f * (c.energy - 0.5f * c.density * squares);
  c.speed = sqrtf(squares) + sqrtf(1.4f * c.pressure / c.density);
  return c;
}

/// The mean of both sides' fluxes and a viscosity by their speeds; a wall gives its pressure.
__global__ static void cfdKernel(int n, const float *state, const int *neighbours,
                                 const float *normals, float *fluxes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Cell me = load(state, n, i);
  float sums[5] = {};
  for (int face = 0; face < Faces; face++) {
    int other = neighbours[face * n + i];
    float nx = normals[(face * 3) * n + i], ny = normals[(face * 3 + 1) * n + i],
          nz = normals[(face * 3 + 2) * n + i];
    if (other < 0) {
      sums[1] += nx * me.pressure;
      sums[2] += ny * me.pressure;
      sums[3] += nz * me.pressure;
      continue;
    }
    Cell its = load(state, n, other);
    float viscosity = 0.1f * sqrtf(nx * nx + ny * ny + nz * nz) * (me.speed + its.speed);
    float mine = me.velocity.x * nx + me.velocity.y * ny + me.velocity.z * nz;
    float theirs = its.velocity.x * nx + its.velocity.y * ny + its.velocity.z * nz;
    float pressure = 0.5f * (me.pressure + its.pressure);
    sums[0] +=
        0.5f * (me.density * mine + its.density * theirs) + viscosity * (me.density - its.density);
    sums[1] += 0.5f * (me.momentum.x * mine + its.momentum.x * theirs) + pressure * nx +
               viscosity * (me.momentum.x - its.momentum.x);
    sums[2] += 0.5f * (me.momentum.y * mine + its.momentum.y * theirs) + pressure * ny +
               viscosity * (me.momentum.y - its.momentum.y);
    sums[3] += 0.5f * (me.momentum.z * mine + its.momentum.z * theirs) + pressure * nz +
               viscosity * (me.momentum.z - its.momentum.z);
    sums[4] += 0.5f * ((me.energy + me.pressure) * mine + (its.energy + its.pressure) * theirs) +
               viscosity * (me.energy - its.energy);
  }
  for (int k = 0; k < 5; k++)
    fluxes[k * n + i] = sums[k];
}

static void cfdRun(Data &data) {
  cfdKernel<<<cover(Cells, 128), 128>>>(Cells, data.get<float>(0), data.get<int>(1),
                                        data.get<float>(2), data.get<float>(3));
}

BENCHMARK("move_structures", structures, structuresRun)
BENCHMARK("move_fields", fields, fieldsRun)
BENCHMARK("nbody", nbody, nbodyRun)
BENCHMARK("lennard_jones", lennardJones, lennardJonesRun)
BENCHMARK("lavamd", lavaMd, lavaRun)
BENCHMARK("deposit", deposit, depositRun)
BENCHMARK("cfd", cfd, cfdRun)
