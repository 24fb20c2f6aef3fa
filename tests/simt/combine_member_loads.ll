; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; The members of a small structure are one number, if they fill a word that is known to be aligned, of which a load may
; leave one out, or a word of an array. What lies elsewhere, or has another access between, stays as it is.
; RUN: %build/bin/heddle-warp -block 32 -last-pass normalize %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 -disable combine-member-loads -last-pass normalize %s | FileCheck %s --check-prefix=OFF

; CHECK-LABEL: define internal void @kernel.thread
; OFF-LABEL: define internal void @kernel.thread
define ptx_kernel void @kernel(ptr %out, ptr %in, ptr %odd) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64

; Three of four.
; CHECK: [[PIXEL:%.*]] = load i32, ptr {{.*}}, align 4
; CHECK: lshr i32 [[PIXEL]], 16
; CHECK: lshr i32 [[PIXEL]], 8
; OFF-NOT: load i32, ptr {{.*}}, align 4
  %p = getelementptr [4 x i8], ptr %in, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 1
  %p2 = getelementptr i8, ptr %p, i64 2
  %c = load i8, ptr %p2, align 2
  %a = load i8, ptr %p, align 4
  %b = load i8, ptr %p1, align 1
  %ab = add i8 %a, %b
  %s = mul i8 %ab, %c

; All of four, and two halves.
; CHECK: store i32 {{.*}}, align 8
; CHECK: store i32 {{.*}}, align 4
; OFF: store i8
; OFF: store i16
  %q = getelementptr [8 x i8], ptr %out, i64 %i
  %q1 = getelementptr i8, ptr %q, i64 1
  %q2 = getelementptr i8, ptr %q, i64 2
  %q3 = getelementptr i8, ptr %q, i64 3
  store i8 %a, ptr %q, align 8
  store i8 %s, ptr %q1, align 1
  store i8 %c, ptr %q2, align 2
  store i8 7, ptr %q3, align 1
  %q4 = getelementptr i8, ptr %q, i64 4
  %q6 = getelementptr i8, ptr %q, i64 6
  %h = zext i8 %a to i16
  store i16 %h, ptr %q6, align 2
  store i16 5, ptr %q4, align 4

; LEGAL combine-member-loads: filled
; The second two of four, where only the first is known to be aligned.
; CHECK: store i8 {{.*}}, align 1
; CHECK: store i8 {{.*}}, align 1
  %r = getelementptr [4 x i8], ptr %in, i64 %i
  %r1 = getelementptr i8, ptr %r, i64 1
  %r2 = getelementptr i8, ptr %r, i64 2
  store i8 %s, ptr %r1, align 1
  store i8 %s, ptr %r2, align 1

; LEGAL combine-member-loads: aligned
; A word of an array that may begin at any address; a load leaves none out.
; CHECK: [[ODD:%.*]] = load i16, ptr {{.*}}, align 1
; CHECK: store i16 {{.*}}, align 1
; CHECK: load i8
; CHECK: load i8
; CHECK: load i8
; OFF: store i8
  %double = shl nuw nsw i32 %t, 1
  %wide = zext i32 %double to i64
  %o = getelementptr i8, ptr %odd, i64 %wide
  %o1 = getelementptr i8, ptr %o, i64 1
  %x = load i8, ptr %o, align 1
  %y = load i8, ptr %o1, align 1
  store i8 %y, ptr %o, align 1
  store i8 %x, ptr %o1, align 1
  %f = getelementptr [4 x i8], ptr %odd, i64 %i
  %f1 = getelementptr i8, ptr %f, i64 1
  %f2 = getelementptr i8, ptr %f, i64 2
  %d = load i8, ptr %f, align 1
  %e = load i8, ptr %f1, align 1
  %g = load i8, ptr %f2, align 1
  %de = add i8 %d, %e
  %deg = add i8 %de, %g

; LEGAL combine-member-loads: words apart
; Neighbours of neighbouring threads overlap, or the words may begin between those of the array.
; CHECK: store i8 %{{.*}}, align 1
; CHECK: store i8 %{{.*}}, align 1
; CHECK: store i8 %{{.*}}, align 1
; CHECK: store i8 %{{.*}}, align 1
  %n = getelementptr i8, ptr %out, i64 %i
  %n1 = getelementptr i8, ptr %n, i64 1
  store i8 %deg, ptr %n, align 1
  store i8 %c, ptr %n1, align 1
  %z = getelementptr [2 x i8], ptr %n, i64 %i
  %z1 = getelementptr i8, ptr %z, i64 3
  %z2 = getelementptr i8, ptr %z, i64 4
  store i8 %deg, ptr %z1, align 1
  store i8 %c, ptr %z2, align 1

; A part that is undefined leaves the other.
; CHECK: [[PART:%.*]] = or i16 {{.*}}, 0
; CHECK: store i16 [[PART]], {{.*}}, align 2
; CHECK: ret void
  %v = insertelement <2 x i8> poison, i8 %deg, i32 0
  %u = getelementptr [2 x i8], ptr %in, i64 %i
  store <2 x i8> %v, ptr %u, align 2
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
