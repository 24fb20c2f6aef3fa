// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/messages/missing_library.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

using namespace heddle;

namespace {

TEST(MissingLibrary, NamesThePackage) {
  std::string_view text =
      "libsleef.so.3: cannot open shared object file: No such file or directory";
  EXPECT_TRUE(saysMissing(text));
  EXPECT_EQ(explainLoadError(text), "libsleef.so.3 is missing: install the package libsleef3");
  EXPECT_EQ(explainLoadError("/usr/lib/libLLVM.so.22.1: invalid ELF header"),
            "/usr/lib/libLLVM.so.22.1: invalid ELF header: install the package libllvm22");
}

TEST(MissingLibrary, KnowsAnOldSleef) {
  constexpr const char *Line =
      "libsleef.so.3 has no Sleef_sinf16_u10avx512f: install a newer package libsleef3";
  EXPECT_EQ(explainLoadError("/a/kernel: undefined symbol: Sleef_sinf16_u10avx512f"), Line);
  EXPECT_EQ(explainLoadError("ld.lld: error: undefined symbol: Sleef_sinf16_u10avx512f\n"
                             ">>> referenced by /proc/self/fd/3\n"),
            Line);
}

TEST(MissingLibrary, SaysWhatTheLoaderSays) {
  ASSERT_EQ(dlopen("libheddle_none.so", RTLD_NOW), nullptr);
  std::string text = dlerror();
  EXPECT_TRUE(saysMissing(text));
  EXPECT_EQ(explainLoadError(text), "libheddle_none.so is missing");
  EXPECT_FALSE(saysMissing("liba.so: undefined symbol: f"));
  EXPECT_EQ(explainLoadError("liba.so: undefined symbol: f"), "liba.so: undefined symbol: f");
}

} // namespace
