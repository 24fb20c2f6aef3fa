// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s 1000 5 %t.png
//
// Illustrates: Nickolls & Kirk, appendix B, section B.8, figures B.8.14 and B.8.17 (an N-body
// simulation of 16,384 bodies that start as a rotating spherical shell).
//
// All-pairs gravity, softened, with tiles of bodies in shared memory. The bodies move by leapfrog
// steps (half a kick, a drift, half a kick), which keep the energy nearly constant; a wrong force
// would not. The program prints the energy before and after, compares some accelerations with plain
// C++ in double precision, and draws the bodies. Use: nbody [bodies [steps [picture.png]]]
#include "common.h"
#include "png.h"

#include <algorithm>
#include <string>

constexpr int Tile = 256;
constexpr float Softening = 0.05f;
constexpr float TimeStep = 0.02f;

/// Bodies as the device holds them. G, the total mass and the shell's radius are 1.
struct Bodies {
  int n;
  float4 *positions;     // x, y, z, mass
  float4 *velocities;    // x, y, z, unused
  float4 *accelerations; // x, y, z, potential
};

__device__ inline float4 bodyOrNothing(const float4 *positions, int i, int n) {
  return i < n ? positions[i] : make_float4(0, 0, 0, 0); // no mass, no pull
}

/// Acceleration of every body by all bodies: about 20 operations per pair, and one barrier pair per
/// tile.
__global__ void accelerate(Bodies b) {
  __shared__ float4 tile[Tile];
  int i = blockIdx.x * Tile + threadIdx.x;
  float4 own = bodyOrNothing(b.positions, i, b.n);
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < b.n; first += Tile) {
    tile[threadIdx.x] = bodyOrNothing(b.positions, first + threadIdx.x, b.n);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < Tile; ++k) {
      float4 other = tile[k];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + Softening * Softening);
      float pull = other.w * (inverse * inverse * inverse);
      ax += dx * pull;
      ay += dy * pull;
      az += dz * pull;
    }
    __syncthreads();
  }
  if (i < b.n)
    b.accelerations[i] = make_float4(ax, ay, az, 0);
}

/// Potential of every body in the field of all others, into accelerations[].w.
__global__ void computePotential(Bodies b) {
  __shared__ float4 tile[Tile];
  int i = blockIdx.x * Tile + threadIdx.x;
  float4 own = bodyOrNothing(b.positions, i, b.n);
  float potential = own.w / Softening; // takes back the body's own term
  for (int first = 0; first < b.n; first += Tile) {
    tile[threadIdx.x] = bodyOrNothing(b.positions, first + threadIdx.x, b.n);
    __syncthreads();
    for (int k = 0; k < Tile; ++k) {
      float4 other = tile[k];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      potential -= other.w * rsqrtf(dx * dx + dy * dy + dz * dz + Softening * Softening);
    }
    __syncthreads();
  }
  if (i < b.n)
    b.accelerations[i].w = potential;
}

__global__ void kick(Bodies b, float time) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= b.n)
    return;
  float4 v = b.velocities[i], a = b.accelerations[i];
  b.velocities[i] = make_float4(v.x + a.x * time, v.y + a.y * time, v.z + a.z * time, 0);
}

__global__ void drift(Bodies b, float time) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= b.n)
    return;
  float4 p = b.positions[i], v = b.velocities[i];
  b.positions[i] = make_float4(p.x + v.x * time, p.y + v.y * time, p.z + v.z * time, p.w);
}

/// A thick shell that rotates about the z axis, with more bodies in a few directions, so that
/// clusters form.
static Bodies rotatingShell(int n) {
  Random random(45);
  std::vector<float4> positions(n), velocities(n);
  for (int i = 0; i < n; ++i) {
    float x, y, z, r2;
    do { // a point of the unit ball, not too near to its centre
      x = 2 * random.unit() - 1;
      y = 2 * random.unit() - 1;
      z = 2 * random.unit() - 1;
      r2 = x * x + y * y + z * z;
    } while (r2 > 1 || r2 < 0.01f ||
             random.unit() > 0.55f + 0.45f * std::sin(5 * std::atan2(y, x)));
    float scale = (0.85f + 0.3f * random.unit()) / std::sqrt(r2);
    positions[i] = make_float4(x * scale, y * scale, z * scale, 1.0f / n);
    velocities[i] = make_float4(-0.7f * y * scale, 0.7f * x * scale, 0, 0);
  }
  return {n, toDevice(positions), toDevice(velocities), zerosOnDevice<float4>(n)};
}

struct Energy {
  double kinetic = 0, potential = 0;
  double total() const { return kinetic + potential; }
};

static Energy energyOf(const Bodies &b) {
  computePotential<<<(b.n + Tile - 1) / Tile, Tile>>>(b);
  std::vector<float4> positions = toHost(b.positions, b.n), velocities = toHost(b.velocities, b.n);
  std::vector<float4> potentials = toHost(b.accelerations, b.n);
  Energy energy;
  for (int i = 0; i < b.n; ++i) {
    double vx = velocities[i].x, vy = velocities[i].y, vz = velocities[i].z;
    energy.kinetic += 0.5 * positions[i].w * (vx * vx + vy * vy + vz * vz);
    energy.potential += 0.5 * positions[i].w * potentials[i].w; // each pair counts once
  }
  return energy;
}

/// The largest relative error of the accelerations of up to 32 bodies, against double precision.
static double forceError(const Bodies &b) {
  std::vector<float4> positions = toHost(b.positions, b.n),
                      accelerations = toHost(b.accelerations, b.n);
  double worst = 0;
  for (int i = 0; i < b.n; i += std::max(1, b.n / 32)) {
    double a[3] = {0, 0, 0};
    for (const float4 &other : positions) {
      double d[3] = {double(other.x) - positions[i].x, double(other.y) - positions[i].y,
                     double(other.z) - positions[i].z};
      double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + double(Softening) * Softening;
      for (int axis = 0; axis < 3; ++axis)
        a[axis] += other.w * d[axis] / (r2 * std::sqrt(r2));
    }
    double ex = accelerations[i].x - a[0], ey = accelerations[i].y - a[1],
           ez = accelerations[i].z - a[2];
    double size = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    worst = std::max(worst, std::sqrt(ex * ex + ey * ey + ez * ez) / std::max(size, 1e-3));
  }
  return worst;
}

/// The bodies seen from above at an angle; brightness is the logarithm of their density, red is
/// fast.
static Image draw(const Bodies &b, int size) {
  std::vector<float4> positions = toHost(b.positions, b.n), velocities = toHost(b.velocities, b.n);
  std::vector<float> density(size_t(size) * size), heat(density.size());
  for (int i = 0; i < b.n; ++i) {
    float x = positions[i].x, y = 0.6f * positions[i].y + 0.8f * positions[i].z;
    float speed = std::sqrt(velocities[i].x * velocities[i].x + velocities[i].y * velocities[i].y +
                            velocities[i].z * velocities[i].z);
    int column = int((x / 1.4f + 1) * 0.5f * size), row = int((1 - y / 1.4f) * 0.5f * size);
    for (int dy = -2; dy <= 2; ++dy)
      for (int dx = -2; dx <= 2; ++dx) { // a small round spot
        int px = column + dx, py = row + dy;
        if (px < 0 || px >= size || py < 0 || py >= size)
          continue;
        float weight = std::exp(-0.7f * float(dx * dx + dy * dy));
        density[size_t(py) * size + px] += weight;
        heat[size_t(py) * size + px] += weight * speed;
      }
  }
  Image image(size, size);
  for (size_t i = 0; i < density.size(); ++i) {
    float light = std::min(1.0f, 0.9f * std::log1p(density[i]));
    float warm = density[i] > 0 ? std::min(1.0f, heat[i] / density[i]) : 0;
    image.rgb[3 * i] = uint8_t(255 * light * (0.35f + 0.65f * warm));
    image.rgb[3 * i + 1] = uint8_t(255 * light * 0.75f);
    image.rgb[3 * i + 2] = uint8_t(255 * light * (1 - 0.6f * warm));
  }
  return image;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 16384;
  int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  std::string picture = argc > 3 ? argv[3] : "nbody.png";
  if (n < 1 || steps < 0) {
    std::fprintf(stderr, "use: nbody [bodies [steps [picture.png]]]\n");
    return 2;
  }
  Bodies bodies = rotatingShell(n);
  int blocks = (n + Tile - 1) / Tile;
  std::printf("%d bodies, %d steps of %g\n", n, steps, TimeStep);
  Energy before = energyOf(bodies);
  std::printf("energy before: %.5f kinetic %+.5f potential = %.5f\n", before.kinetic,
              before.potential, before.total());

  accelerate<<<blocks, Tile>>>(bodies);
  check(forceError(bodies) < 1e-4, "accelerations agree with double precision");
  EventTimer timer;
  for (int step = 0; step < steps; ++step) {
    kick<<<blocks, Tile>>>(bodies, TimeStep / 2);
    drift<<<blocks, Tile>>>(bodies, TimeStep);
    accelerate<<<blocks, Tile>>>(bodies);
    kick<<<blocks, Tile>>>(bodies, TimeStep / 2);
  }
  double milliseconds = timer.milliseconds();
  if (steps > 0)
    std::printf("time: %.3f ms per step, %.1f GFLOP/s at 20 operations per pair\n",
                milliseconds / steps, 20.0 * n * n * steps / milliseconds / 1e6);

  check(forceError(bodies) < 1e-4, "accelerations agree after the last step");
  Energy after = energyOf(bodies);
  std::printf("energy after:  %.5f kinetic %+.5f potential = %.5f\n", after.kinetic,
              after.potential, after.total());
  double drifted =
      std::fabs(after.total() - before.total()) / std::max(1e-6, std::fabs(before.total()));
  check(drifted < 1e-3, "energy is constant to 1 in 1000");
  check(writePng(picture, draw(bodies, 800)), "picture written");
  for (float4 *array : {bodies.positions, bodies.velocities, bodies.accelerations})
    CUDA_CHECK(cudaFree(array));
  return exitCode();
}
