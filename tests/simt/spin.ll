; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Which kernels may wait for another block (flag 16 of the third word; 2048 says that it counts on warps): those with a loop that ends when something
; changes from outside.
; RUN: %build/bin/heddle-warp -kernel count -last-pass build-entry %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel plain -last-pass build-entry %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -kernel flag -last-pass build-entry %s | FileCheck %s --check-prefix=SPINS
; RUN: %build/bin/heddle-warp -kernel ticket -last-pass build-entry %s | FileCheck %s --check-prefix=SPINS
; RUN: %build/bin/heddle-warp -kernel fenced -last-pass build-entry %s | FileCheck %s --check-prefix=SPINS
; RUN: %build/bin/heddle-warp -kernel queue -last-pass build-entry %s | FileCheck %s --check-prefix=SPINS
; NO: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32, i32 {{0|2048}},
; SPINS: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32, i32 {{16|17|2064|2065}},

; Atomics, but a fixed number of turns.
define ptx_kernel void @count(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = atomicrmw add ptr %p, i32 1 monotonic
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A loop that follows pointers: nobody else writes them.
define ptx_kernel void @plain(ptr %p, ptr %q) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %at
  store volatile i32 1, ptr %q
  %done = icmp eq ptr %next, null
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define ptx_kernel void @flag(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define ptx_kernel void @ticket(ptr %p) {
entry:
  br label %loop
loop:
  %r = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %exit, label %loop
exit:
  store volatile i32 0, ptr %p
  ret void
}

define ptx_kernel void @fenced(ptr %p) {
entry:
  br label %loop
loop:
  fence seq_cst
  %v = load i32, ptr %p
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; It ends when a counter is used up, but does something at each turn.
define ptx_kernel void @queue(ptr %counter, ptr %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %counter, i32 1 monotonic
  %i64 = zext i32 %i to i64
  %p = getelementptr i32, ptr %out, i64 %i64
  store i32 %i, ptr %p
  %done = icmp uge i32 %i, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
