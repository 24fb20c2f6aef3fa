// RUN: %heddle cc -o %t %s
// RUN: %S/Inputs/exact_threads.sh %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fault names the thread, its block and the line, at every width. Each case is told the thread that must be named, by
// what the kernel does; the report is compared with what this program prints beforehand.
#include <cuda_runtime.h>

#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>

// Memory that ends at a guard page: `count` ints, the last of which is the page's last.
static int *endsAtGuard(size_t count) {
  char *p = nullptr;
  size_t bytes = (count * sizeof(int) + 65535) / 65536 * 65536;
  if (cudaMalloc(&p, bytes) != cudaSuccess)
    exit(2);
  return reinterpret_cast<int *>(p + bytes) - count;
}

static int *wild() { return reinterpret_cast<int *>(0x7fdeadbe0000); }

struct At {
  unsigned x = 0, y = 0, z = 0;
};

static void want(int line, At thread, At block, const char *more = "") {
  printf("exact_thread.cu:%d by thread (%u,%u,%u) in block (%u,%u,%u)%s\n", line, thread.x, thread.y, thread.z,
         block.x, block.y, block.z, more);
  fflush(stdout);
}

#define HERE __LINE__

// A contiguous store that runs over the end: the first thread beyond.
const int storeLine = HERE + 4;
__global__ void store(int *p, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < limit)
    p[i] = i;
}
static void storeOver() {
  want(storeLine, {77}, {3});
  store<<<5, 100>>>(endsAtGuard(377), 378); // thread 77 of block 3 is one too far
}
static void storePartialWarp() {
  want(storeLine, {98}, {0}, ", and 1 more of its warp");
  store<<<1, 100>>>(endsAtGuard(98), 100);
}

const int loadLine = HERE + 5;
__global__ void load(int *out, const int *in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int sum = 0;
  for (int k = 0; k <= n; k++)
    sum += in[(y * n + x) * n + k]; // the last element's last step is one too far
  out[y * n + x] = sum;
}
static void loadInLoop() {
  const int n = 16;
  want(loadLine, {7, 3}, {1, 3});
  int *out = endsAtGuard(n * n);
  load<<<dim3(2, 4), dim3(8, 4)>>>(out, endsAtGuard(n * n * n), n);
}

const int gatherLine = HERE + 3;
__global__ void gather(int *out, const int *in, const long long *at) {
  int i = threadIdx.x + threadIdx.y * blockDim.x;
  out[i] = in[at[i]] + 1;
}
static void gatherWild() {
  want(gatherLine, {3, 2}, {0});
  static long long at[64] = {};
  auto *deviceAt = reinterpret_cast<long long *>(endsAtGuard(128));
  int *out = endsAtGuard(64), *in = endsAtGuard(1000);
  at[2 * 16 + 3] = wild() - in;
  cudaMemcpy(deviceAt, at, sizeof at, cudaMemcpyHostToDevice);
  gather<<<1, dim3(16, 4)>>>(out, in, deviceAt);
}

const int scatterLine = HERE + 5;
__global__ void scatter(int *p, int *bad) {
  int i = threadIdx.x;
  if (i % 3 == 0) {
    if (i == 36 || i == 39)
      bad[i * 7] = i;
    else
      atomicAdd(&p[i * 7 % 64], i);
  }
}
static void scatterDivergent() {
  want(scatterLine, {36}, {0}, ", and 1 more of its warp");
  scatter<<<1, 64>>>(endsAtGuard(64), wild());
}

// Thread 40 faults before thread 33 could: both lines do, the one that the warp came to first is named.
const int earlyLine = HERE + 4;
__global__ void twoLines(int *bad) {
  int i = threadIdx.x;
  if (i == 40)
    *bad = 1;
  __syncwarp();
  if (i == 33)
    bad[1] = 2;
}
static void firstLine() {
  want(earlyLine, {40}, {0});
  twoLines<<<1, 64>>>(wild());
}

const int tileLine = HERE + 6;
__global__ void tile(int *out, const int *in, int step) {
  __shared__ int part[128];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int k = 1; k < 3; k++) {
    out[threadIdx.x * k * step] = part[threadIdx.x ^ 1];
    __syncthreads();
  }
}
static void barriers() {
  want(tileLine, {101}, {0});
  tile<<<1, 128>>>(endsAtGuard(101 * 2 * 5) , endsAtGuard(128), 5);
}

const int dynamicLine = HERE + 4;
__global__ void dynamicShared(int *out, int n) {
  extern __shared__ int memory[];
  if (threadIdx.y == 1)
    memory[threadIdx.x * n] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = memory[threadIdx.x];
}
static void sharedOverrun() {
  want(dynamicLine, {11, 1}, {0});
  dynamicShared<<<1, dim3(16, 2), 1024>>>(endsAtGuard(16), 25); // 256 ints, 11 * 25 is beyond
}

const int gridLine = HERE + 5;
__global__ void acrossGrid(int *p, int *bad) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 1 && threadIdx.x == 45)
    bad[p[0]] = 1;
  cooperative_groups::this_grid().sync();
}
static void cooperative() {
  want(gridLine, {45}, {1});
  int *p = endsAtGuard(128), *bad = wild();
  void *arguments[] = {&p, &bad};
  cudaLaunchCooperativeKernel(reinterpret_cast<void *>(acrossGrid), 2, 64, arguments, 0, nullptr);
}

// A function that is called, and printf around it, whose text must not come twice.
const int calledLine = HERE + 2;
__device__ __noinline__ int chase(const int *p, int depth) {
  return depth ? chase(p, depth - 1) + 1 : *p;
}
__global__ void calls(int *out, const int *good, const int *bad) {
  if (threadIdx.x == 0)
    printf("once\n");
  out[threadIdx.x] = chase(threadIdx.x == 21 ? bad : good, 3);
}
static void called() {
  want(calledLine, {21}, {0});
  calls<<<1, 32>>>(endsAtGuard(32), endsAtGuard(1), wild());
}

// Threads with stacks of their own: a recursion with a barrier at each level.
const int waitingLine = HERE + 5;
__device__ __noinline__ int chaseTogether(const int *p, int depth) {
  __syncthreads();
  if (depth)
    return chaseTogether(p, depth - 1) + 1;
  return *p;
}
__global__ void callsTogether(int *out, const int *good, const int *bad) {
  out[threadIdx.x] = chaseTogether(threadIdx.x == 45 ? bad : good, 3);
}
static void calledTogether() {
  want(waitingLine, {45}, {0});
  callsTogether<<<1, 64>>>(endsAtGuard(64), endsAtGuard(1), wild());
}

const int trapLine = HERE + 3;
__global__ void traps(int low) {
  if (threadIdx.x >= low)
    __trap();
}
static void trapped() {
  want(trapLine, {69}, {0});
  traps<<<1, 70>>>(69);
}

// Several streams and workers: each launch would fault; the first one to do so is reported, once.
static void streams() {
  want(storeLine, {64}, {0});
  int *p = endsAtGuard(64);
  for (int i = 0; i < 8; i++) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    store<<<1, 65, 0, stream>>>(p, 65);
  }
}

// Managed memory keeps what the faulting run wrote: the search for the thread writes nothing.
__global__ void count(int *managed, int *bad) {
  atomicAdd(managed, 1);
  if (threadIdx.x == 5)
    *bad = 1;
}
const int countLine = HERE - 2;
static void managed() {
  want(countLine, {5}, {0});
  int *p;
  cudaMallocManaged(&p, sizeof(int));
  *p = 0;
  count<<<1, 8>>>(p, wild());
  cudaDeviceSynchronize();
  if (*p > 8)
    printf("counted %d times\n", *p);
}

// Keys behind the end of their array.
const int tallyLine = HERE + 4;
__global__ void tally(int n, const unsigned *keys, int *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&counts[keys[i] % 64], 1);
  __threadfence();
}
static void tallyKeys() {
  want(tallyLine, {104}, {7}, ", and 23 more of its warp");
  tally<<<8, 128>>>(1024, reinterpret_cast<unsigned *>(endsAtGuard(1000)), endsAtGuard(64));
}

// Blocks above each other run as one (simt/columns).
const int columnLine = HERE + 4;
__global__ void columns(int *out, const int *in, const int *bad, int badRow, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int *from = y == badRow ? bad : in;
  out[x * rows + y] = from[y * 32 + x];
}
static void blocksTogether() {
  const int rows = 8 * 4096, badRow = 8 * 1001 + 5;
  want(columnLine, {0, 5}, {0, 1001}, ", and 31 more of its warp");
  int *in = endsAtGuard(32 * rows), *out = endsAtGuard(32 * rows);
  for (int bad : {-1, -1, badRow}) // once it is known how long a block takes, several are taken at once
    columns<<<dim3(1, rows / 8), dim3(32, 8)>>>(out, in, wild(), bad, rows);
}

// Neighbouring blocks of one thread run as one (simt/coarsen_blocks), whole groups and what is left of a row.
const int neighbourLine = HERE + 3;
__global__ void neighbours(int *out, const int *in, const int *bad, dim3 badBlock) {
  bool isBad = blockIdx.x == badBlock.x && blockIdx.y == badBlock.y && blockIdx.z == badBlock.z;
  out[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = *((isBad ? bad : in) + blockIdx.x);
}
static void oneOfNeighbours(dim3 grid, dim3 block) {
  want(neighbourLine, {0}, {block.x, block.y, block.z});
  int *in = endsAtGuard(grid.x), *out = endsAtGuard(grid.x * grid.y * grid.z);
  for (dim3 bad : {dim3(~0u), dim3(~0u), block})
    neighbours<<<grid, 1>>>(out, in, wild(), bad);
}
static void inGroup() { oneOfNeighbours(dim3(1000), dim3(300, 0, 0)); }
static void inRest() { oneOfNeighbours(dim3(301, 40, 3), dim3(299, 17, 2)); }
static void alone() { oneOfNeighbours(dim3(1, 3), dim3(0, 2, 0)); }

// Blocks take different numbers of steps; the reads of a group's last one end at the guard page.
const int neighbourLoopLine = HERE + 4;
__global__ void neighbourSteps(int *out, const int *in, int n) {
  int sum = 0;
  for (int k = 0; k < int(blockIdx.x % 67) + (blockIdx.x == 777 ? 100 : 0); ++k)
    sum += in[k * n + blockIdx.x];
  out[blockIdx.x] = sum;
}
static void stepsOfNeighbours() {
  const int n = 1000;
  want(neighbourLoopLine, {0}, {777});
  neighbourSteps<<<n, 1>>>(endsAtGuard(n), endsAtGuard(66 * n), n);
}

int main(int, char **argv) {
  void (*const cases[])() = {storeOver,  storePartialWarp, loadInLoop,    gatherWild,  scatterDivergent, firstLine,
                             barriers,   sharedOverrun,    cooperative, called,           trapped,
                             streams,    managed,          calledTogether, tallyKeys,  blocksTogether,
                             inGroup,    inRest,           alone,         stepsOfNeighbours};
  size_t number = atoi(argv[1]);
  if (number >= sizeof cases / sizeof *cases)
    return 77; // no more
  cases[number]();
  cudaError_t error = cudaDeviceSynchronize();
  bool right = error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure;
  if (!right)
    printf("cudaDeviceSynchronize gives %s\n", cudaGetErrorName(error));
  return right ? 0 : 1;
}
