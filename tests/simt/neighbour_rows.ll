; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; What only computes with long rows of neighbours as they are (a uchar16 of OpenCL) goes thread by thread, with the rows as
; vectors: its bytes are not joined to words. Where bytes become other numbers, or only a number of the row is kept, they
; are as in other kernels.
; RUN: %build/bin/heddle-warp -kernel rows -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=ROWS
; RUN: %build/bin/heddle-warp -kernel extended -width 0 -block 32 -last-pass normalize %s | FileCheck %s --check-prefix=WORDS
; RUN: %build/bin/heddle-warp -kernel reduced -width 0 -block 32 -last-pass normalize %s | FileCheck %s --check-prefix=WORDS

; ROWS-NOT: <32 x i
; ROWS: load i8
; ROWS-NOT: load i32, {{.*}} align 16
define ptx_kernel void @rows(ptr noalias %out, ptr noalias %in, ptr noalias %places) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %pa = getelementptr i32, ptr %places, i64 %i
  %place = load i32, ptr %pa
  %from = sext i32 %place to i64
  %a = getelementptr <16 x i8>, ptr %in, i64 %from
  %v = load <16 x i8>, ptr %a, align 16
  %w = add <16 x i8> %v, splat (i8 7)
  %b = getelementptr <16 x i8>, ptr %out, i64 %i
  store <16 x i8> %w, ptr %b, align 16
  ret void
}

; WORDS-LABEL: .thread
; WORDS: load i32, ptr {{.*}}, align 16
define ptx_kernel void @extended(ptr noalias %out, ptr noalias %in, ptr noalias %places) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr <16 x i8>, ptr %in, i64 %i
  %v = load <16 x i8>, ptr %a, align 16
  %w = zext <16 x i8> %v to <16 x i32>
  %b = getelementptr <16 x i32>, ptr %out, i64 %i
  store <16 x i32> %w, ptr %b, align 64
  ret void
}

define ptx_kernel void @reduced(ptr noalias %out, ptr noalias %in, ptr noalias %places) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr <16 x i8>, ptr %in, i64 %i
  %v = load <16 x i8>, ptr %a, align 16
  %w = call i8 @llvm.vector.reduce.add.v16i8(<16 x i8> %v)
  %b = getelementptr i8, ptr %out, i64 %i
  store i8 %w, ptr %b
  ret void
}
