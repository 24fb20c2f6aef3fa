// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans, and the table from handles to them.
//
// A plan is a problem (problem.h) and settings. What FFTW needs to know beyond that, whether the
// data are aligned and the same on both sides, a plan learns when it is executed: then it asks for
// the transform (transform.h), and work that runs it goes into the stream (execute.cpp).
#pragma once

#include "fft/callbacks.h"
#include "fft/problem.h"
#include "fft/transform.h"

#include <cufftXt.h>

#include <initializer_list>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle::fft {

struct Plan {
  Plan() = default;
  Plan(const Plan &) = delete;
  ~Plan();

  std::mutex mutex; ///< for all that follows

  bool made = false;
  Problem problem{};
  std::shared_ptr<const Transform> transforms[2][2][2]; ///< [in place][forward][aligned]

  cudaStream_t stream = nullptr;
  bool allocatesWorkArea = true;
  void *workArea = nullptr; ///< in use, ours or the program's
  void *ownWorkArea = nullptr;

  Callbacks callbacks;

  std::vector<int> devices; ///< of cufftXtSetGPUs; empty: the current one, by pointers
  int device = 0;           ///< that the plan was made on
  /// Where the data of descriptors lies.
  std::vector<int> descriptorDevices() const {
    return devices.empty() ? std::vector{device} : devices;
  }

  long long patientJit = 1, hostThreads = 1;
};

/// A new handle; null if the plan is none.
cufftResult addPlan(cufftHandle *handle);

/// Null if there is no such plan.
std::shared_ptr<Plan> findPlan(cufftHandle handle);

cufftResult removePlan(cufftHandle handle);

/// Descriptors, and so plans for several devices, are for basic layouts in float and double.
bool isForDevices(const Problem &problem);

/// Work areas of the program's own take the place of the plan's.
void useWorkArea(Plan &plan, void *workArea);

/// The result that stands for the runtime's error.
cufftResult resultOf(cudaError_t error);

// What a call describes. The functions check it as cuFFT's do.
struct Description {
  int rank;
  long long n[MaxRank], inEmbed[MaxRank], outEmbed[MaxRank];
  bool advanced;
  long long inStride, inDist, outStride, outDist, batch;
};

cufftResult problemOf(const Description &description, cufftType type, Problem &problem);

/// The element types of cufftXtMakePlanMany.
cufftResult problemOf(const Description &description, cudaDataType in, cudaDataType out,
                      cudaDataType execution, Problem &problem);

inline Description describe(std::initializer_list<int> sizes, int batch = 1) {
  Description description{};
  for (int n : sizes)
    description.n[description.rank++] = n;
  description.batch = batch;
  return description;
}

/// The arguments of the "many" functions. A null embed on either side means basic layouts, as the
/// reference says. CUFFT_INVALID_VALUE for a rank that is none and missing sizes.
template <typename I>
cufftResult describeMany(int rank, const I *n, const I *inembed, I istride, I idist,
                         const I *onembed, I ostride, I odist, I batch, Description &result) {
  if (rank < 1 || rank > MaxRank || !n)
    return CUFFT_INVALID_VALUE;
  result = {};
  result.rank = rank;
  result.batch = batch;
  result.advanced = inembed && onembed;
  for (int i = 0; i < rank; ++i) {
    result.n[i] = n[i];
    if (result.advanced)
      result.inEmbed[i] = inembed[i], result.outEmbed[i] = onembed[i];
  }
  result.inStride = istride, result.inDist = idist;
  result.outStride = ostride, result.outDist = odist;
  return CUFFT_SUCCESS;
}

} // namespace heddle::fft
