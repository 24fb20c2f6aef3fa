// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasUint8gemmBias, a product of unsigned bytes. What it computes is not documented; published
// measurements of NVIDIA's library agree with
//
//   s = sum over p of (op(A)(i, p) - A_bias) (op(B)(p, j) - B_bias)
//   C(i, j) = (s + C_bias) C_mult / 2^C_shift, rounded half up, cut to 0 .. 255
//
// where C_shift counts modulo 32, 31 gives 0, C is not read, and goes to memory transposed if
// transc asks for it.
#include "blas/arguments.h"
#include "blas/handle.h"
#include "support/parallel.h"

#include <algorithm>
#include <vector>

namespace heddle::blas {

namespace {

struct Bytes {
  const unsigned char *data;
  int bias;
  int64_t ld;
  bool isAcross; ///< transposed

  int64_t at(int64_t i, int64_t j) const {
    return int64_t(data[isAcross ? j + i * ld : i + j * ld]) - bias;
  }
};

unsigned char reduce(int64_t sum, int bias, int factor, int shift) {
  __int128 value = (__int128(sum) + bias) * factor;
  shift &= 31;
  if (shift == 31)
    value = 0;
  else if (shift > 0)
    value = (value + (__int128(1) << (shift - 1))) >> shift;
  return static_cast<unsigned char>(std::clamp<__int128>(value, 0, 255));
}

/// op(A) by columns without gaps, which the innermost loop reads along.
std::vector<int64_t> unpack(const Bytes &a, int64_t m, int64_t k) {
  std::vector<int64_t> result(m * k);
  library::parallelFor(k, std::max<int64_t>(1, (1 << 14) / m), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p)
      for (int64_t i = 0; i < m; ++i)
        result[i + p * m] = a.at(i, p);
  });
  return result;
}

cublasStatus_t uint8GemmBias(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, cublasOperation_t transc, int64_t m,
                             int64_t n, int64_t k, const unsigned char *A, int biasA, int64_t lda,
                             const unsigned char *B, int biasB, int64_t ldb, unsigned char *C,
                             int biasC, int64_t ldc, int factor, int shift) {
  bool acrossC = transc != CUBLAS_OP_N;
  Bytes a{A, biasA, lda, transa != CUBLAS_OP_N}, b{B, biasB, ldb, transb != CUBLAS_OP_N};
  bool valid = isOperation(transa) && isOperation(transb) && isOperation(transc) && m >= 0 &&
               n >= 0 && k >= 0 && isLeading(lda, a.isAcross ? k : m) &&
               isLeading(ldb, b.isAcross ? n : k) && isLeading(ldc, acrossC ? n : m);
  if (cublasStatus_t bad = check(handle, valid, {m, n, k, lda, ldb, ldc}))
    return bad;
  return submit(handle, [=] {
    if (m == 0 || n == 0)
      return;
    std::vector<int64_t> left = unpack(a, m, k);
    library::parallelFor(
        n, std::max<int64_t>(1, (1 << 14) / (m * (k + 1))), [&](int64_t begin, int64_t end) {
          std::vector<int64_t> sums(m);
          for (int64_t j = begin; j < end; ++j) {
            std::fill(sums.begin(), sums.end(), 0);
            for (int64_t p = 0; p < k; ++p) {
              int64_t other = b.at(p, j);
              for (int64_t i = 0; i < m; ++i)
                sums[i] += left[i + p * m] * other;
            }
            for (int64_t i = 0; i < m; ++i)
              C[acrossC ? j + i * ldc : i + j * ldc] = reduce(sums[i], biasC, factor, shift);
          }
        });
  });
}

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;
#define HEDDLE_ENTRIES "heddle/cublas/bytes.inc"
#include "blas/define_entries.inc"
