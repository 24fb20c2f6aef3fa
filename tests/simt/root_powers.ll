; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; m * rsqrtf(x)^3 takes one step of Newton's, for the power.
; REQUIRES: x86
; RUN: %build/bin/heddle-warp -block 32 -kernel cube -last-pass lower-device %s | FileCheck %s --check-prefix=CUBE
; RUN: %build/bin/heddle-warp -block 32 -kernel square -last-pass lower-device %s | FileCheck %s --check-prefix=SQUARE
; Not where the root is wanted too, where the order of products counts, for one factor, or without an estimate.
; RUN: %build/bin/heddle-warp -block 32 -kernel wanted -last-pass lower-device %s | FileCheck %s --check-prefix=NOT
; RUN: %build/bin/heddle-warp -block 32 -kernel strict -last-pass lower-device %s | FileCheck %s --check-prefix=NOT
; RUN: %build/bin/heddle-warp -block 32 -kernel once -last-pass lower-device %s | FileCheck %s --check-prefix=NOT
; RUN: %build/bin/heddle-warp -target-cpu x86-64-v3 -block 32 -kernel cube -last-pass lower-device %s | FileCheck %s --check-prefix=NOT
; RUN: %build/bin/heddle-warp -block 32 -kernel cube -disable root-powers -last-pass lower-device %s | FileCheck %s --check-prefix=NOT

; CUBE-LABEL: define internal void @cube.thread
; CUBE: [[Y:%.*]] = {{.*}}call {{.*}}float @__heddle_rsqrt_estimate(float %x)
; CUBE: [[Y2:%.*]] = fmul {{.*}}float [[Y]], [[Y]]
; CUBE: [[MINUS:%.*]] = fneg {{.*}}float %x
; CUBE: [[STEP:%.*]] = call {{.*}}float @llvm.fma.f32(float [[MINUS]], float [[Y2]], float 0x3FFAAAAA
; CUBE: [[M:%.*]] = fmul {{.*}}float 1.500000e+00, %m
; CUBE: [[MY2:%.*]] = fmul {{.*}}float [[M]], [[Y2]]
; CUBE: [[MY3:%.*]] = fmul {{.*}}float [[MY2]], [[Y]]
; CUBE: [[ALL:%.*]] = fmul {{.*}}float [[MY3]], [[STEP]]
; CUBE: store float [[ALL]]

; SQUARE-LABEL: define internal void @square.thread
; SQUARE: [[STEP:%.*]] = call {{.*}}float @llvm.fma.f32({{.*}}, float 2.000000e+00)
; SQUARE: fmul {{.*}}float {{.*}}, [[STEP]]

; NOT: define internal void
; NOT-NOT: call {{.*}}float @llvm.fma.f32({{.*}}, float 0x3FFAAAAA
; NOT: store float

define internal float @__heddle_rsqrt_estimate(float %x) alwaysinline nounwind willreturn memory(none) {
  ret float %x
}
define internal float @__nv_rsqrtf(float %x) alwaysinline nounwind willreturn memory(none) {
  %y = call float @__heddle_rsqrt_estimate(float %x)
  %half = fmul float %y, 5.000000e-01
  %r = fadd float %half, %half
  ret float %r
}

define ptx_kernel void @cube(ptr %p) {
  %x = load float, ptr %p
  %q = getelementptr float, ptr %p, i64 1
  %m = load float, ptr %q
  %r = call float @__nv_rsqrtf(float %x)
  %a = fmul fast float %r, %r
  %b = fmul fast float %a, %m
  %c = fmul fast float %b, %r
  store float %c, ptr %p
  ret void
}

define ptx_kernel void @square(ptr %p) {
  %x = load float, ptr %p
  %r = call float @__nv_rsqrtf(float %x)
  %a = fmul fast float %r, %r
  store float %a, ptr %p
  ret void
}

define ptx_kernel void @wanted(ptr %p) {
  %x = load float, ptr %p
  %r = call float @__nv_rsqrtf(float %x)
  %a = fmul fast float %r, %r
  %b = fmul fast float %a, %r
  store float %b, ptr %p
  %q = getelementptr float, ptr %p, i64 1
  store float %r, ptr %q
  ret void
}

define ptx_kernel void @strict(ptr %p) {
  %x = load float, ptr %p
  %r = call float @__nv_rsqrtf(float %x)
  %a = fmul contract float %r, %r
  %b = fmul contract float %a, %r
  store float %b, ptr %p
  ret void
}

define ptx_kernel void @once(ptr %p) {
  %x = load float, ptr %p
  %r = call float @__nv_rsqrtf(float %x)
  %a = fmul fast float %r, %x
  store float %a, ptr %p
  ret void
}
