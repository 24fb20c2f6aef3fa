// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The surface functions, of surface objects and of surface references. x counts bytes. CUDA C++
// Programming Guide, "Surface Functions". The device library says where an element lies
// (src/devlib/textures/surface.cpp).
#ifndef HEDDLE_SURFACE_FUNCTIONS_H
#define HEDDLE_SURFACE_FUNCTIONS_H

#if defined(__CUDACC__) && defined(__CUDA__)
#include "texture_reference.h"

/// Null where nothing is to be read or written. Above the mode's 8 bits the geometry: 1, 2 and 3 dimensions,
/// 5 and 6 with layers.
extern "C" __device__ void *__heddle_surface_at(unsigned long long object, unsigned bytes, int x,
                                                int y, int slice, bool isLayer, unsigned mode);

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__
#define HEDDLE_LIST(...) __VA_ARGS__

template <class T>
HEDDLE_D T __heddle_surface_read(unsigned long long object, int x, int y, int slice, bool isLayer,
                                 unsigned mode) {
  T value = T();
  if (void *element = __heddle_surface_at(object, sizeof(T), x, y, slice, isLayer, mode))
    value = *(T *)element;
  return value;
}
template <class T>
HEDDLE_D void __heddle_surface_write(T value, unsigned long long object, int x, int y, int slice,
                                     bool isLayer, unsigned mode) {
  if (void *element = __heddle_surface_at(object, sizeof(T), x, y, slice, isLayer, mode))
    *(T *)element = value;
}

// `row` and `slice` are expressions of the parameters.
#define HEDDLE_SURFACE(name, kind, geometry, parameters, row, slice, isLayer)                      \
  template <class T>                                                                               \
  HEDDLE_D T name##read(cudaSurfaceObject_t object, int x HEDDLE_LIST parameters,                  \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                     \
    return __heddle_surface_read<T>(object, x, row, slice, isLayer, mode | geometry << 8);         \
  }                                                                                                \
  template <class T>                                                                               \
  HEDDLE_D void name##read(T *result, cudaSurfaceObject_t object, int x HEDDLE_LIST parameters,    \
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    *result = __heddle_surface_read<T>(object, x, row, slice, isLayer, mode | geometry << 8);      \
  }                                                                                                \
  template <class T>                                                                               \
  HEDDLE_D void name##write(T value, cudaSurfaceObject_t object, int x HEDDLE_LIST parameters,     \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                 \
    __heddle_surface_write<T>(value, object, x, row, slice, isLayer, mode | geometry << 8);        \
  }                                                                                                \
  template <class T, class Element>                                                                \
  HEDDLE_D T name##read(surface<Element, cudaSurfaceType##kind> s, int x HEDDLE_LIST parameters,   \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                     \
    return __heddle_surface_read<T>(__heddle_object_of(s), x, row, slice, isLayer,                 \
                                    mode | geometry << 8);                                         \
  }                                                                                                \
  template <class T, class Element>                                                                \
  HEDDLE_D void name##read(T *result, surface<Element, cudaSurfaceType##kind> s,                   \
                           int x HEDDLE_LIST parameters,                                           \
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    *result = __heddle_surface_read<T>(__heddle_object_of(s), x, row, slice, isLayer,              \
                                       mode | geometry << 8);                                      \
  }                                                                                                \
  template <class T, class Element>                                                                \
  HEDDLE_D void name##write(T value, surface<Element, cudaSurfaceType##kind> s,                    \
                            int x HEDDLE_LIST parameters,                                          \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                 \
    __heddle_surface_write<T>(value, __heddle_object_of(s), x, row, slice, isLayer,                \
                              mode | geometry << 8);                                               \
  }
HEDDLE_SURFACE(surf1D, 1D, 1, (), 0, 0, false)
HEDDLE_SURFACE(surf2D, 2D, 2, (, int y), y, 0, false)
HEDDLE_SURFACE(surf3D, 3D, 3, (, int y, int z), y, z, false)
HEDDLE_SURFACE(surf1DLayered, 1DLayered, 5, (, int layer), 0, layer, true)
HEDDLE_SURFACE(surf2DLayered, 2DLayered, 6, (, int y, int layer), y, layer, true)
HEDDLE_SURFACE(surfCubemap, Cubemap, 6, (, int y, int face), y, face, true)
HEDDLE_SURFACE(surfCubemapLayered, CubemapLayered, 6, (, int y, int layerFace), y, layerFace, true)
#undef HEDDLE_SURFACE
#undef HEDDLE_LIST
#pragma pop_macro("HEDDLE_D")
#endif
#endif
