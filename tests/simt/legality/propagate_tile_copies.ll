; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A tile that is read through, and with one condition broken at a time: then it stays.
; RUN: %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %s | FileCheck %s
; LEGAL propagate-tile-copies: all copy
; RUN: %break few && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; LEGAL propagate-tile-copies: one writer
; RUN: %break two && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; LEGAL propagate-tile-copies: same round
; RUN: %break early && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; LEGAL propagate-tile-copies: copies
; RUN: %break changed && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; LEGAL propagate-tile-copies: writes in the loop
; RUN: %break writes && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; LEGAL propagate-tile-copies: writes before
; RUN: %break before && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; LEGAL propagate-tile-copies: left together
; RUN: %break leaves && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; LEGAL propagate-tile-copies: entered together
; RUN: %break enters && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; LEGAL propagate-tile-copies: other accesses
; RUN: %break atomic && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; RUN: %break volatile && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; RUN: %break behind && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; LEGAL propagate-tile-copies: known address
; RUN: %break loaded && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; LEGAL propagate-tile-copies: same size
; RUN: %break halves && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=TILE
; What is written behind the loop may be what others still read, or tell other blocks that they may write there: one barrier stays.
; LEGAL propagate-tile-copies: writes behind
; RUN: %build/bin/heddle-warp -block 4,4 -objects 8,1,16,1 -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=WAITS
; RUN: %break release && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=WAITS
; A step from round to round is not counted through the extension of an index that may wrap around; nor in front of the loop
; through what is loaded in it, whose address may not be there in front of it.
; LEGAL propagate-tile-copies: step of rounds
; RUN: %break bytes && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=EACH
; RUN: %break list && %build/bin/heddle-warp -block 4,4 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=EACH

; CHECK-LABEL: define {{.*}} @kernel
; CHECK: = phi i64 [ 0, {{.*}} ], [ [[NEXT:%[0-9]+]], %end ]
; CHECK-NOT: {{barrier|addrspace\(3\)}}
; CHECK: [[NEXT]] = add i64 {{.*}}, 16
; CHECK-NOT: {{barrier|addrspace\(3\)}}
; CHECK: ret void

; TILE-LABEL: define {{.*}} @kernel
; TILE: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; TILE: call void @llvm.nvvm.barrier.cta.sync.aligned.all

; WAITS-LABEL: define {{.*}} @kernel
; WAITS-NOT: barrier
; WAITS: done:
; WAITS: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; WAITS: store{{.*}} float

; EACH-LABEL: define {{.*}} @kernel
; EACH-NOT: add i64 {{.*}}, 16
; EACH: ret void

@tile = internal addrspace(3) global [16 x float] undef, align 4
@other = internal addrspace(3) global [16 x float] undef, align 4

define ptx_kernel void @kernel(i64 %n, ptr %a, ptr %c, ptr %list) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %y to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX ; not two
;@two  %half = and i64 %wideX, 2
;@two  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %half
  %row = shl nuw nsw i64 %wideY, 4
  %mine = add nuw nsw i64 %row, %wideX
  %q = getelementptr float, ptr %c, i64 %mine
;@before  store float 1.0, ptr %q
  %isFew = icmp ult i32 %x, 2
;@enters  %goes = icmp slt i64 %mine, %n
;@enters  br i1 %goes, label %enter, label %exit
;@enters enter:
  br label %loop
loop:
  %start = phi i64 [ 0, %0 ], [ %next, %end ] ; not enters
  %sum = phi float [ 0.0, %0 ], [ %more, %end ] ; not enters
;@enters  %start = phi i64 [ 0, %enter ], [ %next, %end ]
;@enters  %sum = phi float [ 0.0, %enter ], [ %more, %end ]
;@list  %listAt = getelementptr inbounds i64, ptr %list, i64 3
;@list  %from = load i64, ptr %listAt
;@list  %sum.i = add nuw nsw i64 %mine, %start
;@list  %i = add nuw nsw i64 %sum.i, %from
;@loaded  %listAt = getelementptr inbounds i64, ptr %list, i64 %mine
;@loaded  %from = load i64, ptr %listAt
;@loaded  %i = add nuw nsw i64 %start, %from
  %i = add nuw nsw i64 %mine, %start ; not list loaded bytes
;@bytes  %i.wide = add nuw nsw i64 %mine, %start
;@bytes  %i.narrow = trunc i64 %i.wide to i32
;@bytes  %i.bytes = shl i32 %i.narrow, 2
;@bytes  %i = zext i32 %i.bytes to i64
  %p = getelementptr inbounds float, ptr %a, i64 %i ; not bytes
;@bytes  %p = getelementptr inbounds i8, ptr %a, i64 %i
  %v = load float, ptr %p
;@few  br i1 %isFew, label %copy, label %filled
;@few copy:
;@changed  %changed = fadd float %v, 1.0
;@changed  store float %changed, ptr addrspace(3) %cell
  store float %v, ptr addrspace(3) %cell ; not changed
;@few  br label %filled
;@few filled:
;@early  %soon = load float, ptr addrspace(3) @tile
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
;@writes  store float %sum, ptr %q
;@atomic  %old = atomicrmw fadd ptr addrspace(3) %cell, float 1.0 monotonic
  br label %inner
inner:
  %k = phi i64 [ 0, %loop ], [ %nextK, %inner ] ; not few
  %soFar = phi float [ %sum, %loop ], [ %more, %inner ] ; not few
;@few  %k = phi i64 [ 0, %filled ], [ %nextK, %inner ]
;@few  %soFar = phi float [ %sum, %filled ], [ %more, %inner ]
  %place = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %k
  %w = load float, ptr addrspace(3) %place ; not volatile halves
;@volatile  %w = load volatile float, ptr addrspace(3) %place
;@halves  %h = load half, ptr addrspace(3) %place
;@halves  %w = fpext half %h to float
  %more.0 = fadd float %soFar, %w
  %more = fadd float %more.0, 0.0 ; not early
;@early  %more = fadd float %more.0, %soon
  %nextK = add nuw nsw i64 %k, 1
  %onK = icmp ult i64 %nextK, 4
  br i1 %onK, label %inner, label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i64 %start, 4
  %on = icmp slt i64 %next, %n ; not leaves
;@leaves  %reach = add nuw nsw i64 %next, %wideX
;@leaves  %on = icmp slt i64 %reach, %n
  br i1 %on, label %loop, label %done
done:
;@behind  %last = load float, ptr addrspace(3) @tile
;@behind  store float %last, ptr %c
  store float %more, ptr %q ; not release
;@release  store atomic float %more, ptr %q release, align 4
  ret void ; not enters
;@enters  br label %exit
;@enters exit:
;@enters  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
