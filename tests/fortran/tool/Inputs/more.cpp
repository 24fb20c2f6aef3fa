// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>
extern "C" int fromCxx() { return static_cast<int>(std::vector<int>(5).size()); }
