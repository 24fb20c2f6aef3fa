; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Few lanes of a program come behind a test of the thread's index: each makes its access by itself.
; A column of a block of 32x8 threads.
; RUN: %build/bin/heddle-warp -kernel column -block 32,8 -width 256 %s | FileCheck %s --check-prefix=COLUMN
; A row, whose lanes are neighbours: one access for them, none for the other rows.
; RUN: %build/bin/heddle-warp -kernel row -block 32,8 -width 256 %s | FileCheck %s --check-prefix=ROW
; Nothing is known of a column where rows are no part of a program.
; RUN: %build/bin/heddle-warp -kernel column -block 33,8 -width 32 %s | FileCheck %s --check-prefix=UNKNOWN

; COLUMN-LABEL: define internal void @column.thread.warp
; COLUMN-COUNT-8: call <1 x float> @llvm.masked.load.v1f32
; COLUMN-NOT: masked.load
; COLUMN-COUNT-8: call void @llvm.masked.store.v1f32
; COLUMN-NOT: masked
; COLUMN: ret void

; ROW-LABEL: define internal void @row.thread.warp
; ROW: call <32 x float> @llvm.masked.load.v32f32
; ROW-NOT: masked.load
; ROW: call void @llvm.masked.store.v32f32
; ROW-NOT: masked
; ROW: ret void

; UNKNOWN-LABEL: define internal void @column.thread.warp
; UNKNOWN-NOT: v1f32
; UNKNOWN: ret void

define ptx_kernel void @column(ptr %out, ptr %in, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %isFirst = icmp ult i32 %x, 1
  %isInside = icmp slt i32 %y, %n
  %both = and i1 %isFirst, %isInside
  br i1 %both, label %load, label %end
load:
  %row = mul i32 %y, %n
  %i = add i32 %row, %x
  %i64 = sext i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %i64
  %v = load float, ptr %from
  %y64 = zext nneg i32 %y to i64
  %to = getelementptr [34 x float], ptr %out, i64 %y64
  store float %v, ptr %to
  br label %end
end:
  ret void
}

define ptx_kernel void @row(ptr %out, ptr %in, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %last = icmp eq i32 %y, 7
  br i1 %last, label %load, label %end
load:
  %row = mul i32 %y, %n
  %i = add i32 %row, %x
  %i64 = sext i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %i64
  %v = load float, ptr %from
  %to = getelementptr float, ptr %out, i64 %i64
  store float %v, ptr %to
  br label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
