// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
float nextRandom(uint *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return (*state >> 8) * (1.0f / 16777216.0f);
}

kernel void monteCarlo(int darts, global int *hits) {
  int thread = get_global_id(0);
  uint state = thread * 2654435761u + 1;
  int inside = 0;
  for (int i = 0; i < darts; ++i) {
    float x = nextRandom(&state), y = nextRandom(&state);
    if (x * x + y * y < 1.0f)
      ++inside;
  }
  hits[thread] = inside;
}
