// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "particles.h"

using namespace particles;
using bench::Data;

static void structuresRun(Data &data) {
  const Particle *from = data.get<Particle>(0);
  Particle *to = data.get<Particle>(1);
#pragma omp parallel for
  for (int i = 0; i < Many; i++) {
    Particle p = from[i];
    p.vy -= 9.81f * Step;
    p.x += p.vx * Step;
    p.y += p.vy * Step;
    p.z += p.vz * Step;
    if (p.y < 0) {
      p.y = -p.y;
      p.vy = -0.8f * p.vy;
    }
    to[i] = p;
  }
}

static void fieldsRun(Data &data) {
  for (int axis = 0; axis < 3; axis++) {
    const float *from = data.get<float>(0) + axis * Many, *speeds = from + 3 * Many;
    float *to = data.get<float>(1) + axis * Many, *changed = to + 3 * Many;
#pragma omp parallel for simd
    for (int i = 0; i < Many; i++) {
      float place = from[i] + speeds[i] * Step;
      changed[i] = place < 0 || place > 1 ? -speeds[i] : speeds[i];
      to[i] = place;
    }
  }
}

static void nbodyRun(Data &data) {
  const float *bodies = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int i = 0; i < Pairs; i++) {
    const float *me = bodies + 4 * i;
    float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
    for (int j = 0; j < Pairs; j++) {
      const float *other = bodies + 4 * j;
      float dx = other[0] - me[0], dy = other[1] - me[1], dz = other[2] - me[2];
      float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + Soft);
      float scale = other[3] * inverse * inverse * inverse;
      ax += dx * scale;
      ay += dy * scale;
      az += dz * scale;
    }
    out[3 * i] = ax;
    out[3 * i + 1] = ay;
    out[3 * i + 2] = az;
  }
}

static void lennardJonesRun(Data &data) {
  const float *places = data.get<float>(0);
  const int *all = data.get<int>(1);
  float *forces = data.get<float>(2);
#pragma omp parallel for
  for (int i = 0; i < Atoms; i++) {
    const float *me = places + 3 * i;
    const int *neighbours = all + i * Neighbours;
    float fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
    for (int k = 0; k < Neighbours; k++) {
      const float *other = places + 3 * neighbours[k];
      float dx = me[0] - other[0], dy = me[1] - other[1], dz = me[2] - other[2];
      float r2 = dx * dx + dy * dy + dz * dz + 0.5f;
      float inverse = 1.0f / r2, r6 = inverse * inverse * inverse;
      float force = r2 < 20.0f ? inverse * r6 * (1.5f * r6 - 2.0f) : 0;
      fx += dx * force;
      fy += dy * force;
      fz += dz * force;
    }
    forces[3 * i] = fx;
    forces[3 * i + 1] = fy;
    forces[3 * i + 2] = fz;
  }
}

static void lavaRun(Data &data) {
  const double *particles = data.get<double>(0);
  const int *around = data.get<int>(1);
#pragma omp parallel for
  for (int box = 0; box < Boxes; box++)
    for (int i = box * InBox; i < (box + 1) * InBox; i++) {
      const double *me = particles + 4 * i;
      double v = 0, x = 0, y = 0, z = 0;
      for (int n = 0; n < 27; n++) {
        int other = around[box * 27 + n];
        if (other < 0)
          continue;
        const double *theirs = particles + other * InBox * 4;
#pragma omp simd reduction(+ : v, x, y, z)
        for (int j = 0; j < InBox; j++) {
          double dx = me[0] - theirs[4 * j], dy = me[1] - theirs[4 * j + 1],
                 dz = me[2] - theirs[4 * j + 2];
          double vij = std::exp(-0.5 * (dx * dx + dy * dy + dz * dz)),
                 force = 2 * vij * theirs[4 * j + 3];
          v += theirs[4 * j + 3] * vij;
          x += force * dx;
          y += force * dy;
          z += force * dz;
        }
      }
      double *sums = data.get<double>(2) + 4 * i;
      sums[0] = v, sums[1] = x, sums[2] = y, sums[3] = z;
    }
}

static void depositRun(Data &data) {
  const float *xs = data.get<float>(0), *ys = data.get<float>(1), *charges = data.get<float>(2);
  float *grid = data.get<float>(3);
  constexpr int W = GridWidth, All = GridWidth * GridHeight;
  std::memset(grid, 0, All * sizeof(float));
#pragma omp parallel for reduction(+ : grid[ : All])
  for (int i = 0; i < Charges; i++) {
    float x = xs[i] * (W - 1), y = ys[i] * (GridHeight - 1);
    int cx = int(x), cy = int(y);
    float dx = x - cx, dy = y - cy, *corner = grid + cy * W + cx;
    corner[0] += charges[i] * (1 - dx) * (1 - dy);
    corner[1] += charges[i] * dx * (1 - dy);
    corner[W] += charges[i] * (1 - dx) * dy;
    corner[W + 1] += charges[i] * dx * dy;
  }
}

struct Cell {
  float density, momentum[3], energy, velocity[3], pressure, speed;
};

static Cell load(const float *state, int i) {
  Cell c;
  float squares = 0;
  c.density = state[i];
  c.energy = state[4 * Cells + i];
  for (int axis = 0; axis < 3; axis++) {
    c.momentum[axis] = state[(axis + 1) * Cells + i];
    c.velocity[axis] = c.momentum[axis] / c.density;
    squares += c.velocity[axis] * c.velocity[axis];
  }
  c.pressure = 0.4f * (c.energy - 0.5f * c.density * squares);
  c.speed = std::sqrt(squares) + std::sqrt(1.4f * c.pressure / c.density);
  return c;
}

static void cfdRun(Data &data) {
  const float *state = data.get<float>(0), *normals = data.get<float>(2);
  const int *neighbours = data.get<int>(1);
  float *fluxes = data.get<float>(3);
#pragma omp parallel for
  for (int i = 0; i < Cells; i++) {
    Cell me = load(state, i);
    float sums[5] = {};
    for (int face = 0; face < Faces; face++) {
      int other = neighbours[face * Cells + i];
      float normal[3], length = 0;
      for (int axis = 0; axis < 3; axis++) {
        normal[axis] = normals[(face * 3 + axis) * Cells + i];
        length += normal[axis] * normal[axis];
      }
      if (other < 0) {
        for (int axis = 0; axis < 3; axis++)
          sums[axis + 1] += normal[axis] * me.pressure;
        continue;
      }
      Cell its = load(state, other);
      float viscosity = 0.1f * std::sqrt(length) * (me.speed + its.speed), mine = 0, theirs = 0;
      for (int axis = 0; axis < 3; axis++) {
        mine += me.velocity[axis] * normal[axis];
        theirs += its.velocity[axis] * normal[axis];
      }
      float pressure = 0.5f * (me.pressure + its.pressure);
      sums[0] += 0.5f * (me.density * mine + its.density * theirs) +
                 viscosity * (me.density - its.density);
      for (int axis = 0; axis < 3; axis++)
        sums[axis + 1] += 0.5f * (me.momentum[axis] * mine + its.momentum[axis] * theirs) +
                          pressure * normal[axis] +
                          viscosity * (me.momentum[axis] - its.momentum[axis]);
      sums[4] += 0.5f * ((me.energy + me.pressure) * mine + (its.energy + its.pressure) * theirs) +
                 viscosity * (me.energy - its.energy);
    }
    for (int k = 0; k < 5; k++)
      fluxes[k * Cells + i] = sums[k];
  }
}

BENCHMARK("move_structures", structures, structuresRun)
BENCHMARK("move_fields", fields, fieldsRun)
BENCHMARK("nbody", nbody, nbodyRun)
BENCHMARK("lennard_jones", lennardJones, lennardJonesRun)
BENCHMARK("lavamd", lavaMd, lavaRun)
BENCHMARK("deposit", deposit, depositRun)
BENCHMARK("cfd", cfd, cfdRun)
