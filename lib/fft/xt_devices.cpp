// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans for several devices. All devices are this machine, so a transform gathers the devices'
// shares, runs FFTW on all cores, and scatters the result in the order that a GPU's would have. The
// host waits for it, which a program cannot count on and cannot be harmed by.
//
// One-dimensional data stay in the order of the host: the order between two transforms is the
// library's affair, and cufftXtQueryPlan tells it.
#include "fft/devices.h"
#include "fft/plan.h"

#include "support/stream_work.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

using namespace heddle::fft;

namespace {

/// Memory of the host for all of a plan's data.
class Array {
public:
  explicit Array(size_t bytes)
      : data_(std::aligned_alloc(Alignment, (bytes + Alignment - 1) / Alignment * Alignment)) {}
  Array(const Array &) = delete;
  ~Array() { std::free(data_); }
  void *data() { return data_; }

private:
  static constexpr size_t Alignment = 64;
  void *data_;
};

class DeviceScope {
public:
  DeviceScope() { cudaGetDevice(&before_); }
  ~DeviceScope() { cudaSetDevice(before_); }

private:
  int before_ = 0;
};

size_t arrayBytes(const Boxes &boxes) {
  return size_t(boxes.outer * boxes.middle * boxes.inner) * boxes.bytes;
}

/// One dimension, or a batch, is in the same order on both sides of a transform.
bool isNaturalIn(const Boxes &boxes, cufftXtSubFormat format) {
  return isNatural(format) || boxes.middle == 1;
}

std::vector<void *> sharesOf(const cudaLibXtDesc &descriptor) {
  const cudaXtDesc &data = *descriptor.descriptor;
  return {data.data, data.data + data.nGPUs};
}

bool isDescriptor(const cudaLibXtDesc *descriptor) {
  return descriptor && descriptor->library == LIB_FORMAT_CUFFT && descriptor->descriptor;
}

cudaError_t waitForDevices(const std::vector<int> &devices) {
  DeviceScope scope;
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; i < devices.size() && error == cudaSuccess; ++i) {
    error = cudaSetDevice(devices[i]);
    if (error == cudaSuccess)
      error = cudaDeviceSynchronize();
  }
  return error;
}

/// Runs work on the devices' memory after all that they do, and waits for it.
template <typename Work> cufftResult runOnDevices(const Plan &plan, Work work) {
  cudaError_t error = waitForDevices(plan.descriptorDevices());
  if (error == cudaSuccess)
    error = heddle::library::enqueue(plan.stream, work);
  if (error == cudaSuccess)
    error = cudaStreamSynchronize(plan.stream);
  return resultOf(error);
}

/// Calls body(plan) for a plan that is made and may have descriptors.
template <typename Body> cufftResult onPlan(cufftHandle handle, Body body) {
  std::shared_ptr<Plan> plan = findPlan(handle);
  if (!plan)
    return CUFFT_INVALID_PLAN;
  std::lock_guard lock(plan->mutex);
  return plan->made && isForDevices(plan->problem) ? body(*plan) : CUFFT_INVALID_PLAN;
}

bool fits(const Plan &plan, const cudaLibXtDesc *descriptor) {
  return isDescriptor(descriptor) &&
         descriptor->descriptor->nGPUs == int(plan.descriptorDevices().size());
}

void freeData(cudaXtDesc &data) {
  DeviceScope scope;
  for (int i = 0; i < data.nGPUs; ++i) {
    cudaSetDevice(data.GPUs[i]);
    cudaFree(data.data[i]);
  }
}

/// Memory for either order on each device.
cudaError_t allocateData(const Plan &plan, cudaXtDesc &data) {
  Boxes boxes = boxesOf(plan.problem);
  DeviceScope scope;
  std::vector<int> devices = plan.descriptorDevices();
  int count = int(devices.size());
  for (int i = 0; i < count; ++i) {
    size_t bytes = shareBytes(boxes, true, shareOf(boxes, true, i, count));
    if (boxes.middle > 1)
      bytes = std::max(bytes, shareBytes(boxes, false, shareOf(boxes, false, i, count)));
    data.GPUs[i] = devices[size_t(i)];
    cudaError_t error = cudaSetDevice(data.GPUs[i]);
    if (error == cudaSuccess)
      error = cudaMalloc(&data.data[i], std::max<size_t>(bytes, 1));
    if (error != cudaSuccess)
      return error;
    data.size[i] = bytes;
    ++data.nGPUs;
  }
  return cudaSuccess;
}

bool isFormat(cufftXtSubFormat format) {
  return format >= CUFFT_XT_FORMAT_INPUT && format <= CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED;
}

cufftResult copyToDevices(const Plan &plan, cudaLibXtDesc *to, const void *from) {
  if (!fits(plan, to) || !from)
    return CUFFT_INVALID_VALUE;
  Boxes boxes = boxesOf(plan.problem);
  bool natural = isNaturalIn(boxes, cufftXtSubFormat(to->subFormat));
  return runOnDevices(plan, [=, shares = sharesOf(*to)] { scatter(boxes, natural, shares, from); });
}

cufftResult copyToHost(const Plan &plan, void *to, const cudaLibXtDesc *from) {
  if (!fits(plan, from) || !to)
    return CUFFT_INVALID_VALUE;
  Boxes boxes = boxesOf(plan.problem);
  bool natural = isNaturalIn(boxes, cufftXtSubFormat(from->subFormat));
  return runOnDevices(plan, [=, shares = sharesOf(*from)] { gather(boxes, natural, shares, to); });
}

/// From one order to the other.
cufftResult copyBetween(const Plan &plan, cudaLibXtDesc *to, const cudaLibXtDesc *from) {
  Array array(arrayBytes(boxesOf(plan.problem)));
  if (!array.data())
    return CUFFT_ALLOC_FAILED;
  cufftResult result = copyToHost(plan, array.data(), from);
  return result == CUFFT_SUCCESS ? copyToDevices(plan, to, array.data()) : result;
}

/// The format that a transform leaves in a descriptor: in place the other order, else its own.
void changeFormat(cudaLibXtDesc &output) {
  if (output.subFormat == CUFFT_XT_FORMAT_INPLACE)
    output.subFormat = CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
  else if (output.subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED)
    output.subFormat = CUFFT_XT_FORMAT_INPLACE;
}

cufftResult execute(const Plan &plan, cudaLibXtDesc *input, cudaLibXtDesc *output, int direction) {
  if (!fits(plan, input) || !fits(plan, output) ||
      (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
    return CUFFT_INVALID_VALUE;
  auto transform = findTransform(plan.problem, {true, direction == CUFFT_FORWARD, true});
  if (!transform || transform->wantsCopy)
    return CUFFT_INTERNAL_ERROR;
  auto array = std::make_shared<Array>(arrayBytes(boxesOf(plan.problem)));
  if (!array->data())
    return CUFFT_ALLOC_FAILED;
  cufftResult result = copyToHost(plan, array->data(), input);
  if (result == CUFFT_SUCCESS)
    result = runOnDevices(plan, [=] { transform->run(array->data(), array->data()); });
  if (result != CUFFT_SUCCESS)
    return result;
  changeFormat(*output);
  return copyToDevices(plan, output, array->data());
}

cufftResult executeAs(cufftHandle handle, Kind kind, Number number, cudaLibXtDesc *input,
                      cudaLibXtDesc *output, int direction) {
  return onPlan(handle, [&](Plan &plan) {
    bool right = plan.problem.kind == kind && plan.problem.number == number;
    return right ? execute(plan, input, output, direction) : CUFFT_INVALID_PLAN;
  });
}

/// How a transform leaves data of one dimension (Reference, "cufftXtQueryPlan"): strings, some on
/// each device, of substrings that are `factor1` apart in the order of the host. Ours is one
/// string of one substring on each device.
cufftResult queryFactors(const Plan &plan, cufftXt1dFactors &factors) {
  const Problem &problem = plan.problem;
  if (problem.rank != 1 || problem.batch != 1 || problem.kind != Kind::Complex)
    return CUFFT_INVALID_PLAN;
  int64_t size = problem.n[0], devices = int64_t(plan.descriptorDevices().size());
  int64_t part = size / devices;
  if (size % devices != 0 || !std::has_single_bit(uint64_t(part)))
    return CUFFT_NOT_SUPPORTED; // masks and shifts cannot say it
  int shift = std::countr_zero(uint64_t(part));
  factors = {};
  factors.size = factors.factor1 = size;
  factors.factor2 = 1;
  factors.stringCount = devices;
  factors.stringLength = factors.substringLength = part;
  factors.substringMask = part - 1;
  factors.factor1Mask = size - 1;
  factors.stringShift = factors.substringShift = shift;
  factors.factor1Shift = std::countr_zero(uint64_t(std::bit_ceil(uint64_t(size))));
  return CUFFT_SUCCESS;
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

cufftResult cufftXtSetGPUs(cufftHandle handle, int nGPUs, int *whichGPUs) {
  std::shared_ptr<Plan> plan = findPlan(handle);
  if (!plan)
    return CUFFT_INVALID_PLAN;
  std::lock_guard lock(plan->mutex);
  if (plan->made || !plan->devices.empty())
    return CUFFT_INVALID_PLAN;
  constexpr int MostDevices = 16; // Reference, cufftXtSetGPUs
  if (nGPUs < 1 || nGPUs > MostDevices || !whichGPUs)
    return CUFFT_INVALID_VALUE;
  int count = 0;
  cudaGetDeviceCount(&count);
  std::vector<int> devices(whichGPUs, whichGPUs + nGPUs);
  for (int device : devices) // the same one twice is allowed
    if (device < 0 || device >= count)
      return CUFFT_INVALID_DEVICE;
  plan->devices = std::move(devices);
  return CUFFT_SUCCESS;
}

cufftResult cufftXtMalloc(cufftHandle plan, cudaLibXtDesc **descriptor, cufftXtSubFormat format) {
  return onPlan(plan, [&](Plan &plan) {
    if (!descriptor || !isFormat(format))
      return CUFFT_INVALID_VALUE;
    auto *data = new cudaXtDesc{};
    data->version = CUDA_XT_DESCRIPTOR_VERSION;
    if (cudaError_t error = allocateData(plan, *data); error != cudaSuccess) {
      freeData(*data);
      delete data;
      return resultOf(error);
    }
    *descriptor =
        new cudaLibXtDesc{CUDA_XT_DESCRIPTOR_VERSION, data, LIB_FORMAT_CUFFT, format, nullptr};
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftXtFree(cudaLibXtDesc *descriptor) {
  if (!isDescriptor(descriptor))
    return CUFFT_INVALID_VALUE;
  freeData(*descriptor->descriptor);
  delete descriptor->descriptor;
  delete descriptor;
  return CUFFT_SUCCESS;
}

cufftResult cufftXtMemcpy(cufftHandle plan, void *dst, void *src, cufftXtCopyType type) {
  return onPlan(plan, [&](Plan &plan) {
    switch (type) {
    case CUFFT_COPY_HOST_TO_DEVICE:
      return copyToDevices(plan, static_cast<cudaLibXtDesc *>(dst), src);
    case CUFFT_COPY_DEVICE_TO_HOST:
      return copyToHost(plan, dst, static_cast<cudaLibXtDesc *>(src));
    case CUFFT_COPY_DEVICE_TO_DEVICE:
      return copyBetween(plan, static_cast<cudaLibXtDesc *>(dst),
                         static_cast<cudaLibXtDesc *>(src));
    default:
      return CUFFT_INVALID_VALUE;
    }
  });
}

cufftResult cufftXtQueryPlan(cufftHandle plan, void *queryStruct, cufftXtQueryType queryType) {
  return onPlan(plan, [&](Plan &plan) {
    if (!queryStruct || queryType != CUFFT_QUERY_1D_FACTORS)
      return CUFFT_INVALID_VALUE;
    return queryFactors(plan, *static_cast<cufftXt1dFactors *>(queryStruct));
  });
}

cufftResult cufftXtSetWorkArea(cufftHandle plan, void **workArea) {
  return onPlan(plan, [&](Plan &plan) {
    if (!workArea)
      return CUFFT_INVALID_VALUE;
    if (plan.devices.empty()) // of several no device needs one
      useWorkArea(plan, *workArea);
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
                                     int direction) {
  return executeAs(plan, Kind::Complex, Number::Float, input, output, direction);
}

cufftResult cufftXtExecDescriptorR2C(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output) {
  return executeAs(plan, Kind::RealToComplex, Number::Float, input, output, CUFFT_FORWARD);
}

cufftResult cufftXtExecDescriptorC2R(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output) {
  return executeAs(plan, Kind::ComplexToReal, Number::Float, input, output, CUFFT_INVERSE);
}

cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
                                     int direction) {
  return executeAs(plan, Kind::Complex, Number::Double, input, output, direction);
}

cufftResult cufftXtExecDescriptorD2Z(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output) {
  return executeAs(plan, Kind::RealToComplex, Number::Double, input, output, CUFFT_FORWARD);
}

cufftResult cufftXtExecDescriptorZ2D(cufftHandle plan, cudaLibXtDesc *input,
                                     cudaLibXtDesc *output) {
  return executeAs(plan, Kind::ComplexToReal, Number::Double, input, output, CUFFT_INVERSE);
}

cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *input, cudaLibXtDesc *output,
                                  int direction) {
  return onPlan(plan, [&](Plan &plan) {
    if (plan.problem.kind != Kind::Complex)
      direction = plan.problem.kind == Kind::RealToComplex ? CUFFT_FORWARD : CUFFT_INVERSE;
    return execute(plan, input, output, direction);
  });
}

#pragma GCC visibility pop
}
