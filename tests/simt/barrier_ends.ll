; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Blocks behind the last barrier run before others where lanes may part at a barrier. What they use may be computed between
; two barriers, so in a block with a higher number.
; RUN: %build/bin/heddle-warp -block 64 %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 64 -width 8 %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: add <{{[0-9]+}} x i32> {{%[0-9]+}}, [[BETWEEN:%[0-9]+]]
; CHECK: [[BETWEEN]] = call {{.*}}@llvm.masked.load

define ptx_kernel void @kernel(ptr %in, ptr %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %in, i64 %i
  %q = getelementptr i32, ptr %out, i64 %i
  %leaves = icmp ugt i32 %t, %n
  br i1 %leaves, label %loop, label %waits

loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  store volatile i32 %k, ptr %q
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %t
  br i1 %more, label %loop, label %done

waits:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load i32, ptr %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %y = load i32, ptr %q
  %sum = add i32 %y, %x
  store i32 %sum, ptr %q
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
