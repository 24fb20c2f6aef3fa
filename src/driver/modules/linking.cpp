// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linking of device code while the program runs (driver API, "Module Management"): of relocatable
// images that 'heddle cc -rdc=true -cubin' or -fatbin wrote.
#include "driver/functions.h"
#include "driver/handle_pool.h"
#include "driver/modules/jit_log.h"
#include "driver/modules/library.h"
#include "driver/modules/link_images.h"
#include "driver/modules/ptx.h"
#include "driver/rooms.h"

#include "base/image/embedded_code.h"
#include "base/image/resources.h"

#include <list>

namespace heddle::driver {

/// What is to be linked, and what came of it.
struct Link {
  std::list<std::vector<uint8_t>> inputs;
  std::vector<ImageView> images; ///< one of each input
  std::vector<uint8_t> linked;
  JitLog log;
  std::string errors;
};

namespace {

HandlePool<Link, 1u << 16> &pool() { return rooms().links.get(); }

template <typename F> CUresult withLink(CUlinkState state, F &&body) {
  Link *link = pool().find(state);
  return link ? body(*link) : CUDA_ERROR_INVALID_HANDLE;
}

/// Notes why it failed.
CUresult noteFailure(Link &link, const Loading &loading, CUresult error) {
  if (!loading.reason.empty())
    link.errors += loading.reason + "\n";
  link.log.write(link.errors, "");
  return error;
}

CUresult add(Link &link, std::vector<uint8_t> bytes, size_t size, Loading &loading) {
  std::vector<uint8_t> made;
  if (CUresult error = checkFormat(bytes.data(), /*isRelocatable=*/true, loading, made))
    return error;
  if (!made.empty()) {
    bytes = std::move(made);
    size = bytes.size();
  }
  auto chosen = chooseImage(bytes.data(), size, capabilityOf(currentContext()));
  if (!chosen)
    return refuse(loading, chosen.error(), CUDA_ERROR_INVALID_IMAGE);
  if (!(chosen->image.header().flags & ImageRelocatable))
    return refuse(loading, "an image to be linked must be compiled with -rdc=true",
                  CUDA_ERROR_INVALID_IMAGE);
  link.images.push_back(chosen->image);
  link.inputs.push_back(std::move(bytes)); // whose contents stay where they are
  return CUDA_SUCCESS;
}

bool isOfHost(CUjitInputType type) {
  return type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY;
}

CUresult addEmbedded(Link &link, const std::vector<uint8_t> &file, Loading &loading) {
  const std::string_view bytes(reinterpret_cast<const char *>(file.data()), file.size());
  auto found = findEmbeddedCode(bytes, capabilityOf(currentContext()));
  if (!found)
    return refuse(loading, "no object and no library", CUDA_ERROR_INVALID_IMAGE);
  for (EmbeddedCode &code : *found) {
    link.images.push_back(code.image);
    link.inputs.push_back(std::move(code.bytes));
  }
  return CUDA_SUCCESS;
}

CUresult checkType(CUjitInputType type, Loading &loading) {
  switch (type) {
  case CU_JIT_INPUT_CUBIN:
  case CU_JIT_INPUT_FATBINARY:
  case CU_JIT_INPUT_PTX:
  case CU_JIT_INPUT_OBJECT:
  case CU_JIT_INPUT_LIBRARY:
    return CUDA_SUCCESS;
  case CU_JIT_INPUT_NVVM:
    return refuse(loading,
                  "NVVM code is not supported; link what 'heddle cc -rdc=true -fatbin' writes",
                  CUDA_ERROR_NOT_SUPPORTED);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/// Adds the bytes that `read(bytes, size)` gives; some zeros come behind them.
template <typename F>
CUresult addInput(CUlinkState state, CUjitInputType type, const char *api, const JitLog &log,
                  F &&read) {
  return withLink(state, [&](Link &link) {
    if (CUresult error = log.check())
      return error;
    Loading loading = {.api = api, .choices = link.log.choices()};
    if (CUresult error = checkType(type, loading))
      return noteFailure(link, loading, error);
    std::vector<uint8_t> bytes;
    if (CUresult error = read(bytes, loading))
      return noteFailure(link, loading, error);
    const size_t size = bytes.size();
    bytes.resize(size + sizeof(ImageHeader)); // text ends with a zero, a header can be read
    if (type == CU_JIT_INPUT_PTX && !isPtx(bytes.data()))
      return noteFailure(link, loading, refuse(loading, "not PTX", CUDA_ERROR_INVALID_PTX));
    CUresult error = isOfHost(type) ? addEmbedded(link, bytes, loading)
                                    : add(link, std::move(bytes), size, loading);
    return error == CUDA_SUCCESS ? error : noteFailure(link, loading, error);
  });
}

} // namespace

CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state) {
  if (!state)
    return CUDA_ERROR_INVALID_VALUE;
  const JitLog log(count, options, values);
  if (CUresult error = log.check())
    return error;
  Link *link = pool().create();
  if (!link)
    return CUDA_ERROR_OUT_OF_MEMORY;
  link->log = log;
  *state = reinterpret_cast<CUlinkState>(link);
  return CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values, CUlinkState *state) {
  return cuLinkCreate_v2(count, options, values, state);
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                          const char *, unsigned count, CUjit_option *options, void **values) {
  if (!data || !size)
    return CUDA_ERROR_INVALID_VALUE;
  return addInput(state, type, "cuLinkAddData", {count, options, values},
                  [&](std::vector<uint8_t> &bytes, Loading &) {
                    if (size > bytes.max_size()) // no memory is as large
                      return CUDA_ERROR_INVALID_IMAGE;
                    auto *first = static_cast<const uint8_t *>(data);
                    bytes.assign(first, first + size);
                    return CUDA_SUCCESS;
                  });
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned count, CUjit_option *options, void **values) {
  return cuLinkAddData_v2(state, type, data, size, name, count, options, values);
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *file, unsigned count,
                          CUjit_option *options, void **values) {
  if (!file)
    return CUDA_ERROR_INVALID_VALUE;
  return addInput(state, type, "cuLinkAddFile", {count, options, values},
                  [&](std::vector<uint8_t> &bytes, Loading &loading) {
                    auto found = readFile(file);
                    if (!found)
                      return refuse(loading, found.error(), CUDA_ERROR_FILE_NOT_FOUND);
                    bytes = std::move(*found);
                    return CUDA_SUCCESS;
                  });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *file, unsigned count,
                       CUjit_option *options, void **values) {
  return cuLinkAddFile_v2(state, type, file, count, options, values);
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size) {
  if (!image)
    return CUDA_ERROR_INVALID_VALUE;
  return withLink(state, [&](Link &link) {
    Loading loading = {.api = "cuLinkComplete"};
    if (link.images.empty())
      return CUDA_ERROR_INVALID_VALUE;
    auto linked = linkImages(link.images);
    if (!linked)
      return noteFailure(link, loading, refuse(loading, linked.error(), CUDA_ERROR_INVALID_IMAGE));
    link.linked = std::move(*linked);
    std::string info;
    if (link.log.choices().isVerbose)
      if (auto view = ImageView::create(std::span<const uint8_t>(link.linked)))
        info = resourceReport(*view, {{capabilityOf(currentContext())}},
                              link.log.choices().maxRegisters);
    link.log.write(link.errors, info);
    *image = link.linked.data();
    if (size)
      *size = deviceCodeBytes(link.linked.data(), link.linked.size());
    return CUDA_SUCCESS;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return withLink(state, [](Link &link) {
    pool().destroy(&link);
    return CUDA_SUCCESS;
  });
}

} // namespace heddle::driver
