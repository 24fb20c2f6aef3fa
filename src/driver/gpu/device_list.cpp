// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/gpu/device_list.h"

#include "driver/gpu/mixed_table.h"

#include <cstdlib>
#include <fstream>

#include <dlfcn.h>

namespace heddle::driver {

/// Of the installation; empty: it has none.
static std::string configuredDevices() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&askedDevices), &info) || !info.dli_fname)
    return "";
  const std::string file = info.dli_fname;
  std::string word;
  std::ifstream(file.substr(0, file.rfind('/') + 1) + "heddle.device") >> word;
  return word;
}

const char *askedDevices() {
  static const std::string configured = configuredDevices();
  const char *list = std::getenv("HEDDLE_DEVICE");
  return list || configured.empty() ? list : configured.c_str();
}

const char *deviceList() {
  const char *list = askedDevices();
  if (!isMixed(list))
    return list && std::string_view(list) == "auto" ? nullptr : list; // no GPU: the default
  static const std::string boards = boardsOf(list);
  return boards.c_str();
}

} // namespace heddle::driver
