; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Unrolled sums are a loop again; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 16 -objects 8,1,16,2 -last-pass=propagate-tile-copies %s | FileCheck %s
; LEGAL reroll-sums: alike
; RUN: %break alike && %build/bin/heddle-warp -block 16 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break order && %build/bin/heddle-warp -block 16 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL reroll-sums: seen only behind
; RUN: %break seen && %build/bin/heddle-warp -block 16 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL reroll-sums: pure
; RUN: %break pure && %build/bin/heddle-warp -block 16 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL reroll-sums: steps
; RUN: %break steps && %build/bin/heddle-warp -block 16 -objects 8,1,16,2 -last-pass=propagate-tile-copies %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: = add nuw nsw i32 {{.*}}, 1
; CHECK-NEXT: icmp eq i32 {{.*}}, 16

; NONE-NOT: icmp eq i32 {{.*}}, 16

@tile = internal addrspace(3) global [256 x float] undef, align 4

define ptx_kernel void @kernel(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wideX = zext i32 %x to i64
  %cell = getelementptr float, ptr addrspace(3) @tile, i64 %wideX
  br label %loop
loop:
  %start = phi i32 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %s15, %loop ]
  %i = add nsw i32 %start, %x
  %far = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %far
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p0 = getelementptr float, ptr addrspace(3) @tile, i64 0
  %w0 = load float, ptr addrspace(3) %p0
  %m0 = fmul float %w0, %v
  %s0 = fadd float %sum, %m0
  %p1 = getelementptr float, ptr addrspace(3) @tile, i64 1
  %w1 = load float, ptr addrspace(3) %p1
  %m1 = fmul float %w1, %v
  %s1 = fadd float %s0, %m1
  %p2 = getelementptr float, ptr addrspace(3) @tile, i64 2
  %w2 = load float, ptr addrspace(3) %p2
  %m2 = fmul float %w2, %v
  %s2 = fadd float %s1, %m2
  %p3 = getelementptr float, ptr addrspace(3) @tile, i64 3
  %w3 = load float, ptr addrspace(3) %p3
  %m3 = fmul float %w3, %v
  %s3 = fadd float %s2, %m3
  %p4 = getelementptr float, ptr addrspace(3) @tile, i64 4
  %w4 = load float, ptr addrspace(3) %p4
  %m4 = fmul float %w4, %v
  %s4 = fadd float %s3, %m4
;@seen  %q4 = getelementptr float, ptr %c, i64 %far
;@seen  store float %s4, ptr %q4
  %p5 = getelementptr float, ptr addrspace(3) @tile, i64 5
  %w5 = load float, ptr addrspace(3) %p5
  %m5 = fmul float %w5, %v
;@pure  %at5 = fptosi float %m5 to i32
;@pure  %far5 = sext i32 %at5 to i64
;@pure  %p5.more = getelementptr inbounds float, ptr %a, i64 %far5
;@pure  %x5 = load float, ptr %p5.more
  %s5 = fadd float %s4, %m5 ; not pure
;@pure  %s5 = fadd float %s4, %x5
  %p6 = getelementptr float, ptr addrspace(3) @tile, i64 6
  %w6 = load float, ptr addrspace(3) %p6
  %m6 = fmul float %w6, %v
  %s6 = fadd float %s5, %m6
  %p7 = getelementptr float, ptr addrspace(3) @tile, i64 7 ; not steps
;@steps  %p7 = getelementptr float, ptr addrspace(3) @tile, i64 3
  %w7 = load float, ptr addrspace(3) %p7
  %m7 = fmul float %w7, %v
  %s7 = fadd float %s6, %m7
  %p8 = getelementptr float, ptr addrspace(3) @tile, i64 8
  %w8 = load float, ptr addrspace(3) %p8
  %m8 = fmul float %w8, %v
  %s8 = fadd float %s7, %m8
  %p9 = getelementptr float, ptr addrspace(3) @tile, i64 9
  %w9 = load float, ptr addrspace(3) %p9
  %m9 = fmul float %w9, %v ; not alike
;@alike  %m9 = fdiv float %w9, %v
  %s9 = fadd float %s8, %m9 ; not order
;@order  %s9 = fadd float %m9, %s8
  %p10 = getelementptr float, ptr addrspace(3) @tile, i64 10
  %w10 = load float, ptr addrspace(3) %p10
  %m10 = fmul float %w10, %v
  %s10 = fadd float %s9, %m10
  %p11 = getelementptr float, ptr addrspace(3) @tile, i64 11
  %w11 = load float, ptr addrspace(3) %p11
  %m11 = fmul float %w11, %v
  %s11 = fadd float %s10, %m11
  %p12 = getelementptr float, ptr addrspace(3) @tile, i64 12
  %w12 = load float, ptr addrspace(3) %p12
  %m12 = fmul float %w12, %v
  %s12 = fadd float %s11, %m12
  %p13 = getelementptr float, ptr addrspace(3) @tile, i64 13
  %w13 = load float, ptr addrspace(3) %p13
  %m13 = fmul float %w13, %v
  %s13 = fadd float %s12, %m13
  %p14 = getelementptr float, ptr addrspace(3) @tile, i64 14
  %w14 = load float, ptr addrspace(3) %p14
  %m14 = fmul float %w14, %v
  %s14 = fadd float %s13, %m14
  %p15 = getelementptr float, ptr addrspace(3) @tile, i64 15
  %w15 = load float, ptr addrspace(3) %p15
  %m15 = fmul float %w15, %v
  %s15 = fadd float %s14, %m15
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %start, 16
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q = getelementptr float, ptr %c, i64 %wideX
  store float %s15, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
