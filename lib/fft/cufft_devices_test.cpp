// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans for several devices: where the data lie before and after a transform, and that it is the
// same one.
#include "fft/cufft_test_data.h"

#include <cufftXt.h>

using namespace heddle::fft;

namespace {

constexpr int Devices = 3;

/// Before the first call of CUDA.
const int DevicesAreSet = setenv("HEDDLE_DEVICE", "cpu,cpu,cpu", 1);

cufftHandle createForDevices() {
  cufftHandle plan;
  int devices[Devices] = {0, 1, 2};
  EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtSetGPUs(plan, Devices, devices), CUFFT_SUCCESS);
  return plan;
}

std::vector<float2> randomComplex(size_t count) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float2> data(count);
  for (float2 &v : data)
    v = {value(random), value(random)};
  return data;
}

std::vector<float2> expected(const std::vector<float2> &data, const Problem &problem) {
  std::vector<Value> values;
  for (float2 v : data)
    values.emplace_back(v.x, v.y);
  std::vector<float2> result;
  for (Value v : transformed(values, problem, -1))
    result.push_back({float(v.real()), float(v.imag())});
  return result;
}

void expectNear(const std::vector<float2> &a, const std::vector<float2> &b) {
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i].x, b[i].x, 1e-4) << i;
    ASSERT_NEAR(a[i].y, b[i].y, 1e-4) << i;
  }
}

/// After a transform each device has some rows of all slices.
TEST(CufftDevices, RowsAfterATransform) {
  constexpr int X = 4, Y = 7, Z = 5;
  cufftHandle plan = createForDevices();
  size_t sizes[Devices] = {9, 9, 9};
  ASSERT_EQ(cufftMakePlan3d(plan, X, Y, Z, CUFFT_C2C, sizes), CUFFT_SUCCESS);
  EXPECT_EQ(sizes[2], 0u);
  std::vector<float2> host = randomComplex(X * Y * Z), back(host.size());
  cudaLibXtDesc *data, *ordered;
  ASSERT_EQ(cufftXtMalloc(plan, &data, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
  ASSERT_EQ(cufftXtMalloc(plan, &ordered, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
  ASSERT_EQ(data->descriptor->nGPUs, Devices);
  ASSERT_EQ(cufftXtMemcpy(plan, data, host.data(), CUFFT_COPY_HOST_TO_DEVICE), CUFFT_SUCCESS);
  std::vector<float2> second(Y * Z); // slices 0 and 1, 2, 3
  ASSERT_EQ(cudaMemcpy(second.data(), data->descriptor->data[1], Y * Z * sizeof(float2),
                       cudaMemcpyDefault),
            cudaSuccess);
  EXPECT_EQ(std::memcmp(second.data(), &host[2 * Y * Z], Y * Z * sizeof(float2)), 0);

  ASSERT_EQ(cufftXtExecDescriptorC2C(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
  EXPECT_EQ(data->subFormat, CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
  std::vector<float2> result = expected(host, {Kind::Complex, Number::Float, 3, {X, Y, Z}, 1});
  std::vector<float2> rows(X * 2 * Z), expectedRows; // rows 3 and 4 of each slice
  ASSERT_EQ(cudaMemcpy(rows.data(), data->descriptor->data[1], rows.size() * sizeof(float2),
                       cudaMemcpyDefault),
            cudaSuccess);
  for (int x = 0; x < X; ++x)
    for (int i = 0; i < 2 * Z; ++i)
      expectedRows.push_back(result[(x * Y + 3) * Z + i]);
  expectNear(rows, expectedRows);

  // In order again: on the host, and on the devices.
  ASSERT_EQ(cufftXtMemcpy(plan, back.data(), data, CUFFT_COPY_DEVICE_TO_HOST), CUFFT_SUCCESS);
  expectNear(back, result);
  ASSERT_EQ(cufftXtMemcpy(plan, ordered, data, CUFFT_COPY_DEVICE_TO_DEVICE), CUFFT_SUCCESS);
  ASSERT_EQ(cudaMemcpy(second.data(), ordered->descriptor->data[1], Y * Z * sizeof(float2),
                       cudaMemcpyDefault),
            cudaSuccess);
  expectNear(second, {result.begin() + 2 * Y * Z, result.begin() + 3 * Y * Z});

  ASSERT_EQ(cufftXtExecDescriptor(plan, data, data, CUFFT_INVERSE), CUFFT_SUCCESS);
  EXPECT_EQ(data->subFormat, CUFFT_XT_FORMAT_INPLACE);
  ASSERT_EQ(cufftXtMemcpy(plan, back.data(), data, CUFFT_COPY_DEVICE_TO_HOST), CUFFT_SUCCESS);
  for (float2 &v : back)
    v.x /= X * Y * Z, v.y /= X * Y * Z;
  expectNear(back, host);
  EXPECT_EQ(cufftXtFree(data), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtFree(ordered), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
}

TEST(CufftDevices, BatchesAndOneDimension) {
  for (int batch : {1, 5}) {
    constexpr int N = 32;
    cufftHandle plan = createForDevices();
    ASSERT_EQ(cufftMakePlan1d(plan, N, CUFFT_C2C, batch, nullptr), CUFFT_SUCCESS);
    std::vector<float2> host = randomComplex(size_t(N * batch)), result(host.size()), right;
    for (int b = 0; b < batch; ++b)
      for (float2 v : expected({host.begin() + b * N, host.begin() + (b + 1) * N},
                               {Kind::Complex, Number::Float, 1, {N}, 1}))
        right.push_back(v);
    cudaLibXtDesc *data;
    ASSERT_EQ(cufftXtMalloc(plan, &data, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
    ASSERT_EQ(cufftXtMemcpy(plan, data, host.data(), CUFFT_COPY_HOST_TO_DEVICE), CUFFT_SUCCESS);
    ASSERT_EQ(cufftXtExecDescriptorC2C(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
    ASSERT_EQ(cufftXtMemcpy(plan, result.data(), data, CUFFT_COPY_DEVICE_TO_HOST), CUFFT_SUCCESS);
    expectNear(result, right);
    EXPECT_EQ(cufftXtFree(data), CUFFT_SUCCESS);
    EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  }
}

/// Where elements are between two transforms of one dimension, as the documentation computes it.
TEST(CufftDevices, OrderOfOneDimension) {
  constexpr int N = 64, Count = 2;
  cufftHandle plan;
  int devices[Count] = {0, 2};
  ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  ASSERT_EQ(cufftXtSetGPUs(plan, Count, devices), CUFFT_SUCCESS);
  cufftXt1dFactors f;
  EXPECT_EQ(cufftXtQueryPlan(plan, &f, CUFFT_QUERY_1D_FACTORS), CUFFT_INVALID_PLAN) << "not made";
  ASSERT_EQ(cufftMakePlan1d(plan, N, CUFFT_C2C, 1, nullptr), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtQueryPlan(plan, nullptr, CUFFT_QUERY_1D_FACTORS), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftXtQueryPlan(plan, &f, CUFFT_QUERY_UNDEFINED), CUFFT_INVALID_VALUE);
  ASSERT_EQ(cufftXtQueryPlan(plan, &f, CUFFT_QUERY_1D_FACTORS), CUFFT_SUCCESS);
  EXPECT_EQ(f.size, N);
  EXPECT_EQ(f.factor1 * f.factor2, N);
  EXPECT_EQ(f.stringCount * f.stringLength, N);

  std::vector<float2> host = randomComplex(N), part(N / Count);
  std::vector<float2> right = expected(host, {Kind::Complex, Number::Float, 1, {N}, 1});
  cudaLibXtDesc *data;
  ASSERT_EQ(cufftXtMalloc(plan, &data, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
  ASSERT_EQ(cufftXtMemcpy(plan, data, host.data(), CUFFT_COPY_HOST_TO_DEVICE), CUFFT_SUCCESS);
  ASSERT_EQ(cufftXtExecDescriptorC2C(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
  for (int device = 0; device < Count; ++device) {
    ASSERT_EQ(cudaMemcpy(part.data(), data->descriptor->data[device], part.size() * sizeof(float2),
                         cudaMemcpyDefault),
              cudaSuccess);
    std::vector<float2> placed;
    for (long long i = 0; i < N / Count; ++i) {
      long long inSubstring = i & f.substringMask;
      long long substring = (i >> f.substringShift) & f.factor2Mask;
      long long string = ((i >> f.stringShift) & f.stringMask) + device * f.stringCount / Count;
      placed.push_back(right[size_t(inSubstring + (string << f.substringShift) +
                                    (substring << f.factor1Shift))]);
    }
    expectNear(part, placed);
  }
  EXPECT_EQ(cufftXtFree(data), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);

  plan = createForDevices(); // three
  ASSERT_EQ(cufftMakePlan1d(plan, N, CUFFT_C2C, 1, nullptr), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtQueryPlan(plan, &f, CUFFT_QUERY_1D_FACTORS), CUFFT_NOT_SUPPORTED);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  plan = createForDevices();
  ASSERT_EQ(cufftMakePlan2d(plan, N, N, CUFFT_C2C, nullptr), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtQueryPlan(plan, &f, CUFFT_QUERY_1D_FACTORS), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
}

/// A plan without cufftXtSetGPUs has descriptors on the device that it was made on, as on a GPU.
TEST(CufftDevices, CurrentDevice) {
  constexpr int N = 6;
  cufftHandle plan;
  ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  ASSERT_EQ(cufftMakePlan2d(plan, N, N, CUFFT_C2C, nullptr), CUFFT_SUCCESS);
  std::vector<float2> host(N * N, {1, 0}), result(N * N);
  cudaLibXtDesc *data;
  ASSERT_EQ(cufftXtMalloc(plan, &data, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
  EXPECT_EQ(data->descriptor->nGPUs, 1);
  ASSERT_EQ(cufftXtMemcpy(plan, data, host.data(), CUFFT_COPY_HOST_TO_DEVICE), CUFFT_SUCCESS);
  ASSERT_EQ(cufftXtExecDescriptor(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
  ASSERT_EQ(cufftXtMemcpy(plan, result.data(), data, CUFFT_COPY_DEVICE_TO_HOST), CUFFT_SUCCESS);
  for (int i = 0; i < N * N; ++i) {
    EXPECT_EQ(result[size_t(i)].x, i == 0 ? N * N : 0);
    EXPECT_EQ(result[size_t(i)].y, 0);
  }
  EXPECT_EQ(cufftXtFree(data), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
}

/// There and back in all real types: rows are padded, on the host too.
template <typename T, typename There, typename Back>
void checkReal(cufftType there, cufftType back, There executeThere, Back executeBack) {
  constexpr int X = 5, Y = 6, Row = 2 * (Y / 2 + 1);
  cufftHandle forward = createForDevices(), inverse = createForDevices();
  ASSERT_EQ(cufftMakePlan2d(forward, X, Y, there, nullptr), CUFFT_SUCCESS);
  ASSERT_EQ(cufftMakePlan2d(inverse, X, Y, back, nullptr), CUFFT_SUCCESS);
  std::vector<T> host(X * Row), result(X * Row);
  T sum = 0;
  for (int x = 0; x < X; ++x)
    for (int y = 0; y < Y; ++y)
      sum += host[x * Row + y] = T(x * x + y);
  cudaLibXtDesc *data;
  ASSERT_EQ(cufftXtMalloc(forward, &data, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
  ASSERT_EQ(cufftXtMemcpy(forward, data, host.data(), CUFFT_COPY_HOST_TO_DEVICE), CUFFT_SUCCESS);
  ASSERT_EQ(executeThere(forward, data, data), CUFFT_SUCCESS);
  ASSERT_EQ(cufftXtMemcpy(forward, result.data(), data, CUFFT_COPY_DEVICE_TO_HOST), CUFFT_SUCCESS);
  EXPECT_NEAR(result[0], sum, 1e-3);
  ASSERT_EQ(executeBack(inverse, data, data), CUFFT_SUCCESS);
  ASSERT_EQ(cufftXtMemcpy(inverse, result.data(), data, CUFFT_COPY_DEVICE_TO_HOST), CUFFT_SUCCESS);
  for (int x = 0; x < X; ++x)
    for (int y = 0; y < Y; ++y)
      ASSERT_NEAR(result[x * Row + y] / (X * Y), host[x * Row + y], 1e-4);
  EXPECT_EQ(cufftXtFree(data), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(forward), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(inverse), CUFFT_SUCCESS);
}

TEST(CufftDevices, RealData) {
  checkReal<float>(CUFFT_R2C, CUFFT_C2R, cufftXtExecDescriptorR2C, cufftXtExecDescriptorC2R);
  checkReal<double>(CUFFT_D2Z, CUFFT_Z2D, cufftXtExecDescriptorD2Z, cufftXtExecDescriptorZ2D);
}

TEST(CufftDevices, Errors) {
  cufftHandle plan;
  int devices[] = {0, 1, 7}, twice[] = {1, 1};
  ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtSetGPUs(plan, 3, devices), CUFFT_INVALID_DEVICE);
  EXPECT_EQ(cufftXtSetGPUs(plan, 0, devices), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftXtSetGPUs(-3, 2, devices), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftXtSetGPUs(plan, 2, twice), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtSetGPUs(plan, 2, devices), CUFFT_INVALID_PLAN) << "set already";
  cudaLibXtDesc *data;
  EXPECT_EQ(cufftXtMalloc(plan, &data, CUFFT_XT_FORMAT_INPLACE), CUFFT_INVALID_PLAN) << "not made";
  int n[] = {4};
  EXPECT_EQ(cufftMakePlanMany(plan, 1, n, n, 2, 8, n, 2, 8, CUFFT_C2C, 1, nullptr),
            CUFFT_NOT_SUPPORTED);
  ASSERT_EQ(cufftMakePlan2d(plan, 4, 4, CUFFT_Z2Z, nullptr), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtMalloc(plan, &data, CUFFT_FORMAT_UNDEFINED), CUFFT_INVALID_VALUE);
  ASSERT_EQ(cufftXtMalloc(plan, &data, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtExecDescriptorC2C(plan, data, data, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftXtExecDescriptorZ2Z(plan, data, data, 0), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftXtExecDescriptorZ2Z(plan, data, nullptr, CUFFT_FORWARD), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftXtExecDescriptorZ2Z(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtMemcpy(plan, data, nullptr, CUFFT_COPY_HOST_TO_DEVICE), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftXtMemcpy(plan, data, data, CUFFT_COPY_UNDEFINED), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftXtSetWorkArea(plan, nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftExecZ2Z(plan, static_cast<double2 *>(data->descriptor->data[0]),
                         static_cast<double2 *>(data->descriptor->data[0]), CUFFT_FORWARD),
            CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftXtFree(data), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtFree(nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
}

} // namespace
