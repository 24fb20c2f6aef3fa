// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %heddle cc -ffast-math %s -o %t.1
// RUN: %widths %t.1
// RUN: %cpu(x86-64-v3) %at(1) %t.1
// RUN: %all env HEDDLE_WIDTH=1 HEDDLE_DISABLE=vectorize-reductions %t.1
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that add up a row of their own, of any length, with all operations whose order is free and with float sums,
// whose order is free with some options only: the numbers are small integers, so that every order gives the same. The
// arrays end where their memory does: who reads beyond the last row faults. And loops that look the same, but write,
// leave early, or want more than the sum.
#include "support.h"

enum Form {
  Alone,       // values only
  Product,     // times what the columns say
  ByNumber,    // times the element's number
  Above,       // some of them
  Distance,    // converted, of two arrays
  Two,         // two sums
  Chained,     // two additions to one sum
  Backward,    // from here on: no loops for vectors
  Skipping,
  Leaving,
  Writing,
  LastWanted,
  Forms
};

template <class T> struct Rows {
  const int *starts, *columns;
  const T *values, *x;
  T *y, *scratch;
};

template <int form, class T> __host__ __device__ T sumOf(const Rows<T> &rows, int row) {
  int first = rows.starts[row], last = rows.starts[row + 1];
  const T *values = rows.values;
  T sum = T(row % 5), other = 1;
  if constexpr (form == Alone)
    for (int i = first; i < last; ++i)
      sum += values[i];
  if constexpr (form == Product)
    for (int i = first; i < last; ++i)
      sum += values[i] * rows.x[rows.columns[i]];
  if constexpr (form == ByNumber)
    for (int i = first; i < last; ++i)
      sum += values[i] * T((i - first) % 64) + T(3 * i % 4);
  if constexpr (form == Above)
    for (int i = first; i < last; ++i)
      sum += values[i] > T(2) ? values[i] : T(1);
  if constexpr (form == Distance)
    for (int i = first; i < last; ++i)
      sum += T(rows.columns[i] % 8) - values[i];
  if constexpr (form == Two)
    for (int i = first; i < last; ++i) {
      sum += values[i];
      other += values[i] * values[i];
    }
  if constexpr (form == Chained)
    for (int i = first; i < last; ++i) {
      sum += values[i] * rows.x[rows.columns[i]];
      sum += values[i] * T(3);
    }
  if constexpr (form == Backward)
    for (int i = last - 1; i >= first; --i)
      sum += values[i];
  if constexpr (form == Skipping)
    for (int i = first; i < last; i += 3)
      sum += values[i] * rows.x[rows.columns[i]];
  if constexpr (form == Leaving)
    for (int i = first; i < last; ++i) {
      if (values[i] == T(5))
        break;
      sum += values[i];
    }
  if constexpr (form == Writing)
    for (int i = first; i < last; ++i) {
      sum += values[i];
      rows.scratch[i] = sum;
    }
  if constexpr (form == LastWanted)
    for (int i = first; i < last; ++i) {
      sum += values[i];
      other = values[i];
    }
  return sum + other * T(2);
}

/// Operations on integers.
template <class T> __host__ __device__ T joinOf(const Rows<T> &rows, int row, int operation) {
  int first = rows.starts[row], last = rows.starts[row + 1];
  const T *values = rows.values;
  T sum = T(row % 7);
  switch (operation) {
  case 0:
    for (int i = first; i < last; ++i)
      sum = sum > values[i] ? sum : values[i];
    break;
  case 1:
    for (int i = first; i < last; ++i)
      sum = sum < values[i] ? sum : values[i];
    break;
  case 2:
    for (int i = first; i < last; ++i)
      sum = T(sum ^ values[i] * T(i));
    break;
  case 3:
    for (int i = first; i < last; ++i)
      sum = T(sum | values[i]);
    break;
  case 4:
    for (int i = first; i < last; ++i)
      sum = T(sum & (values[i] + T(1)));
    break;
  default:
    for (int i = first; i < last; ++i)
      sum = T(sum * (values[i] | T(1)));
  }
  return sum;
}

template <int form, class T>
__global__ void sumRows(int count, const int *starts, const int *columns, const T *values, const T *x, T *y, T *scratch) {
  Rows<T> rows{starts, columns, values, x, y, scratch};
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < count)
    rows.y[row] = sumOf<form>(rows, row);
}

template <class T> __global__ void joinRows(int count, const int *starts, const T *values, T *y, int operation) {
  Rows<T> rows{starts, nullptr, values, nullptr, y, nullptr};
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < count)
    rows.y[row] = joinOf(rows, row, operation);
}

/// One thread adds up what its block has.
template <class T> __global__ void sumBlock(Rows<T> rows, int *lengths) {
  int first = rows.starts[blockIdx.x], length = rows.starts[blockIdx.x + 1] - first;
  atomicAdd(&lengths[blockIdx.x], length);
  __syncthreads();
  if (threadIdx.x == 5) {
    T sum = 0;
    for (int i = 0; i < length; ++i)
      sum += rows.values[first + i];
    rows.y[blockIdx.x] = sum;
  }
}

constexpr int Count = 371, Columns = 512;

template <class T> struct Host {
  std::vector<int> starts{0}, columns;
  std::vector<T> values, x, y, scratch;

  Host() {
    Random random(7);
    while (int(starts.size()) <= Count) {
      constexpr int lengths[] = {0, 1, 15, 16, 17, 31, 32, 33, 100, 127, 128, 129, 300};
      int kind = random.below(16), length = kind < 13 ? lengths[kind] : random.below(40);
      starts.push_back(starts.back() + length);
    }
    starts.back() = (starts.back() + 4095) / 4096 * 4096; // the last row ends where a page does
    for (int i = 0; i < starts.back(); ++i) {
      columns.push_back(random.below(Columns));
      values.push_back(T(random.below(8)));
    }
    for (int i = 0; i < Columns; ++i)
      x.push_back(T(random.below(8)));
    y.resize(Count);
    scratch.resize(values.size());
  }
  Rows<T> rows() { return {starts.data(), columns.data(), values.data(), x.data(), y.data(), scratch.data()}; }
};

template <class T> struct Device {
  Buffer<int> starts, columns;
  Buffer<T> values, x, y, scratch;

  explicit Device(const Host<T> &host)
      : starts(host.starts), columns(host.columns), values(host.values), x(host.x), y(host.y), scratch(host.scratch) {}
  Rows<T> rows() { return {starts, columns, values, x, y, scratch}; }
};

template <int form, class T> void testForm(Host<T> &host, Device<T> &device, const std::string &type) {
  for (int row = 0; row < Count; ++row)
    host.y[row] = sumOf<form>(host.rows(), row);
  for (int block : {32, 100}) {
    sumRows<form, T><<<(Count + block - 1) / block, block>>>(Count, device.starts, device.columns, device.values,
                                                             device.x, device.y, device.scratch);
    checkLaunch();
    expectAll(type + " form " + std::to_string(form), device.y.get(), host.y);
  }
}

template <class T, int... forms>
void testForms(const std::string &type, std::integer_sequence<int, forms...>) {
  Host<T> host;
  Device<T> device(host);
  (testForm<forms>(host, device, type), ...);
  Buffer<int> lengths(Count);
  sumBlock<<<Count, 40>>>(device.rows(), lengths);
  checkLaunch();
  for (int row = 0; row < Count; ++row) {
    host.y[row] = 0;
    for (int i = host.starts[row]; i < host.starts[row + 1]; ++i)
      host.y[row] += host.values[i];
  }
  expectAll(type + " by one thread", device.y.get(), host.y);
}

template <class T> void testJoins(const std::string &type) {
  Host<T> host;
  Device<T> device(host);
  for (int operation = 0; operation < 6; ++operation) {
    for (int row = 0; row < Count; ++row)
      host.y[row] = joinOf(host.rows(), row, operation);
    joinRows<<<(Count + 63) / 64, 64>>>(Count, device.starts, device.values.data, device.y.data, operation);
    checkLaunch();
    expectAll(type + " operation " + std::to_string(operation), device.y.get(), host.y);
  }
}

template <class T> void test(const std::string &type) {
  testForms<T>(type, std::make_integer_sequence<int, Forms>());
  if constexpr (std::is_integral_v<T>)
    testJoins<T>(type);
}

/// Sums of words of what is narrower, along rows of a common length, behind a branch that is there for no rows at all.
template <class T> __host__ __device__ int sumOfBytes(const T *left, const unsigned char *right, int length) {
  int sum = length, most = -1000;
  for (int i = 0; i < length; ++i) {
    sum += left[i] * right[i] - (left[i] > 3 ? i : 0);
    most = max(most, int(left[i]));
  }
  return sum * 3 + most;
}

template <class T> __global__ void sumByteRows(int count, int length, const T *left, const unsigned char *right, int *sums) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < count)
    sums[row] = sumOfBytes(left + row / 4 * length, right + row % 4 * length, length);
}

template <class T> void testBytes(const std::string &type) {
  constexpr int longest = 700;
  Random random(8);
  std::vector<T> left((Count / 4 + 1) * longest);
  std::vector<unsigned char> right(4 * longest);
  for (T &value : left)
    value = T(random.bits());
  for (unsigned char &value : right)
    value = random.bits();
  Buffer<T> deviceLeft(left);
  Buffer<unsigned char> deviceRight(right);
  Buffer<int> sums(Count);
  for (int length : {0, 1, 63, 64, 65, 127, 128, 255, 256, 257, 511, 512, longest}) {
    sumByteRows<T><<<(Count + 63) / 64, 64>>>(Count, length, deviceLeft, deviceRight, sums);
    checkLaunch();
    std::vector<int> want(Count);
    for (int row = 0; row < Count; ++row)
      want[row] = sumOfBytes(&left[row / 4 * length], &right[row % 4 * length], length);
    expectAll(type + " rows of " + std::to_string(length), sums.get(), want);
  }
}

int main() {
  testBytes<signed char>("bytes");
  testBytes<short>("shorts");
  testBytes<long long>("long long");
  test<float>("float");
  test<double>("double");
  test<int>("int");
  test<long long>("long long");
  test<unsigned char>("unsigned char");
  return finish();
}
