; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A tile with a rim is read from where it was copied; with one condition broken at a time it stays.
; RUN: %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %s | FileCheck %s
; LEGAL propagate-halo-copies: one barrier
; RUN: %break waits && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL propagate-halo-copies: only the tile
; RUN: %break writes && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL propagate-halo-copies: copies
; RUN: %break changed && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL propagate-halo-copies: one writer
; RUN: %break twice && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL propagate-halo-copies: has copied
; RUN: %break unguarded && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL propagate-halo-copies: same address
; RUN: %break mirror && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break data && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL propagate-halo-copies: whole numbers
; RUN: %break wraps && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL propagate-halo-copies: plain accesses
; RUN: %break volatile && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL propagate-halo-copies: constant
; RUN: %build/bin/heddle-warp -block 1024 -objects 16,1,24,1 -last-pass=propagate-halo-copies %s | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define {{.*}} @kernel.thread
; CHECK-NOT: {{barrier|addrspace\(3\)}}
; CHECK: ret void

; NONE: call void @llvm.nvvm.barrier.cta.sync.aligned.all

@tile.1024 = internal addrspace(3) global [1026 x float] undef, align 4

define ptx_kernel void @kernel(i32 %n, i64 %unused, ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = shl i32 %b, 10 ; not wraps
;@wraps  %base = mul i32 %b, 1023
  %x = add i32 %base, %t
  %wide = zext nneg i32 %t to i64
  %cell = getelementptr inbounds float, ptr addrspace(3) @tile.1024, i64 %wide
  %here = getelementptr i8, ptr addrspace(3) %cell, i64 4
  %isIn = icmp slt i32 %x, %n
  br i1 %isIn, label %copy, label %filled
copy:
  %i = sext i32 %x to i64 ; not data
;@data  %at = getelementptr inbounds i32, ptr %in, i64 %wide
;@data  %other = load i32, ptr %at
;@data  %i = sext i32 %other to i64
  %p = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %p, align 4
;@writes  store float 1.0, ptr %out, align 4
  store float %v, ptr addrspace(3) %here, align 4
  %isFirst = icmp eq i32 %t, 0
  %hasLeft = icmp sgt i32 %x, 0
  %copiesLeft = and i1 %isFirst, %hasLeft ; not twice
;@twice  %isEarly = icmp ult i32 %t, 2
;@twice  %copiesLeft = and i1 %isEarly, %hasLeft
  br i1 %copiesLeft, label %left, label %next
left:
  %before = getelementptr i8, ptr %p, i64 -4
  %w = load float, ptr %before, align 4
  store float %w, ptr addrspace(3) @tile.1024, align 4
  br label %next
next:
  %isLast = icmp eq i32 %t, 1023
  %last = add nsw i32 %n, -1
  %hasRight = icmp slt i32 %x, %last
  %copiesRight = and i1 %isLast, %hasRight
  br i1 %copiesRight, label %right, label %filled
right:
  %behind = getelementptr i8, ptr %p, i64 4
  %mirror = getelementptr i8, ptr %p, i64 -8
  %u = load float, ptr %behind, align 4
;@mirror  %u.other = load float, ptr %mirror, align 4
  %end = getelementptr i8, ptr addrspace(3) %here, i64 4
  store float %u, ptr addrspace(3) %end, align 4 ; not mirror changed
;@mirror  store float %u.other, ptr addrspace(3) %end, align 4
;@changed  %u.other = fadd float %u, 1.0
;@changed  store float %u.other, ptr addrspace(3) %end, align 4
  br label %filled
filled:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %low = icmp sgt i32 %x, 0
  %top = add nsw i32 %n, -1
  %high = icmp slt i32 %x, %top
  %isInside = and i1 %low, %high ; not unguarded
;@unguarded  %isInside = or i1 %low, %high
  br i1 %isInside, label %sum, label %done
sum:
  %a = load float, ptr addrspace(3) %cell, align 4 ; not volatile
;@volatile  %a = load volatile float, ptr addrspace(3) %cell, align 4
  %far = getelementptr i8, ptr addrspace(3) %cell, i64 8
  %c = load float, ptr addrspace(3) %far, align 4
  %s = fadd float %a, %c
;@waits  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %k = sext i32 %x to i64
  %q = getelementptr inbounds float, ptr %out, i64 %k
  store float %s, ptr %q, align 4
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
