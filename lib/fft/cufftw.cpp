// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuFFTW is FFTW with its own plans: data of the host, and work that is done when a call returns.
// What this library adds is threads, and that plans are made without touching data, as cuFFTW's
// are. FFTW is found by address (fftw.h), so that its functions and ours, which have the same
// names, do not meet; each kind of plan comes down to FFTW's guru interface in 64 bits, which calls
// no function of ours.
#include "fft/fftw.h"
#include "fft/problem.h"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

using namespace heddle::fft;

namespace {

constexpr int64_t PointsPerThread = 16384; // as for cuFFT's plans (transform.cpp)

using Dimension = fftw_iodim64;

/// Only what says what a plan may do to its input, not how long to plan.
unsigned planFlags(unsigned flags) {
  return (flags & (FFTW_DESTROY_INPUT | FFTW_PRESERVE_INPUT | FFTW_UNALIGNED)) | FFTW_ESTIMATE;
}

int64_t pointsOf(int rank, const Dimension *dimensions) {
  int64_t points = 1;
  for (int i = 0; i < rank; ++i)
    points *= dimensions[i].n;
  return points;
}

/// ask() with as many threads as the points are worth.
template <typename T, typename Ask> typename Fftw<T>::Plan planOn(int64_t points, Ask ask) {
  Planning<T> planning;
  if (!planning.ready)
    return nullptr;
  int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  int before = Fftw<T>::planner_nthreads();
  Fftw<T>::plan_with_nthreads(int(std::clamp<int64_t>(points / PointsPerThread, 1, cores)));
  typename Fftw<T>::Plan plan = ask();
  Fftw<T>::plan_with_nthreads(before);
  return plan;
}

template <typename T>
typename Fftw<T>::Plan planGuru(Kind kind, int rank, const Dimension *dims, int batchRank,
                                const Dimension *batch, void *in, void *out, int sign,
                                unsigned flags) {
  using F = Fftw<T>;
  using Complex = typename F::Complex;
  if (rank < 0 || rank > MaxRank || (rank > 0 && !dims))
    return nullptr;
  flags = planFlags(flags);
  return planOn<T>(pointsOf(rank, dims) * pointsOf(batchRank, batch), [&] {
    switch (kind) {
    case Kind::RealToComplex:
      return F::plan_guru64_dft_r2c(rank, dims, batchRank, batch, static_cast<T *>(in),
                                    static_cast<Complex *>(out), flags);
    case Kind::ComplexToReal:
      return F::plan_guru64_dft_c2r(rank, dims, batchRank, batch, static_cast<Complex *>(in),
                                    static_cast<T *>(out), flags);
    default:
      return F::plan_guru64_dft(rank, dims, batchRank, batch, static_cast<Complex *>(in),
                                static_cast<Complex *>(out), sign, flags);
    }
  });
}

/// One side of the "many" functions.
struct Side {
  const int *embed;
  int stride, dist;
};

Layout layoutFor(const Problem &problem, bool input, bool inPlace, Side side) {
  Layout layout = layoutOf(problem, input, inPlace);
  for (int i = 0; i < problem.rank && side.embed; ++i)
    layout.embed[size_t(i)] = side.embed[i];
  layout.stride = side.stride, layout.dist = side.dist;
  return layout;
}

template <typename T>
typename Fftw<T>::Plan planMany(Kind kind, int rank, const int *n, int batch, void *in, Side from,
                                void *out, Side to, int sign, unsigned flags) {
  if (rank < 1 || rank > MaxRank || !n)
    return nullptr;
  Problem problem{kind, Number::Float, rank, {}, batch};
  std::copy_n(n, rank, problem.n.begin());
  Layout a = layoutFor(problem, true, in == out, from);
  Layout b = layoutFor(problem, false, in == out, to);
  Dimension dims[MaxRank], many{batch, a.dist, b.dist};
  int64_t inStride = a.stride, outStride = b.stride;
  for (int i = rank - 1; i >= 0; --i) {
    dims[i] = {n[i], inStride, outStride};
    inStride *= a.embed[size_t(i)], outStride *= b.embed[size_t(i)];
  }
  return planGuru<T>(kind, rank, dims, 1, &many, in, out, sign, flags);
}

template <typename T>
typename Fftw<T>::Plan planOne(Kind kind, int rank, const int *n, void *in, void *out, int sign,
                               unsigned flags) {
  return planMany<T>(kind, rank, n, 1, in, {nullptr, 1, 0}, out, {nullptr, 1, 0}, sign, flags);
}

template <typename I> std::vector<Dimension> widen(int rank, const I *dims) {
  std::vector<Dimension> wide;
  for (int i = 0; i < rank; ++i)
    wide.push_back({dims[i].n, dims[i].is, dims[i].os});
  return wide;
}

template <typename T, typename I>
typename Fftw<T>::Plan planNarrow(Kind kind, int rank, const I *dims, int batchRank, const I *batch,
                                  void *in, void *out, int sign, unsigned flags) {
  return planGuru<T>(kind, rank, widen(rank, dims).data(), batchRank,
                     widen(batchRank, batch).data(), in, out, sign, flags);
}

} // namespace

// The three kinds of plan, each with its types; then the functions of one precision.
#define HEDDLE_KIND(X, R, suffix, kind, In, Out, SIGN, sign)                                       \
  X##plan X##plan_dft##suffix##_1d(int n, In *in, Out *out, SIGN unsigned flags) {                 \
    return planOne<R>(kind, 1, &n, in, out, sign, flags);                                          \
  }                                                                                                \
  X##plan X##plan_dft##suffix##_2d(int n0, int n1, In *in, Out *out, SIGN unsigned flags) {        \
    int n[] = {n0, n1};                                                                            \
    return planOne<R>(kind, 2, n, in, out, sign, flags);                                           \
  }                                                                                                \
  X##plan X##plan_dft##suffix##_3d(int n0, int n1, int n2, In *in, Out *out,                       \
                                   SIGN unsigned flags) {                                          \
    int n[] = {n0, n1, n2};                                                                        \
    return planOne<R>(kind, 3, n, in, out, sign, flags);                                           \
  }                                                                                                \
  X##plan X##plan_dft##suffix(int rank, const int *n, In *in, Out *out, SIGN unsigned flags) {     \
    return planOne<R>(kind, rank, n, in, out, sign, flags);                                        \
  }                                                                                                \
  X##plan X##plan_many_dft##suffix(int rank, const int *n, int batch, In *in, const int *inembed,  \
                                   int istride, int idist, Out *out, const int *onembed,           \
                                   int ostride, int odist, SIGN unsigned flags) {                  \
    return planMany<R>(kind, rank, n, batch, in, {inembed, istride, idist}, out,                   \
                       {onembed, ostride, odist}, sign, flags);                                    \
  }                                                                                                \
  X##plan X##plan_guru_dft##suffix(int rank, const X##iodim *dims, int batchRank,                  \
                                   const X##iodim *batch, In *in, Out *out, SIGN unsigned flags) { \
    return planNarrow<R>(kind, rank, dims, batchRank, batch, in, out, sign, flags);                \
  }                                                                                                \
  X##plan X##plan_guru64_dft##suffix(int rank, const X##iodim64 *dims, int batchRank,              \
                                     const X##iodim64 *batch, In *in, Out *out,                    \
                                     SIGN unsigned flags) {                                        \
    return planNarrow<R>(kind, rank, dims, batchRank, batch, in, out, sign, flags);                \
  }

#define HEDDLE_SIGN int sign,
#define HEDDLE_PRECISION(X, R)                                                                     \
  HEDDLE_KIND(X, R, , Kind::Complex, X##complex, X##complex, HEDDLE_SIGN, sign)                    \
  HEDDLE_KIND(X, R, _r2c, Kind::RealToComplex, R, X##complex, , FFTW_FORWARD)                      \
  HEDDLE_KIND(X, R, _c2r, Kind::ComplexToReal, X##complex, R, , FFTW_BACKWARD)                     \
  void X##execute(const X##plan plan) { Fftw<R>::execute(plan); }                                  \
  void X##execute_dft(const X##plan plan, X##complex *in, X##complex *out) {                       \
    Fftw<R>::execute_dft(plan, in, out);                                                           \
  }                                                                                                \
  void X##execute_dft_r2c(const X##plan plan, R *in, X##complex *out) {                            \
    Fftw<R>::execute_dft_r2c(plan, in, out);                                                       \
  }                                                                                                \
  void X##execute_dft_c2r(const X##plan plan, X##complex *in, R *out) {                            \
    Fftw<R>::execute_dft_c2r(plan, in, out);                                                       \
  }                                                                                                \
  void X##destroy_plan(X##plan plan) {                                                             \
    Planning<R> planning;                                                                          \
    if (planning.ready)                                                                            \
      Fftw<R>::destroy_plan(plan);                                                                 \
  }                                                                                                \
  void X##cleanup() {}             /* plans that are left stay good, as cuFFTW's do */             \
  void X##set_timelimit(double) {} /* plans are estimated */                                       \
  void X##print_plan(const X##plan plan) { Fftw<R>::print_plan(plan); }                            \
  double X##cost(const X##plan plan) { return Fftw<R>::cost(plan); }                               \
  void X##flops(const X##plan plan, double *add, double *mul, double *fma) {                       \
    Fftw<R>::flops(plan, add, mul, fma);                                                           \
  }                                                                                                \
  void *X##malloc(size_t n) { return Fftw<R>::malloc ? Fftw<R>::malloc(n) : nullptr; }             \
  R *X##alloc_real(size_t n) { return static_cast<R *>(X##malloc(n * sizeof(R))); }                \
  X##complex *X##alloc_complex(size_t n) {                                                         \
    return static_cast<X##complex *>(X##malloc(n * sizeof(X##complex)));                           \
  }                                                                                                \
  void X##free(void *pointer) {                                                                    \
    if (pointer)                                                                                   \
      Fftw<R>::free(pointer);                                                                      \
  }

extern "C" {
#pragma GCC visibility push(default)
HEDDLE_PRECISION(fftw_, double)
HEDDLE_PRECISION(fftwf_, float)
#pragma GCC visibility pop
}
