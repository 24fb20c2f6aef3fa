; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A product of matrices: blocks run in bands of 256 rows, here of 16 blocks of 16.
; RUN: %build/bin/heddle-warp -kernel product -block 16,16 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=BAND
; 256 / 100, by the factor of the block's index, is a band of 2.
; RUN: %build/bin/heddle-warp -kernel panels -block 16,16 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PANELS
; Not if told so, nor where blocks do not share what they read.
; RUN: %build/bin/heddle-warp -kernel product -block 16,16 -width 32 -disable swizzle-blocks -last-pass build-entry %s | FileCheck %s --check-prefix=ROWS
; RUN: %build/bin/heddle-warp -kernel sums -block 16,16 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=ROWS
; RUN: %build/bin/heddle-warp -kernel once -block 16,16 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=ROWS

; BAND: @heddle_kernel = constant {{.*}}, i32 0, i32 1, i32 1, i32 16, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; BAND: define internal void @runBlocks
; BAND: mul i64 {{.*}}, 16
; PANELS: @heddle_kernel = constant {{.*}}, i32 0, i32 1, i32 1, i32 2, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; ROWS: @heddle_kernel = constant {{.*}}, i32 0, i32 1, i32 1, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()

define ptx_kernel void @product(i32 %n, ptr %a, ptr %b, ptr %c) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %bx16 = mul i32 %bx, 16
  %by16 = mul i32 %by, 16
  %column = add i32 %bx16, %tx
  %row = add i32 %by16, %ty
  %first = mul i32 %row, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %ai = add i32 %first, %k
  %ap = getelementptr float, ptr %a, i32 %ai
  %x = load float, ptr %ap
  %bk = mul i32 %k, %n
  %bi = add i32 %bk, %column
  %bp = getelementptr float, ptr %b, i32 %bi
  %y = load float, ptr %bp
  %p = fmul float %x, %y
  %more = fadd float %sum, %p
  %next = add i32 %k, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  %ci = add i32 %first, %column
  %cp = getelementptr float, ptr %c, i32 %ci
  store float %more, ptr %cp
  ret void
}

; Threads that add up several rows each: a block has 100.
define ptx_kernel void @panels(i32 %n, ptr %a, ptr %b, ptr %c) {
entry:
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %by, 100
  %first = mul i32 %row, %n
  %bx16 = mul i32 %bx, 16
  %column = add i32 %bx16, %tx
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %ai = add i32 %first, %k
  %ap = getelementptr float, ptr %a, i32 %ai
  %x = load float, ptr %ap
  %bk = mul i32 %k, %n
  %bi = add i32 %bk, %column
  %bp = getelementptr float, ptr %b, i32 %bi
  %y = load float, ptr %bp
  %p = fmul float %x, %y
  %ci = add i32 %ai, %column
  %cp = getelementptr float, ptr %c, i32 %ci
  store float %p, ptr %cp
  %next = add i32 %k, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  ret void
}

; Columns are added up: nothing is read by rows of blocks.
define ptx_kernel void @sums(i32 %n, ptr %a, ptr %b) {
entry:
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bx16 = mul i32 %bx, 16
  %column = add i32 %bx16, %tx
  %part = add i32 %column, %by
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %bk = mul i32 %k, %n
  %ai = add i32 %bk, %column
  %ap = getelementptr float, ptr %a, i32 %ai
  %x = load float, ptr %ap
  %ci = add i32 %bk, %part
  %cp = getelementptr float, ptr %a, i32 %ci
  %y = load float, ptr %cp
  %z = fadd float %x, %y
  %more = fadd float %sum, %z
  %next = add i32 %k, 1
  %go = icmp slt i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  %bp = getelementptr float, ptr %b, i32 %part
  store float %more, ptr %bp
  ret void
}

; No loop: an outer product.
define ptx_kernel void @once(i32 %n, ptr %a, ptr %b, ptr %c) {
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bx16 = mul i32 %bx, 16
  %column = add i32 %bx16, %tx
  %ap = getelementptr float, ptr %a, i32 %by
  %x = load float, ptr %ap
  %bp = getelementptr float, ptr %b, i32 %column
  %y = load float, ptr %bp
  %p = fmul float %x, %y
  %first = mul i32 %by, %n
  %ci = add i32 %first, %column
  %cp = getelementptr float, ptr %c, i32 %ci
  store float %p, ptr %cp
  ret void
}
