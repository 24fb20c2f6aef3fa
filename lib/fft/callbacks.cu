// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels that call a program's callbacks, and the functions that set them (callbacks.h).
#include "fft/plan.h"

#include <algorithm>

using namespace heddle::fft;

/// What callbacks asked for.
extern __shared__ __align__(16) char callbackMemory[];

namespace {

constexpr size_t MaxSharedBytes = 16384; ///< that a callback may ask for
constexpr int Threads = 128, MaxBlocks = 1 << 16;

/// The places of a side's elements.
struct Shape {
  long long n[MaxRank], embed[MaxRank], stride, dist, count;
  int rank;
};

Shape shapeOf(const Passage &p) {
  Layout layout = layoutOf(p.problem, p.input, p.inPlace);
  Shape shape{{}, {}, layout.stride, layout.dist, p.problem.batch, p.problem.rank};
  for (int i = 0; i < shape.rank; ++i) {
    shape.n[i] = i == shape.rank - 1 ? rowElements(p.problem, p.input) : p.problem.n[i];
    shape.embed[i] = layout.embed[i];
    shape.count *= shape.n[i];
  }
  return shape;
}

/// Where element `index` lies, counted without gaps, in elements from the beginning of the first
/// transform.
__device__ size_t offsetOf(const Shape &shape, long long index) {
  long long offset = 0, stride = shape.stride;
  for (int i = shape.rank - 1; i >= 0; --i) {
    offset += index % shape.n[i] * stride;
    index /= shape.n[i];
    stride *= shape.embed[i];
  }
  return offset + index * shape.dist;
}

template <typename T> using Load = T (*)(void *, size_t, void *, void *);
template <typename T> using Store = void (*)(void *, size_t, T, void *, void *);

template <typename T>
__global__ void loadElements(Shape shape, Load<T> load, void *info, T *data, T *room) {
  long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < shape.count;
       i += stride) {
    size_t offset = offsetOf(shape, i);
    room[offset] = load ? load(data, offset, info, callbackMemory) : data[offset];
  }
}

template <typename T>
__global__ void storeElements(Shape shape, Store<T> store, void *info, T *data, T *room) {
  long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < shape.count;
       i += stride) {
    size_t offset = offsetOf(shape, i);
    if (store)
      store(data, offset, room[offset], info, callbackMemory);
    else
      data[offset] = room[offset];
  }
}

template <typename T> cudaError_t passElements(const Passage &p, cudaStream_t stream) {
  Shape shape = shapeOf(p);
  const Callback &c = p.callback;
  auto blocks =
      static_cast<unsigned>(std::min<long long>((shape.count + Threads - 1) / Threads, MaxBlocks));
  T *data = static_cast<T *>(p.data), *room = static_cast<T *>(p.room);
  if (p.input)
    loadElements<<<blocks, Threads, c.sharedBytes, stream>>>(
        shape, reinterpret_cast<Load<T>>(c.routine), c.info, data, room);
  else
    storeElements<<<blocks, Threads, c.sharedBytes, stream>>>(
        shape, reinterpret_cast<Store<T>>(c.routine), c.info, data, room);
  return cudaGetLastError();
}

cudaError_t pass(const Passage &p, cudaStream_t stream) {
  bool isDouble = p.problem.number == Number::Double;
  if (isComplexSide(p.problem, p.input))
    return isDouble ? passElements<cufftDoubleComplex>(p, stream)
                    : passElements<cufftComplex>(p, stream);
  return isDouble ? passElements<cufftDoubleReal>(p, stream) : passElements<cufftReal>(p, stream);
}

/// The type of the callback that a side of the problem may have.
cufftXtCallbackType typeOf(const Problem &problem, bool input) {
  int type = input ? CUFFT_CB_LD_COMPLEX : CUFFT_CB_ST_COMPLEX;
  type += isComplexSide(problem, input) ? 0 : CUFFT_CB_LD_REAL;
  return static_cast<cufftXtCallbackType>(type + (problem.number == Number::Double));
}

/// Memory for the elements of either side.
cudaError_t makeRooms(Plan &plan) {
  size_t bytes = 0;
  for (bool input : {false, true})
    for (bool inPlace : {false, true})
      bytes = std::max(bytes, static_cast<size_t>(extent(plan.problem, input, inPlace)) *
                                  elementBytes(plan.problem, input));
  for (void *&room : plan.callbacks.rooms)
    if (cudaError_t error = room ? cudaSuccess : cudaMalloc(&room, bytes); error != cudaSuccess)
      return error;
  return cudaSuccess;
}

/// Calls `set` on the plan, under its lock, and on its callback of this type.
template <typename Set>
cufftResult onCallback(cufftHandle handle, cufftXtCallbackType type, Set set) {
  std::shared_ptr<Plan> plan = findPlan(handle);
  if (!plan)
    return CUFFT_INVALID_PLAN;
  std::lock_guard lock(plan->mutex);
  if (!plan->made)
    return CUFFT_INVALID_PLAN;
  if (!plan->devices.empty())
    return CUFFT_NOT_SUPPORTED;
  bool isHalf = plan->problem.number == Number::Half || plan->problem.number == Number::BFloat16;
  for (bool input : {true, false})
    if (!isHalf && type == typeOf(plan->problem, input))
      return set(*plan, input ? plan->callbacks.load : plan->callbacks.store);
  return CUFFT_INVALID_TYPE;
}

} // namespace

extern "C" {

cufftResult cufftXtSetCallback(cufftHandle plan, void **callback_routine,
                               cufftXtCallbackType cbType, void **caller_info) {
  if (!callback_routine || !*callback_routine)
    return CUFFT_INVALID_VALUE;
  return onCallback(plan, cbType, [&](Plan &plan, Callback &callback) {
    if (makeRooms(plan) != cudaSuccess)
      return CUFFT_ALLOC_FAILED;
    callback.routine = *callback_routine;
    callback.info = caller_info ? *caller_info : nullptr;
    plan.callbacks.pass = pass;
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType cbType) {
  return onCallback(plan, cbType, [](Plan &, Callback &callback) {
    callback = {};
    return CUFFT_SUCCESS;
  });
}

cufftResult cufftXtSetCallbackSharedSize(cufftHandle plan, cufftXtCallbackType cbType,
                                         size_t sharedSize) {
  if (sharedSize > MaxSharedBytes)
    return CUFFT_INVALID_VALUE;
  return onCallback(plan, cbType, [&](Plan &, Callback &callback) {
    callback.sharedBytes = sharedSize;
    return CUFFT_SUCCESS;
  });
}
}
