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

; A product that something else needs, too, stays one; the other product is fused.
; RUN: %build/bin/heddle-warp -block 32 -kernel shared -last-pass normalize %s | FileCheck %s --check-prefix=SHARED
; SHARED-LABEL: define internal void @shared.thread
; SHARED: [[LEFT:%.*]] = fmul float
; SHARED: call float @llvm.fma.f32(float {{.*}}, float {{.*}}, float [[LEFT]])
; SHARED: call float @llvm.maxnum.f32(float [[LEFT]],
; SHARED: ret void
define ptx_kernel void @shared(ptr %out, float %a, float %b, float %c) {
  %left = fmul contract float %a, %b
  %right = fmul contract float %b, %c
  %difference = fsub contract float %left, %right
  store float %difference, ptr %out
  %greater = call contract float @llvm.maxnum.f32(float %left, float %c)
  %next = getelementptr float, ptr %out, i64 1
  store float %greater, ptr %next
  ret void
}

; Where all its users are sums, each is fused, if they stand together with the product.
; RUN: %build/bin/heddle-warp -block 32 -kernel sums -last-pass normalize %s | FileCheck %s --check-prefix=SUMS
; SUMS-LABEL: define internal void @sums.thread
; SUMS-NOT: fmul
; SUMS: call float @llvm.fma.f32
; SUMS: call float @llvm.fma.f32
; SUMS: ret void
define ptx_kernel void @sums(ptr %out, float %a, float %b, float %c) {
  %product = fmul contract float %a, %b
  %sum = fadd contract float %product, %c
  %difference = fsub contract float %product, %c
  store float %sum, ptr %out
  %next = getelementptr float, ptr %out, i64 1
  store float %difference, ptr %next
  ret void
}

; RUN: %build/bin/heddle-warp -block 32 -kernel beyond -last-pass normalize %s | FileCheck %s --check-prefix=BEYOND
; BEYOND-LABEL: define internal void @beyond.thread
; BEYOND-NOT: @llvm.fma
; BEYOND: ret void
define ptx_kernel void @beyond(ptr %out, float %a, float %b, float %c) {
  %product = fmul contract float %a, %b
  %sum = fadd contract float %product, %c
  store float %sum, ptr %out
  %condition = fcmp olt float %sum, 1.0
  br i1 %condition, label %then, label %done
then:
  %difference = fsub contract float %product, 1.0
  %next = getelementptr float, ptr %out, i64 1
  store float %difference, ptr %next
  br label %done
done:
  ret void
}

declare float @llvm.maxnum.f32(float, float)
