// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCCL between processes. A test starts this program again, once for each process, with the test of
// NcclChild that is wanted; the children find each other by the unique identifier in their
// environment, as with an MPI launcher.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace {

std::string hexOf(const ncclUniqueId &id) {
  std::string text;
  for (char c : id.internal) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(c));
    text += digits;
  }
  return text;
}

/// Runs the child test in `processes` processes with `each` ranks and devices; returns how they
/// exit.
std::vector<int> runChildren(const char *test, int processes, int each = 1) {
  ncclUniqueId id;
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  std::string devices = "HEDDLE_DEVICE=cpu";
  for (int i = 1; i < each; ++i)
    devices += ",cpu";
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    std::vector<std::string> own = {devices, "NCCL_CHILD_ID=" + hexOf(id),
                                    "NCCL_CHILD_PROCESS=" + std::to_string(process),
                                    "NCCL_CHILD_PROCESSES=" + std::to_string(processes),
                                    "NCCL_CHILD_EACH=" + std::to_string(each)};
    std::vector<char *> environment;
    for (std::string &entry : own)
      environment.push_back(entry.data());
    for (char **entry = environ; *entry; ++entry)
      if (std::strncmp(*entry, "HEDDLE_DEVICE=", 14) != 0)
        environment.push_back(*entry);
    environment.push_back(nullptr);
    std::string filter = std::string("--gtest_filter=NcclChild.") + test;
    char self[] = "/proc/self/exe";
    char *arguments[] = {self, filter.data(), nullptr};
    pid_t child = 0;
    EXPECT_EQ(posix_spawn(&child, self, nullptr, nullptr, arguments, environment.data()), 0);
    children.push_back(child);
  }
  std::vector<int> codes;
  for (pid_t child : children) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  return codes;
}

int numberOf(const char *name) {
  const char *value = std::getenv(name);
  return value ? std::atoi(value) : 0;
}

ncclUniqueId idOfEnvironment() {
  ncclUniqueId id = {};
  std::string text = std::getenv("NCCL_CHILD_ID");
  for (size_t i = 0; i < sizeof id.internal; ++i)
    id.internal[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return id;
}

/// Memory of a device, with a copy on the host.
template <typename T> struct Memory {
  explicit Memory(std::vector<T> values) : host(std::move(values)) {
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void **>(&device), (host.size() + 1) * sizeof(T)),
              cudaSuccess);
    cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  Memory(const Memory &) = delete;
  ~Memory() { cudaFree(device); }
  std::vector<T> read(cudaStream_t stream) {
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    std::vector<T> now(host.size());
    cudaMemcpy(now.data(), device, now.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return now;
  }
  std::vector<T> host;
  T *device = nullptr;
};

/// A process of several, with `each` ranks of its own.
struct NcclChild : testing::Test {
  void SetUp() override {
    if (!std::getenv("NCCL_CHILD_ID"))
      GTEST_SKIP() << "a child of NcclProcesses";
    each = numberOf("NCCL_CHILD_EACH");
    size = each * numberOf("NCCL_CHILD_PROCESSES");
    first = each * numberOf("NCCL_CHILD_PROCESS");
    comms.resize(size_t(each)), streams.resize(size_t(each));
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (int i = 0; i < each; ++i) {
      ASSERT_EQ(cudaSetDevice(i), cudaSuccess);
      ASSERT_EQ(cudaStreamCreate(&streams[size_t(i)]), cudaSuccess);
      ASSERT_EQ(ncclCommInitRank(&comms[size_t(i)], size, idOfEnvironment(), first + i),
                ncclSuccess);
    }
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  }
  void TearDown() override {
    for (ncclComm_t comm : comms)
      EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  }

  /// call(i, rank) for the ranks of this process, as a group.
  template <typename F> void group(F call) {
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (int i = 0; i < each; ++i) {
      cudaSetDevice(i);
      ASSERT_EQ(call(size_t(i), first + i), ncclSuccess);
    }
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  }
  /// Memory of each rank of this process, of `count` numbers f(rank, i).
  template <typename T, typename F>
  std::vector<std::unique_ptr<Memory<T>>> memories(size_t count, F f) {
    std::vector<std::unique_ptr<Memory<T>>> all;
    for (int i = 0; i < each; ++i) {
      cudaSetDevice(i);
      std::vector<T> values(count);
      for (size_t e = 0; e < count; ++e)
        values[e] = f(first + i, e);
      all.push_back(std::make_unique<Memory<T>>(std::move(values)));
    }
    return all;
  }

  int each = 0, size = 0, first = 0;
  std::vector<ncclComm_t> comms;
  std::vector<cudaStream_t> streams;
};

int numberAt(int rank, size_t i) { return int((i * 7 + size_t(rank) * 13) % 101) - 50; }
int zero(int, size_t) { return 0; }

/// More than a channel holds, and a number that ranks cannot share evenly.
constexpr size_t Counts[] = {0, 1, 3, 1001, 300'007};

TEST_F(NcclChild, Reductions) {
  for (size_t count : Counts)
    for (ncclRedOp_t op : {ncclSum, ncclMax, ncclMin}) {
      auto in = memories<int>(count, numberAt), out = memories<int>(count, zero);
      auto toRoot = memories<int>(count, zero);
      int root = int(count) % size;
      group([&](size_t i, int) {
        return ncclAllReduce(in[i]->device, out[i]->device, count, ncclInt32, op, comms[i],
                             streams[i]);
      });
      group([&](size_t i, int) {
        return ncclReduce(in[i]->device, toRoot[i]->device, count, ncclInt32, op, root, comms[i],
                          streams[i]);
      });
      group([&](size_t i, int) { // in place
        return ncclAllReduce(in[i]->device, in[i]->device, count, ncclInt32, op, comms[i],
                             streams[i]);
      });
      std::vector<int> expected(count);
      for (size_t e = 0; e < count; ++e) {
        int value = numberAt(0, e);
        for (int rank = 1; rank < size; ++rank) {
          int other = numberAt(rank, e);
          value = op == ncclSum   ? value + other
                  : op == ncclMax ? std::max(value, other)
                                  : std::min(value, other);
        }
        expected[e] = value;
      }
      for (int i = 0; i < each; ++i) {
        cudaStream_t stream = streams[size_t(i)];
        EXPECT_EQ(out[size_t(i)]->read(stream), expected);
        EXPECT_EQ(in[size_t(i)]->read(stream), expected);
        EXPECT_EQ(toRoot[size_t(i)]->read(stream),
                  first + i == root ? expected : std::vector<int>(count));
      }
    }
}

TEST_F(NcclChild, CopiesAndScatters) {
  for (size_t count : Counts) {
    size_t all = count * size_t(size);
    auto in = memories<int>(all, numberAt), part = memories<int>(count, zero);
    auto gathered = memories<int>(all, zero), received = memories<int>(count, zero);
    int root = size - 1;
    group([&](size_t i, int) {
      return ncclReduceScatter(in[i]->device, part[i]->device, count, ncclInt32, ncclSum, comms[i],
                               streams[i]);
    });
    group([&](size_t i, int) {
      return ncclAllGather(part[i]->device, gathered[i]->device, count, ncclInt32, comms[i],
                           streams[i]);
    });
    group([&](size_t i, int) {
      return ncclBroadcast(in[i]->device, received[i]->device, count, ncclInt32, root, comms[i],
                           streams[i]);
    });
    std::vector<int> sums(all), fromRoot(count);
    for (size_t e = 0; e < all; ++e)
      for (int rank = 0; rank < size; ++rank)
        sums[e] += numberAt(rank, e);
    for (size_t e = 0; e < count; ++e)
      fromRoot[e] = numberAt(root, e);
    for (size_t i = 0; i < size_t(each); ++i) {
      EXPECT_EQ(gathered[i]->read(streams[i]), sums);
      EXPECT_EQ(received[i]->read(streams[i]), fromRoot);
    }
  }
}

/// All send to all, themselves too, in one group.
TEST_F(NcclChild, AllToAll) {
  for (size_t count : Counts) {
    size_t all = count * size_t(size);
    auto in = memories<int>(all, numberAt), out = memories<int>(all, zero);
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (size_t i = 0; i < size_t(each); ++i)
      for (int peer = 0; peer < size; ++peer) {
        size_t place = size_t(peer) * count;
        ASSERT_EQ(ncclSend(in[i]->device + place, count, ncclInt32, peer, comms[i], streams[i]),
                  ncclSuccess);
        ASSERT_EQ(ncclRecv(out[i]->device + place, count, ncclInt32, peer, comms[i], streams[i]),
                  ncclSuccess);
      }
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
    for (size_t i = 0; i < size_t(each); ++i) {
      std::vector<int> now = out[i]->read(streams[i]);
      for (size_t e = 0; e < all; ++e)
        ASSERT_EQ(now[e], numberAt(int(e / count), size_t(first + int(i)) * count + e % count));
    }
  }
}

TEST_F(NcclChild, OperatorsAndAverages) {
  constexpr size_t Count = 517;
  auto in = memories<double>(Count, [](int rank, size_t i) { return numberAt(rank, i) / 8.0; });
  auto out = memories<double>(Count, [](int, size_t) { return 0.0; });
  auto mean = memories<double>(Count, [](int, size_t) { return 0.0; });
  std::vector<ncclRedOp_t> ops(size_t(each), ncclSum);
  for (size_t i = 0; i < size_t(each); ++i) {
    double factor = 1 + first + double(i); // each rank has its own
    ASSERT_EQ(
        ncclRedOpCreatePreMulSum(&ops[i], &factor, ncclFloat64, ncclScalarHostImmediate, comms[i]),
        ncclSuccess);
  }
  group([&](size_t i, int) {
    return ncclAllReduce(in[i]->device, out[i]->device, Count, ncclFloat64, ops[i], comms[i],
                         streams[i]);
  });
  group([&](size_t i, int) {
    return ncclAllReduce(in[i]->device, mean[i]->device, Count, ncclFloat64, ncclAvg, comms[i],
                         streams[i]);
  });
  for (size_t i = 0; i < size_t(each); ++i) {
    std::vector<double> sums = out[i]->read(streams[i]), means = mean[i]->read(streams[i]);
    for (size_t e = 0; e < Count; ++e) {
      double sum = 0, plain = 0;
      for (int rank = 0; rank < size; ++rank) {
        sum += (1 + rank) * (numberAt(rank, e) / 8.0);
        plain += numberAt(rank, e) / 8.0;
      }
      EXPECT_DOUBLE_EQ(sums[e], sum);
      EXPECT_DOUBLE_EQ(means[e], plain / size);
    }
    EXPECT_EQ(ncclRedOpDestroy(ops[i], comms[i]), ncclSuccess);
  }
}

/// Odd and even ranks apart, in falling order; the last one has no color.
TEST_F(NcclChild, Split) {
  std::vector<ncclComm_t> parts(size_t(each), nullptr);
  auto colorOf = [&](int rank) { return rank == size - 1 ? NCCL_SPLIT_NOCOLOR : rank % 2; };
  ASSERT_EQ(each, 1);
  ASSERT_EQ(ncclCommSplit(comms[0], colorOf(first), -first, &parts[0], nullptr), ncclSuccess);
  if (colorOf(first) == NCCL_SPLIT_NOCOLOR) {
    EXPECT_EQ(parts[0], nullptr);
    return;
  }
  std::vector<int> members;
  for (int rank = size - 1; rank >= 0; --rank)
    if (colorOf(rank) == colorOf(first))
      members.push_back(rank);
  int count = 0, rank = -1;
  EXPECT_EQ(ncclCommCount(parts[0], &count), ncclSuccess);
  EXPECT_EQ(ncclCommUserRank(parts[0], &rank), ncclSuccess);
  EXPECT_EQ(count, int(members.size()));
  ASSERT_EQ(members[size_t(rank)], first);
  auto in = memories<int>(1, [](int r, size_t) { return r; });
  auto out = memories<int>(members.size(), zero);
  EXPECT_EQ(ncclAllGather(in[0]->device, out[0]->device, 1, ncclInt32, parts[0], streams[0]),
            ncclSuccess);
  EXPECT_EQ(out[0]->read(streams[0]), members);
  EXPECT_EQ(ncclCommDestroy(parts[0]), ncclSuccess);
}

TEST_F(NcclChild, Disagree) {
  auto in = memories<int>(16, numberAt), out = memories<int>(16, zero);
  size_t count = first == 0 ? 16 : 8;
  EXPECT_EQ(
      ncclAllReduce(in[0]->device, out[0]->device, count, ncclInt32, ncclSum, comms[0], streams[0]),
      ncclSuccess);
  EXPECT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
  ncclResult_t state = ncclSuccess;
  EXPECT_EQ(ncclCommGetAsyncError(comms[0], &state), ncclSuccess);
  EXPECT_TRUE(state == ncclInvalidUsage || state == ncclRemoteError) << state; // who saw it first
  EXPECT_EQ(
      ncclAllReduce(in[0]->device, out[0]->device, 8, ncclInt32, ncclSum, comms[0], streams[0]),
      state);
}

TEST_F(NcclChild, OneEnds) {
  if (first == 1)
    _exit(7);
  auto in = memories<int>(16, numberAt);
  EXPECT_EQ(
      ncclAllReduce(in[0]->device, in[0]->device, 16, ncclInt32, ncclSum, comms[0], streams[0]),
      ncclSuccess);
  EXPECT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
  ncclResult_t state = ncclSuccess;
  EXPECT_EQ(ncclCommGetAsyncError(comms[0], &state), ncclSuccess);
  EXPECT_EQ(state, ncclRemoteError);
}

TEST_F(NcclChild, Captured) {
  cudaGraph_t graph = nullptr;
  auto in = memories<int>(16, numberAt);
  ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(
      ncclAllReduce(in[0]->device, in[0]->device, 16, ncclInt32, ncclSum, comms[0], streams[0]),
      ncclInvalidUsage);
  EXPECT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST(NcclProcesses, OneRankEach) {
  EXPECT_EQ(runChildren("Reductions", 3), std::vector<int>(3));
  EXPECT_EQ(runChildren("CopiesAndScatters", 3), std::vector<int>(3));
  EXPECT_EQ(runChildren("AllToAll", 4), std::vector<int>(4));
  EXPECT_EQ(runChildren("OperatorsAndAverages", 2), std::vector<int>(2));
  EXPECT_EQ(runChildren("Split", 4), std::vector<int>(4));
}

TEST(NcclProcesses, TwoRanksEach) {
  EXPECT_EQ(runChildren("Reductions", 2, 2), std::vector<int>(2));
  EXPECT_EQ(runChildren("CopiesAndScatters", 2, 2), std::vector<int>(2));
  EXPECT_EQ(runChildren("AllToAll", 2, 2), std::vector<int>(2));
}

TEST(NcclProcesses, Errors) {
  EXPECT_EQ(runChildren("Disagree", 2), std::vector<int>(2));
  EXPECT_EQ(runChildren("OneEnds", 2), (std::vector<int>{0, 7}));
  EXPECT_EQ(runChildren("Captured", 2), std::vector<int>(2));
}

} // namespace
