// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/image/image_bundle.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace heddle;

namespace {

/// An image without contents, told by its sm.
std::string imageFor(uint32_t sm) {
  struct alignas(16) {
    ImageHeader header = {};
    char strings[16] = {};
  } image;
  image.header.sm = sm;
  image.header.globalsAlign = 16;
  constexpr uint64_t End = sizeof(ImageHeader);
  for (ImageRange *range :
       {&image.header.kernels, &image.header.params, &image.header.variables,
        &image.header.relocations, &image.header.globalsInit, &image.header.bitcode})
    *range = {End + 16, 0};
  image.header.strings = {End, 16};
  auto *bytes = reinterpret_cast<uint8_t *>(&image);
  sealImage({bytes, sizeof(image)});
  return {reinterpret_cast<const char *>(bytes), sizeof(image)};
}

struct Chosen {
  uint32_t image, ptx, binary;
  bool operator==(const Chosen &) const = default;
};

Chosen chosenFrom(const std::string &code, uint32_t capability) {
  Result<ChosenImage> chosen = chooseImage(code.data(), capability);
  EXPECT_TRUE(chosen);
  return {chosen->image.header().sm, chosen->ptxVersion, chosen->binaryVersion};
}

TEST(ImageBundle, TheDeviceGetsItsCode) {
  std::string i35 = imageFor(35), i60 = imageFor(60), i80 = imageFor(80), i90 = imageFor(90);
  std::string code = makeBundle(std::vector<BundleItem>{{35, 35, true, i35},
                                                        {60, 60, true, i60},
                                                        {60, 60, false, i60},
                                                        {80, 86, true, i80},
                                                        {90, 90, true, i90}});
  EXPECT_EQ(chosenFrom(code, 35), (Chosen{35, 35, 35}));
  EXPECT_EQ(chosenFrom(code, 37), (Chosen{35, 35, 35})); // machine code of an older minor version
  EXPECT_EQ(chosenFrom(code, 61), (Chosen{60, 60, 60})); // machine code before PTX
  EXPECT_EQ(chosenFrom(code, 75), (Chosen{60, 60, 75})); // PTX, for there is no machine code of 7.x
  EXPECT_EQ(chosenFrom(code, 80), (Chosen{60, 60, 80})); // sm_86 is above 8.0
  EXPECT_EQ(chosenFrom(code, 89), (Chosen{80, 80, 86}));
  EXPECT_EQ(chosenFrom(code, 90), (Chosen{90, 90, 90}));
  EXPECT_EQ(chosenFrom(code, 120), (Chosen{60, 60, 120}));
}

TEST(ImageBundle, WhereCudaFindsNothingTheNearestRuns) {
  std::string i60 = imageFor(60), i80 = imageFor(80);
  std::string code = makeBundle(std::vector<BundleItem>{{60, 60, true, i60}, {80, 80, true, i80}});
  EXPECT_EQ(chosenFrom(code, 90).image, 80u);
  EXPECT_EQ(chosenFrom(code, 70).image, 60u);
  EXPECT_EQ(chosenFrom(code, 35).image, 60u);
  EXPECT_FALSE(chooseImage(code.data(), 35)->fits);
  EXPECT_FALSE(chooseImage(code.data(), 90)->fits);
  EXPECT_TRUE(chooseImage(code.data(), 61)->fits);
}

TEST(ImageBundle, APlainImageServesEveryDevice) {
  std::string image = imageFor(90);
  EXPECT_EQ(chosenFrom(image, 35), (Chosen{90, 90, 35}));
  EXPECT_EQ(chosenFrom(image, 120), (Chosen{90, 90, 90}));
}

TEST(ImageBundle, EqualImagesAreStoredOnce) {
  std::string a = imageFor(80);
  std::string one = makeBundle(std::vector<BundleItem>{{80, 80, true, a}});
  std::string two = makeBundle(std::vector<BundleItem>{{80, 80, true, a}, {90, 90, true, a}});
  EXPECT_LT(two.size(), one.size() + a.size());
  EXPECT_EQ(chosenFrom(two, 90), (Chosen{80, 90, 90}));
}

TEST(ImageBundle, SizesAreRead) {
  std::string image = imageFor(80);
  std::string code = makeBundle(std::vector<BundleItem>{{80, 80, true, image}});
  EXPECT_EQ(deviceCodeBytes(code.data(), code.size()), code.size());
  EXPECT_EQ(deviceCodeBytes(code.data(), code.size() - 1), 0u);
  EXPECT_EQ(deviceCodeBytes(image.data(), image.size()), image.size());
  EXPECT_EQ(deviceCodeBytes("something else, and long enough", 24), 0u);
}

TEST(ImageBundle, DamagedCodeIsRefused) {
  std::string code =
      makeBundle(std::vector<BundleItem>{{80, 80, true,
                                          "no image at all, but text of some length. "
                                          "It goes on until it is longer than the header "
                                          "of an image is, which takes a while: there are "
                                          "ranges for kernels, parameters, variables."}});
  EXPECT_FALSE(chooseImage(code.data(), 80));
  code[sizeof(BundleMagic)] = 99; // the version
  EXPECT_FALSE(chooseImage(code.data(), 80));
}

TEST(ImageBundle, PointersToNothingAreRefused) {
  for (uintptr_t address :
       {uintptr_t(0), uintptr_t(1), uintptr_t(0x10000), uintptr_t(1) << 62, ~uintptr_t(0)})
    EXPECT_FALSE(chooseImage(reinterpret_cast<const void *>(address), 80)) << address;
}

} // namespace
