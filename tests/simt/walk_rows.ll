; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Lanes that walk along rows of their own wait for memory: several warps are one program, also if they claim what they find by
; a compare-and-swap. Not if the end of the walk depends on it, for which a warp may wait.
; RUN: %build/bin/heddle-warp -kernel walk -block 256 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefix=WIDE
; RUN: %build/bin/heddle-warp -kernel walk -block 256 -width 0 -target-cpu x86-64-v3 -last-pass build-entry %s | FileCheck %s --check-prefix=WIDE
; RUN: %build/bin/heddle-warp -kernel wait -block 256 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefix=WARP

; WIDE: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 {{64|128}},
; WARP: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32,

define ptx_kernel void @walk(ptr %starts, ptr %edges, ptr %seen) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %starts, i64 %i
  %first = load i32, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %last = load i32, ptr %q
  br label %loop
loop:
  %e = phi i32 [ %first, %entry ], [ %next, %joined ]
  %at = sext i32 %e to i64
  %edge = getelementptr i32, ptr %edges, i64 %at
  %other = load i32, ptr %edge
  %to = sext i32 %other to i64
  %node = getelementptr i32, ptr %seen, i64 %to
  %old = load i32, ptr %node
  %new = icmp slt i32 %old, 0
  br i1 %new, label %claim, label %joined
claim:
  %pair = cmpxchg ptr %node, i32 -1, i32 %t monotonic monotonic
  %mine = extractvalue { i32, i1 } %pair, 1
  br i1 %mine, label %found, label %joined
found:
  %copy = getelementptr i8, ptr %node, i64 1048576
  store i32 %e, ptr %copy
  br label %joined
joined:
  %next = add nsw i32 %e, 1
  %again = icmp slt i32 %next, %last
  br i1 %again, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @wait(ptr %starts, ptr %edges, ptr %seen) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr i32, ptr %starts, i64 %i
  %first = load i32, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %last = load i32, ptr %q
  br label %loop
loop:
  %e = phi i32 [ %first, %entry ], [ %next, %joined ]
  %at = sext i32 %e to i64
  %edge = getelementptr i32, ptr %edges, i64 %at
  %other = load i32, ptr %edge
  %to = sext i32 %other to i64
  %node = getelementptr i32, ptr %seen, i64 %to
  %old = load i32, ptr %node
  %new = icmp slt i32 %old, 0
  br i1 %new, label %claim, label %joined
claim:
  %pair = cmpxchg ptr %node, i32 -1, i32 %t monotonic monotonic
  %mine = extractvalue { i32, i1 } %pair, 1
  br i1 %mine, label %found, label %joined
found:
  br label %joined
joined:
  %step = phi i32 [ 1, %found ], [ 0, %claim ], [ 0, %loop ]
  %next = add nsw i32 %e, %step
  %again = icmp slt i32 %next, %last
  br i1 %again, label %loop, label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
