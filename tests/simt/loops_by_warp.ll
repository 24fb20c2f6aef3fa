; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop over the warps before one's own has at most seven rounds in a block of eight warps. In a program of the whole block
; its rounds follow each other, and who takes part in each is known. Not where one program is a warp, and not a loop
; that writes. What is known of the index is forgotten afterwards.
; RUN: %build/bin/heddle-warp -block 256 -width 256 -last-pass=choose-form -kernel before %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 256 -width 32 -last-pass=choose-form -kernel before %s | FileCheck %s --check-prefix=LOOP
; RUN: %build/bin/heddle-warp -block 256 -width 256 -last-pass=choose-form -kernel before -disable=unroll-barrier-loops %s | FileCheck %s --check-prefix=LOOP
; RUN: %build/bin/heddle-warp -block 256 -width 256 -last-pass=choose-form -kernel writes %s | FileCheck %s --check-prefix=LOOP

@sums = internal addrspace(3) global [8 x i32] undef, align 4

; CHECK-LABEL: define {{.*}}@before.thread
; CHECK-NOT: range(i32 0, 256)
; CHECK-COUNT-6: icmp eq i32 %warp0, {{[1-6]$}}
; CHECK-NOT: icmp eq i32 %warp
; CHECK: ret void

; LOOP-LABEL: define {{.*}}.thread
; LOOP: %{{.*}} = phi i32
; LOOP: br i1 %{{.*}}, label %{{.*}}, label %loop

define ptx_kernel void @before(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp0 = lshr i32 %t, 5
  %none = icmp eq i32 %warp0, 0
  br i1 %none, label %join, label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ %t, %entry ], [ %more, %loop ]
  %at = getelementptr i32, ptr addrspace(3) @sums, i32 %k
  %one = load i32, ptr addrspace(3) %at
  %more = add i32 %sum, %one
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, %warp0
  br i1 %done, label %join, label %loop
join:
  %r = phi i32 [ %t, %entry ], [ %more, %loop ]
  %tt = zext i32 %t to i64
  %po = getelementptr i32, ptr %out, i64 %tt
  store i32 %r, ptr %po
  ret void
}

define ptx_kernel void @writes(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp0 = lshr i32 %t, 5
  %none = icmp eq i32 %warp0, 0
  br i1 %none, label %join, label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %out, i32 %k
  %old = atomicrmw add ptr %at, i32 %t monotonic
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, %warp0
  br i1 %done, label %join, label %loop
join:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
