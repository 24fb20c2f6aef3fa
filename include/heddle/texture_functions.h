// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface functions. They are not in this version: a use is an error at compile time that
// says so, in one line (driver/diagnostics.cpp leaves out the note that leads here).
#ifndef HEDDLE_TEXTURE_FUNCTIONS_H
#define HEDDLE_TEXTURE_FUNCTIONS_H

#if defined(__CUDACC__) && defined(__CUDA__)
#include "../texture_types.h"

#define HEDDLE_UNSUPPORTED(name)                                                                   \
  template <class T = void, class... Args>                                                         \
  __device__ __attribute__((unavailable("textures and surfaces are not in this version of "        \
                                        "Heddle; docs/api_support.md lists what there is"))) T     \
  name(Args...);
HEDDLE_UNSUPPORTED(tex1Dfetch)
HEDDLE_UNSUPPORTED(tex1D)
HEDDLE_UNSUPPORTED(tex2D)
HEDDLE_UNSUPPORTED(tex3D)
HEDDLE_UNSUPPORTED(tex1DLayered)
HEDDLE_UNSUPPORTED(tex2DLayered)
HEDDLE_UNSUPPORTED(texCubemap)
HEDDLE_UNSUPPORTED(texCubemapLayered)
HEDDLE_UNSUPPORTED(tex2Dgather)
HEDDLE_UNSUPPORTED(tex1DLod)
HEDDLE_UNSUPPORTED(tex2DLod)
HEDDLE_UNSUPPORTED(tex3DLod)
HEDDLE_UNSUPPORTED(tex1DGrad)
HEDDLE_UNSUPPORTED(tex2DGrad)
HEDDLE_UNSUPPORTED(tex3DGrad)
HEDDLE_UNSUPPORTED(surf1Dread)
HEDDLE_UNSUPPORTED(surf2Dread)
HEDDLE_UNSUPPORTED(surf3Dread)
HEDDLE_UNSUPPORTED(surf1DLayeredread)
HEDDLE_UNSUPPORTED(surf2DLayeredread)
HEDDLE_UNSUPPORTED(surfCubemapread)
HEDDLE_UNSUPPORTED(surf1Dwrite)
HEDDLE_UNSUPPORTED(surf2Dwrite)
HEDDLE_UNSUPPORTED(surf3Dwrite)
HEDDLE_UNSUPPORTED(surf1DLayeredwrite)
HEDDLE_UNSUPPORTED(surf2DLayeredwrite)
HEDDLE_UNSUPPORTED(surfCubemapwrite)
#undef HEDDLE_UNSUPPORTED
#endif
#endif
