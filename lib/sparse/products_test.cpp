// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SpMV, SpMM and SDDMM in all formats, types, operations and orders, against a dense product.
#include "sparse/test_support.h"

#include <memory>

using namespace heddle::sparse;
using namespace heddle::sparse::test;

namespace {

constexpr cusparseOperation_t Operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE,
                                              CUSPARSE_OPERATION_TRANSPOSE,
                                              CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};

/// A random matrix in the format, whose sizes fit it.
template <typename T, typename O, typename I>
std::unique_ptr<Sparse<T, O, I>> inFormat(cusparseFormat_t format, const Matrix &m, int base,
                                          Random &random) {
  auto make = [&](const Arrays &arrays) {
    return std::make_unique<Sparse<T, O, I>>(m, arrays, base);
  };
  std::unique_ptr<Sparse<T, O, I>> s;
  cusparseIndexBase_t b = static_cast<cusparseIndexBase_t>(base);
  switch (format) {
  case CUSPARSE_FORMAT_CSR:
    return csr<T, O, I>(m, base);
  case CUSPARSE_FORMAT_CSC:
    s = make(compressed(m, true));
    SPARSE_EXPECT_OK(cusparseCreateCsc(&s->descriptor, m.rows, m.cols, s->values.size(),
                                       s->offsets.get(), s->indices.get(), s->values.get(),
                                       IndexName<O>, IndexName<I>, b, TypeName<T>));
    break;
  case CUSPARSE_FORMAT_COO: {
    Arrays arrays = coordinates(m);
    if (random.below(2) && !arrays.places.empty()) { // not sorted
      size_t i = random.below(static_cast<int>(arrays.places.size()));
      for (auto *list : {&arrays.offsets, &arrays.indices, &arrays.places})
        std::swap((*list)[0], (*list)[i]);
    }
    if constexpr (sizeof(O) == sizeof(I)) {
      s = make(arrays);
      SPARSE_EXPECT_OK(cusparseCreateCoo(&s->descriptor, m.rows, m.cols, s->values.size(),
                                         s->offsets.get(), s->indices.get(), s->values.get(),
                                         IndexName<I>, b, TypeName<T>));
    } else
      return csr<T, O, I>(m, base);
    break;
  }
  case CUSPARSE_FORMAT_BSR: {
    bool byRows = random.below(2);
    s = make(blocks(m, 2, 3, byRows));
    SPARSE_EXPECT_OK(cusparseCreateBsr(&s->descriptor, m.rows / 2, m.cols / 3, s->indices.size(), 2,
                                       3, s->offsets.get(), s->indices.get(), s->values.get(),
                                       IndexName<O>, IndexName<I>, b, TypeName<T>,
                                       byRows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
    break;
  }
  case CUSPARSE_FORMAT_SLICED_ELLPACK: {
    s = make(slices(m, 4));
    int64_t nnz = static_cast<int64_t>(compressed(m, false).places.size());
    SPARSE_EXPECT_OK(cusparseCreateSlicedEll(&s->descriptor, m.rows, m.cols, nnz, s->values.size(),
                                             4, s->offsets.get(), s->indices.get(), s->values.get(),
                                             IndexName<O>, IndexName<I>, b, TypeName<T>));
    break;
  }
  case CUSPARSE_FORMAT_BLOCKED_ELL: {
    int width = static_cast<int>(m.cols / 2);
    s = make(blockedEll(m, 2, width));
    SPARSE_EXPECT_OK(cusparseCreateBlockedEll(&s->descriptor, m.rows, m.cols, 2, width * 2,
                                              s->indices.get(), s->values.get(), IndexName<I>, b,
                                              TypeName<T>));
    break;
  }
  }
  return s;
}

/// The types of a product; `S` is the scalars' type and `Compute` its name.
template <typename A_, typename X_, typename Y_, typename S_> struct Types {
  using A = A_;
  using X = X_;
  using Y = Y_;
  using S = S_;
};

template <typename T> struct Products : SparseTest {};
using AllTypes = testing::Types<
    Types<float, float, float, float>, Types<double, double, double, double>,
    Types<ComplexFloat, ComplexFloat, ComplexFloat, ComplexFloat>,
    Types<ComplexDouble, ComplexDouble, ComplexDouble, ComplexDouble>,
    Types<int8_t, int8_t, int32_t, int32_t>, Types<int8_t, int8_t, float, float>,
    Types<__half, __half, float, float>, Types<__half, __half, __half, float>,
    Types<__half, __half, __half, __half>, Types<__nv_bfloat16, __nv_bfloat16, float, float>,
    Types<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float>,
    Types<ComplexHalf, ComplexHalf, ComplexHalf, ComplexFloat>,
    Types<ComplexBfloat, ComplexBfloat, ComplexBfloat, ComplexFloat>,
    Types<float, double, double, double>, Types<float, ComplexFloat, ComplexFloat, ComplexFloat>,
    Types<double, ComplexDouble, ComplexDouble, ComplexDouble>>;
TYPED_TEST_SUITE(Products, AllTypes);

/// Compares after a rounding to the result's type.
template <typename Y> void expectSame(const Matrix &expected, const Matrix &found) {
  for (size_t i = 0; i < expected.values.size(); ++i)
    ASSERT_EQ(wide(element<Y>(expected.values[i])), found.values[i]) << "element " << i;
}

template <typename Types, typename O, typename I>
void testSpmv(cusparseHandle_t handle, cusparseFormat_t format, unsigned seed) {
  using A = typename Types::A;
  using X = typename Types::X;
  using Y = typename Types::Y;
  using S = typename Types::S;
  Random random(seed);
  Matrix m =
      random.matrix(2 * random.between(0, 9), 3 * random.between(0, 7), isComplexElement<A>, 3);
  int base = random.below(2);
  auto a = inFormat<A, O, I>(format, m, base, random);
  for (cusparseOperation_t op : Operations) {
    Matrix opM = operated(m, op);
    Matrix x = random.matrix(opM.cols, 1, isComplexElement<X>);
    Matrix y = random.matrix(opM.rows, 1, isComplexElement<Y>);
    Wide alpha = random.value(isComplexElement<S>), beta = random.value(isComplexElement<S>);
    Dense<X> xs(x, false);
    Dense<Y> ys(y, false);
    cusparseDnVecDescr_t vx, vy;
    SPARSE_OK(cusparseCreateDnVec(&vx, x.rows, xs.values.get(), TypeName<X>));
    SPARSE_OK(cusparseCreateDnVec(&vy, y.rows, ys.values.get(), TypeName<Y>));
    S alphaS = element<S>(alpha), betaS = element<S>(beta);
    size_t size = 1;
    SPARSE_OK(cusparseSpMV_bufferSize(handle, op, &alphaS, a->descriptor, vx, &betaS, vy,
                                      TypeName<S>, CUSPARSE_SPMV_ALG_DEFAULT, &size));
    SPARSE_OK(cusparseSpMV_preprocess(handle, op, &alphaS, a->descriptor, vx, &betaS, vy,
                                      TypeName<S>, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    SPARSE_OK(cusparseSpMV(handle, op, &alphaS, a->descriptor, vx, &betaS, vy, TypeName<S>,
                           CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    expectSame<Y>(product(alpha, opM, x, beta, y), ys.read());
    SPARSE_OK(cusparseDestroyDnVec(vx));
    SPARSE_OK(cusparseDestroyDnVec(vy));
  }
}

TYPED_TEST(Products, SpMV) {
  for (cusparseFormat_t format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO,
                                  CUSPARSE_FORMAT_BSR, CUSPARSE_FORMAT_SLICED_ELLPACK})
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(testing::Message() << "format " << format << " seed " << seed);
      testSpmv<TypeParam, int32_t, int32_t>(this->handle, format, seed);
      testSpmv<TypeParam, int64_t, int64_t>(this->handle, format, seed + 10);
      testSpmv<TypeParam, int64_t, int32_t>(this->handle, format, seed + 20);
      testSpmv<TypeParam, int32_t, int64_t>(this->handle, format, seed + 30);
    }
}

template <typename Types, typename O, typename I>
void testSpmm(cusparseHandle_t handle, cusparseFormat_t format, unsigned seed) {
  using A = typename Types::A;
  using X = typename Types::X;
  using Y = typename Types::Y;
  using S = typename Types::S;
  Random random(seed);
  Matrix m =
      random.matrix(2 * random.between(0, 9), 6 * random.between(0, 4), isComplexElement<A>, 3);
  auto a = inFormat<A, O, I>(format, m, random.below(2), random);
  for (cusparseOperation_t op : Operations)
    for (cusparseOperation_t opB : Operations) {
      Matrix opM = operated(m, op);
      int64_t n = random.between(0, 40);
      bool straight = opB == CUSPARSE_OPERATION_NON_TRANSPOSE;
      Matrix b =
          random.matrix(straight ? opM.cols : n, straight ? n : opM.cols, isComplexElement<X>);
      Matrix c = random.matrix(opM.rows, n, isComplexElement<Y>);
      Wide alpha = random.value(isComplexElement<S>), beta = random.value(isComplexElement<S>);
      Dense<X> bs(b, random.below(2), random.below(3));
      Dense<Y> cs(c, random.below(2), random.below(3));
      S alphaS = element<S>(alpha), betaS = element<S>(beta);
      size_t size = 1;
      SPARSE_OK(cusparseSpMM_bufferSize(handle, op, opB, &alphaS, a->descriptor, bs.descriptor,
                                        &betaS, cs.descriptor, TypeName<S>,
                                        CUSPARSE_SPMM_ALG_DEFAULT, &size));
      SPARSE_OK(cusparseSpMM_preprocess(handle, op, opB, &alphaS, a->descriptor, bs.descriptor,
                                        &betaS, cs.descriptor, TypeName<S>,
                                        CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
      SPARSE_OK(cusparseSpMM(handle, op, opB, &alphaS, a->descriptor, bs.descriptor, &betaS,
                             cs.descriptor, TypeName<S>, CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
      expectSame<Y>(product(alpha, opM, operated(b, opB), beta, c), cs.read());
    }
}

TYPED_TEST(Products, SpMM) {
  for (cusparseFormat_t format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO,
                                  CUSPARSE_FORMAT_BSR, CUSPARSE_FORMAT_BLOCKED_ELL})
    for (unsigned seed = 0; seed < 2; ++seed) {
      SCOPED_TRACE(testing::Message() << "format " << format << " seed " << seed);
      testSpmm<TypeParam, int32_t, int32_t>(this->handle, format, seed);
      testSpmm<TypeParam, int64_t, int64_t>(this->handle, format, seed + 10);
    }
}

TYPED_TEST(Products, SDDMM) {
  using T = typename TypeParam::A;
  using X = typename TypeParam::X;
  using Y = typename TypeParam::Y;
  using S = typename TypeParam::S;
  for (cusparseFormat_t format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_BSR})
    for (cusparseOperation_t op : Operations)
      for (cusparseOperation_t opB : Operations) {
        Random random(op * 3 + opB);
        Matrix m = random.matrix(2 * random.between(1, 9), 3 * random.between(1, 7),
                                 isComplexElement<Y>, 3);
        auto c = inFormat<Y, int, int>(format, m, random.below(2), random);
        int64_t k = random.between(0, 20);
        Matrix a = random.matrix(m.rows, k, isComplexElement<T>),
               b = random.matrix(k, m.cols, isComplexElement<X>);
        Dense<T> as(operated(a, op), random.below(2), 1);
        Dense<X> bs(operated(b, opB), random.below(2), 2);
        Wide alpha = random.value(isComplexElement<S>), beta = random.value(isComplexElement<S>);
        S alphaS = element<S>(alpha), betaS = element<S>(beta);
        size_t size = 1;
        SPARSE_OK(cusparseSDDMM_bufferSize(this->handle, op, opB, &alphaS, as.descriptor,
                                           bs.descriptor, &betaS, c->descriptor, TypeName<S>,
                                           CUSPARSE_SDDMM_ALG_DEFAULT, &size));
        SPARSE_OK(cusparseSDDMM_preprocess(this->handle, op, opB, &alphaS, as.descriptor,
                                           bs.descriptor, &betaS, c->descriptor, TypeName<S>,
                                           CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
        SPARSE_OK(cusparseSDDMM(this->handle, op, opB, &alphaS, as.descriptor, bs.descriptor,
                                &betaS, c->descriptor, TypeName<S>, CUSPARSE_SDDMM_ALG_DEFAULT,
                                nullptr));
        Matrix expected = product(alpha, a, b, beta, m);
        std::vector<Y> found = c->values.read();
        for (size_t i = 0; i < found.size(); ++i)
          ASSERT_EQ(wide(element<Y>(expected.values[c->arrays.places[i]])), wide(found[i]));
      }
}

using Errors = SparseTest;

TEST_F(Errors, OfProducts) {
  Random random(1);
  Matrix m = random.matrix(4, 6, false);
  auto a = csr<float>(m);
  Dense<float> b(random.matrix(6, 3, false), false), c(random.matrix(4, 3, false), false);
  Dense<double> other(random.matrix(4, 3, false), false);
  float one = 1;
  auto multiply = [&](cusparseHandle_t h, const void *alpha, cusparseDnMatDescr_t into,
                      cudaDataType type) {
    return cusparseSpMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                        alpha, a->descriptor, b.descriptor, &one, into, type,
                        CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
  };
  EXPECT_EQ(multiply(nullptr, &one, c.descriptor, CUDA_R_32F), CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(multiply(handle, nullptr, c.descriptor, CUDA_R_32F), CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(handle, &one, b.descriptor, CUDA_R_32F), CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(handle, &one, other.descriptor, CUDA_R_32F), CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(multiply(handle, &one, c.descriptor, CUDA_R_8I), CUSPARSE_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(multiply(handle, &one, c.descriptor, CUDA_R_32F), CUSPARSE_STATUS_SUCCESS);
}

/// A batch with one sparse matrix for all, and with one each.
TEST_F(Errors, BatchesOfSpMM) {
  Random random(2);
  const int rows = 5, cols = 6, n = 4, batches = 3;
  Matrix pattern = random.matrix(rows, cols, false, 2);
  Arrays arrays = compressed(pattern, false);
  int nnz = static_cast<int>(arrays.places.size());
  std::vector<float> values, bs, cs(batches * rows * n);
  for (int i = 0; i < batches * nnz; ++i)
    values.push_back(static_cast<float>(random.between(-3, 3)));
  for (int i = 0; i < batches * cols * n; ++i)
    bs.push_back(static_cast<float>(random.between(-3, 3)));
  std::vector<int> columns;
  for (int i = 0; i < batches * nnz; ++i)
    columns.push_back(static_cast<int>(arrays.indices[i % nnz]));
  DeviceArray<int> offsets(based<int>(arrays.offsets, 0)), indices(columns);
  DeviceArray<float> dv(values), db(bs), dc(cs);
  cusparseSpMatDescr_t a;
  cusparseDnMatDescr_t b, c;
  SPARSE_OK(cusparseCreateCsr(&a, rows, cols, nnz, offsets.get(), indices.get(), dv.get(),
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                              CUDA_R_32F));
  SPARSE_OK(cusparseCreateDnMat(&b, cols, n, cols, db.get(), CUDA_R_32F, CUSPARSE_ORDER_COL));
  SPARSE_OK(cusparseCreateDnMat(&c, rows, n, rows, dc.get(), CUDA_R_32F, CUSPARSE_ORDER_COL));
  SPARSE_OK(cusparseDnMatSetStridedBatch(b, batches, cols * n));
  SPARSE_OK(cusparseDnMatSetStridedBatch(c, batches, rows * n));
  int count;
  int64_t stride;
  SPARSE_OK(cusparseDnMatGetStridedBatch(c, &count, &stride));
  EXPECT_EQ(count, batches);
  EXPECT_EQ(stride, rows * n);
  EXPECT_EQ(cusparseDnMatSetStridedBatch(c, 0, 1), CUSPARSE_STATUS_INVALID_VALUE);
  float one = 1, zero = 0;
  for (bool each : {false, true}) {
    if (each)
      SPARSE_OK(cusparseCsrSetStridedBatch(a, batches, 0, nnz));
    SPARSE_OK(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                           CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, b, &zero, c, CUDA_R_32F,
                           CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
    std::vector<float> found = dc.read();
    for (int k = 0; k < batches; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < rows; ++i) {
          float sum = 0;
          for (int64_t e = arrays.offsets[i]; e < arrays.offsets[i + 1]; ++e)
            sum +=
                values[(each ? k * nnz : 0) + e] * bs[k * cols * n + j * cols + arrays.indices[e]];
          ASSERT_EQ(found[k * rows * n + j * rows + i], sum) << "batch " << k;
        }
  }
  cusparseDestroySpMat(a), cusparseDestroyDnMat(b), cusparseDestroyDnMat(c);
}

/// Scalars on the device are read when the work runs, large matrices are spread over threads, and a
/// captured product runs at each launch.
TEST_F(Errors, DeviceScalarsAndGraphs) {
  Random random(3);
  Matrix m = random.matrix(700, 300, false, 4), x = random.matrix(300, 1, false), y(700, 1);
  auto a = csr<double>(m);
  Dense<double> xs(x, false), ys(y, false), xt(y, false), yt(x, false);
  cusparseDnVecDescr_t vx, vy;
  SPARSE_OK(cusparseCreateDnVec(&vx, 300, xs.values.get(), CUDA_R_64F));
  SPARSE_OK(cusparseCreateDnVec(&vy, 700, ys.values.get(), CUDA_R_64F));
  DeviceArray<double> scalars(std::vector<double>{2, 1});
  cudaStream_t stream, found;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  SPARSE_OK(cusparseSetStream(handle, stream));
  SPARSE_OK(cusparseGetStream(handle, &found));
  EXPECT_EQ(found, stream);
  SPARSE_OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  SPARSE_OK(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, scalars.get(), a->descriptor, vx,
                         scalars.get() + 1, vy, CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG2, nullptr));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  expectSame<double>(product(6, m, x, 0, y), ys.read());
  SPARSE_OK(cusparseSpMV(handle, CUSPARSE_OPERATION_TRANSPOSE, scalars.get(), a->descriptor, vy,
                         scalars.get() + 1, vx, CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG1, nullptr));
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  expectSame<double>(
      product(2, operated(m, CUSPARSE_OPERATION_TRANSPOSE), product(6, m, x, 0, y), 1, x),
      xs.read());
  cudaGraphExecDestroy(executable), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
  cusparseDestroyDnVec(vx), cusparseDestroyDnVec(vy);
}

} // namespace
