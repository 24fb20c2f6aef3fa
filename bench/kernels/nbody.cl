// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TILE 256

kernel void nbody(int n, float softening, global const float4 *bodies, global float4 *accelerations) {
  local float4 tile[TILE];
  int i = get_global_id(0), thread = get_local_id(0);
  float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int start = 0; start < n; start += TILE) {
    tile[thread] = bodies[start + thread];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < TILE; ++j) {
      float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
      float force = tile[j].w * inverse * inverse * inverse;
      ax += dx * force;
      ay += dy * force;
      az += dz * force;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  accelerations[i] = (float4)(ax, ay, az, 0);
}
