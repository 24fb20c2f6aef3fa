// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled host code calls for `kernel<<<grid, block, shared, stream>>>(...)`: the shape is
// pushed, the arguments are evaluated, which may launch kernels of their own, and the kernel's stub
// pops the shape and launches.
#include "runtime/thread.h"
#include "runtime/unread.h"

#include <utility>
#include <vector>

using namespace heddle::runtime;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  bool is13;
};

/// Of a thread, the last one first out. Only a shape whose arguments launch kernels has others below
/// it; those lie on the heap until they are popped, so that a thread's end has nothing to destroy.
class Configurations {
public:
  void push(const CallConfiguration &configuration) {
    if (depth_++) {
      if (!below_)
        below_ = new std::vector<CallConfiguration>;
      below_->push_back(top_);
    }
    top_ = configuration;
  }
  bool pop(CallConfiguration &configuration) {
    if (!depth_)
      return false;
    configuration = top_;
    if (--depth_) {
      top_ = below_->back();
      below_->pop_back();
    } else if (below_) {
      delete std::exchange(below_, nullptr);
    }
    return true;
  }

private:
  unsigned depth_ = 0;
  CallConfiguration top_ = {};
  std::vector<CallConfiguration> *below_ = nullptr;
};

thread_local constinit Configurations configurations;

} // namespace

HEDDLE_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                                void *stream) {
  configurations.push({grid, block, shared, static_cast<cudaStream_t>(stream), false});
  return 0;
}
HEDDLE_API unsigned heddle_13___cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                                          void *stream) {
  configurations.push({grid, block, shared, static_cast<cudaStream_t>(stream), true});
  return 0;
}

HEDDLE_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                                  void *stream) {
  CallConfiguration configuration;
  if (!configurations.pop(configuration))
    return cudaErrorMissingConfiguration;
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *static_cast<cudaStream_t *>(stream) = configuration.stream;
  launchesBy = configuration.is13 ? Arrows::Of13 : Arrows::Usual;
  return cudaSuccess;
}

HEDDLE_API cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *entry) {
  return cudaGetKernel(kernel, entry);
}

HEDDLE_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                          size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}
HEDDLE_API cudaError_t heddle_13___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                                    void **args, size_t shared,
                                                    cudaStream_t stream) {
  return heddle_13_cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}
