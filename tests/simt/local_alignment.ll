; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A thread's own array that is read and written as vectors, too, is given their alignment: nothing looks at its
; addresses, and it becomes registers.
; RUN: %build/bin/heddle-warp -block 64 -last-pass lower-device %s | FileCheck %s --check-prefix=LOWERED
; RUN: %build/bin/heddle-warp -block 64 -last-pass normalize %s | FileCheck %s
; LOWERED-LABEL: define internal void @kernel.thread(
; LOWERED: alloca [8 x float], align 16
; LOWERED-NOT: heddle.aligned
; LOWERED: ret void
; CHECK-LABEL: define internal void @kernel.thread(
; CHECK-NOT: alloca
; CHECK: fadd float
; CHECK: ret void

define ptx_kernel void @kernel(ptr %out, ptr %in) {
entry:
  %v = alloca [8 x float], align 4
  %high = getelementptr i8, ptr %v, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %v, ptr align 16 %in, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %high, ptr align 16 %v, i64 16, i1 false)
  %a5 = getelementptr [8 x float], ptr %v, i64 0, i64 5
  %x = load float, ptr %a5, align 4
  %y = fadd float %x, 1.0
  store float %y, ptr %a5, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %out, ptr align 16 %high, i64 16, i1 false)
  ret void
}

; Where the index may be odd, the access looks.
; RUN: %build/bin/heddle-warp -kernel odd -block 64 -last-pass lower-device %s | FileCheck %s --check-prefix=ODD
; ODD-LABEL: define internal void @odd.thread(
; ODD: call void @heddle.aligned(ptr {{.*}}, i32 16)
; ODD: ret void

define ptx_kernel void @odd(ptr %out, ptr %in, i64 %at) {
entry:
  %v = alloca [8 x float], align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %v, ptr align 16 %in, i64 32, i1 false)
  %place = getelementptr float, ptr %v, i64 %at
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %out, ptr align 16 %place, i64 16, i1 false)
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; Each lane's is aligned: 24 bytes of an alignment of 16 are 32.
; RUN: %build/bin/heddle-warp -kernel uneven -block 64 -last-pass widen %s | FileCheck %s --check-prefix=UNEVEN
; UNEVEN-LABEL: define internal void @uneven.thread.warp
; UNEVEN: alloca [32 x { [6 x float], [8 x i8] }], align 64
; UNEVEN: <i64 0, i64 36, i64 72,
; UNEVEN: ret void

define ptx_kernel void @uneven(ptr %out, ptr %in, i64 %at) {
entry:
  %v = alloca [6 x float], align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %v, ptr align 16 %in, i64 16, i1 false)
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = zext i32 %t to i64
  %place = getelementptr float, ptr %v, i64 %lane
  store float 1.0, ptr %place, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %out, ptr align 16 %v, i64 16, i1 false)
  ret void
}
