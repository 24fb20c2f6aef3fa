// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/image/image_bundle.h"

#include "base/machine/mapped.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

namespace heddle {

namespace {

constexpr size_t Alignment = 16;
constexpr uint32_t MostEntries =
    64; // architectures and names; keeps a damaged header from being read far behind

bool isBundle(const void *data) { return std::memcmp(data, BundleMagic, sizeof(BundleMagic)) == 0; }

void align(std::string &bytes) {
  bytes.resize((bytes.size() + Alignment - 1) / Alignment * Alignment);
}

/// How well code suits a device: compared as a whole, the greatest wins. The first part is one of
/// these.
enum Class { Newer, Older, Ptx, MachineCode };
using Fitness = std::tuple<Class, int64_t>;

Fitness fitness(const BundleEntry &entry, uint32_t capability) {
  bool notAbove = entry.code <= capability;
  if (entry.isReal && notAbove && entry.code / 10 == capability / 10)
    return {MachineCode, entry.code};
  if (!entry.isReal && notAbove)
    return {Ptx, entry.code};
  return notAbove ? Fitness{Older, entry.code} : Fitness{Newer, -int64_t(entry.code)};
}

uint64_t headerSumOf(BundleHeader header, std::span<const BundleEntry> entries) {
  header.headerSum = 0;
  Hash128 rows = hashOf({reinterpret_cast<const uint8_t *>(entries.data()), entries.size_bytes()});
  return hashOf({bytesOf(header), bytesOf(rows)}).low;
}

/// The entries of a bundle whose header can be read, checked.
Result<std::span<const BundleEntry>> entriesOf(const BundleHeader &header) {
  if (header.version != BundleVersion)
    return Failure{"device code of several architectures has version " +
                   std::to_string(header.version) + "; this build reads version " +
                   std::to_string(BundleVersion)};
  const Failure damaged{"device code of several architectures is damaged: its checksum is wrong"};
  if (header.count == 0 || header.count > MostEntries)
    return damaged;
  std::span entries(reinterpret_cast<const BundleEntry *>(&header + 1), header.count);
  if (header.headerSum != headerSumOf(header, entries))
    return damaged;
  for (const BundleEntry &entry : entries)
    if (entry.offset % Alignment != 0 || entry.offset > header.totalBytes ||
        entry.bytes > header.totalBytes - entry.offset)
      return damaged;
  return entries;
}

} // namespace

std::string makeBundle(std::span<const BundleItem> items) {
  BundleHeader header = {{}, BundleVersion, static_cast<uint32_t>(items.size()), 0, 0, 0};
  std::memcpy(header.magic, BundleMagic, sizeof(BundleMagic));
  std::vector<BundleEntry> entries(items.size());
  std::string bytes(sizeof(BundleHeader) + sizeof(BundleEntry) * items.size(), '\0');
  align(bytes);
  std::map<std::string_view, uint64_t> stored;
  for (size_t i = 0; i < items.size(); ++i) {
    auto [known, isNew] = stored.try_emplace(items[i].image, bytes.size());
    if (isNew) {
      bytes += items[i].image;
      align(bytes);
    }
    entries[i] = {items[i].arch, items[i].code,        items[i].isReal, 0,
                  known->second, items[i].image.size()};
  }
  header.totalBytes = bytes.size();
  header.headerSum = headerSumOf(header, entries);
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), entries.data(), sizeof(BundleEntry) * entries.size());
  return bytes;
}

Result<ChosenImage> chooseImage(const void *data, size_t available, uint32_t capability) {
  if (available < sizeof(BundleHeader) || !isBundle(data)) {
    Result<ImageView> image = ImageView::create({static_cast<const uint8_t *>(data), available});
    if (!image)
      return Failure{image.error()};
    return chooseImage(data, capability);
  }
  uint64_t count = static_cast<const BundleHeader *>(data)->count;
  if (count > (available - sizeof(BundleHeader)) / sizeof(BundleEntry))
    return Failure{"device code of several architectures is cut short"};
  return chooseImage(data, capability);
}

Result<ChosenImage> chooseImage(const void *data, uint32_t capability) {
  if (!isMapped(reinterpret_cast<uintptr_t>(data),
                std::max(sizeof(BundleHeader), sizeof(ImageHeader))))
    return Failure{"device code is said to lie where this process has no memory"};
  if (!isBundle(data)) {
    Result<ImageView> image = ImageView::create(data);
    if (!image)
      return Failure{image.error()};
    uint32_t sm = image->header().sm;
    return ChosenImage{*image, sm, std::min(sm, capability)};
  }
  auto entries = entriesOf(*static_cast<const BundleHeader *>(data));
  if (!entries)
    return Failure{entries.error()};
  const BundleEntry &best =
      *std::max_element(entries->begin(), entries->end(), [&](auto &a, auto &b) {
        return fitness(a, capability) < fitness(b, capability);
      });
  const auto *bytes = static_cast<const uint8_t *>(data) + best.offset;
  Result<ImageView> image = ImageView::create({bytes, static_cast<size_t>(best.bytes)});
  if (!image)
    return Failure{image.error()};
  bool fits = std::get<Class>(fitness(best, capability)) >= Ptx;
  bool asItIs = best.isReal || !fits;
  return ChosenImage{*image, best.arch, asItIs ? best.code : capability, fits};
}

size_t deviceCodeBytes(const void *data, size_t available) {
  uint64_t total = 0;
  if (available >= sizeof(BundleHeader) && isBundle(data))
    total = static_cast<const BundleHeader *>(data)->totalBytes;
  else if (available >= sizeof(ImageHeader) &&
           std::memcmp(data, ImageMagic, sizeof(ImageMagic)) == 0)
    total = static_cast<const ImageHeader *>(data)->totalBytes;
  return total <= available ? static_cast<size_t>(total) : 0;
}

} // namespace heddle
