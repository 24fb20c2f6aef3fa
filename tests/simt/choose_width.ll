; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Gathers and some arithmetic pay in a vector program. Behind branches on what the threads compute they do not: most
; threads would wait for few, where gathers are slow.
; RUN: %build/bin/heddle-warp -kernel plain -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PLAIN
; RUN: %build/bin/heddle-warp -kernel guarded -width 0 -block 32 -last-pass build-entry -target-cpu znver4 %s | FileCheck %s --check-prefix=GUARDED
; RUN: %build/bin/heddle-warp -kernel guarded -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PLAIN
; Where the branches ask for the threads' numbers only, their lanes are known.
; RUN: %build/bin/heddle-warp -kernel numbered -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PLAIN

; A thread that adds up a row of its own does so on vectors when it goes alone, if the order of its sums is free and there
; are instructions for it; else 16 threads go together. Columns, of which neighbouring threads have neighbouring elements, are read side by side.
; RUN: %build/bin/heddle-warp -kernel rows -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=GUARDED
; RUN: %build/bin/heddle-warp -kernel rows -width 0 -block 32 -last-pass build-entry -target-cpu x86-64 %s | FileCheck %s --check-prefix=PITCHED
; RUN: %build/bin/heddle-warp -kernel rows -width 0 -block 32 -last-pass build-entry -disable vectorize-reductions %s | FileCheck %s --check-prefix=PITCHED
; RUN: %build/bin/heddle-warp -kernel inorder -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PITCHED
; RUN: %build/bin/heddle-warp -kernel columns -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PLAIN

; Searches that divide in each turn: most lanes would wait for the few that find nothing. Not what each turn hands on to the next (Euclid).
; RUN: %build/bin/heddle-warp -kernel divisors -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=GUARDED
; RUN: %build/bin/heddle-warp -kernel divisors -width 0 -block 32 -last-pass build-entry -disable search-loops %s | FileCheck %s --check-prefix=PLAIN
; RUN: %build/bin/heddle-warp -kernel euclid -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PLAIN
; Counts to bounds that threads read (a node's neighbours): the lanes wait for the longest. Not to bounds that follow from the index.
; RUN: %build/bin/heddle-warp -kernel neighbours -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=GUARDED
; RUN: %build/bin/heddle-warp -kernel neighbours -width 0 -block 32 -last-pass build-entry -disable search-loops %s | FileCheck %s --check-prefix=PLAIN
; RUN: %build/bin/heddle-warp -kernel triangle -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PLAIN
; Nor down columns, where a thread alone takes a line of the cache for each element.
; RUN: %build/bin/heddle-warp -kernel ellpack -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PLAIN
; Of ways that all lanes choose between, as by the format of a texture, each counts by its share.
; RUN: %build/bin/heddle-warp -kernel formats -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PLAIN
; Nor counts that threads come to the end of together, whatever the block's shape.
; RUN: %build/bin/heddle-warp -kernel strides -width 0 -block 17,2 -last-pass build-entry %s | FileCheck %s --check-prefix=PITCHED
; Where threads part in a loop that they leave together (a merge of two lists, so many elements each) one alone guesses
; wrong in each turn; the bound that a few threads come to before (the array's end) is not the one that they wait for.
; RUN: %build/bin/heddle-warp -kernel merge -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PLAIN
; What costs little for all lanes at once (bytes side by side) is compared for all.
; RUN: %build/bin/heddle-warp -kernel words -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PLAIN

; Nine numbers a thread are gathered and scattered, where there are instructions for it.
; RUN: %build/bin/heddle-warp -kernel nine -width 0 -block 32 -last-pass build-entry %s | FileCheck %s --check-prefix=PLAIN
; RUN: %build/bin/heddle-warp -kernel nine -width 0 -block 32 -last-pass build-entry -target-cpu x86-64-v3 %s | FileCheck %s --check-prefix=GUARDED
; Eight are accessed side by side everywhere.
; RUN: sed -e 's/i64 %i, 9/i64 %i, 8/' %s > %t.ll
; RUN: %build/bin/heddle-warp -kernel nine -width 0 -block 32 -last-pass build-entry -target-cpu x86-64-v3 %t.ll | FileCheck %s --check-prefix=PLAIN

; PLAIN: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32,
; PITCHED: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 16,
; GUARDED: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 1,

define ptx_kernel void @plain(ptr %out, ptr %in, ptr %index) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %pi = getelementptr i32, ptr %index, i64 %i
  %at = load i32, ptr %pi
  br label %more
more:
  %k = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %k
  %x0 = load float, ptr %p
  br label %work
work:
  %p1 = getelementptr float, ptr %p, i64 %k
  %y1 = load float, ptr %p1
  %p2 = getelementptr float, ptr %p1, i64 %k
  %y2 = load float, ptr %p2
  %p3 = getelementptr float, ptr %p2, i64 %k
  %y3 = load float, ptr %p3
  %p4 = getelementptr float, ptr %p3, i64 %k
  %y4 = load float, ptr %p4
  %x1 = fadd float %x0, %x0
  %x2 = fadd float %x1, %x1
  %x3 = fadd float %x2, %x2
  %x4 = fadd float %x3, %x3
  %x5 = fadd float %x4, %x4
  %x6 = fadd float %x5, %x5
  %x7 = fadd float %x6, %x6
  %x8 = fadd float %x7, %x7
  %x9 = fadd float %x8, %x8
  %x10 = fadd float %x9, %x9
  %z0 = fadd float %x10, %y1
  %z1 = fadd float %z0, %y1
  %z2 = fadd float %z1, %y2
  %z3 = fadd float %z2, %y3
  %z4 = fadd float %z3, %y4
  %z5 = fadd float %z4, %y1
  %z6 = fadd float %z5, %y2
  %z7 = fadd float %z6, %y3
  %z8 = fadd float %z7, %y4
  %z9 = fadd float %z8, %y1
  %z10 = fadd float %z9, %y2
  %po = getelementptr float, ptr %out, i64 %i
  store float %z10, ptr %po
  br label %end
end:
  ret void
}

define ptx_kernel void @guarded(ptr %out, ptr %in, ptr %index) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %pi = getelementptr i32, ptr %index, i64 %i
  %at = load i32, ptr %pi
  %c = icmp sgt i32 %at, 7
  br i1 %c, label %more, label %end
more:
  %k = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %k
  %x0 = load float, ptr %p
  %d = fcmp ogt float %x0, 1.0
  br i1 %d, label %work, label %end
work:
  %p1 = getelementptr float, ptr %p, i64 %k
  %y1 = load float, ptr %p1
  %p2 = getelementptr float, ptr %p1, i64 %k
  %y2 = load float, ptr %p2
  %p3 = getelementptr float, ptr %p2, i64 %k
  %y3 = load float, ptr %p3
  %p4 = getelementptr float, ptr %p3, i64 %k
  %y4 = load float, ptr %p4
  %x1 = fadd float %x0, %x0
  %x2 = fadd float %x1, %x1
  %x3 = fadd float %x2, %x2
  %x4 = fadd float %x3, %x3
  %x5 = fadd float %x4, %x4
  %x6 = fadd float %x5, %x5
  %x7 = fadd float %x6, %x6
  %x8 = fadd float %x7, %x7
  %x9 = fadd float %x8, %x8
  %x10 = fadd float %x9, %x9
  %z0 = fadd float %x10, %y1
  %z1 = fadd float %z0, %y1
  %z2 = fadd float %z1, %y2
  %z3 = fadd float %z2, %y3
  %z4 = fadd float %z3, %y4
  %z5 = fadd float %z4, %y1
  %z6 = fadd float %z5, %y2
  %z7 = fadd float %z6, %y3
  %z8 = fadd float %z7, %y4
  %z9 = fadd float %z8, %y1
  %z10 = fadd float %z9, %y2
  %po = getelementptr float, ptr %out, i64 %i
  store float %z10, ptr %po
  br label %end
end:
  ret void
}

define ptx_kernel void @numbered(ptr %out, ptr %in, ptr %index) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %pi = getelementptr i32, ptr %index, i64 %i
  %at = load i32, ptr %pi
  %c = icmp ugt i32 %t, 7
  br i1 %c, label %more, label %end
more:
  %k = sext i32 %at to i64
  %p = getelementptr float, ptr %in, i64 %k
  %x0 = load float, ptr %p
  %d = icmp ult i32 %t, 30
  br i1 %d, label %work, label %end
work:
  %p1 = getelementptr float, ptr %p, i64 %k
  %y1 = load float, ptr %p1
  %p2 = getelementptr float, ptr %p1, i64 %k
  %y2 = load float, ptr %p2
  %p3 = getelementptr float, ptr %p2, i64 %k
  %y3 = load float, ptr %p3
  %p4 = getelementptr float, ptr %p3, i64 %k
  %y4 = load float, ptr %p4
  %x1 = fadd float %x0, %x0
  %x2 = fadd float %x1, %x1
  %x3 = fadd float %x2, %x2
  %x4 = fadd float %x3, %x3
  %x5 = fadd float %x4, %x4
  %x6 = fadd float %x5, %x5
  %x7 = fadd float %x6, %x6
  %x8 = fadd float %x7, %x7
  %x9 = fadd float %x8, %x8
  %x10 = fadd float %x9, %x9
  %z0 = fadd float %x10, %y1
  %z1 = fadd float %z0, %y1
  %z2 = fadd float %z1, %y2
  %z3 = fadd float %z2, %y3
  %z4 = fadd float %z3, %y4
  %z5 = fadd float %z4, %y1
  %z6 = fadd float %z5, %y2
  %z7 = fadd float %z6, %y3
  %z8 = fadd float %z7, %y4
  %z9 = fadd float %z8, %y1
  %z10 = fadd float %z9, %y2
  %po = getelementptr float, ptr %out, i64 %i
  store float %z10, ptr %po
  br label %end
end:
  ret void
}

define ptx_kernel void @rows(ptr %out, ptr %in, ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %end
before:
  %m = zext nneg i32 %n to i64
  %row = mul nsw i64 %i, %m
  br label %loop
loop:
  %k = phi i64 [ 0, %before ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %before ], [ %next, %loop ]
  %at = add nsw i64 %row, %k
  %pa = getelementptr float, ptr %in, i64 %at
  %a = load float, ptr %pa
  %px = getelementptr float, ptr %x, i64 %k
  %b = load float, ptr %px
  %next = call reassoc nsz float @llvm.fma.f32(float %a, float %b, float %sum)
  %k1 = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %k1, %m
  br i1 %done, label %end, label %loop
end:
  %r = phi float [ 0.0, %entry ], [ %next, %loop ]
  %po = getelementptr float, ptr %out, i64 %i
  store float %r, ptr %po
  ret void
}

define ptx_kernel void @inorder(ptr %out, ptr %in, ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %end
before:
  %m = zext nneg i32 %n to i64
  %row = mul nsw i64 %i, %m
  br label %loop
loop:
  %k = phi i64 [ 0, %before ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %before ], [ %next, %loop ]
  %at = add nsw i64 %row, %k
  %pa = getelementptr float, ptr %in, i64 %at
  %a = load float, ptr %pa
  %px = getelementptr float, ptr %x, i64 %k
  %b = load float, ptr %px
  %next = call float @llvm.fma.f32(float %a, float %b, float %sum)
  %k1 = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %k1, %m
  br i1 %done, label %end, label %loop
end:
  %r = phi float [ 0.0, %entry ], [ %next, %loop ]
  %po = getelementptr float, ptr %out, i64 %i
  store float %r, ptr %po
  ret void
}

define ptx_kernel void @columns(ptr %out, ptr %in, ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %before, label %end
before:
  %m = zext nneg i32 %n to i64
  %row = mul nsw i64 %i, %m
  br label %loop
loop:
  %k = phi i64 [ 0, %before ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %before ], [ %next, %loop ]
  %down = mul nsw i64 %k, %m
  %at = add nsw i64 %down, %i
  %pa = getelementptr float, ptr %in, i64 %at
  %a = load float, ptr %pa
  %px = getelementptr float, ptr %x, i64 %k
  %b = load float, ptr %px
  %next = call reassoc nsz float @llvm.fma.f32(float %a, float %b, float %sum)
  %k1 = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %k1, %m
  br i1 %done, label %end, label %loop
end:
  %r = phi float [ 0.0, %entry ], [ %next, %loop ]
  %po = getelementptr float, ptr %out, i64 %i
  store float %r, ptr %po
  ret void
}

define ptx_kernel void @strides(ptr %out, ptr %table, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nuw nsw i32 %y, 31
  br label %loop
loop:
  %i = phi i32 [ %x, %entry ], [ %next, %after ]
  br label %bits
bits:
  %bit = phi i32 [ 0, %loop ], [ %bit.next, %end ]
  %data = phi i32 [ %i, %loop ], [ %data.next, %end ]
  %sum = phi i32 [ 0, %loop ], [ %sum.next, %end ]
  %low = and i32 %data, 1
  %isSet = icmp ne i32 %low, 0
  br i1 %isSet, label %add, label %end
add:
  %at = add nuw nsw i32 %bit, %row
  %pt = getelementptr i32, ptr %table, i32 %at
  %v = load i32, ptr %pt
  %more = xor i32 %sum, %v
  br label %end
end:
  %sum.next = phi i32 [ %more, %add ], [ %sum, %bits ]
  %data.next = lshr i32 %data, 1
  %bit.next = add nuw nsw i32 %bit, 1
  %isLast = icmp eq i32 %bit.next, 31
  br i1 %isLast, label %after, label %bits
after:
  %po = getelementptr i32, ptr %out, i32 %i
  store i32 %sum.next, ptr %po
  %next = add i32 %i, 17
  %goesOn = icmp ult i32 %next, %n
  br i1 %goesOn, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @divisors(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = add i32 %t, %n
  br label %loop
loop:
  %d = phi i32 [ 3, %entry ], [ %d2, %next ]
  %rest = urem i32 %x, %d
  %found = icmp eq i32 %rest, 0
  br i1 %found, label %end, label %next
next:
  %d2 = add nuw nsw i32 %d, 2
  %square = mul i32 %d2, %d2
  %beyond = icmp sgt i32 %square, %x
  br i1 %beyond, label %end, label %loop
end:
  %r = phi i32 [ %d, %loop ], [ 0, %next ]
  %i = zext i32 %t to i64
  %po = getelementptr i32, ptr %out, i64 %i
  store i32 %r, ptr %po
  ret void
}

; Sums of what the edges from starts[t] to starts[t + 1] point to.
define ptx_kernel void @neighbours(ptr %out, ptr %in, ptr noalias %starts, ptr noalias %edges) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %ps = getelementptr i32, ptr %starts, i64 %i
  %first = load i32, ptr %ps
  %pe = getelementptr i32, ptr %ps, i64 1
  %end = load i32, ptr %pe
  %any = icmp slt i32 %first, %end
  br i1 %any, label %loop, label %exit
loop:
  %e = phi i32 [ %first, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum2, %loop ]
  %e64 = sext i32 %e to i64
  %pj = getelementptr i32, ptr %edges, i64 %e64
  %j = load i32, ptr %pj
  %j64 = sext i32 %j to i64
  %pv = getelementptr float, ptr %in, i64 %j64
  %v = load float, ptr %pv
  %sum2 = fadd float %sum, %v
  %next = add nsw i32 %e, 1
  %more = icmp slt i32 %next, %end
  br i1 %more, label %loop, label %exit
exit:
  %r = phi float [ 0.0, %entry ], [ %sum2, %loop ]
  %po = getelementptr float, ptr %out, i64 %i
  store float %r, ptr %po
  ret void
}

; The same number of turns as the thread's index, along rows side by side.
define ptx_kernel void @triangle(ptr %out, ptr %in, i64 %pitch) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum2, %loop ]
  %k64 = sext i32 %k to i64
  %row = mul i64 %k64, %pitch
  %at = add i64 %row, %i
  %pv = getelementptr float, ptr %in, i64 %at
  %v = load float, ptr %pv
  %sum2 = fadd float %sum, %v
  %next = add nsw i32 %k, 1
  %more = icmp sle i32 %next, %t
  br i1 %more, label %loop, label %exit
exit:
  %po = getelementptr float, ptr %out, i64 %i
  store float %sum2, ptr %po
  ret void
}

define ptx_kernel void @euclid(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x0 = add i32 %t, %n
  br label %loop
loop:
  %x = phi i32 [ %x0, %entry ], [ %y, %loop ]
  %y = phi i32 [ %n, %entry ], [ %rest, %loop ]
  %rest = urem i32 %x, %y
  %done = icmp eq i32 %rest, 0
  br i1 %done, label %end, label %loop
end:
  %i = zext i32 %t to i64
  %po = getelementptr i32, ptr %out, i64 %i
  store i32 %y, ptr %po
  ret void
}

define ptx_kernel void @words(ptr %out, ptr %text, ptr %word, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %next ]
  %at = add nuw nsw i64 %i, %k
  %pt = getelementptr i8, ptr %text, i64 %at
  %a = load i8, ptr %pt
  %pw = getelementptr i8, ptr %word, i64 %k
  %b = load i8, ptr %pw
  %same = icmp eq i8 %a, %b
  br i1 %same, label %next, label %end
next:
  %k1 = add nuw nsw i64 %k, 1
  %k32 = trunc i64 %k1 to i32
  %whole = icmp eq i32 %k32, %n
  br i1 %whole, label %end, label %loop
end:
  %r = phi i32 [ 0, %loop ], [ 1, %next ]
  %po = getelementptr i32, ptr %out, i64 %i
  store i32 %r, ptr %po
  ret void
}

define ptx_kernel void @nine(ptr %out, ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %first = mul nuw nsw i64 %i, 9
  %p0 = getelementptr float, ptr %in, i64 %first
  %q0 = getelementptr float, ptr %out, i64 %first
  %x0 = load float, ptr %p0
  %p1 = getelementptr float, ptr %p0, i64 1
  %q1 = getelementptr float, ptr %q0, i64 1
  %x1 = load float, ptr %p1
  %p2 = getelementptr float, ptr %p0, i64 2
  %q2 = getelementptr float, ptr %q0, i64 2
  %x2 = load float, ptr %p2
  %p3 = getelementptr float, ptr %p0, i64 3
  %q3 = getelementptr float, ptr %q0, i64 3
  %x3 = load float, ptr %p3
  %p4 = getelementptr float, ptr %p0, i64 4
  %q4 = getelementptr float, ptr %q0, i64 4
  %x4 = load float, ptr %p4
  %p5 = getelementptr float, ptr %p0, i64 5
  %q5 = getelementptr float, ptr %q0, i64 5
  %x5 = load float, ptr %p5
  %p6 = getelementptr float, ptr %p0, i64 6
  %q6 = getelementptr float, ptr %q0, i64 6
  %x6 = load float, ptr %p6
  %p7 = getelementptr float, ptr %p0, i64 7
  %q7 = getelementptr float, ptr %q0, i64 7
  %x7 = load float, ptr %p7
  %y0 = fmul float %x0, %x1
  %y1 = fmul float %x1, %x2
  %y2 = fmul float %x2, %x3
  %y3 = fmul float %x3, %x4
  %y4 = fmul float %x4, %x5
  %y5 = fmul float %x5, %x6
  %y6 = fmul float %x6, %x7
  %y7 = fmul float %x7, %x0
  store float %y0, ptr %q0
  store float %y1, ptr %q1
  store float %y2, ptr %q2
  store float %y3, ptr %q3
  store float %y4, ptr %q4
  store float %y5, ptr %q5
  store float %y6, ptr %q6
  store float %y7, ptr %q7
  ret void
}

define ptx_kernel void @merge(ptr %out, ptr noalias %left, ptr noalias %right, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %t, 3
  br label %turn
turn:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %i = phi i32 [ %first, %entry ], [ %i1, %next ]
  %j = phi i32 [ %first, %entry ], [ %j1, %next ]
  %to = add i32 %first, %k
  %ends = icmp sge i32 %to, %n
  br i1 %ends, label %end, label %compare
compare:
  %il = sext i32 %i to i64
  %p = getelementptr i32, ptr %left, i64 %il
  %a = load i32, ptr %p
  %jl = sext i32 %j to i64
  %q = getelementptr i32, ptr %right, i64 %jl
  %b = load i32, ptr %q
  %c = icmp sle i32 %a, %b
  %tl = sext i32 %to to i64
  %r = getelementptr i32, ptr %out, i64 %tl
  br i1 %c, label %one, label %two
one:
  %ia = add i32 %i, 1
  store i32 %a, ptr %r
  br label %next
two:
  %jb = add i32 %j, 1
  store i32 %b, ptr %r
  br label %next
next:
  %i1 = phi i32 [ %ia, %one ], [ %i, %two ]
  %j1 = phi i32 [ %j, %one ], [ %jb, %two ]
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, 8
  br i1 %more, label %turn, label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.fma.f32(float, float, float)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

; The number of elements of each row; element k of row t is at k * rows + t.
define ptx_kernel void @ellpack(ptr %out, ptr noalias %values, ptr noalias %columns, ptr noalias %x, ptr noalias %lengths, i64 %rows) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %la = getelementptr i64, ptr %lengths, i64 %i
  %length = load i64, ptr %la
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %k1, %next ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %next ]
  %row = mul i64 %k, %rows
  %e = add i64 %row, %i
  %va = getelementptr float, ptr %values, i64 %e
  %v = load float, ptr %va
  %ca = getelementptr i32, ptr %columns, i64 %e
  %c = load i32, ptr %ca
  %xa = getelementptr float, ptr %x, i32 %c
  %f = load float, ptr %xa
  %p = fmul float %v, %f
  %sum1 = fadd float %sum, %p
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %length
  br i1 %more, label %next, label %end
end:
  %oa = getelementptr float, ptr %out, i64 %i
  store float %sum1, ptr %oa
  ret void
}

; The same of integers of any size, which is the same for all threads.
define ptx_kernel void @formats(ptr %out, ptr noalias %columns, ptr noalias %x, ptr noalias %lengths, i64 %rows, i32 %size) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %la = getelementptr i64, ptr %lengths, i64 %i
  %length = load i64, ptr %la
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %k1, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %sum1, %latch ]
  %row = mul i64 %k, %rows
  %e = add i64 %row, %i
  %ca = getelementptr i32, ptr %columns, i64 %e
  %c = load i32, ptr %ca
  switch i32 %size, label %latch [
    i32 1, label %byte
    i32 2, label %half
    i32 4, label %word
    i32 8, label %double
  ]
byte:
  %byte.a = getelementptr i8, ptr %x, i32 %c
  %byte.1 = load i8, ptr %byte.a
  %byte.2 = zext i8 %byte.1 to i32
  br label %latch
half:
  %half.a = getelementptr i16, ptr %x, i32 %c
  %half.1 = load i16, ptr %half.a
  %half.2 = zext i16 %half.1 to i32
  br label %latch
word:
  %word.a = getelementptr i32, ptr %x, i32 %c
  %word.1 = load i32, ptr %word.a
  %word.2 = add i32 %word.1, 0
  br label %latch
double:
  %double.a = getelementptr i64, ptr %x, i32 %c
  %double.1 = load i64, ptr %double.a
  %double.2 = trunc i64 %double.1 to i32
  br label %latch
latch:
  %f = phi i32 [ 0, %next ], [ %byte.2, %byte ], [ %half.2, %half ], [ %word.2, %word ], [ %double.2, %double ]
  %sum1 = add i32 %sum, %f
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %length
  br i1 %more, label %next, label %end
end:
  %oa = getelementptr i32, ptr %out, i64 %i
  store i32 %sum1, ptr %oa
  ret void
}
