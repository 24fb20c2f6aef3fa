// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No text of PTX, however damaged, is more than an error.
#include "base/image/module_image.h"
#include "frontend/ptx/module/read_module.h"
#include "frontend/ptx/module/test_texts.h"

#include "base/test_inputs.h"

namespace {

using namespace heddle;
using namespace heddle::frontend::ptx;

class Texts {
public:
  std::string make(test::Random &random) const {
    return (test::below(random, 50) ? std::string(Head) : "") + damage_.text(random);
  }

  bool take(const std::string &text) const {
    Problems problems(text);
    const bool isLazy = text.size() % 4 == 0; // its kernels are read one by one
    const std::vector<uint8_t> image = readModule(
        text, {.isRelocatable = text.size() % 2 != 0, .mostAtOnce = isLazy ? 0 : text.size()},
        problems);
    if (problems.any() != image.empty())
      std::abort();
    if (isLazy && !problems.any())
      takeKernels(image, text, problems);
    return !problems.any();
  }

private:
  static void takeKernels(const std::vector<uint8_t> &image, const std::string &text,
                          Problems &problems) {
    Result<ImageView> index = ImageView::create(std::span<const uint8_t>(image));
    if (!index)
      std::abort();
    for (const ImageKernel &row : index->kernels()) {
      Problems ofKernel(text);
      const std::vector<uint8_t> kernel =
          readKernel(*index, text, index->string(row.name), ofKernel);
      if (ofKernel.any() != kernel.empty())
        std::abort();
      if (ofKernel.any())
        problems.fatal(ofKernel.log());
    }
  }

  test::Damage damage_{{std::begin(Corpus), std::end(Corpus)},
                       {
#define PTX_TYPE(name, kind, bits, elements) #name,
#include "frontend/ptx/types.def"
#define PTX_SPECIAL_REGISTER(name, intrinsic) "%" #name,
#include "frontend/ptx/special_registers.def"
                           "v2", "v4", "v8", "shared", "global", "const", "local", "param", "sync",
                           "x", "sat", "ftz"}};
};

} // namespace

int main(int argc, char **argv) { return test::tryAll<Texts>(argc, argv, 600); }
