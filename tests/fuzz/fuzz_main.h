// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main function of random programs: runs the units of `units`, in one half or both (fuzz.h).
#pragma once

static void print(const Unit &unit, const Results &results) {
  printf("%s", unit.name);
  for (int i = 0; i < results.count; ++i)
    printf(" %016llx", results.digests[i]);
  printf("%s%s\n", results.error ? " " : "", results.error ? results.error : "");
  fflush(stdout);
}

/// Whether both agree.
static bool compare(const Unit &unit) {
  Results want = host::run(unit), got = gpu::run(unit);
  const char *error = want.error ? want.error : got.error;
  for (int i = 0; i < want.count && !error; ++i)
    if (want.digests[i] != got.digests[i])
      error = "differs";
  if (error)
    printf("%s: %s\n", unit.name, error);
  return !error;
}

int main(int argc, char **argv) {
  int total = int(sizeof(units) / sizeof(units[0]));
  int first = argc > 2 ? atoi(argv[2]) : 0, last = argc > 3 ? atoi(argv[3]) : total - 1;
  const char *what = argc > 1 ? argv[1] : "check";
  bool good = true;
  dumps = !strcmp(what, "dump");
  for (int i = first; i <= last && i < total; ++i) {
    if (!strcmp(what, "gpu") && units[i].isNear)
      host::run(units[i]);
    if (!strcmp(what, "gpu"))
      print(units[i], gpu::run(units[i]));
    else if (!strcmp(what, "host"))
      print(units[i], host::run(units[i]));
    else
      good &= compare(units[i]);
  }
  if (!strcmp(what, "check"))
    printf(good ? "all agree\n" : "there are differences\n");
  return good ? 0 : 1;
}
