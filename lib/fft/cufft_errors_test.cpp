// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuFFT says of handles, sizes and pointers that are none, of work areas and settings; streams
// and graphs.
#include <cuda_runtime_api.h>
#include <cufftXt.h>
#include <gtest/gtest.h>

#include <atomic>
#include <climits>
#include <thread>
#include <vector>

namespace {

constexpr cufftHandle NoPlan = 987654;

cufftHandle create() {
  cufftHandle plan;
  EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  return plan;
}

template <typename T> T *allocate(size_t count) {
  void *data;
  EXPECT_EQ(cudaMalloc(&data, count * sizeof(T)), cudaSuccess);
  EXPECT_EQ(cudaMemset(data, 0, count * sizeof(T)), cudaSuccess);
  return static_cast<T *>(data);
}

TEST(CufftErrors, Handles) {
  size_t size;
  float2 *data = allocate<float2>(8);
  EXPECT_EQ(cufftCreate(nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftPlan1d(nullptr, 8, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftDestroy(NoPlan), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftMakePlan1d(NoPlan, 8, CUFFT_C2C, 1, &size), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftSetStream(NoPlan, nullptr), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftGetSize(NoPlan, &size), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftGetSize1d(NoPlan, 8, CUFFT_C2C, 1, &size), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftExecC2C(NoPlan, data, data, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
  cufftHandle plan = create();
  EXPECT_EQ(cufftExecC2C(plan, data, data, CUFFT_FORWARD), CUFFT_INVALID_PLAN) << "not made yet";
  EXPECT_EQ(cufftGetSize(plan, &size), CUFFT_INVALID_PLAN);
  EXPECT_EQ(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size), CUFFT_SUCCESS);
  EXPECT_EQ(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size), CUFFT_INVALID_PLAN) << "made already";
  EXPECT_EQ(cufftExecZ2Z(plan, reinterpret_cast<double2 *>(data), reinterpret_cast<double2 *>(data),
                         CUFFT_FORWARD),
            CUFFT_INVALID_PLAN)
      << "another type";
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_INVALID_PLAN);
  cudaFree(data);
}

TEST(CufftErrors, Sizes) {
  cufftHandle plan = -1;
  EXPECT_EQ(cufftPlan1d(&plan, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftPlan1d(&plan, -5, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftPlan1d(&plan, 8, CUFFT_C2C, 0), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftPlan2d(&plan, 8, 0, CUFFT_C2C), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftPlan3d(&plan, INT_MAX, INT_MAX, INT_MAX, CUFFT_C2C), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftPlan1d(&plan, 8, cufftType(0), 1), CUFFT_INVALID_TYPE);
  int n[] = {4, 4, 4, 4}, small[] = {4, 2, 2};
  EXPECT_EQ(cufftPlanMany(&plan, 0, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1),
            CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftPlanMany(&plan, 4, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1),
            CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftPlanMany(&plan, 1, nullptr, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1),
            CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftPlanMany(&plan, 3, n, small, 1, 64, n, 1, 64, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftPlanMany(&plan, 3, n, n, 0, 64, n, 1, 64, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  EXPECT_EQ(plan, -1) << "written by no call that fails";
}

TEST(CufftErrors, ElementTypes) {
  long long n[] = {12}, two[] = {16};
  size_t size;
  auto make = [&](long long *n, cudaDataType in, cudaDataType out, cudaDataType by) {
    cufftHandle plan = create();
    cufftResult result =
        cufftXtMakePlanMany(plan, 1, n, nullptr, 1, 0, in, nullptr, 1, 0, out, 1, &size, by);
    EXPECT_EQ(cufftXtGetSizeMany(plan, 1, n, nullptr, 1, 0, in, nullptr, 1, 0, out, 1, &size, by),
              result);
    cufftDestroy(plan);
    return result;
  };
  EXPECT_EQ(make(n, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F), CUFFT_SUCCESS);
  EXPECT_EQ(make(n, CUDA_R_32F, CUDA_R_32F, CUDA_C_32F), CUFFT_INVALID_TYPE);
  EXPECT_EQ(make(n, CUDA_C_32F, CUDA_C_64F, CUDA_C_64F), CUFFT_INVALID_TYPE);
  EXPECT_EQ(make(n, CUDA_R_8I, CUDA_C_32F, CUDA_C_32F), CUFFT_INVALID_TYPE);
  EXPECT_EQ(make(two, CUDA_R_16F, CUDA_C_16F, CUDA_C_16F), CUFFT_SUCCESS);
  EXPECT_EQ(make(n, CUDA_R_16F, CUDA_C_16F, CUDA_C_16F), CUFFT_NOT_SUPPORTED) << "no power of two";
  EXPECT_EQ(make(n, CUDA_C_16BF, CUDA_C_16BF, CUDA_C_16BF), CUFFT_NOT_SUPPORTED);
}

TEST(CufftErrors, PointersAndDirections) {
  cufftHandle plan;
  ASSERT_EQ(cufftPlan1d(&plan, 8, CUFFT_C2C, 1), CUFFT_SUCCESS);
  float2 *data = allocate<float2>(8), host[8];
  EXPECT_EQ(cufftExecC2C(plan, nullptr, data, CUFFT_FORWARD), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftExecC2C(plan, data, nullptr, CUFFT_FORWARD), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftExecC2C(plan, host, data, CUFFT_FORWARD), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftExecC2C(plan, data, data, 0), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftExecC2C(plan, data, data, CUFFT_INVERSE), CUFFT_SUCCESS);
  cufftDestroy(plan);
  cudaFree(data);
}

TEST(CufftErrors, WorkAreas) {
  size_t estimated, sized, made, kept;
  ASSERT_EQ(cufftEstimate3d(4, 5, 6, CUFFT_C2R, &estimated), CUFFT_SUCCESS);
  EXPECT_EQ(estimated, 4 * 5 * 4 * sizeof(float2));
  cufftHandle plan = create();
  EXPECT_EQ(cufftGetSize3d(plan, 4, 5, 6, CUFFT_C2R, &sized), CUFFT_SUCCESS);
  EXPECT_EQ(cufftSetAutoAllocation(plan, 0), CUFFT_SUCCESS);
  EXPECT_EQ(cufftMakePlan3d(plan, 4, 5, 6, CUFFT_C2R, &made), CUFFT_SUCCESS);
  EXPECT_EQ(cufftGetSize(plan, &kept), CUFFT_SUCCESS);
  EXPECT_EQ(sized, estimated);
  EXPECT_EQ(made, estimated);
  EXPECT_EQ(kept, estimated);
  EXPECT_EQ(cufftSetAutoAllocation(plan, 1), CUFFT_INVALID_PLAN) << "too late";
  float2 *spectrum = allocate<float2>(4 * 5 * 4);
  float *signal = allocate<float>(4 * 5 * 6);
  EXPECT_EQ(cufftExecC2R(plan, spectrum, signal), CUFFT_NO_WORKSPACE);
  char *area = allocate<char>(estimated);
  EXPECT_EQ(cufftSetWorkArea(plan, area), CUFFT_SUCCESS);
  EXPECT_EQ(cufftExecC2R(plan, spectrum, signal), CUFFT_SUCCESS);
  size_t less = estimated - 1;
  EXPECT_EQ(cufftXtSetWorkAreaPolicy(plan, CUFFT_WORKAREA_USER, &less), CUFFT_INVALID_SIZE);
  EXPECT_EQ(cufftXtSetWorkAreaPolicy(plan, CUFFT_WORKAREA_MINIMAL, &less), CUFFT_SUCCESS);
  EXPECT_EQ(less, estimated);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  for (void *p :
       {static_cast<void *>(spectrum), static_cast<void *>(signal), static_cast<void *>(area)})
    EXPECT_EQ(cudaFree(p), cudaSuccess);
}

TEST(CufftErrors, Sizing) {
  size_t size = 1;
  int n[] = {8, 8};
  long long n64[] = {8, 8};
  EXPECT_EQ(cufftEstimate1d(8, CUFFT_C2R, 5, &size), CUFFT_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(cufftEstimate1d(8, CUFFT_C2R, 5, nullptr), CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftEstimate2d(8, 8, CUFFT_Z2D, &size), CUFFT_SUCCESS);
  EXPECT_EQ(size, 8 * 5 * sizeof(double2));
  EXPECT_EQ(cufftEstimateMany(2, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2D, 3, &size),
            CUFFT_SUCCESS);
  EXPECT_EQ(size, 3 * 8 * 5 * sizeof(double2));
  cufftHandle plan = create();
  EXPECT_EQ(cufftGetSize2d(plan, 8, 8, CUFFT_Z2Z, &size), CUFFT_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(cufftGetSizeMany(plan, 2, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2D, 2, &size),
            CUFFT_SUCCESS);
  EXPECT_EQ(size, 2 * 8 * 5 * sizeof(double2));
  EXPECT_EQ(cufftGetSizeMany64(plan, 2, n64, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2R, 2, &size),
            CUFFT_SUCCESS);
  EXPECT_EQ(size, 2 * 8 * 5 * sizeof(float2));
  cufftDestroy(plan);
}

TEST(CufftErrors, Properties) {
  cufftHandle plan = create();
  long long value;
  EXPECT_EQ(cufftSetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS, 4),
            CUFFT_SUCCESS);
  EXPECT_EQ(cufftGetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS, &value),
            CUFFT_SUCCESS);
  EXPECT_EQ(value, 4);
  EXPECT_EQ(cufftResetPlanProperty(plan, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS),
            CUFFT_SUCCESS);
  EXPECT_EQ(cufftGetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS, &value),
            CUFFT_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cufftSetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, 2),
            CUFFT_INVALID_VALUE);
  EXPECT_EQ(cufftSetPlanPropertyInt64(plan, cufftProperty(99), 1), CUFFT_NOT_SUPPORTED);
  int version, major, minor, patch;
  EXPECT_EQ(cufftGetVersion(&version), CUFFT_SUCCESS);
  EXPECT_EQ(cufftGetProperty(MAJOR_VERSION, &major), CUFFT_SUCCESS);
  EXPECT_EQ(cufftGetProperty(MINOR_VERSION, &minor), CUFFT_SUCCESS);
  EXPECT_EQ(cufftGetProperty(PATCH_LEVEL, &patch), CUFFT_SUCCESS);
  EXPECT_EQ(version, major * 1000 + minor * 100 + patch);
  EXPECT_EQ(cufftGetProperty(libraryPropertyType(9), &major), CUFFT_INVALID_VALUE);
  cufftDestroy(plan);
}

TEST(CufftErrors, CallbacksAreRefused) {
  cufftHandle plan;
  ASSERT_EQ(cufftPlan1d(&plan, 8, CUFFT_C2C, 1), CUFFT_SUCCESS);
  void *callback = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cufftXtSetCallback(plan, &callback, CUFFT_CB_LD_COMPLEX, nullptr), CUFFT_NOT_SUPPORTED);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cufftXtSetCallback"), std::string::npos);
  cufftDestroy(plan);
}

TEST(CufftStreams, RunsInTheStreamAndInGraphs) {
  constexpr int N = 30;
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  cufftHandle plan;
  ASSERT_EQ(cufftPlan1d(&plan, N, CUFFT_C2C, 1), CUFFT_SUCCESS);
  ASSERT_EQ(cufftSetStream(plan, stream), CUFFT_SUCCESS);
  float2 *data = allocate<float2>(N);
  std::atomic<bool> go = false;
  auto wait = [](void *flag) {
    while (!static_cast<std::atomic<bool> *>(flag)->load())
      std::this_thread::yield();
  };
  ASSERT_EQ(cudaLaunchHostFunc(stream, wait, &go), cudaSuccess);
  std::vector<float2> host(N, float2{1, 0}), result(N);
  ASSERT_EQ(cudaMemcpyAsync(data, host.data(), N * sizeof(float2), cudaMemcpyHostToDevice, stream),
            cudaSuccess);
  ASSERT_EQ(cufftExecC2C(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady) << "the call waits for nothing";
  go = true;
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(result.data(), data, N * sizeof(float2), cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(result[0].x, N);

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cufftExecC2C(plan, data, data, CUFFT_INVERSE), CUFFT_SUCCESS);
  ASSERT_EQ(cufftExecC2C(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(result.data(), data, N * sizeof(float2), cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_NEAR(result[0].x, float(N) * N * N, 1);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(data);
}

TEST(CufftStreams, ThreadsMakeAndRunTheirOwnPlans) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 6; ++i) {
        int n = 3 + (t + i) % 5;
        std::vector<double2> host(n, double2{1, 1});
        double2 *data = allocate<double2>(n);
        cudaMemcpy(data, host.data(), n * sizeof(double2), cudaMemcpyHostToDevice);
        cufftHandle plan;
        ASSERT_EQ(cufftPlan1d(&plan, n, CUFFT_Z2Z, 1), CUFFT_SUCCESS);
        ASSERT_EQ(cufftExecZ2Z(plan, data, data, CUFFT_FORWARD), CUFFT_SUCCESS);
        cudaMemcpy(host.data(), data, n * sizeof(double2), cudaMemcpyDeviceToHost);
        EXPECT_NEAR(host[0].x, n, 1e-12);
        cufftDestroy(plan);
        cudaFree(data);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
