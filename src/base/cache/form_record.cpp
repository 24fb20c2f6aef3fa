// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/cache/form_record.h"

#include <fstream>
#include <sstream>

namespace heddle {

namespace {
constexpr const char *Magic = "heddle forms 1";
}

std::string FormRecord::text() const {
  std::ostringstream out;
  out << Magic << "\nkernel " << kernel << "\nblock";
  for (uint32_t side : blockDim)
    out << ' ' << side;
  out << "\ntime used " << used << " spent " << spent << " compilation " << compilation << '\n';
  for (const Size &size : sizes)
    out << "size " << size.key << " width " << size.width << " tried " << size.tried
        << " advantage " << size.advantage << '\n';
  out << "end\n"; // the cache's trailer follows
  return out.str();
}

std::optional<FormRecord> FormRecord::read(const std::string &path) {
  std::ifstream file(path);
  std::string line, word;
  if (!std::getline(file, line) || line != Magic)
    return std::nullopt;
  FormRecord record;
  while (std::getline(file, line) && line != "end") {
    std::istringstream words(line);
    words >> word;
    Size size;
    if (word == "kernel" && words.get())
      std::getline(words, record.kernel);
    else if (word == "block")
      words >> record.blockDim[0] >> record.blockDim[1] >> record.blockDim[2];
    else if (word == "time")
      words >> word >> record.used >> word >> record.spent >> word >> record.compilation;
    else if (word == "size" && words >> size.key >> word >> size.width >> word >> size.tried >>
                                   word >> size.advantage)
      record.sizes.push_back(size);
  }
  return record;
}

} // namespace heddle
