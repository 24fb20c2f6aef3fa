; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Four sums over an array of float4 stay side by side, from the wide loads to the wide store.
; RUN: %build/bin/heddle-warp -kernel sums -block 64 -width 16 -last-pass pack-structs %s | FileCheck %s --check-prefix=PACKED
; RUN: %build/bin/heddle-warp -kernel sums -block 64 -width 16 -disable pack-structs -last-pass pack-structs %s | FileCheck %s --check-prefix=APART
; Not if one member goes another way in the loop.
; LEGAL pack-structs: whole groups
; RUN: %build/bin/heddle-warp -kernel another -block 64 -width 16 -last-pass pack-structs %s | FileCheck %s --check-prefix=APART
; Structures in segments of lanes are loaded by segments; a transposed tile is stored by columns.
; RUN: %build/bin/heddle-warp -kernel tile -block 64 -width 16 %s | FileCheck %s --check-prefix=TILE

; What is seen as another type is so right behind the load, before the first that takes a member.
; RUN: %build/bin/heddle-warp -kernel seen -block 64 -width 16 -last-pass pack-structs %s | FileCheck %s --check-prefix=SEEN

; SEEN: [[WIDE:%.*]] = load <32 x i32>
; SEEN-NEXT: [[SEEN:%.*]] = bitcast <32 x i32> [[WIDE]] to <32 x float>
; SEEN: [[MEMBER:%.*]] = shufflevector <32 x float> [[SEEN]]
; SEEN: fmul <16 x float> %{{.*}}, [[MEMBER]]

; PACKED-LABEL: define internal void @runBlocks
; PACKED: phi <64 x float>
; PACKED: call <64 x float> @llvm.fma.v64f32(<64 x float> %{{.*}}, <64 x float> %{{.*}}, <64 x float> %{{.*}})
; PACKED-NOT: shufflevector <64 x
; PACKED-NOT: v16f32
; PACKED: store <64 x i32>

; APART: fma.v16f32
; APART-NOT: fma.v64f32(

; TILE-LABEL: define internal void @tile.thread.warp
; TILE-COUNT-4: call <16 x i32> @llvm.masked.load.v16i32
; TILE-NOT: gather
; TILE-COUNT-4: call void @llvm.masked.store.v4f32
; TILE-NOT: scatter
; TILE: ret void

define ptx_kernel void @sums(ptr %out, ptr %in, ptr %factors, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %t0, %loop ]
  %s1 = phi float [ 0.0, %entry ], [ %t1, %loop ]
  %s2 = phi float [ 0.0, %entry ], [ %t2, %loop ]
  %s3 = phi float [ 0.0, %entry ], [ %t3, %loop ]
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
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %q0 = getelementptr [4 x float], ptr %out, i64 %i
  %q1 = getelementptr i8, ptr %q0, i64 4
  %q2 = getelementptr i8, ptr %q0, i64 8
  %q3 = getelementptr i8, ptr %q0, i64 12
  store float %t0, ptr %q0
  store float %t1, ptr %q1
  store float %t2, ptr %q2
  store float %t3, ptr %q3
  ret void
}

define ptx_kernel void @another(ptr %out, ptr %in, ptr %factors, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %t0, %loop ]
  %s1 = phi float [ 0.0, %entry ], [ %t1, %loop ]
  %pr = getelementptr float, ptr %factors, i64 %k
  %r = load float, ptr %pr
  %row = getelementptr [1024 x [2 x float]], ptr %in, i64 %k
  %p0 = getelementptr [2 x float], ptr %row, i64 %i
  %p1 = getelementptr i8, ptr %p0, i64 4
  %v0 = load float, ptr %p0
  %v1 = load float, ptr %p1
  %t0 = call float @llvm.fma.f32(float %r, float %v0, float %s0)
  %u1 = fneg float %s0
  %t1 = call float @llvm.fma.f32(float %r, float %v1, float %u1)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %q0 = getelementptr [2 x float], ptr %out, i64 %i
  %q1 = getelementptr i8, ptr %q0, i64 4
  store float %t0, ptr %q0
  store float %t1, ptr %q1
  ret void
}

define ptx_kernel void @tile(ptr %out, ptr %in, i32 %pitch) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = and i32 %t, 3
  %row = lshr i32 %t, 2
  %start = mul i32 %row, %pitch
  %start64 = sext i32 %start to i64
  %column64 = zext nneg i32 %column to i64
  %prow = getelementptr float, ptr %in, i64 %start64
  %p0 = getelementptr [4 x float], ptr %prow, i64 %column64
  %p1 = getelementptr i8, ptr %p0, i64 4
  %v0 = load float, ptr %p0
  %v1 = load float, ptr %p1
  %v = fadd float %v0, %v1
  %to = getelementptr [64 x float], ptr %out, i64 %column64
  %row64 = zext nneg i32 %row to i64
  %cell = getelementptr float, ptr %to, i64 %row64
  store float %v, ptr %cell
  ret void
}

define ptx_kernel void @seen(ptr %out, ptr %in, ptr %copy, float %f) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p0 = getelementptr [2 x i32], ptr %in, i64 %i
  %p1 = getelementptr i8, ptr %p0, i64 4
  %v0 = load i32, ptr %p0
  %v1 = load i32, ptr %p1
  %c0 = getelementptr [2 x i32], ptr %copy, i64 %i
  %c1 = getelementptr i8, ptr %c0, i64 4
  store i32 %v0, ptr %c0
  store i32 %v1, ptr %c1
  %b1 = bitcast i32 %v1 to float
  %m1 = fmul float %f, %b1
  %s = fmul float %m1, %m1
  %b0 = bitcast i32 %v0 to float
  %m0 = fadd float %s, %b0
  %q = getelementptr float, ptr %out, i64 %i
  store float %m0, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.fma.f32(float, float, float)
