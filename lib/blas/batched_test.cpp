// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches, groups, and products of mixed types.
#include "blas/blas_test.h"

using namespace heddle::blas::test;

namespace {

constexpr int Trials = 6;

cublasOperation_t anyOperation(Random &random) {
  return random.oneOf({CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C});
}

template <typename T> constexpr cudaDataType TypeOf = CUDA_R_32F;
template <> inline constexpr cudaDataType TypeOf<double> = CUDA_R_64F;
template <> inline constexpr cudaDataType TypeOf<cuComplex> = CUDA_C_32F;
template <> inline constexpr cudaDataType TypeOf<cuDoubleComplex> = CUDA_C_64F;
template <> inline constexpr cudaDataType TypeOf<__half> = CUDA_R_16F;
template <> inline constexpr cudaDataType TypeOf<__nv_bfloat16> = CUDA_R_16BF;
template <> inline constexpr cudaDataType TypeOf<signed char> = CUDA_R_8I;
template <> inline constexpr cudaDataType TypeOf<int> = CUDA_R_32I;

/// Of results, relative to sums of k terms.
template <typename R> double tolerance(int64_t k) {
  if (sizeof(R) == 2)
    return 0.004 * (k + 2);
  return std::is_same_v<R, int> ? 0 : Precision<R> * (4 * k + 10);
}

/// A batch of products with all that a test needs: matrices of T a stride apart, results of R.
template <typename T, typename R> struct Problem {
  Problem(Random &random, int64_t count, int64_t m, int64_t n, int64_t k)
      : m(m), n(n), k(k), count(count), opA(anyOperation(random)), opB(anyOperation(random)),
        lda(std::max<int64_t>(1, opA == CUBLAS_OP_N ? m : k) + random.integer(0, 2)),
        ldb(std::max<int64_t>(1, opB == CUBLAS_OP_N ? k : n) + random.integer(0, 2)),
        ldc(std::max<int64_t>(1, m) + random.integer(0, 2)),
        strideA(lda * (opA == CUBLAS_OP_N ? k : m) + 3),
        strideB(ldb * (opB == CUBLAS_OP_N ? n : k) + 1), strideC(ldc * n + 2),
        A(random, strideA * count), B(random, strideB * count), C(random, strideC * count),
        pointers(3 * count + 1) {
    if (std::is_integral_v<T>) { // whole numbers of eight bits
      for (T &value : A.host)
        value = narrow<T>(double(random.integer(-128, 127)));
      for (T &value : B.host)
        value = narrow<T>(double(random.integer(-128, 127)));
      for (R &value : C.host)
        value = narrow<R>(double(random.integer(-1000, 1000)));
      A.put(), B.put(), C.put();
    }
    for (int64_t i = 0; i < count; ++i) {
      pointers[i] = A.data() + i * strideA;
      pointers[count + i] = B.data() + i * strideB;
      pointers[2 * count + i] = C.data() + i * strideC;
    }
    cudaMalloc(reinterpret_cast<void **>(&device), pointers.size() * sizeof(void *));
    cudaMemcpy(device, pointers.data(), pointers.size() * sizeof(void *), cudaMemcpyHostToDevice);
  }
  ~Problem() { cudaFree(device); }

  template <typename P> P **arrayA() { return reinterpret_cast<P **>(device); }
  template <typename P> P **arrayB() { return reinterpret_cast<P **>(device + count); }
  template <typename P> P **arrayC() { return reinterpret_cast<P **>(device + 2 * count); }

  void expect(const Context &context, Wide alpha, Wide beta) {
    std::vector<Wide> expected = valuesOf(C);
    auto at = [&](const Array<T> &M, cublasOperation_t op, int64_t base, int64_t ld, int64_t i,
                  int64_t j) {
      Wide value = M[base + (op == CUBLAS_OP_N ? i + j * ld : j + i * ld)];
      return op == CUBLAS_OP_C ? std::conj(value) : value;
    };
    for (int64_t b = 0; b < count; ++b)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
          Wide sum = 0, &to = expected[b * strideC + i + j * ldc];
          for (int64_t p = 0; p < k; ++p)
            sum += at(A, opA, b * strideA, lda, i, p) * at(B, opB, b * strideB, ldb, p, j);
          to = alpha * sum + (beta == 0.0 ? 0 : beta * to);
        }
    expectArray(context, C, expected, tolerance<R>(k));
  }

  int64_t m, n, k, count;
  cublasOperation_t opA, opB;
  int64_t lda, ldb, ldc, strideA, strideB, strideC;
  Array<T> A, B;
  Array<R> C;
  std::vector<void *> pointers;
  void **device = nullptr;
};

int64_t smallSize(Random &random) { return random.oneOf<int64_t>({0, 1, 3, 8, 17, 33}); }

template <typename T, typename F, typename G> void testGemm(F batched, G strided) {
  forTrials(Trials, [&](Context &context, Random &random) {
    Problem<T, T> p(random, random.integer(0, 20), smallSize(random), smallSize(random),
                    smallSize(random));
    T alpha = random.factor<T>(), beta = random.factor<T>();
    EXPECT_OK(strided(context, p.opA, p.opB, p.m, p.n, p.k, context.scalar(alpha), p.A.data(),
                      p.lda, p.strideA, p.B.data(), p.ldb, p.strideB, context.scalar(beta),
                      p.C.data(), p.ldc, p.strideC, p.count));
    p.expect(context, widen(alpha), widen(beta));
    p.C.put();
    EXPECT_OK(batched(context, p.opA, p.opB, p.m, p.n, p.k, context.scalar(alpha),
                      p.template arrayA<T>(), p.lda, p.template arrayB<T>(), p.ldb,
                      context.scalar(beta), p.template arrayC<T>(), p.ldc, p.count));
    p.expect(context, widen(alpha), widen(beta));
  });
}

TEST(Batched, Gemm) {
  testGemm<float>(cublasSgemmBatched, cublasSgemmStridedBatched);
  testGemm<float>(cublasSgemmBatched_64, cublasSgemmStridedBatched_64);
  testGemm<double>(cublasDgemmBatched, cublasDgemmStridedBatched);
  testGemm<double>(cublasDgemmBatched_64, cublasDgemmStridedBatched_64);
  testGemm<cuComplex>(cublasCgemmBatched, cublasCgemmStridedBatched);
  testGemm<cuComplex>(cublasCgemmBatched_64, cublasCgemmStridedBatched_64);
  testGemm<cuDoubleComplex>(cublasZgemmBatched, cublasZgemmStridedBatched);
  testGemm<cuDoubleComplex>(cublasZgemmBatched_64, cublasZgemmStridedBatched_64);
  testGemm<__half>(cublasHgemmBatched, cublasHgemmStridedBatched);
  testGemm<__half>(cublasHgemmBatched_64, cublasHgemmStridedBatched_64);
}

template <typename T, typename R, typename S, typename F, typename G>
void testGemv(F batched, G strided) {
  forTrials(Trials, [&](Context &context, Random &random) {
    // A vector is the first column of what follows, with the increment as its leading dimension.
    int64_t m = smallSize(random), n = smallSize(random), count = random.integer(0, 9);
    cublasOperation_t op = anyOperation(random);
    int64_t rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;
    Problem<T, R> p(random, count, rows, 1, columns);
    int64_t lda = std::max<int64_t>(1, m) + 1, incx = 2, incy = 3, strideA = lda * n,
            stridex = incx * columns, stridey = incy * rows;
    Array<T> A(random, strideA * count), x(random, stridex * count);
    Array<R> y(random, stridey * count);
    S alpha = random.factor<S>(), beta = random.factor<S>();
    std::vector<Wide> expected = valuesOf(y);
    for (int64_t b = 0; b < count; ++b)
      for (int64_t i = 0; i < rows && columns > 0; ++i) {
        Wide sum = 0, &to = expected[b * stridey + i * incy];
        for (int64_t j = 0; j < columns; ++j) {
          Wide value = A[b * strideA + (op == CUBLAS_OP_N ? i + j * lda : j + i * lda)];
          sum += (op == CUBLAS_OP_C ? std::conj(value) : value) * x[b * stridex + j * incx];
        }
        to = widen(alpha) * sum + (widen(beta) == 0.0 ? 0 : widen(beta) * to);
      }
    if (columns == 0)
      return;
    EXPECT_OK(strided(context, op, m, n, context.scalar(alpha), A.data(), lda, strideA, x.data(),
                      incx, stridex, context.scalar(beta), y.data(), incy, stridey, count));
    expectArray(context, y, expected, tolerance<R>(columns));
    y.put();
    std::vector<void *> pointers(3 * count + 1);
    for (int64_t i = 0; i < count; ++i) {
      pointers[i] = A.data() + i * strideA;
      pointers[count + i] = x.data() + i * stridex;
      pointers[2 * count + i] = y.data() + i * stridey;
    }
    cudaMemcpy(p.device, pointers.data(), pointers.size() * sizeof(void *), cudaMemcpyHostToDevice);
    EXPECT_OK(batched(context, op, m, n, context.scalar(alpha), p.template arrayA<T>(), lda,
                      p.template arrayB<T>(), incx, context.scalar(beta), p.template arrayC<R>(),
                      incy, count));
    expectArray(context, y, expected, tolerance<R>(columns));
  });
}

TEST(Batched, Gemv) {
  testGemv<float, float, float>(cublasSgemvBatched, cublasSgemvStridedBatched);
  testGemv<float, float, float>(cublasSgemvBatched_64, cublasSgemvStridedBatched_64);
  testGemv<double, double, double>(cublasDgemvBatched, cublasDgemvStridedBatched);
  testGemv<double, double, double>(cublasDgemvBatched_64, cublasDgemvStridedBatched_64);
  testGemv<cuComplex, cuComplex, cuComplex>(cublasCgemvBatched, cublasCgemvStridedBatched);
  testGemv<cuComplex, cuComplex, cuComplex>(cublasCgemvBatched_64, cublasCgemvStridedBatched_64);
  testGemv<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex>(cublasZgemvBatched,
                                                              cublasZgemvStridedBatched);
  testGemv<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex>(cublasZgemvBatched_64,
                                                              cublasZgemvStridedBatched_64);
  testGemv<__half, __half, float>(cublasHSHgemvBatched, cublasHSHgemvStridedBatched);
  testGemv<__half, __half, float>(cublasHSHgemvBatched_64, cublasHSHgemvStridedBatched_64);
  testGemv<__half, float, float>(cublasHSSgemvBatched, cublasHSSgemvStridedBatched);
  testGemv<__half, float, float>(cublasHSSgemvBatched_64, cublasHSSgemvStridedBatched_64);
  testGemv<__nv_bfloat16, __nv_bfloat16, float>(cublasTSTgemvBatched, cublasTSTgemvStridedBatched);
  testGemv<__nv_bfloat16, __nv_bfloat16, float>(cublasTSTgemvBatched_64,
                                                cublasTSTgemvStridedBatched_64);
  testGemv<__nv_bfloat16, float, float>(cublasTSSgemvBatched, cublasTSSgemvStridedBatched);
  testGemv<__nv_bfloat16, float, float>(cublasTSSgemvBatched_64, cublasTSSgemvStridedBatched_64);
}

/// cublasGemmEx, its strided and its pointer form, for matrices of T, results of R and scalars of
/// S.
template <typename T, typename R, typename S, typename F, typename G, typename H>
void testTyped(cublasComputeType_t compute, F plain, G strided, H batched) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t k = random.oneOf<int64_t>({0, 1, 33, 1100});
    Problem<T, R> p(random, random.integer(1, 3), smallSize(random), smallSize(random), k);
    S alpha = narrow<S>(double(random.integer(0, 2))),
      beta = narrow<S>(double(random.integer(0, 2)));
    EXPECT_OK(strided(context, p.opA, p.opB, p.m, p.n, p.k, context.scalar(alpha), p.A.data(),
                      TypeOf<T>, p.lda, p.strideA, p.B.data(), TypeOf<T>, p.ldb, p.strideB,
                      context.scalar(beta), p.C.data(), TypeOf<R>, p.ldc, p.strideC, p.count,
                      compute, CUBLAS_GEMM_DEFAULT));
    p.expect(context, widen(alpha), widen(beta));
    p.C.put();
    EXPECT_OK(batched(context, p.opA, p.opB, p.m, p.n, p.k, context.scalar(alpha),
                      p.template arrayA<void>(), TypeOf<T>, p.lda, p.template arrayB<void>(),
                      TypeOf<T>, p.ldb, context.scalar(beta), p.template arrayC<void>(), TypeOf<R>,
                      p.ldc, p.count, compute, CUBLAS_GEMM_DEFAULT));
    p.expect(context, widen(alpha), widen(beta));
    p.C.put();
    for (int64_t i = 0; i < p.count; ++i)
      EXPECT_OK(plain(context, p.opA, p.opB, p.m, p.n, p.k, context.scalar(alpha),
                      p.A.data() + i * p.strideA, TypeOf<T>, p.lda, p.B.data() + i * p.strideB,
                      TypeOf<T>, p.ldb, context.scalar(beta), p.C.data() + i * p.strideC, TypeOf<R>,
                      p.ldc, compute, CUBLAS_GEMM_DEFAULT));
    p.expect(context, widen(alpha), widen(beta));
  });
}

template <typename T, typename R, typename S> void testTypes(cublasComputeType_t compute) {
  using Plain = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                   int, const void *, const void *, cudaDataType, int, const void *,
                                   cudaDataType, int, const void *, void *, cudaDataType, int,
                                   cublasComputeType_t, cublasGemmAlgo_t);
  testTyped<T, R, S>(compute, static_cast<Plain>(cublasGemmEx), cublasGemmStridedBatchedEx_64,
                     cublasGemmBatchedEx_64);
}

TEST(Mixed, GemmEx) {
  testTypes<__half, __half, __half>(CUBLAS_COMPUTE_16F);
  testTypes<__half, __half, float>(CUBLAS_COMPUTE_32F);
  testTypes<__half, float, float>(CUBLAS_COMPUTE_32F);
  testTypes<__nv_bfloat16, __nv_bfloat16, float>(CUBLAS_COMPUTE_32F);
  testTypes<__nv_bfloat16, float, float>(CUBLAS_COMPUTE_32F_PEDANTIC);
  testTypes<float, float, float>(CUBLAS_COMPUTE_32F_FAST_TF32);
  testTypes<signed char, float, float>(CUBLAS_COMPUTE_32F);
  testTypes<signed char, int, int>(CUBLAS_COMPUTE_32I);
  testTypes<double, double, double>(CUBLAS_COMPUTE_64F);
  testTypes<cuComplex, cuComplex, cuComplex>(CUBLAS_COMPUTE_32F);
  testTypes<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex>(CUBLAS_COMPUTE_64F);
}

TEST(Mixed, OtherForms) {
  // These have overloads for older programs.
  auto strided = [](auto &&...arguments) { return cublasGemmStridedBatchedEx(arguments...); };
  auto batched = [](auto &&...arguments) { return cublasGemmBatchedEx(arguments...); };
  testTyped<__half, float, float>(CUBLAS_COMPUTE_32F, cublasGemmEx_64, strided, batched);
}

/// Products that are larger than a block of the conversion, on which halves of small whole numbers
/// are exact.
TEST(Mixed, LargeHalves) {
  Context context;
  Random random(5);
  constexpr int M = 1030, N = 1027, K = 40;
  Array<__half> A(random, M * K), B(random, K * N);
  Array<float> C(random, M * N);
  for (__half &value : A.host)
    value = __half(float(random.integer(-4, 4)));
  for (__half &value : B.host)
    value = __half(float(random.integer(-4, 4)));
  A.put(), B.put();
  float one = 1, zero = 0;
  EXPECT_OK(cublasSgemmEx(context, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &one, A.data(), CUDA_R_16F, M,
                          B.data(), CUDA_R_16F, K, &zero, C.data(), CUDA_R_32F, M));
  std::vector<float> now = C.now(context.stream);
  for (int j = 0; j < N; j += 73)
    for (int i = 0; i < M; i += 1) {
      double sum = 0;
      for (int p = 0; p < K; ++p)
        sum += A[i + p * M].real() * B[p + j * K].real();
      ASSERT_EQ(now[i + j * M], sum);
    }
}

template <typename T, typename S, typename F> void testSgemmEx(F gemm) {
  forTrials(Trials, [&](Context &context, Random &random) {
    Problem<T, T> p(random, 1, smallSize(random), smallSize(random), smallSize(random));
    S alpha = random.factor<S>(), beta = random.factor<S>();
    EXPECT_OK(gemm(context, p.opA, p.opB, p.m, p.n, p.k, context.scalar(alpha), p.A.data(),
                   TypeOf<T>, p.lda, p.B.data(), TypeOf<T>, p.ldb, context.scalar(beta), p.C.data(),
                   TypeOf<T>, p.ldc));
    p.expect(context, widen(alpha), widen(beta));
  });
}

TEST(Mixed, TypedScalars) {
  testSgemmEx<float, float>(cublasSgemmEx);
  testSgemmEx<__half, float>(cublasSgemmEx_64);
  testSgemmEx<cuComplex, cuComplex>(cublasCgemmEx);
  testSgemmEx<cuComplex, cuComplex>(cublasCgemmEx_64);
  testSgemmEx<cuComplex, cuComplex>(cublasCgemm3mEx);
  testSgemmEx<cuComplex, cuComplex>(cublasCgemm3mEx_64);
}

template <typename F> void testHgemm(F hgemm) {
  forTrials(Trials, [&](Context &context, Random &random) {
    Problem<__half, __half> p(random, 1, smallSize(random), smallSize(random), smallSize(random));
    __half alpha = random.factor<__half>(), beta = random.factor<__half>();
    EXPECT_OK(hgemm(context, p.opA, p.opB, p.m, p.n, p.k, context.scalar(alpha), p.A.data(), p.lda,
                    p.B.data(), p.ldb, context.scalar(beta), p.C.data(), p.ldc));
    p.expect(context, widen(alpha), widen(beta));
  });
}

TEST(Mixed, Hgemm) {
  testHgemm(cublasHgemm);
  testHgemm(cublasHgemm_64);
}

/// Two groups with sizes of their own.
template <typename T, typename I, typename F, typename G>
void testGrouped(cublasComputeType_t compute, F gemm, G typed) {
  forTrials(2, [&](Context &context, Random &random) {
    Problem<T, T> first(random, 2, 5, 7, 3), second(random, 3, 9, 1, 8);
    cublasOperation_t opA[] = {first.opA, second.opA}, opB[] = {first.opB, second.opB};
    I m[] = {5, 9}, n[] = {7, 1}, k[] = {3, 8}, sizes[] = {2, 3};
    I lda[] = {I(first.lda), I(second.lda)}, ldb[] = {I(first.ldb), I(second.ldb)},
      ldc[] = {I(first.ldc), I(second.ldc)};
    struct Two {
      T of[2];
    };
    Two *alpha = context.scalar(Two{{T(0.5), T(2)}}), *beta = context.scalar(Two{{T(0), T(-1)}});
    void **all;
    ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&all), 15 * sizeof(void *),
                                cudaMemAttachGlobal),
              cudaSuccess);
    for (int side = 0; side < 3; ++side) {
      std::copy_n(&first.pointers[2 * side], 2, all + 5 * side);
      std::copy_n(&second.pointers[3 * side], 3, all + 5 * side + 2);
    }
    T **A = reinterpret_cast<T **>(all), **B = A + 5, **C = A + 10;
    EXPECT_OK(
        gemm(context, opA, opB, m, n, k, alpha->of, A, lda, B, ldb, beta->of, C, ldc, 2, sizes));
    first.expect(context, 0.5, 0);
    second.expect(context, 2, -1);
    first.C.put(), second.C.put();
    EXPECT_OK(typed(context, opA, opB, m, n, k, alpha->of, all, TypeOf<T>, lda, all + 5, TypeOf<T>,
                    ldb, beta->of, all + 10, TypeOf<T>, ldc, 2, sizes, compute));
    first.expect(context, 0.5, 0);
    second.expect(context, 2, -1);
    cudaFree(all);
  });
}

TEST(Batched, Grouped) {
  testGrouped<float, int>(CUBLAS_COMPUTE_32F, cublasSgemmGroupedBatched,
                          cublasGemmGroupedBatchedEx);
  testGrouped<float, int64_t>(CUBLAS_COMPUTE_32F, cublasSgemmGroupedBatched_64,
                              cublasGemmGroupedBatchedEx_64);
  testGrouped<double, int>(CUBLAS_COMPUTE_64F, cublasDgemmGroupedBatched,
                           cublasGemmGroupedBatchedEx);
  testGrouped<double, int64_t>(CUBLAS_COMPUTE_64F, cublasDgemmGroupedBatched_64,
                               cublasGemmGroupedBatchedEx_64);
}

/// Solutions of triangular systems, multiplied back.
template <typename T, typename F> void testTrsm(F trsm) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t order = 1 + smallSize(random), n = smallSize(random), count = random.integer(1, 6);
    Problem<T, T> p(random, count, order, n, order);
    int64_t lda = order, ldb = order;
    Array<T> A(random, order * order * count), B(random, order * n * count);
    for (T &value : A.host)
      value = narrow<T>(widen(value) / double(order));
    for (int64_t b = 0; b < count; ++b)
      for (int64_t i = 0; i < order; ++i)
        A.host[b * order * order + i * (order + 1)] = narrow<T>(1.5);
    A.put();
    for (int64_t i = 0; i < count; ++i) {
      p.pointers[i] = A.data() + i * order * order;
      p.pointers[count + i] = B.data() + i * order * n;
    }
    cudaMemcpy(p.device, p.pointers.data(), 2 * count * sizeof(void *), cudaMemcpyHostToDevice);
    T alpha = random.factor<T>();
    EXPECT_OK(trsm(context, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                   CUBLAS_DIAG_NON_UNIT, order, n, context.scalar(alpha), p.template arrayA<T>(),
                   lda, p.template arrayB<T>(), ldb, count));
    std::vector<T> X = B.now(context.stream);
    for (int64_t b = 0; b < count; ++b)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < order; ++i) {
          Wide sum = 0;
          for (int64_t q = 0; q <= i; ++q)
            sum += A[b * order * order + i + q * order] * widen(X[b * order * n + q + j * order]);
          expectNear(sum, widen(alpha) * B[b * order * n + i + j * order], 40 * tolerance<T>(order),
                     i);
        }
  });
}

TEST(Batched, Trsm) {
  testTrsm<float>(cublasStrsmBatched);
  testTrsm<float>(cublasStrsmBatched_64);
  testTrsm<double>(cublasDtrsmBatched);
  testTrsm<double>(cublasDtrsmBatched_64);
  testTrsm<cuComplex>(cublasCtrsmBatched);
  testTrsm<cuComplex>(cublasCtrsmBatched_64);
  testTrsm<cuDoubleComplex>(cublasZtrsmBatched);
  testTrsm<cuDoubleComplex>(cublasZtrsmBatched_64);
}

TEST(Mixed, Errors) {
  Context context;
  float s = 1;
  auto gemm = [&](cudaDataType A, cudaDataType C, cublasComputeType_t compute, int lda) {
    return cublasGemmEx(context, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &s, &s, A, lda, &s, A, 2, &s,
                        &s, C, 2, compute, CUBLAS_GEMM_DEFAULT);
  };
  EXPECT_EQ(gemm(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_64F, 2), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(gemm(CUDA_R_16F, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(gemm(CUDA_R_32F, CUDA_R_32F, static_cast<cublasComputeType_t>(3), 2),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSgemmStridedBatched(context, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &s, &s, 1, 1, &s,
                                      1, 1, &s, &s, 1, 1, -1),
            CUBLAS_STATUS_INVALID_VALUE);
  auto batch = [&](int m, int count) {
    return cublasSgemmBatched(context, CUBLAS_OP_N, CUBLAS_OP_N, m, 1, 1, &s, nullptr, 1, nullptr,
                              1, &s, nullptr, 1, count);
  };
  EXPECT_EQ(batch(1, 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(batch(0, 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(batch(1, 0), CUBLAS_STATUS_SUCCESS);
}

} // namespace
