; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop that fills a tile by quotient and rest of its counter is unrolled where the block is one program: row and column are
; numbers of each thread then.
; RUN: %build/bin/heddle-warp -kernel split -block 16,16 -width 0 -last-pass choose-form %s | FileCheck %s --check-prefix=SPLIT
; RUN: %build/bin/heddle-warp -kernel split -block 16,16 -width 32 -last-pass choose-form %s | FileCheck %s --check-prefix=LOOP
; RUN: %build/bin/heddle-warp -kernel split -block 16,16 -width 256 -last-pass widen %s | FileCheck %s --check-prefix=WIDE

; SPLIT-LABEL: define {{.*}}@split.thread
; SPLIT-NOT: phi i32
; SPLIT: ret void

; LOOP: phi i32

; WIDE-NOT: masked.gather
; WIDE-NOT: masked.scatter
; WIDE: ret void

@tile = internal addrspace(3) global [324 x float] undef, align 4

define ptx_kernel void @split(ptr %out, ptr %in, i32 %n) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %first = shl nuw nsw i32 %ty, 4
  %t = add nuw nsw i32 %first, %tx
  br label %head

head:
  %i = phi i32 [ %t, %entry ], [ %next, %body ]
  %goes = icmp ult i32 %i, 324
  br i1 %goes, label %body, label %end

body:
  %row = udiv i32 %i, 18
  %column = urem i32 %i, 18
  %start = mul nsw i32 %row, %n
  %at = add nsw i32 %start, %column
  %aw = sext i32 %at to i64
  %from = getelementptr float, ptr %in, i64 %aw
  %v = load float, ptr %from
  %iw = zext i32 %i to i64
  %to = getelementptr float, ptr addrspace(3) @tile, i64 %iw
  store float %v, ptr addrspace(3) %to
  %next = add nuw nsw i32 %i, 256
  br label %head

end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %tw = zext i32 %t to i64
  %mirror = sub nsw i64 323, %tw
  %read = getelementptr float, ptr addrspace(3) @tile, i64 %mirror
  %r = load float, ptr addrspace(3) %read
  %result = getelementptr float, ptr %out, i64 %tw
  store float %r, ptr %result
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
