// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Textures and surfaces of random programs as plain C++, from the CUDA C++ Programming Guide ("Texture Fetching",
// "Surface Functions") alone: a filtered sample is the sum over the texels around it, each times the product of its
// weights along the axes, whose fractions have 8 bits. A product of fractions is not rounded here; units in which that
// would show give their results in arrays of `nearby`.
#pragma once

#include "fuzz_textures.h"

namespace host {

struct Picture {
  Shape shape;
  int size[3];
  int channels, bytes; ///< of an element; of a channel
  Channel kind;
  std::vector<unsigned char> texels;

  int axes() const { return shape == Shape::Volume ? 3 : shape == Shape::Line || shape == Shape::Lines ? 1 : 2; }
  const unsigned char *at(int x, int y, int z) const {
    return texels.data() + ((size_t(z) * size[1] + y) * size[0] + x) * channels * bytes;
  }
  bool holds(int x, int y, int z) const {
    return x >= 0 && y >= 0 && z >= 0 && x < size[0] && y < size[1] && z < size[2];
  }
};
struct View {
  Picture *picture;
  Sampling sampling;
};
using Image = Picture *;
using Surface = Picture *;
using Texture = const View *;

inline int images; ///< of the unit

template <class T> Image image(Shape shape, int width, int height, int depth, unsigned limit, unsigned = 0) {
  std::vector<T> texels = texelsOf<T>(size_t(width) * height * depth, limit, images++);
  const auto *bytes = (const unsigned char *)texels.data();
  auto *made = new Picture{shape,
                           {width, height, depth},
                           Texel<T>::channels,
                           int(sizeof(T)) / Texel<T>::channels,
                           Texel<T>::kind,
                           {bytes, bytes + texels.size() * sizeof(T)}};
  atEnd([=] {
    delete made;
    images = 0;
  });
  return made;
}
inline Texture texture(Image image, const Sampling &sampling) {
  auto *made = new View{image, sampling};
  atEnd([=] { delete made; });
  return made;
}
inline Surface surface(Image image) { return image; }

/// A channel as the number that it means.
inline double channelAt(const Picture &picture, int channel, int x, int y, int z) {
  const unsigned char *at = picture.at(x, y, z) + channel * picture.bytes;
  if (picture.kind == Channel::Float && picture.bytes == 4)
    return *(const float *)at;
  if (picture.kind == Channel::Float)
    return __half2float(*(const __half *)at);
  unsigned bits = 0;
  memcpy(&bits, at, picture.bytes);
  int unused = 32 - 8 * picture.bytes;
  return picture.kind == Channel::Signed ? double(int(bits << unused) >> unused) : double(bits);
}

/// Where texel i lies along an axis of n; -1: nowhere.
inline int placeOf(int i, int n, cudaTextureAddressMode mode) {
  if (i >= 0 && i < n)
    return i;
  if (mode == cudaAddressModeBorder)
    return -1;
  if (mode == cudaAddressModeClamp)
    return i < 0 ? 0 : n - 1;
  int period = mode == cudaAddressModeWrap ? n : 2 * n, k = (i % period + period) % period;
  return k < n ? k : 2 * n - 1 - k;
}

/// A texel along each axis, the address modes applied; zero where it lies nowhere.
inline double texelOf(const View &view, int channel, const int (&at)[3], int layer) {
  const Picture &picture = *view.picture;
  int place[3] = {0, 0, 0};
  for (int axis = 0; axis < picture.axes(); ++axis) {
    place[axis] = placeOf(at[axis], picture.size[axis], view.sampling.modes[axis]);
    if (place[axis] < 0)
      return 0;
  }
  if (picture.shape == Shape::Lines || picture.shape == Shape::Planes)
    place[2] = layer < picture.size[2] ? layer : picture.size[2] - 1;
  double value = channelAt(picture, channel, place[0], place[1], place[2]);
  if (!view.sampling.givesFractions)
    return value;
  int digits = 8 * picture.bytes - (picture.kind == Channel::Signed);
  return std::fmax(value / double((1u << digits) - 1), -1.0);
}

inline double sampleOf(const View &view, int channel, const float (&coordinates)[3], int layer) {
  const Picture &picture = *view.picture;
  int first[3] = {0, 0, 0}, axes = picture.axes();
  double fraction[3] = {0, 0, 0};
  for (int axis = 0; axis < axes; ++axis) {
    double x = coordinates[axis];
    if (view.sampling.isNormalized)
      x *= picture.size[axis];
    if (view.sampling.filters) {
      x = std::floor((x - 0.5) * 256 + 0.5) / 256;
      fraction[axis] = x - std::floor(x);
    }
    first[axis] = int(std::floor(x));
  }
  if (!view.sampling.filters)
    return texelOf(view, channel, first, layer);
  double sum = 0;
  for (int corner = 0; corner < 1 << axes; ++corner) {
    double weight = 1;
    int at[3] = {0, 0, 0};
    for (int axis = 0; axis < axes; ++axis) {
      int second = corner >> axis & 1;
      weight *= second ? fraction[axis] : 1 - fraction[axis];
      at[axis] = first[axis] + second;
    }
    if (weight != 0)
      sum += weight * texelOf(view, channel, at, layer);
  }
  return sum;
}

/// A result of which each channel is what `of` says.
template <class T, class F> T channelsOf(F of) {
  T result;
  for (int channel = 0; channel < Texel<T>::channels; ++channel)
    ((typename Texel<T>::Scalar *)&result)[channel] = typename Texel<T>::Scalar(of(channel));
  return result;
}
template <class T> T sample(Texture t, float x, float y, float z, int layer = 0) {
  return channelsOf<T>([&](int channel) { return sampleOf(*t, channel, {x, y, z}, layer); });
}

template <class T> T tex1Dfetch(Texture t, int x) {
  return channelsOf<T>([&](int c) { return x < 0 || x >= t->picture->size[0] ? 0.0 : texelOf(*t, c, {x, 0, 0}, 0); });
}
template <class T> T tex1D(Texture t, float x) { return sample<T>(t, x, 0, 0); }
template <class T> T tex2D(Texture t, float x, float y) { return sample<T>(t, x, y, 0); }
template <class T> T tex3D(Texture t, float x, float y, float z) { return sample<T>(t, x, y, z); }
template <class T> T tex1DLayered(Texture t, float x, int layer) { return sample<T>(t, x, 0, 0, layer); }
template <class T> T tex2DLayered(Texture t, float x, float y, int layer) { return sample<T>(t, x, y, 0, layer); }

/// One channel of the four texels that a filtered sample is made of.
template <class T> T tex2Dgather(Texture t, float x, float y, int component = 0) {
  static const int corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  int i = int(std::floor(x - 0.5f)), j = int(std::floor(y - 0.5f)); // the generator's are not normalized
  return channelsOf<T>([&](int k) { return texelOf(*t, component, {i + corners[k][0], j + corners[k][1], 0}, 0); });
}

inline int clamped(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }

/// x in bytes.
template <class T> T readSurface(Surface s, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  x /= int(sizeof(T)); // the generator's are whole elements
  if (mode == cudaBoundaryModeClamp) {
    x = clamped(x, s->size[0]);
    y = clamped(y, s->size[1]);
    z = clamped(z, s->size[2]);
  }
  T value = {};
  if (s->holds(x, y, z))
    memcpy(&value, s->at(x, y, z), sizeof(T));
  return value;
}
/// By threads that write to different places, the boundary mode zero.
template <class T> void writeSurface(T value, Surface s, int x, int y, int z) {
  x /= int(sizeof(T));
  if (s->holds(x, y, z))
    memcpy(const_cast<unsigned char *>(s->at(x, y, z)), &value, sizeof(T));
}

using Boundary = cudaSurfaceBoundaryMode;
template <class T> T surf1Dread(Surface s, int x, Boundary mode) { return readSurface<T>(s, x, 0, 0, mode); }
template <class T> T surf2Dread(Surface s, int x, int y, Boundary mode) { return readSurface<T>(s, x, y, 0, mode); }
template <class T> T surf3Dread(Surface s, int x, int y, int z, Boundary mode) {
  return readSurface<T>(s, x, y, z, mode);
}
template <class T> T surf1DLayeredread(Surface s, int x, int layer, Boundary mode) {
  return readSurface<T>(s, x, 0, layer, mode);
}
template <class T> T surf2DLayeredread(Surface s, int x, int y, int layer, Boundary mode) {
  return readSurface<T>(s, x, y, layer, mode);
}
template <class T> void surf1Dwrite(T v, Surface s, int x, Boundary) { writeSurface(v, s, x, 0, 0); }
template <class T> void surf2Dwrite(T v, Surface s, int x, int y, Boundary) { writeSurface(v, s, x, y, 0); }
template <class T> void surf3Dwrite(T v, Surface s, int x, int y, int z, Boundary) { writeSurface(v, s, x, y, z); }
template <class T> void surf1DLayeredwrite(T v, Surface s, int x, int layer, Boundary) {
  writeSurface(v, s, x, 0, layer);
}
template <class T> void surf2DLayeredwrite(T v, Surface s, int x, int y, int layer, Boundary) {
  writeSurface(v, s, x, y, layer);
}

} // namespace host
