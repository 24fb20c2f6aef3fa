// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From one stack to another: what a call preserves is put on the one and taken from the other.
#include "device/cpu/block/stack_switch.h"

namespace heddle::device::cpu {

#if defined(__x86_64__)

extern "C" void heddleSwitchStack(StackContext *from, StackContext to);
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
  .cfi_startproc
  .cfi_undefined %rip
  movq %rbx, %rdi
  callq *%rbp
  ud2
  .cfi_endproc
  .size heddleEnterStack, .-heddleEnterStack
  .popsection
)");
extern "C" void heddleEnterStack() __attribute__((visibility("hidden")));

void prepareStack(StackContext &context, uint8_t *, uint8_t *end, void (*body)(void *),
                  void *argument) {
  auto **words = reinterpret_cast<void **>(end) - 2; // aligned as before a call
  *--words = reinterpret_cast<void *>(heddleEnterStack);
  *--words = reinterpret_cast<void *>(body); // rbp
  *--words = argument;                       // rbx
  for (int i = 0; i < 4; ++i)
    *--words = nullptr;
  context = words;
}
void switchStack(StackContext &from, StackContext &to) { heddleSwitchStack(&from, to); }

#elif defined(__aarch64__)

extern "C" void heddleSwitchStack(StackContext *from, StackContext to);
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

void prepareStack(StackContext &context, uint8_t *, uint8_t *end, void (*body)(void *),
                  void *argument) {
  auto **words = reinterpret_cast<void **>(end) - 20;
  for (int i = 0; i < 20; ++i)
    words[i] = nullptr;
  words[0] = argument;                                    // x19
  words[1] = reinterpret_cast<void *>(body);              // x20
  words[11] = reinterpret_cast<void *>(heddleEnterStack); // x30
  context = words;
}
void switchStack(StackContext &from, StackContext &to) { heddleSwitchStack(&from, to); }

#else

void prepareStack(StackContext &context, uint8_t *begin, uint8_t *end, void (*body)(void *),
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
void switchStack(StackContext &from, StackContext &to) { swapcontext(&from, &to); }

#endif

} // namespace heddle::device::cpu
