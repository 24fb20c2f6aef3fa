// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// External semaphores (runtime API, "External Resource Interoperability"). A descriptor stands for
//
//   OpaqueFd             an eventfd: a signal adds one, a wait takes what is there or waits for it
//   TimelineSemaphoreFd  a file that can be mapped shared (a memfd): its first 8 bytes are the value
//                        as a 64-bit number, which a signal raises. Who waits sleeps on the lower
//                        half as a futex that is not private, and looks every millisecond besides,
//                        so another process may signal by an atomic store alone.
//
// A wait begins when its turn comes in the stream and has a thread of its own meanwhile, so no
// other work stands still.
#include "driver/streams/semaphore.h"

#include "driver/handle_pool.h"
#include "driver/streams/capture.h"

#include "device/cpu/shared_futex.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::driver {

/// The structures of CUDA 10, whose stride differs.
struct OldSignalParams {
  decltype(cudaExternalSemaphoreSignalParams::params.fence) fence;
  uint64_t nvSciSync;
  decltype(cudaExternalSemaphoreSignalParams::params.keyedMutex) keyedMutex;
  unsigned flags;
};
struct OldWaitParams {
  decltype(cudaExternalSemaphoreWaitParams::params.fence) fence;
  uint64_t nvSciSync;
  decltype(cudaExternalSemaphoreWaitParams::params.keyedMutex) keyedMutex;
  unsigned flags;
};

namespace {

class BinarySemaphore final : public Semaphore {
public:
  explicit BinarySemaphore(File file) : file_(std::move(file)) {}
  void signal(uint64_t) override {
    const uint64_t one = 1;
    while (write(file_.get(), &one, sizeof one) < 0 && errno == EINTR)
      ;
  }
  void wait(uint64_t) override {
    uint64_t count;
    pollfd ready = {file_.get(), POLLIN, 0};
    while (read(file_.get(), &count, sizeof count) < 0 && (errno == EINTR || errno == EAGAIN))
      poll(&ready, 1, -1);
  }

private:
  File file_;
};

class TimelineSemaphore final : public Semaphore {
public:
  explicit TimelineSemaphore(std::atomic<uint64_t> *counter) : counter_(counter) {}
  ~TimelineSemaphore() override { munmap(counter_, sizeof *counter_); }
  void signal(uint64_t value) override { device::cpu::raiseAndWake(*counter_, value); }
  void wait(uint64_t value) override { device::cpu::waitUntilAtLeast(*counter_, value); }

private:
  std::atomic<uint64_t> *counter_;
};

struct Imported {
  std::shared_ptr<Semaphore> semaphore;
};

HandlePool<Imported, 1u << 16> &pool() {
  static auto *semaphores = new HandlePool<Imported, 1u << 16>;
  return *semaphores;
}

constexpr const char *Api = "cudaImportExternalSemaphore";

CUresult refuse(const std::string &message, CUresult error) {
  reportFailure(Api, message);
  return error;
}

const char *nameOf(cudaExternalSemaphoreHandleType type) {
  switch (type) {
  case cudaExternalSemaphoreHandleTypeOpaqueFd:
    return "OpaqueFd";
  case cudaExternalSemaphoreHandleTypeOpaqueWin32:
    return "OpaqueWin32";
  case cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt:
    return "OpaqueWin32Kmt";
  case cudaExternalSemaphoreHandleTypeD3D12Fence:
    return "D3D12Fence";
  case cudaExternalSemaphoreHandleTypeD3D11Fence:
    return "D3D11Fence";
  case cudaExternalSemaphoreHandleTypeNvSciSync:
    return "NvSciSync";
  case cudaExternalSemaphoreHandleTypeKeyedMutex:
    return "KeyedMutex";
  case cudaExternalSemaphoreHandleTypeKeyedMutexKmt:
    return "KeyedMutexKmt";
  case cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd:
    return "TimelineSemaphoreFd";
  case cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32:
    return "TimelineSemaphoreWin32";
  }
  return nullptr;
}

bool isEventFd(int file) {
  char target[64] = "";
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = readlink(link.c_str(), target, sizeof target);
  return length > 0 &&
         std::string_view(target, static_cast<size_t>(length)) == "anon_inode:[eventfd]";
}

/// The counter at the beginning of a file, or null.
std::atomic<uint64_t> *mapCounter(int file) {
  struct stat status;
  if (fstat(file, &status) != 0 || status.st_size < static_cast<off_t>(sizeof(uint64_t)))
    return nullptr;
  void *counter = mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return counter == MAP_FAILED ? nullptr : static_cast<std::atomic<uint64_t> *>(counter);
}

/// The semaphore that a descriptor stands for, which belongs to it if all is well.
CUresult open(const cudaExternalSemaphoreHandleDesc &desc, std::shared_ptr<Semaphore> &made) {
  const char *name = nameOf(desc.type);
  if (!name || desc.flags)
    return CUDA_ERROR_INVALID_VALUE;
  const int file = desc.handle.fd;
  if (desc.type == cudaExternalSemaphoreHandleTypeOpaqueFd) {
    if (!isEventFd(file))
      return refuse("a descriptor of type OpaqueFd must be an eventfd",
                    CUDA_ERROR_OPERATING_SYSTEM);
    made = std::make_shared<BinarySemaphore>(File(file));
    return CUDA_SUCCESS;
  }
  if (desc.type != cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd)
    return refuse(std::string("handles of type ") + name + " are not supported",
                  CUDA_ERROR_NOT_SUPPORTED);
  std::atomic<uint64_t> *counter = mapCounter(file);
  if (!counter)
    return refuse("a descriptor of type TimelineSemaphoreFd must be a file of 8 bytes or more that "
                  "can be mapped shared",
                  CUDA_ERROR_OPERATING_SYSTEM);
  made = std::make_shared<TimelineSemaphore>(counter);
  close(file); // the mapping stays
  return CUDA_SUCCESS;
}

CUresult import(cudaExternalSemaphore_t *out, const cudaExternalSemaphoreHandleDesc &desc) {
  std::shared_ptr<Semaphore> semaphore;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = open(desc, semaphore))
    return error;
  Imported *imported = pool().create();
  if (!imported)
    return CUDA_ERROR_OUT_OF_MEMORY;
  imported->semaphore = std::move(semaphore);
  *out = reinterpret_cast<cudaExternalSemaphore_t>(imported);
  return CUDA_SUCCESS;
}

/// What runs in the stream or in the node.
template <bool signals> auto taskOf(std::vector<SemaphoreUse> uses) {
  return [uses = std::move(uses)] {
    for (const SemaphoreUse &use : uses)
      signals ? use.semaphore->signal(use.value) : use.semaphore->wait(use.value);
  };
}

template <typename T, typename Old> std::vector<T> asNew(const Old *params, unsigned count) {
  std::vector<T> all(params ? count : 0);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].params.fence.value = params[i].fence.value;
    all[i].flags = params[i].flags;
  }
  return all;
}

/// T: SignalOperation or SemaphoreWaitOperation.
template <typename T>
CUresult submitSemaphores(const cudaExternalSemaphore_t *handles, const typename T::Params *params,
                          unsigned count, cudaStream_t handle) {
  return enter([&]() -> CUresult {
    Stream *stream = streamOf(handle);
    std::vector<SemaphoreUse> uses;
    if (!stream)
      return CUDA_ERROR_INVALID_HANDLE;
    if (CUresult error = readSemaphores(handles, params, count, uses))
      return error;
    auto make = [&](std::unique_ptr<Operation> &operation) {
      return makeSemaphores<T>(handles, params, count, *stream->device, operation);
    };
    return submit(*stream, make, [&]() -> CUresult {
      if constexpr (T::Signals)
        return enqueue(*stream, taskOf<true>(std::move(uses)));
      stream->device->backend->enqueueWait(stream->queue, taskOf<false>(std::move(uses)));
      return CUDA_SUCCESS;
    });
  });
}

} // namespace

template <typename Params>
CUresult readSemaphores(const cudaExternalSemaphore_t *handles, const Params *params,
                        unsigned count, std::vector<SemaphoreUse> &uses) {
  if (!handles || !params || !count)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    const Imported *imported = pool().find(handles[i]);
    if (!imported)
      return CUDA_ERROR_INVALID_HANDLE;
    if (params[i].flags) // those that there are belong to NvSciSync
      return CUDA_ERROR_INVALID_VALUE;
    uses.push_back({imported->semaphore, params[i].params.fence.value});
  }
  return CUDA_SUCCESS;
}

template CUresult readSemaphores(const cudaExternalSemaphore_t *,
                                 const cudaExternalSemaphoreSignalParams *, unsigned,
                                 std::vector<SemaphoreUse> &);
template CUresult readSemaphores(const cudaExternalSemaphore_t *,
                                 const cudaExternalSemaphoreWaitParams *, unsigned,
                                 std::vector<SemaphoreUse> &);

template <cudaGraphNodeType type, typename Params>
CUresult SemaphoreOperation<type, Params>::makeWork(device::GraphWork &work, PlanContext &) {
  std::vector<SemaphoreUse> uses;
  if (CUresult error = readSemaphores(handles.data(), params.data(),
                                      static_cast<unsigned>(handles.size()), uses))
    return error;
  work.kind = Signals ? device::GraphWork::Kind::Task : device::GraphWork::Kind::OutsideWait;
  work.task = taskOf<Signals>(std::move(uses));
  return CUDA_SUCCESS;
}

template <cudaGraphNodeType type, typename Params>
cudaGraphExecUpdateResult SemaphoreOperation<type, Params>::compare(const Operation &other) const {
  return static_cast<const SemaphoreOperation &>(other).handles.size() == handles.size()
             ? cudaGraphExecUpdateSuccess
             : cudaGraphExecUpdateErrorParametersChanged;
}

template <cudaGraphNodeType type, typename Params>
std::vector<std::string> SemaphoreOperation<type, Params>::describe() const {
  std::vector<std::string> lines = {Signals ? "signal" : "wait"};
  for (const Params &one : params)
    lines.push_back("value " + std::to_string(one.params.fence.value));
  return lines;
}

template class SemaphoreOperation<cudaGraphNodeTypeExtSemaphoreSignal,
                                  cudaExternalSemaphoreSignalParams>;
template class SemaphoreOperation<cudaGraphNodeTypeExtSemaphoreWait,
                                  cudaExternalSemaphoreWaitParams>;

} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaImportExternalSemaphore(cudaExternalSemaphore_t *semaphore,
                                                     const cudaExternalSemaphoreHandleDesc *desc) {
  return enter([&] { return desc ? import(semaphore, *desc) : CUDA_ERROR_INVALID_VALUE; });
}

/// What streams and graphs have of it stays.
CUresult heddle::driver::cudaDestroyExternalSemaphore(cudaExternalSemaphore_t handle) {
  return enter([&]() -> CUresult {
    Imported *imported = pool().find(handle);
    if (!imported)
      return CUDA_ERROR_INVALID_HANDLE;
    pool().destroy(imported);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaSignalExternalSemaphoresAsync_v2(
    const cudaExternalSemaphore_t *semaphores, const cudaExternalSemaphoreSignalParams *params,
    unsigned count, cudaStream_t stream) {
  return submitSemaphores<SignalOperation>(semaphores, params, count, stream);
}

CUresult
heddle::driver::cudaWaitExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *semaphores,
                                                   const cudaExternalSemaphoreWaitParams *params,
                                                   unsigned count, cudaStream_t stream) {
  return submitSemaphores<SemaphoreWaitOperation>(semaphores, params, count, stream);
}

// Those of CUDA 10, under their own names.

CUresult
heddle::driver::cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
                                                  const OldSignalParams *params, unsigned count,
                                                  cudaStream_t stream) {
  auto all = asNew<cudaExternalSemaphoreSignalParams>(params, count);
  return cudaSignalExternalSemaphoresAsync_v2(semaphores, all.data(), count, stream);
}

CUresult heddle::driver::cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
                                                         const OldWaitParams *params,
                                                         unsigned count, cudaStream_t stream) {
  auto all = asNew<cudaExternalSemaphoreWaitParams>(params, count);
  return cudaWaitExternalSemaphoresAsync_v2(semaphores, all.data(), count, stream);
}
