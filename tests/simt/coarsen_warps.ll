; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; The inner loop of a matrix product in a block of 32x8 threads: eight warps as one program load the row of B once, since
; it repeats after 32 lanes, and an element of A for each warp.
; RUN: %build/bin/heddle-warp -width 256 -block 32,8 -last-pass widen %s | FileCheck %s --check-prefix=WIDE
; RUN: %build/bin/heddle-warp -width 0 -block 32,8 -last-pass build-entry %s | FileCheck %s --check-prefix=CHOSEN

; With registers of eight floats two warps have eight sums in flight: more warps gain too little.
; RUN: %build/bin/heddle-warp -width 0 -block 32,8 -target-cpu x86-64-v3 -last-pass build-entry %s | FileCheck %s --check-prefix=NARROW

; A binary search waits for each gather before it knows the next one's place: two warps wait together.
; RUN: %build/bin/heddle-warp -kernel search -width 0 -block 256 -last-pass build-entry %s | FileCheck %s --check-prefix=NARROW

; All of x is loaded before y is stored, since y may be a part of it, and 16 registers of eight floats are not many. The same
; array's elements go one by one.
; RUN: %build/bin/heddle-warp -kernel ordered -width 0 -block 256 -target-cpu x86-64-v3 -last-pass build-entry %s | FileCheck %s --check-prefix=NARROW
; RUN: %build/bin/heddle-warp -kernel ordered -width 0 -block 256 -last-pass build-entry %s | FileCheck %s --check-prefix=CHOSEN
; RUN: %build/bin/heddle-warp -kernel alone -width 0 -block 256 -target-cpu x86-64-v3 -last-pass build-entry %s | FileCheck %s --check-prefix=CHOSEN

; Lanes that part by what they have loaded after an inner loop do not wait for others in it; in it they do.
; RUN: %build/bin/heddle-warp -kernel greatest -width 0 -block 256 -last-pass build-entry %s | FileCheck %s --check-prefix=CHOSEN
; RUN: %build/bin/heddle-warp -kernel some -width 0 -block 256 -last-pass build-entry %s | FileCheck %s --check-prefix=WARP

; What is chosen with other costs, a line for each list: nothing is worth more than a warp, all is worth it.
; RUN: %build/bin/heddle-warp -width 0 -block 32,8 -lanes-with= -lanes-with=Worthwhile=0.01 -lanes-with=WorthTwice=0.5 %s | FileCheck %s --check-prefix=COSTS
; RUN: not %build/bin/heddle-warp -lanes-with=Width=2 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

; COSTS: 256
; COSTS-NEXT: 32
; COSTS-NEXT: 64
; UNKNOWN: heddle-warp: HEDDLE_COSTS: no cost is named 'Width'

; WIDE-LABEL: define internal void @kernel.thread.warp
; WIDE-COUNT-8: masked.load.v1f32
; WIDE-NOT: masked.load.v1f32
; WIDE: masked.load.v32f32
; WIDE-NOT: gather
; WIDE: ret void

; CHOSEN: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 256,
; WARP: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32,
; NARROW: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 64,

@values = internal addrspace(3) global [256 x i32] undef

define ptx_kernel void @kernel(ptr %c, ptr %a, ptr %b, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %column = zext nneg i32 %x to i64
  %y64 = zext nneg i32 %y to i64
  %n64 = zext i32 %n to i64
  %row = mul i64 %y64, %n64
  %rowOfA = getelementptr float, ptr %a, i64 %row
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %pa = getelementptr float, ptr %rowOfA, i64 %k
  %left = load float, ptr %pa
  %kn = mul i64 %k, %n64
  %rowOfB = getelementptr float, ptr %b, i64 %kn
  %pb = getelementptr float, ptr %rowOfB, i64 %column
  %right = load float, ptr %pb
  %product = fmul float %left, %right
  %more = fadd float %sum, %product
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n64
  br i1 %again, label %loop, label %done
done:
  %rowOfC = getelementptr float, ptr %c, i64 %row
  %pc = getelementptr float, ptr %rowOfC, i64 %column
  store float %more, ptr %pc
  ret void
}

define ptx_kernel void @ordered(ptr %y, ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %first = shl nuw nsw i32 %b, 8
  %start = add nuw nsw i32 %first, %t
  %i0 = zext nneg i32 %start to i64
  %threads = shl nuw nsw i32 %blocks, 8
  %step = zext nneg i32 %threads to i64
  %n64 = zext i32 %n to i64
  br label %loop
loop:
  %i = phi i64 [ %i0, %entry ], [ %next, %loop ]
  %px = getelementptr float, ptr %x, i64 %i
  %left = load float, ptr %px
  %py = getelementptr float, ptr %y, i64 %i
  %right = load float, ptr %py
  %sum = call float @llvm.fma.f32(float %left, float 3.0, float %right)
  store float %sum, ptr %py
  %next = add nuw nsw i64 %i, %step
  %again = icmp ult i64 %next, %n64
  br i1 %again, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @alone(ptr %y, ptr %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %first = shl nuw nsw i32 %b, 8
  %start = add nuw nsw i32 %first, %t
  %i0 = zext nneg i32 %start to i64
  %threads = shl nuw nsw i32 %blocks, 8
  %step = zext nneg i32 %threads to i64
  %n64 = zext i32 %n to i64
  br label %loop
loop:
  %i = phi i64 [ %i0, %entry ], [ %next, %loop ]
  %px = getelementptr float, ptr %y, i64 %i
  %left = load float, ptr %px
  %py = getelementptr float, ptr %y, i64 %i
  %right = load float, ptr %py
  %sum = call float @llvm.fma.f32(float %left, float 3.0, float %right)
  store float %sum, ptr %py
  %next = add nuw nsw i64 %i, %step
  %again = icmp ult i64 %next, %n64
  br i1 %again, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @search(ptr %out, ptr %in, ptr %table, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %px = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %px
  br label %loop
loop:
  %low = phi i32 [ 0, %entry ], [ %low.next, %loop ]
  %high = phi i32 [ %n, %entry ], [ %high.next, %loop ]
  %both = add i32 %low, %high
  %middle = lshr i32 %both, 1
  %at = zext nneg i32 %middle to i64
  %p = getelementptr i32, ptr %table, i64 %at
  %v = load i32, ptr %p
  %isLess = icmp ult i32 %v, %x
  %above = add i32 %middle, 1
  %low.next = select i1 %isLess, i32 %above, i32 %low
  %high.next = select i1 %isLess, i32 %high, i32 %middle
  %again = icmp ult i32 %low.next, %high.next
  br i1 %again, label %loop, label %done
done:
  %po = getelementptr i32, ptr %out, i64 %i
  store i32 %low.next, ptr %po
  ret void
}
define ptx_kernel void @greatest(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %mine = getelementptr i32, ptr addrspace(3) @values, i64 %i
  %there = xor i64 %i, 128
  %other = getelementptr i32, ptr addrspace(3) @values, i64 %there
  br label %round
round:
  %r = phi i32 [ 0, %entry ], [ %r.next, %round.end ]
  br label %read
read:
  %k = phi i32 [ 0, %round ], [ %k.next, %read ]
  %sum = phi i32 [ 0, %round ], [ %sum.next, %read ]
  %first = shl nuw nsw i32 %k, 8
  %place = add nuw nsw i32 %first, %t
  %at = zext nneg i32 %place to i64
  %p = getelementptr i32, ptr %in, i64 %at
  %v = load i32, ptr %p
  %sum.next = add i32 %sum, %v
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %read, label %look
look:
  store i32 %sum.next, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %beside = load i32, ptr addrspace(3) %other
  %isGreater = icmp sgt i32 %beside, %sum.next
  br i1 %isGreater, label %take, label %round.end
take:
  %po = getelementptr i32, ptr %out, i64 %i
  store i32 %beside, ptr %po
  br label %round.end
round.end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r.next = add nuw nsw i32 %r, 1
  %again = icmp slt i32 %r.next, %n
  br i1 %again, label %round, label %done
done:
  ret void
}

define ptx_kernel void @some(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %i.odd = or i64 %i, 1
  %mine = getelementptr i32, ptr addrspace(3) @values, i64 %i
  %there = xor i64 %i, 128
  %other = getelementptr i32, ptr addrspace(3) @values, i64 %there
  br label %round
round:
  %r = phi i32 [ 0, %entry ], [ %r.next, %round.end ]
  %beside = load i32, ptr addrspace(3) %other
  %isGreater = icmp sgt i32 %beside, %r
  br i1 %isGreater, label %ahead, label %round.end
ahead:
  %beyond = getelementptr i32, ptr addrspace(3) @values, i64 %i.odd
  %next = load i32, ptr addrspace(3) %beyond
  %isLess = icmp slt i32 %next, %beside
  store i32 %beside, ptr %out
  br i1 %isLess, label %read.start, label %round.end
read.start:
  br label %read
read:
  %k = phi i32 [ 0, %read.start ], [ %k.next, %read ]
  %sum = phi i32 [ 0, %read.start ], [ %sum.next, %read ]
  %first = shl nuw nsw i32 %k, 8
  %place = add nuw nsw i32 %first, %t
  %at = zext nneg i32 %place to i64
  %p = getelementptr i32, ptr %in, i64 %at
  %v = load i32, ptr %p
  %sum.next = add i32 %sum, %v
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %read, label %look
look:
  store i32 %sum.next, ptr addrspace(3) %mine
  br label %round.end
round.end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r.next = add nuw nsw i32 %r, 1
  %again = icmp slt i32 %r.next, %n
  br i1 %again, label %round, label %done
done:
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
