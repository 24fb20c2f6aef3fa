// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LD_AUDIT of this: the dynamic linker finds no library whose name begins with $HIDE in any folder.
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>

unsigned la_version(unsigned version) { return LAV_CURRENT; }

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) {
  const char *hidden = getenv("HIDE"), *slash = strrchr(name, '/');
  const char *file = slash ? slash + 1 : name;
  int isHidden = flag != LA_SER_ORIG && hidden && strncmp(file, hidden, strlen(hidden)) == 0;
  return isHidden ? 0 : (char *)name;
}
