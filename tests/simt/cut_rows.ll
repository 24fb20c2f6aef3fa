; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A flat index is taken apart once for each piece of the range of threads in which quotients are the same.
; RUN: %build/bin/heddle-warp -kernel flat -block 256 -objects 0,1,8,2 -last-pass cut-rows %s | FileCheck %s
; In a piece accesses are of neighbours.
; RUN: %build/bin/heddle-warp -kernel flat -block 256 -objects 0,1,8,2 %s | FileCheck %s --check-prefix=LOADS
; Not where it is told so, nor at width 1, nor by numbers below a warp's threads.
; RUN: %build/bin/heddle-warp -kernel flat -block 256 -objects 0,1,8,2 -disable cut-rows -last-pass choose-form %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel flat -block 256 -objects 0,1,8,2 -width 1 -last-pass cut-rows %s | FileCheck %s --check-prefix=NONE
; RUN: sed 's/ %w$/ 7/' %s > %t.short.ll
; RUN: %build/bin/heddle-warp -kernel flat -block 256 -objects 0,1,8,2 -last-pass cut-rows %t.short.ll | FileCheck %s --check-prefix=NONE
; LEGAL cut-rows: one number
; RUN: %build/bin/heddle-warp -kernel lanes -block 256 -objects 0,1,8,2 -last-pass cut-rows %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel blocks -block 256 -objects 0,1,8,2 -last-pass cut-rows %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel flat -block 128,2 -objects 0,1,8,2 -last-pass cut-rows %s | FileCheck %s --check-prefix=NONE
; LEGAL cut-rows: apart
; RUN: %build/bin/heddle-warp -kernel flat -block 256 -objects 0,1,8,1 -last-pass cut-rows %s | FileCheck %s --check-prefix=NONE
; RUN: sed 's/load float/load volatile float/' %s > %t.volatile.ll
; RUN: %build/bin/heddle-warp -kernel flat -block 256 -objects 0,1,8,2 -last-pass cut-rows %t.volatile.ll | FileCheck %s --check-prefix=NONE
; RUN: sed 's/^  ;BARRIER//' %s > %t.barrier.ll
; RUN: %build/bin/heddle-warp -kernel flat -block 256 -objects 0,1,8,2 -last-pass cut-rows %t.barrier.ll | FileCheck %s --check-prefix=NONE
; A number below zero has a piece of its own, and none wraps around in one.
; LEGAL cut-rows: same quotient
; RUN: %build/bin/heddle-warp -kernel below -block 256 -objects 0,1,8,2 -last-pass cut-rows %s | FileCheck %s --check-prefix=BELOW
; More threads than 31 bits can count go in warps, as those do whose rows are short.
; LEGAL cut-rows: short numbers
; RUN: %build/bin/heddle-warp -kernel flat -block 256 -objects 0,1,8,2 -last-pass cut-rows %s | FileCheck %s --check-prefix=SHORT
; What is divided may be computed for no thread at all, so it may be anything.
; LEGAL cut-rows: free of risk
; RUN: %build/bin/heddle-warp -kernel below -block 256 -objects 0,1,8,2 -last-pass cut-rows %s | FileCheck %s --check-prefix=RISK

; Loops over the grid are around the pieces, where nothing but the number goes from round to round, and all is written
; in the loop, which goes by the grid's size.
; RUN: %build/bin/heddle-warp -kernel rounds -block 256 -objects 0,1,8,2 -last-pass cut-rows %s | FileCheck %s --check-prefix=ROUNDS
; LEGAL cut-rows: rounds
; RUN: sed 's/mul i32 %blocks, 256/mul i32 %blocks, 512/' %s > %t.stride.ll
; RUN: %build/bin/heddle-warp -kernel rounds -block 256 -objects 0,1,8,2 -last-pass cut-rows %t.stride.ll | FileCheck %s --check-prefix=NONE
; RUN: sed 's/^  ;CARRIED//' %s > %t.carried.ll
; RUN: %build/bin/heddle-warp -kernel rounds -block 256 -objects 0,1,8,2 -last-pass cut-rows %t.carried.ll | FileCheck %s --check-prefix=NONE
; RUN: sed 's/^  ;BEFORE//' %s > %t.before.ll
; RUN: %build/bin/heddle-warp -kernel rounds -block 256 -objects 0,1,8,2 -last-pass cut-rows %t.before.ll | FileCheck %s --check-prefix=NONE
; What a place in a row is divided by cuts no pieces.
; RUN: %build/bin/heddle-warp -kernel scaled -block 256 -objects 0,1,8,2 -last-pass cut-rows %s | FileCheck %s --check-prefix=SCALED

; Where each lane has an access of its own, programs have the lanes of a register.
; RUN: %build/bin/heddle-warp -kernel turned -width 0 -block 256 -objects 0,1,8,2 -last-pass cut-rows -target-cpu x86-64-v3 %s | FileCheck %s --check-prefixes=TURNED,EIGHT
; RUN: %build/bin/heddle-warp -kernel turned -width 0 -block 256 -objects 0,1,8,2 -last-pass cut-rows %s | FileCheck %s --check-prefixes=TURNED,SIXTEEN

; TURNED-LABEL: define {{.*}}void @turned.thread
; TURNED: %number = phi i64
; EIGHT: add nuw nsw i64 %number, 8{{$}}
; SIXTEEN: add nuw nsw i64 %number, 16{{$}}

; Pieces end at borders, and all of one goes the same way.
; RUN: %build/bin/heddle-warp -kernel border -block 256 -objects 0,1,8,2 -last-pass cut-rows %s | FileCheck %s --check-prefix=BORDER

; BORDER-LABEL: define internal void @border.thread
; BORDER: {{^}}cut:
; BORDER: [[OUTSIDE:%.*]] = icmp sge i32 %rest, [[BOUND:%.*]]
; BORDER: [[BEFORE:%.*]] = add i32 [[BOUND]], -1
; BORDER: [[LAST:%.*]] = select i1 [[OUTSIDE]], i32 2147483647, i32 [[BEFORE]]
; BORDER: sub i32 [[LAST]], %rest
; BORDER: call i64 @llvm.umin.i64

; ROUNDS-LABEL: define internal void @rounds.thread
; ROUNDS: {{^}}round.done:
; ROUNDS: {{^}}cut:
; ROUNDS: %begin = phi i64

; SCALED-LABEL: define internal void @scaled.thread
; SCALED: {{^}}piece:
; SCALED: call i64 @llvm.umin.i64
; SCALED-NOT: call i64 @llvm.umin.i64
; SCALED: {{^}}some

; CHECK-LABEL: define internal void @flat.thread
; CHECK: br i1 %{{.*}}, label %piece, label %numbers.preheader
; Whole warps of a piece have no masks, and no guard.
; CHECK: {{^}}params:
; CHECK-NOT: div i32
; CHECK-NOT: br i1
; CHECK: [[NEXT:%.*]] = add nuw nsw i64 %number, 32
; CHECK: icmp sgt i64 [[NEXT]], [[LAST:%.*]]
; CHECK: {{^}}work.all:
; CHECK: sdiv i32
; The range ends at the guard's bound.
; CHECK: {{^}}piece:
; CHECK: [[BOUND:%.*]] = call i64 @llvm.smin.i64(i64 %end
; CHECK: icmp slt i64 %first{{.*}}, [[BOUND]]
; CHECK: udiv i32
; CHECK: urem i32
; What is divided is counted from piece to piece.
; CHECK: {{^}}cut:
; CHECK: %quotient = phi i32
; CHECK: %rest = phi i32
; CHECK: %begin = phi i64
; CHECK-NOT: div i32
; CHECK: call i64 @llvm.umin.i64
; CHECK: icmp eq i32 %{{.*}}, [[DIVISOR:%.*]]
; CHECK: icmp sgt i64 %begin, [[LAST]]
; What is left of a piece is less than a warp.
; CHECK: {{^}}some:
; CHECK: [[LEFT:%.*]] = and i32 %{{.*}}, 31
; CHECK: icmp {{.*}}ult i32 %{{.*}}, [[LEFT]]

; LOADS-LABEL: define internal void @flat.thread.warp
; LOADS: {{^}}piece
; LOADS: call <[[WIDTH:16|32|64]] x float> @llvm.masked.load

; NONE-NOT: {{^}}piece:

; BELOW: {{^}}piece:
; BELOW: [[NUMBER:%.*]] = add i32 [[BEGIN:%.*]], -40
; BELOW: sub i32 -2147483609, [[BEGIN]]
; BELOW: icmp slt i32 [[NUMBER]], 0
; BELOW: select i1 %{{.*}}, i32 0, i32

; SHORT: [[BLOCKS:%.*]] = icmp ult i64 %{{.*}}, 8323073
; SHORT: icmp sgt i32 %{{.*}}, 15
; SHORT: and i1 [[BLOCKS]]
; SHORT: br i1 %{{.*}}, label %piece, label %numbers.preheader

; RISK: {{^}}cut:
; RISK-NOT: nsw
; RISK: srem i32

define ptx_kernel void @flat(ptr %out, ptr %in, i32 %n, i32 %w) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %b, 8
  %i = add i32 %first, %t
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %work, label %exit
work:
  ;BARRIER  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = srem i32 %i, %w
  %y = sdiv i32 %i, %w
  %row = mul i32 %y, 100
  %at = add i32 %row, %x
  %index = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %in, i64 %index
  %v = load float, ptr %p
  %to = sext i32 %i to i64
  %q = getelementptr inbounds float, ptr %out, i64 %to
  store float %v, ptr %q
  br label %exit
exit:
  ret void
}

define ptx_kernel void @below(ptr %out, ptr %in, i32 %n, i32 %w) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %b, 8
  %i = add i32 %first, %t
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %work, label %exit
work:
  %before = add nsw i32 %i, -40
  %y = sdiv i32 %before, %w
  %index = sext i32 %y to i64
  %p = getelementptr inbounds float, ptr %in, i64 %index
  %v = load float, ptr %p
  %to = sext i32 %i to i64
  %q = getelementptr inbounds float, ptr %out, i64 %to
  store float %v, ptr %q
  br label %exit
exit:
  ret void
}

define ptx_kernel void @rounds(ptr %out, ptr %in, i32 %n, i32 %w) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %first = shl i32 %b, 8
  %own = add i32 %first, %t
  %grid = mul i32 %blocks, 256
  ;BEFORE  store i32 0, ptr %out
  %some = icmp slt i32 %own, %n
  br i1 %some, label %work, label %exit
work:
  %i = phi i32 [ %own, %0 ], [ %next, %work ]
  ;CARRIED  %round = phi i32 [ 0, %0 ], [ %later, %work ]
  ;CARRIED  %later = add i32 %round, 1
  %same = freeze i32 %i
  %x = srem i32 %same, %w
  %index = sext i32 %x to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %index
  %v = load i32, ptr %p
  %to = sext i32 %i to i64
  %q = getelementptr inbounds i32, ptr %out, i64 %to
  store i32 %v, ptr %q
  ;CARRIED  store i32 %round, ptr %q
  %next = add nsw i32 %same, %grid
  %more = icmp slt i32 %next, %n
  br i1 %more, label %work, label %exit
exit:
  ret void
}

define ptx_kernel void @scaled(ptr %out, ptr %in, i32 %n, i32 %w, i32 %scale) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %b, 8
  %i = add i32 %first, %t
  %x = srem i32 %i, %w
  %from = sdiv i32 %x, %scale
  %index = sext i32 %from to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %index
  %v = load i32, ptr %p
  %to = sext i32 %i to i64
  %q = getelementptr inbounds i32, ptr %out, i64 %to
  store i32 %v, ptr %q
  ret void
}

define ptx_kernel void @border(ptr %out, ptr %in, i32 %n, i32 %w, i32 %width) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %b, 8
  %i = add i32 %first, %t
  %x = srem i32 %i, %w
  %inside = icmp slt i32 %x, %width
  br i1 %inside, label %work, label %exit
work:
  %index = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %in, i64 %index
  %v = load float, ptr %p
  %q = getelementptr inbounds float, ptr %out, i64 %index
  store float %v, ptr %q
  br label %exit
exit:
  ret void
}

define ptx_kernel void @turned(ptr %out, ptr %in, i32 %n, i32 %w, i32 %h) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %b, 8
  %i = add i32 %first, %t
  %x = srem i32 %i, %w
  %y = sdiv i32 %i, %w
  %column = mul i32 %x, %h
  %at = add i32 %column, %y
  %index = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %in, i64 %index
  %v = load float, ptr %p
  %to = sext i32 %i to i64
  %q = getelementptr inbounds float, ptr %out, i64 %to
  store float %v, ptr %q
  ret void
}

; The lane is stored beside what the number gives.
define ptx_kernel void @lanes(ptr %out, ptr %in, i32 %n, i32 %w) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %b, 8
  %i = add i32 %first, %t
  %y = sdiv i32 %i, %w
  %index = sext i32 %y to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %index
  %v = load i32, ptr %p
  %sum = add i32 %v, %t
  %to = sext i32 %i to i64
  %q = getelementptr inbounds i32, ptr %out, i64 %to
  store i32 %sum, ptr %q
  ret void
}

; The block, too; and a number that is not the one that blocks begin with.
define ptx_kernel void @blocks(ptr %out, ptr %in, i32 %n, i32 %w) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %b, 200
  %i = add i32 %first, %t
  %y = sdiv i32 %i, %w
  %index = sext i32 %y to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %index
  %v = load i32, ptr %p
  %to = sext i32 %i to i64
  %q = getelementptr inbounds i32, ptr %out, i64 %to
  store i32 %v, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
