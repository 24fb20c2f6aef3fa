// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is an error in a source of two halves, as under nvcc: calls that the caller's own half cannot make. The other
// half does not mind them, so each is told once. tests/run/halves.cu has what is none.
//
// RUN: not %nvcc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %nvcc -rdc=true -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <string>

void hosts();
__device__ void devices();
struct Host {
  Host(int);
  ~Host();
};
struct Device {
  __device__ Device(int);
  __device__ int member() const;
};

void fromHost(Device *d) {
  devices();
  // CHECK-DAG: halves.cu:[[@LINE-1]]:3: error: no matching function for call to 'devices'
  d->member();
  // CHECK-DAG: halves.cu:[[@LINE-1]]:6: error: reference to __device__ function 'member' in __host__ function
}

__global__ void fromKernel() {
  hosts();
  // CHECK-DAG: halves.cu:[[@LINE-1]]:3: error: no matching function for call to 'hosts'
  Host object(1);
  // CHECK-DAG: halves.cu:[[@LINE-1]]:8: error: no matching constructor for initialization of 'Host'
}

// Mistakes of other kinds are told of either half, once.
void wrongOnHost() { int i = "text"; }
// CHECK-DAG: halves.cu:[[@LINE-1]]:26: error: cannot initialize a variable of type 'int'
__device__ void wrongOnDevice() { int i = "text"; }
// CHECK-DAG: halves.cu:[[@LINE-1]]:39: error: cannot initialize a variable of type 'int'

// A function for both sides may call the host's as long as no kernel reaches it. What is reached is told last.
__host__ __device__ void calls() { hosts(); }
// CHECK: halves.cu:[[@LINE-1]]:36: error: reference to __host__ function 'hosts' in __host__ __device__ function
__host__ __device__ inline void callsThose() { calls(); }
// CHECK: halves.cu:[[@LINE-1]]:48: note: called by 'callsThose'
__global__ void reaches() { callsThose(); }
// CHECK: halves.cu:[[@LINE-1]]:29: note: called by 'reaches'
// CHECK: 7 errors detected in the compilation of
__host__ __device__ void isNotReached() {
  hosts();
  std::string s("text");
}
