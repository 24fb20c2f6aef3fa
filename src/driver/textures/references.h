// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/modules/library.h"
#include "driver/textures/texture.h"

#include <vector>

#include "heddle/driver_types.h"

namespace heddle::driver {

/// A variable of device code that holds an object, in one context.
struct Reference {
  Library *library = nullptr; ///< null: cuTexRefCreate made it, and no kernel reads it
  std::string name;
  int context = 0; ///< its index
};

/// A texture reference. Of its `settings`, what is not set is zero: points, wrapped, integers as
/// fractions.
struct TextureReference : Reference {
  CUDA_TEXTURE_DESC settings = {};
  CUarray_format format = CU_AD_FORMAT_FLOAT; ///< of memory that will be bound
  unsigned channels = 1;
  bool isBound = false;
  cudaResourceDesc resource = {};
  Texture *texture = nullptr;     ///< null where the resource cannot be read so
  std::vector<Texture *> sampled; ///< the same with samplers of PTX, one for each
};

struct SurfaceReference : Reference {
  CUarray array = nullptr;
  Surface *surface = nullptr;
};

/// The live one of a handle, or null.
TextureReference *findReference(CUtexref);
SurfaceReference *findReference(CUsurfref);

/// That of a library's variable in the current context. Error: CUDA_ERROR_NOT_FOUND.
CUresult findReference(Library &, const char *name, TextureReference *&);
CUresult findReference(Library &, const char *name, SurfaceReference *&);

/// One of its own. Null: there are too many.
TextureReference *makeReference();
void destroyReference(TextureReference &);

/// What was bound gives way to a resource. Errors: those of createTexture, but not for settings that
/// do not go with its format: the program may change them before it launches a kernel.
CUresult bind(TextureReference &, const cudaResourceDesc &);
CUresult unbind(TextureReference &);
/// After a change of the settings.
CUresult rebind(TextureReference &);
CUresult bind(SurfaceReference &, CUarray);

/// For a context that is reset.
void resetReferences(const Context &);

} // namespace heddle::driver
