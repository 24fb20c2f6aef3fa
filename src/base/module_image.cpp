// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/module_image.h"

#include <cstring>

namespace heddle {

namespace {

template <typename T> std::span<const T> part(const ImageHeader *header, const ImageRange &range) {
  const auto *base = reinterpret_cast<const uint8_t *>(header);
  return {reinterpret_cast<const T *>(base + range.offset), static_cast<size_t>(range.count)};
}

bool fits(const ImageHeader &header, const ImageRange &range, size_t elementSize) {
  return range.offset <= header.totalBytes &&
         range.count <= (header.totalBytes - range.offset) / elementSize;
}

bool allRangesFit(const ImageHeader &h) {
  return fits(h, h.kernels, sizeof(ImageKernel)) && fits(h, h.params, sizeof(ImageParam)) &&
         fits(h, h.variables, sizeof(ImageVariable)) &&
         fits(h, h.relocations, sizeof(ImageRelocation)) && fits(h, h.strings, 1) &&
         fits(h, h.globalsInit, 1) && fits(h, h.bitcode, 1);
}

} // namespace

Result<ImageView> ImageView::create(std::span<const uint8_t> data) {
  if (data.size() < sizeof(ImageHeader))
    return Failure{"device image is cut short"};
  const auto *header = reinterpret_cast<const ImageHeader *>(data.data());
  if (std::memcmp(header->magic, ImageMagic, sizeof(ImageMagic)) != 0)
    return Failure{"not a device image"};
  if (header->version != ImageVersion)
    return Failure{"device image has version " + std::to_string(header->version) +
                   "; this build reads version " + std::to_string(ImageVersion)};
  if (header->totalBytes > data.size() || !allRangesFit(*header))
    return Failure{"device image is cut short"};
  ImageView view;
  view.header_ = header;
  return view;
}

Result<ImageView> ImageView::create(const void *data) {
  const auto *header = static_cast<const ImageHeader *>(data);
  if (std::memcmp(header->magic, ImageMagic, sizeof(ImageMagic)) != 0)
    return Failure{"not a device image"};
  return create({static_cast<const uint8_t *>(data), static_cast<size_t>(header->totalBytes)});
}

std::span<const ImageKernel> ImageView::kernels() const {
  return part<ImageKernel>(header_, header_->kernels);
}
std::span<const ImageParam> ImageView::params(const ImageKernel &kernel) const {
  return part<ImageParam>(header_, header_->params).subspan(kernel.firstParam, kernel.paramCount);
}
std::span<const ImageVariable> ImageView::variables() const {
  return part<ImageVariable>(header_, header_->variables);
}
std::span<const ImageRelocation> ImageView::relocations() const {
  return part<ImageRelocation>(header_, header_->relocations);
}
std::span<const uint8_t> ImageView::globalsInit() const {
  return part<uint8_t>(header_, header_->globalsInit);
}
std::span<const uint8_t> ImageView::bitcode() const {
  return part<uint8_t>(header_, header_->bitcode);
}
std::span<const uint8_t> ImageView::bytes() const {
  return {reinterpret_cast<const uint8_t *>(header_), static_cast<size_t>(header_->totalBytes)};
}

std::string_view ImageView::string(uint32_t offset) const {
  return reinterpret_cast<const char *>(header_) + header_->strings.offset + offset;
}

const ImageKernel *ImageView::findKernel(std::string_view name) const {
  for (const ImageKernel &kernel : kernels())
    if (string(kernel.name) == name)
      return &kernel;
  return nullptr;
}

const ImageVariable *ImageView::findVariable(std::string_view name) const {
  for (const ImageVariable &variable : variables())
    if (string(variable.name) == name)
      return &variable;
  return nullptr;
}

} // namespace heddle
