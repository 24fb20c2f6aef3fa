// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attacks on images: bytes that are changed, with checksums that tell and with checksums that do not. Each image lies
// in memory of its exact size, so that AddressSanitizer sees what is read behind it.
#include "base/image/image_bundle.h"
#include "base/image/test_image.h"
#include "base/test_fuzz.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace heddle;
using heddle::test::sampleImage;

namespace {

/// Reads all that a view gives, as its users do; a sum, so that nothing is left out.
uint64_t readAll(const ImageView &image) {
  uint64_t sum = 0;
  std::vector<uint8_t> globals(image.header().globalsBytes);
  std::span<const uint8_t> init = image.globalsInit();
  std::copy(init.begin(), init.end(), globals.begin());
  for (const ImageKernel &kernel : image.kernels()) {
    sum += image.string(kernel.name).size() + image.string(kernel.displayName).size();
    std::vector<uint8_t> block(kernel.paramBytes);
    for (const ImageParam &param : image.params(kernel))
      std::fill_n(block.begin() + param.offset, param.size, 1);
  }
  for (const ImageVariable &variable : image.variables()) {
    sum += image.string(variable.name).size();
    if (variable.isExtern || image.header().flags & ImageRelocatable)
      continue;
    bool isManaged = variable.space == VariableSpace::Managed;
    std::fill_n(globals.begin() + variable.offset, isManaged ? 8 : variable.size, 2);
  }
  for (const ImageRelocation &relocation : image.relocations())
    std::memcpy(globals.data() + relocation.at, &relocation, 8);
  if (auto code = image.bitcode())
    for (uint8_t byte : *code)
      sum += byte;
  return sum;
}

/// A copy with nothing behind it.
class Exact {
public:
  explicit Exact(const std::vector<uint8_t> &bytes)
      : data_(static_cast<uint8_t *>(std::malloc(bytes.size())), std::free), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), data_.get()); // of nothing, too
  }
  std::span<const uint8_t> bytes() const { return {data_.get(), size_}; }

private:
  std::unique_ptr<uint8_t, void (*)(void *)> data_;
  size_t size_;
};

/// Longer: base/test_fuzz.h.
unsigned attempts() { return 20'000 * test::FuzzRun().factor; }

TEST(ModuleImage, IsReadAsItWasMade) {
  std::vector<uint8_t> bytes = sampleImage();
  auto image = ImageView::create(bytes);
  ASSERT_TRUE(image) << image.error();
  ASSERT_NE(image->findKernel("k"), nullptr);
  EXPECT_EQ(image->string(image->findKernel("k")->displayName), "K");
  EXPECT_EQ(image->findVariable("m")->offset, 48u);
  EXPECT_EQ(image->findVariable("w"), nullptr);
  EXPECT_TRUE(image->bitcode());
}

TEST(ModuleImage, AnyChangedByteIsFound) {
  const std::vector<uint8_t> bytes = sampleImage();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<uint8_t> changed = bytes;
    changed[i] ^= 1 << i % 8;
    Exact exact(changed);
    auto image = ImageView::create(exact.bytes());

    EXPECT_TRUE(!image || !image->bitcode()) << "byte " << i;
  }
}

TEST(ModuleImage, AnyLengthIsFound) {
  const std::vector<uint8_t> bytes = sampleImage();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(ImageView::create(Exact({bytes.begin(), bytes.begin() + size}).bytes()));
}

TEST(ModuleImage, NothingBehindACheckedViewNeedsToCheck) {
  const std::vector<uint8_t> bytes = sampleImage();
  std::mt19937 random(42);
  unsigned taken = 0;
  for (unsigned i = 0; i < attempts(); ++i) {
    std::vector<uint8_t> changed = bytes;
    auto *header = reinterpret_cast<ImageHeader *>(changed.data());
    for (unsigned k = random() % 3 + 1; k > 0; --k) {
      size_t at = random() % changed.size() / 4 * 4;
      const uint32_t values[] = {
          0, 1, ~0u, 0x7fffffff, 0x80000000, uint32_t(random()), uint32_t(random() % 256)};
      std::memcpy(changed.data() + at, &values[random() % std::size(values)], 4);
    }
    header->globalsBytes %= 1 << 20; // this test makes the block
    const ImageRange code = header->bitcode;
    if (code.offset < sizeof(ImageHeader) || code.offset > changed.size() ||
        code.count > changed.size() - code.offset)
      continue; // what seals it must be able to read it
    sealImage(changed);
    Exact exact(changed);
    if (auto image = ImageView::create(exact.bytes())) {
      ++taken;
      readAll(*image);
    }
  }
  EXPECT_GT(taken, attempts() / 100); // it is not all refused for one reason
}

TEST(ModuleImage, DamagedBundlesAreRefused) {
  std::vector<uint8_t> bytes = sampleImage();
  std::string_view image(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  std::string bundle =
      makeBundle(std::vector<BundleItem>{{80, 80, true, image}, {90, 90, false, image}});
  const std::vector<uint8_t> whole(bundle.begin(), bundle.end());
  ASSERT_TRUE(chooseImage(Exact(whole).bytes().data(), 90));
  for (size_t i = sizeof(BundleMagic); i < sizeof(BundleHeader) + 2 * sizeof(BundleEntry); ++i) {
    std::vector<uint8_t> changed = whole;
    changed[i] ^= 1 << i % 8;
    Exact exact(changed);
    EXPECT_FALSE(chooseImage(exact.bytes().data(), 90)) << "byte " << i;
  }
}

} // namespace
