; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Blocks that may wait for others keep their order.
; RUN: %build/bin/heddle-warp -kernel kernel -block 32,8 -width 0 -last-pass=split-coroutine %s | FileCheck %s
; LEGAL blocks-abreast: no waiting
; RUN: %break waits && %build/bin/heddle-warp -kernel kernel -block 32,8 -width 0 -last-pass=split-coroutine %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL swizzle-blocks: no waiting
; RUN: %break waits && %build/bin/heddle-warp -kernel bands -block 16,16 -width 32 -last-pass build-entry %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel bands -block 16,16 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=BANDS

; CHECK: @heddle_kernel = constant {{.*}}, i32 4, i32 1, i32 1, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; BANDS: @heddle_kernel = constant {{.*}}, i32 1, i32 1, i32 16, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; NONE: @heddle_kernel = constant {{.*}}, i32 1, i32 1, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }

@tile = internal addrspace(3) global [256 x float] undef, align 4

define ptx_kernel void @kernel(i32 %n, i32 %plane, ptr %in, ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %y, 4096
  %first = add i32 %row, %x
  %across = mul i32 %y, 32
  %t = add i32 %across, %x
  %cell = getelementptr [256 x float], ptr addrspace(3) @tile, i32 0, i32 %t
  %u = xor i32 %t, 128
  %other = getelementptr [256 x float], ptr addrspace(3) @tile, i32 0, i32 %u
  br label %loop ; not waits
;@waits  br label %spin
;@waits  spin:
;@waits  %flag = load volatile i32, ptr %in
;@waits  %isSet = icmp ne i32 %flag, 0
;@waits  br i1 %isSet, label %loop, label %spin
loop:
  %z = phi i32 [ 0, %0 ], [ %next, %loop ] ; not waits
;@waits  %z = phi i32 [ 0, %spin ], [ %next, %loop ]
  %i = phi i32 [ %first, %0 ], [ %up, %loop ] ; not waits
;@waits  %i = phi i32 [ %first, %spin ], [ %up, %loop ]
  %wide = sext i32 %i to i64
  %p = getelementptr float, ptr %in, i64 %wide
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr addrspace(3) %other
  %q = getelementptr float, ptr %out, i64 %wide
  store float %w, ptr %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %up = add nsw i32 %i, %plane
  %next = add i32 %z, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @bands(i32 %n, ptr %a, ptr %b, ptr %c) {
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
  br label %loop ; not waits
;@waits  br label %spin
;@waits  spin:
;@waits  %flag = load volatile i32, ptr %a
;@waits  %isSet = icmp ne i32 %flag, 0
;@waits  br i1 %isSet, label %loop, label %spin
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ] ; not waits
;@waits  %k = phi i32 [ 0, %spin ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ] ; not waits
;@waits  %sum = phi float [ 0.0, %spin ], [ %more, %loop ]
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
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
