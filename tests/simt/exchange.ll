; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A block of 16x16 threads transposes a tile through shared memory. In registers that is four shuffles a row, which rows
; share: without the exchange it is 15 for each. A row of odd length keeps columns out of one bank, and changes nothing.
; RUN: %build/bin/heddle-warp -width 256 -block 16,16 -last-pass eliminate-dead-lanes %s | FileCheck %s
; RUN: %build/bin/heddle-warp -width 256 -block 16,16 -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=UNITS
; RUN: %build/bin/heddle-warp -width 256 -block 16,16 -target-cpu x86-64-v3 -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=AVX2
; RUN: %build/bin/heddle-warp -width 256 -block 16,16 -disable shuffle-network -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=PLAIN

; CHECK-LABEL: define internal void @runBlocks
; CHECK-COUNT-16: load <16 x float>
; CHECK-COUNT-64: shufflevector
; CHECK-NOT: shufflevector
; CHECK: ret void

; Neighbours within 128 bits, then pairs of them, then 128 bits.
; UNITS: shufflevector <16 x float> %{{.*}}, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20,
; UNITS: shufflevector <16 x float> %{{.*}}, <16 x i32> <i32 0, i32 1, i32 16, i32 17, i32 4, i32 5,
; UNITS: shufflevector <16 x float> %{{.*}}, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9,

; Four squares of 8x8.
; AVX2-LABEL: define internal void @runBlocks
; AVX2-COUNT-96: shufflevector <8 x float>
; AVX2-NOT: shufflevector
; AVX2: ret void

; PLAIN-LABEL: define internal void @runBlocks
; PLAIN-COUNT-240: shufflevector
; PLAIN-NOT: shufflevector
; PLAIN: ret void

@tile = internal addrspace(3) global [16 x [17 x float]] poison, align 4

define ptx_kernel void @kernel(ptr %out, ptr %in) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %rows = mul nuw nsw i32 %y, 16
  %at = add nuw nsw i32 %rows, %x
  %at64 = zext nneg i32 %at to i64
  %x64 = zext nneg i32 %x to i64
  %y64 = zext nneg i32 %y to i64
  %from = getelementptr float, ptr %in, i64 %at64
  %value = load float, ptr %from
  %mine = getelementptr [16 x [17 x float]], ptr addrspace(3) @tile, i64 0, i64 %y64, i64 %x64
  store float %value, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = getelementptr [16 x [17 x float]], ptr addrspace(3) @tile, i64 0, i64 %x64, i64 %y64
  %turned = load float, ptr addrspace(3) %other
  %to = getelementptr float, ptr %out, i64 %at64
  store float %turned, ptr %to
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
