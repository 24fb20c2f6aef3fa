// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attacks on object files and archives with device code: whatever the bytes, reading ends, with images that
// can be read or with an error. Longer: base/test_fuzz.h.
#include "tool/compile/device_objects.h"

#include "base/image/test_image.h"
#include "base/test_fuzz.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <elf.h>
#include <random>

using namespace heddle;
using namespace heddle::tool;

namespace {

constexpr unsigned Capability = 90;

/// An object file of the section names and the section with an image.
std::string sampleObject() {
  const std::vector<uint8_t> image = heddle::test::sampleImage(ImageRelocatable);
  const std::string names("\0.shstrtab\0.nv_fatbin\0", 22);
  const size_t imageAt = 128, namesAt = (imageAt + image.size() + 15) / 16 * 16,
               sectionsAt = (namesAt + names.size() + 15) / 16 * 16;
  std::string file(sectionsAt + 3 * sizeof(Elf64_Shdr), '\0');
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sectionsAt, header.e_shnum = 3, header.e_shstrndx = 1;
  Elf64_Shdr sections[3] = {};
  sections[1].sh_name = 1, sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = namesAt, sections[1].sh_size = names.size();
  sections[2].sh_name = 11, sections[2].sh_type = SHT_PROGBITS;
  sections[2].sh_offset = imageAt, sections[2].sh_size = image.size();
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + imageAt, image.data(), image.size());
  std::memcpy(file.data() + namesAt, names.data(), names.size());
  std::memcpy(file.data() + sectionsAt, sections, sizeof sections);
  return file;
}

std::string sampleArchive() {
  const std::string object = sampleObject();
  std::string file = "!<arch>\n";
  for (const char *name : {"a.o/", "b.o/"}) {
    char header[61];
    std::snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", name, 0, 0, 0, 644,
                  object.size());
    file += header + object + (object.size() % 2 ? "\n" : "");
  }
  return file;
}

void damage(std::string &file, std::mt19937 &random) {
  const uint64_t extremes[] = {0,          1,          0x7fff,     0xffff, 0x7fffffff,
                               0x80000000, 0xffffffff, 1ull << 63, ~0ull,  random()};
  for (unsigned k = random() % 3 + 1; k > 0; --k) {
    const size_t near = random() % 2 ? 0 : file.size() - std::min<size_t>(file.size(), 256);
    const size_t at = random() % 2 ? random() % file.size() : (near + random() % 256) % file.size();
    switch (random() % 5) {
    case 0:
      file[at] = static_cast<char>(file[at] ^ 1 << random() % 8);
      break;
    case 1:
      file[at] = "-+ 09x/\n"[random() % 8];
      break;
    case 2: {
      const uint64_t value = extremes[random() % std::size(extremes)];
      const size_t bytes = std::min<size_t>(size_t(1) << random() % 4, file.size() - at);
      std::memcpy(file.data() + at, &value, bytes);
      break;
    }
    case 3:
      file.erase(at, random() % 64 + 1);
      break;
    default:
      file.insert(at, file, random() % file.size(), random() % 64);
    }
    if (file.empty())
      file = "x";
  }
}

TEST(DeviceObjects, AreReadWhole) {
  auto images = relocatableImagesIn(sampleObject(), Capability);
  ASSERT_TRUE(images) << images.error();
  EXPECT_EQ(images->size(), 1u);
  images = relocatableImagesIn(sampleArchive(), Capability);
  ASSERT_TRUE(images) << images.error();
  EXPECT_EQ(images->size(), 2u);
}

TEST(DeviceObjects, SizesThatGoBackwards) {
  std::string file = sampleArchive();
  file.replace(8 + 48, 10, "-61       ");
  EXPECT_FALSE(relocatableImagesIn(file, Capability));
}

TEST(DeviceObjects, SurviveDamage) {
  const unsigned attempts = 20'000 * test::FuzzRun().factor;
  const std::string originals[] = {sampleObject(), sampleArchive()};
  std::mt19937 random(42);
  unsigned failed = 0, whole = 0;
  for (unsigned i = 0; i < attempts; ++i) {
    std::string file = originals[i % 2];
    damage(file, random);
    auto images = relocatableImagesIn(file, Capability);
    failed += !images;
    for (size_t k = 0; images && k < images->size(); ++k)
      whole += bool(
          ImageView::create(std::span((const uint8_t *)(*images)[k].data(), (*images)[k].size())));
  }
  EXPECT_GT(failed, attempts / 100);
  EXPECT_GT(whole, attempts / 100);
}

} // namespace
