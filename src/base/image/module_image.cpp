// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/image/module_image.h"

#include <bit>
#include <cstring>

namespace heddle {

namespace {

template <typename T> std::span<const T> part(const ImageHeader *header, const ImageRange &range) {
  const auto *base = reinterpret_cast<const uint8_t *>(header);
  return {reinterpret_cast<const T *>(base + range.offset), static_cast<size_t>(range.count)};
}

uint64_t headerSumOf(ImageHeader header) {
  header.headerSum = 0;
  return hashOf({reinterpret_cast<const uint8_t *>(&header), sizeof(header)}).low;
}

uint64_t tablesSumOf(const ImageHeader &header) {
  const auto *base = reinterpret_cast<const uint8_t *>(&header);
  return hashOf({base + sizeof(ImageHeader), base + header.bitcode.offset}).low;
}

template <typename T> bool fits(const ImageHeader &header, const ImageRange &range) {
  return range.offset >= sizeof(ImageHeader) && range.offset % alignof(T) == 0 &&
         range.offset <= header.totalBytes &&
         range.count <= (header.totalBytes - range.offset) / sizeof(T);
}

bool allRangesFit(const ImageHeader &h) {
  return fits<ImageKernel>(h, h.kernels) && fits<ImageParam>(h, h.params) &&
         fits<ImageVariable>(h, h.variables) && fits<ImageRelocation>(h, h.relocations) &&
         fits<char>(h, h.strings) && fits<uint8_t>(h, h.globalsInit) && fits<uint8_t>(h, h.bitcode);
}

/// `bytes` from `offset` lie within `size`.
bool isWithin(uint64_t offset, uint64_t bytes, uint64_t size) {
  return bytes <= size && offset <= size - bytes;
}

/// Whether what the tables refer to is there.
class TableCheck {
public:
  explicit TableCheck(const ImageView &image) : image_(image), header_(image.header()) {}

  /// What is wrong; null if nothing is.
  const char *fault() const {
    if (!stringsEnd())
      return "its strings have no end";
    if (!std::has_single_bit(header_.globalsAlign) || header_.globalsBytes > MostBytes ||
        header_.globalsInit.count > header_.globalsBytes)
      return "the block of its variables is of an impossible size";
    for (const ImageKernel &kernel : image_.kernels())
      if (!isRight(kernel))
        return "a kernel's entry is wrong";
    for (const ImageVariable &variable : image_.variables())
      if (!isRight(variable))
        return "a variable's entry is wrong";
    for (const ImageRelocation &relocation : image_.relocations())
      if (!isWithin(relocation.at, sizeof(uint64_t), header_.globalsBytes))
        return "a relocation is outside of its variables";
    return nullptr;
  }

private:
  static constexpr uint64_t MostBytes = 1ull << 46;
  static constexpr uint32_t MostFunctions = 1 << 24;  // the runtime has a table of them
  static constexpr uint32_t MostParamBytes = 1 << 20; // far above CUDA's 32,764

  bool stringsEnd() const {
    const auto *base = reinterpret_cast<const char *>(&header_);
    const ImageRange &strings = header_.strings;
    return strings.count != 0 && base[strings.offset + strings.count - 1] == '\0';
  }
  bool isName(uint32_t offset) const { return offset < header_.strings.count; }

  bool isRight(const ImageKernel &kernel) const {
    if (!isName(kernel.name) || !isName(kernel.displayName) || kernel.paramBytes > MostParamBytes ||
        !isWithin(kernel.firstParam, kernel.paramCount, header_.params.count) ||
        (kernel.functionNumber != UINT32_MAX && kernel.functionNumber >= MostFunctions))
      return false;
    for (const ImageParam &param : image_.params(kernel))
      if (!isWithin(param.offset, param.size, kernel.paramBytes) ||
          !std::has_single_bit(param.align))
        return false;
    return kernel.dynamicSharedAlign == 0 || std::has_single_bit(kernel.dynamicSharedAlign);
  }

  bool isRight(const ImageVariable &variable) const {
    if (!isName(variable.name) || variable.space > VariableSpace::Internal ||
        !std::has_single_bit(variable.align))
      return false;
    bool isManaged = variable.space == VariableSpace::Managed;
    if (variable.isExtern || (header_.flags & ImageRelocatable && !isManaged))
      return true; // it gets its place when images are linked
    if (isManaged && !isWithin(variable.initOffset, variable.size, header_.globalsBytes))
      return false;
    if (header_.flags & ImageRelocatable)
      return true;
    return isWithin(variable.offset, isManaged ? sizeof(uint64_t) : variable.size,
                    header_.globalsBytes);
  }

  const ImageView &image_;
  const ImageHeader &header_;
};

} // namespace

Hash128 imageHash(const ImageHeader &header, std::span<const uint8_t> bitcode) {
  const uint32_t options[] = {ImageVersion, header.flags, header.sm, header.compileOptions};
  Hash128 code = hashOf(bitcode);
  return hashOf({bytesOf(code), bytesOf(options)});
}

void sealImage(std::span<uint8_t> image) {
  auto *header = reinterpret_cast<ImageHeader *>(image.data());
  std::memcpy(header->magic, ImageMagic, sizeof(ImageMagic));
  header->version = ImageVersion;
  header->totalBytes = image.size();
  Hash128 hash = imageHash(*header, part<uint8_t>(header, header->bitcode));
  header->hash[0] = hash.low;
  header->hash[1] = hash.high;
  header->tablesSum = tablesSumOf(*header);
  header->headerSum = headerSumOf(*header);
}

Result<ImageView> ImageView::create(std::span<const uint8_t> data) {
  if (data.size() < sizeof(ImageHeader))
    return Failure{"device image is cut short"};
  const auto *header = reinterpret_cast<const ImageHeader *>(data.data());
  if (std::memcmp(header->magic, ImageMagic, sizeof(ImageMagic)) != 0)
    return Failure{"not a device image"};
  if (header->version != ImageVersion)
    return Failure{"device image has version " + std::to_string(header->version) +
                   "; this build reads version " + std::to_string(ImageVersion)};
  if (header->totalBytes > data.size())
    return Failure{"device image is cut short"};
  if (header->headerSum != headerSumOf(*header) || !allRangesFit(*header) ||
      header->tablesSum != tablesSumOf(*header))
    return Failure{"device image is damaged: its checksum is wrong"};
  ImageView view;
  view.header_ = header;
  if (const char *fault = TableCheck(view).fault())
    return Failure{std::string("device image is damaged: ") + fault};
  return view;
}

Result<ImageView> ImageView::create(const void *data) {
  const auto *header = static_cast<const ImageHeader *>(data);
  if (std::memcmp(header->magic, ImageMagic, sizeof(ImageMagic)) != 0)
    return Failure{"not a device image"};
  if (header->version == ImageVersion && header->headerSum != headerSumOf(*header))
    return Failure{"device image is damaged: its checksum is wrong"};
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
Result<std::span<const uint8_t>> ImageView::bitcode() const {
  auto bytes = part<uint8_t>(header_, header_->bitcode);
  if (imageHash(*header_, bytes) != Hash128{header_->hash[1], header_->hash[0]})
    return Failure{"device image is damaged: the checksum of its code is wrong"};
  return bytes;
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
