// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread has a problem of its own: options in double, random numbers, differential equations
// (myocyte), number theory, transforms by their definition.
#pragma once

#include "corpus.h"

namespace numbers {
using namespace corpus;
using bench::Problem;

constexpr int Options = 20011;
constexpr int Trees = 211, TreeSteps = 94;    // binomial
constexpr int Paths = 2003, PathSteps = 51;   // asian
constexpr int Streams = 12007, Drawn = 40;    // pi
constexpr int Blocks = 80021;                 // philox
constexpr int Cells = 301, CellSteps = 60;    // myocyte
constexpr int Orbits = 701, OrbitSteps = 200; // lorenz
constexpr int Tested = 12007;                 // primes, gcd, collatz
constexpr int Signal = 501;                   // dft
constexpr int Series = 12007, Terms = 30;     // bessel
constexpr int Systems = 5003, Unknowns = 6;   // small systems

/// Prices, strikes and years; calls and puts.
inline Problem blackscholes() {
  return items(Options, 1e-12)
      .input(randomDoubles(Options, 5, 30, 1))
      .input(randomDoubles(Options, 1, 100, 2))
      .input(randomDoubles(Options, 0.25, 10, 3))
      .output<double>(Options)
      .output<double>(Options);
}
/// Prices and strikes; calls.
inline Problem binomial() {
  return items(double(Trees) * TreeSteps * TreeSteps / 2, 1e-12)
      .input(randomDoubles(Trees, 5, 30, 1))
      .input(randomDoubles(Trees, 5, 30, 2))
      .output<double>(Trees);
}
/// Seeds; what an option on the mean pays.
inline Problem asian() {
  return items(double(Paths) * PathSteps, floatError(1000))
      .input(randomInts(Paths, 1 << 30, 1))
      .output<float>(Paths);
}
/// Seeds; points in the circle (a point on its border may fall either way).
inline Problem pi() {
  return items(double(Streams) * Drawn, 0.001)
      .input(randomInts(Streams, 1 << 30, 1))
      .output<int>(Streams);
}
/// Random words.
inline Problem philox() { return items(Blocks, 0).output<unsigned>(Blocks * 4); }
/// Start values of a cell's potential, its potential and gates at the end.
inline Problem myocyte() {
  return items(double(Cells) * CellSteps, 1e-9)
      .input(randomDoubles(Cells, -70, -40, 1))
      .output<double>(Cells * 4);
}
/// Start values, ends (three each).
inline Problem lorenz() {
  return items(double(Orbits) * OrbitSteps, floatError(10000))
      .input(randomFloats(Orbits * 3, 1, 2, 1))
      .output<float>(Orbits * 3);
}
/// Numbers; 1 for primes.
inline Problem primes() {
  return items(Tested, 0).input(randomInts(Tested, 20000, 1)).output<int>(Tested);
}
/// Two numbers each; their greatest divisor.
inline Problem gcd() {
  return items(Tested, 0)
      .input(randomInts(Tested, 1 << 30, 1))
      .input(randomInts(Tested, 1 << 30, 2))
      .output<int>(Tested);
}
/// Numbers; steps to 1.
inline Problem collatz() {
  return items(Tested, 0).input(randomInts(Tested, 10000, 1)).output<int>(Tested);
}
/// A signal (two floats each), a period of sines and cosines, the spectrum.
inline Problem dft() {
  std::vector<float> turns;
  for (int i = 0; i < Signal; ++i) {
    turns.push_back(float(std::cos(2 * 3.14159265358979 * i / Signal)));
    turns.push_back(float(-std::sin(2 * 3.14159265358979 * i / Signal)));
  }
  return items(double(Signal) * Signal, floatError(4 * Signal))
      .input(randomFloats(2 * Signal, -1, 1, 1))
      .input(turns)
      .output<float>(2 * Signal);
}
/// Places; values of J0 by its series, in double.
inline Problem bessel() {
  return items(double(Series) * Terms, doubleError(10000))
      .input(randomDoubles(Series, 0, 8, 1))
      .output<double>(Series);
}
/// Matrices and right sides (row by row), solutions.
inline Problem smallSystems() {
  std::vector<float> matrices = randomFloats(Systems * Unknowns * Unknowns, -1, 1, 1);
  for (int i = 0; i < Systems * Unknowns; ++i)
    matrices[i * Unknowns + i % Unknowns] += 6;
  return items(Systems, floatError(200))
      .input(matrices)
      .input(randomFloats(Systems * Unknowns, -1, 1, 2))
      .output<float>(Systems * Unknowns);
}
} // namespace numbers
