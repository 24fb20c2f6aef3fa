// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global memory that nothing has written, and beside each the correct twin.
// RUN: %heddle cc -g %s -o %t && %check --tool initcheck %s %t
#include <cstdio>
#include <cstdlib>

template <class T> T *device(size_t count) {
  T *p;
  cudaMalloc(&p, count * sizeof(T));
  return p;
}

const int N = 256;

__global__ void sum(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1; // error: uninitialized-read
}
__global__ void sumOfZeros(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
}
__global__ void sumOfCopied(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
}

/// Only a part was written.
__global__ void ofPart(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 2; // error: uninitialized-read
}
__global__ void withinPart(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}

/// One byte of four.
__global__ void halfWord(const unsigned *in, unsigned *out) {
  out[threadIdx.x] = in[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void itsBytes(const unsigned char *in, unsigned *out) {
  out[threadIdx.x] = in[4 * threadIdx.x] + in[4 * threadIdx.x + 1];
}
__global__ void lowHalf(const unsigned *in, unsigned *out) {
  out[threadIdx.x] = (in[threadIdx.x] & 0xffff) + 1;
}

/// The smaller of two, the second of which is there for some. (Thrust's merge.)
__global__ void smallerOfSome(const int *in, int *out, int n) {
  int i = threadIdx.x, a = in[i], b = in[i + N];
  int least = b < a ? b : a;
  out[i] = i < n ? least : a;
}
/// An accumulator that was never set.
__global__ void add(int *sum, const int *in) {
  atomicAdd(sum, in[threadIdx.x]); // error: uninitialized-read
}
__global__ void addToZero(int *sum, const int *in) { atomicAdd(sum, in[threadIdx.x]); }
__global__ void takeLock(int *lock, int *out) {
  if (threadIdx.x == 0 && atomicCAS(lock, 0, 1) == 0) // error: uninitialized-read
    out[0] = 1;
}
__global__ void setLock(int *lock, int *out) {
  if (threadIdx.x == 0) {
    atomicExch(lock, 0);
    if (atomicCAS(lock, 0, 1) == 0)
      out[0] = 1;
  }
}

/// A copy by a kernel hands the state on.
__global__ void copyOf(const int *from, int *to) {
  to[threadIdx.x] = from[threadIdx.x];
}
__global__ void useOfCopy(const int *in, int *out) {
  if (in[threadIdx.x] > 3) // error: uninitialized-read
    out[threadIdx.x] = 1;
}
__global__ void useOfGoodCopy(const int *in, int *out) {
  if (in[threadIdx.x] > 3)
    out[threadIdx.x] = 1;
}

/// Gathers and scatters.
__global__ void gather(const int *index, const int *in, int *out) {
  out[threadIdx.x] = in[index[threadIdx.x]] + 1; // error: uninitialized-read
}
__global__ void gatherWritten(const int *index, const int *in, int *out) {
  out[threadIdx.x] = in[index[threadIdx.x]] + 1;
}
__global__ void badIndex(const int *index, const int *in, int *out) {
  int i = index[threadIdx.x] & 255; // error: uninitialized-read
  out[threadIdx.x] = in[i] + 1;
}
__global__ void writeOdd(int *out) { out[2 * threadIdx.x + 1] = 7; }
__global__ void readEven(const int *in, int *out) {
  out[threadIdx.x] = in[2 * threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void readOdd(const int *in, int *out) { out[threadIdx.x] = in[2 * threadIdx.x + 1] + 1; }

/// Structures: padding is copied, and parts that are not used are not looked at.
struct Padded {
  char tag;
  double value;
};
__global__ void fillPadded(Padded *p) {
  p[threadIdx.x].tag = 'a';
  p[threadIdx.x].value = 2;
}
__global__ void copyPadded(const Padded *from, Padded *to) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void usePadded(const Padded *p, double *out) {
  Padded one = p[threadIdx.x];
  out[threadIdx.x] = one.value + one.tag;
}
__global__ void fillThree(float4 *p) {
  p[threadIdx.x].x = p[threadIdx.x].y = p[threadIdx.x].z = 1;
}
__global__ void useThree(const float4 *p, float *out) {
  float4 v = p[threadIdx.x];
  out[threadIdx.x] = v.x + v.y + v.z;
}
__global__ void useFour(const float4 *p, float *out) {
  float4 v = p[threadIdx.x]; // error: uninitialized-read
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
struct Bits {
  unsigned a : 3, b : 5, c : 24;
};
__global__ void setBits(Bits *p) { p[threadIdx.x].a = 3, p[threadIdx.x].b = 4; }
__global__ void useBits(const Bits *p, unsigned *out) {
  out[threadIdx.x] = p[threadIdx.x].a + p[threadIdx.x].b;
}
__global__ void useOtherBits(const Bits *p, unsigned *out) {
  out[threadIdx.x] = p[threadIdx.x].a + p[threadIdx.x].c; // error: uninitialized-read
}

/// Through a pointer that lies in memory.
struct List {
  int *data;
  int count;
};
__global__ void fillList(List *list) {
  for (int i = threadIdx.x; i < list->count / 2; i += blockDim.x)
    list->data[i] = i;
}
__global__ void useList(const List *list, int *out) {
  if (threadIdx.x < list->count)
    out[threadIdx.x] = list->data[threadIdx.x] + 1; // error: uninitialized-read
}
__global__ void useHalfList(const List *list, int *out) {
  if (threadIdx.x < list->count / 2)
    out[threadIdx.x] = list->data[threadIdx.x] + 1;
}

/// The kernels' heap.
__device__ int *blocks[32];
__global__ void allocate() { blocks[threadIdx.x] = (int *)malloc(16 * sizeof(int)); }
__global__ void fillHeap() {
  for (int i = 0; i < 12; ++i)
    blocks[threadIdx.x][i] = i;
}
__global__ void heap(int *out) {
  out[threadIdx.x] = blocks[threadIdx.x][12] + 1; // error: uninitialized-read
}
/// In the kernel that has it.
__global__ void freshHeap(int *out) {
  int *own = (int *)malloc(2 * sizeof(int));
  own[0] = 1;
  out[threadIdx.x] = own[0] + own[1]; // error: uninitialized-read
  free(own);
}
__global__ void freshHeapWritten(int *out) {
  int *own = (int *)malloc(2 * sizeof(int));
  own[0] = own[1] = 1;
  out[threadIdx.x] = own[0] + own[1];
  free(own);
}
__global__ void heapWritten(int *out) { out[threadIdx.x] = blocks[threadIdx.x][11] + 1; }
__global__ void release() { free(blocks[threadIdx.x]); }

/// Chosen values: what is not chosen does no harm.
__global__ void choose(const int *in, int *out, int n) {
  int i = threadIdx.x;
  int value = in[i];
  out[i] = (i < n ? value : 0) + 1;
}
/// The second condition is computed in any case, and counts only behind the first.
__global__ void bothConditions(const int *in, int *out, int n) {
  int i = threadIdx.x, first = in[i], second = in[i + 1];
  out[i] = i + 1 < n && (i == 0 || second < first + 5) ? 3 : 4;
}
__global__ void shuffle(const int *in, int *out) {
  int value = in[threadIdx.x];
  out[threadIdx.x] = __shfl_sync(~0u, value, 0) + 1;
}
__global__ void shuffleBad(const int *in, int *out) {
  int value = in[threadIdx.x]; // error: uninitialized-read
  out[threadIdx.x] = __shfl_sync(~0u, value, 5) + 1;
}

__device__ int zeros[64];
__global__ void variable(int *out) { out[threadIdx.x] = zeros[threadIdx.x & 63] + 1; }

int main() {
  int *in = device<int>(N), *out = device<int>(2 * N);
  sum<<<2, 128>>>(in, out);
  cudaMemset(in, 0, N * sizeof(int));
  sumOfZeros<<<2, 128>>>(in, out);
  int *copied = device<int>(N), *host = (int *)calloc(N, sizeof(int));
  cudaMemcpy(copied, host, N * sizeof(int), cudaMemcpyHostToDevice);
  sumOfCopied<<<2, 128>>>(copied, out);

  float *part = device<float>(N), *floats = device<float>(N);
  cudaMemset(part, 0, 100 * sizeof(float));
  ofPart<<<2, 128>>>(part, floats);
  withinPart<<<2, 128>>>(part, floats, 100);

  int *pairs = device<int>(2 * N);
  cudaMemset(pairs, 0, (N + 20) * sizeof(int));
  smallerOfSome<<<1, 32>>>(pairs, out, 20);

  unsigned *words = device<unsigned>(64), *sums = device<unsigned>(64);
  cudaMemset2D(words, 4, 0, 2, 64);
  halfWord<<<1, 64>>>(words, sums);
  itsBytes<<<1, 64>>>((unsigned char *)words, sums);
  lowHalf<<<1, 64>>>(words, sums);

  int *total = device<int>(1), *zero = device<int>(1);
  cudaMemset(zero, 0, sizeof(int));
  add<<<1, 64>>>(total, in);
  addToZero<<<1, 64>>>(zero, in);
  takeLock<<<1, 32>>>(device<int>(1), out);
  setLock<<<1, 32>>>(device<int>(1), out);

  int *fresh = device<int>(64), *second = device<int>(64), *third = device<int>(64);
  copyOf<<<1, 64>>>(fresh, second);
  cudaMemcpy(third, second, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
  useOfCopy<<<1, 64>>>(third, out);
  copyOf<<<1, 64>>>(in, second);
  cudaMemcpy(third, second, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
  useOfGoodCopy<<<1, 64>>>(third, out);

  int indices[64];
  for (int i = 0; i < 64; ++i)
    indices[i] = (i * 37) % 64;
  int *index = device<int>(64), *half = device<int>(64);
  cudaMemcpy(index, indices, sizeof indices, cudaMemcpyHostToDevice);
  cudaMemset(half, 0, 32 * sizeof(int));
  gather<<<1, 64>>>(index, half, out);
  gatherWritten<<<1, 64>>>(index, in, out);
  badIndex<<<1, 64>>>(device<int>(64), in, out);
  int *odd = device<int>(128);
  writeOdd<<<1, 64>>>(odd);
  readEven<<<1, 64>>>(odd, out);
  readOdd<<<1, 64>>>(odd, out);

  Padded *padded = device<Padded>(32), *other = device<Padded>(32);
  fillPadded<<<1, 32>>>(padded);
  copyPadded<<<1, 32>>>(padded, other);
  usePadded<<<1, 32>>>(other, device<double>(32));
  float4 *vectors = device<float4>(32);
  fillThree<<<1, 32>>>(vectors);
  useThree<<<1, 32>>>(vectors, floats);
  useFour<<<1, 32>>>(vectors, floats);
  Bits *bits = device<Bits>(32);
  setBits<<<1, 32>>>(bits);
  useBits<<<1, 32>>>(bits, sums);
  useOtherBits<<<1, 32>>>(bits, sums);

  List list = {device<int>(64), 64}, *lists = device<List>(1);
  cudaMemcpy(lists, &list, sizeof list, cudaMemcpyHostToDevice);
  fillList<<<1, 32>>>(lists);
  useList<<<1, 64>>>(lists, out);
  useHalfList<<<1, 64>>>(lists, out);

  allocate<<<1, 32>>>();
  fillHeap<<<1, 32>>>();
  heap<<<1, 32>>>(out);
  freshHeap<<<1, 32>>>(out);
  freshHeapWritten<<<1, 32>>>(out);
  heapWritten<<<1, 32>>>(out);
  release<<<1, 32>>>();

  int *few = device<int>(64);
  cudaMemset(few, 0, 4);
  choose<<<1, 64>>>(few, out, 1);
  bothConditions<<<1, 32>>>(few, out, 1);
  shuffle<<<1, 32>>>(few, out);
  shuffleBad<<<1, 32>>>(few, out);
  variable<<<1, 64>>>(out);
  return cudaDeviceSynchronize();
}
