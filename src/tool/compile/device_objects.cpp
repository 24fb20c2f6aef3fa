// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/compile/device_objects.h"
#include "base/image/image_bundle.h"
#include "tool/tools/files.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <optional>

namespace heddle::tool {

namespace {

constexpr std::string_view ArchiveMagic = "!<arch>\n";
constexpr size_t ArchiveHeaderBytes =
    60; // ar(5): name 16, date 12, uid 6, gid 6, mode 8, size 10, end 2
constexpr const char *ImageSection = ".nv_fatbin";

template <typename T> const T *at(std::string_view file, uint64_t offset, uint64_t count = 1) {
  if (offset % alignof(T) != 0 || offset > file.size() ||
      count > (file.size() - offset) / sizeof(T))
    return nullptr;
  return reinterpret_cast<const T *>(file.data() + offset);
}

/// The contents of the section of device images; empty if there is none.
std::string_view imageSection(std::string_view file) {
  const auto *header = at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  const auto *sections = at<Elf64_Shdr>(file, header->e_shoff, header->e_shnum);
  if (!sections || header->e_shstrndx >= header->e_shnum)
    return {};
  const Elf64_Shdr &names = sections[header->e_shstrndx];
  for (size_t i = 0; i < header->e_shnum; ++i) {
    const char *name = at<char>(file, names.sh_offset + sections[i].sh_name);
    if (name && std::strcmp(name, ImageSection) == 0 && sections[i].sh_type != SHT_NOBITS &&
        at<char>(file, sections[i].sh_offset, sections[i].sh_size))
      return file.substr(sections[i].sh_offset, sections[i].sh_size);
  }
  return {};
}

/// Adds what the default device would run. Fails for what is damaged.
std::optional<Failure> addImages(std::string_view section, unsigned capability,
                                 std::vector<std::string> &images) {
  const std::string_view image(ImageMagic, sizeof(ImageMagic));
  const std::string_view bundle(BundleMagic, sizeof(BundleMagic));
  for (size_t from = 0;
       (from = std::min(section.find(image, from), section.find(bundle, from))) != section.npos;) {
    std::string copy(section.substr(from)); // aligned, as images need it
    size_t size = deviceCodeBytes(copy.data(), copy.size());
    if (size == 0)
      return Failure{"its device code is cut short"};
    Result<ChosenImage> chosen = chooseImage(copy.data(), size, capability);
    if (!chosen)
      return Failure{chosen.error()};
    if (chosen->image.header().flags & ImageRelocatable) {
      auto bytes = chosen->image.bytes();
      images.emplace_back(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    }
    from += size;
  }
  return std::nullopt;
}

std::optional<Failure> addArchive(std::string_view file, unsigned capability,
                                  std::vector<std::string> &images) {
  for (size_t offset = ArchiveMagic.size(); offset + ArchiveHeaderBytes <= file.size();) {
    std::string sizeField(file.substr(offset + 48, 10));
    if (!std::isdigit(static_cast<unsigned char>(sizeField[0])))
      return Failure{"a member of the archive has no size"};
    size_t size = std::strtoull(sizeField.c_str(), nullptr, 10);
    offset += ArchiveHeaderBytes;
    // Members lie at even offsets only; ELF structures want eight.
    std::string member(file.substr(std::min(offset, file.size()), size));
    if (auto failure = addImages(imageSection(member), capability, images))
      return failure;
    offset += size + (size & 1);
  }
  return std::nullopt;
}

} // namespace

Result<std::vector<std::string>> relocatableImagesIn(const std::string &file, unsigned capability) {
  std::vector<std::string> images;
  auto failure = file.starts_with(ArchiveMagic) ? addArchive(file, capability, images)
                                                : addImages(imageSection(file), capability, images);
  if (failure)
    return *failure;
  return images;
}

Result<std::vector<std::string>> relocatableImages(const std::string &path, unsigned capability) {
  Result<std::string> file = readFile(path);
  if (!file)
    return Failure{file.error()};
  auto images = relocatableImagesIn(*file, capability);
  if (!images)
    return Failure{"'" + path + "': " + images.error()};
  return images;
}

std::vector<std::string> unitsOfArchive(const std::string &path) {
  constexpr size_t Digits = 16;
  Result<std::string> file = readFile(path);
  std::vector<std::string> units;
  if (!file || !file->starts_with(ArchiveMagic))
    return units;
  for (size_t at = 0; (at = file->find(UnitPrefix, at)) != file->npos;) {
    std::string unit = file->substr(at, UnitPrefix.size() + Digits);
    at += unit.size();
    bool whole = unit.find_first_not_of("0123456789abcdef", UnitPrefix.size()) == unit.npos;
    if (whole && std::find(units.begin(), units.end(), unit) == units.end())
      units.push_back(std::move(unit));
  }
  return units;
}

} // namespace heddle::tool
