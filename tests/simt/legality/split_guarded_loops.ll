; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A tile under guards, whose whole rounds go in a loop of their own; with one condition broken at a time they do not.
; RUN: %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %s | FileCheck %s
; LEGAL split-guarded-loops: common values
; RUN: %break data && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL split-guarded-loops: left together
; RUN: %break leaves && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL split-guarded-loops: other accesses
; RUN: %break behind && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break keeps && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=KEEPS
; LEGAL split-guarded-loops: kept tiles
; RUN: %break moves && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: loop.front:
; CHECK: br i1 {{.*}}, label %loop.front, label %out

; The last of the whole rounds is left to the loop: the rounds behind it may read what it stores.
; KEEPS: icmp sgt i32 {{.*}}, 7
; KEEPS: loop.front:

; NONE-NOT: .front

@tile = internal addrspace(3) global [256 x float] undef, align 4

define ptx_kernel void @kernel(i32 %n, ptr %a, ptr %c, ptr %list) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %top = shl i32 %block, 2
  %row = add i32 %top, %y
  %line = mul nsw i32 %row, %n
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %y to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY ; not moves
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX ; not moves
  %begin = ashr i32 %n, 1
  br label %loop
loop:
  %start = phi i32 [ 0, %0 ], [ %next, %end ]
;@moves  %turn = phi i64 [ 0, %0 ], [ %other, %end ]
  %sum = phi float [ 0.0, %0 ], [ %more, %end ]
;@moves  %tileNumber = shl nuw nsw i64 %turn, 2
;@moves  %rowNumber = add nuw nsw i64 %wideY, %tileNumber
;@moves  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %rowNumber
;@moves  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %here = add nsw i32 %start, %x
  %rowIn = icmp slt i32 %row, %n
  %columnIn = icmp slt i32 %here, %n ; not data
;@data  %farHere = sext i32 %start to i64
;@data  %flagAt = getelementptr inbounds i32, ptr %list, i64 %farHere
;@data  %flag = load i32, ptr %flagAt
;@data  %columnIn = icmp slt i32 %flag, %n
  %passes = select i1 %rowIn, i1 %columnIn, i1 false
  br i1 %passes, label %copy, label %filled
copy:
  %at = add nsw i32 %start, %x
  %i = add nsw i32 %line, %at
  %far = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %far
  %v = load float, ptr %p
;@moves  store float %v, ptr addrspace(3) %cell
;@keeps  store float %v, ptr addrspace(3) %cell
  br label %filled
filled:
  %w = phi float [ %v, %copy ], [ 0.0, %loop ] ; not moves keeps
  store float %w, ptr addrspace(3) %cell ; not moves keeps
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %inner
inner:
  %k = phi i64 [ 0, %filled ], [ %nextK, %inner ]
  %soFar = phi float [ %sum, %filled ], [ %more, %inner ]
  %place = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %k
  %r = load float, ptr addrspace(3) %place
  %more = fadd float %soFar, %r
  %nextK = add nuw nsw i64 %k, 1
  %onK = icmp ult i64 %nextK, 4
  br i1 %onK, label %inner, label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %start, 4
;@moves  %other = xor i64 %turn, 1
  %on = icmp slt i32 %next, %n ; not leaves
;@leaves  %reach = add nsw i32 %next, %x
;@leaves  %on = icmp slt i32 %reach, %n
  br i1 %on, label %loop, label %done
done:
  %mine = add nsw i32 %line, %x
  %farMine = sext i32 %mine to i64
  %q = getelementptr float, ptr %c, i64 %farMine
  store float %more, ptr %q
;@behind  %later = load float, ptr addrspace(3) %cell
;@behind  store float %later, ptr %c
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
