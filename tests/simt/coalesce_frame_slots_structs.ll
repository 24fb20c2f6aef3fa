; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Sums of a structure's four members, which lie side by side in one vector. It has one place in the frame; its members, which are
; wanted behind the loop only, are taken from it there and have none.
; RUN: %build/bin/heddle-warp -block 64 -width 16 -last-pass split-coroutine %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 64 -width 16 -last-pass split-coroutine -disable coalesce-frame-slots %s | FileCheck %s --check-prefix=APART

; CHECK-LABEL: define internal fastcc void @start.resume(
; CHECK: [[SUM:%.*]] = load <64 x float>, ptr [[HOME:%.*]], align 64
; CHECK: [[MORE:%.*]] = call <64 x float> @llvm.fma.v64f32({{.*}}, <64 x float> [[SUM]])
; CHECK-NEXT: store <64 x float> [[MORE]], ptr [[HOME]], align 64
; CHECK-NOT: %{{.*}} = shufflevector
; CHECK: load <64 x float>, ptr [[HOME]], align 64
; CHECK: shufflevector <64 x float>
; CHECK-LABEL: define internal fastcc void @start.destroy(
; APART-LABEL: define internal fastcc void @start.resume(
; APART: [[MORE:%.*]] = call <64 x float> @llvm.fma.v64f32(
; APART: shufflevector <64 x float> [[MORE]]
; APART: store <16 x float>

@tile = internal addrspace(3) global [64 x float] undef, align 4

define ptx_kernel void @kernel(ptr %out, ptr %in, ptr %factors, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %cell = getelementptr float, ptr addrspace(3) @tile, i64 %i
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %t0, %loop ]
  %s1 = phi float [ 0.0, %entry ], [ %t1, %loop ]
  %s2 = phi float [ 0.0, %entry ], [ %t2, %loop ]
  %s3 = phi float [ 0.0, %entry ], [ %t3, %loop ]
  store float 1.0, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %pr = getelementptr float, ptr %factors, i64 %k
  %r = load float, ptr %pr
  %row = getelementptr [1024 x [4 x float]], ptr %in, i64 %k
  %p0 = getelementptr [4 x float], ptr %row, i64 %i
  %p1 = getelementptr i8, ptr %p0, i64 4
  %p2 = getelementptr i8, ptr %p0, i64 8
  %p3 = getelementptr i8, ptr %p0, i64 12
  %v0 = load float, ptr %p0
  %v1 = load float, ptr %p1
  %v2 = load float, ptr %p2
  %v3 = load float, ptr %p3
  %t0 = call float @llvm.fma.f32(float %r, float %v0, float %s0)
  %t1 = call float @llvm.fma.f32(float %r, float %v1, float %s1)
  %t2 = call float @llvm.fma.f32(float %r, float %v2, float %s2)
  %t3 = call float @llvm.fma.f32(float %r, float %v3, float %s3)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %q0 = getelementptr float, ptr %out, i64 %i
  %q1 = getelementptr i8, ptr %q0, i64 4096
  %q2 = getelementptr i8, ptr %q0, i64 8192
  %q3 = getelementptr i8, ptr %q0, i64 12288
  store float %t0, ptr %q0
  store float %t1, ptr %q1
  store float %t2, ptr %q2
  store float %t3, ptr %q3
  ret void
}
declare float @llvm.fma.f32(float, float, float)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
