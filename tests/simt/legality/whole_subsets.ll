; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; The first threads of the rows come together, or not at all; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32,8 -width 256 -last-pass widen %s | FileCheck %s
; LEGAL whole-subsets: whole before
; RUN: %break leaves && %build/bin/heddle-warp -block 32,8 -width 256 -last-pass widen %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break differs && %build/bin/heddle-warp -block 32,8 -width 256 -last-pass widen %t.ll | FileCheck %s --check-prefix=NONE

; CHECK-COUNT-8: call {{.*}}masked.store.v1i32.p0(<1 x i32> {{.*}}, <1 x i1> splat (i1 true))

; NONE-NOT: call {{.*}}masked.store.v1i32.p0(<1 x i32> {{.*}}, <1 x i1> splat (i1 true))
; NONE: call {{.*}}masked.store.v1i32

define ptx_kernel void @kernel(ptr %out, ptr %in, ptr %first.data) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 32
  %x = add i32 %first, %tx
  %row = mul i32 %ty, 1000
  %at = add i32 %row, %x
  %i = sext i32 %at to i64
  %p = getelementptr i32, ptr %out, i64 %i
;@leaves  %early = getelementptr i32, ptr %first.data, i64 %i
;@leaves  %goes = load i32, ptr %early
;@leaves  %isOn = icmp sgt i32 %goes, 0
;@leaves  br i1 %isOn, label %on, label %end
;@leaves  on:
  %isFirst = icmp eq i32 %tx, 0
  %inside = icmp sgt i32 %x, 0 ; not differs
;@differs  %beside = getelementptr i32, ptr %first.data, i64 %i
;@differs  %found = load i32, ptr %beside
;@differs  %inside = icmp sgt i32 %found, 0
  %both = and i1 %isFirst, %inside
  br i1 %both, label %rim, label %next
rim:
  store i32 %x, ptr %p
  br label %next
next:
  %q = getelementptr i32, ptr %in, i64 %i
  %v = load i32, ptr %q
  %some = icmp sgt i32 %v, 0
  %two = and i1 %isFirst, %some
  br i1 %two, label %data, label %end
data:
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
