; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A power of two that all terms have moves into the constant.
; RUN: %build/bin/heddle-warp -block 32 -kernel circle -last-pass=scale-comparisons %s | FileCheck %s --check-prefix=CIRCLE
; RUN: %build/bin/heddle-warp -block 32 -kernel circle -disable scale-comparisons -last-pass=scale-comparisons %s | FileCheck %s --check-prefix=NONE
; Two of them are compared without it.
; RUN: %build/bin/heddle-warp -block 32 -kernel two -last-pass=scale-comparisons %s | FileCheck %s --check-prefix=TWO
; Not where a term has another power, the value is used for more, the factor is no power of two or above one, the number
; is no integer, the constant leaves the normal numbers, or the degree is above three.
; LEGAL scale-comparisons: one power
; RUN: %build/bin/heddle-warp -block 32 -kernel mixed -last-pass=scale-comparisons %s | FileCheck %s --check-prefix=NONE
; LEGAL scale-comparisons: used here only
; RUN: %build/bin/heddle-warp -block 32 -kernel stored -last-pass=scale-comparisons %s | FileCheck %s --check-prefix=NONE
; LEGAL scale-comparisons: power of two
; RUN: %build/bin/heddle-warp -block 32 -kernel tenth -last-pass=scale-comparisons %s | FileCheck %s --check-prefix=TENTH
; LEGAL scale-comparisons: below one
; RUN: %build/bin/heddle-warp -block 32 -kernel large -last-pass=scale-comparisons %s | FileCheck %s --check-prefix=LARGE
; LEGAL scale-comparisons: whole numbers
; RUN: %build/bin/heddle-warp -block 32 -kernel any -last-pass=scale-comparisons %s | FileCheck %s --check-prefix=NONE
; LEGAL scale-comparisons: normal constant
; RUN: %build/bin/heddle-warp -block 32 -kernel huge -last-pass=scale-comparisons %s | FileCheck %s --check-prefix=NONE
; LEGAL scale-comparisons: degree
; RUN: %build/bin/heddle-warp -block 32 -kernel fourth -last-pass=scale-comparisons %s | FileCheck %s --check-prefix=NONE

; CIRCLE-LABEL: define internal void @circle.thread
; CIRCLE: [[X:%.*]] = uitofp i32
; CIRCLE-NEXT: [[Y:%.*]] = sitofp i32
; CIRCLE-NEXT: [[SQUARE:%.*]] = fmul float [[X]], [[X]]
; CIRCLE-NEXT: [[SUM:%.*]] = call float @llvm.fma.f32(float [[Y]], float [[Y]], float [[SQUARE]])
; CIRCLE-NEXT: fcmp olt float [[SUM]], 0x42F0000000000000

; TWO-LABEL: define internal void @two.thread
; TWO-NOT: 0x3E70000000000000
; TWO: fcmp ogt float
; TWO: ret void

; NONE-LABEL: define internal void
; NONE: fmul float {{.*}}, 0x3E70000000000000
; NONE: ret void

; TENTH: fmul float {{.*}}, 1.250000e-01
; LARGE: fmul float {{.*}}, 4.000000e+00

define ptx_kernel void @circle(ptr %p) {
  %i = load volatile i32, ptr %p
  %j = load volatile i32, ptr %p
  %a = uitofp i32 %i to float
  %b = sitofp i32 %j to float
  %x = fmul float %a, 0x3E70000000000000
  %y = fmul float %b, 0x3E70000000000000
  %square = fmul float %x, %x
  %sum = call float @llvm.fma.f32(float %y, float %y, float %square)
  %less = fcmp olt float %sum, 1.0
  %bit = zext i1 %less to i32
  store volatile i32 %bit, ptr %p
  ret void
}
define ptx_kernel void @two(ptr %p) {
  %i = load volatile i32, ptr %p
  %j = load volatile i32, ptr %p
  %a = uitofp i32 %i to float
  %b = uitofp i32 %j to float
  %x = fmul float %a, 0x3E70000000000000
  %y = fmul float %b, 0x3E70000000000000
  %less = fcmp ogt float %x, %y
  %bit = zext i1 %less to i32
  store volatile i32 %bit, ptr %p
  ret void
}
define ptx_kernel void @mixed(ptr %p) {
  %i = load volatile i32, ptr %p
  %a = uitofp i32 %i to float
  %x = fmul float %a, 0x3E70000000000000
  %square = fmul float %x, %x
  %sum = fadd float %x, %square
  %less = fcmp olt float %sum, 1.0
  %bit = zext i1 %less to i32
  store volatile i32 %bit, ptr %p
  ret void
}
define ptx_kernel void @stored(ptr %p) {
  %i = load volatile i32, ptr %p
  %a = uitofp i32 %i to float
  %x = fmul float %a, 0x3E70000000000000
  store volatile float %x, ptr %p
  %less = fcmp olt float %x, 0.5
  %bit = zext i1 %less to i32
  store volatile i32 %bit, ptr %p
  ret void
}
define ptx_kernel void @tenth(ptr %p) {
  %i = load volatile i32, ptr %p
  %a = uitofp i32 %i to float
  %x = fmul float %a, 0.125
  %y = fmul float %a, 0x3FB99999A0000000
  %sum = fadd float %x, %y
  %less = fcmp olt float %sum, 0.5
  %bit = zext i1 %less to i32
  store volatile i32 %bit, ptr %p
  ret void
}
define ptx_kernel void @large(ptr %p) {
  %i = load volatile i32, ptr %p
  %a = uitofp i32 %i to float
  %x = fmul float %a, 4.0
  %y = fmul float %x, %x
  %less = fcmp olt float %y, 0.5
  %bit = zext i1 %less to i32
  store volatile i32 %bit, ptr %p
  ret void
}
define ptx_kernel void @any(ptr %p) {
  %a = load volatile float, ptr %p
  %x = fmul float %a, 0x3E70000000000000
  %y = fmul float %x, %x
  %less = fcmp olt float %y, 0.5
  %bit = zext i1 %less to i32
  store volatile i32 %bit, ptr %p
  ret void
}
define ptx_kernel void @huge(ptr %p) {
  %i = load volatile i32, ptr %p
  %a = uitofp i32 %i to float
  %x = fmul float %a, 0x3E70000000000000
  %y = fmul float %x, %x
  %less = fcmp olt float %y, 0x47E0000000000000
  %bit = zext i1 %less to i32
  store volatile i32 %bit, ptr %p
  ret void
}
define ptx_kernel void @fourth(ptr %p) {
  %i = load volatile i32, ptr %p
  %a = uitofp i32 %i to float
  %x = fmul float %a, 0x3E70000000000000
  %y = fmul float %x, %x
  %z = fmul float %y, %y
  %less = fcmp olt float %z, 0.5
  %bit = zext i1 %less to i32
  store volatile i32 %bit, ptr %p
  ret void
}
declare float @llvm.fma.f32(float, float, float)
