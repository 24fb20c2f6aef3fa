; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A warp that writes to where others have still to read what a barrier has left gives way first.
; RUN: %build/bin/heddle-warp -width 32 -block 128 -kernel again -last-pass yield-before-reuse %s | FileCheck %s --check-prefix=AGAIN
; RUN: %build/bin/heddle-warp -width 128 -block 128 -kernel again -last-pass yield-before-reuse %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -width 32 -block 128 -kernel withBarrier -last-pass yield-before-reuse %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -width 32 -block 128 -kernel elsewhere -last-pass yield-before-reuse %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -width 32 -block 128 -kernel own -last-pass yield-before-reuse %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -width 32 -block 128 -kernel byFirstWarp -last-pass yield-before-reuse %s | FileCheck %s --check-prefix=NO
; RUN: %build/bin/heddle-warp -width 32 -block 128 -kernel unknown -last-pass yield-before-reuse %s | FileCheck %s --check-prefix=NO
; NO: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; NO-NOT: @heddle.yield

@places = internal addrspace(3) global [256 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; AGAIN: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; AGAIN: %x = load i32
; AGAIN: call void @heddle.yield()
; AGAIN-NEXT: store i32 %x
define ptx_kernel void @again(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %warp = lshr i32 %t, 5
  %from = getelementptr i32, ptr addrspace(3) @places, i32 %lane
  %to = getelementptr i32, ptr addrspace(3) @places, i32 %warp
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load i32, ptr addrspace(3) %from
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %put, label %exit
put:
  store i32 %x, ptr addrspace(3) %to
  br label %exit
exit:
  store i32 %x, ptr %out
  ret void
}

define ptx_kernel void @withBarrier(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %warp = lshr i32 %t, 5
  %from = getelementptr i32, ptr addrspace(3) @places, i32 %lane
  %to = getelementptr i32, ptr addrspace(3) @places, i32 %warp
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load i32, ptr addrspace(3) %from
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %put, label %exit
put:
  store i32 %x, ptr addrspace(3) %to
  br label %exit
exit:
  store i32 %x, ptr %out
  ret void
}

; Not the same places.
define ptx_kernel void @elsewhere(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %warp = lshr i32 %t, 5
  %behind = add i32 %warp, 32
  %from = getelementptr i32, ptr addrspace(3) @places, i32 %lane
  %to = getelementptr i32, ptr addrspace(3) @places, i32 %behind
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load i32, ptr addrspace(3) %from
  store i32 %x, ptr addrspace(3) %to
  store i32 %x, ptr %out
  ret void
}

; Each thread its own.
define ptx_kernel void @own(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr addrspace(3) @places, i32 %t
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load i32, ptr addrspace(3) %at
  %more = add i32 %x, 1
  store i32 %more, ptr addrspace(3) %at
  store i32 %x, ptr %out
  ret void
}

; The first warp, which goes last.
define ptx_kernel void @byFirstWarp(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load i32, ptr addrspace(3) @places
  %first = icmp eq i32 %t, 0
  br i1 %first, label %put, label %exit
put:
  store i32 %x, ptr addrspace(3) @places
  br label %exit
exit:
  store i32 %x, ptr %out
  ret void
}

; Nothing is known of the place.
define ptx_kernel void @unknown(i32 %n, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = mul i32 %t, %n
  %from = getelementptr i32, ptr addrspace(3) @places, i32 %some
  %to = getelementptr i32, ptr addrspace(3) @places, i32 %t
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load i32, ptr addrspace(3) %from
  store i32 %x, ptr addrspace(3) %to
  store i32 %x, ptr %out
  ret void
}
