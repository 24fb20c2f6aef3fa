; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A change of an mbarrier object is one compare-and-swap, tried until it succeeds: not a loop that polls. A loop around
; a look at the object is one.
; RUN: %build/bin/heddle-warp -kernel arrive -block 32 -last-pass mark-polls %s | FileCheck %s --check-prefix=ARRIVE
; RUN: %build/bin/heddle-warp -kernel wait -block 32 -last-pass mark-polls %s | FileCheck %s --check-prefix=WAIT

@barrier = internal addrspace(3) global i64 undef, align 8

; ARRIVE-LABEL: define {{.*}}@arrive
; ARRIVE: load volatile i64
; ARRIVE: cmpxchg ptr {{.*}} monotonic monotonic, align 8
; ARRIVE-NOT: heddle.yield
; ARRIVE: ret void
define ptx_kernel void @arrive(ptr %out) {
  %b = addrspacecast ptr addrspace(3) @barrier to ptr
  %state = call i64 @change(ptr %b, i64 1)
  store i64 %state, ptr %out
  ret void
}

; WAIT-LABEL: define {{.*}}@wait
; WAIT: load volatile i64
; WAIT: call void @heddle.yield()
define ptx_kernel void @wait(ptr %out) {
  %b = addrspacecast ptr addrspace(3) @barrier to ptr
  br label %look
look:
  %now = load volatile i64, ptr %b
  %over = icmp slt i64 %now, 0
  br i1 %over, label %done, label %look
done:
  store i64 %now, ptr %out
  ret void
}
; As src/devlib/mbarrier.cpp has it, with less arithmetic.
define internal i64 @change(ptr %barrier, i64 %arrivals) {
  %first = load volatile i64, ptr %barrier
  br label %again
again:
  %before = phi i64 [ %first, %0 ], [ %seen, %again ]
  %now = sub i64 %before, %arrivals
  %pair = cmpxchg ptr %barrier, i64 %before, i64 %now monotonic monotonic, align 8
  %seen = extractvalue { i64, i1 } %pair, 0
  %done = extractvalue { i64, i1 } %pair, 1
  br i1 %done, label %end, label %again
end:
  ret i64 %before
}
