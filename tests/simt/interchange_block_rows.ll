; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Blocks of several rows of threads: all blocks of a row of the grid run their first row, then their second one.
; RUN: %build/bin/heddle-warp -kernel copy -block 32,8 -last-pass build-entry %s | FileCheck %s --check-prefixes=ROWS,SINGLE
; RUN: %build/bin/heddle-warp -kernel copy -block 64,4 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefixes=ROWS,PAIR
; Block by block where it is told so, where blocks have one row, where rows are no whole warps, for strided accesses, loops.
; RUN: %build/bin/heddle-warp -kernel copy -block 32,8 -disable interchange-block-rows -last-pass build-entry %s | FileCheck %s --check-prefix=BLOCKS
; RUN: %build/bin/heddle-warp -kernel copy -block 256 -last-pass build-entry %s | FileCheck %s --check-prefix=BLOCKS
; RUN: %build/bin/heddle-warp -kernel copy -block 48,4 -last-pass build-entry %s | FileCheck %s --check-prefix=BLOCKS
; RUN: %build/bin/heddle-warp -kernel strided -block 32,8 -disable interchange-threads -last-pass build-entry %s | FileCheck %s --check-prefix=BLOCKS
; RUN: %build/bin/heddle-warp -kernel loop -block 32,8 -last-pass build-entry %s | FileCheck %s --check-prefix=BLOCKS

; ROWS-LABEL: define internal void @runBlocks
; ROWS: call i64 @llvm.umin.i64
; ROWS: row:
; ROWS: x2:
; ROWS: %[[X:.*]] = phi i32
; SINGLE-NOT: warp:
; PAIR: warp:
; ROWS: masked.store
; ROWS: row.done:

; BLOCKS-LABEL: define internal void @runBlocks
; BLOCKS-NOT: umin
; BLOCKS-NOT: row:
; BLOCKS: ret void

define ptx_kernel void @copy(ptr %out, ptr %in) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = shl i32 %y, 10
  %i = add i32 %row, %x
  %i64 = zext nneg i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %i64
  %to = getelementptr float, ptr %out, i64 %i64
  %v = load float, ptr %from
  store float %v, ptr %to
  ret void
}

define ptx_kernel void @strided(ptr %out, ptr %in) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %column = shl i32 %x, 10
  %i = add i32 %column, %y
  %i64 = zext nneg i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %i64
  %to = getelementptr float, ptr %out, i64 %i64
  %v = load float, ptr %from
  store float %v, ptr %to
  ret void
}

define ptx_kernel void @loop(ptr %out, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x64 = zext nneg i32 %x to i64
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %next, %again ]
  %at = add i64 %i, %x64
  %to = getelementptr float, ptr %out, i64 %at
  store float 1.0, ptr %to
  %next = add i64 %i, 64
  %count = trunc i64 %next to i32
  %more = icmp slt i32 %count, %n
  br i1 %more, label %again, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
