; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A loop around a look at an mbarrier object is one that polls; a compare-and-swap that is tried until it succeeds is not.
; RUN: %build/bin/heddle-warp -kernel retry -block 32 -last-pass mark-polls %s | FileCheck %s --check-prefix=RETRY
; RUN: %build/bin/heddle-warp -kernel wait -block 32 -last-pass mark-polls %s | FileCheck %s --check-prefix=WAIT
;
; Lanes that arrive at one barrier do so together, and go on together: kernels that arrive and wait in each round stay
; warps. Not if lanes have barriers of their own, or look at their tokens.
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel rounds -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel ofTiles -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel counts -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel tells -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 32 -block 64 -kernel rounds -last-pass widen %s | FileCheck %s --check-prefix=TOGETHER
; RUN: %build/bin/heddle-warp -width 32 -block 64 -kernel arrives -last-pass widen %s | FileCheck %s --check-prefix=ARRIVES
; ONE: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 1,
; WARP: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32,

@barrier = internal addrspace(3) global i64 undef, align 8
@barriers = internal addrspace(3) global [4 x i64] undef, align 8
declare i64 @__heddle_mbarrier_change(ptr, i32, i32, i64)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; RETRY-LABEL: define {{.*}}@retry
; RETRY: load volatile i64
; RETRY: cmpxchg ptr {{.*}} monotonic monotonic, align 8
; RETRY-NOT: heddle.yield
; RETRY: ret void
define ptx_kernel void @retry(ptr %out) {
  %b = addrspacecast ptr addrspace(3) @barrier to ptr
  %first = load volatile i64, ptr %b
  br label %again
again:
  %before = phi i64 [ %first, %0 ], [ %seen, %again ]
  %now = sub i64 %before, 1
  %pair = cmpxchg ptr %b, i64 %before, i64 %now monotonic monotonic, align 8
  %seen = extractvalue { i64, i1 } %pair, 0
  %done = extractvalue { i64, i1 } %pair, 1
  br i1 %done, label %end, label %again
end:
  store i64 %before, ptr %out
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

; TOGETHER-LABEL: define {{.*}}@rounds{{.*}}warp
; TOGETHER: [[BEFORE:%.*]] = load volatile i64, ptr
; TOGETHER: [[MISSING:%.*]] = and i64 [[BEFORE]], 1048575
; TOGETHER: [[FITS:%.*]] = icmp ule i64 {{.*}}, [[MISSING]]
; TOGETHER: br i1 [[FITS]], label %together, label %apart
; TOGETHER: together:
; TOGETHER: store volatile i64
; TOGETHER: apart:
; TOGETHER: unreachable
define ptx_kernel void @rounds(i32 %n) {
entry:
  %b = addrspacecast ptr addrspace(3) @barrier to ptr
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  %token = call i64 @__heddle_mbarrier_change(ptr %b, i32 1, i32 0, i64 0)
  br label %look
look:
  %now = load volatile i64, ptr %b
  %differ = xor i64 %now, %token
  %over = icmp slt i64 %differ, 0
  br i1 %over, label %end, label %look
end:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %round, label %done
done:
  ret void
}

; Sixteen lanes have a barrier.
define ptx_kernel void @ofTiles(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tile = lshr i32 %t, 4
  %own = getelementptr i64, ptr addrspace(3) @barriers, i32 %tile
  %b = addrspacecast ptr addrspace(3) %own to ptr
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  %token = call i64 @__heddle_mbarrier_change(ptr %b, i32 1, i32 0, i64 0)
  br label %look
look:
  %now = load volatile i64, ptr %b
  %differ = xor i64 %now, %token
  %over = icmp slt i64 %differ, 0
  br i1 %over, label %end, label %look
end:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %round, label %done
done:
  ret void
}

; What was missing is another number for each lane.
define ptx_kernel void @counts(i32 %n, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i64, ptr %out, i32 %t
  %b = addrspacecast ptr addrspace(3) @barrier to ptr
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  %token = call i64 @__heddle_mbarrier_change(ptr %b, i32 1, i32 0, i64 0)
  %missing = and i64 %token, 1048575
  store i64 %missing, ptr %at
  br label %look
look:
  %now = load volatile i64, ptr %b
  %differ = xor i64 %now, %token
  %over = icmp slt i64 %differ, 0
  br i1 %over, label %end, label %look
end:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %round, label %done
done:
  ret void
}

; Bytes are told of one lane after the other.
define ptx_kernel void @tells(i32 %n) {
entry:
  %b = addrspacecast ptr addrspace(3) @barrier to ptr
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  %token = call i64 @__heddle_mbarrier_change(ptr %b, i32 1, i32 0, i64 16)
  br label %look
look:
  %now = load volatile i64, ptr %b
  %differ = xor i64 %now, %token
  %over = icmp slt i64 %differ, 0
  br i1 %over, label %end, label %look
end:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %round, label %done
done:
  ret void
}

; Without tokens the lanes may go into the next phase, one after the other.
; ARRIVES-LABEL: define {{.*}}@arrives{{.*}}warp
; ARRIVES: br i1 {{.*}}, label %together, label %apart
; ARRIVES-NOT: unreachable
define ptx_kernel void @arrives(i32 %count) {
  %b = addrspacecast ptr addrspace(3) @barrier to ptr
  %token = call i64 @__heddle_mbarrier_change(ptr %b, i32 %count, i32 0, i64 0)
  ret void
}
