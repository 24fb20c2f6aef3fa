; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; The lanes of a digit count one after the other, where they would ask by a match who they are. Not in global memory, nor
; where parts of a warp are programs, nor where the counters are not those of the digits.
; RUN: %build/bin/heddle-warp -block 64 -width 32 -kernel ranks %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 64 -width 32 -kernel ranks -disable=match-ranks %s | FileCheck %s --check-prefix=MATCH
; RUN: %build/bin/heddle-warp -block 64 -width 16 -kernel ranks %s | FileCheck %s --check-prefix=MATCH
; RUN: %build/bin/heddle-warp -block 64 -width 32 -kernel global %s | FileCheck %s --check-prefix=MATCH
; RUN: %build/bin/heddle-warp -block 64 -width 32 -kernel other %s | FileCheck %s --check-prefix=MATCH

@counters = internal addrspace(3) global [512 x i32] undef, align 4

; CHECK-LABEL: define internal void @ranks.thread.warp
; CHECK-NOT: masked.gather
; CHECK: load <32 x i32>, ptr %lanes, align
; CHECK: masked.store
; CHECK: {{^}}lanes1:
; CHECK-COUNT-8: add i32 {{.*}}, 1{{$}}
; CHECK-NOT: masked.scatter
; CHECK: {{^}}}

; MATCH-LABEL: .thread.warp
; MATCH: masked.gather
; MATCH: call <{{.*}} x i32> @llvm.ctpop
; MATCH: masked.scatter

define ptx_kernel void @ranks(ptr %keys, ptr %ranks) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %keys, i64 %i
  %key = load i32, ptr %p
  %digit = and i32 %key, 255
  %d = zext i32 %digit to i64
  %g = addrspacecast ptr addrspace(3) @counters to ptr
  %counter = getelementptr i32, ptr %g, i64 %d
  %peers = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %digit)
  %old = load i32, ptr %counter
  %bit = shl i32 1, %lane
  %below = add i32 %bit, -1
  %before = and i32 %peers, %below
  %number = call i32 @llvm.ctpop.i32(i32 %before)
  %rank = add i32 %old, %number
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %rest = lshr i32 %peers, %lane
  %last = icmp eq i32 %rest, 1
  br i1 %last, label %count, label %counted
count:
  %next = add i32 %rank, 1
  store i32 %next, ptr %counter
  br label %counted
counted:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %q = getelementptr i32, ptr %ranks, i64 %i
  store i32 %rank, ptr %q
  ret void
}

define ptx_kernel void @global(ptr %keys, ptr %ranks, ptr %g) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %keys, i64 %i
  %key = load i32, ptr %p
  %digit = and i32 %key, 255
  %d = zext i32 %digit to i64
  %counter = getelementptr i32, ptr %g, i64 %d
  %peers = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %digit)
  %old = load i32, ptr %counter
  %below = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  %before = and i32 %peers, %below
  %number = call i32 @llvm.ctpop.i32(i32 %before)
  %rank = add i32 %old, %number
  %rest = lshr i32 %peers, %lane
  %last = icmp eq i32 %rest, 1
  br i1 %last, label %count, label %counted
count:
  %next = add i32 %rank, 1
  store i32 %next, ptr %counter
  br label %counted
counted:
  %q = getelementptr i32, ptr %ranks, i64 %i
  store i32 %rank, ptr %q
  ret void
}

define ptx_kernel void @other(ptr %keys, ptr %ranks) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %keys, i64 %i
  %key = load i32, ptr %p
  %digit = and i32 %key, 255
  %half = lshr i32 %digit, 1
  %d = zext i32 %half to i64
  %g = addrspacecast ptr addrspace(3) @counters to ptr
  %counter = getelementptr i32, ptr %g, i64 %d
  %peers = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %digit)
  %old = load i32, ptr %counter
  %bit = shl i32 1, %lane
  %below = add i32 %bit, -1
  %before = and i32 %peers, %below
  %number = call i32 @llvm.ctpop.i32(i32 %before)
  %rank = add i32 %old, %number
  %rest = lshr i32 %peers, %lane
  %last = icmp eq i32 %rest, 1
  br i1 %last, label %count, label %counted
count:
  %next = add i32 %rank, 1
  store i32 %next, ptr %counter
  br label %counted
counted:
  %q = getelementptr i32, ptr %ranks, i64 %i
  store i32 %rank, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare i32 @llvm.ctpop.i32(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
