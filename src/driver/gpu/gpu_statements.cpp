// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA Fortran's kernels print on a GPU (devlib/gpu/statements.cpp): behind what waits for kernels,
// the host takes the statements out of the rings of the current context's code, in the order in which
// they have their places, up to one that a running kernel still writes. Copies go through a stream of
// their own, which waits for no kernel. At the end of the process nothing is taken, as of printf.
#include "driver/gpu/gpu_statements.h"

#include "driver/gpu/machine_library.h"

#include "base/abi/gpu_statements.h"
#include "device/statements.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace heddle::driver {

namespace {

struct Rings {
  std::mutex mutex;
  std::vector<CUlibrary> libraries;
  std::map<CUcontext, CUstream> streams;
};
Rings &rings() {
  static Rings &all = *new Rings;
  return all;
}
std::atomic<bool> areThereAny = false;

/// Of a ring in the memory of the current context.
class Ring {
public:
  Ring(CUdeviceptr place, CUstream stream) : place_(place), stream_(stream) {}

  /// The text of what is complete; empty where a copy fails: the context has an error.
  std::string take() {
    if (!read(&head_, place_, sizeof head_) || head_[Used] == head_[Taken])
      return {};
    std::vector<uint64_t> words(head_[Used] - head_[Taken]);
    auto copy = [&](CUdeviceptr from, size_t at, size_t count) {
      return read(&words[at], from, count * sizeof(uint64_t));
    };
    if (words.size() > GpuStatementWords || !each(words.size(), copy))
      return {};
    std::string text;
    const size_t done = format(words, text);
    if (done != 0)
      giveBack(done);
    return text;
  }

private:
  enum { Used, Lost, Taken };

  bool read(void *to, CUdeviceptr from, size_t bytes) {
    return machine().cuMemcpyDtoHAsync_v2(to, from, bytes, stream_) == CUDA_SUCCESS &&
           machine().cuStreamSynchronize(stream_) == CUDA_SUCCESS;
  }

  /// Calls `body(address, index, count)` for the words from the first that is not taken: two pieces where
  /// the ring ends between them.
  template <typename F> bool each(size_t words, F &&body) {
    const size_t first = head_[Taken] % GpuStatementWords;
    const size_t front = std::min<size_t>(words, GpuStatementWords - first);
    const CUdeviceptr begin = place_ + offsetof(GpuStatements, words);
    return body(begin + first * sizeof(uint64_t), 0, front) &&
           (front == words || body(begin, front, words - front));
  }

  /// How many words of complete statements there are.
  static size_t format(const std::vector<uint64_t> &words, std::string &text) {
    size_t at = 0;
    while (at < words.size() && words[at] & GpuStatementIsThere) {
      const uint64_t bytes = words[at] & ~GpuStatementIsThere, next = at + 1 + (bytes + 7) / 8;
      if (next > words.size())
        break;
      const uint64_t statement[] = {reinterpret_cast<uint64_t>(&words[at] + 1), bytes, bytes};
      auto append = [](void *to, const char *piece, size_t size) {
        static_cast<std::string *>(to)->append(piece, size);
      };
      if (device::FormatStatement format = device::statementFormatter())
        format(statement, append, &text);
      at = next;
    }
    return at;
  }

  void giveBack(size_t words) {
    const uint64_t taken = head_[Taken] + words;
    (void)each(words, [&](CUdeviceptr from, size_t, size_t count) {
      return machine().cuMemsetD32Async(from, 0, 2 * count, stream_) == CUDA_SUCCESS;
    });
    (void)machine().cuMemcpyHtoDAsync_v2(place_ + offsetof(GpuStatements, taken), &taken,
                                         sizeof taken, stream_);
    (void)machine().cuStreamSynchronize(stream_);
  }

  CUdeviceptr place_;
  CUstream stream_;
  uint64_t head_[3] = {};
};

CUstream streamOf(CUcontext context) {
  CUstream &stream = rings().streams[context];
  if (!stream && machine().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
    stream = nullptr;
  return stream;
}

void takeAll() {
  CUcontext context = nullptr;
  if (machine().cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context)
    return;
  std::lock_guard guard(rings().mutex);
  for (CUlibrary library : rings().libraries) {
    CUdeviceptr place = 0;
    size_t bytes = 0;
    CUstream stream = streamOf(context);
    if (!stream ||
        machine().cuLibraryGetGlobal(&place, &bytes, library, GpuStatementsName) != CUDA_SUCCESS)
      continue;
    const std::string text = Ring(place, stream).take();
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (!text.empty())
      std::fflush(stdout);
  }
}

/// A function that waits.
template <auto Member, typename Function> struct Waits;
template <auto Member, typename... Arguments> struct Waits<Member, CUresult (*)(Arguments...)> {
  static CUresult call(Arguments... arguments) {
    CUresult error = (machine().*Member)(arguments...);
    if (error == CUDA_SUCCESS && areThereAny.load(std::memory_order_relaxed))
      takeAll();
    return error;
  }
};

} // namespace

void noteStatements(CUlibrary library) {
  CUdeviceptr place = 0;
  size_t bytes = 0;
  if (machine().cuLibraryGetGlobal(&place, &bytes, library, GpuStatementsName) != CUDA_SUCCESS)
    return;
  std::lock_guard guard(rings().mutex);
  rings().libraries.push_back(library);
  areThereAny = true;
}

void forgetStatements(CUlibrary library) {
  std::lock_guard guard(rings().mutex);
  std::erase(rings().libraries, library);
}

void forgetStatementStreams() {
  std::lock_guard guard(rings().mutex);
  rings().streams.clear();
}

void interceptStatements(Table &table) {
#define HEDDLE_WAITS(name) table.name = Waits<&Table::name, decltype(table.name)>::call
  HEDDLE_WAITS(cuCtxSynchronize);
  HEDDLE_WAITS(cuStreamSynchronize);
  HEDDLE_WAITS(cuStreamSynchronize_ptsz);
  HEDDLE_WAITS(cuEventSynchronize);
  HEDDLE_WAITS(cuMemcpy);
  HEDDLE_WAITS(cuMemcpy_ptds);
  HEDDLE_WAITS(cuMemcpyDtoH_v2);
  HEDDLE_WAITS(cuMemcpyDtoH_v2_ptds);
  HEDDLE_WAITS(cuMemcpyHtoD_v2);
  HEDDLE_WAITS(cuMemcpyHtoD_v2_ptds);
#undef HEDDLE_WAITS
}

} // namespace heddle::driver
