// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers in shared memory and bulk copies (CUDA Fortran Programming Guide, "Load and Store
// Functions Using Bulk TMA Operations"), for the module heddle_device. A load tells the barrier how
// many bytes will come; a store waits until its bytes are written. What Flang 22 makes of these
// functions gives PTX generic addresses where it wants those of shared memory.
#include "fortran/device/device.h"

extern "C" __attribute__((const)) char *__heddle_shared_memory();

namespace {

/// The place in shared memory, as PTX's operands have it (include/heddle/device_memory.h).
unsigned sharedAddress(const void *address) {
  return static_cast<unsigned>(static_cast<const char *>(address) - __heddle_shared_memory());
}

void expectBytes(int64_t *barrier, int bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
               :
               : "r"(sharedAddress(barrier)), "r"(bytes)
               : "memory");
}

void loadBytes(int64_t *barrier, const void *from, void *to, int bytes) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];"
               :
               : "r"(sharedAddress(to)), "l"(from), "r"(bytes), "r"(sharedAddress(barrier))
               : "memory");
}

void storeBytes(const void *from, void *to, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               :
               : "l"(to), "r"(sharedAddress(from)), "r"(bytes)
               : "memory");
}

void commit() { asm volatile("cp.async.bulk.commit_group;" : : : "memory"); }
void wait() { asm volatile("cp.async.bulk.wait_group 0;" : : : "memory"); }

int isOver(int64_t *barrier, int64_t token, unsigned nanoseconds) {
  int result;
  asm volatile("{\n"
               ".reg .pred p;\n"
               "mbarrier.try_wait.shared::cta.b64 p, [%1], %2, %3;\n"
               "selp.b32 %0, 1, 0, p;\n"
               "}"
               : "=r"(result)
               : "r"(sharedAddress(barrier)), "l"(token), "r"(nanoseconds)
               : "memory");
  return result;
}

constexpr unsigned SomeTime = 1000000; // in nanoseconds

} // namespace

extern "C" {

void __heddle_barrier_init(int64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(sharedAddress(barrier)), "r"(count)
               : "memory");
}

int64_t __heddle_barrier_arrive(int64_t *barrier) {
  int64_t token;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
               : "=l"(token)
               : "r"(sharedAddress(barrier))
               : "memory");
  return token;
}

int64_t __heddle_barrier_arrive_cnt(int64_t *barrier, int bytes) {
  int64_t token;
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(sharedAddress(barrier)), "r"(bytes)
               : "memory");
  return token;
}

int __heddle_barrier_try_wait(int64_t *barrier, int64_t token) {
  return isOver(barrier, token, SomeTime);
}
int __heddle_barrier_try_wait_sleep(int64_t *barrier, int64_t token, int nanoseconds) {
  return isOver(barrier, token, static_cast<unsigned>(nanoseconds));
}

void __heddle_fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }
void __heddle_tma_bulk_commit_group() { commit(); }
void __heddle_tma_bulk_wait_group() { wait(); }
void __heddle_tma_bulk_g2s(int64_t *barrier, const void *from, void *to, int bytes) {
  loadBytes(barrier, from, to, bytes);
}
void __heddle_tma_bulk_s2g(const void *from, void *to, int bytes) { storeBytes(from, to, bytes); }
}

// HEDDLE_BULK(SUFFIX, BYTES) for elements of BYTES
#define HEDDLE_BULK(SUFFIX, BYTES)                                                                 \
  void __heddle_tma_bulk_load_##SUFFIX(int64_t *barrier, const void *from, void *to, int count) {  \
    expectBytes(barrier, count * BYTES);                                                           \
    loadBytes(barrier, from, to, count * BYTES);                                                   \
  }                                                                                                \
  void __heddle_tma_bulk_store_##SUFFIX(const void *from, void *to, int count) {                   \
    storeBytes(from, to, count * BYTES);                                                           \
    commit();                                                                                      \
    wait();                                                                                        \
  }

extern "C" {
HEDDLE_BULK(i4, 4)
HEDDLE_BULK(i8, 8)
HEDDLE_BULK(r2, 2)
HEDDLE_BULK(r4, 4)
HEDDLE_BULK(r8, 8)
HEDDLE_BULK(c4, 8)
HEDDLE_BULK(c8, 16)
}
