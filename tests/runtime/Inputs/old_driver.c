/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   The stand-in for a GPU's driver (on_gpu.test), as that of an older CUDA: it says VERSION, and of code which PTX it is. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int cuDriverGetVersion(int *version) {
  *version = VERSION;
  return 0;
}

int cuLibraryLoadData(void **library, const char *code, void *options, void *values, unsigned count, void *libraryOptions,
                      void *libraryValues, unsigned libraryCount) {
  static int (*load)(void **, const char *, void *, void *, unsigned, void *, void *, unsigned);
  const char *line = strstr(code, ".version");
  printf("loads %.*s\n", line ? (int)strcspn(line, "\n") : 0, line ? line : "");
  if (!load)
    load = (__typeof__(load))dlsym(RTLD_NEXT, "cuLibraryLoadData");
  return load(library, code, options, values, count, libraryOptions, libraryValues, libraryCount);
}
