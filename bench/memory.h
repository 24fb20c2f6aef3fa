// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <cstring>

/// Prints the most memory that this process has had, "VmHWM: N kB". (getrusage would count the
/// parent's, too.)
inline void printPeakMemory() {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  while (file && fgets(line, sizeof(line), file))
    if (!strncmp(line, "VmHWM:", 6))
      fputs(line, stdout);
  if (file)
    fclose(file);
}
