// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define SGEMM(name, TILE, SLICE, MINE)                                                                       \
  kernel __attribute__((reqd_work_group_size(256, 1, 1))) void name(int n, global const float *a,            \
                                                                    global const float *b,                   \
                                                                    global float *c) {                       \
    const int groups = MINE / 4, apart = TILE / groups, across = TILE / MINE;                                \
    local float sliceA[2][SLICE][TILE] __attribute__((aligned(16)));                                         \
    local float sliceB[2][SLICE][TILE] __attribute__((aligned(16)));                                         \
    int thread = get_local_id(0), x = thread % across, y = thread / across;                                  \
    int rowA = thread / (SLICE / 4), columnA = thread % (SLICE / 4) * 4;                                     \
    int rowB = thread / (TILE / 4), columnB = thread % (TILE / 4) * 4;                                       \
    global const float *fromA = a + (get_group_id(1) * TILE + rowA) * n + columnA;                           \
    global const float *fromB = b + rowB * n + get_group_id(0) * TILE + columnB;                             \
    float4 nextA = vload4(0, fromA), nextB = vload4(0, fromB);                                               \
    float sums[MINE][MINE];                                                                                  \
    for (int i = 0; i < MINE; ++i)                                                                           \
      for (int j = 0; j < MINE; ++j)                                                                         \
        sums[i][j] = 0;                                                                                      \
    int now = 0;                                                                                             \
    for (int start = 0; start < n; start += SLICE) {                                                         \
      sliceA[now][columnA + 0][rowA] = nextA.x;                                                              \
      sliceA[now][columnA + 1][rowA] = nextA.y;                                                              \
      sliceA[now][columnA + 2][rowA] = nextA.z;                                                              \
      sliceA[now][columnA + 3][rowA] = nextA.w;                                                              \
      vstore4(nextB, 0, &sliceB[now][rowB][columnB]);                                                        \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                          \
      if (start + SLICE < n) {                                                                               \
        nextA = vload4(0, fromA + start + SLICE);                                                            \
        nextB = vload4(0, fromB + (start + SLICE) * n);                                                      \
      }                                                                                                      \
      _Pragma("unroll") for (int k = 0; k < SLICE; ++k) {                                                    \
        float rows[MINE], columns[MINE];                                                                     \
        _Pragma("unroll") for (int g = 0; g < groups; ++g) {                                                 \
          vstore4(vload4(0, &sliceA[now][k][g * apart + 4 * y]), g, rows);                                   \
          vstore4(vload4(0, &sliceB[now][k][g * apart + 4 * x]), g, columns);                                \
        }                                                                                                    \
        _Pragma("unroll") for (int i = 0; i < MINE; ++i)                                                     \
          _Pragma("unroll") for (int j = 0; j < MINE; ++j)                                                   \
            sums[i][j] += rows[i] * columns[j];                                                              \
      }                                                                                                      \
      now ^= 1;                                                                                              \
    }                                                                                                        \
    _Pragma("unroll") for (int i = 0; i < MINE; ++i)                                                         \
      _Pragma("unroll") for (int g = 0; g < groups; ++g) {                                                   \
        int row = get_group_id(1) * TILE + i / 4 * apart + 4 * y + i % 4;                                    \
        int column = get_group_id(0) * TILE + g * apart + 4 * x;                                             \
        vstore4(vload4(g, sums[i]), 0, c + row * n + column);                                                \
      }                                                                                                      \
  }

SGEMM(sgemm128, 128, 8, 8)
SGEMM(sgemm64, 64, 16, 4)
