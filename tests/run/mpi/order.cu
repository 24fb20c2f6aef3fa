// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI that is aware of CUDA: calls with device memory wait for what the default stream has to do before, and calls with
// memory of the host do not. A host function holds the stream back until a thread lets it go on.
// REQUIRES: mpi
// RUN: %nvcc -ccbin mpicxx -std=c++17 %s -o %t
// RUN: %mpirun -np 2 %t && %mpirun -np 8 %t
// RUN: not env HEDDLE_DEVICE=gpu HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so %mpirun -np 2 %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GPU
// GPU: heddle: MPI was given memory of a GPU, and this machine's MPI is not aware of CUDA
#include <cuda_runtime.h>
#include <mpi.h>

#include <mpi-ext.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#if !defined(MPIX_CUDA_AWARE_SUPPORT) || !MPIX_CUDA_AWARE_SUPPORT
#error "mpi-ext.h does not tell that MPI is aware of CUDA"
#endif

constexpr int N = 1000;
int rank, size, failures;

__global__ void fill(int *p, int first) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N)
    p[i] = first + i;
}

__global__ void copy(int *to, const int *from) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N)
    to[i] = from[i];
}

/// Holds the default stream back from now on.
class Held {
public:
  Held() {
    cudaLaunchHostFunc(0, [](void *goes) {
      while (!static_cast<std::atomic<bool> *>(goes)->load())
        std::this_thread::yield();
    }, &goes_);
  }
  /// Lets it go on later, when the program is in MPI if that does not wait.
  void release() {
    thread_ = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      goes_ = true;
    });
  }
  ~Held() {
    goes_ = true;
    if (thread_.joinable())
      thread_.join();
    cudaDeviceSynchronize();
  }

private:
  std::atomic<bool> goes_{false};
  std::thread thread_;
};

struct Buffer {
  int *p;
  explicit Buffer(int n = N) { cudaMalloc(&p, n * sizeof(int)), cudaMemset(p, 0, n * sizeof(int)); }
  ~Buffer() { cudaFree(p); }
  void launchFill(int first) { fill<<<(N + 255) / 256, 256>>>(p, first); }
};

void check(const char *what, const int *device, const std::function<int(int)> &expected) {
  std::vector<int> got(N);
  cudaMemcpy(got.data(), device, N * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; ++i)
    if (got[i] != expected(i)) {
      std::printf("rank %d: %s: element %d is %d, not %d\n", rank, what, i, got[i], expected(i));
      ++failures;
      return;
    }
}

int left() { return (rank + size - 1) % size; }
int right() { return (rank + 1) % size; }

void exchange() {
  Buffer from, to;
  {
    Held held;
    from.launchFill(rank * N);
    held.release();
    MPI_Sendrecv(from.p, N, MPI_INT, right(), 1, to.p, N, MPI_INT, left(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  check("MPI_Sendrecv", to.p, [](int i) { return left() * N + i; });
}

void exchangeLater() {
  Buffer from, to;
  {
    Held held;
    from.launchFill(rank * N + 7);
    held.release();
    MPI_Request requests[2];
    MPI_Irecv(to.p, N, MPI_INT, left(), 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(from.p, N, MPI_INT, right(), 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  check("MPI_Isend", to.p, [](int i) { return left() * N + 7 + i; });
}

/// What a kernel still reads is not overwritten.
void receiveBehindKernel() {
  Buffer data, seen;
  int sent[N];
  for (int i = 0; i < N; ++i)
    sent[i] = -i;
  {
    Held held;
    data.launchFill(5);
    copy<<<(N + 255) / 256, 256>>>(seen.p, data.p);
    MPI_Request request;
    MPI_Isend(sent, N, MPI_INT, right(), 3, MPI_COMM_WORLD, &request);
    held.release();
    MPI_Recv(data.p, N, MPI_INT, left(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  check("kernel before MPI_Recv", seen.p, [](int i) { return 5 + i; });
  check("MPI_Recv", data.p, [](int i) { return -i; });
}

void collective() {
  Buffer sum, root, all(N * 64);
  {
    Held held;
    sum.launchFill(rank);
    held.release();
    MPI_Allreduce(MPI_IN_PLACE, sum.p, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  check("MPI_Allreduce", sum.p, [](int i) { return size * i + size * (size - 1) / 2; });
  {
    Held held;
    if (rank == size - 1)
      root.launchFill(42);
    held.release();
    MPI_Bcast(root.p, N, MPI_INT, size - 1, MPI_COMM_WORLD);
  }
  check("MPI_Bcast", root.p, [](int i) { return 42 + i; });
  {
    Held held;
    sum.launchFill(rank * N);
    held.release();
    MPI_Allgather(sum.p, N, MPI_INT, all.p, N, MPI_INT, MPI_COMM_WORLD);
  }
  for (int r = 0; r < size; ++r)
    check("MPI_Allgather", all.p + r * N, [&](int i) { return r * N + i; });
}

void persistent() {
  Buffer from, to;
  MPI_Request requests[2];
  MPI_Recv_init(to.p, N, MPI_INT, left(), 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(from.p, N, MPI_INT, right(), 4, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 2; ++round) {
    {
      Held held;
      from.launchFill(rank + round);
      held.release();
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    check("MPI_Startall", to.p, [&](int i) { return left() + round + i; });
  }
  for (MPI_Request &request : requests)
    MPI_Request_free(&request);
}

void window() {
  Buffer from, to;
  MPI_Win win;
  MPI_Win_create(to.p, N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  {
    Held held;
    from.launchFill(rank);
    held.release();
    MPI_Put(from.p, N, MPI_INT, right(), 0, N, MPI_INT, win);
    MPI_Win_fence(0, win);
  }
  check("MPI_Put", to.p, [](int i) { return left() + i; });
  MPI_Win_free(&win);
}

/// Would never end if MPI waited for the device.
void hostMemory() {
  Held held;
  int mine = rank, theirs = -1;
  MPI_Sendrecv(&mine, 1, MPI_INT, right(), 5, &theirs, 1, MPI_INT, left(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  failures += theirs != left();
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  failures += MPIX_Query_cuda_support() != 1;
  exchange();
  exchangeLater();
  receiveBehindKernel();
  collective();
  persistent();
  window();
  hostMemory();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
