// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How samples of CUDA 4 told their result (helper_string.h).
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum eQAstatus { QA_FAILED = 0, QA_PASSED = 1, QA_WAIVED = 2 };

inline const char *heddleProgramName(char **argv) {
  const char *slash = strrchr(argv[0], '/');
  return slash ? slash + 1 : argv[0];
}
inline void shrQAStart(int, char **argv) { printf("[%s] starting...\n\n", heddleProgramName(argv)); }
inline void shrQAFinish(int, const char **argv, int status) {
  const char *const words[] = {"FAILED", "PASSED", "WAIVED"};
  printf("[%s] test results...\n%s\n", heddleProgramName(const_cast<char **>(argv)), words[status]);
}
inline void shrQAFinishExit(int argc, const char **argv, int status) {
  shrQAFinish(argc, argv, status);
  exit(status == QA_FAILED ? EXIT_FAILURE : EXIT_SUCCESS);
}
