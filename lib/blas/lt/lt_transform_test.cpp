// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLASLt's transforms of matrices in all orders, its algorithms chosen by hand, and its logger.
#include "blas/blas_test.h"

#include <cublasLt.h>

#include <string>

using namespace heddle::blas::test;

namespace {

template <typename T> constexpr cudaDataType TypeOf = CUDA_R_32F;
template <> inline constexpr cudaDataType TypeOf<__half> = CUDA_R_16F;
template <> inline constexpr cudaDataType TypeOf<signed char> = CUDA_R_8I;
template <> inline constexpr cudaDataType TypeOf<int> = CUDA_R_32I;
template <> inline constexpr cudaDataType TypeOf<cuComplex> = CUDA_C_32F;

struct Shape {
  int64_t rows, columns;
};

/// The leading dimension that an order wants, and how many elements a matrix has then.
int64_t leading(int order, Shape s) {
  auto upTo = [](int64_t n, int64_t tile) {
    return std::max<int64_t>(1, (n + tile - 1) / tile) * tile;
  };
  switch (order) {
  case CUBLASLT_ORDER_COL:
    return std::max<int64_t>(1, s.rows);
  case CUBLASLT_ORDER_ROW:
    return std::max<int64_t>(1, s.columns);
  case CUBLASLT_ORDER_COL32:
    return 32 * upTo(s.rows, 1);
  case CUBLASLT_ORDER_COL4_4R2_8C:
    return 32 * upTo(s.rows, 8);
  default:
    return 32 * upTo(s.rows, 32);
  }
}

int64_t elements(int order, Shape s, int64_t ld) {
  if (order == CUBLASLT_ORDER_COL)
    return ld * s.columns;
  return order == CUBLASLT_ORDER_ROW ? ld * s.rows : ld * ((s.columns + 31) / 32);
}

template <typename T> struct LtMatrix : Array<T> {
  LtMatrix(Random &random, int order, Shape s, int batch)
      : LtMatrix(random, order, s, batch,
                 leading(order, s) + (order < 2 ? random.integer(0, 2) : 0)) {}
  LtMatrix(Random &random, int order, Shape s, int batch, int64_t ld)
      : Array<T>(random, batch * elements(order, s, ld)), order(order), shape(s), ld(ld),
        stride(elements(order, s, ld)) {
    if (std::is_integral_v<T>) {
      for (T &value : this->host)
        value = narrow<T>(double(random.integer(-20, 20)));
      this->put();
    }
    EXPECT_EQ(cublasLtMatrixLayoutCreate(&layout, TypeOf<T>, s.rows, s.columns, ld),
              CUBLAS_STATUS_SUCCESS);
    set(CUBLASLT_MATRIX_LAYOUT_ORDER, int32_t(order));
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, int32_t(batch));
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  }
  ~LtMatrix() { cublasLtMatrixLayoutDestroy(layout); }
  template <typename V> void set(cublasLtMatrixLayoutAttribute_t attribute, V value) {
    EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value),
              CUBLAS_STATUS_SUCCESS);
  }

  int order;
  Shape shape;
  int64_t ld, stride;
  cublasLtMatrixLayout_t layout = nullptr;
};

class LtTransform : public testing::Test {
protected:
  LtTransform() {
    EXPECT_EQ(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    describe(CUDA_R_32F);
  }
  ~LtTransform() override {
    EXPECT_EQ(cublasLtMatrixTransformDescDestroy(description), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasLtDestroy(handle), CUBLAS_STATUS_SUCCESS);
  }
  void describe(cudaDataType scale) {
    if (description)
      cublasLtMatrixTransformDescDestroy(description);
    EXPECT_EQ(cublasLtMatrixTransformDescCreate(&description, scale), CUBLAS_STATUS_SUCCESS);
  }
  void set(cublasLtMatrixTransformDescAttributes_t attribute, int32_t value) {
    EXPECT_EQ(cublasLtMatrixTransformDescSetAttribute(description, attribute, &value, sizeof value),
              CUBLAS_STATUS_SUCCESS);
  }

  cublasLtHandle_t handle = nullptr;
  cublasLtMatrixTransformDesc_t description = nullptr;
};

/// Element (i, j) of a matrix in column or row order.
template <typename T>
Wide plainAt(const LtMatrix<T> &m, const std::vector<T> &values, int64_t b, int64_t i, int64_t j) {
  return widen(
      values[b * m.stride + (m.order == CUBLASLT_ORDER_ROW ? i * m.ld + j : i + j * m.ld)]);
}

TEST_F(LtTransform, SumsAndTransposes) {
  forTrials(12, [&](Context &context, Random &random) {
    describe(CUDA_C_32F);
    Shape s{random.size(), random.size()};
    auto source = [&](int op) { return op == CUBLAS_OP_N ? s : Shape{s.columns, s.rows}; };
    int opA = int(random.integer(0, 2)), opB = int(random.integer(0, 2)),
        batch = int(random.integer(1, 3));
    LtMatrix<cuComplex> A(random, random.coin(), source(opA), batch);
    LtMatrix<cuComplex> B(random, random.coin(), source(opB), batch);
    LtMatrix<cuComplex> C(random, random.coin(), s, batch);
    cuComplex alpha = random.factor<cuComplex>(), beta = random.factor<cuComplex>();
    set(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, opA);
    set(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, opB);
    cuComplex *first = context.scalar(alpha), *second = context.scalar(beta);
    cudaPointerAttributes where{};
    bool device = cudaPointerGetAttributes(&where, first) == cudaSuccess &&
                  where.type == cudaMemoryTypeManaged;
    set(CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE,
        device ? CUBLASLT_POINTER_MODE_DEVICE : CUBLASLT_POINTER_MODE_HOST);
    EXPECT_OK(cublasLtMatrixTransform(handle, description, first, A.data(), A.layout, second,
                                      B.data(), B.layout, C.data(), C.layout, context.stream));
    std::vector<cuComplex> result = C.now(context.stream);
    auto at = [&](const LtMatrix<cuComplex> &m, int op, int64_t b, int64_t i, int64_t j) {
      Wide value = op == CUBLAS_OP_N ? plainAt(m, m.host, b, i, j) : plainAt(m, m.host, b, j, i);
      return op == CUBLAS_OP_C ? std::conj(value) : value;
    };
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t j = 0; j < s.columns; ++j)
        for (int64_t i = 0; i < s.rows; ++i)
          expectNear(plainAt(C, result, b, i, j),
                     widen(alpha) * at(A, opA, b, i, j) + widen(beta) * at(B, opB, b, i, j), 1e-5,
                     i);
  });
}

/// A matrix of T goes to each order with tiles and back, scaled by 2 and 1/2.
template <typename T>
void testTiles(cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t description) {
  forTrials(3, [&](Context &context, Random &random) {
    for (int order :
         {CUBLASLT_ORDER_COL32, CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4}) {
      Shape s{random.size(), random.size()};
      LtMatrix<T> A(random, CUBLASLT_ORDER_COL, s, 2), tiled(random, order, s, 2),
          back(random, CUBLASLT_ORDER_ROW, s, 2);
      float two = 2, half = 0.5f;
      EXPECT_OK(cublasLtMatrixTransform(handle, description, &two, A.data(), A.layout, nullptr,
                                        nullptr, nullptr, tiled.data(), tiled.layout,
                                        context.stream));
      EXPECT_OK(cublasLtMatrixTransform(handle, description, &half, tiled.data(), tiled.layout,
                                        nullptr, nullptr, nullptr, back.data(), back.layout,
                                        context.stream));
      std::vector<T> now = back.now(context.stream);
      for (int64_t b = 0; b < 2; ++b)
        for (int64_t j = 0; j < s.columns; ++j)
          for (int64_t i = 0; i < s.rows; ++i)
            expectNear(plainAt(back, now, b, i, j), plainAt(A, A.host, b, i, j), 1e-6, i);
    }
  });
}

TEST_F(LtTransform, OrdersWithTiles) {
  testTiles<signed char>(handle, description);
  testTiles<float>(handle, description);
  testTiles<__half>(handle, description);
}

/// Where the documentation says that elements are.
TEST_F(LtTransform, PlacesInTiles) {
  Context context;
  Random random(1);
  Shape s{33, 40};
  LtMatrix<float> A(random, CUBLASLT_ORDER_COL, s, 1),
      tiles(random, CUBLASLT_ORDER_COL32_2R_4R4, s, 1), lines(random, CUBLASLT_ORDER_COL32, s, 1);
  float one = 1;
  for (LtMatrix<float> *to : {&tiles, &lines})
    EXPECT_OK(cublasLtMatrixTransform(handle, description, &one, A.data(), A.layout, nullptr,
                                      nullptr, nullptr, to->data(), to->layout, context.stream));
  std::vector<float> t = tiles.now(context.stream), l = lines.now(context.stream);
  for (int64_t j = 0; j < s.columns; ++j)
    for (int64_t i = 0; i < s.rows; ++i) {
      int64_t row = i % 32, col = j % 32;
      int64_t inTile = (((row % 8) / 2 * 4 + row / 8) * 2 + row % 2) * 32 + col;
      EXPECT_EQ(t[j / 32 * tiles.ld + i / 32 * 1024 + inTile], A.host[i + j * A.ld]);
      EXPECT_EQ(l[j / 32 * lines.ld + i * 32 + col], A.host[i + j * A.ld]);
    }
}

/// Bytes as the tensor cores of Turing and Ampere take them: A, B and C are brought into orders
/// with tiles, and D back.
TEST_F(LtTransform, ProductsOfTiles) {
  forTrials(4, [&](Context &context, Random &random) {
    constexpr int Batch = 2;
    describe(CUDA_R_32I);
    int64_t m = random.size() + 1, n = random.size() + 1, k = random.size() + 1;
    int orderB = random.oneOf<int>({CUBLASLT_ORDER_COL4_4R2_8C, CUBLASLT_ORDER_COL32_2R_4R4});
    LtMatrix<signed char> A(random, CUBLASLT_ORDER_COL, {m, k}, Batch),
        B(random, CUBLASLT_ORDER_COL, {n, k}, Batch),
        tiledA(random, CUBLASLT_ORDER_COL32, {m, k}, Batch), tiledB(random, orderB, {n, k}, Batch);
    LtMatrix<int> C(random, CUBLASLT_ORDER_COL, {m, n}, Batch),
        tiledC(random, CUBLASLT_ORDER_COL32, {m, n}, Batch),
        D(random, CUBLASLT_ORDER_ROW, {m, n}, Batch);
    int one = 1, alpha = 2, beta = -3;
    auto move = [&](auto &from, auto &to) {
      EXPECT_OK(cublasLtMatrixTransform(handle, description, &one, from.data(), from.layout,
                                        nullptr, nullptr, nullptr, to.data(), to.layout,
                                        context.stream));
    };
    cublasLtMatmulDesc_t matmul;
    EXPECT_OK(cublasLtMatmulDescCreate(&matmul, CUBLAS_COMPUTE_32I, CUDA_R_32I));
    auto multiply = [&](const void *b, cublasLtMatrixLayout_t layoutB) {
      return cublasLtMatmul(handle, matmul, &alpha, tiledA.data(), tiledA.layout, b, layoutB, &beta,
                            tiledC.data(), tiledC.layout, tiledC.data(), tiledC.layout, nullptr,
                            nullptr, 0, context.stream);
    };
    EXPECT_EQ(multiply(tiledB.data(), tiledB.layout),
              n == k ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_INVALID_VALUE);
    cublasOperation_t transposed = CUBLAS_OP_T;
    EXPECT_OK(cublasLtMatmulDescSetAttribute(matmul, CUBLASLT_MATMUL_DESC_TRANSB, &transposed,
                                             sizeof transposed));
    EXPECT_EQ(multiply(B.data(), B.layout), CUBLAS_STATUS_NOT_SUPPORTED);
    move(A, tiledA), move(B, tiledB), move(C, tiledC);
    EXPECT_OK(multiply(tiledB.data(), tiledB.layout));
    move(tiledC, D);
    EXPECT_OK(cublasLtMatmulDescDestroy(matmul));
    std::vector<int> now = D.now(context.stream);
    for (int64_t b = 0; b < Batch; ++b)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
          Wide sum = 0;
          for (int64_t p = 0; p < k; ++p)
            sum += plainAt(A, A.host, b, i, p) * plainAt(B, B.host, b, j, p);
          expectNear(plainAt(D, now, b, i, j), 2.0 * sum - 3.0 * plainAt(C, C.host, b, i, j), 0, i);
        }
  });
}

TEST_F(LtTransform, Types) {
  Context context;
  Random random(2);
  Shape s{5, 7};
  LtMatrix<float> A(random, CUBLASLT_ORDER_COL, s, 1);
  LtMatrix<signed char> C(random, CUBLASLT_ORDER_COL, s, 1);
  for (float &value : A.host)
    value = float(random.integer(-300, 300)) / 2;
  A.put();
  float one = 1;
  EXPECT_OK(cublasLtMatrixTransform(handle, description, &one, A.data(), A.layout, nullptr, nullptr,
                                    nullptr, C.data(), C.layout, context.stream));
  std::vector<signed char> now = C.now(context.stream);
  for (int64_t i = 0; i < s.rows; ++i) // to the nearest, and no further than the type goes
    EXPECT_EQ(now[i], std::clamp(std::nearbyint(A.host[i]), -128.0f, 127.0f));
}

TEST_F(LtTransform, Errors) {
  Random random(3);
  LtMatrix<float> A(random, CUBLASLT_ORDER_COL, {4, 4}, 1),
      other(random, CUBLASLT_ORDER_COL, {4, 5}, 1);
  LtMatrix<cuComplex> complex(random, CUBLASLT_ORDER_COL, {4, 4}, 1);
  float one = 1;
  auto call = [&](auto &from, auto &to, const float *alpha) {
    return cublasLtMatrixTransform(handle, description, alpha, from.data(), from.layout, nullptr,
                                   nullptr, nullptr, to.data(), to.layout, nullptr);
  };
  EXPECT_EQ(call(A, other, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(A, A, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(A, complex, &one), CUBLAS_STATUS_NOT_SUPPORTED);
  A.set(CUBLASLT_MATRIX_LAYOUT_LD, int64_t(3));
  EXPECT_EQ(call(A, A, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtMatrixTransform(nullptr, description, &one, A.data(), A.layout, nullptr,
                                    nullptr, nullptr, A.data(), A.layout, nullptr),
            CUBLAS_STATUS_NOT_INITIALIZED);
  int32_t answer = -1;
  size_t written = 0;
  EXPECT_OK(cublasLtMatrixTransformDescGetAttribute(
      description, CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, &answer, sizeof answer, &written));
  EXPECT_EQ(answer, CUDA_R_32F);
  EXPECT_EQ(written, sizeof answer);
  cublasLtMatrixTransformDescOpaque_t own;
  EXPECT_OK(cublasLtMatrixTransformDescInit(&own, CUDA_R_64F));
  EXPECT_EQ(cublasLtMatrixTransformDescInit_internal(&own, 1, CUDA_R_64F),
            CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(LtTransform, Algorithms) {
  Random random(4);
  constexpr auto F = CUDA_R_32F;
  int ids[4], count = 0;
  EXPECT_OK(cublasLtMatmulAlgoGetIds(handle, CUBLAS_COMPUTE_32F, F, F, F, F, F, 4, ids, &count));
  ASSERT_GE(count, 1);
  cublasLtMatmulAlgo_t algo;
  EXPECT_OK(cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_32F, F, F, F, F, F, ids[0], &algo));
  EXPECT_EQ(cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_32F, F, F, F, F, F, 1234, &algo),
            CUBLAS_STATUS_INVALID_VALUE);
  int32_t number = -1, splits = 4;
  size_t written = 0;
  EXPECT_OK(cublasLtMatmulAlgoConfigGetAttribute(&algo, CUBLASLT_ALGO_CONFIG_ID, &number,
                                                 sizeof number, &written));
  EXPECT_EQ(number, ids[0]);
  EXPECT_OK(cublasLtMatmulAlgoConfigSetAttribute(&algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &splits,
                                                 sizeof splits));
  EXPECT_OK(cublasLtMatmulAlgoConfigGetAttribute(&algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &number,
                                                 sizeof number, nullptr));
  EXPECT_EQ(number, 4);
  EXPECT_OK(cublasLtMatmulAlgoCapGetAttribute(&algo, CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT,
                                              &number, sizeof number, nullptr));
  EXPECT_EQ(number, 1);
  EXPECT_OK(
      cublasLtMatmulAlgoCapGetAttribute(&algo, CUBLASLT_ALGO_CAP_TILE_IDS, nullptr, 0, &written));
  EXPECT_EQ(written, sizeof(uint32_t));

  LtMatrix<float> A(random, CUBLASLT_ORDER_COL, {4, 4}, 1),
      wrong(random, CUBLASLT_ORDER_COL, {5, 4}, 1);
  cublasLtMatmulDesc_t matmul = nullptr;
  EXPECT_OK(cublasLtMatmulDescCreate(&matmul, CUBLAS_COMPUTE_32F, F));
  cublasLtMatmulHeuristicResult_t result;
  EXPECT_OK(cublasLtMatmulAlgoCheck(handle, matmul, A.layout, A.layout, A.layout, A.layout, &algo,
                                    &result));
  EXPECT_EQ(result.state, CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatmulAlgoCheck(handle, matmul, A.layout, A.layout, A.layout, wrong.layout,
                                    &algo, &result),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_OK(cublasLtMatmulDescDestroy(matmul));
}

std::string lastLine;
void listen(int level, const char *function, const char *message) {
  lastLine = std::to_string(level) + " " + function + " " + message;
}

TEST_F(LtTransform, Logger) {
  Random random(5);
  LtMatrix<float> A(random, CUBLASLT_ORDER_COL, {4, 4}, 1);
  float one = 1;
  auto call = [&](cublasLtHandle_t with) {
    lastLine.clear();
    return cublasLtMatrixTransform(with, description, &one, A.data(), A.layout, nullptr, nullptr,
                                   nullptr, A.data(), A.layout, nullptr);
  };
  EXPECT_OK(cublasLtLoggerSetFile(nullptr));
  EXPECT_OK(cublasLtLoggerSetCallback(listen));
  EXPECT_OK(call(handle));
  EXPECT_EQ(lastLine, ""); // it is off
  EXPECT_OK(cublasLtLoggerSetLevel(1));
  EXPECT_OK(call(handle));
  EXPECT_EQ(lastLine, "");
  EXPECT_EQ(call(nullptr), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(lastLine, "1 cublasLtMatrixTransform CUBLAS_STATUS_NOT_INITIALIZED");
  EXPECT_OK(cublasLtLoggerSetMask(2));
  EXPECT_OK(call(handle));
  EXPECT_EQ(lastLine, "2 cublasLtMatrixTransform called");
  EXPECT_EQ(cublasLtLoggerSetLevel(6), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtLoggerOpenFile("/no such folder/file"), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_OK(cublasLtLoggerForceDisable());
  EXPECT_OK(call(handle));
  EXPECT_EQ(lastLine, "");
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(LtTransform, Cache) {
  size_t capacity = 0;
  EXPECT_OK(cublasLtHeuristicsCacheSetCapacity(100));
  EXPECT_OK(cublasLtHeuristicsCacheGetCapacity(&capacity));
  EXPECT_EQ(capacity, 100u);
  EXPECT_EQ(cublasLtHeuristicsCacheGetCapacity(nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtDisableCpuInstructionsSetMask(1), 0u);
  EXPECT_EQ(cublasLtDisableCpuInstructionsSetMask(0), 1u);
}

} // namespace
