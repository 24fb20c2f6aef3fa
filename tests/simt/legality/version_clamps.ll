; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Code behind clamped indices has a copy for warps in which no clamp binds, as far as that is the same.
; RUN: %build/bin/heddle-warp -block 256 -last-pass version-clamps -kernel clamps %s | FileCheck %s --check-prefix=CLAMPS
; LEGAL version-clamps: free of risk
; RUN: %break risk && %build/bin/heddle-warp -block 256 -last-pass version-clamps -kernel clamps %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL version-clamps: waits
; RUN: %break waits && %build/bin/heddle-warp -block 256 -last-pass version-clamps -kernel clamps %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL version-clamps: binds in no lane
; RUN: %build/bin/heddle-warp -block 256 -kernel wraps %s | FileCheck %s --check-prefix=WRAPS
; All lanes have the first one's quotient, their numbers have not wrapped around, and the divisor is above zero.
; RUN: %build/bin/heddle-warp -block 256 -last-pass version-clamps -kernel quotients %s | FileCheck %s --check-prefix=QUOTIENTS
; LEGAL version-clamps: pieces
; RUN: %build/bin/heddle-warp -block 256 -last-pass version-clamps -kernel quotients -objects 0,1,8,2 %s | FileCheck %s --check-prefix=PIECES
; RUN: %break pieces && %build/bin/heddle-warp -block 256 -last-pass version-clamps -kernel quotients -objects 0,1,8,2 %t.ll | FileCheck %s --check-prefix=WHOLE
; LEGAL noalias-arguments: different allocations
; RUN: %build/bin/heddle-warp -block 256 -last-pass version-clamps -kernel quotients -objects 0,1,8,1 %s | FileCheck %s --check-prefix=WHOLE
; LEGAL noalias-arguments: known allocations
; RUN: %build/bin/heddle-warp -block 256 -last-pass version-clamps -kernel quotients -objects 0,1,8,0 %s | FileCheck %s --check-prefix=WHOLE
; RUN: %build/bin/heddle-warp -block 256 -last-pass version-clamps -kernel quotients -objects 0,1,8,2 -disable noalias-arguments %s | FileCheck %s --check-prefix=WHOLE
; LEGAL noalias-arguments: no loaded pointers
; RUN: %break loaded && %build/bin/heddle-warp -block 256 -last-pass version-clamps -kernel quotients -objects 0,1,8,2 %t.ll | FileCheck %s --check-prefix=WHOLE

; PIECES: {{^}}piece:
; WHOLE: call i1 @heddle.all
; WHOLE-NOT: {{^}}piece:

; QUOTIENTS: [[FIRST:%.*]] = call i32 @heddle.first.i32(i32 [[NUMBER:%.*]])
; QUOTIENTS: [[QUOTIENT:%.*]] = udiv i32 [[FIRST]], %
; QUOTIENTS: [[MULTIPLE:%.*]] = mul i32 [[QUOTIENT]], [[DIVISOR:%.*]]
; QUOTIENTS: [[REST:%.*]] = sub i32 [[NUMBER]], [[MULTIPLE]]
; QUOTIENTS: icmp sge i32 [[NUMBER]], 0
; QUOTIENTS: icmp ult i32 [[REST]], [[DIVISOR]]
; QUOTIENTS: [[LESS:%.*]] = sub i32 [[DIVISOR]], 1
; QUOTIENTS: icmp ult i32 [[LESS]], 1073741824
; QUOTIENTS: sub i32 [[NUMBER]],
; QUOTIENTS: [[LINE:%.*]] = sub i32
; QUOTIENTS: [[INLANE:%.*]] = call i32 @heddle.first.i32(i32 [[LINE]])
; QUOTIENTS: icmp eq i32 [[LINE]], [[INLANE]]
; QUOTIENTS: call i1 @heddle.all

; CLAMPS: call i1 @heddle.all
; NONE-NOT: call i1 @heddle.all

; The first lane is above the bound, and the last one has not wrapped around to below it.
; WRAPS: [[LEAST:%.*]] = add i32 [[FIRST:%.*]], 0
; WRAPS: icmp sge i32 [[LEAST]], 3
; WRAPS: [[LAST:%.*]] = add i32 [[FIRST]], 31
; WRAPS: icmp sle i32 [[FIRST]], [[LAST]]

define ptx_kernel void @clamps(ptr %in, ptr %out, i32 %low, i32 %high) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %far = getelementptr i8, ptr %out, i64 65536
  %above = call i32 @llvm.smax.i32(i32 %x, i32 %low)
  %wa = sext i32 %above to i64
  %pa = getelementptr float, ptr %in, i64 %wa
  %va = load float, ptr %pa
  store float %va, ptr %far
;@risk  %last = load volatile i32, ptr %far
;@waits  call void @llvm.nvvm.barrier0()
  %below = call i32 @llvm.smin.i32(i32 %above, i32 %high) ; not risk
;@risk  %below = call i32 @llvm.smin.i32(i32 %above, i32 %last)
  %wb = sext i32 %below to i64
  %pb = getelementptr float, ptr %in, i64 %wb
  %vb = load float, ptr %pb
  %wx = zext i32 %x to i64
  %px = getelementptr float, ptr %out, i64 %wx
  store float %vb, ptr %px
  ret void
}

define ptx_kernel void @quotients(ptr %in, ptr %out, i32 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %b, 255
  %x = add i32 %base, %t
  %r = srem i32 %x, %w
  %wr = sext i32 %r to i64
  %pr = getelementptr inbounds i32, ptr %in, i64 %wr
  %v = load i32, ptr %pr
  %sum = add i32 %v, 0 ; not pieces
;@pieces  %sum = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 1, i32 31)
  %wt = zext i32 %t to i64
  %pt = getelementptr i32, ptr %out, i64 %wt ; not loaded
;@loaded  %other = load ptr, ptr %out
;@loaded  %pt = getelementptr i32, ptr %other, i64 %wt
  store i32 %sum, ptr %pt
  ret void
}

define ptx_kernel void @wraps(ptr %in, ptr %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %b, 255
  %x = add i32 %base, %t
  %above = call i32 @llvm.smax.i32(i32 %x, i32 3)
  %wa = sext i32 %above to i64
  %pa = getelementptr float, ptr %in, i64 %wa
  %va = load float, ptr %pa
  %wt = zext i32 %t to i64
  %pt = getelementptr float, ptr %out, i64 %wt
  store float %va, ptr %pt
  ret void
}
declare void @llvm.nvvm.barrier0()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
