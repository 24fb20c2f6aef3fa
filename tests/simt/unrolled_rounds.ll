; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Which loops over barriers are unrolled in a program of the whole block: those whose round alone decides who takes part,
; where in shared memory, or how often an inner loop goes round.
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass=choose-form -kernel bits %s | FileCheck %s --check-prefix=BITS
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass=choose-form -kernel tiles %s | FileCheck %s --check-prefix=TILES
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass=choose-form -kernel turns %s | FileCheck %s --check-prefix=TURNS
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass=choose-form -kernel lanes %s | FileCheck %s --check-prefix=LANES
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass=choose-form -kernel lengths %s | FileCheck %s --check-prefix=LENGTHS
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass=choose-form -kernel clamped %s | FileCheck %s --check-prefix=CLAMPED
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass=choose-form -kernel given %s | FileCheck %s --check-prefix=GIVEN

@shared = internal addrspace(3) global [64 x i32] undef, align 4

; What is read from memory is shifted by the number of the outer loop's round: that remains, the inner one goes.
; BITS-LABEL: define {{.*}}@bits.thread
; BITS: %bit = phi i32
; BITS-NOT: phi i32
; BITS-COUNT-2: call void @llvm.nvvm.barrier
; BITS-NOT: barrier
; BITS: ret void
define ptx_kernel void @bits(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  br label %outer
outer:
  %bit = phi i32 [ 0, %entry ], [ %nextbit, %latch ]
  %value = load i32, ptr addrspace(3) %own
  %shifted = lshr i32 %value, %bit
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %nextk, %inner ]
  %sum = phi i32 [ %shifted, %outer ], [ %more, %inner ]
  %place = xor i32 %t, %k
  %at = getelementptr i32, ptr addrspace(3) @shared, i32 %place
  %other = load i32, ptr addrspace(3) %at
  %more = add i32 %sum, %other
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %more, ptr addrspace(3) %own
  %nextk = add nuw nsw i32 %k, 1
  %donek = icmp eq i32 %nextk, 2
  br i1 %donek, label %latch, label %inner
latch:
  %nextbit = add nuw nsw i32 %bit, 1
  %done = icmp eq i32 %nextbit, 4
  br i1 %done, label %end, label %outer
end:
  store i32 %more, ptr %out
  ret void
}

; Rows of global memory, one after the other: neighbours remain neighbours.
; TILES-LABEL: define {{.*}}@tiles.thread
; TILES: %k = phi i32
; TILES-COUNT-1: call void @llvm.nvvm.barrier
; TILES-NOT: barrier
; TILES: ret void
define ptx_kernel void @tiles(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %row = mul i32 %k, 100
  %index = add i32 %row, %t
  %at = getelementptr i32, ptr %in, i32 %index
  %value = load i32, ptr %at
  store i32 %value, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, 4
  br i1 %done, label %end, label %loop
end:
  store i32 %value, ptr %out
  ret void
}

; Two halves of a shared array in turns.
; TURNS-LABEL: define {{.*}}@turns.thread
; TURNS-NOT: phi
; TURNS-COUNT-4: call void @llvm.nvvm.barrier
; TURNS: ret void
define ptx_kernel void @turns(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %in, i32 %t
  %value = load i32, ptr %at
  %turn = and i32 %k, 1
  %half = mul i32 %turn, 32
  %place = add i32 %half, %t
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %place
  store i32 %value, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, 4
  br i1 %done, label %end, label %loop
end:
  store i32 %value, ptr %out
  ret void
}

; Those lanes take part whose index the round is compared with.
; LANES-LABEL: define {{.*}}@lanes.thread
; LANES-NOT: phi
; LANES-COUNT-4: call void @llvm.nvvm.barrier
; LANES: ret void
define ptx_kernel void @lanes(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %takes = icmp ugt i32 %t, %k
  br i1 %takes, label %part, label %latch
part:
  store i32 %t, ptr addrspace(3) %own
  br label %latch
latch:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %k, 1
  %done = icmp eq i32 %next, 4
  br i1 %done, label %end, label %loop
end:
  store i32 %t, ptr %out
  ret void
}

; The inner loop has one round more each time; in that the rounds are the same.
; LENGTHS-LABEL: define {{.*}}@lengths.thread
; LENGTHS-NOT: %j
; LENGTHS: %k.2 = phi i32
; LENGTHS-NOT: %j
; LENGTHS: ret void
define ptx_kernel void @lengths(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  %j = phi i32 [ 1, %entry ], [ %nextj, %latch ]
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %nextk, %inner ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %nextk = add nuw nsw i32 %k, 1
  %donek = icmp eq i32 %nextk, %j
  br i1 %donek, label %latch, label %inner
latch:
  %nextj = add nuw nsw i32 %j, 1
  %done = icmp eq i32 %nextj, 4
  br i1 %done, label %end, label %outer
end:
  store i32 %t, ptr %out
  ret void
}

; A clamped neighbour at a distance of the round.
; CLAMPED-LABEL: define {{.*}}@clamped.thread
; CLAMPED-NOT: phi i32
; CLAMPED-COUNT-8: call void @llvm.nvvm.barrier
; CLAMPED-NOT: barrier
; CLAMPED: ret void
define ptx_kernel void @clamped(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  br label %loop
loop:
  %k = phi i32 [ 1, %entry ], [ %twice, %loop ]
  %back = sub nsw i32 %t, %k
  %place = call i32 @llvm.smax.i32(i32 %back, i32 0)
  %at = getelementptr i32, ptr addrspace(3) @shared, i32 %place
  %value = load i32, ptr addrspace(3) %at
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %value, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %twice = shl nuw nsw i32 %k, 1
  %done = icmp eq i32 %twice, 16
  br i1 %done, label %end, label %loop
end:
  store i32 %value, ptr %out
  ret void
}

; Not if the bound is known at run time only.
; GIVEN-LABEL: define {{.*}}@given.thread
; GIVEN: %k = phi i32
; GIVEN-COUNT-2: call void @llvm.nvvm.barrier
; GIVEN-NOT: barrier
; GIVEN: ret void
define ptx_kernel void @given(ptr %out, i32 %least) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  br label %loop
loop:
  %k = phi i32 [ 1, %entry ], [ %twice, %loop ]
  %back = sub nsw i32 %t, %k
  %place = call i32 @llvm.smax.i32(i32 %back, i32 %least)
  %at = getelementptr i32, ptr addrspace(3) @shared, i32 %place
  %value = load i32, ptr addrspace(3) %at
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %value, ptr addrspace(3) %own
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %twice = shl nuw nsw i32 %k, 1
  %done = icmp eq i32 %twice, 16
  br i1 %done, label %end, label %loop
end:
  store i32 %value, ptr %out
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.smax.i32(i32, i32)
