// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a processor's speed is measured by: the processor time that clang takes to compile this file is the unit of
// tests/budget.txt (tests/measure.py). Templates, inlined and unrolled loops, vectors, sorts: work for the middle end
// and the back end, as the tests' own compilations are. No header, since these differ between systems. Who changes
// it records the budget anew.
template <int N> struct Vector {
  float values[N];
  float &operator[](int i) { return values[i]; }
  const float &operator[](int i) const { return values[i]; }
};

template <int N> Vector<N> operator*(const Vector<N> (&matrix)[N], const Vector<N> &v) {
  Vector<N> result = {};
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      result[i] += matrix[i][j] * v[j];
  return result;
}

template <typename T> void exchange(T &a, T &b) {
  T c = a;
  a = b, b = c;
}

template <typename T, typename Less> void sift(T *heap, long i, long n, Less less) {
  for (long child = 2 * i + 1; child < n; child = 2 * i + 1) {
    child += child + 1 < n && less(heap[child], heap[child + 1]);
    if (!less(heap[i], heap[child]))
      return;
    exchange(heap[i], heap[child]);
    i = child;
  }
}

template <typename T, typename Less> void sort(T *values, long n, Less less) {
  for (long i = n / 2; i-- > 0;)
    sift(values, i, n, less);
  for (long i = n; i-- > 1;) {
    exchange(values[0], values[i]);
    sift(values, 0, i, less);
  }
}

template <int N> unsigned hash(const unsigned char *bytes, long n) {
  unsigned state[N];
  for (int i = 0; i < N; ++i)
    state[i] = 0x9e3779b9u * (i + N);
  for (long k = 0; k + N <= n; k += N)
    for (int i = 0; i < N; ++i) {
      state[i] = (state[i] ^ bytes[k + i]) * 0x01000193u;
      state[i] ^= state[(i + 1) % N] >> (i % 13 + 3);
    }
  unsigned result = 0;
  for (int i = 0; i < N; ++i)
    result = result << 5 ^ state[i] ^ result >> 27;
  return result;
}

template <int N> struct Work {
  static float run(float *numbers, const unsigned char *bytes, long n) {
    Vector<N> matrix[N], v;
    for (int i = 0; i < N; ++i) {
      v[i] = numbers[i];
      for (int j = 0; j < N; ++j)
        matrix[i][j] = numbers[(i * N + j) % n];
    }
    v = matrix * (matrix * v);
    sort(numbers, n, [&](float a, float b) { return a * v[0] < b * v[N - 1]; });
    switch (hash<N>(bytes, n) % 5) {
    case 0: return v[0];
    case 1: return v[1] / numbers[0];
    case 2: return numbers[n / 2];
    case 3: return v[2] - v[1];
    default: return Work<N - 1>::run(numbers, bytes, n);
    }
  }
};

template <> struct Work<2> {
  static float run(float *, const unsigned char *, long) { return 0; }
};

float reference(float *numbers, const unsigned char *bytes, long n) {
  return Work<14>::run(numbers, bytes, n);
}
