; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A sum of a product is one fma where both allow it; then nothing allows it any more, whatever LLVM makes of them.
; RUN: %build/bin/heddle-warp -block 32 -kernel fused -last-pass normalize %s | FileCheck %s --check-prefix=FUSED
; RUN: %build/bin/heddle-warp -block 32 -kernel apart -last-pass normalize %s | FileCheck %s --check-prefix=APART
; RUN: %build/bin/heddle-warp -block 32 -kernel free -last-pass normalize %s | FileCheck %s --check-prefix=FREE

; FUSED-LABEL: define internal void @fused.thread
; FUSED-NOT: contract
; FUSED: call float @llvm.fma.f32(float
; FUSED-NOT: contract
; FUSED: ret void
define ptx_kernel void @fused(ptr %out, float %a, float %b, float %c) {
  %product = fmul contract float %a, %b
  %sum = fadd contract float %product, %c
  store float %sum, ptr %out
  ret void
}

; c - -a * b becomes c + a * b.
; APART-LABEL: define internal void @apart.thread
; APART-NOT: contract
; APART: [[PRODUCT:%.*]] = fmul float
; APART: fadd float {{.*}}[[PRODUCT]]
; APART: ret void
define ptx_kernel void @apart(ptr %out, float %a, float %b, float %c) {
  %minus = fneg contract float %a
  %product = fmul float %minus, %b
  %difference = fsub contract float %c, %product
  store float %difference, ptr %out
  ret void
}

; In fast math LLVM may still find more.
; FREE-LABEL: define internal void @free.thread
; FREE: fmul reassoc contract float
define ptx_kernel void @free(ptr %out, float %a, float %b) {
  %product = fmul reassoc contract float %a, %b
  store float %product, ptr %out
  ret void
}
