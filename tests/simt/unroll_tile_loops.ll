; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Sums that are more than the registers hold: two rounds wait together, with tiles of their own, and the products of the first come
; behind the second one's barrier. The loop does the last round of an odd number.
; RUN: %build/bin/heddle-warp -block 128 -width 32 -kernel sums -last-pass=unroll-tile-loops %s | FileCheck %s
; Not where registers are small beside what a round does, where few sums stay in them, or where one program holds the block.
; RUN: %build/bin/heddle-warp -block 128 -width 32 -kernel sums -target-cpu x86-64 -last-pass=unroll-tile-loops %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -block 128 -width 128 -kernel sums -last-pass=unroll-tile-loops %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -block 128 -width 32 -kernel few -last-pass=unroll-tile-loops %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -block 128 -width 32 -kernel sums -disable=unroll-tile-loops -last-pass=unroll-tile-loops %s | FileCheck %s --check-prefix=ONE
; Nor where what the next round stores depends on the products.
; RUN: %build/bin/heddle-warp -block 128 -width 32 -kernel depends -last-pass=unroll-tile-loops %s | FileCheck %s --check-prefix=ONE

; CHECK-LABEL: define {{.*}} @sums
; CHECK: rest:
; CHECK-NEXT: %free = phi i64 [ 0, %params ], [ %turn.next, %out ]
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; CHECK: %turn = phi i64
; CHECK: store double
; CHECK-NOT: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; CHECK: store double
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; CHECK-NOT: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; CHECK: %turn.next = sub i64 4096, %turn
; ONE-NOT: %turn

@tile = internal addrspace(3) global [2 x [128 x double]] undef, align 8

define ptx_kernel void @sums(i32 %n, ptr %a, ptr %c) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr double, ptr %c, i32 %t
  %start = uitofp i32 %t to double
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %half = phi i32 [ 0, %0 ], [ %other, %loop ]
  %s0 = phi double [ %start, %0 ], [ %s0.2, %loop ]
  %s1 = phi double [ %start, %0 ], [ %s1.2, %loop ]
  %s2 = phi double [ %start, %0 ], [ %s2.2, %loop ]
  %s3 = phi double [ %start, %0 ], [ %s3.2, %loop ]
  %s4 = phi double [ %start, %0 ], [ %s4.2, %loop ]
  %s5 = phi double [ %start, %0 ], [ %s5.2, %loop ]
  %s6 = phi double [ %start, %0 ], [ %s6.2, %loop ]
  %s7 = phi double [ %start, %0 ], [ %s7.2, %loop ]
  %s8 = phi double [ %start, %0 ], [ %s8.2, %loop ]
  %cell = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 %t
  %p = getelementptr double, ptr %a, i32 %i
  %v = load double, ptr %p
  store double %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p0 = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 0
  %w0 = load double, ptr addrspace(3) %p0
  %s0.0 = call double @llvm.fma.f64(double %w0, double 0.0, double %s0)
  %s1.0 = call double @llvm.fma.f64(double %w0, double 1.0, double %s1)
  %s2.0 = call double @llvm.fma.f64(double %w0, double 2.0, double %s2)
  %s3.0 = call double @llvm.fma.f64(double %w0, double 3.0, double %s3)
  %s4.0 = call double @llvm.fma.f64(double %w0, double 4.0, double %s4)
  %s5.0 = call double @llvm.fma.f64(double %w0, double 5.0, double %s5)
  %s6.0 = call double @llvm.fma.f64(double %w0, double 6.0, double %s6)
  %s7.0 = call double @llvm.fma.f64(double %w0, double 7.0, double %s7)
  %s8.0 = call double @llvm.fma.f64(double %w0, double 8.0, double %s8)
  %p1 = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 1
  %w1 = load double, ptr addrspace(3) %p1
  %s0.1 = call double @llvm.fma.f64(double %w1, double 0.0, double %s0.0)
  %s1.1 = call double @llvm.fma.f64(double %w1, double 1.0, double %s1.0)
  %s2.1 = call double @llvm.fma.f64(double %w1, double 2.0, double %s2.0)
  %s3.1 = call double @llvm.fma.f64(double %w1, double 3.0, double %s3.0)
  %s4.1 = call double @llvm.fma.f64(double %w1, double 4.0, double %s4.0)
  %s5.1 = call double @llvm.fma.f64(double %w1, double 5.0, double %s5.0)
  %s6.1 = call double @llvm.fma.f64(double %w1, double 6.0, double %s6.0)
  %s7.1 = call double @llvm.fma.f64(double %w1, double 7.0, double %s7.0)
  %s8.1 = call double @llvm.fma.f64(double %w1, double 8.0, double %s8.0)
  %p2 = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 2
  %w2 = load double, ptr addrspace(3) %p2
  %s0.2 = call double @llvm.fma.f64(double %w2, double 0.0, double %s0.1)
  %s1.2 = call double @llvm.fma.f64(double %w2, double 1.0, double %s1.1)
  %s2.2 = call double @llvm.fma.f64(double %w2, double 2.0, double %s2.1)
  %s3.2 = call double @llvm.fma.f64(double %w2, double 3.0, double %s3.1)
  %s4.2 = call double @llvm.fma.f64(double %w2, double 4.0, double %s4.1)
  %s5.2 = call double @llvm.fma.f64(double %w2, double 5.0, double %s5.1)
  %s6.2 = call double @llvm.fma.f64(double %w2, double 6.0, double %s6.1)
  %s7.2 = call double @llvm.fma.f64(double %w2, double 7.0, double %s7.1)
  %s8.2 = call double @llvm.fma.f64(double %w2, double 8.0, double %s8.1)
  %other = xor i32 %half, 1
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q0 = getelementptr i8, ptr %q, i32 0
  store double %s0.2, ptr %q0
  %q1 = getelementptr i8, ptr %q, i32 4096
  store double %s1.2, ptr %q1
  %q2 = getelementptr i8, ptr %q, i32 8192
  store double %s2.2, ptr %q2
  %q3 = getelementptr i8, ptr %q, i32 12288
  store double %s3.2, ptr %q3
  %q4 = getelementptr i8, ptr %q, i32 16384
  store double %s4.2, ptr %q4
  %q5 = getelementptr i8, ptr %q, i32 20480
  store double %s5.2, ptr %q5
  %q6 = getelementptr i8, ptr %q, i32 24576
  store double %s6.2, ptr %q6
  %q7 = getelementptr i8, ptr %q, i32 28672
  store double %s7.2, ptr %q7
  %q8 = getelementptr i8, ptr %q, i32 32768
  store double %s8.2, ptr %q8
  ret void
}

define ptx_kernel void @few(i32 %n, ptr %a, ptr %c) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr double, ptr %c, i32 %t
  %start = uitofp i32 %t to double
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %half = phi i32 [ 0, %0 ], [ %other, %loop ]
  %s0 = phi double [ %start, %0 ], [ %s0.2, %loop ]
  %s1 = phi double [ %start, %0 ], [ %s1.2, %loop ]
  %s2 = phi double [ %start, %0 ], [ %s2.2, %loop ]
  %s3 = phi double [ %start, %0 ], [ %s3.2, %loop ]
  %s4 = phi double [ %start, %0 ], [ %s4.2, %loop ]
  %s5 = phi double [ %start, %0 ], [ %s5.2, %loop ]
  %s6 = phi double [ %start, %0 ], [ %s6.2, %loop ]
  %s7 = phi double [ %start, %0 ], [ %s7.2, %loop ]
  %cell = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 %t
  %p = getelementptr double, ptr %a, i32 %i
  %v = load double, ptr %p
  store double %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p0 = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 0
  %w0 = load double, ptr addrspace(3) %p0
  %s0.0 = call double @llvm.fma.f64(double %w0, double 0.0, double %s0)
  %s1.0 = call double @llvm.fma.f64(double %w0, double 1.0, double %s1)
  %s2.0 = call double @llvm.fma.f64(double %w0, double 2.0, double %s2)
  %s3.0 = call double @llvm.fma.f64(double %w0, double 3.0, double %s3)
  %s4.0 = call double @llvm.fma.f64(double %w0, double 4.0, double %s4)
  %s5.0 = call double @llvm.fma.f64(double %w0, double 5.0, double %s5)
  %s6.0 = call double @llvm.fma.f64(double %w0, double 6.0, double %s6)
  %s7.0 = call double @llvm.fma.f64(double %w0, double 7.0, double %s7)
  %p1 = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 1
  %w1 = load double, ptr addrspace(3) %p1
  %s0.1 = call double @llvm.fma.f64(double %w1, double 0.0, double %s0.0)
  %s1.1 = call double @llvm.fma.f64(double %w1, double 1.0, double %s1.0)
  %s2.1 = call double @llvm.fma.f64(double %w1, double 2.0, double %s2.0)
  %s3.1 = call double @llvm.fma.f64(double %w1, double 3.0, double %s3.0)
  %s4.1 = call double @llvm.fma.f64(double %w1, double 4.0, double %s4.0)
  %s5.1 = call double @llvm.fma.f64(double %w1, double 5.0, double %s5.0)
  %s6.1 = call double @llvm.fma.f64(double %w1, double 6.0, double %s6.0)
  %s7.1 = call double @llvm.fma.f64(double %w1, double 7.0, double %s7.0)
  %p2 = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 2
  %w2 = load double, ptr addrspace(3) %p2
  %s0.2 = call double @llvm.fma.f64(double %w2, double 0.0, double %s0.1)
  %s1.2 = call double @llvm.fma.f64(double %w2, double 1.0, double %s1.1)
  %s2.2 = call double @llvm.fma.f64(double %w2, double 2.0, double %s2.1)
  %s3.2 = call double @llvm.fma.f64(double %w2, double 3.0, double %s3.1)
  %s4.2 = call double @llvm.fma.f64(double %w2, double 4.0, double %s4.1)
  %s5.2 = call double @llvm.fma.f64(double %w2, double 5.0, double %s5.1)
  %s6.2 = call double @llvm.fma.f64(double %w2, double 6.0, double %s6.1)
  %s7.2 = call double @llvm.fma.f64(double %w2, double 7.0, double %s7.1)
  %other = xor i32 %half, 1
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q0 = getelementptr i8, ptr %q, i32 0
  store double %s0.2, ptr %q0
  %q1 = getelementptr i8, ptr %q, i32 4096
  store double %s1.2, ptr %q1
  %q2 = getelementptr i8, ptr %q, i32 8192
  store double %s2.2, ptr %q2
  %q3 = getelementptr i8, ptr %q, i32 12288
  store double %s3.2, ptr %q3
  %q4 = getelementptr i8, ptr %q, i32 16384
  store double %s4.2, ptr %q4
  %q5 = getelementptr i8, ptr %q, i32 20480
  store double %s5.2, ptr %q5
  %q6 = getelementptr i8, ptr %q, i32 24576
  store double %s6.2, ptr %q6
  %q7 = getelementptr i8, ptr %q, i32 28672
  store double %s7.2, ptr %q7
  ret void
}

define ptx_kernel void @depends(i32 %n, ptr %a, ptr %c) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr double, ptr %c, i32 %t
  %start = uitofp i32 %t to double
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %half = phi i32 [ 0, %0 ], [ %other, %loop ]
  %s0 = phi double [ %start, %0 ], [ %s0.2, %loop ]
  %s1 = phi double [ %start, %0 ], [ %s1.2, %loop ]
  %s2 = phi double [ %start, %0 ], [ %s2.2, %loop ]
  %s3 = phi double [ %start, %0 ], [ %s3.2, %loop ]
  %s4 = phi double [ %start, %0 ], [ %s4.2, %loop ]
  %s5 = phi double [ %start, %0 ], [ %s5.2, %loop ]
  %s6 = phi double [ %start, %0 ], [ %s6.2, %loop ]
  %s7 = phi double [ %start, %0 ], [ %s7.2, %loop ]
  %s8 = phi double [ %start, %0 ], [ %s8.2, %loop ]
  %cell = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 %t
  %p = getelementptr double, ptr %a, i32 %i
  %v = load double, ptr %p
  %stored = fadd double %v, %s0
  store double %stored, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p0 = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 0
  %w0 = load double, ptr addrspace(3) %p0
  %s0.0 = call double @llvm.fma.f64(double %w0, double 0.0, double %s0)
  %s1.0 = call double @llvm.fma.f64(double %w0, double 1.0, double %s1)
  %s2.0 = call double @llvm.fma.f64(double %w0, double 2.0, double %s2)
  %s3.0 = call double @llvm.fma.f64(double %w0, double 3.0, double %s3)
  %s4.0 = call double @llvm.fma.f64(double %w0, double 4.0, double %s4)
  %s5.0 = call double @llvm.fma.f64(double %w0, double 5.0, double %s5)
  %s6.0 = call double @llvm.fma.f64(double %w0, double 6.0, double %s6)
  %s7.0 = call double @llvm.fma.f64(double %w0, double 7.0, double %s7)
  %s8.0 = call double @llvm.fma.f64(double %w0, double 8.0, double %s8)
  %p1 = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 1
  %w1 = load double, ptr addrspace(3) %p1
  %s0.1 = call double @llvm.fma.f64(double %w1, double 0.0, double %s0.0)
  %s1.1 = call double @llvm.fma.f64(double %w1, double 1.0, double %s1.0)
  %s2.1 = call double @llvm.fma.f64(double %w1, double 2.0, double %s2.0)
  %s3.1 = call double @llvm.fma.f64(double %w1, double 3.0, double %s3.0)
  %s4.1 = call double @llvm.fma.f64(double %w1, double 4.0, double %s4.0)
  %s5.1 = call double @llvm.fma.f64(double %w1, double 5.0, double %s5.0)
  %s6.1 = call double @llvm.fma.f64(double %w1, double 6.0, double %s6.0)
  %s7.1 = call double @llvm.fma.f64(double %w1, double 7.0, double %s7.0)
  %s8.1 = call double @llvm.fma.f64(double %w1, double 8.0, double %s8.0)
  %p2 = getelementptr [2 x [128 x double]], ptr addrspace(3) @tile, i32 0, i32 %half, i32 2
  %w2 = load double, ptr addrspace(3) %p2
  %s0.2 = call double @llvm.fma.f64(double %w2, double 0.0, double %s0.1)
  %s1.2 = call double @llvm.fma.f64(double %w2, double 1.0, double %s1.1)
  %s2.2 = call double @llvm.fma.f64(double %w2, double 2.0, double %s2.1)
  %s3.2 = call double @llvm.fma.f64(double %w2, double 3.0, double %s3.1)
  %s4.2 = call double @llvm.fma.f64(double %w2, double 4.0, double %s4.1)
  %s5.2 = call double @llvm.fma.f64(double %w2, double 5.0, double %s5.1)
  %s6.2 = call double @llvm.fma.f64(double %w2, double 6.0, double %s6.1)
  %s7.2 = call double @llvm.fma.f64(double %w2, double 7.0, double %s7.1)
  %s8.2 = call double @llvm.fma.f64(double %w2, double 8.0, double %s8.1)
  %other = xor i32 %half, 1
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q0 = getelementptr i8, ptr %q, i32 0
  store double %s0.2, ptr %q0
  %q1 = getelementptr i8, ptr %q, i32 4096
  store double %s1.2, ptr %q1
  %q2 = getelementptr i8, ptr %q, i32 8192
  store double %s2.2, ptr %q2
  %q3 = getelementptr i8, ptr %q, i32 12288
  store double %s3.2, ptr %q3
  %q4 = getelementptr i8, ptr %q, i32 16384
  store double %s4.2, ptr %q4
  %q5 = getelementptr i8, ptr %q, i32 20480
  store double %s5.2, ptr %q5
  %q6 = getelementptr i8, ptr %q, i32 24576
  store double %s6.2, ptr %q6
  %q7 = getelementptr i8, ptr %q, i32 28672
  store double %s7.2, ptr %q7
  %q8 = getelementptr i8, ptr %q, i32 32768
  store double %s8.2, ptr %q8
  ret void
}

declare double @llvm.fma.f64(double, double, double)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
