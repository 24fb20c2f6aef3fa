// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cubemaps: six square faces, +x, -x, +y, -y, +z, -z. A direction hits the face of its longest
// component; where on it, by the table of the CUDA C++ Programming Guide, "Cubemap Textures".
#pragma once

#include "texture_coordinates.h"
#include "texture_sample.h"

namespace heddle::devlib {

/// A face, and where on it: s and t from 0 to 1.
struct FacePlace {
  i32 face;
  float s, t;
};

/// A vector as a face sees it: along the face's axis, and across.
struct FaceVector {
  float along, s, t;
};
static inline FaceVector onFace(i32 face, float x, float y, float z) {
  const bool negative = face & 1;
  if (face < 2)
    return {negative ? -x : x, negative ? z : -z, -y};
  if (face < 4)
    return {negative ? -y : y, x, negative ? -z : z};
  return {negative ? -z : z, negative ? -x : x, -y};
}

static inline i32 faceOf(float x, float y, float z) {
  const float ax = absolute(x), ay = absolute(y), az = absolute(z);
  const bool isZ = az >= ax && az >= ay, isY = !isZ && ay >= ax;
  return (isZ ? 4 : isY ? 2 : 0) + (i32)((isZ ? z : isY ? y : x) < 0);
}

static inline FacePlace facePlace(float x, float y, float z) {
  const i32 face = faceOf(x, y, z);
  const FaceVector v = onFace(face, x, y, z);
  return {face, (v.s / v.along + 1.0f) * 0.5f, (v.t / v.along + 1.0f) * 0.5f};
}

/// How far a step of the direction goes on its face.
struct FaceStep {
  float s, t;
};
static inline FaceStep faceStep(float x, float y, float z, float dx, float dy, float dz) {
  const i32 face = faceOf(x, y, z);
  const FaceVector v = onFace(face, x, y, z), step = onFace(face, dx, dy, dz);
  const float scale = 0.5f / (v.along * v.along);
  return {(step.s * v.along - v.s * step.along) * scale,
          (step.t * v.along - v.t * step.along) * scale};
}

/// The direction of a point of a face.
struct Direction {
  float x, y, z;
};
static inline Direction directionOf(const FacePlace &p) {
  const float s = 2.0f * p.s - 1.0f, t = 2.0f * p.t - 1.0f;
  const float major = p.face & 1 ? -1.0f : 1.0f;
  if (p.face < 2)
    return {major, -t, -s * major};
  if (p.face < 4)
    return {s, major, t * major};
  return {s * major, -t, major};
}

/// The texel of a cubemap that lies at (column, row) of a face's plane, where one of them may be
/// just outside.
static inline Words texelOverEdge(const TextureDescriptor &d, const TextureLevel &l, i32 face,
                                  i32 cube, i32 column, i32 row) {
  const i32 extent = constant(l.width);
  const float scale = 1.0f / (float)extent;
  const Direction to =
      directionOf({face, ((float)column + 0.5f) * scale, ((float)row + 0.5f) * scale});
  const FacePlace p = facePlace(to.x, to.y, to.z);
  return anyTexel(d,
                  texelAt(l, constant(d.texelBytes),
                          nearestTexel(AddressMode::Clamp, p.s * (float)extent, extent),
                          nearestTexel(AddressMode::Clamp, p.t * (float)extent, extent),
                          cube + p.face),
                  4);
}

/// A filtered sample whose texels come from the neighbouring faces where they lie over the edge. In
/// a corner of the cube, where three faces meet, there is no fourth texel: the other three count
/// for it, a third each.
static inline Words sampleOverEdges(const TextureDescriptor &d, const TextureLevel &l,
                                    const FacePlace &p, i32 cube) {
  const i32 extent = constant(l.width);
  const Tap x = borderTap(p.s * (float)extent, extent);
  const Tap y = borderTap(p.t * (float)extent, extent);
  const Weights<2> weights(x, y, Tap());
  Floats sum = {-0.0f, -0.0f, -0.0f, -0.0f};
  float total = 0;
#pragma clang loop unroll(disable)
  for (u32 corner = 0; corner < 4; ++corner) {
    const bool right = corner & 1, below = corner & 2;
    const bool none = !(right ? x.secondIn : x.firstIn) && !(below ? y.secondIn : y.firstIn);
    float weight = weights.at[0];
    for (u32 i = 1; i < 4; ++i)
      weight = corner == i ? weights.at[i] : weight;
    weight = none ? 0.0f : weight;
    const i32 column = x.unbounded + right, row = y.unbounded + below;
    const Floats v = floats(texelOverEdge(d, l, p.face, cube, column, row));
    sum = addWeighted(weight, v, sum);
    total += weight;
  }
  return bits(1.0f / total * sum);
}

} // namespace heddle::devlib
