// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code that touches memory which a kernel or a copy uses, and has not waited.
// REQUIRES: x86
// RUN: %heddle cc -g %s -o %t && %check --tool racecheck %s %t | FileCheck %s
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

constexpr int N = 4096, Bytes = N * sizeof(int);

__global__ void fill(int *a, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = value;
}
__global__ void sum(const int *a, int *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] += a[i];
}
__global__ void fillEven(int *a) { a[2 * threadIdx.x] = 1; }
__global__ void follow(int **from) { (*from)[threadIdx.x] = 3; }
__managed__ int counter, apart;
__global__ void count() { counter = 7; }
__global__ void countAll(int *a) { atomicAdd(a, 1); }
__global__ void countForHost(int *a) { atomicAdd_system(a, 1); }
// Says so, and waits for the answer.
__global__ void answer(volatile int *a, int *data) {
  data[0] = 5;
  __threadfence_system();
  a[0] = 1;
  while (a[1] == 0)
    ;
  a[2] = data[1];
}

__attribute__((noinline)) int readManaged(int *a) {
  fill<<<N / 256, 256>>>(a, 1);
  return a[N - 1]; // error: race-read-write
}
// CHECK: Race between read and write of memory, here by host code
// CHECK-NEXT: at {{.*}}host_code.cu:[[#@LINE-3]]{{.*}} in readManaged
// CHECK: the other write by thread (255,0,0) in block (15,0,0) of kernel fill
// CHECK: the host has not waited for it
__attribute__((noinline)) void writeManaged(int *a, int *b) {
  sum<<<N / 256, 256>>>(a, b);
  a[7] = 1; // error: race-read-write
  cudaDeviceSynchronize();
}
__attribute__((noinline)) void writeBoth(int *a) {
  fill<<<N / 256, 256>>>(a, 1);
  memset(a, 0, Bytes); // error: race-write-write
  cudaDeviceSynchronize();
}
__attribute__((noinline)) int readPinned(int *pinned, int *device, cudaStream_t stream) {
  cudaMemcpyAsync(pinned, device, Bytes, cudaMemcpyDeviceToHost, stream);
  int first = pinned[0]; // error: race-read-write
  cudaStreamSynchronize(stream);
  return first;
}
__attribute__((noinline)) void refill(int *pinned, int *device) {
  cudaMemcpyAsync(device, pinned, Bytes, cudaMemcpyHostToDevice);
  pinned[N - 1] = 2; // error: race-read-write
  cudaDeviceSynchronize();
}
__attribute__((noinline)) int readOdd(int *a) { // beside the right ones
  fillEven<<<1, 256>>>(a);
  int total = 0;
  for (int i = 1; i < 256; i += 2)
    total += a[i];
  total += a[256]; // error: race-read-write
  cudaDeviceSynchronize();
  return total;
}
__attribute__((noinline)) int readOther(int *a, cudaStream_t stream) { // waits for the wrong one
  fill<<<N / 256, 256, 0, stream>>>(a, 1);
  cudaStreamSynchronize(cudaStreamPerThread);
  return a[0]; // error: race-read-write
}
__attribute__((noinline)) int readRegistered(int *a) {
  fill<<<N / 256, 256>>>(a, 1);
  return a[N / 2]; // error: race-read-write
}
__attribute__((noinline)) int readVariable() {
  count<<<1, 1>>>();
  apart = 1;
  return counter; // error: race-read-write
}
__attribute__((noinline)) int readCounted(int *a) { // whose scope is the device
  countAll<<<4, 32>>>(a);
  return *a; // error: race-read-write
}
__attribute__((noinline)) int readFollowed(int **from, int *a) {
  follow<<<1, 32>>>(from);
  return a[3]; // error: race-read-write
}

// Nothing of these is wrong.
int right(int *managed, int *pinned, int *device, cudaStream_t stream) {
  cudaEvent_t done;
  cudaEventCreate(&done);
  int total = 0;
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < N; ++i)
      managed[i] = i;
    fill<<<N / 2 / 256, 256, 0, stream>>>(managed, 1);
    for (int i = N / 2; i < N; ++i) // the other half
      managed[i] += pinned[i];
    // ... which system calls may use, too
    int zeros = open("/dev/zero", O_RDONLY);
    if (read(zeros, managed + N / 2, Bytes / 2) != Bytes / 2)
      abort();
    close(zeros);
    FILE *file = tmpfile();
    if (fwrite(managed + N / 2, 1, Bytes / 2, file) != Bytes / 2 || fflush(file))
      abort();
    fclose(file);
    cudaEventRecord(done, stream);
    cudaEventSynchronize(done);
    total += managed[0];
    cudaMemcpyAsync(pinned, managed, Bytes, cudaMemcpyDefault, stream);
    while (cudaStreamQuery(stream) != cudaSuccess)
      ;
    total += pinned[1];
    sum<<<N / 256, 256>>>(managed, device);
    total += managed[5]; // both read
    cudaMemcpy(pinned, device, Bytes, cudaMemcpyDeviceToHost);
    total += pinned[2];
    cudaMemset(managed, 0, Bytes);
    total += managed[0];
  }
  volatile int *flags = pinned;
  memset(pinned, 0, Bytes);
  countForHost<<<4, 32, 0, stream>>>(pinned);
  while (flags[0] != 128)
    ;
  cudaStreamSynchronize(stream);
  flags[0] = 0;
  answer<<<1, 1, 0, stream>>>(flags, managed);
  while (!flags[0])
    ;
  managed[1] = managed[0];
  __sync_synchronize();
  flags[1] = 1;
  cudaStreamSynchronize(stream);
  return total + flags[2];
}

int main() {
  int *managed, *pinned, *device, **from;
  auto *registered = static_cast<int *>(aligned_alloc(4096, Bytes));
  cudaMallocManaged(&managed, Bytes);
  cudaMallocManaged(&from, sizeof(*from));
  cudaMallocHost(&pinned, Bytes);
  cudaMalloc(&device, Bytes);
  cudaHostRegister(registered, Bytes, cudaHostRegisterDefault);
  memset(pinned, 0, Bytes);
  cudaMemset(device, 0, Bytes);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  *from = managed;
  int total = readManaged(managed);
  cudaDeviceSynchronize();
  writeManaged(managed, device);
  writeBoth(managed);
  total += readPinned(pinned, device, stream);
  refill(pinned, device);
  total += readOdd(managed);
  total += readOther(managed, stream);
  cudaDeviceSynchronize();
  total += readRegistered(registered);
  cudaDeviceSynchronize();
  total += readVariable();
  cudaDeviceSynchronize();
  total += readCounted(managed);
  cudaDeviceSynchronize();
  total += readFollowed(from, managed);
  cudaDeviceSynchronize();
  total += right(managed, pinned, device, stream);
  printf("%d\n", total);
  return cudaDeviceSynchronize();
}
