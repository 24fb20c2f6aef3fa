// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints recorded.inc's lines anew: runs each line of standard input on the machine's cuRAND.
#include <cuda_runtime.h>
#include <curand.h>

#include "recorded_case.h"

#include <cstdio>
#include <cstring>

int main() {
  char line[1024];
  while (std::fgets(line, sizeof line, stdin)) {
    line[std::strcspn(line, "\n")] = 0;
    unsigned long long hash;
    int status = runRecorded(line, &hash);
    if (status)
      std::printf("// %s: status %d\n", line, status);
    else
      std::printf("RECORDED(\"%s\", 0x%016llx)\n", line, hash);
  }
}
