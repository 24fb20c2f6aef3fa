; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Code behind clamped indices has a copy for warps in which no clamp binds: there the loads are of neighbours.
; RUN: %build/bin/heddle-warp -kernel stencil -block 256 %s | FileCheck %s --check-prefix=STENCIL
; RUN: %build/bin/heddle-warp -kernel stencil -block 256 -disable version-clamps %s | FileCheck %s --check-prefix=OFF
; A clamp of a clamp, and one in a loop: the test is the loop's, and the copy goes on in it.
; RUN: %build/bin/heddle-warp -kernel taps -block 256 -last-pass version-clamps %s | FileCheck %s --check-prefix=TAPS
; A comparison as a number, and a choice; behind a guard only in the copy for whole warps.
; RUN: %build/bin/heddle-warp -kernel choices -block 256 -last-pass version-clamps %s | FileCheck %s --check-prefix=CHOICES
; A flat index that is taken apart, and a periodic neighbour: one quotient a warp, and the loads are of neighbours; warps in
; which the quotients differ go by pieces.
; RUN: %build/bin/heddle-warp -kernel torus -block 256 -objects 0,1,8,2 -disable cut-rows %s | FileCheck %s --check-prefix=TORUS
; RUN: %build/bin/heddle-warp -kernel torus -block 256 -objects 0,1,8,2 -last-pass version-clamps -disable cut-rows %s | FileCheck %s --check-prefix=PIECES
; Not where it is known that they differ, nor by pieces where lanes hand each other values, or may write what others read.
; RUN: %build/bin/heddle-warp -kernel short -block 256 -last-pass version-clamps -disable cut-rows %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel handed -block 256 -objects 0,1,8,2 -last-pass version-clamps -disable cut-rows %s | FileCheck %s --check-prefix=HANDED
; RUN: %build/bin/heddle-warp -kernel torus -block 256 -objects 0,1,8,1 -last-pass version-clamps -disable cut-rows %s | FileCheck %s --check-prefix=HANDED
; Nor does a number that lanes have counted for themselves count as one of all lanes.
; RUN: %build/bin/heddle-warp -kernel counted -block 256 -objects 0,1,8,2,16,3 -last-pass version-clamps -disable cut-rows %s | FileCheck %s --check-prefix=NONE
; Divisions by multiples of one constant have one test, of the least; another divisor has its own.
; RUN: %build/bin/heddle-warp -kernel multiples -block 256 -last-pass version-clamps -disable cut-rows %s | FileCheck %s --check-prefix=MULTIPLES
; A quotient's multiple that is taken off is a remainder; a loop over the grid goes by pieces within each round, and what the
; round's end needs goes through it; a test may ask what never changes.
; RUN: %build/bin/heddle-warp -kernel strided -block 256 -objects 0,1,8,2 -last-pass version-clamps -disable cut-rows,version-guards %s | FileCheck %s --check-prefix=STRIDED
; RUN: %build/bin/heddle-warp -kernel tabled -block 256 -last-pass version-clamps -disable cut-rows %s | FileCheck %s --check-prefix=TABLED
; No copies where no access gains: clamps of what is loaded, of rows, of what is stored; nor at width 1.
; RUN: %build/bin/heddle-warp -kernel loaded -block 256 -last-pass version-clamps %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel rows -block 32,8 -last-pass version-clamps %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel stored -block 256 -last-pass version-clamps %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel stencil -block 256 -width 1 -last-pass version-clamps %s | FileCheck %s --check-prefix=NONE

; STENCIL-LABEL: define internal void @stencil.thread.warp
; STENCIL: {{^}}params.split1:
; STENCIL: call <32 x float> @llvm.masked.gather
; STENCIL: call <32 x float> @llvm.masked.gather
; STENCIL: {{^}}params.split1.all:
; STENCIL-NOT: masked.gather
; STENCIL: call <32 x float> @llvm.masked.load
; STENCIL-NOT: masked.gather
; STENCIL: call <32 x float> @llvm.masked.load
; STENCIL-NOT: masked.gather
; STENCIL: {{^}}}
; OFF-LABEL: define internal void @stencil.thread.warp
; OFF-NOT: label %{{.*}}, !prof

; TAPS-LABEL: define internal void @taps.thread
; TAPS: [[AT:%.*]] = add nsw i32 %x, %k
; TAPS: icmp sle i32
; TAPS: icmp sge i32 %{{.*}}, 0
; TAPS: [[BOTH:%.*]] = and i1
; TAPS: [[ALL:%.*]] = call i1 @heddle.all(i1 [[BOTH]])
; TAPS: br i1 [[ALL]]
; TAPS-NOT: call i1 @heddle.all

; CHOICES-LABEL: define internal void @choices.thread
; CHOICES: call i1 @heddle.all
; CHOICES: icmp ne i32 %x, %
; CHOICES: icmp ne i32 %x, %
; CHOICES: [[BOTH:%.*]] = and i1
; CHOICES: call i1 @heddle.all(i1 [[BOTH]])
; CHOICES-NOT: call i1 @heddle.all

; TORUS-LABEL: define internal void @torus.thread.warp
; TORUS: {{^}}piece:
; TORUS-NOT: masked.gather
; TORUS: call <32 x float> @llvm.masked.load.v32f32.p0(ptr align 4 %{{.*}}, <32 x i1> %
; TORUS-NOT: masked.gather
; TORUS: {{^}}piece.end:
; TORUS: call <32 x float> @llvm.masked.gather
; TORUS: call <32 x float> @llvm.masked.load.v32f32.p0(ptr align 4 %{{.*}}, <32 x i1> splat (i1 true)
; TORUS-NOT: masked.gather
; TORUS: {{^}}}

; PIECES-LABEL: define internal void @torus.thread
; PIECES: [[WHOLE:%.*]] = call i1 @heddle.all
; PIECES: br i1 [[WHOLE]], label %params.split1.all, label %pieces
; PIECES: {{^}}pieces:
; PIECES: icmp uge i32 %{{.*}}, 8
; PIECES: {{^}}piece:
; PIECES: [[FIRST:%.*]] = call i32 @heddle.first.i32
; PIECES: udiv i32 [[FIRST]]
; PIECES: br i1 %{{.*}}, label %piece.body, label %params.split1.loopexit
; PIECES: {{^}}piece.end:
; PIECES: br i1 %{{.*}}, label %{{.*}}, label %piece

; HANDED: call i1 @heddle.all
; HANDED-NOT: piece

; MULTIPLES-LABEL: define internal void @multiples.thread
; MULTIPLES: [[LEAST:%.*]] = call i32 @llvm.umax.i32(i32 65, i32 1)
; MULTIPLES: [[FIRST:%.*]] = call i32 @heddle.first.i32(i32 [[I:%.*]])
; MULTIPLES: [[BYLEAST:%.*]] = udiv i32 [[FIRST]], [[LEAST]]
; MULTIPLES: icmp ult i32 %{{.*}}, 65
; MULTIPLES: [[OTHER:%.*]] = call i32 @heddle.first.i32(i32 [[I]])
; MULTIPLES: udiv i32 [[OTHER]], %
; MULTIPLES: icmp ult i32 %{{.*}}, 1000
; MULTIPLES-NOT: icmp
; MULTIPLES: udiv i32 [[BYLEAST]], 59
; MULTIPLES-NOT: icmp
; MULTIPLES: call i1 @heddle.all

; STRIDED-LABEL: define internal void @strided.thread
; STRIDED: {{^}}round.split:
; STRIDED-NEXT: srem i32 %i, %
; STRIDED: br label %[[END:.*]]
; STRIDED: {{^}}[[END]]:
; STRIDED-NEXT: phi i32
; STRIDED: %next = add nsw i32 %i, %
; STRIDED: {{^}}piece:
; STRIDED: {{^}}piece.end:
; STRIDED-NEXT: phi i32
; STRIDED-NEXT: br i1 %{{.*}}, label %{{.*}}, label %piece

; TABLED-LABEL: define internal void @tabled.thread
; TABLED: %far = load i32, ptr %{{.*}}, !invariant.load
; TABLED: call i32 @heddle.first.i32
; TABLED: freeze i32 %far
; TABLED: call i1 @heddle.all

; NONE-NOT: call i1 @heddle.all

define ptx_kernel void @stencil(ptr %in, ptr %out, i32 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul nsw i32 %b, 256
  %x = add nsw i32 %first, %t
  %before = add nsw i32 %x, -1
  %west = call i32 @llvm.smax.i32(i32 %before, i32 0)
  %behind = add nsw i32 %x, 1
  %last = add nsw i32 %w, -1
  %east = call i32 @llvm.smin.i32(i32 %behind, i32 %last)
  %ww = sext i32 %west to i64
  %pw = getelementptr float, ptr %in, i64 %ww
  %vw = load float, ptr %pw
  %we = sext i32 %east to i64
  %pe = getelementptr float, ptr %in, i64 %we
  %ve = load float, ptr %pe
  %sum = fadd float %vw, %ve
  %wx = sext i32 %x to i64
  %px = getelementptr float, ptr %out, i64 %wx
  store float %sum, ptr %px
  ret void
}

define ptx_kernel void @taps(ptr %in, ptr %out, i32 %w, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %last = add nsw i32 %w, -1
  br label %tap
tap:
  %k = phi i32 [ -2, %entry ], [ %next, %tap ]
  %sum = phi float [ 0.0, %entry ], [ %more, %tap ]
  %at = add nsw i32 %x, %k
  %low = call i32 @llvm.smax.i32(i32 %at, i32 0)
  %inside = call i32 @llvm.smin.i32(i32 %low, i32 %last)
  %wide = sext i32 %inside to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  %more = fadd float %sum, %v
  %next = add nsw i32 %k, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %tap, label %end
end:
  %wx = zext i32 %x to i64
  %px = getelementptr float, ptr %out, i64 %wx
  store float %more, ptr %px
  ret void
}

define ptx_kernel void @choices(ptr %in, ptr %out, i32 %w, i32 %begin) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %x, %w
  br i1 %c, label %body, label %exit
body:
  %last = add nsw i32 %w, -1
  %inner = icmp ne i32 %x, %last
  %one = zext i1 %inner to i32
  %east = add nsw i32 %x, %one
  %begins = icmp eq i32 %x, %begin
  %before = add nsw i32 %x, -1
  %west = select i1 %begins, i32 %x, i32 %before
  %we = sext i32 %east to i64
  %pe = getelementptr float, ptr %in, i64 %we
  %ve = load float, ptr %pe
  %ww = sext i32 %west to i64
  %pw = getelementptr float, ptr %in, i64 %ww
  %vw = load float, ptr %pw
  %sum = fadd float %vw, %ve
  %wx = sext i32 %x to i64
  %px = getelementptr float, ptr %out, i64 %wx
  store float %sum, ptr %px
  br label %exit
exit:
  ret void
}

define ptx_kernel void @torus(ptr %in, ptr %out, i32 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul nsw i32 %b, 256
  %i = add nsw i32 %first, %t
  %y = sdiv i32 %i, %w
  %x = srem i32 %i, %w
  %behind = add nsw i32 %x, 1
  %east = srem i32 %behind, %w
  %row = mul nsw i32 %y, %w
  %at = add nsw i32 %row, %east
  %wa = sext i32 %at to i64
  %pa = getelementptr inbounds float, ptr %in, i64 %wa
  %v = load float, ptr %pa
  %wi = sext i32 %i to i64
  %pi = getelementptr inbounds float, ptr %out, i64 %wi
  store float %v, ptr %pi
  ret void
}

define ptx_kernel void @strided(ptr %in, ptr %out, i32 %w, i32 %n, i32 %step) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %round
round:
  %i = phi i32 [ %t, %entry ], [ %next, %round ]
  %sum = phi i32 [ 0, %entry ], [ %more, %round ]
  %y = sdiv i32 %i, %w
  %row = mul i32 %y, %w
  %x = sub i32 %i, %row
  %wx = sext i32 %x to i64
  %px = getelementptr inbounds i32, ptr %in, i64 %wx
  %v = load i32, ptr %px
  %more = add i32 %sum, %v
  %wi = sext i32 %i to i64
  %pi = getelementptr inbounds i32, ptr %out, i64 %wi
  store i32 %more, ptr %pi
  %next = add nsw i32 %i, %step
  %goes = icmp slt i32 %next, %n
  br i1 %goes, label %round, label %end
end:
  ret void
}

define ptx_kernel void @tabled(ptr %in, ptr %out, ptr %table, i32 %w) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = srem i32 %t, %w
  %w1 = sext i32 %first to i64
  %p1 = getelementptr inbounds float, ptr %in, i64 %w1
  %v1 = load float, ptr %p1
  %far = load i32, ptr %table, !invariant.load !0
  %behind = add nsw i32 %t, %far
  %second = srem i32 %behind, %w
  %w2 = sext i32 %second to i64
  %p2 = getelementptr inbounds float, ptr %in, i64 %w2
  %v2 = load float, ptr %p2
  %sum = fadd float %v1, %v2
  %wt = sext i32 %t to i64
  %pt = getelementptr inbounds float, ptr %out, i64 %wt
  store float %sum, ptr %pt
  ret void
}

define ptx_kernel void @multiples(ptr %in, ptr %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul nsw i32 %b, 256
  %i = add nsw i32 %first, %t
  %plane = sdiv i32 %i, 3835
  %other = sdiv i32 %i, 1000
  %x = srem i32 %i, 65
  %far = mul nsw i32 %plane, 1000
  %more = mul nsw i32 %other, 1000000
  %near = add nsw i32 %far, %x
  %at = add nsw i32 %near, %more
  %wa = sext i32 %at to i64
  %pa = getelementptr inbounds float, ptr %in, i64 %wa
  %v = load float, ptr %pa
  %wi = sext i32 %i to i64
  %pi = getelementptr inbounds float, ptr %out, i64 %wi
  store float %v, ptr %pi
  ret void
}

define ptx_kernel void @counted(ptr %in, ptr %out, ptr %most, i32 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul nsw i32 %b, 256
  %i = add nsw i32 %first, %t
  %wi = sext i32 %i to i64
  %pm = getelementptr inbounds i32, ptr %most, i64 %wi
  %m = load i32, ptr %pm
  br label %loop
loop:
  %count = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %count, 1
  %more = icmp slt i32 %next, %m
  br i1 %more, label %loop, label %end
end:
  %x = srem i32 %i, %w
  %behind = add i32 %x, %count
  %east = srem i32 %behind, %w
  %wa = sext i32 %east to i64
  %pa = getelementptr inbounds float, ptr %in, i64 %wa
  %v = load float, ptr %pa
  %pi = getelementptr inbounds float, ptr %out, i64 %wi
  store float %v, ptr %pi
  ret void
}

define ptx_kernel void @short(ptr %in, ptr %out) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul nsw i32 %b, 256
  %i = add nsw i32 %first, %t
  %x = urem i32 %i, 31
  %wx = zext i32 %x to i64
  %px = getelementptr inbounds float, ptr %in, i64 %wx
  %v = load float, ptr %px
  %wi = sext i32 %i to i64
  %pi = getelementptr inbounds float, ptr %out, i64 %wi
  store float %v, ptr %pi
  ret void
}

define ptx_kernel void @handed(ptr %in, ptr %out, i32 %w) {
entry:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul nsw i32 %b, 256
  %i = add nsw i32 %first, %t
  %x = urem i32 %i, %w
  %wx = zext i32 %x to i64
  %px = getelementptr inbounds i32, ptr %in, i64 %wx
  %v = load i32, ptr %px
  %other = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 1, i32 31)
  %wi = sext i32 %i to i64
  %pi = getelementptr inbounds i32, ptr %out, i64 %wi
  store i32 %other, ptr %pi
  ret void
}

define ptx_kernel void @loaded(ptr %in, ptr %out, i32 %w) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wx = zext i32 %x to i64
  %px = getelementptr i32, ptr %out, i64 %wx
  %i = load i32, ptr %px
  %west = call i32 @llvm.smax.i32(i32 %i, i32 0)
  %ww = sext i32 %west to i64
  %pw = getelementptr i32, ptr %in, i64 %ww
  %v = load i32, ptr %pw
  store i32 %v, ptr %px
  ret void
}

define ptx_kernel void @rows(ptr %in, ptr %out, i32 %w) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %before = add nsw i32 %y, -1
  %north = call i32 @llvm.smax.i32(i32 %before, i32 0)
  %row = mul nsw i32 %north, %w
  %wr = sext i32 %row to i64
  %wx = zext i32 %x to i64
  %at = add i64 %wr, %wx
  %p = getelementptr float, ptr %in, i64 %at
  %v = load float, ptr %p
  %px = getelementptr float, ptr %out, i64 %wx
  store float %v, ptr %px
  ret void
}

define ptx_kernel void @stored(ptr %out) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %west = call i32 @llvm.smax.i32(i32 %x, i32 7)
  %wx = zext i32 %x to i64
  %px = getelementptr i32, ptr %out, i64 %wx
  store i32 %west, ptr %px
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
!0 = !{}
