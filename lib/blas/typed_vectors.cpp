// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions on vectors whose types are arguments (cuBLAS Library, "cublasAxpyEx" and its like).
//
// Their tables of types have two kinds of rows. Where all is of one type of BLAS, the function is
// the typed one of level1.inc. Where vectors are of half or bfloat16 they are computed with in
// float and rounded when they are stored; sums are kept in double. Anything else is
// CUBLAS_STATUS_NOT_SUPPORTED.
#include "blas/handle.h"
#include "blas/openblas.h"
#include "blas/product.h"
#include "support/parallel.h"

#include <cmath>

namespace heddle::blas {

namespace {

enum Extreme { Largest, Smallest };
enum Form { Plain, Conjugated };

/// Calls f with a value of the type if BLAS has it.
template <typename F> cublasStatus_t withBlasType(cudaDataType type, F f) {
  switch (type) {
  case CUDA_R_32F:
    return f(float{});
  case CUDA_R_64F:
    return f(double{});
  case CUDA_C_32F:
    return f(cuComplex{});
  case CUDA_C_64F:
    return f(cuDoubleComplex{});
  default:
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

/// Calls f with a value of a type of 16 bits.
template <typename F> cublasStatus_t withShortType(cudaDataType type, F f) {
  if (type == CUDA_R_16F)
    return f(__half{});
  return type == CUDA_R_16BF ? f(__nv_bfloat16{}) : CUBLAS_STATUS_NOT_SUPPORTED;
}

bool isShort(cudaDataType type) { return type == CUDA_R_16F || type == CUDA_R_16BF; }

/// The real type of a type of BLAS.
cudaDataType realOf(cudaDataType type) {
  return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

/// The functions of BLAS for T, each with 64-bit integers.
#define HEDDLE_ENTRY(T, s, d, c, z)                                                                \
  pick<T>(cublas##s##_v2_64, cublas##d##_v2_64, cublas##c##_v2_64, cublas##z##_v2_64)

/// A vector of T by numbers of elements, as floats.
template <typename T> struct Elements {
  T *data;
  int64_t n, inc;

  float get(int64_t i) const { return static_cast<float>(element(data, n, inc, i)); }
  void set(int64_t i, float value) const { element(data, n, inc, i) = T(value); }
};

/// Calls f(i) for all elements, on all cores if these are different ones.
template <typename F> void forElements(int64_t n, bool distinct, F f) {
  auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      f(i);
  };
  if (distinct)
    library::parallelFor(n, 1 << 14, run);
  else
    run(0, n);
}

cublasStatus_t axpyEx(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType alphaType,
                      const void *x, cudaDataType xType, int64_t incx, void *y, cudaDataType yType,
                      int64_t incy, cudaDataType executionType) {
  if (cublasStatus_t bad = check(handle, alpha))
    return bad;
  if (xType != yType || alphaType != executionType)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (alphaType == xType)
    return withBlasType(xType, [&](auto kind) {
      using T = decltype(kind);
      return HEDDLE_ENTRY(T, Saxpy, Daxpy, Caxpy, Zaxpy)(handle, n, static_cast<const T *>(alpha),
                                                         static_cast<const T *>(x), incx,
                                                         static_cast<T *>(y), incy);
    });
  if (alphaType != CUDA_R_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return withShortType(xType, [&](auto kind) {
    using T = decltype(kind);
    Elements<const T> from{static_cast<const T *>(x), n, incx};
    Elements<T> to{static_cast<T *>(y), n, incy};
    return submit(handle, [=, alpha = Scalar(handle, static_cast<const float *>(alpha))] {
      const float a = alpha.get();
      forElements(n, incy != 0, [&](int64_t i) { to.set(i, a * from.get(i) + to.get(i)); });
    });
  });
}

template <Form form>
cublasStatus_t dotEx(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                     int64_t incx, const void *y, cudaDataType yType, int64_t incy, void *result,
                     cudaDataType resultType, cudaDataType executionType) {
  if (cublasStatus_t bad = check(handle, result))
    return bad;
  if (xType != yType || xType != resultType)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (executionType == xType)
    return withBlasType(xType, [&](auto kind) {
      using T = decltype(kind);
      auto &plain = HEDDLE_ENTRY(T, Sdot, Ddot, Cdotu, Zdotu);
      auto &conjugated = HEDDLE_ENTRY(T, Sdot, Ddot, Cdotc, Zdotc);
      return (form == Plain ? plain : conjugated)(handle, n, static_cast<const T *>(x), incx,
                                                  static_cast<const T *>(y), incy,
                                                  static_cast<T *>(result));
    });
  if (executionType != CUDA_R_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return withShortType(xType, [&](auto kind) {
    using T = decltype(kind);
    Elements<const T> xs{static_cast<const T *>(x), n, incx},
        ys{static_cast<const T *>(y), n, incy};
    return submitResult(handle, [=] {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i)
        sum += double(xs.get(i)) * ys.get(i);
      *static_cast<T *>(result) = T(static_cast<float>(sum));
    });
  });
}

/// A norm: `typed` is the function for a type of BLAS; add(sum, x) and finish(sum) make it of a
/// short one's elements.
template <typename F, typename A, typename E>
cublasStatus_t normEx(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                      int64_t incx, void *result, cudaDataType resultType,
                      cudaDataType executionType, F typed, A add, E finish) {
  if (cublasStatus_t bad = check(handle, result))
    return bad;
  if (resultType != realOf(xType))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (executionType == resultType)
    return withBlasType(xType, typed);
  if (executionType != CUDA_R_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return withShortType(xType, [&](auto kind) {
    using T = decltype(kind);
    Elements<const T> xs{static_cast<const T *>(x), n, incx};
    return submitResult(handle, [=] {
      double sum = 0;
      for (int64_t i = 0; i < (incx > 0 ? n : 0); ++i)
        sum = add(sum, xs.get(i));
      *static_cast<T *>(result) = T(static_cast<float>(finish(sum)));
    });
  });
}

cublasStatus_t nrm2Ex(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                      int64_t incx, void *result, cudaDataType resultType,
                      cudaDataType executionType) {
  auto typed = [=](auto kind) {
    using T = decltype(kind);
    return HEDDLE_ENTRY(T, Snrm2, Dnrm2, Scnrm2, Dznrm2)(handle, n, static_cast<const T *>(x), incx,
                                                         static_cast<Real<T> *>(result));
  };
  return normEx(
      handle, n, x, xType, incx, result, resultType, executionType, typed,
      [](double sum, double v) { return sum + v * v; }, [](double sum) { return std::sqrt(sum); });
}

cublasStatus_t asumEx(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                      int64_t incx, void *result, cudaDataType resultType,
                      cudaDataType executionType) {
  auto typed = [=](auto kind) {
    using T = decltype(kind);
    return HEDDLE_ENTRY(T, Sasum, Dasum, Scasum, Dzasum)(handle, n, static_cast<const T *>(x), incx,
                                                         static_cast<Real<T> *>(result));
  };
  return normEx(
      handle, n, x, xType, incx, result, resultType, executionType, typed,
      [](double sum, double v) { return sum + std::fabs(v); }, [](double sum) { return sum; });
}

cublasStatus_t scalEx(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType alphaType,
                      void *x, cudaDataType xType, int64_t incx, cudaDataType executionType) {
  if (cublasStatus_t bad = check(handle, alpha))
    return bad;
  if (alphaType != executionType)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (alphaType == xType)
    return withBlasType(xType, [&](auto kind) {
      using T = decltype(kind);
      return HEDDLE_ENTRY(T, Sscal, Dscal, Cscal, Zscal)(handle, n, static_cast<const T *>(alpha),
                                                         static_cast<T *>(x), incx);
    });
  if (alphaType != CUDA_R_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return withShortType(xType, [&](auto kind) {
    using T = decltype(kind);
    Elements<T> xs{static_cast<T *>(x), n, incx};
    return submit(handle, [=, alpha = Scalar(handle, static_cast<const float *>(alpha))] {
      const float a = alpha.get();
      forElements(incx > 0 ? n : 0, true, [&](int64_t i) { xs.set(i, a * xs.get(i)); });
    });
  });
}

cublasStatus_t copyEx(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                      int64_t incx, void *y, cudaDataType yType, int64_t incy) {
  if (cublasStatus_t bad = check(handle, true))
    return bad;
  if (xType != yType)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!isShort(xType))
    return withBlasType(xType, [&](auto kind) {
      using T = decltype(kind);
      return HEDDLE_ENTRY(T, Scopy, Dcopy, Ccopy, Zcopy)(handle, n, static_cast<const T *>(x), incx,
                                                         static_cast<T *>(y), incy);
    });
  auto *from = static_cast<const uint16_t *>(x);
  auto *to = static_cast<uint16_t *>(y);
  return submit(handle, [=] {
    forElements(n, incy != 0,
                [&](int64_t i) { element(to, n, incy, i) = element(from, n, incx, i); });
  });
}

cublasStatus_t swapEx(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType, int64_t incx,
                      void *y, cudaDataType yType, int64_t incy) {
  if (cublasStatus_t bad = check(handle, true))
    return bad;
  if (xType != yType)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!isShort(xType))
    return withBlasType(xType, [&](auto kind) {
      using T = decltype(kind);
      return HEDDLE_ENTRY(T, Sswap, Dswap, Cswap, Zswap)(handle, n, static_cast<T *>(x), incx,
                                                         static_cast<T *>(y), incy);
    });
  auto *xs = static_cast<uint16_t *>(x), *ys = static_cast<uint16_t *>(y);
  return submit(handle, [=] {
    forElements(n, incx != 0 && incy != 0,
                [&](int64_t i) { std::swap(element(xs, n, incx, i), element(ys, n, incy, i)); });
  });
}

/// The place of the first element of largest or smallest magnitude, from 1 on.
template <Extreme extreme, typename T> int64_t placeOf(const Elements<const T> &x) {
  if (x.n <= 0 || x.inc <= 0)
    return 0;
  int64_t best = 0;
  for (int64_t i = 1; i < x.n; ++i) {
    float size = std::fabs(x.get(i)), before = std::fabs(x.get(best));
    if (extreme == Largest ? size > before : size < before)
      best = i;
  }
  return best + 1;
}

template <Extreme extreme, typename I>
cublasStatus_t indexOfEx(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
                         int64_t incx, I *result) {
  if (cublasStatus_t bad = check(handle, result))
    return bad;
  if (isShort(xType))
    return withShortType(xType, [&](auto kind) {
      using T = decltype(kind);
      Elements<const T> xs{static_cast<const T *>(x), n, incx};
      return submitResult(handle, [=] { *result = static_cast<I>(placeOf<extreme>(xs)); });
    });
  return withBlasType(xType, [&](auto kind) {
    using T = decltype(kind);
    auto *xs = static_cast<const T *>(x);
    if constexpr (std::is_same_v<I, int>) {
      auto &largest = pick<T>(cublasIsamax_v2, cublasIdamax_v2, cublasIcamax_v2, cublasIzamax_v2);
      auto &smallest = pick<T>(cublasIsamin_v2, cublasIdamin_v2, cublasIcamin_v2, cublasIzamin_v2);
      return (extreme == Largest ? largest : smallest)(handle, static_cast<int>(n), xs,
                                                       static_cast<int>(incx), result);
    } else {
      auto &largest = HEDDLE_ENTRY(T, Isamax, Idamax, Icamax, Izamax);
      auto &smallest = HEDDLE_ENTRY(T, Isamin, Idamin, Icamin, Izamin);
      return (extreme == Largest ? largest : smallest)(handle, n, xs, incx, result);
    }
  });
}

/// A rotation of vectors of a type of BLAS: its cosine is real, or complex with an imaginary part
/// that is not looked at; its sine is of the cosine's type.
template <typename T>
cublasStatus_t rotTyped(cublasHandle_t handle, int64_t n, void *x, int64_t incx, void *y,
                        int64_t incy, const void *c, const void *s, bool realSine) {
  auto *xs = static_cast<T *>(x), *ys = static_cast<T *>(y);
  auto *cosine = static_cast<const Real<T> *>(c); // the real part comes first
  auto *real = static_cast<const Real<T> *>(s);
  auto *sine = static_cast<const T *>(s);
  if constexpr (!IsComplex<T>)
    return pick<T>(cublasSrot_v2_64, cublasDrot_v2_64, cublasSrot_v2_64,
                   cublasDrot_v2_64)(handle, n, xs, incx, ys, incy, cosine, real);
  else if (realSine)
    return pick<T>(cublasCsrot_v2_64, cublasZdrot_v2_64, cublasCsrot_v2_64,
                   cublasZdrot_v2_64)(handle, n, xs, incx, ys, incy, cosine, real);
  else
    return pick<T>(cublasCrot_v2_64, cublasZrot_v2_64, cublasCrot_v2_64,
                   cublasZrot_v2_64)(handle, n, xs, incx, ys, incy, cosine, sine);
}

cublasStatus_t rotEx(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType, int64_t incx,
                     void *y, cudaDataType yType, int64_t incy, const void *c, const void *s,
                     cudaDataType csType, cudaDataType executionType) {
  if (cublasStatus_t bad = check(handle, c && s))
    return bad;
  if (xType != yType || (csType != xType && csType != realOf(xType)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (executionType == xType)
    return withBlasType(xType, [&](auto kind) {
      return rotTyped<decltype(kind)>(handle, n, x, incx, y, incy, c, s, csType != xType);
    });
  if (executionType != CUDA_R_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return withShortType(xType, [&](auto kind) {
    using T = decltype(kind);
    Elements<T> xs{static_cast<T *>(x), n, incx}, ys{static_cast<T *>(y), n, incy};
    Scalar cosine(handle, static_cast<const T *>(c)), sine(handle, static_cast<const T *>(s));
    return submit(handle, [=] {
      const auto a = static_cast<float>(cosine.get()), b = static_cast<float>(sine.get());
      forElements(n, incx != 0 && incy != 0, [&](int64_t i) {
        float xi = xs.get(i), yi = ys.get(i);
        xs.set(i, a * xi + b * yi);
        ys.set(i, a * yi - b * xi);
      });
    });
  });
}

cublasStatus_t rotgEx(cublasHandle_t handle, void *a, void *b, cudaDataType abType, void *c,
                      void *s, cudaDataType csType, cudaDataType executionType) {
  if (cublasStatus_t bad = check(handle, a && b && c && s))
    return bad;
  if (executionType == abType && csType == abType)
    return withBlasType(abType, [&](auto kind) {
      using T = decltype(kind);
      return pick<T>(cublasSrotg_v2, cublasDrotg_v2, cublasCrotg_v2,
                     cublasZrotg_v2)(handle, static_cast<T *>(a), static_cast<T *>(b),
                                     static_cast<Real<T> *>(c), static_cast<T *>(s));
    });
  if (executionType != CUDA_R_32F || csType != abType)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return withShortType(abType, [&](auto kind) {
    using T = decltype(kind);
    auto *at = static_cast<T *>(a), *bt = static_cast<T *>(b);
    return submitScalars(handle, [=] {
      auto wideA = static_cast<float>(*at), wideB = static_cast<float>(*bt);
      float cosine, sine;
      openblas::srotg(&wideA, &wideB, &cosine, &sine);
      *at = T(wideA), *bt = T(wideB);
      *static_cast<T *>(c) = T(cosine), *static_cast<T *>(s) = T(sine);
    });
  });
}

/// The five numbers that say what a modified rotation is.
template <typename T> struct Rotation {
  T numbers[5];
};

cublasStatus_t rotmEx(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType, int64_t incx,
                      void *y, cudaDataType yType, int64_t incy, const void *param,
                      cudaDataType paramType, cudaDataType executionType) {
  if (cublasStatus_t bad = check(handle, param))
    return bad;
  if (xType != yType || xType != paramType || isComplexType(xType))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (executionType == xType)
    return withBlasType(xType, [&](auto kind) {
      using T = Real<decltype(kind)>;
      return pick<T>(cublasSrotm_v2_64, cublasDrotm_v2_64, cublasSrotm_v2_64,
                     cublasDrotm_v2_64)(handle, n, static_cast<T *>(x), incx, static_cast<T *>(y),
                                        incy, static_cast<const T *>(param));
    });
  if (executionType != CUDA_R_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return withShortType(xType, [&](auto kind) {
    using T = decltype(kind);
    Elements<T> xs{static_cast<T *>(x), n, incx}, ys{static_cast<T *>(y), n, incy};
    Scalar all(handle, static_cast<const Rotation<T> *>(param));
    return submit(handle, [=] {
      const Rotation<T> given = all.get();
      float numbers[5];
      std::copy_n(given.numbers, 5, numbers);
      forElements(n, incx != 0 && incy != 0, [&](int64_t i) {
        float xi = xs.get(i), yi = ys.get(i);
        openblas::srotm(1, &xi, 1, &yi, 1, numbers);
        xs.set(i, xi), ys.set(i, yi);
      });
    });
  });
}

cublasStatus_t rotmgEx(cublasHandle_t handle, void *d1, cudaDataType d1Type, void *d2,
                       cudaDataType d2Type, void *x1, cudaDataType x1Type, const void *y1,
                       cudaDataType y1Type, void *param, cudaDataType paramType,
                       cudaDataType executionType) {
  if (cublasStatus_t bad = check(handle, d1 && d2 && x1 && y1 && param))
    return bad;
  bool same = d1Type == d2Type && d1Type == x1Type && d1Type == y1Type && d1Type == paramType;
  if (!same || isComplexType(d1Type))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (executionType == d1Type)
    return withBlasType(d1Type, [&](auto kind) {
      using T = Real<decltype(kind)>;
      return pick<T>(cublasSrotmg_v2, cublasDrotmg_v2, cublasSrotmg_v2, cublasDrotmg_v2)(
          handle, static_cast<T *>(d1), static_cast<T *>(d2), static_cast<T *>(x1),
          static_cast<const T *>(y1), static_cast<T *>(param));
    });
  if (executionType != CUDA_R_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return withShortType(d1Type, [&](auto kind) {
    using T = decltype(kind);
    auto *d1t = static_cast<T *>(d1), *d2t = static_cast<T *>(d2), *x1t = static_cast<T *>(x1);
    auto *y1t = static_cast<const T *>(y1);
    auto *numbers = static_cast<T *>(param);
    return submitScalars(handle, [=] {
      auto wide1 = static_cast<float>(*d1t), wide2 = static_cast<float>(*d2t);
      auto wideX = static_cast<float>(*x1t);
      float all[5];
      std::copy_n(numbers, 5, all);
      openblas::srotmg(&wide1, &wide2, &wideX, static_cast<float>(*y1t), all);
      *d1t = T(wide1), *d2t = T(wide2), *x1t = T(wideX);
      std::copy_n(all, 5, numbers);
    });
  });
}

#undef HEDDLE_ENTRY

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;
#define HEDDLE_ENTRIES "heddle/cublas/typed_vectors.inc"
#include "blas/define_entries.inc"
