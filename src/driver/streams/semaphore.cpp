// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// External semaphores (driver API, "External Resource Interoperability"). A descriptor stands for
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

#include "driver/functions.h"
#include "driver/handle_pool.h"
#include "driver/rooms.h"
#include "driver/streams/capture.h"

#include "device/cpu/shared_futex.h"

#include <cerrno>
#include <string_view>

#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::driver {

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

} // namespace

struct ImportedSemaphore {
  std::shared_ptr<Semaphore> semaphore;
};

namespace {

HandlePool<ImportedSemaphore, 1u << 16> &pool() { return rooms().semaphores.get(); }

CUresult refuse(const std::string &message, CUresult error) {
  reportFailure("external semaphores", message);
  return error;
}

const char *nameOf(CUexternalSemaphoreHandleType type) {
  switch (type) {
  case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD:
    return "OpaqueFd";
  case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32:
    return "OpaqueWin32";
  case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT:
    return "OpaqueWin32Kmt";
  case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE:
    return "D3D12Fence";
  case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE:
    return "D3D11Fence";
  case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC:
    return "NvSciSync";
  case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX:
    return "KeyedMutex";
  case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT:
    return "KeyedMutexKmt";
  case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD:
    return "TimelineSemaphoreFd";
  case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32:
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
CUresult open(const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC &desc, std::shared_ptr<Semaphore> &made) {
  const char *name = nameOf(desc.type);
  if (!name || desc.flags)
    return CUDA_ERROR_INVALID_VALUE;
  const int file = desc.handle.fd;
  if (desc.type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD) {
    if (!isEventFd(file))
      return refuse("a descriptor of type OpaqueFd must be an eventfd",
                    CUDA_ERROR_OPERATING_SYSTEM);
    made = std::make_shared<BinarySemaphore>(File(file));
    return CUDA_SUCCESS;
  }
  if (desc.type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD)
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

CUresult import(CUexternalSemaphore *out, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC &desc) {
  std::shared_ptr<Semaphore> semaphore;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = open(desc, semaphore))
    return error;
  ImportedSemaphore *imported = pool().create();
  if (!imported)
    return CUDA_ERROR_OUT_OF_MEMORY;
  imported->semaphore = std::move(semaphore);
  *out = reinterpret_cast<CUexternalSemaphore>(imported);
  return CUDA_SUCCESS;
}

/// What runs in the stream or in the node.
template <bool signals> auto taskOf(std::vector<SemaphoreUse> uses) {
  return [uses = std::move(uses)] {
    for (const SemaphoreUse &use : uses)
      signals ? use.semaphore->signal(use.value) : use.semaphore->wait(use.value);
  };
}

/// T: SignalOperation or SemaphoreWaitOperation. Both APIs have the same parameters
/// (tests/headers/driver_runtime.cpp).
template <typename T, typename Params>
CUresult submitSemaphores(const CUexternalSemaphore *semaphores, const Params *same, unsigned count,
                          CUstream handle) {
  const auto *handles = reinterpret_cast<const cudaExternalSemaphore_t *>(semaphores);
  const auto *params = reinterpret_cast<const typename T::Params *>(same);
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
}

} // namespace

template <typename Params>
CUresult readSemaphores(const cudaExternalSemaphore_t *handles, const Params *params,
                        unsigned count, std::vector<SemaphoreUse> &uses) {
  if (!handles || !params || !count)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    const ImportedSemaphore *imported = pool().find(handles[i]);
    if (!handles[i])
      return CUDA_ERROR_INVALID_VALUE;
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

CUresult cuImportExternalSemaphore(CUexternalSemaphore *semaphore,
                                   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *descriptor) {
  return descriptor ? import(semaphore, *descriptor) : CUDA_ERROR_INVALID_VALUE;
}

/// What streams and graphs have of it stays.
CUresult cuDestroyExternalSemaphore(CUexternalSemaphore semaphore) {
  ImportedSemaphore *imported = pool().find(semaphore);
  if (!imported)
    return CUDA_ERROR_INVALID_HANDLE;
  pool().destroy(imported);
  return CUDA_SUCCESS;
}

CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
                                         const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params,
                                         unsigned count, CUstream stream) {
  return submitSemaphores<SignalOperation>(semaphores, params, count, stream);
}

CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
                                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,
                                       unsigned count, CUstream stream) {
  return submitSemaphores<SemaphoreWaitOperation>(semaphores, params, count, stream);
}

} // namespace heddle::driver
