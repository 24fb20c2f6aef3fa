; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Structures of three bytes that become numbers: the bytes of a lane are moved together, and taken apart by shifts. Where
; they stay bytes each member is picked by itself.
; RUN: %build/bin/heddle-warp -kernel kernel -block 32 -last-pass widen %s | FileCheck %s
; They are stored as structures, too, where masked stores have bytes; else each by itself.
; RUN: %build/bin/heddle-warp -kernel stored -block 32 -last-pass widen -target-cpu x86-64-v4 %s | FileCheck %s --check-prefix=STORED
; RUN: %build/bin/heddle-warp -kernel stored -block 32 -last-pass widen -target-cpu x86-64-v3 %s | FileCheck %s --check-prefix=SINGLE

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: [[WIDE:%.*]] = call <96 x i8> @llvm.masked.load.v96i8
; CHECK: [[MOVED:%.*]] = shufflevector <96 x i8> [[WIDE]], <96 x i8> {{.*}}, <128 x i32> <i32 0, i32 1, i32 2, i32 poison, i32 3, i32 4, i32 5, i32 poison,
; CHECK: [[WORDS:%.*]] = bitcast <128 x i8> [[MOVED]] to <32 x i32>
; CHECK: lshr <32 x i32> [[WORDS]], splat (i32 16)
; CHECK: [[BYTES:%.*]] = call <96 x i8> @llvm.masked.load.v96i8
; CHECK: shufflevector <96 x i8> [[BYTES]], <96 x i8> poison, <32 x i32> <i32 0, i32 3, i32 6,
; CHECK-NOT: bitcast <128 x i8>
; CHECK: ret void
define ptx_kernel void @kernel(ptr %out, ptr %in, ptr %other) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr [3 x i8], ptr %in, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 1
  %p2 = getelementptr i8, ptr %p, i64 2
  %r = load i8, ptr %p
  %g = load i8, ptr %p1
  %b = load i8, ptr %p2
  %fr = uitofp i8 %r to float
  %wg = zext i8 %g to i32
  %fg = uitofp i32 %wg to float
  %fb = sitofp i8 %b to float
  %rg = fadd float %fr, %fg
  %rgb = fadd float %rg, %fb
  %o = getelementptr float, ptr %out, i64 %i
  store float %rgb, ptr %o
  %q = getelementptr [3 x i8], ptr %other, i64 %i
  %q2 = getelementptr i8, ptr %q, i64 2
  %x = load i8, ptr %q
  %z = load i8, ptr %q2
  %xz = xor i8 %x, %z
  %j = getelementptr i8, ptr %out, i64 %i
  %jj = getelementptr i8, ptr %j, i64 4096
  store i8 %xz, ptr %jj
  ret void
}

; STORED-LABEL: define internal void @stored.thread.warp
; STORED: call void @llvm.masked.store.v96i8{{.*}}(<96 x i8>
; STORED-NOT: masked.s
; STORED: ret void
; SINGLE-LABEL: define internal void @stored.thread.warp
; SINGLE-COUNT-2: call void @llvm.masked.store.v96i8{{.*}}(<96 x i8>
define ptx_kernel void @stored(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i8, ptr %in, i64 %i
  %v = load i8, ptr %p
  %w = xor i8 %v, 85
  %q = getelementptr [3 x i8], ptr %out, i64 %i
  %q2 = getelementptr i8, ptr %q, i64 2
  store i8 %v, ptr %q
  store i8 %w, ptr %q2
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
