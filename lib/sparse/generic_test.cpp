// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generic functions but products with dense matrices: vectors, conversions, SpGEMM, triangular
// systems.
#include "sparse/test_support.h"

#include <memory>

using namespace heddle::sparse;
using namespace heddle::sparse::test;

namespace {

template <typename T> struct Generic : SparseTest {};
using FourTypes = testing::Types<float, double, ComplexFloat, ComplexDouble>;
TYPED_TEST_SUITE(Generic, FourTypes);

template <typename T> struct Vectors : SparseTest {};
using VectorTypes = testing::Types<float, double, ComplexFloat, ComplexDouble, __half,
                                   __nv_bfloat16, ComplexHalf, ComplexBfloat>;
TYPED_TEST_SUITE(Vectors, VectorTypes);

/// The type that scalars have beside vectors of T.
template <typename T>
using ScalarOf = std::conditional_t<
    sizeof(T) == 2, float,
    std::conditional_t<std::is_same_v<T, ComplexHalf> || std::is_same_v<T, ComplexBfloat>,
                       ComplexFloat, T>>;

TYPED_TEST(Vectors, OfPlaces) {
  using T = TypeParam;
  using S = ScalarOf<T>;
  constexpr bool Complex = isComplexElement<T>;
  Random random(1);
  for (int base : {0, 1}) {
    const int size = 40;
    std::vector<int64_t> places{3, 0, 17, 39, 8};
    std::vector<T> xs, ys;
    std::vector<Wide> x, y;
    for (size_t i = 0; i < places.size(); ++i)
      x.push_back(random.value(Complex)), xs.push_back(element<T>(x[i]));
    for (int i = 0; i < size; ++i)
      y.push_back(random.value(Complex)), ys.push_back(element<T>(y[i]));
    DeviceArray<int64_t> indices(based<int64_t>(places, base));
    DeviceArray<T> dx(xs), dy(ys);
    cusparseSpVecDescr_t vx;
    cusparseDnVecDescr_t vy;
    SPARSE_OK(cusparseCreateSpVec(&vx, size, 5, indices.get(), dx.get(), CUSPARSE_INDEX_64I,
                                  static_cast<cusparseIndexBase_t>(base), TypeName<T>));
    SPARSE_OK(cusparseCreateDnVec(&vy, size, dy.get(), TypeName<T>));
    S alpha = element<S>(Wide(2, Complex ? 1 : 0)), beta = element<S>(Wide(3));
    SPARSE_OK(cusparseAxpby(this->handle, &alpha, vx, &beta, vy));
    for (Wide &v : y)
      v *= 3;
    for (size_t i = 0; i < places.size(); ++i)
      y[places[i]] += Wide(2, Complex ? 1 : 0) * x[i];
    auto expectY = [&] {
      ys = dy.read();
      for (int i = 0; i < size; ++i)
        ASSERT_EQ(wide(ys[i]), y[i]);
    };
    expectY();
    SPARSE_OK(cusparseRot(this->handle, &beta, &alpha, vx, vy));
    for (size_t i = 0; i < places.size(); ++i) {
      Wide a = x[i], b = y[places[i]], s(2, Complex ? 1 : 0);
      x[i] = 3.0 * a + s * b, y[places[i]] = 3.0 * b - s * a;
    }
    expectY();
    size_t bytes = 1;
    S result = element<S>(Wide(99));
    for (cusparseOperation_t op :
         {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE}) {
      SPARSE_OK(cusparseSpVV_bufferSize(this->handle, op, vx, vy, &result, TypeName<S>, &bytes));
      SPARSE_OK(cusparseSpVV(this->handle, op, vx, vy, &result, TypeName<S>, nullptr));
      Wide sum = 0;
      for (size_t i = 0; i < places.size(); ++i)
        sum += (op == CUSPARSE_OPERATION_NON_TRANSPOSE ? x[i] : std::conj(x[i])) * y[places[i]];
      EXPECT_EQ(wide(result), sum);
    }
    SPARSE_OK(cusparseScatter(this->handle, vx, vy));
    for (size_t i = 0; i < places.size(); ++i)
      y[places[i]] = x[i];
    expectY();
    ASSERT_EQ(cudaMemset(dx.get(), 0, 5 * sizeof(T)), cudaSuccess);
    SPARSE_OK(cusparseGather(this->handle, vy, vx));
    xs = dx.read();
    for (size_t i = 0; i < places.size(); ++i)
      EXPECT_EQ(wide(xs[i]), x[i]);
    EXPECT_EQ(cusparseGather(nullptr, vy, vx), CUSPARSE_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(cusparseGather(this->handle, nullptr, vx), CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT_EQ(cusparseSpVV(this->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, vx, vy, &result,
                           CUDA_R_8I, nullptr),
              CUSPARSE_STATUS_NOT_SUPPORTED);
    SPARSE_OK(cusparseDestroySpVec(vx));
    SPARSE_OK(cusparseDestroyDnVec(vy));
  }
}

TYPED_TEST(Vectors, DotInGraph) {
  using T = TypeParam;
  using S = ScalarOf<T>;
  DeviceArray<int> indices(std::vector<int>{1, 3});
  DeviceArray<T> dx(std::vector<T>{element<T>(2), element<T>(3)});
  DeviceArray<T> dy(std::vector<T>(4, element<T>(5)));
  cusparseSpVecDescr_t vx;
  cusparseDnVecDescr_t vy;
  SPARSE_OK(cusparseCreateSpVec(&vx, 4, 2, indices.get(), dx.get(), CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, TypeName<T>));
  SPARSE_OK(cusparseCreateDnVec(&vy, 4, dy.get(), TypeName<T>));
  S result = element<S>(99);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  SPARSE_OK(cusparseSetStream(this->handle, stream));
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  SPARSE_OK(cusparseSpVV(this->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, vx, vy, &result,
                         TypeName<S>, nullptr));
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(wide(result), Wide(99)) << "it comes with a launch of the graph";
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(wide(result), Wide(25));
  ASSERT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  SPARSE_OK(cusparseSetStream(this->handle, nullptr));
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  SPARSE_OK(cusparseDestroySpVec(vx));
  SPARSE_OK(cusparseDestroyDnVec(vy));
}

TYPED_TEST(Generic, DenseAndSparse) {
  using T = TypeParam;
  Random random(2);
  for (cusparseFormat_t format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO})
    for (int base : {0, 1}) {
      Matrix m = random.matrix(9, 7, isComplex<T>, 3);
      Dense<T> dense(m, base, 2), back(Matrix(9, 7), !base, 1);
      bool coo = format == CUSPARSE_FORMAT_COO;
      int64_t lines = format == CUSPARSE_FORMAT_CSC ? 7 : 9;
      DeviceArray<int> offsets(coo ? 63 : lines + 1);
      cusparseIndexBase_t b = static_cast<cusparseIndexBase_t>(base);
      cusparseSpMatDescr_t s;
      if (format == CUSPARSE_FORMAT_CSR)
        SPARSE_OK(cusparseCreateCsr(&s, 9, 7, 0, offsets.get(), nullptr, nullptr,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, b, TypeName<T>));
      else if (format == CUSPARSE_FORMAT_CSC)
        SPARSE_OK(cusparseCreateCsc(&s, 9, 7, 0, offsets.get(), nullptr, nullptr,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, b, TypeName<T>));
      else
        SPARSE_OK(cusparseCreateCoo(&s, 9, 7, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I, b,
                                    TypeName<T>));
      size_t bytes;
      SPARSE_OK(cusparseDenseToSparse_bufferSize(this->handle, dense.descriptor, s,
                                                 CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
      SPARSE_OK(cusparseDenseToSparse_analysis(this->handle, dense.descriptor, s,
                                               CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
      int64_t rows, cols, nnz;
      SPARSE_OK(cusparseSpMatGetSize(s, &rows, &cols, &nnz));
      Arrays arrays = coo ? coordinates(m) : compressed(m, format == CUSPARSE_FORMAT_CSC);
      ASSERT_EQ(nnz, static_cast<int64_t>(arrays.places.size()));
      DeviceArray<int> indices(nnz);
      DeviceArray<T> values(nnz);
      if (format == CUSPARSE_FORMAT_CSR)
        SPARSE_OK(cusparseCsrSetPointers(s, offsets.get(), indices.get(), values.get()));
      else if (format == CUSPARSE_FORMAT_CSC)
        SPARSE_OK(cusparseCscSetPointers(s, offsets.get(), indices.get(), values.get()));
      else
        SPARSE_OK(cusparseCooSetPointers(s, offsets.get(), indices.get(), values.get()));
      SPARSE_OK(cusparseDenseToSparse_convert(this->handle, dense.descriptor, s,
                                              CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
      std::vector<int> found = offsets.read();
      found.resize(arrays.offsets.size());
      EXPECT_EQ(found, based<int>(arrays.offsets, base));
      EXPECT_EQ(indices.read(), based<int>(arrays.indices, base));
      EXPECT_EQ(values.read(), valuesOf<T>(m, arrays));
      SPARSE_OK(cusparseSparseToDense_bufferSize(this->handle, s, back.descriptor,
                                                 CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes));
      SPARSE_OK(cusparseSparseToDense(this->handle, s, back.descriptor,
                                      CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
      EXPECT_EQ(back.read().values, m.values);
      SPARSE_OK(cusparseDestroySpMat(s));
    }
}

TYPED_TEST(Generic, SpGEMM) {
  using T = TypeParam;
  Random random(3);
  constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
  for (bool reuse : {false, true}) {
    Matrix ma = random.matrix(12, 15, isComplex<T>, 3), mb = random.matrix(15, 10, isComplex<T>, 3);
    auto a = csr<T>(ma, 1);
    auto b = csr<T>(mb, 0);
    DeviceArray<int> offsets(13);
    cusparseSpMatDescr_t c;
    SPARSE_OK(cusparseCreateCsr(&c, 12, 10, 0, offsets.get(), nullptr, nullptr, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, TypeName<T>));
    cusparseSpGEMMDescr_t descr;
    SPARSE_OK(cusparseSpGEMM_createDescr(&descr));
    T alpha = element<T>(Wide(2)), beta = element<T>(Wide(0));
    size_t s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
    DeviceArray<char> buffer(4096);
    auto h = this->handle;
    auto alg = reuse ? CUSPARSE_SPGEMM_DEFAULT : CUSPARSE_SPGEMM_ALG2;
    if (!reuse) {
      SPARSE_OK(cusparseSpGEMM_workEstimation(h, N, N, &alpha, a->descriptor, b->descriptor, &beta,
                                              c, TypeName<T>, alg, descr, &s1, nullptr));
      ASSERT_GT(s1, 0u);
      SPARSE_OK(cusparseSpGEMM_workEstimation(h, N, N, &alpha, a->descriptor, b->descriptor, &beta,
                                              c, TypeName<T>, alg, descr, &s1, buffer.get()));
      int64_t products = 0, expected = 0;
      SPARSE_OK(cusparseSpGEMM_getNumProducts(descr, &products));
      for (int64_t place : a->arrays.places)
        expected += b->arrays.offsets[place % 15 + 1] - b->arrays.offsets[place % 15];
      EXPECT_EQ(products, expected);
      SPARSE_OK(cusparseSpGEMM_estimateMemory(h, N, N, &alpha, a->descriptor, b->descriptor, &beta,
                                              c, TypeName<T>, alg, descr, 0.5f, &s3, nullptr,
                                              nullptr));
      SPARSE_OK(cusparseSpGEMM_estimateMemory(h, N, N, &alpha, a->descriptor, b->descriptor, &beta,
                                              c, TypeName<T>, alg, descr, 0.5f, &s3, buffer.get(),
                                              &s2));
      ASSERT_GT(s2, 0u);
      SPARSE_OK(cusparseSpGEMM_compute(h, N, N, &alpha, a->descriptor, b->descriptor, &beta, c,
                                       TypeName<T>, alg, descr, &s2, buffer.get()));
    } else {
      SPARSE_OK(cusparseSpGEMMreuse_workEstimation(h, N, N, a->descriptor, b->descriptor, c, alg,
                                                   descr, &s1, nullptr));
      SPARSE_OK(cusparseSpGEMMreuse_workEstimation(h, N, N, a->descriptor, b->descriptor, c, alg,
                                                   descr, &s1, buffer.get()));
      SPARSE_OK(cusparseSpGEMMreuse_nnz(h, N, N, a->descriptor, b->descriptor, c, alg, descr, &s2,
                                        nullptr, &s3, nullptr, &s4, nullptr));
      SPARSE_OK(cusparseSpGEMMreuse_nnz(h, N, N, a->descriptor, b->descriptor, c, alg, descr, &s2,
                                        buffer.get(), &s3, buffer.get(), &s4, buffer.get()));
    }
    int64_t rows, cols, nnz;
    SPARSE_OK(cusparseSpMatGetSize(c, &rows, &cols, &nnz));
    DeviceArray<int> indices(nnz);
    DeviceArray<T> values(nnz);
    SPARSE_OK(cusparseCsrSetPointers(c, offsets.get(), indices.get(), values.get()));
    if (!reuse) {
      SPARSE_OK(cusparseSpGEMM_copy(h, N, N, &alpha, a->descriptor, b->descriptor, &beta, c,
                                    TypeName<T>, alg, descr));
    } else {
      SPARSE_OK(cusparseSpGEMMreuse_copy(h, N, N, a->descriptor, b->descriptor, c, alg, descr, &s5,
                                         nullptr));
      SPARSE_OK(cusparseSpGEMMreuse_copy(h, N, N, a->descriptor, b->descriptor, c, alg, descr, &s5,
                                         buffer.get()));
      SPARSE_OK(cusparseSpGEMMreuse_compute(h, N, N, &alpha, a->descriptor, b->descriptor, &beta, c,
                                            TypeName<T>, alg, descr));
    }
    Dense<T> dense(Matrix(12, 10), true);
    SPARSE_OK(
        cusparseSparseToDense(h, c, dense.descriptor, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
    EXPECT_EQ(dense.read().values, product(2, ma, mb, 0, Matrix(12, 10)).values);
    std::vector<int> o = offsets.read(), i = indices.read();
    for (int row = 0; row < 12; ++row)
      EXPECT_TRUE(std::is_sorted(i.begin() + o[row] - 1, i.begin() + o[row + 1] - 1));
    EXPECT_EQ(cusparseSpGEMM_compute(h, CUSPARSE_OPERATION_TRANSPOSE, N, &alpha, a->descriptor,
                                     b->descriptor, &beta, c, TypeName<T>, alg, descr, &s2,
                                     buffer.get()),
              CUSPARSE_STATUS_NOT_SUPPORTED);
    SPARSE_OK(cusparseSpGEMM_destroyDescr(descr));
    SPARSE_OK(cusparseDestroySpMat(c));
  }
}

/// A matrix whose diagonal elements divide small numbers without a rest: solutions are exact.
Matrix triangular(Random &random, int n, bool complex, int sparsity) {
  Matrix m = random.matrix(n, n, complex, sparsity);
  for (int i = 0; i < n; ++i)
    m(i, i) = random.below(2) ? Wide(1) : Wide(-1);
  return m;
}

/// The part of the matrix that a solver reads.
Matrix partOf(const Matrix &m, bool lower, bool unit) {
  Matrix p(m.rows, m.cols);
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < m.cols; ++j)
      if (i == j)
        p(i, j) = unit ? Wide(1) : m(i, j);
      else if ((j < i) == lower)
        p(i, j) = m(i, j);
  return p;
}

TYPED_TEST(Generic, Triangles) {
  using T = TypeParam;
  Random random(4);
  auto h = this->handle;
  T alpha = element<T>(Wide(2));
  for (cusparseFillMode_t fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER})
    for (cusparseDiagType_t diagonal : {CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT})
      for (cusparseOperation_t op : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                                     CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE}) {
        const int n = 11, columns = 19;
        Matrix m = triangular(random, n, isComplex<T>, 4);
        auto a = csr<T>(m, random.below(2));
        SPARSE_OK(
            cusparseSpMatSetAttribute(a->descriptor, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
        SPARSE_OK(cusparseSpMatSetAttribute(a->descriptor, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal,
                                            sizeof diagonal));
        Matrix part = operated(
            partOf(m, fill == CUSPARSE_FILL_MODE_LOWER, diagonal == CUSPARSE_DIAG_TYPE_UNIT), op);
        // Right sides are made of solutions.
        Matrix x = random.matrix(n, 1, isComplex<T>), b = product(1, part, x, 0, x);
        Dense<T> dx(x, false), db(b, false);
        cusparseDnVecDescr_t vb, vx;
        SPARSE_OK(cusparseCreateDnVec(&vb, n, db.values.get(), TypeName<T>));
        SPARSE_OK(cusparseCreateDnVec(&vx, n, dx.values.get(), TypeName<T>));
        cusparseSpSVDescr_t sv;
        SPARSE_OK(cusparseSpSV_createDescr(&sv));
        size_t bytes = 0;
        SPARSE_OK(cusparseSpSV_bufferSize(h, op, &alpha, a->descriptor, vb, vx, TypeName<T>,
                                          CUSPARSE_SPSV_ALG_DEFAULT, sv, &bytes));
        EXPECT_EQ(cusparseSpSV_solve(h, op, &alpha, a->descriptor, vb, vx, TypeName<T>,
                                     CUSPARSE_SPSV_ALG_DEFAULT, sv),
                  CUSPARSE_STATUS_INVALID_VALUE);
        SPARSE_OK(cusparseSpSV_analysis(h, op, &alpha, a->descriptor, vb, vx, TypeName<T>,
                                        CUSPARSE_SPSV_ALG_DEFAULT, sv, nullptr));
        SPARSE_OK(cusparseSpSV_solve(h, op, &alpha, a->descriptor, vb, vx, TypeName<T>,
                                     CUSPARSE_SPSV_ALG_DEFAULT, sv));
        auto expectTimes = [&](const Dense<T> &found, const Matrix &solution, double times) {
          Matrix f = found.read();
          for (size_t i = 0; i < f.values.size(); ++i)
            ASSERT_EQ(f.values[i], times * solution.values[i]);
        };
        expectTimes(dx, x, 2);
        // Other values: twice the matrix, then its first diagonal.
        Matrix twice = m;
        for (Wide &v : twice.values)
          v *= 2;
        if (diagonal == CUSPARSE_DIAG_TYPE_NON_UNIT) {
          DeviceArray<T> other(valuesOf<T>(twice, a->arrays));
          SPARSE_OK(cusparseSpSV_updateMatrix(h, sv, other.get(), CUSPARSE_SPSV_UPDATE_GENERAL));
          SPARSE_OK(cusparseSpSV_solve(h, op, &alpha, a->descriptor, vb, vx, TypeName<T>,
                                       CUSPARSE_SPSV_ALG_DEFAULT, sv));
          expectTimes(dx, x, 1);
          SPARSE_OK(
              cusparseSpSV_updateMatrix(h, sv, a->values.get(), CUSPARSE_SPSV_UPDATE_GENERAL));
          std::vector<T> ones(n);
          for (int i = 0; i < n; ++i)
            ones[i] = element<T>(m(i, i));
          DeviceArray<T> same(ones);
          SPARSE_OK(cusparseSpSV_updateMatrix(h, sv, same.get(), CUSPARSE_SPSV_UPDATE_DIAGONAL));
          SPARSE_OK(cusparseSpSV_solve(h, op, &alpha, a->descriptor, vb, vx, TypeName<T>,
                                       CUSPARSE_SPSV_ALG_DEFAULT, sv));
          expectTimes(dx, x, 2);
        }
        SPARSE_OK(cusparseSpSV_destroyDescr(sv));
        SPARSE_OK(cusparseDestroyDnVec(vb));
        SPARSE_OK(cusparseDestroyDnVec(vx));

        Matrix xs = random.matrix(n, columns, isComplex<T>), bs = product(1, part, xs, 0, xs);
        bool straight = random.below(2);
        cusparseOperation_t opB =
            straight ? CUSPARSE_OPERATION_NON_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE;
        Dense<T> dbs(straight ? bs : operated(bs, opB), random.below(2), 1),
            dxs(xs, random.below(2), 2);
        cusparseSpSMDescr_t sm;
        SPARSE_OK(cusparseSpSM_createDescr(&sm));
        SPARSE_OK(cusparseSpSM_bufferSize(h, op, opB, &alpha, a->descriptor, dbs.descriptor,
                                          dxs.descriptor, TypeName<T>, CUSPARSE_SPSM_ALG_DEFAULT,
                                          sm, &bytes));
        SPARSE_OK(cusparseSpSM_analysis(h, op, opB, &alpha, a->descriptor, dbs.descriptor,
                                        dxs.descriptor, TypeName<T>, CUSPARSE_SPSM_ALG_DEFAULT, sm,
                                        nullptr));
        SPARSE_OK(cusparseSpSM_solve(h, op, opB, &alpha, a->descriptor, dbs.descriptor,
                                     dxs.descriptor, TypeName<T>, CUSPARSE_SPSM_ALG_DEFAULT, sm));
        expectTimes(dxs, xs, 2);
        SPARSE_OK(cusparseSpSM_updateMatrix(h, sm, a->values.get(), CUSPARSE_SPSM_UPDATE_GENERAL));
        SPARSE_OK(cusparseSpSM_solve(h, op, opB, &alpha, a->descriptor, dbs.descriptor,
                                     dxs.descriptor, TypeName<T>, CUSPARSE_SPSM_ALG_DEFAULT, sm));
        expectTimes(dxs, xs, 2);
        SPARSE_OK(cusparseSpSM_destroyDescr(sm));
      }
}

using Descriptors = SparseTest;

TEST_F(Descriptors, OfTheLibrary) {
  cusparseHandle_t other = nullptr;
  EXPECT_EQ(cusparseCreate(nullptr), CUSPARSE_STATUS_INVALID_VALUE);
  SPARSE_OK(cusparseCreate(&other));
  SPARSE_OK(cusparseDestroy(other));
  EXPECT_EQ(cusparseDestroy(nullptr), CUSPARSE_STATUS_NOT_INITIALIZED);
  int version = 0, major = 0;
  SPARSE_OK(cusparseGetVersion(handle, &version));
  SPARSE_OK(cusparseGetProperty(MAJOR_VERSION, &major));
  EXPECT_EQ(version, CUSPARSE_VERSION);
  EXPECT_EQ(major, 12);
  EXPECT_STREQ(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT), "CUSPARSE_STATUS_ZERO_PIVOT");
  EXPECT_STREQ(cusparseGetErrorString(CUSPARSE_STATUS_SUCCESS), "success");
  EXPECT_EQ(cusparseGetVersion(nullptr, &version), CUSPARSE_STATUS_NOT_INITIALIZED);
  cusparsePointerMode_t mode;
  SPARSE_OK(cusparseGetPointerMode(handle, &mode));
  EXPECT_EQ(mode, CUSPARSE_POINTER_MODE_HOST);
  SPARSE_OK(cusparseLoggerSetCallback(nullptr));
  SPARSE_OK(cusparseLoggerSetFile(stderr));
  EXPECT_EQ(cusparseLoggerOpenFile(nullptr), CUSPARSE_STATUS_INVALID_VALUE);
  SPARSE_OK(cusparseLoggerSetLevel(0));
  SPARSE_OK(cusparseLoggerSetMask(0));
  SPARSE_OK(cusparseLoggerForceDisable());
  cusparseMatDescr_t descr;
  SPARSE_OK(cusparseCreateMatDescr(&descr));
  EXPECT_EQ(cusparseGetMatType(descr), CUSPARSE_MATRIX_TYPE_GENERAL);
  SPARSE_OK(cusparseSetMatType(descr, CUSPARSE_MATRIX_TYPE_SYMMETRIC));
  SPARSE_OK(cusparseSetMatFillMode(descr, CUSPARSE_FILL_MODE_UPPER));
  SPARSE_OK(cusparseSetMatDiagType(descr, CUSPARSE_DIAG_TYPE_UNIT));
  SPARSE_OK(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE));
  EXPECT_EQ(cusparseGetMatType(descr), CUSPARSE_MATRIX_TYPE_SYMMETRIC);
  EXPECT_EQ(cusparseGetMatFillMode(descr), CUSPARSE_FILL_MODE_UPPER);
  EXPECT_EQ(cusparseGetMatDiagType(descr), CUSPARSE_DIAG_TYPE_UNIT);
  EXPECT_EQ(cusparseGetMatIndexBase(descr), CUSPARSE_INDEX_BASE_ONE);
  EXPECT_EQ(cusparseSetMatType(descr, static_cast<cusparseMatrixType_t>(9)),
            CUSPARSE_STATUS_INVALID_VALUE);
  SPARSE_OK(cusparseDestroyMatDescr(descr));
}

TEST_F(Descriptors, OfVectorsAndDenseMatrices) {
  DeviceArray<int> indices(4);
  DeviceArray<float> values(12), others(12);
  int64_t size, nnz, rows, cols, ld;
  void *p, *q;
  const void *cp, *cq;
  cusparseIndexType_t it;
  cusparseIndexBase_t base;
  cudaDataType type;
  cusparseOrder_t order;
  cusparseSpVecDescr_t sp;
  cusparseConstSpVecDescr_t csp;
  SPARSE_OK(cusparseCreateSpVec(&sp, 10, 4, indices.get(), values.get(), CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F));
  SPARSE_OK(cusparseCreateConstSpVec(&csp, 10, 4, indices.get(), values.get(), CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F));
  SPARSE_OK(cusparseSpVecSetValues(sp, others.get()));
  SPARSE_OK(cusparseSpVecGet(sp, &size, &nnz, &p, &q, &it, &base, &type));
  EXPECT_TRUE(size == 10 && nnz == 4 && p == indices.get() && q == others.get() &&
              base == CUSPARSE_INDEX_BASE_ONE);
  SPARSE_OK(cusparseConstSpVecGet(csp, &size, &nnz, &cp, &cq, &it, &base, &type));
  EXPECT_EQ(cq, values.get());
  SPARSE_OK(cusparseSpVecGetIndexBase(sp, &base));
  SPARSE_OK(cusparseSpVecGetValues(sp, &p));
  SPARSE_OK(cusparseConstSpVecGetValues(csp, &cp));
  EXPECT_TRUE(p == others.get() && cp == values.get());
  EXPECT_EQ(cusparseCreateSpVec(&sp, 3, 4, nullptr, nullptr, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F),
            CUSPARSE_STATUS_INVALID_VALUE);
  cusparseDestroySpVec(sp), cusparseDestroySpVec(csp);
  cusparseDnVecDescr_t dn;
  cusparseConstDnVecDescr_t cdn;
  SPARSE_OK(cusparseCreateDnVec(&dn, 12, values.get(), CUDA_R_32F));
  SPARSE_OK(cusparseCreateConstDnVec(&cdn, 12, values.get(), CUDA_R_32F));
  SPARSE_OK(cusparseDnVecSetValues(dn, others.get()));
  SPARSE_OK(cusparseDnVecGet(dn, &size, &p, &type));
  SPARSE_OK(cusparseConstDnVecGet(cdn, &size, &cp, &type));
  EXPECT_TRUE(size == 12 && p == others.get() && cp == values.get());
  SPARSE_OK(cusparseDnVecGetValues(dn, &p));
  SPARSE_OK(cusparseConstDnVecGetValues(cdn, &cp));
  EXPECT_EQ(cusparseCreateDnVec(nullptr, 12, values.get(), CUDA_R_32F),
            CUSPARSE_STATUS_INVALID_VALUE);
  cusparseDestroyDnVec(dn), cusparseDestroyDnVec(cdn);
  cusparseDnMatDescr_t dm;
  cusparseConstDnMatDescr_t cdm;
  SPARSE_OK(cusparseCreateDnMat(&dm, 3, 4, 4, values.get(), CUDA_R_32F, CUSPARSE_ORDER_ROW));
  SPARSE_OK(cusparseCreateConstDnMat(&cdm, 3, 4, 3, values.get(), CUDA_R_32F, CUSPARSE_ORDER_COL));
  SPARSE_OK(cusparseDnMatSetValues(dm, others.get()));
  SPARSE_OK(cusparseDnMatGet(dm, &rows, &cols, &ld, &p, &type, &order));
  EXPECT_TRUE(rows == 3 && cols == 4 && ld == 4 && p == others.get() &&
              order == CUSPARSE_ORDER_ROW);
  SPARSE_OK(cusparseConstDnMatGet(cdm, &rows, &cols, &ld, &cp, &type, &order));
  SPARSE_OK(cusparseDnMatGetValues(dm, &p));
  SPARSE_OK(cusparseConstDnMatGetValues(cdm, &cp));
  EXPECT_TRUE(p == others.get() && cp == values.get());
  EXPECT_EQ(cusparseCreateDnMat(&dm, 3, 4, 3, values.get(), CUDA_R_32F, CUSPARSE_ORDER_ROW),
            CUSPARSE_STATUS_INVALID_VALUE);
  cusparseDestroyDnMat(dm), cusparseDestroyDnMat(cdm);
}

TEST_F(Descriptors, OfSparseMatrices) {
  DeviceArray<int> o(5), i(8);
  DeviceArray<float> v(32), w(32);
  constexpr auto I = CUSPARSE_INDEX_32I;
  constexpr auto B = CUSPARSE_INDEX_BASE_ONE;
  int64_t rows, cols, nnz, size, width;
  void *p, *q, *r;
  const void *cp, *cq, *cr;
  cusparseIndexType_t ot, it;
  cusparseIndexBase_t base;
  cudaDataType type;
  cusparseFormat_t format;
  cusparseSpMatDescr_t m;
  cusparseConstSpMatDescr_t c;
  auto expectSize = [&](int64_t expectedRows, int64_t expectedCols, int64_t expectedNnz) {
    SPARSE_OK(cusparseSpMatGetSize(m, &rows, &cols, &nnz));
    EXPECT_TRUE(rows == expectedRows && cols == expectedCols && nnz == expectedNnz);
  };
  SPARSE_OK(cusparseCreateCsr(&m, 4, 6, 8, o.get(), i.get(), v.get(), I, I, B, CUDA_R_32F));
  SPARSE_OK(cusparseCreateConstCsr(&c, 4, 6, 8, o.get(), i.get(), v.get(), I, I, B, CUDA_R_32F));
  SPARSE_OK(cusparseCsrGet(m, &rows, &cols, &nnz, &p, &q, &r, &ot, &it, &base, &type));
  EXPECT_TRUE(p == o.get() && q == i.get() && r == v.get() && base == B);
  SPARSE_OK(cusparseConstCsrGet(c, &rows, &cols, &nnz, &cp, &cq, &cr, &ot, &it, &base, &type));
  EXPECT_EQ(cusparseCscGet(m, &rows, &cols, &nnz, &p, &q, &r, &ot, &it, &base, &type),
            CUSPARSE_STATUS_INVALID_VALUE);
  SPARSE_OK(cusparseSpMatGetFormat(m, &format));
  SPARSE_OK(cusparseSpMatGetIndexBase(m, &base));
  SPARSE_OK(cusparseSpMatSetValues(m, w.get()));
  SPARSE_OK(cusparseSpMatGetValues(m, &p));
  SPARSE_OK(cusparseConstSpMatGetValues(c, &cp));
  EXPECT_TRUE(format == CUSPARSE_FORMAT_CSR && base == B && p == w.get() && cp == v.get());
  int batches = 0;
  SPARSE_OK(cusparseSpMatSetStridedBatch(m, 3));
  SPARSE_OK(cusparseSpMatGetStridedBatch(m, &batches));
  EXPECT_EQ(batches, 3);
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER;
  SPARSE_OK(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
  fill = CUSPARSE_FILL_MODE_LOWER;
  SPARSE_OK(cusparseSpMatGetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
  EXPECT_EQ(fill, CUSPARSE_FILL_MODE_UPPER);
  EXPECT_EQ(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &fill, 1),
            CUSPARSE_STATUS_INVALID_VALUE);
  expectSize(4, 6, 8);
  cusparseDestroySpMat(m), cusparseDestroySpMat(c);
  SPARSE_OK(cusparseCreateCsc(&m, 6, 4, 8, o.get(), i.get(), v.get(), I, I, B, CUDA_R_32F));
  SPARSE_OK(cusparseCreateConstCsc(&c, 6, 4, 8, o.get(), i.get(), v.get(), I, I, B, CUDA_R_32F));
  SPARSE_OK(cusparseCscGet(m, &rows, &cols, &nnz, &p, &q, &r, &ot, &it, &base, &type));
  SPARSE_OK(cusparseConstCscGet(c, &rows, &cols, &nnz, &cp, &cq, &cr, &ot, &it, &base, &type));
  EXPECT_TRUE(rows == 6 && cols == 4 && nnz == 8);
  cusparseDestroySpMat(m), cusparseDestroySpMat(c);
  SPARSE_OK(cusparseCreateCoo(&m, 4, 6, 5, o.get(), i.get(), v.get(), I, B, CUDA_R_32F));
  SPARSE_OK(cusparseCreateConstCoo(&c, 4, 6, 5, o.get(), i.get(), v.get(), I, B, CUDA_R_32F));
  SPARSE_OK(cusparseCooGet(m, &rows, &cols, &nnz, &p, &q, &r, &it, &base, &type));
  SPARSE_OK(cusparseConstCooGet(c, &rows, &cols, &nnz, &cp, &cq, &cr, &it, &base, &type));
  EXPECT_TRUE(p == o.get() && cq == i.get());
  SPARSE_OK(cusparseCooSetStridedBatch(m, 2, 5));
  EXPECT_EQ(cusparseBsrSetStridedBatch(m, 2, 5, 5, 5), CUSPARSE_STATUS_INVALID_VALUE);
  cusparseDestroySpMat(m), cusparseDestroySpMat(c);
  SPARSE_OK(cusparseCreateBsr(&m, 2, 3, 4, 2, 2, o.get(), i.get(), v.get(), I, I, B, CUDA_R_32F,
                              CUSPARSE_ORDER_COL));
  SPARSE_OK(cusparseCreateConstBsr(&c, 2, 3, 4, 2, 2, o.get(), i.get(), v.get(), I, I, B,
                                   CUDA_R_32F, CUSPARSE_ORDER_COL));
  SPARSE_OK(cusparseBsrSetStridedBatch(m, 2, 3, 4, 16));
  expectSize(4, 6, 16);
  cusparseDestroySpMat(m), cusparseDestroySpMat(c);
  SPARSE_OK(cusparseCreateBlockedEll(&m, 4, 8, 2, 4, i.get(), v.get(), I, B, CUDA_R_32F));
  SPARSE_OK(cusparseCreateConstBlockedEll(&c, 4, 8, 2, 4, i.get(), v.get(), I, B, CUDA_R_32F));
  SPARSE_OK(cusparseBlockedEllGet(m, &rows, &cols, &size, &width, &p, &q, &it, &base, &type));
  SPARSE_OK(
      cusparseConstBlockedEllGet(c, &rows, &cols, &size, &width, &cp, &cq, &it, &base, &type));
  EXPECT_TRUE(size == 2 && width == 4 && p == i.get() && cq == v.get());
  cusparseDestroySpMat(m), cusparseDestroySpMat(c);
  SPARSE_OK(cusparseCreateConstSlicedEll(&c, 4, 8, 5, 8, 2, o.get(), i.get(), v.get(), I, I, B,
                                         CUDA_R_32F));
  EXPECT_EQ(
      cusparseCreateSlicedEll(&m, 4, 8, 9, 8, 2, o.get(), i.get(), v.get(), I, I, B, CUDA_R_32F),
      CUSPARSE_STATUS_INVALID_VALUE);
  cusparseDestroySpMat(c);
}

} // namespace
