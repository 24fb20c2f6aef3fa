// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/block/fibers.h"

#include "device/cpu/block/stack_switch.h"
#include "device/cpu/memory/pages.h"

#include <new>

#include <sys/mman.h>

namespace heddle::device::cpu {

static constexpr size_t Stride = Fibers::GuardBytes + Fibers::StackBytes;

struct Fibers::Fiber {
  StackContext mine, runner; // mine is first: debuggers look for it at WarpState::frame
  const KernelCode *code;
  Block *block;
  uint32_t thread;
};

uint8_t *Fibers::stackOf(uint32_t thread) const { return base_ + thread * Stride + GuardBytes; }

Fibers::Fibers() = default;

Fibers::~Fibers() {
  if (base_)
    munmap(base_, count_ * Stride);
}

bool Fibers::reserve(uint32_t threads) {
  if (threads <= count_)
    return true;
  void *memory = mmap(nullptr, threads * Stride, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  std::unique_ptr<Fiber[]> fibers(new (std::nothrow) Fiber[threads]);
  if (memory == MAP_FAILED || !fibers)
    return false;
  auto *base = static_cast<uint8_t *>(memory);
  for (uint32_t i = 0; i < threads; ++i)
    if (mprotect(base + i * Stride + GuardBytes, StackBytes, PROT_READ | PROT_WRITE) != 0) {
      munmap(memory, threads * Stride);
      return false;
    }
  if (base_)
    munmap(base_, count_ * Stride);
  base_ = base;
  count_ = threads;
  fibers_ = std::move(fibers);
  return true;
}

void Fibers::enter(Fiber *fiber) {
  fiber->code->start(fiber->block, fiber->thread);
  // Its frame is null now, and nobody comes back.
  switchStack(fiber->mine, fiber->runner);
  __builtin_trap();
}

void Fibers::start(const KernelCode &code, Block &block, uint32_t thread) {
  Fiber &fiber = fibers_[thread];
  fiber.code = &code;
  fiber.block = &block;
  fiber.thread = thread;
  uint8_t *stack = stackOf(thread);
  prepareStack(
      fiber.mine, stack, stack + StackBytes, [](void *p) { enter(static_cast<Fiber *>(p)); },
      &fiber);
  block.warps[thread].frame = &fiber;
  switchStack(fiber.runner, fiber.mine);
}

void Fibers::resume(Block &block, uint32_t thread) {
  auto &fiber = *static_cast<Fiber *>(block.warps[thread].frame);
  switchStack(fiber.runner, fiber.mine);
}

void Fibers::suspend(Block *block) {
  auto &fiber = *static_cast<Fiber *>(block->warps[block->currentWarp].frame);
  switchStack(fiber.mine, fiber.runner);
}

const uint8_t *Fibers::endOfStack(uintptr_t sp) const {
  auto begin = reinterpret_cast<uintptr_t>(base_);
  if (!base_ || sp < begin || sp >= begin + count_ * Stride)
    return nullptr;
  auto thread = static_cast<uint32_t>((sp - begin) / Stride);
  return (sp - begin) % Stride < GuardBytes ? nullptr : stackOf(thread) + StackBytes;
}

std::span<const uint8_t> Fibers::inUse(uint32_t thread) const {
  const uint8_t *begin = stackOf(thread), *end = begin + StackBytes;
  if constexpr (std::is_pointer_v<StackContext>) // the stack pointer
    begin = *reinterpret_cast<const uint8_t *const *>(&fibers_[thread].mine);
  return {begin, end};
}

bool Fibers::inGuard(const void *p) const {
  auto *byte = static_cast<const uint8_t *>(p);
  return base_ && byte >= base_ && byte < base_ + count_ * Stride &&
         static_cast<size_t>(byte - base_) % Stride < GuardBytes;
}

} // namespace heddle::device::cpu
