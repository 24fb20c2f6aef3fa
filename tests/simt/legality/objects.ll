; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; What nobody writes is read again, where the launch says that it is another allocation.
; RUN: %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %s | FileCheck %s
; LEGAL noalias-arguments: no loaded pointers
; RUN: %break loaded && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL noalias-arguments: constant
; RUN: %break looks && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break atomic && %build/bin/heddle-warp -block 1024 -objects 16,1,24,2 -last-pass=propagate-halo-copies %t.ll | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define {{.*}} @kernel.thread
; CHECK-NOT: {{barrier|addrspace\(3\)}}
; CHECK: ret void

; NONE: call void @llvm.nvvm.barrier.cta.sync.aligned.all

@tile.1024 = internal addrspace(3) global [1026 x float] undef, align 4

define ptx_kernel void @kernel(i32 %n, i64 %unused, ptr %in, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
;@loaded  %found = load ptr, ptr %in
  %base = shl i32 %b, 10
  %x = add i32 %base, %t
  %wide = zext nneg i32 %t to i64
  %cell = getelementptr inbounds float, ptr addrspace(3) @tile.1024, i64 %wide
  %here = getelementptr i8, ptr addrspace(3) %cell, i64 4
  %isIn = icmp slt i32 %x, %n
  br i1 %isIn, label %copy, label %filled
copy:
  %i = sext i32 %x to i64
  %p = getelementptr inbounds float, ptr %in, i64 %i ; not loaded
;@loaded  %p = getelementptr inbounds float, ptr %found, i64 %i
  %v = load float, ptr %p, align 4
  store float %v, ptr addrspace(3) %here, align 4
  %isFirst = icmp eq i32 %t, 0
  %hasLeft = icmp sgt i32 %x, 0
  %copiesLeft = and i1 %isFirst, %hasLeft
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
  %end = getelementptr i8, ptr addrspace(3) %here, i64 4
  store float %u, ptr addrspace(3) %end, align 4
  br label %filled
filled:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %low = icmp sgt i32 %x, 0
  %top = add nsw i32 %n, -1
  %high = icmp slt i32 %x, %top
  %isInside = and i1 %low, %high
  br i1 %isInside, label %sum, label %done
sum:
  %a = load float, ptr addrspace(3) %cell, align 4
  %far = getelementptr i8, ptr addrspace(3) %cell, i64 8
  %c = load float, ptr addrspace(3) %far, align 4
  %s = fadd float %a, %c
;@atomic  %old = atomicrmw add ptr %in, i32 1 monotonic
;@looks  %flag = load volatile i32, ptr %out
;@looks  %isSet = icmp eq i32 %flag, 7
;@looks  br i1 %isSet, label %done, label %set
;@looks  set:
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
