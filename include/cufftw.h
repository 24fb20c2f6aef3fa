// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuFFTW: FFTW 3's interface on data of the host (cuFFT API Reference, "FFTW Interface to cuFFT"),
// in single and double precision, up to three dimensions. Valid in C and C++. A program includes
// this in place of fftw3.h and links cufftw.
#ifndef HEDDLE_CUFFTW_H
#define HEDDLE_CUFFTW_H
#define _CUFFTW_H_

#include "cufft.h"

#include <stddef.h>
#include <stdio.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define FFTW_FORWARD -1
#define FFTW_INVERSE 1
#define FFTW_BACKWARD 1

// Plans are always estimated, so that planning touches no data: these say nothing here.
#define FFTW_ESTIMATE 0x40
#define FFTW_MEASURE 0x00
#define FFTW_PATIENT 0x20
#define FFTW_EXHAUSTIVE 0x08
#define FFTW_WISDOM_ONLY 0x200000
#define FFTW_DESTROY_INPUT 0x01
#define FFTW_PRESERVE_INPUT 0x10
#define FFTW_UNALIGNED 0x02
#define FFTW_NO_TIMELIMIT -1.0

#define HEDDLE_CUFFTW(X, R)                                                                        \
  typedef R X##complex[2];                                                                         \
  typedef struct X##plan_s *X##plan;                                                               \
  typedef struct {                                                                                 \
    int n, is, os;                                                                                 \
  } X##iodim;                                                                                      \
  typedef struct {                                                                                 \
    ptrdiff_t n, is, os;                                                                           \
  } X##iodim64;                                                                                    \
  X##plan X##plan_dft_1d(int n, X##complex *in, X##complex *out, int sign, unsigned flags);        \
  X##plan X##plan_dft_2d(int n0, int n1, X##complex *in, X##complex *out, int sign,                \
                         unsigned flags);                                                          \
  X##plan X##plan_dft_3d(int n0, int n1, int n2, X##complex *in, X##complex *out, int sign,        \
                         unsigned flags);                                                          \
  X##plan X##plan_dft(int rank, const int *n, X##complex *in, X##complex *out, int sign,           \
                      unsigned flags);                                                             \
  X##plan X##plan_dft_r2c_1d(int n, R *in, X##complex *out, unsigned flags);                       \
  X##plan X##plan_dft_r2c_2d(int n0, int n1, R *in, X##complex *out, unsigned flags);              \
  X##plan X##plan_dft_r2c_3d(int n0, int n1, int n2, R *in, X##complex *out, unsigned flags);      \
  X##plan X##plan_dft_r2c(int rank, const int *n, R *in, X##complex *out, unsigned flags);         \
  X##plan X##plan_dft_c2r_1d(int n, X##complex *in, R *out, unsigned flags);                       \
  X##plan X##plan_dft_c2r_2d(int n0, int n1, X##complex *in, R *out, unsigned flags);              \
  X##plan X##plan_dft_c2r_3d(int n0, int n1, int n2, X##complex *in, R *out, unsigned flags);      \
  X##plan X##plan_dft_c2r(int rank, const int *n, X##complex *in, R *out, unsigned flags);         \
  X##plan X##plan_many_dft(int rank, const int *n, int batch, X##complex *in, const int *inembed,  \
                           int istride, int idist, X##complex *out, const int *onembed,            \
                           int ostride, int odist, int sign, unsigned flags);                      \
  X##plan X##plan_many_dft_r2c(int rank, const int *n, int batch, R *in, const int *inembed,       \
                               int istride, int idist, X##complex *out, const int *onembed,        \
                               int ostride, int odist, unsigned flags);                            \
  X##plan X##plan_many_dft_c2r(int rank, const int *n, int batch, X##complex *in,                  \
                               const int *inembed, int istride, int idist, R *out,                 \
                               const int *onembed, int ostride, int odist, unsigned flags);        \
  X##plan X##plan_guru_dft(int rank, const X##iodim *dims, int batch_rank,                         \
                           const X##iodim *batch_dims, X##complex *in, X##complex *out, int sign,  \
                           unsigned flags);                                                        \
  X##plan X##plan_guru_dft_r2c(int rank, const X##iodim *dims, int batch_rank,                     \
                               const X##iodim *batch_dims, R *in, X##complex *out,                 \
                               unsigned flags);                                                    \
  X##plan X##plan_guru_dft_c2r(int rank, const X##iodim *dims, int batch_rank,                     \
                               const X##iodim *batch_dims, X##complex *in, R *out,                 \
                               unsigned flags);                                                    \
  X##plan X##plan_guru64_dft(int rank, const X##iodim64 *dims, int batch_rank,                     \
                             const X##iodim64 *batch_dims, X##complex *in, X##complex *out,        \
                             int sign, unsigned flags);                                            \
  X##plan X##plan_guru64_dft_r2c(int rank, const X##iodim64 *dims, int batch_rank,                 \
                                 const X##iodim64 *batch_dims, R *in, X##complex *out,             \
                                 unsigned flags);                                                  \
  X##plan X##plan_guru64_dft_c2r(int rank, const X##iodim64 *dims, int batch_rank,                 \
                                 const X##iodim64 *batch_dims, X##complex *in, R *out,             \
                                 unsigned flags);                                                  \
  void X##execute(const X##plan plan);                                                             \
  void X##execute_dft(const X##plan plan, X##complex *in, X##complex *out);                        \
  void X##execute_dft_r2c(const X##plan plan, R *in, X##complex *out);                             \
  void X##execute_dft_c2r(const X##plan plan, X##complex *in, R *out);                             \
  void X##destroy_plan(X##plan plan);                                                              \
  void X##cleanup(void);                                                                           \
  void X##set_timelimit(double seconds);                                                           \
  void X##print_plan(const X##plan plan);                                                          \
  double X##cost(const X##plan plan);                                                              \
  void X##flops(const X##plan plan, double *add, double *mul, double *fma);                        \
  void *X##malloc(size_t n);                                                                       \
  R *X##alloc_real(size_t n);                                                                      \
  X##complex *X##alloc_complex(size_t n);                                                          \
  void X##free(void *pointer);
HEDDLE_CUFFTW(fftw_, double)
HEDDLE_CUFFTW(fftwf_, float)
#undef HEDDLE_CUFFTW

#if defined(__cplusplus)
}
#endif

#endif
