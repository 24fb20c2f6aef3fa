// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCCL's operations between four devices, against loops: all types and operators, threads, groups,
// streams.
#include "nccl/nccl_test_devices.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <atomic>
#include <chrono>
#include <random>

namespace {

template <typename T> struct TypeOf;
#define HEDDLE_TYPE(T, type)                                                                       \
  template <> struct TypeOf<T> {                                                                   \
    static constexpr ncclDataType_t value = type;                                                  \
  };
HEDDLE_TYPE(int8_t, ncclInt8)
HEDDLE_TYPE(uint8_t, ncclUint8)
HEDDLE_TYPE(int32_t, ncclInt32)
HEDDLE_TYPE(uint32_t, ncclUint32)
HEDDLE_TYPE(int64_t, ncclInt64)
HEDDLE_TYPE(uint64_t, ncclUint64)
HEDDLE_TYPE(__half, ncclFloat16)
HEDDLE_TYPE(__nv_bfloat16, ncclBfloat16)
HEDDLE_TYPE(float, ncclFloat32)
HEDDLE_TYPE(double, ncclFloat64)
HEDDLE_TYPE(__nv_fp8_e4m3, ncclFloat8e4m3)
HEDDLE_TYPE(__nv_fp8_e5m2, ncclFloat8e5m2)

double expected(std::vector<double> values, ncclRedOp_t op) {
  double result = values[0];
  for (size_t i = 1; i < values.size(); ++i)
    switch (op) {
    case ncclProd:
      result *= values[i];
      break;
    case ncclMax:
      result = std::max(result, values[i]);
      break;
    case ncclMin:
      result = std::min(result, values[i]);
      break;
    default:
      result += values[i];
    }
  return op == ncclAvg ? result / double(values.size()) : result;
}

/// Small whole numbers, of which all types hold sums and products of four.
template <typename T> std::vector<T> wholeNumbers(size_t count, std::mt19937 &random) {
  std::vector<T> values(count);
  for (T &v : values)
    v = T(float(random() % 2 + 1));
  return values;
}

struct Nccl : FourRanks {
  template <typename T> std::vector<Buffer<T>> buffers(size_t count, bool numbers = true) {
    std::vector<Buffer<T>> made;
    for (int r = 0; r < Ranks; ++r)
      made.emplace_back(r, numbers ? wholeNumbers<T>(count, random) : std::vector<T>(count));
    return made;
  }
  std::mt19937 random{1};
};

template <typename T> struct NcclTypes : Nccl {};
using Types = testing::Types<int8_t, uint8_t, int32_t, uint32_t, int64_t, uint64_t, __half,
                             __nv_bfloat16, float, double, __nv_fp8_e4m3, __nv_fp8_e5m2>;
TYPED_TEST_SUITE(NcclTypes, Types);

TYPED_TEST(NcclTypes, AllReduceWithEachOperator) {
  using T = TypeParam;
  constexpr size_t Count = 4099;
  for (ncclRedOp_t op : {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg}) {
    auto in = this->template buffers<T>(Count), out = this->template buffers<T>(Count, false);
    this->group([&](int r) {
      return ncclAllReduce(in[r].data(), out[r].data(), Count, TypeOf<T>::value, op, this->comms[r],
                           this->streams[r]);
    });
    std::vector<std::vector<T>> values;
    for (auto &buffer : in)
      values.push_back(buffer.read());
    this->synchronize();
    for (auto &buffer : out) {
      std::vector<T> result = buffer.read();
      for (size_t i = 0; i < Count; ++i) {
        std::vector<double> numbers;
        for (auto &v : values)
          numbers.push_back(double(float(v[i])));
        ASSERT_EQ(double(float(result[i])), double(float(T(float(expected(numbers, op))))))
            << "number " << i << " operator " << op;
      }
    }
  }
}

TEST_F(Nccl, SumsOfIntegersWrap) {
  auto in = buffers<int32_t>(1);
  for (int r = 0; r < Ranks; ++r) {
    int32_t large = 0x7fffffff;
    ASSERT_EQ(cudaMemcpy(in[r].data(), &large, 4, cudaMemcpyDefault), cudaSuccess);
  }
  group([&](int r) {
    return ncclAllReduce(in[r].data(), in[r].data(), 1, ncclInt32, ncclSum, comms[r], streams[r]);
  });
  synchronize();
  EXPECT_EQ(in[0].read()[0], -4);
}

TEST_F(Nccl, MovesAndScatters) {
  constexpr size_t Count = 777;
  for (int root = 0; root < Ranks; ++root) {
    auto in = buffers<float>(Count), all = buffers<float>(Count * Ranks, false);
    auto spread = buffers<float>(Count * Ranks), part = buffers<float>(Count, false);
    auto copied = buffers<float>(Count, false), reduced = buffers<float>(Count, false);
    std::vector<std::vector<float>> values, wide;
    for (int r = 0; r < Ranks; ++r)
      values.push_back(in[r].read()), wide.push_back(spread[r].read());
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (int r = 0; r < Ranks; ++r) {
      EXPECT_EQ(ncclAllGather(in[r].data(), all[r].data(), Count, ncclFloat, comms[r], streams[r]),
                ncclSuccess);
      EXPECT_EQ(ncclReduceScatter(spread[r].data(), part[r].data(), Count, ncclFloat, ncclSum,
                                  comms[r], streams[r]),
                ncclSuccess);
      EXPECT_EQ(ncclBroadcast(r == root ? in[r].data() : nullptr, copied[r].data(), Count,
                              ncclFloat, root, comms[r], streams[r]),
                ncclSuccess);
      EXPECT_EQ(ncclReduce(in[r].data(), r == root ? reduced[r].data() : nullptr, Count, ncclFloat,
                           ncclMax, root, comms[r], streams[r]),
                ncclSuccess);
    }
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
    synchronize();
    for (int r = 0; r < Ranks; ++r) {
      std::vector<float> gathered = all[r].read(), own = part[r].read();
      EXPECT_EQ(copied[r].read(), values[root]);
      for (int q = 0; q < Ranks; ++q)
        for (size_t i = 0; i < Count; ++i)
          ASSERT_EQ(gathered[q * Count + i], values[q][i]);
      for (size_t i = 0; i < Count; ++i) {
        float sum = 0, largest = 0;
        for (int q = 0; q < Ranks; ++q)
          sum += wide[q][r * Count + i], largest = std::max(largest, values[q][i]);
        ASSERT_EQ(own[i], sum);
        ASSERT_EQ(reduced[r].read()[i], r == root ? largest : 0);
        if (i > 3)
          i += 97; // reading back is slow
      }
    }
    group([&](int r) {
      return ncclBcast(copied[r].data(), Count, ncclFloat, 3, comms[r], streams[r]);
    });
  }
  synchronize();
}

TEST_F(Nccl, InPlace) {
  constexpr size_t Count = 5000;
  auto sums = buffers<double>(Count), gather = buffers<double>(Count * Ranks),
       scatter = buffers<double>(Count * Ranks);
  std::vector<std::vector<double>> s, g, c;
  for (int r = 0; r < Ranks; ++r)
    s.push_back(sums[r].read()), g.push_back(gather[r].read()), c.push_back(scatter[r].read());
  ncclGroupStart();
  for (int r = 0; r < Ranks; ++r) {
    EXPECT_EQ(ncclAllReduce(sums[r].data(), sums[r].data(), Count, ncclDouble, ncclSum, comms[r],
                            streams[r]),
              ncclSuccess);
    EXPECT_EQ(ncclAllGather(gather[r].data() + r * Count, gather[r].data(), Count, ncclDouble,
                            comms[r], streams[r]),
              ncclSuccess);
    EXPECT_EQ(ncclReduceScatter(scatter[r].data(), scatter[r].data() + r * Count, Count, ncclDouble,
                                ncclSum, comms[r], streams[r]),
              ncclSuccess);
  }
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  synchronize();
  for (int r = 0; r < Ranks; ++r) {
    std::vector<double> sum = sums[r].read(), all = gather[r].read(), part = scatter[r].read();
    for (size_t i = 0; i < Count; ++i) {
      ASSERT_EQ(sum[i], s[0][i] + s[1][i] + s[2][i] + s[3][i]);
      for (int q = 0; q < Ranks; ++q)
        ASSERT_EQ(all[q * Count + i], g[q][q * Count + i]);
      size_t k = r * Count + i;
      ASSERT_EQ(part[k], c[0][k] + c[1][k] + c[2][k] + c[3][k]);
    }
  }
}

TEST_F(Nccl, LargeSumsUseThreads) {
  constexpr size_t Count = 3000001;
  auto in = buffers<float>(Count, false);
  for (int r = 0; r < Ranks; ++r) {
    std::vector<float> values(Count);
    for (size_t i = 0; i < Count; ++i)
      values[i] = float(i % 1000 + r);
    ASSERT_EQ(cudaMemcpy(in[r].data(), values.data(), Count * 4, cudaMemcpyDefault), cudaSuccess);
  }
  group([&](int r) {
    return ncclAllReduce(in[r].data(), in[r].data(), Count, ncclFloat, ncclSum, comms[r],
                         streams[r]);
  });
  synchronize();
  std::vector<float> result = in[2].read();
  for (size_t i = 0; i < Count; ++i)
    ASSERT_EQ(result[i], float(4 * (i % 1000) + 6));
}

/// Each rank sends to all others, itself too, in one group.
TEST_F(Nccl, AllToAll) {
  constexpr size_t Count = 100;
  auto in = buffers<int>(Count * Ranks), out = buffers<int>(Count * Ranks, false);
  ncclGroupStart();
  for (int r = 0; r < Ranks; ++r)
    for (int peer = 0; peer < Ranks; ++peer) {
      EXPECT_EQ(ncclSend(in[r].data() + peer * Count, Count, ncclInt, peer, comms[r], streams[r]),
                ncclSuccess);
      EXPECT_EQ(ncclRecv(out[r].data() + peer * Count, Count, ncclInt, peer, comms[r], streams[r]),
                ncclSuccess);
    }
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  synchronize();
  for (int r = 0; r < Ranks; ++r)
    for (int peer = 0; peer < Ranks; ++peer) {
      std::vector<int> sent = in[peer].read(), received = out[r].read();
      for (size_t i = 0; i < Count; ++i)
        ASSERT_EQ(received[peer * Count + i], sent[r * Count + i]);
    }
}

TEST_F(Nccl, OperatorsOfTheProgram) {
  auto in = buffers<float>(10), out = buffers<float>(10, false);
  Buffer<float> scalar(3, {10.0f});
  ncclRedOp_t ops[Ranks];
  for (int r = 0; r < Ranks; ++r) {
    float factor = float(r);
    ASSERT_EQ(r == 3 ? ncclRedOpCreatePreMulSum(&ops[r], scalar.data(), ncclFloat, ncclScalarDevice,
                                                comms[r])
                     : ncclRedOpCreatePreMulSum(&ops[r], &factor, ncclFloat,
                                                ncclScalarHostImmediate, comms[r]),
              ncclSuccess);
  }
  group([&](int r) {
    return ncclAllReduce(in[r].data(), out[r].data(), 10, ncclFloat, ops[r], comms[r], streams[r]);
  });
  for (int r = 0; r < Ranks; ++r)
    EXPECT_EQ(ncclRedOpDestroy(ops[r], comms[r]), ncclSuccess);
  EXPECT_EQ(ncclRedOpDestroy(ops[0], comms[0]), ncclInvalidArgument);
  synchronize();
  std::vector<float> result = out[1].read(), b = in[1].read(), c = in[2].read(), d = in[3].read();
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(result[i], b[i] + 2 * c[i] + 10 * d[i]);
}

/// A thread for each rank, which makes its communicator and calls on its own.
TEST(NcclThreads, RanksInThreads) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  std::vector<std::thread> threads;
  for (int r = 0; r < Ranks; ++r)
    threads.emplace_back([r, id] {
      cudaSetDevice(r);
      ncclComm_t comm;
      cudaStream_t stream;
      ASSERT_EQ(ncclCommInitRank(&comm, Ranks, id, r), ncclSuccess);
      ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
      Buffer<int> data(r, std::vector<int>(1000, r + 1));
      for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(ncclAllReduce(data.data(), data.data(), 1000, ncclInt, ncclMax, comm, stream),
                  ncclSuccess);
        ASSERT_EQ(ncclGroupStart(), ncclSuccess);
        ASSERT_EQ(ncclSend(data.data(), 500, ncclInt, (r + 1) % Ranks, comm, stream), ncclSuccess);
        ASSERT_EQ(ncclRecv(data.data() + 500, 500, ncclInt, (r + 3) % Ranks, comm, stream),
                  ncclSuccess);
        ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
      }
      ASSERT_EQ(ncclCommFinalize(comm), ncclSuccess);
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      EXPECT_EQ(data.read(), std::vector<int>(1000, 4));
      EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
      cudaStreamDestroy(stream);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Without a group, and the first rank's stream has more behind the operation: the call returns,
/// the stream waits.
TEST_F(Nccl, OneThreadWithoutGroup) {
  auto data = buffers<int>(100);
  std::vector<int> sums(100);
  for (auto &buffer : data) {
    std::vector<int> values = buffer.read();
    for (int i = 0; i < 100; ++i)
      sums[i] += values[i];
  }
  int *early;
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void **>(&early), 400), cudaSuccess);
  for (int round = 0; round < 3; ++round)
    for (int r = 0; r < Ranks; ++r) {
      ASSERT_EQ(ncclAllReduce(data[r].data(), data[r].data(), 100, ncclInt,
                              round ? ncclMax : ncclSum, comms[r], streams[r]),
                ncclSuccess);
      if (r == 0 && round == 0) {
        ASSERT_EQ(cudaMemcpyAsync(early, data[0].data(), 400, cudaMemcpyDefault, streams[0]),
                  cudaSuccess);
        EXPECT_EQ(cudaStreamQuery(streams[0]), cudaErrorNotReady);
      }
    }
  synchronize();
  EXPECT_EQ(std::vector<int>(early, early + 100), sums);
  cudaFreeHost(early);
  for (auto &buffer : data)
    EXPECT_EQ(buffer.read(), sums);
}

/// Host functions of a rank that comes late run while an early one waits.
TEST_F(Nccl, LateRanksMayUseHostFunctions) {
  auto data = buffers<float>(10);
  auto call = [&](int r) {
    return ncclAllReduce(data[r].data(), data[r].data(), 10, ncclFloat, ncclMin, comms[r],
                         streams[r]);
  };
  std::atomic<int> ran = 0;
  ASSERT_EQ(call(0), ncclSuccess);
  for (int r = 1; r < Ranks; ++r) {
    ASSERT_EQ(cudaLaunchHostFunc(
                  streams[r], [](void *p) { ++*static_cast<std::atomic<int> *>(p); }, &ran),
              cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(streams[r]), cudaSuccess);
    EXPECT_EQ(ran, r);
    ASSERT_EQ(call(r), ncclSuccess);
  }
  synchronize();
}

TEST_F(Nccl, InAGraph) {
  auto data = buffers<int>(8);
  std::vector<int> before = data[0].read();
  int sum = 0;
  for (auto &buffer : data)
    sum += buffer.read()[5];
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaEvent_t events[Ranks];
  for (int r = 0; r < Ranks; ++r) {
    cudaSetDevice(r);
    ASSERT_EQ(cudaEventCreate(&events[r]), cudaSuccess);
  }
  ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(events[0], streams[0]), cudaSuccess);
  for (int r = 1; r < Ranks; ++r)
    ASSERT_EQ(cudaStreamWaitEvent(streams[r], events[0], 0), cudaSuccess);
  group([&](int r) {
    return ncclAllReduce(data[r].data(), data[r].data(), 8, ncclInt, ncclSum, comms[r], streams[r]);
  });
  for (int r = 1; r < Ranks; ++r) {
    ASSERT_EQ(cudaEventRecord(events[r], streams[r]), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(streams[0], events[r], 0), cudaSuccess);
  }
  ASSERT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
  EXPECT_EQ(data[0].read(), before);
  cudaSetDevice(0);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(cudaGraphLaunch(executable, streams[0]), cudaSuccess);
  synchronize();
  EXPECT_EQ(data[3].read()[5], sum * Ranks);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  for (cudaEvent_t event : events)
    cudaEventDestroy(event);
}

TEST_F(Nccl, SplitsByColorAndKey) {
  ncclComm_t halves[Ranks];
  group([&](int r) {
    return ncclCommSplit(comms[r], r == 3 ? NCCL_SPLIT_NOCOLOR : 7, -r, &halves[r], nullptr);
  });
  EXPECT_EQ(halves[3], nullptr);
  int rank, count, device;
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(ncclCommUserRank(halves[r], &rank), ncclSuccess);
    EXPECT_EQ(ncclCommCount(halves[r], &count), ncclSuccess);
    EXPECT_EQ(ncclCommCuDevice(halves[r], &device), ncclSuccess);
    EXPECT_EQ(rank, 2 - r);
    EXPECT_EQ(count, 3);
    EXPECT_EQ(device, r);
  }
  auto data = buffers<int>(4);
  std::vector<int> sent = data[2].read();
  ncclGroupStart();
  for (int r = 0; r < 3; ++r)
    EXPECT_EQ(ncclBcast(data[r].data(), 4, ncclInt, 0, halves[r], streams[r]), ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  synchronize();
  EXPECT_EQ(data[0].read(), sent);
  for (int r = 0; r < 3; ++r)
    EXPECT_EQ(ncclCommDestroy(halves[r]), ncclSuccess);
}

} // namespace
