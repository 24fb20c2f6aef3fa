// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"

#include <cstring>
#include <vector>

namespace heddle::test {

template <typename T>
ImageRange append(std::vector<uint8_t> &bytes, const std::vector<T> &elements) {
  bytes.resize((bytes.size() + 15) / 16 * 16);
  ImageRange range{bytes.size(), elements.size()};
  const auto *data = reinterpret_cast<const uint8_t *>(elements.data());
  bytes.insert(bytes.end(), data, data + elements.size() * sizeof(T));
  return range;
}

/// An image with some of everything.
inline std::vector<uint8_t> sampleImage(uint32_t flags = 0) {
  ImageKernel kernel = {};
  kernel.name = 1, kernel.displayName = 3;
  kernel.paramCount = 2, kernel.paramBytes = 16, kernel.dynamicSharedAlign = 16;
  kernel.functionNumber = UINT32_MAX;
  ImageVariable plain = {5, VariableSpace::Global, 40, 8, 0, 8, 0};
  ImageVariable managed = {7, VariableSpace::Managed, 16, 48, 56, 8, 0};
  std::vector<uint8_t> bytes(sizeof(ImageHeader));
  ImageHeader header = {};
  header.sm = 90, header.flags = flags, header.globalsBytes = 72, header.globalsAlign = 16;
  header.kernels = append<ImageKernel>(bytes, {kernel});
  header.params = append<ImageParam>(bytes, {{0, 8, 8, 1}, {8, 4, 4, 0}});
  header.variables = append<ImageVariable>(bytes, {plain, managed});
  header.relocations = append<ImageRelocation>(bytes, {{16, 8}, {64, 0}});
  header.strings = append<char>(bytes, {0, 'k', 0, 'K', 0, 'v', 0, 'm', 0});
  header.globalsInit = append<uint8_t>(bytes, std::vector<uint8_t>(60, 7));
  header.bitcode = append<uint8_t>(bytes, std::vector<uint8_t>(100, 9));
  std::memcpy(bytes.data(), &header, sizeof(header));
  sealImage(bytes);
  return bytes;
}

} // namespace heddle::test
