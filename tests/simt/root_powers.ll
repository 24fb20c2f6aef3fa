; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; m * rsqrtf(x)^3 takes one step of Newton's, for the power.
; REQUIRES: x86
; RUN: %build/bin/heddle-warp -block 32 -kernel cube -last-pass lower-device %s | FileCheck %s --check-prefix=CUBE
; RUN: %build/bin/heddle-warp -block 32 -kernel square -last-pass lower-device %s | FileCheck %s --check-prefix=SQUARE
; A coarser estimate needs a quadratic term, and serves for roots by themselves too.
; RUN: %build/bin/heddle-warp -target-cpu x86-64-v3 -block 32 -kernel cube -last-pass lower-device %s | FileCheck %s --check-prefix=COARSE
; RUN: %build/bin/heddle-warp -target-cpu x86-64-v3 -block 32 -kernel alone -last-pass lower-device %s | FileCheck %s --check-prefix=ALONE
; Not where the root is wanted too, where the order of products counts, for one factor, or without an estimate.
; LEGAL root-powers: product only
; RUN: %build/bin/heddle-warp -block 32 -kernel wanted -last-pass lower-device %s | FileCheck %s --check-prefix=NOT
; LEGAL root-powers: any order
; RUN: %build/bin/heddle-warp -block 32 -kernel strict -last-pass lower-device %s | FileCheck %s --check-prefix=NOT
; RUN: %build/bin/heddle-warp -target-cpu x86-64-v3 -block 32 -kernel strict -last-pass lower-device %s | FileCheck %s --check-prefix=NOT
; RUN: %build/bin/heddle-warp -block 32 -kernel once -last-pass lower-device %s | FileCheck %s --check-prefix=NOT
; LEGAL root-powers: estimate
; RUN: %build/bin/heddle-warp -target-cpu x86-64 -block 32 -kernel cube -last-pass lower-device %s | FileCheck %s --check-prefix=NOT
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

; COARSE-LABEL: define internal void @cube.thread
; COARSE: [[Y:%.*]] = {{.*}}call {{.*}}float @__heddle_rsqrt_coarse(float %x)
; COARSE: [[Y2:%.*]] = fmul {{.*}}float [[Y]], [[Y]]
; COARSE: [[E:%.*]] = call {{.*}}float @llvm.fma.f32(float {{.*}}, float [[Y2]], float 1.000000e+00)
; COARSE: [[LINEAR:%.*]] = call {{.*}}float @llvm.fma.f32(float [[E]], float 1.875000e+00, float 1.500000e+00)
; COARSE: [[STEP:%.*]] = call {{.*}}float @llvm.fma.f32(float [[LINEAR]], float [[E]], float 1.000000e+00)
; COARSE: [[ALL:%.*]] = fmul {{.*}}float {{.*}}, [[STEP]]
; COARSE: store float [[ALL]]

; ALONE-LABEL: define internal void @alone.thread
; ALONE: call {{.*}}float @__heddle_rsqrt_coarse(float %x)
; ALONE: call {{.*}}float @llvm.fma.f32({{.*}}, float 3.750000e-01, float 5.000000e-01)

; NOT: define internal void
; NOT-NOT: @llvm.fma
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

define ptx_kernel void @alone(ptr %p) {
  %x = load float, ptr %p
  %r = call fast float @__nv_rsqrtf(float %x)
  store float %r, ptr %p
  ret void
}
