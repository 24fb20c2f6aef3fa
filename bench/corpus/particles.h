// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Particles and cells: arrays of structures and their fields apart, all pairs, lists of neighbours,
// boxes (lavaMD), charges put on a grid, and the fluxes between the cells of an unstructured mesh
// (cfd).
#pragma once

#include "corpus.h"

namespace particles {
using namespace corpus;
using bench::Problem;

constexpr int Many = 100003; // moved
constexpr int Pairs = 1009;  // nbody
constexpr int Atoms = 3001, Neighbours = 37;
constexpr int BoxSide = 5, InBox = 19, Boxes = BoxSide * BoxSide * BoxSide;
constexpr int GridWidth = 64, GridHeight = 48, Charges = 20011;
constexpr int Cells = 12007, Faces = 4;
constexpr float Step = 0.01f, Soft = 0.05f;

struct Particle {
  float x, y, z, mass, vx, vy, vz;
  int kind;
};
constexpr int Fields = sizeof(Particle) / sizeof(float);

/// Particles as floats (kinds are copied, never computed with), the same moved.
inline Problem structures() {
  return items(Many, floatError(20))
      .input(randomFloats(Many * Fields, 0, 1, 1))
      .output<float>(Many * Fields);
}
/// Positions and velocities field by field, the same moved.
inline Problem fields() {
  return items(Many, floatError(20)).input(randomFloats(Many * 6, 0, 1, 1)).output<float>(Many * 6);
}
/// Places with masses (four floats each), accelerations (three each).
inline Problem nbody() {
  return items(double(Pairs) * Pairs, floatError(20 * Pairs))
      .input(randomFloats(Pairs * 4, -1, 1, 1))
      .output<float>(Pairs * 3);
}
/// Places (three floats each), neighbours of each atom, forces.
inline Problem lennardJones() {
  bench::Random random(2);
  std::vector<int> neighbours(Atoms * Neighbours);
  for (int i = 0; i < Atoms; ++i)
    for (int j = 0; j < Neighbours; ++j)
      neighbours[i * Neighbours + j] = (i + 1 + random.below(200)) % Atoms;
  return items(double(Atoms) * Neighbours, floatError(2000))
      .input(randomFloats(Atoms * 3, 0, 9, 1))
      .input(neighbours)
      .output<float>(Atoms * 3);
}
/// Places and charges in double (four each), numbers of the 27 boxes around each (-1: none), sums
/// (four each).
inline Problem lavaMd() {
  std::vector<int> around;
  for (int box = 0; box < Boxes; ++box)
    for (int n = 0; n < 27; ++n) {
      int x = box % BoxSide + n % 3 - 1, y = box / BoxSide % BoxSide + n / 3 % 3 - 1;
      int z = box / (BoxSide * BoxSide) + n / 9 - 1;
      bool inside = x >= 0 && x < BoxSide && y >= 0 && y < BoxSide && z >= 0 && z < BoxSide;
      around.push_back(inside ? (z * BoxSide + y) * BoxSide + x : -1);
    }
  return items(double(Boxes) * 27 * InBox * InBox, doubleError(20000))
      .input(randomDoubles(Boxes * InBox * 4, 0.1, 1, 1))
      .input(around)
      .output<double>(Boxes * InBox * 4);
}
/// Places in the unit square, charges, the grid.
inline Problem deposit() {
  return items(Charges, floatError(400))
      .input(randomFloats(Charges, 0, 0.999f, 1))
      .input(randomFloats(Charges, 0, 0.999f, 2))
      .input(randomFloats(Charges, 0, 1, 3))
      .output<float>(GridWidth * GridHeight);
}
/// Density, momentum (three), energy, each for all cells; neighbours of the faces (-1: a wall);
/// normals; fluxes.
inline Problem cfd() {
  bench::Random random(4);
  std::vector<float> state = randomFloats(Cells * 5, 0.1f, 0.3f, 1);
  std::vector<int> neighbours(Cells * Faces);
  for (int &neighbour : neighbours)
    neighbour = random.below(20) == 0 ? -1 : random.below(Cells);
  for (int i = 0; i < Cells; ++i) {
    state[i] += 1;
    state[4 * Cells + i] += 2;
  }
  return items(double(Cells) * Faces, floatError(1000))
      .input(state)
      .input(neighbours)
      .input(randomFloats(Cells * Faces * 3, -1, 1, 2))
      .output<float>(Cells * 5);
}
} // namespace particles
