// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/arithmetic.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <thread>
#include <type_traits>

namespace heddle::nccl {

namespace {

constexpr size_t ChunkElements = 2048;     ///< calculated at once, in a buffer on the stack
constexpr size_t BytesPerThread = 1 << 21; ///< less is not worth a thread

template <typename T>
constexpr bool IsSmallFloat = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16> ||
                              std::is_same_v<T, __nv_fp8_e4m3> || std::is_same_v<T, __nv_fp8_e5m2>;

/// What numbers of a type are calculated in: integers without signs, so that sums wrap.
template <typename T, bool = std::is_integral_v<T>> struct Wide {
  using Type = std::conditional_t<IsSmallFloat<T>, float, T>;
};
template <typename T> struct Wide<T, true> {
  using Type = std::make_unsigned_t<T>;
};

template <typename T> T combine(T a, T b, ncclRedOp_t op) {
  using W = typename Wide<T>::Type;
  switch (op) {
  case ncclProd:
    return T(W(a) * W(b));
  case ncclMax:
    return a < b ? b : a;
  case ncclMin:
    return b < a ? b : a;
  default:
    return T(W(a) + W(b));
  }
}

/// The numbers from `at` of all ranks as one, in `result`. `S`: what they are calculated in.
template <typename T, typename S> void reduceChunk(const Job &job, size_t at, size_t n, S *result) {
  for (size_t r = 0; r < job.parts.size(); ++r) {
    const T *in = static_cast<const T *>(job.parts[r].send) + at;
    const T *factor = static_cast<const T *>(job.parts[r].factor);
    S scale = factor ? S(*factor) : S(1);
    for (size_t i = 0; i < n; ++i) {
      S value = factor ? combine(S(in[i]), scale, ncclProd) : S(in[i]);
      result[i] = r == 0 ? value : combine(result[i], value, job.op);
    }
  }
  if (job.op == ncclAvg)
    for (size_t i = 0; i < n; ++i)
      result[i] = S(result[i] / S(job.parts.size()));
}

/// Calls body(begin, end) for pieces of [0, count), on several threads where that pays.
void forPieces(size_t count, size_t bytes, const std::function<void(size_t, size_t)> &body) {
  size_t cores = std::max(1u, std::thread::hardware_concurrency());
  size_t pieces = std::clamp<size_t>(bytes / BytesPerThread, 1, cores);
  size_t piece = (count + pieces - 1) / pieces;
  std::vector<std::thread> threads;
  for (size_t begin = piece; begin < count; begin += piece)
    threads.emplace_back(body, begin, std::min(count, begin + piece));
  if (count > 0)
    body(0, std::min(count, piece));
  for (std::thread &thread : threads)
    thread.join();
}

/// Reduces `count` numbers from `offset` on; store(i, numbers, n) takes those from i on, counted
/// from `offset`.
template <typename T, typename Store>
void reduce(const Job &job, size_t offset, size_t count, Store store) {
  using S = std::conditional_t<IsSmallFloat<T>, float, T>;
  forPieces(count, count * sizeof(T) * job.parts.size(), [&](size_t begin, size_t end) {
    S wide[ChunkElements];
    T narrow[ChunkElements];
    for (size_t i = begin; i < end; i += ChunkElements) {
      size_t n = std::min(ChunkElements, end - i);
      reduceChunk<T>(job, offset + i, n, wide);
      for (size_t k = 0; k < n; ++k)
        narrow[k] = T(wide[k]);
      store(i, narrow, n);
    }
  });
}

template <typename T> void runReduction(const Job &job) {
  auto to = [&](size_t rank, size_t i, const T *numbers, size_t n) {
    std::memcpy(static_cast<T *>(job.parts[rank].recv) + i, numbers, n * sizeof(T));
  };
  switch (job.kind) {
  case Kind::AllReduce:
    return reduce<T>(job, 0, job.count, [&](size_t i, const T *numbers, size_t n) {
      for (size_t rank = 0; rank < job.parts.size(); ++rank)
        to(rank, i, numbers, n);
    });
  case Kind::Reduce:
    return reduce<T>(job, 0, job.count, [&](size_t i, const T *numbers, size_t n) {
      to(size_t(job.root), i, numbers, n);
    });
  default: // ReduceScatter
    for (size_t rank = 0; rank < job.parts.size(); ++rank)
      reduce<T>(job, rank * job.count, job.count,
                [&](size_t i, const T *numbers, size_t n) { to(rank, i, numbers, n); });
  }
}

void copy(const void *from, void *to, size_t bytes) {
  if (from == to || bytes == 0)
    return;
  forPieces(bytes, bytes, [&](size_t begin, size_t end) {
    std::memcpy(static_cast<char *>(to) + begin, static_cast<const char *>(from) + begin,
                end - begin);
  });
}

} // namespace

size_t bytesOf(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
  case ncclUint8:
  case ncclFloat8e4m3:
  case ncclFloat8e5m2:
    return 1;
  case ncclFloat16:
  case ncclBfloat16:
    return 2;
  case ncclInt32:
  case ncclUint32:
  case ncclFloat32:
    return 4;
  default:
    return 8;
  }
}

void run(const Job &job) {
  size_t bytes = job.count * bytesOf(job.type);
  switch (job.kind) {
  case Kind::Broadcast:
    for (const Part &part : job.parts)
      copy(job.parts[size_t(job.root)].send, part.recv, bytes);
    return;
  case Kind::AllGather:
    for (const Part &part : job.parts)
      for (size_t rank = 0; rank < job.parts.size(); ++rank)
        copy(job.parts[rank].send, static_cast<char *>(part.recv) + rank * bytes, bytes);
    return;
  case Kind::SendRecv:
    return copy(job.parts[0].send, job.parts[1].recv, bytes);
  default:
    break;
  }
  switch (job.type) {
  case ncclInt8:
    return runReduction<int8_t>(job);
  case ncclUint8:
    return runReduction<uint8_t>(job);
  case ncclInt32:
    return runReduction<int32_t>(job);
  case ncclUint32:
    return runReduction<uint32_t>(job);
  case ncclInt64:
    return runReduction<int64_t>(job);
  case ncclUint64:
    return runReduction<uint64_t>(job);
  case ncclFloat16:
    return runReduction<__half>(job);
  case ncclBfloat16:
    return runReduction<__nv_bfloat16>(job);
  case ncclFloat32:
    return runReduction<float>(job);
  case ncclFloat64:
    return runReduction<double>(job);
  case ncclFloat8e4m3:
    return runReduction<__nv_fp8_e4m3>(job);
  default:
    return runReduction<__nv_fp8_e5m2>(job);
  }
}

} // namespace heddle::nccl
