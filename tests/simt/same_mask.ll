; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Behind the loop that lanes leave one by one all are there again: its mask is that of the entry. In the loop, a block
; that every lane comes to, but some an iteration later, has a mask of its own.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: masked.store.v32i32{{.*}}<32 x i1> %
; CHECK-NOT: masked.store.v32i32{{.*}}%active)
; CHECK: store i32 7
; CHECK: masked.store.v32i32{{.*}}<32 x i1> %active)

define ptx_kernel void @kernel(ptr %out, ptr %in, ptr %done) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tt = zext i32 %t to i64
  %p = getelementptr i32, ptr %in, i64 %tt
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %next = add i32 %k, 1
  %v = load volatile i32, ptr %p
  %skip = icmp ugt i32 %v, %next
  br i1 %skip, label %latch, label %often
often:
  store i32 %k, ptr %p
  %stop = icmp ugt i32 %next, %t
  br i1 %stop, label %exit, label %latch
latch:
  br label %loop
exit:
  store i32 7, ptr %done
  %q = getelementptr i32, ptr %out, i64 %tt
  store i32 %t, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
