// RUN: %heddle cc -arch=sm_90 -std=c++17 %s -o %t
// RUN: %python %S/../../tools/gpu_tests.py text %build %t | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of code for a GPU that has its own surfaces, mbarriers, tensor copies, copies to several blocks and barriers in
// two pieces (jit/load/gpu_*.cpp): its instructions.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include <utility>

namespace cg = cooperative_groups;

// CHECK-LABEL: .entry surfaces(
// CHECK: suld.b.2d.v2.b32.clamp
// CHECK: sust.b.2d.v2.b32.trap
// CHECK: sust.b.a1d.b8.zero
extern "C" __global__ void surfaces(cudaSurfaceObject_t s, cudaSurfaceObject_t layers, int x, int y) {
  float2 v = surf2Dread<float2>(s, 8 * x, y, cudaBoundaryModeClamp);
  surf2Dwrite(make_float2(v.y, v.x), s, 8 * x, y);
  surf1DLayeredwrite<unsigned char>(7, layers, x, y, cudaBoundaryModeZero);
}

// CHECK-LABEL: .entry formatted(
// CHECK: sured.b.add.1d.u32.trap
// CHECK: sust.p.2d.v4.b32.zero
extern "C" __global__ void formatted(cudaSurfaceObject_t s, cudaSurfaceObject_t t, int x) {
  asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" ::"l"(s), "r"(4 * x), "r"(5));
  asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %1}], {%1, %1, %1, %1};" ::"l"(t), "r"(x));
}

// CHECK-LABEL: .entry tensors(
// CHECK: mbarrier.init.shared::cta.b64
// CHECK: mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64
// CHECK: mbarrier.arrive.release.cluster.shared::cta.b64
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [
// CHECK: mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [
// CHECK: cp.async.bulk.commit_group;
// CHECK: cp.async.bulk.wait_group 1;
extern "C" __global__ void tensors(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[256];
  __shared__ unsigned long long barrier;
  unsigned at = unsigned(__cvta_generic_to_shared(&barrier)), to = unsigned(__cvta_generic_to_shared(tile)), done = 0;
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(at) : "memory");
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(to),
               "l"(&map), "r"(0), "r"(at)
               : "memory");
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at)
                 : "memory");
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %1}], [%2];" ::"l"(&map), "r"(0), "r"(to)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 1;" ::: "memory");
}

// CHECK-LABEL: .entry several(
// CHECK: cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [
// CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [
extern "C" __global__ void several(const __grid_constant__ CUtensorMap map, const float *in, unsigned short blocks) {
  __shared__ alignas(128) float tile[256];
  __shared__ unsigned long long barrier;
  unsigned at = unsigned(__cvta_generic_to_shared(&barrier)), to = unsigned(__cvta_generic_to_shared(tile));
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2}], "
               "[%3], %4;" ::"r"(to),
               "l"(&map), "r"(0), "r"(at), "h"(blocks)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 1024, [%2], %3;" ::"r"(
                   to),
               "l"(__cvta_generic_to_global(in)), "r"(at), "h"(blocks)
               : "memory");
}

// CHECK-LABEL: .entry pieces(
// CHECK: mbarrier.init.shared.b64
// CHECK: mbarrier.arrive.shared.b64
// CHECK: mbarrier.test_wait.parity.shared::cta.b64
// CHECK: mbarrier.arrive_drop.shared.b64
extern "C" __global__ void pieces(int *out) {
  __shared__ int values[256];
  auto block = cg::this_thread_block();
  values[threadIdx.x] = int(threadIdx.x);
  auto token = block.barrier_arrive();
  block.barrier_wait(std::move(token));
  out[threadIdx.x] = values[(threadIdx.x + 1) % blockDim.x];
}

// Loads are in front of what ptxas makes branches of.
// CHECK-LABEL: .entry quotients(
// CHECK-COUNT-3: ld.global
// CHECK-NOT: ld.global
// CHECK-DAG: sqrt.rn.f32
// CHECK-DAG: div.rn.f32
extern "C" __global__ void quotients(const float *s, const float *x, const float *t, float *out) {
  int i = threadIdx.x;
  float root = sqrtf(t[i]), q = s[i] / x[i];
  out[i] = q * root;
}

int main() {}
