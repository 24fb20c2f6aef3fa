// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface references. Binding one makes an object of the reference's settings, as they
// are then, and writes it to the reference's variable in the current context. A launch reads the
// variable when it runs, not when it is queued, so binding waits until the context is idle: kernels
// that were launched before go on with what was bound then. The object that the reference had is
// destroyed.
//
// PTX may read a texture through samplers of its own (frontend/ptx/lower/texture.cpp). Each is another
// variable, "image.sampler_44010": the address modes of three axes with the numbers of PTX ISA,
// whether it filters, whether coordinates count texels.
#include "driver/textures/references.h"

#include "driver/handle_pool.h"
#include "driver/memory/array.h"
#include "driver/memory/array_format.h"
#include "driver/modules/module_table.h"
#include "driver/rooms.h"
#include "driver/streams/stream.h"

#include <algorithm>

namespace heddle::driver {

namespace {

constexpr size_t MostReferences = 1 << 16;

HandlePool<TextureReference, MostReferences> &texturePool() {
  return rooms().textureReferences.get();
}
HandlePool<SurfaceReference, MostReferences> &surfacePool() {
  return rooms().surfaceReferences.get();
}

void destroySampled(TextureReference &reference) {
  for (Texture *texture : reference.sampled)
    destroyTexture(texture);
  reference.sampled.clear();
}

void destroy(TextureReference *reference) {
  if (reference->texture)
    destroyTexture(reference->texture);
  destroySampled(*reference);
  texturePool().destroy(reference);
}
void destroy(SurfaceReference *reference) {
  if (reference->surface)
    destroySurface(reference->surface);
  surfacePool().destroy(reference);
}

auto &pool(const TextureReference *) { return texturePool(); }
auto &pool(const SurfaceReference *) { return surfacePool(); }
auto &referencesOf(Library &library, const TextureReference *) { return library.textureReferences; }
auto &referencesOf(Library &library, const SurfaceReference *) { return library.surfaceReferences; }

/// Where kernels read the object.
CUresult placeOf(Library &library, const char *name, uint64_t *&place) {
  void *p = nullptr;
  size_t bytes = 0;
  if (CUresult error = findGlobal(library, name, Globals::Plain, &p, &bytes))
    return error;
  place = static_cast<uint64_t *>(p);
  return bytes == sizeof *place ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

template <typename T> T *findLive(const void *handle) {
  return pool(static_cast<T *>(nullptr)).find(handle);
}

template <typename T> CUresult findOf(Library &library, const char *name, T *&reference) {
  uint64_t *place;
  if (CUresult error = placeOf(library, name, place))
    return error;
  const int context = currentContext().index;
  std::unique_lock guard(moduleTable().mutex);
  auto &all = referencesOf(library, static_cast<T *>(nullptr));
  auto known = std::ranges::find_if(
      all, [&](auto &one) { return one->name == name && one->context == context; });
  if (known != all.end()) {
    reference = known->get();
    return CUDA_SUCCESS;
  }
  reference = pool(reference).create();
  if (!reference)
    return CUDA_ERROR_OUT_OF_MEMORY;
  reference->library = &library;
  reference->name = name;
  reference->context = context;
  all.emplace_back(reference, [](T *one) { destroy(one); });
  return CUDA_SUCCESS;
}

/// Kernels that are launched from now on read the object.
CUresult show(const Reference &reference, const void *object) {
  uint64_t *place;
  if (!reference.library)
    return CUDA_SUCCESS;
  if (CUresult error = placeOf(*reference.library, reference.name.c_str(), place))
    return error;
  if (CUresult error = synchronize(currentContext()))
    return error;
  *place = reinterpret_cast<uint64_t>(object);
  return CUDA_SUCCESS;
}

CUresult show(TextureReference &reference, Texture *texture) {
  CUresult error = show(static_cast<const Reference &>(reference), texture);
  if (Texture *unused = error ? texture : std::exchange(reference.texture, texture))
    destroyTexture(unused);
  return error;
}

/// It is about settings that do not go with the format.
bool isAboutReading(CUresult error) {
  return error == CUresult(cudaErrorInvalidNormSetting) ||
         error == CUresult(cudaErrorInvalidFilterSetting);
}

CUresult makeTexture(const TextureReference &reference, const cudaResourceDesc &resource,
                     Texture *&texture) {
  if (baseArray(resource) == nullptr && resource.resType < cudaResourceTypeLinear)
    return CUDA_ERROR_INVALID_HANDLE;
  const cudaTextureDesc settings = readSettings(reference.settings, formatOf(resource));
  CUresult error = createTexture(texture, resource, settings, nullptr);
  return isAboutReading(error) ? CUDA_SUCCESS : error;
}

constexpr std::string_view SamplerMark = ".sampler_";

/// The settings of a reference with a sampler's in place of its own, from the sampler's name.
bool applySampler(std::string_view name, CUDA_TEXTURE_DESC &settings) {
  constexpr CUaddress_mode Modes[] = {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_MIRROR,
                                      CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                      CU_TR_ADDRESS_MODE_BORDER};
  constexpr size_t Axes = 3;
  if (name.size() != Axes + 2)
    return false;
  for (size_t axis = 0; axis < Axes; ++axis) {
    const auto mode = static_cast<size_t>(name[axis] - '0');
    if (mode >= std::size(Modes))
      return false;
    settings.addressMode[axis] = Modes[mode];
  }
  settings.filterMode = name[Axes] == '1' ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  if (name[Axes + 1] == '1')
    settings.flags &= ~unsigned(CU_TRSF_NORMALIZED_COORDINATES);
  return true;
}

/// Binds what PTX reads through its samplers; null: nothing is bound any more.
CUresult showSampled(TextureReference &reference, const cudaResourceDesc *resource) {
  if (!reference.library)
    return CUDA_SUCCESS;
  destroySampled(reference);
  const std::string start = reference.name + std::string(SamplerMark);
  for (const std::string &name : globalsThatBegin(*reference.library, start)) {
    TextureReference sampled = reference; // its settings
    sampled.sampled.clear();
    Texture *texture = nullptr;
    if (!applySampler(std::string_view(name).substr(start.size()), sampled.settings))
      continue;
    if (resource)
      if (CUresult error = makeTexture(sampled, *resource, texture))
        return error;
    if (texture)
      reference.sampled.push_back(texture);
    sampled.name = name;
    if (CUresult error = show(static_cast<const Reference &>(sampled), texture))
      return error;
  }
  return CUDA_SUCCESS;
}

} // namespace

TextureReference *findReference(CUtexref handle) { return findLive<TextureReference>(handle); }
SurfaceReference *findReference(CUsurfref handle) { return findLive<SurfaceReference>(handle); }

CUresult findReference(Library &library, const char *name, TextureReference *&reference) {
  return findOf(library, name, reference);
}
CUresult findReference(Library &library, const char *name, SurfaceReference *&reference) {
  return findOf(library, name, reference);
}

TextureReference *makeReference() {
  TextureReference *reference = texturePool().create();
  if (reference)
    reference->context = currentContext().index;
  return reference;
}

void destroyReference(TextureReference &reference) { destroy(&reference); }

CUresult bind(TextureReference &reference, const cudaResourceDesc &resource) {
  Texture *texture = nullptr;
  if (CUresult error = makeTexture(reference, resource, texture))
    return error;
  if (CUresult error = show(reference, texture))
    return error;
  if (CUresult error = showSampled(reference, &resource))
    return error;
  reference.resource = resource;
  reference.isBound = true;
  return CUDA_SUCCESS;
}

CUresult unbind(TextureReference &reference) {
  reference.isBound = false;
  if (CUresult error = showSampled(reference, nullptr))
    return error;
  return show(reference, static_cast<Texture *>(nullptr));
}

CUresult rebind(TextureReference &reference) {
  return reference.isBound ? bind(reference, reference.resource) : CUDA_SUCCESS;
}

CUresult bind(SurfaceReference &reference, CUarray array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = reinterpret_cast<cudaArray_t>(array);
  Surface *surface = nullptr;
  if (CUresult error = createSurface(surface, resource))
    return error;
  CUresult error = show(reference, static_cast<const void *>(surface));
  if (Surface *unused = error ? surface : std::exchange(reference.surface, surface))
    destroySurface(unused);
  if (error == CUDA_SUCCESS)
    reference.array = array;
  return error;
}

void resetReferences(const Context &context) {
  texturePool().forEach([&](TextureReference *reference) {
    if (reference->context != context.index)
      return;
    if (Texture *texture = std::exchange(reference->texture, nullptr))
      destroyTexture(texture);
    destroySampled(*reference);
    reference->isBound = false;
  });
  surfacePool().forEach([&](SurfaceReference *reference) {
    if (reference->context != context.index)
      return;
    if (Surface *surface = std::exchange(reference->surface, nullptr))
      destroySurface(surface);
    reference->array = nullptr;
  });
}

} // namespace heddle::driver
