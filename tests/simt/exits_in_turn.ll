; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; What lanes store behind a loop in which they poll goes into the turn in which they leave, and the kernel stays a warp.
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lock -last-pass choose-form %s | FileCheck %s --check-prefix=TAKEN
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lock -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; Not where they look at each other there, having given the lock back, or without one. (The lock may be in shared memory.)
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lockThenTogether -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel together -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; What they read in shared memory is not what they write elsewhere, if the launch says that it is apart.
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel sums -objects=0,1 -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel sums -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; Not where something is called there, or where lanes leave to two places.
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel prints -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel twoExits -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; WARP: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 {{16|32|64}},
; ONE: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 1,

; TAKEN: cmpxchg
; TAKEN: br i1 %done, label %exit, label
; TAKEN: exit:
; TAKEN: store volatile i32 0, ptr %
; TAKEN-NEXT: br label %leave
; TAKEN: leave:
; TAKEN: %left = phi i1
define ptx_kernel void @lock(ptr %p, ptr %sum) {
entry:
  br label %loop
loop:
  %r = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %exit, label %loop
exit:
  %old = load volatile i32, ptr %sum
  %new = add i32 %old, 1
  store volatile i32 %new, ptr %sum
  store volatile i32 0, ptr %p
  ret void
}

@places = internal addrspace(3) global [128 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @lockThenTogether(ptr %lock, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @places, i32 %t
  %next = add nuw nsw i32 %t, 1
  %other = getelementptr i32, ptr addrspace(3) @places, i32 %next
  %to = getelementptr i32, ptr %out, i32 %t
  br label %loop
loop:
  %r = cmpxchg ptr %lock, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %exit, label %loop
exit:
  store volatile i32 0, ptr %lock
  store volatile i32 %t, ptr addrspace(3) %own
  %x = load volatile i32, ptr addrspace(3) %other
  store volatile i32 %x, ptr addrspace(3) %own
  ret void
}

define ptx_kernel void @together(ptr %flags) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %flag = getelementptr i32, ptr %flags, i32 %t
  %next = add nuw nsw i32 %t, 1
  %other = getelementptr i32, ptr %flags, i32 %next
  br label %loop
loop:
  %r = load volatile i32, ptr %flag
  %done = icmp eq i32 %r, 1
  br i1 %done, label %exit, label %loop
exit:
  store volatile i32 2, ptr %flag
  %x = load volatile i32, ptr %other
  store volatile i32 %x, ptr %flag
  ret void
}

define ptx_kernel void @sums(ptr %states, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @places, i32 %t
  %mine = getelementptr i32, ptr %states, i32 %t
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %end
loop:
  %block = phi i32 [ %n, %entry ], [ %next, %again ]
  %sum = phi i32 [ 0, %entry ], [ %more, %again ]
  %at = mul i32 %block, 64
  %place = add i32 %at, %t
  %there = getelementptr i32, ptr %states, i32 %place
  %seen = load volatile i32, ptr %there
  %isThere = icmp ne i32 %seen, 0
  %step = sext i1 %isThere to i32
  %next = add i32 %block, %step
  %more = add i32 %sum, %seen
  %total = icmp slt i32 %seen, 0
  br i1 %total, label %exit, label %again
again:
  br label %loop
exit:
  store volatile i32 %more, ptr %mine
  %old = load i32, ptr addrspace(3) %own
  %new = add i32 %old, %more
  store i32 %new, ptr addrspace(3) %own
  br label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @vprintf(ptr, ptr)
@text = internal constant [3 x i8] c"x\0A\00"

define ptx_kernel void @prints(ptr %p) {
entry:
  br label %loop
loop:
  %r = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %exit, label %loop
exit:
  %n = call i32 @vprintf(ptr @text, ptr null)
  store volatile i32 0, ptr %p
  ret void
}

define ptx_kernel void @twoExits(ptr %p, ptr %stop) {
entry:
  br label %loop
loop:
  %r = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %exit, label %again
again:
  %now = load volatile i32, ptr %stop
  %stops = icmp ne i32 %now, 0
  br i1 %stops, label %other, label %loop
exit:
  store volatile i32 0, ptr %p
  ret void
other:
  store volatile i32 2, ptr %stop
  ret void
}
