; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; The first threads of the rows: x is the same in all of them, so the branch asks one lane, and what it guards is for all
; eight. What data say may differ, so there the masks stay.
; LEGAL whole-subsets: same in all
; RUN: %build/bin/heddle-warp -block 32,8 -width 256 -last-pass widen %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32,8 -width 256 -last-pass widen -disable whole-subsets %s | FileCheck %s --check-prefix=WITHOUT

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: [[BIT:%.*]] = extractelement <256 x i1> %{{.*}}, i64 0
; CHECK-NEXT: br i1 [[BIT]]
; CHECK-COUNT-8: masked.store.v1i32.p0(<1 x i32> {{.*}}, <1 x i1> splat (i1 true))
; CHECK: masked.store.v1i32.p0(<1 x i32> {{.*}}, <1 x i1> %

; WITHOUT-NOT: extractelement <256 x i1>
; WITHOUT: masked.store.v1i32.p0(<1 x i32> {{.*}}, <1 x i1> %

define ptx_kernel void @kernel(ptr %out, ptr %in) {
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
  %isFirst = icmp eq i32 %tx, 0
  %inside = icmp sgt i32 %x, 0
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
  %r = getelementptr i32, ptr %p, i64 5
  store i32 %v, ptr %r
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
