// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/block/fibers.h"

#include "device/cpu/memory/pages.h"

#include <new>

#include <sys/mman.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace heddle::device::cpu {

static constexpr size_t Stride = Fibers::GuardBytes + Fibers::StackBytes;

// ---------------------------------------------------------------------------------------------------
// From one stack to another: what a call preserves is put on the one and taken from the other.

#if defined(__x86_64__)

using Context = void *; ///< the stack pointer
extern "C" void heddleSwitchStack(Context *from, Context to);
asm(R"(
  .pushsection .text
  .type heddleSwitchStack, @function
  .hidden heddleSwitchStack
  .globl heddleSwitchStack
heddleSwitchStack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
  .size heddleSwitchStack, .-heddleSwitchStack
  .popsection
)");
asm(R"(
  .pushsection .text
  .type heddleEnterStack, @function
heddleEnterStack:
  movq %rbx, %rdi
  callq *%rbp
  ud2
  .size heddleEnterStack, .-heddleEnterStack
  .popsection
)");
extern "C" void heddleEnterStack() __attribute__((visibility("hidden")));

/// Makes a context that begins `body(argument)` on the stack that ends at `end`.
static void prepare(Context &context, uint8_t *, uint8_t *end, void (*body)(void *),
                    void *argument) {
  auto **words = reinterpret_cast<void **>(end) - 2; // aligned as before a call
  *--words = reinterpret_cast<void *>(heddleEnterStack);
  *--words = reinterpret_cast<void *>(body); // rbp
  *--words = argument;                       // rbx
  for (int i = 0; i < 4; ++i)
    *--words = nullptr;
  context = words;
}
static void switchTo(Context &from, Context &to) { heddleSwitchStack(&from, to); }

#elif defined(__aarch64__)

using Context = void *;
extern "C" void heddleSwitchStack(Context *from, Context to);
asm(R"(
  .pushsection .text
  .type heddleSwitchStack, %function
  .hidden heddleSwitchStack
  .globl heddleSwitchStack
heddleSwitchStack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size heddleSwitchStack, .-heddleSwitchStack
  .type heddleEnterStack, %function
heddleEnterStack:
  mov x0, x19
  blr x20
  brk #1
  .size heddleEnterStack, .-heddleEnterStack
  .popsection
)");
extern "C" void heddleEnterStack() __attribute__((visibility("hidden")));

static void prepare(Context &context, uint8_t *, uint8_t *end, void (*body)(void *),
                    void *argument) {
  auto **words = reinterpret_cast<void **>(end) - 20;
  for (int i = 0; i < 20; ++i)
    words[i] = nullptr;
  words[0] = argument;                                    // x19
  words[1] = reinterpret_cast<void *>(body);              // x20
  words[11] = reinterpret_cast<void *>(heddleEnterStack); // x30
  context = words;
}
static void switchTo(Context &from, Context &to) { heddleSwitchStack(&from, to); }

#else

using Context = ucontext_t;

static void prepare(Context &context, uint8_t *begin, uint8_t *end, void (*body)(void *),
                    void *argument) {
  getcontext(&context);
  context.uc_stack.ss_sp = begin;
  context.uc_stack.ss_size = static_cast<size_t>(end - begin);
  context.uc_link = nullptr;
  // makecontext passes ints: two for a pointer.
  struct Call {
    static void run(unsigned f0, unsigned f1, unsigned a0, unsigned a1) {
      auto join = [](unsigned low, unsigned high) {
        return static_cast<uintptr_t>(static_cast<uint64_t>(high) << 32 | low);
      };
      reinterpret_cast<void (*)(void *)>(join(f0, f1))(reinterpret_cast<void *>(join(a0, a1)));
    }
  };
  auto low = [](uint64_t v) { return static_cast<unsigned>(v); };
  auto high = [](uint64_t v) { return static_cast<unsigned>(v >> 32); };
  uint64_t f = reinterpret_cast<uintptr_t>(body), a = reinterpret_cast<uintptr_t>(argument);
  makecontext(&context, reinterpret_cast<void (*)()>(Call::run), 4, low(f), high(f), low(a),
              high(a));
}
static void switchTo(Context &from, Context &to) { swapcontext(&from, &to); }

#endif

// ---------------------------------------------------------------------------------------------------

struct Fibers::Fiber {
  Context mine, runner;
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
  switchTo(fiber->mine, fiber->runner);
  __builtin_trap();
}

void Fibers::start(const KernelCode &code, Block &block, uint32_t thread) {
  Fiber &fiber = fibers_[thread];
  fiber.code = &code;
  fiber.block = &block;
  fiber.thread = thread;
  uint8_t *stack = stackOf(thread);
  prepare(
      fiber.mine, stack, stack + StackBytes, [](void *p) { enter(static_cast<Fiber *>(p)); },
      &fiber);
  block.warps[thread].frame = &fiber;
  switchTo(fiber.runner, fiber.mine);
}

void Fibers::resume(Block &block, uint32_t thread) {
  auto &fiber = *static_cast<Fiber *>(block.warps[thread].frame);
  switchTo(fiber.runner, fiber.mine);
}

void Fibers::suspend(Block *block) {
  auto &fiber = *static_cast<Fiber *>(block->warps[block->currentWarp].frame);
  switchTo(fiber.mine, fiber.runner);
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
  if constexpr (std::is_pointer_v<Context>) // the stack pointer
    begin = *reinterpret_cast<const uint8_t *const *>(&fibers_[thread].mine);
  return {begin, end};
}

bool Fibers::inGuard(const void *p) const {
  auto *byte = static_cast<const uint8_t *>(p);
  return base_ && byte >= base_ && byte < base_ + count_ * Stride &&
         static_cast<size_t>(byte - base_) % Stride < GuardBytes;
}

} // namespace heddle::device::cpu
