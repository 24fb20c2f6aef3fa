// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MTGP32 (Saito, "A variant of Mersenne Twister suitable for graphic processors", arXiv:1005.4973):
// the types of its parameters and states (cuRAND guide, 3.1.2).
#ifndef HEDDLE_CURAND_MTGP32_H
#define HEDDLE_CURAND_MTGP32_H
#define CURAND_MTGP32_H

#define MTGP32_MAX 2
#define THREAD_NUM_MTGP32 256
#define MTGP32_STATE_SIZE 1024
#define MTGP32_STATE_MASK 1023
#define CURAND_NUM_MTGP32_PARAMS 200
#define MEXP 11213
#define MTGP32_N 351
#define MTGP32_TS 16

/// One parameter set: the recurrence's distance and shifts, and the sums of its matrices' rows.
struct mtgp32_params_fast {
  int mexp;
  int pos;
  int sh1;
  int sh2;
  unsigned int tbl[16];
  unsigned int tmp_tbl[16];
  unsigned int flt_tmp_tbl[16];
  unsigned int mask;
  unsigned char poly_sha1[21];
};

/// Parameter sets in the form that kernels read.
struct mtgp32_kernel_params {
  unsigned int pos_tbl[CURAND_NUM_MTGP32_PARAMS];
  unsigned int param_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TS];
  unsigned int temper_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TS];
  unsigned int single_temper_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TS];
  unsigned int sh1_tbl[CURAND_NUM_MTGP32_PARAMS];
  unsigned int sh2_tbl[CURAND_NUM_MTGP32_PARAMS];
  unsigned int mask[1];
};

typedef struct mtgp32_params_fast mtgp32_params_fast_t;
typedef struct mtgp32_kernel_params mtgp32_kernel_params_t;

/// A generator, which a block of threads shares: a ring of its last values, and its parameter set.
struct curandStateMtgp32 {
  unsigned int s[MTGP32_STATE_SIZE];
  int offset;
  int pIdx;
  mtgp32_kernel_params_t *k;
};

typedef struct curandStateMtgp32 curandStateMtgp32_t;

#endif // HEDDLE_CURAND_MTGP32_H
