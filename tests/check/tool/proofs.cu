// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of which the compiler knows what they access, so that launches without errors need not be
// looked at: beside each right one are those that almost are.
// RUN: %heddle cc %s -o %t && %check --tool memcheck,racecheck %s %t
constexpr int N = 1024, Width = 60;

// An element for each thread.
__global__ void scale(int n, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] *= 2;
}
// LEGAL prove-launches: bounds
__global__ void scaleOneMore(int n, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    y[i] *= 2; // error: out-of-bounds-access
}
__global__ void scaleLater(int n, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i + 1] *= 2; // error: out-of-bounds-access
}
__global__ void scaleAll(float *y) { // right for so many threads as it has elements
  y[blockIdx.x * blockDim.x + threadIdx.x] *= 2; // error: out-of-bounds-access
}
__global__ void wrapped(unsigned *y) { // 32 bits, then 64
  unsigned i = threadIdx.x - 1;
  y[i] = i; // error: out-of-bounds-access
}
__global__ void masked(int mask, float *y) {
  y[threadIdx.x & mask] = threadIdx.x == 0; // error: out-of-bounds-access
}
__global__ void countedDown(int n, const float *x, float *y) {
  float sum = 0;
  for (int i = n; i >= 0; --i)
    sum += x[i]; // error: out-of-bounds-access
  if (threadIdx.x == 0)
    *y = sum;
}
__global__ void doubled(int n, const float *x, float *y) {
  float sum = 0;
  for (int i = 1; i <= n; i *= 2)
    sum += x[i]; // error: out-of-bounds-access
  y[threadIdx.x] = sum;
}
__global__ void four(int pitch, const float4 *x, float *y) {
  const float *row = reinterpret_cast<const float *>(x) + threadIdx.x * pitch;
  y[threadIdx.x] = reinterpret_cast<const float4 *>(row)->x; // error: misaligned-access
}
// LEGAL prove-launches: objects
__global__ void gathered(const int *index, const float *x, float *y) {
  y[threadIdx.x] = x[index[threadIdx.x]]; // error: out-of-bounds-access
}

// LEGAL prove-launches: own
__global__ void halves(float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i / 2] = i; // error: race-write-write
}
__global__ void again(float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x)
    y[i] = blockIdx.x; // error: race-write-write
}
__global__ void strided(float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x)
    y[i] = blockIdx.x;
}
__global__ void shifted(float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N - 1)
    y[i] = y[i + 1]; // error: race-read-write
}
__global__ void moved(const float *x, float *y) { // in one allocation, or two
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N - 1)
    y[i] = x[i]; // error: race-read-write
}
__global__ void both(int distance, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = i;
  y[i + distance] = i + 1; // error: race-write-write
}
__global__ void plane(int width, float *y) { // rows of as many threads as columns, or of more
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  y[row * width + column] = column; // error: race-write-write
}
__global__ void planeGuarded(int width, float *y) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width)
    y[row * width + column] = column;
}
__global__ void columnsOnly(float *y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.y; // error: race-write-write
}
__global__ void oneRow(float *y) {
  if (threadIdx.y == 3)
    y[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.y;
}
__global__ void tiles(int pitch, float *y) { // of 4 by 8, one warp
  int row = threadIdx.x >> 3, column = threadIdx.x & 7;
  y[row * pitch + column] = threadIdx.x; // error: race-write-write
}
__global__ void parts(float *y) { // bits that are missing
  y[(threadIdx.x >> 3) * 4 + (threadIdx.x & 3)] = threadIdx.x; // error: race-write-write
}
__global__ void apart(int length, float *y) { // right for powers of two
  int i = blockIdx.x * blockDim.x + threadIdx.x, low = i & (length - 1);
  float *to = y + (i - low) * 2 + low;
  to[0] = i;      // error: race-write-write
  to[length] = i; // error: race-write-write
}
__global__ void tenths(float *y) { // of numbers below 64
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i % 10 * 7 + i / 10] = i;
}
__global__ void tenthsWrong(float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i % 10 * 4 + i / 10] = i; // error: race-write-write
}
__global__ void turnedBlock(int pitch, float *y) {
  int i = threadIdx.y * blockDim.x + threadIdx.x;
  y[(i & 7) * pitch + (i >> 3)] = i; // error: race-write-write
}
__global__ void somewhere(const int *column, float *y) { // in a row of its own
  int i = threadIdx.x;
  y[i * 16 + (column[i] * 4 & 15)] = i;
}
__global__ void somewhereWrong(const int *column, float *y) {
  int i = threadIdx.x;
  y[i * 8 + (column[i] * 4 & 15)] = i; // error: race-write-write
}
__global__ void perBlock(float *y) {
  y[blockIdx.x] = threadIdx.x; // error: race-write-write
}

// Each block does the same with shared memory.
__global__ void reversed(float *y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void reversedWrong(float *y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = threadIdx.x; // error: race-read-write
  y[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void pairs(float *y) { // inside, which bounds do not show
  __shared__ float tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float sum = 0;
  for (int step = 1; step < 64; step *= 2)
    if (threadIdx.x % (2 * step) == 0)
      sum += tile[threadIdx.x + step];
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}
__global__ void pairsWrong(float *y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float sum = 0;
  for (int step = 1; step <= 64; step *= 2)
    if (threadIdx.x % (2 * step) == 0)
      sum += tile[threadIdx.x + step]; // error: out-of-bounds-access
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}
// LEGAL prove-launches: alike
__global__ void lastBlock(float *y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = threadIdx.x; // error: race-read-write
  if (blockIdx.x < gridDim.x - 1)
    __syncthreads();
  y[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void moreInLast(float *y) {
  __shared__ float tile[64];
  int place = threadIdx.x + (blockIdx.x == gridDim.x - 1);
  tile[place] = threadIdx.x; // error: out-of-bounds-access
  __syncthreads();
  y[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];
}
__global__ void asMemorySays(const int *flags, float *y) {
  __shared__ float tile[64];
  int steps = flags[blockIdx.x];
  tile[threadIdx.x] = 0;
  for (int i = 0; i < steps; ++i)
    tile[(threadIdx.x + i) % 64] = i; // error: race-write-write
  __syncthreads();
  y[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];
}
__global__ void rim(int n, float *y) { // wrong where the array begins and ends
  __shared__ float tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = threadIdx.x + 1;
  if (threadIdx.x < 32 && i < 32)
    tile[threadIdx.x ^ 1] = 0; // error: race-write-write
  if (i == n - 1)
    tile[threadIdx.x + 1] = 0; // error: out-of-bounds-access
  __syncthreads();
  y[i] = tile[threadIdx.x];
}

// LEGAL prove-launches: alone
__global__ void beside(float *y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void besideTwo(float *y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = 2; // error: race-write-write
}

int main() {
  float *x, *y;
  int *index;
  cudaMalloc(&x, N * sizeof(float));
  cudaMalloc(&y, N * sizeof(float));
  cudaMalloc(&index, 64 * sizeof(int));
  cudaMemset(x, 0, N * sizeof(float));
  cudaMemset(y, 0, N * sizeof(float));
  int host[64] = {};
  host[9] = 2000, host[7] = 2;
  cudaMemcpy(index, host, sizeof(host), cudaMemcpyHostToDevice);
  scale<<<5, 256>>>(N, y);
  scaleOneMore<<<5, 256>>>(N, y);
  scaleLater<<<4, 256>>>(N, y);
  scaleAll<<<4, 256>>>(y);
  scaleAll<<<5, 256>>>(y);
  wrapped<<<1, 32>>>(reinterpret_cast<unsigned *>(y));
  masked<<<1, 256>>>(255, y);
  masked<<<1, 32>>>(1023, y + N - 31);
  countedDown<<<1, 32>>>(N, x, y);
  doubled<<<1, 32>>>(N / 2, x, y);
  doubled<<<1, 32>>>(N, x, y);
  four<<<1, 32>>>(4, reinterpret_cast<float4 *>(x), y);
  four<<<1, 32>>>(6, reinterpret_cast<float4 *>(x), y);
  gathered<<<1, 64>>>(index, x, y);
  halves<<<4, 128>>>(y);
  again<<<2, 128>>>(y);
  strided<<<2, 128>>>(y);
  shifted<<<4, 256>>>(y);
  moved<<<4, 256>>>(x, y);
  moved<<<4, 256>>>(y + 1, y);
  both<<<2, 128>>>(256, y);
  both<<<2, 128>>>(255, y);
  plane<<<dim3(4, 2), dim3(16, 4)>>>(64, y);
  planeGuarded<<<dim3(4, 2), dim3(16, 4)>>>(Width, y);
  plane<<<dim3(4, 2), dim3(16, 4)>>>(Width, y);
  columnsOnly<<<4, dim3(16, 4)>>>(y);
  oneRow<<<4, dim3(16, 4)>>>(y);
  tiles<<<1, 32>>>(8, y);
  tiles<<<1, 32>>>(7, y);
  parts<<<1, 32>>>(y);
  apart<<<2, 128>>>(16, y);
  apart<<<2, 128>>>(1, y);
  apart<<<2, 128>>>(3, y);
  tenths<<<2, 32>>>(y);
  tenthsWrong<<<2, 32>>>(y);
  turnedBlock<<<1, dim3(16, 4)>>>(8, y);
  turnedBlock<<<1, dim3(16, 4)>>>(7, y);
  somewhere<<<1, 64>>>(index, y);
  somewhereWrong<<<1, 64>>>(index, y);
  perBlock<<<4, 1>>>(y);
  perBlock<<<4, 64>>>(y);
  reversed<<<8, 64>>>(y);
  reversedWrong<<<8, 64>>>(y);
  pairs<<<8, 64>>>(y);
  pairsWrong<<<8, 64>>>(y);
  lastBlock<<<8, 64>>>(y);
  moreInLast<<<8, 64>>>(y);
  rim<<<8, 64>>>(512, y);
  asMemorySays<<<8, 64>>>(index, y);
  cudaDeviceSynchronize();
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  beside<<<4, 128>>>(y);
  besideTwo<<<4, 128, 0, other>>>(y);
  bool isRight = cudaDeviceSynchronize() == cudaSuccess;
  cudaStreamDestroy(other);
  cudaFree(x);
  cudaFree(y);
  cudaFree(index);
  return !isRight;
}
