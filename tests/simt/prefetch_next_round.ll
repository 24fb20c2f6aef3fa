; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop over tiles in a block of several programs: each load from global memory has the lines of the next round fetched. Two
; rows of 16 lanes; shared memory and what stays the same are left alone.
; RUN: %build/bin/heddle-warp -block 16,16 %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 16,16 -disable=prefetch-next-round %s | FileCheck %s --check-prefix=NONE
; One program holds the block: the processor sees the next round by itself.
; RUN: %build/bin/heddle-warp -block 16,2 %s | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: [[ROWS:%.*]] = shl i32 {{%.*}}, 4
; CHECK: [[WIDE:%.*]] = sext i32 [[ROWS]] to i64
; CHECK: [[STEP:%.*]] = shl nsw i64 [[WIDE]], 2
; CHECK: getelementptr i8, ptr {{.*}}, i64 [[STEP]]
; CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
; CHECK: getelementptr i8, ptr {{.*}}, i64 [[STEP]]
; CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
; CHECK-NOT: call void @llvm.prefetch
; NONE-NOT: llvm.prefetch

@tile = internal addrspace(3) global [16 x [16 x float]] undef, align 4

define ptx_kernel void @kernel(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %cell = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %y, i32 %x
  br label %loop
loop:
  %start = phi i32 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
  %row = add i32 %start, %y
  %before = mul i32 %row, %n
  %index = add i32 %before, %x
  %wide = sext i32 %index to i64
  %p = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  %same = load float, ptr %c
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %corner = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %x, i32 %y
  %w = load float, ptr addrspace(3) %corner
  %one = fadd float %w, %same
  %more = fadd float %sum, %one
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %start, 16
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %out = mul i32 %y, 16
  %place = add i32 %out, %x
  %far = sext i32 %place to i64
  %q = getelementptr float, ptr %c, i64 %far
  store float %more, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
