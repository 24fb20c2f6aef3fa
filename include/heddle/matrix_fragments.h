// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of nvcuda::wmma's fragments lie, and products of them.
//
// A product is made of instructions mma.sync m16n8 (m8n8 for doubles and numbers of 4 bits and
// fewer), whose layouts the PTX ISA gives. One factor is the left one, of tiles of 16 (8) rows, the
// other the right one, of tiles of 8 columns:
//
//     shape                                left        right
//     m16n16                               A, 1 tile   B, 2 tiles
//     m32n8                                A, 2        B, 1
//     m8n32                                B, 2        A, 1        the product is transposed
//     m8n8                                 A, 1        B, 1
//
// Lane 4g + t holds of each tile row (column) g, and of 16 rows g + 8, too; of these the words t,
// t + 4, ... of 32 bits (64 for doubles). Of a tile of the result it holds columns 2t and 2t + 1.
#ifndef HEDDLE_MATRIX_FRAGMENTS_H
#define HEDDLE_MATRIX_FRAGMENTS_H

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D __device__ __forceinline__

namespace nvcuda {
namespace wmma {
namespace __heddle_matrix {

struct row_major {
  static constexpr bool __heddle_is_row = true;
};
struct col_major {
  static constexpr bool __heddle_is_row = false;
};
struct matrix_a;
struct matrix_b;
struct accumulator;

namespace precision {
struct tf32;
}
namespace small_precision {
struct u4;
struct s4;
struct b1;
} // namespace small_precision

/// Of an element in memory: `Storage` holds `packed` of them; `width` is the bits of one.
template <class T> struct Element;
#define HEDDLE_ELEMENT(T, Storage, bits, number)                                                   \
  template <> struct Element<T> {                                                                  \
    using Type = Storage;                                                                          \
    static constexpr int width = bits, packed = number;                                            \
  };
HEDDLE_ELEMENT(__half, __half, 16, 1)
HEDDLE_ELEMENT(__nv_bfloat16, __nv_bfloat16, 16, 1)
HEDDLE_ELEMENT(precision::tf32, float, 32, 1)
HEDDLE_ELEMENT(float, float, 32, 1)
HEDDLE_ELEMENT(double, double, 64, 1)
HEDDLE_ELEMENT(int, int, 32, 1)
HEDDLE_ELEMENT(signed char, signed char, 8, 1)
HEDDLE_ELEMENT(char, char, 8, 1)
HEDDLE_ELEMENT(unsigned char, unsigned char, 8, 1)
HEDDLE_ELEMENT(small_precision::s4, int, 4, 8)
HEDDLE_ELEMENT(small_precision::u4, unsigned, 4, 8)
HEDDLE_ELEMENT(small_precision::b1, unsigned, 1, 32)
#undef HEDDLE_ELEMENT

HEDDLE_D int lane() { return (int)__nvvm_read_ptx_sreg_laneid(); }

/// Element i of a lane is number `inner` of row or column `outer` of a factor with k of them.
template <int outerSize, int k, int tileSize, class T> struct FactorPlace {
  static constexpr int perWord = (Element<T>::width == 64 ? 64 : 32) / Element<T>::width;
  static constexpr int storedPerWord = perWord / Element<T>::packed;
  static constexpr int wordsOfRow = k / perWord / 4; ///< that a lane has
  static constexpr int rowsOfTile = tileSize / 8;    ///< that a lane has
  static constexpr int wordsOfTile = wordsOfRow * rowsOfTile;
  static constexpr int tiles = outerSize / tileSize;
  static constexpr int count = tiles * wordsOfTile * storedPerWord;

  HEDDLE_D static int outer(int i) {
    int word = i / storedPerWord;
    return word / wordsOfTile * tileSize + word % rowsOfTile * 8 + lane() / 4;
  }
  HEDDLE_D static int inner(int i) {
    int word = i / storedPerWord % wordsOfTile / rowsOfTile;
    return perWord * (4 * word + lane() % 4) + i % storedPerWord * Element<T>::packed;
  }
};

template <int m, int n, int k> struct Shape {
  static constexpr bool isTransposed = m == 8 && n == 32;
  static constexpr int left = isTransposed ? n : m, right = isTransposed ? m : n;
  static constexpr int leftTile = left == 8 ? 8 : 16;
};

/// Offsets in memory, in stored elements, of a factor: `isContiguous` says that the inner index
/// goes along memory.
template <class P, class T> struct FactorOffset {
  HEDDLE_D static unsigned of(int i, unsigned stride, bool isContiguous) {
    unsigned outer = P::outer(i), inner = P::inner(i);
    return (isContiguous ? outer * stride + inner : inner * stride + outer) / Element<T>::packed;
  }
};

template <int m, int n, int k, class T> struct PlaceInA {
  using S = Shape<m, n, k>;
  using P = FactorPlace<m, k, S::isTransposed ? 8 : S::leftTile, T>;
  static constexpr int count = P::count;
  HEDDLE_D static unsigned offset(int i, unsigned stride, bool isRowMajor) {
    return FactorOffset<P, T>::of(i, stride, isRowMajor);
  }
};
template <int m, int n, int k, class T> struct PlaceInB {
  using S = Shape<m, n, k>;
  using P = FactorPlace<n, k, S::isTransposed ? 16 : 8, T>;
  static constexpr int count = P::count;
  HEDDLE_D static unsigned offset(int i, unsigned stride, bool isRowMajor) {
    return FactorOffset<P, T>::of(i, stride, !isRowMajor);
  }
};
template <int m, int n, int k> struct PlaceInSum {
  using S = Shape<m, n, k>;
  static constexpr int ofTile = S::leftTile / 4, rightTiles = S::right / 8;
  static constexpr int count = m * n / 32;
  HEDDLE_D static unsigned offset(int i, unsigned stride, bool isRowMajor) {
    int tile = i / ofTile, part = i % ofTile;
    int left = tile / rightTiles * S::leftTile + part / 2 * 8 + lane() / 4;
    int right = tile % rightTiles * 8 + lane() % 4 * 2 + part % 2;
    return isRowMajor != S::isTransposed ? left * stride + right : right * stride + left;
  }
};

/// The shapes and types of the guide's table.
template <int m, int n, int k, class T> struct IsFactor {
  static constexpr bool is16 = (m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32);
  static constexpr int width = Element<T>::width;
  static constexpr bool value = width == 64   ? m == 8 && n == 8 && k == 4
                                : width == 32 ? m == 16 && n == 16 && k == 8
                                : width >= 8  ? is16 && k == 16
                                : width == 4  ? m == 8 && n == 8 && k == 32
                                              : m == 8 && n == 8 && k == 128;
};

template <class Use, int m, int n, int k, class T, class Layout> struct Fragment;

#define HEDDLE_FRAGMENT(PlaceType)                                                                 \
  using Place = PlaceType;                                                                         \
  using element_type = T;                                                                          \
  using storage_element_type = typename Element<T>::Type;                                          \
  enum { num_elements = Place::count, num_storage_elements = Place::count };                       \
  storage_element_type x[num_elements];
#define HEDDLE_COMMA ,
template <int m, int n, int k, class T, class Layout>
struct Fragment<matrix_a, m, n, k, T, Layout> {
  static_assert(IsFactor<m, n, k, T>::value, "no such fragment");
  static_assert(Element<T>::packed == 1 || Layout::__heddle_is_row, "rows of these lie in memory");
  HEDDLE_FRAGMENT(PlaceInA<m HEDDLE_COMMA n HEDDLE_COMMA k HEDDLE_COMMA T>)
};
template <int m, int n, int k, class T, class Layout>
struct Fragment<matrix_b, m, n, k, T, Layout> {
  static_assert(IsFactor<m, n, k, T>::value, "no such fragment");
  static_assert(Element<T>::packed == 1 || !Layout::__heddle_is_row,
                "columns of these lie in memory");
  HEDDLE_FRAGMENT(PlaceInB<m HEDDLE_COMMA n HEDDLE_COMMA k HEDDLE_COMMA T>)
};
template <int m, int n, int k, class T> struct Fragment<accumulator, m, n, k, T, void> {
  HEDDLE_FRAGMENT(PlaceInSum<m HEDDLE_COMMA n HEDDLE_COMMA k>)
};
#undef HEDDLE_FRAGMENT
#undef HEDDLE_COMMA

/// The elements of a word, from the first one on.
template <class T> HEDDLE_D unsigned wordOf(const T *x) {
  unsigned word = 0;
  for (int i = 0; i < int(4 / sizeof(T)); ++i) {
    if constexpr (sizeof(T) == 4)
      word = __builtin_bit_cast(unsigned, x[i]);
    else if constexpr (sizeof(T) == 2)
      word |= (unsigned)__builtin_bit_cast(unsigned short, x[i]) << (16 * i);
    else
      word |= (unsigned)(unsigned char)x[i] << (8 * i);
  }
  return word;
}

/// One tile: sums += left * right, by the instruction of the type.
template <class T> struct Tile;
#define HEDDLE_TILE(T, Sum, constraint, satfinite, modifiers)                                      \
  template <> struct Tile<T> {                                                                     \
    using Type = Sum;                                                                              \
    HEDDLE_D static void add(Sum *d, const unsigned *a, const unsigned *b, bool saturates) {       \
      if (saturates)                                                                               \
        HEDDLE_INSTRUCTION(constraint, satfinite, modifiers)                                       \
      else                                                                                         \
        HEDDLE_INSTRUCTION(constraint, "", modifiers)                                              \
    }                                                                                              \
  };
#define HEDDLE_INSTRUCTION(constraint, satfinite, modifiers)                                       \
  asm volatile("mma.sync.aligned.m16n8k16.row.col" satfinite modifiers                             \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                  \
               : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]),                 \
                 "+" constraint(d[3])                                                              \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
HEDDLE_TILE(__half, float, "f", "", ".f32.f16.f16.f32")
HEDDLE_TILE(__nv_bfloat16, float, "f", "", ".f32.bf16.bf16.f32")
#undef HEDDLE_INSTRUCTION
#define HEDDLE_INSTRUCTION(constraint, satfinite, modifiers)                                       \
  asm volatile("mma.sync.aligned.m16n8k8.row.col" modifiers                                        \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                  \
               : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]),                 \
                 "+" constraint(d[3])                                                              \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
HEDDLE_TILE(precision::tf32, float, "f", "", ".f32.tf32.tf32.f32")
#undef HEDDLE_INSTRUCTION
#define HEDDLE_INSTRUCTION(constraint, satfinite, modifiers)                                       \
  asm volatile("mma.sync.aligned.m16n8k16.row.col" satfinite modifiers                             \
               " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                              \
               : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]),                 \
                 "+" constraint(d[3])                                                              \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
HEDDLE_TILE(signed char, int, "r", ".satfinite", ".s32.s8.s8.s32")
HEDDLE_TILE(char, int, "r", ".satfinite", ".s32.s8.s8.s32")
HEDDLE_TILE(unsigned char, int, "r", ".satfinite", ".s32.u8.u8.s32")
#undef HEDDLE_INSTRUCTION
#define HEDDLE_INSTRUCTION(constraint, satfinite, modifiers)                                       \
  asm volatile("mma.sync.aligned.m8n8k32.row.col" satfinite modifiers                              \
               " {%0, %1}, {%2}, {%3}, {%0, %1};"                                                  \
               : "+" constraint(d[0]), "+" constraint(d[1])                                        \
               : "r"(a[0]), "r"(b[0]));
HEDDLE_TILE(small_precision::s4, int, "r", ".satfinite", ".s32.s4.s4.s32")
HEDDLE_TILE(small_precision::u4, int, "r", ".satfinite", ".s32.u4.u4.s32")
#undef HEDDLE_INSTRUCTION
#undef HEDDLE_TILE

/// A sum as D holds it; where it saturates, infinities as D's largest number, NaN as 0.
template <class D, class Sum> HEDDLE_D D resultOf(Sum sum, bool saturates) {
  if constexpr (__is_same(Sum, float)) {
    const float most = __is_same(D, __half) ? 65504.0f : 3.4028234663852886e+38f;
    if (saturates)
      sum = sum != sum ? 0.0f : __builtin_fminf(__builtin_fmaxf(sum, -most), most);
  }
  return (D)sum;
}

/// Each tile of d, of the left and the right factor and of c.
template <class Place, class T, class Stored, int leftCount, int rightCount, class C, class D>
HEDDLE_D void multiplyTiles(D *d, const Stored (&left)[leftCount],
                            const Stored (&right)[rightCount], const C *c, bool saturates) {
  using Sum = typename Tile<T>::Type;
  constexpr int perWord = 4 / sizeof(Stored), rights = Place::rightTiles;
  constexpr int tiles = Place::count / Place::ofTile;
  constexpr int leftWords = leftCount / perWord / (tiles / rights);
  constexpr int rightWords = rightCount / perWord / rights;
  for (int tile = 0; tile < tiles; ++tile) {
    unsigned l[leftWords], r[rightWords];
    for (int i = 0; i < leftWords; ++i)
      l[i] = wordOf(left + (tile / rights * leftWords + i) * perWord);
    for (int i = 0; i < rightWords; ++i)
      r[i] = wordOf(right + (tile % rights * rightWords + i) * perWord);
    Sum sums[Place::ofTile];
    for (int i = 0; i < Place::ofTile; ++i)
      sums[i] = (Sum)c[tile * Place::ofTile + i];
    Tile<T>::add(sums, l, r, saturates);
    for (int i = 0; i < Place::ofTile; ++i)
      d[tile * Place::ofTile + i] = resultOf<D>(sums[i], saturates);
  }
}

template <int m, int n, int k, class T, class D, class A, class B, class C>
HEDDLE_D void multiply(D &d, const A &a, const B &b, const C &c, bool saturates) {
  using Place = PlaceInSum<m, n, k>;
  if constexpr (__is_same(T, double))
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
                 : "=d"(d.x[0]), "=d"(d.x[1])
                 : "d"(a.x[0]), "d"(b.x[0]), "d"(c.x[0]), "d"(c.x[1]));
  else if constexpr (Shape<m, n, k>::isTransposed)
    multiplyTiles<Place, T>(d.x, b.x, a.x, c.x, saturates);
  else
    multiplyTiles<Place, T>(d.x, a.x, b.x, c.x, saturates);
}

} // namespace __heddle_matrix
} // namespace wmma
} // namespace nvcuda

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
