// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/compile/resources.h"

#include "base/image/resources.h"

#include <algorithm>

namespace heddle::tool {

bool wantsResources(const Options &options) {
  const auto &words = options.values(Opt::PtxasOptions);
  bool verbose = std::any_of(words.begin(), words.end(), [](const std::string &word) {
    return word == "-v" || word == "--verbose";
  });
  return verbose || options.has(Opt::ResourceUsage);
}

std::string resourceReport(const std::string &bytes, const Architecture &arch,
                           uint32_t maxRegisters) {
  Result<ImageView> image =
      ImageView::create({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  if (!image)
    return "";
  std::vector<unsigned> machines;
  for (const CodeName &code : arch.codes)
    if (code.isReal)
      machines.push_back(code.number);
  if (machines.empty()) // PTX only: as it would become
    machines.push_back(arch.number);
  return heddle::resourceReport(*image, machines, maxRegisters, arch.suffix);
}

} // namespace heddle::tool
