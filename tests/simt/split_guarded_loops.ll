; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A tile that is filled under guards: the rounds in which all threads of the block pass them run in a copy of the loop, which
; asks no guard and reads from where the tile was copied. The guards are asked once for all threads.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel choice -objects 8,1,16,2 -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=CHOICE
; An index that some threads have less of than all have in common may not wrap around.
; LEGAL split-guarded-loops: no wrap
; RUN: %build/bin/heddle-warp -block 4,4 -kernel wraps -objects 8,1,16,2 -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=WRAPS
; A guard without else: the last whole round stores to the tile, which the rounds behind it may read.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel keeps -objects 8,1,16,2 -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=KEEPS
; Elements that are read often: the copy is for rows that the caches hold.
; RUN: %build/bin/heddle-warp -block 16,16 -kernel columns -target-cpu x86-64-v3 -objects 8,1,16,2 -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=ROWS
; Unrolled sums of a block whose sums are all in registers are a loop again, and the tile stays.
; RUN: %build/bin/heddle-warp -block 16 -kernel unrolled -objects 8,1,16,2 -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=ROLLED
; RUN: %build/bin/heddle-warp -block 16 -kernel unrolled -disable=reroll-sums,propagate-tile-copies -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=UNROLLED
; Not where some threads never pass, where the guard asks for what is loaded, and where the copy would be left off.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel byFew -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -kernel byData -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -kernel choice -disable=split-guarded-loops -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=TILE


; CHOICE-LABEL: define {{.*}} @choice
; CHOICE: [[LAST:%.*]] = or disjoint i32 %top, 3
; CHOICE-NEXT: [[DOWN:%.*]] = icmp slt i32 [[LAST]], [[N:%.*]]
; CHOICE-NEXT: [[COLUMNS:%.*]] = icmp sgt i32 [[N]], 3
; CHOICE-NEXT: [[WHOLE:%.*]] = and i1 [[DOWN]], [[COLUMNS]]
; CHOICE-NEXT: br i1 [[WHOLE]], label %enter, label %rest
; CHOICE: rest:
; CHOICE-NEXT: phi i32 [ 0, %params ], [ %next.front.lcssa, %out ]
; CHOICE-NEXT: phi float [ 0.000000e+00, %params ], [ %more.front.lcssa.lcssa, %out ]
; CHOICE: br i1 %passes, label %copy, label %filled
; CHOICE: store float %w, ptr addrspace(3) %cell
; CHOICE-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; CHOICE: load float, ptr addrspace(3)
; CHOICE: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; CHOICE: enter:
; CHOICE-NOT: {{barrier|addrspace|passes}}
; CHOICE: load float, ptr
; CHOICE-NOT: {{barrier|addrspace|passes}}
; CHOICE: %next.front = add nuw nsw i32 %start.front, 4
; CHOICE-NEXT: %on.front = icmp slt i32 %next.front, [[N]]
; CHOICE-NEXT: [[NEXT:%.*]] = add {{.*}}i32 %start.front, 7
; CHOICE-NEXT: [[FITS:%.*]] = icmp slt i32 [[NEXT]], [[N]]
; CHOICE-NEXT: [[AGAIN:%.*]] = select i1 %on.front, i1 [[FITS]], i1 false
; CHOICE: br i1 [[AGAIN]], label %loop.front, label %out
; CHOICE: out:
; CHOICE: br i1 %on.front.lcssa, label %rest, label %done

; WRAPS-LABEL: define {{.*}} @wraps
; WRAPS: [[LEAST:%.*]] = add {{.*}}i32 %begin, -1
; WRAPS-NEXT: [[RANGE:%.*]] = icmp ult i32 [[LEAST]], -3
; WRAPS-NEXT: [[MOST:%.*]] = add {{.*}}i32 %begin, 2
; WRAPS-NEXT: [[IN:%.*]] = icmp ult i32 [[MOST]], %{{.*}}
; WRAPS-NEXT: [[WHOLE:%.*]] = and i1 [[IN]], [[RANGE]]
; WRAPS-NEXT: br i1 [[WHOLE]], label %loop.front.preheader, label %rest
; WRAPS: {{^}}loop.front:
; WRAPS-NOT: barrier

; KEEPS-LABEL: define {{.*}} @keeps
; KEEPS: icmp sgt i32 [[N:%.*]], 7
; KEEPS: br i1 {{.*}}, label %enter, label %rest
; KEEPS: enter:
; KEEPS-NOT: barrier
; KEEPS-DAG: add {{.*}}i32 %start.front, 4
; KEEPS-DAG: add {{.*}}i32 %start.front, 7
; KEEPS-DAG: add {{.*}}i32 %start.front, 8
; KEEPS-DAG: add {{.*}}i32 %start.front, 11
; KEEPS: br i1 {{.*}}, label %loop.front, label %out

; ROWS-LABEL: define {{.*}} @columns
; ROWS: [[STEP:%.*]] = call i64 @llvm.abs.i64
; ROWS-NEXT: [[MINUS:%.*]] = sub {{.*}}i64 0, [[STEP]]
; ROWS-NEXT: [[POWER:%.*]] = and i64 [[STEP]], [[MINUS]]
; ROWS-NEXT: [[FAR:%.*]] = call i64 @llvm.umin.i64(i64 [[STEP]], i64 4096)
; ROWS-NEXT: [[PAGES:%.*]] = mul {{.*}}i64 [[DOWN:%.*]], [[FAR]]
; ROWS-NEXT: [[FEW:%.*]] = icmp {{.*}}ult i64 [[PAGES]], 5242881
; ROWS-NEXT: [[PLACES:%.*]] = mul {{.*}}i64 [[DOWN]], [[POWER]]
; ROWS-NEXT: [[APART:%.*]] = icmp ult i64 [[PLACES]], 1048577
; ROWS-NEXT: [[FIT:%.*]] = select i1 [[FEW]], i1 [[APART]], i1 false
; ROWS-NEXT: br i1 [[FIT]], label %loop.front.preheader, label %loop.preheader
; ROWS: store float %v, ptr addrspace(3) %cell
; ROWS: loop.front:
; ROWS-NOT: addrspace(3)
; ROWS: br i1 %on.front, label %loop.front, label %done

; ROLLED-LABEL: define {{.*}} @unrolled
; ROLLED: store float %v, ptr
; ROLLED: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; ROLLED: [[TURN:%.*]] = phi i32 [ 0, {{.*}} ], [ [[NEXT:%.*]], {{.*}} ]
; ROLLED: load float
; ROLLED-NOT: load
; ROLLED: fadd float
; ROLLED-NOT: fadd
; ROLLED: [[NEXT]] = add nuw nsw i32 [[TURN]], 1
; ROLLED-NEXT: icmp eq i32 [[NEXT]], 16
; ROLLED: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; ROLLED: ret void

; UNROLLED-LABEL: define {{.*}} @unrolled
; UNROLLED-COUNT-16: fadd float
; UNROLLED: ret void

; TILE: store float
; TILE: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; TILE: load float
; TILE: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; TILE-NOT: {{barrier|\.front}}
; TILE: ret void

@tile = internal addrspace(3) global [256 x float] undef, align 4

define ptx_kernel void @choice(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %top = shl i32 %block, 2
  %row = add i32 %top, %y
  %line = mul nsw i32 %row, %n
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %y to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %begin = ashr i32 %n, 1
  br label %loop
loop:
  %start = phi i32 [ 0, %0 ], [ %next, %end ]
  %sum = phi float [ 0.0, %0 ], [ %more, %end ]
  %here = add nsw i32 %start, %x
  %rowIn = icmp slt i32 %row, %n
  %columnIn = icmp slt i32 %here, %n
  %passes = select i1 %rowIn, i1 %columnIn, i1 false
  br i1 %passes, label %copy, label %filled
copy:
  %at = add nsw i32 %start, %x
  %i = add nsw i32 %line, %at
  %far = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %far
  %v = load float, ptr %p
  br label %filled
filled:
  %w = phi float [ %v, %copy ], [ 0.0, %loop ]
  store float %w, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %inner
inner:
  %k = phi i64 [ 0, %filled ], [ %nextK, %inner ]
  %soFar = phi float [ %sum, %filled ], [ %more, %inner ]
  %place = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %k
  %r = load float, ptr addrspace(3) %place
  %more = fadd float %soFar, %r
  %nextK = add nuw nsw i64 %k, 1
  %onK = icmp ult i64 %nextK, 4
  br i1 %onK, label %inner, label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %start, 4
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %mine = add nsw i32 %line, %x
  %farMine = sext i32 %mine to i64
  %q = getelementptr float, ptr %c, i64 %farMine
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @wraps(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %top = shl i32 %block, 2
  %row = add i32 %top, %y
  %line = mul nsw i32 %row, %n
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %y to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %begin = ashr i32 %n, 1
  br label %loop
loop:
  %start = phi i32 [ %begin, %0 ], [ %next, %end ]
  %sum = phi float [ 0.0, %0 ], [ %more, %end ]
  %here = add i32 %start, %x
  %left = add i32 %here, -1
  %passes = icmp ult i32 %left, %n
  br i1 %passes, label %copy, label %filled
copy:
  %at = add nsw i32 %start, %x
  %i = add nsw i32 %line, %at
  %far = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %far
  %v = load float, ptr %p
  br label %filled
filled:
  %w = phi float [ %v, %copy ], [ 0.0, %loop ]
  store float %w, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %inner
inner:
  %k = phi i64 [ 0, %filled ], [ %nextK, %inner ]
  %soFar = phi float [ %sum, %filled ], [ %more, %inner ]
  %place = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %k
  %r = load float, ptr addrspace(3) %place
  %more = fadd float %soFar, %r
  %nextK = add nuw nsw i64 %k, 1
  %onK = icmp ult i64 %nextK, 4
  br i1 %onK, label %inner, label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %start, 4
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %mine = add nsw i32 %line, %x
  %farMine = sext i32 %mine to i64
  %q = getelementptr float, ptr %c, i64 %farMine
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @keeps(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %top = shl i32 %block, 2
  %row = add i32 %top, %y
  %line = mul nsw i32 %row, %n
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %y to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %begin = ashr i32 %n, 1
  br label %loop
loop:
  %start = phi i32 [ 0, %0 ], [ %next, %end ]
  %sum = phi float [ 0.0, %0 ], [ %more, %end ]
  %here = add nsw i32 %start, %x
  %rowIn = icmp slt i32 %row, %n
  %columnIn = icmp slt i32 %here, %n
  %passes = select i1 %rowIn, i1 %columnIn, i1 false
  br i1 %passes, label %copy, label %else
copy:
  %at = add nsw i32 %start, %x
  %i = add nsw i32 %line, %at
  %far = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %far
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  br label %else
else:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %inner
inner:
  %k = phi i64 [ 0, %else ], [ %nextK, %inner ]
  %soFar = phi float [ %sum, %else ], [ %more, %inner ]
  %place = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %k
  %r = load float, ptr addrspace(3) %place
  %more = fadd float %soFar, %r
  %nextK = add nuw nsw i64 %k, 1
  %onK = icmp ult i64 %nextK, 4
  br i1 %onK, label %inner, label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %start, 4
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %mine = add nsw i32 %line, %x
  %farMine = sext i32 %mine to i64
  %q = getelementptr float, ptr %c, i64 %farMine
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @columns(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %top = shl i32 %block, 4
  %row = add i32 %top, %y
  %line = mul nsw i32 %row, %n
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %y to i64
  %rowOfTile = getelementptr [16 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %begin = ashr i32 %n, 1
  br label %loop
loop:
  %start = phi i32 [ 0, %0 ], [ %next, %end ]
  %sum = phi float [ 0.0, %0 ], [ %more, %end ]
  %at = add nsw i32 %start, %y
  %lineOfTile = mul nsw i32 %at, %n
  %i = add nsw i32 %lineOfTile, %x
  %far = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %far
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %inner
inner:
  %k = phi i64 [ 0, %loop ], [ %nextK, %inner ]
  %soFar = phi float [ %sum, %loop ], [ %more, %inner ]
  %its = getelementptr [16 x float], ptr addrspace(3) @tile, i64 %k
  %place = getelementptr float, ptr addrspace(3) %its, i64 %wideX
  %r = load float, ptr addrspace(3) %place
  %more = fadd float %soFar, %r
  %nextK = add nuw nsw i64 %k, 1
  %onK = icmp ult i64 %nextK, 16
  br i1 %onK, label %inner, label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %start, 16
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %mine = add nsw i32 %line, %x
  %farMine = sext i32 %mine to i64
  %q = getelementptr float, ptr %c, i64 %farMine
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @byFew(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %top = shl i32 %block, 2
  %row = add i32 %top, %y
  %line = mul nsw i32 %row, %n
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %y to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %begin = ashr i32 %n, 1
  br label %loop
loop:
  %start = phi i32 [ 0, %0 ], [ %next, %end ]
  %sum = phi float [ 0.0, %0 ], [ %more, %end ]
  %passes = icmp ult i32 %x, 2
  br i1 %passes, label %copy, label %filled
copy:
  %at = add nsw i32 %start, %x
  %i = add nsw i32 %line, %at
  %far = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %far
  %v = load float, ptr %p
  br label %filled
filled:
  %w = phi float [ %v, %copy ], [ 0.0, %loop ]
  store float %w, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %inner
inner:
  %k = phi i64 [ 0, %filled ], [ %nextK, %inner ]
  %soFar = phi float [ %sum, %filled ], [ %more, %inner ]
  %place = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %k
  %r = load float, ptr addrspace(3) %place
  %more = fadd float %soFar, %r
  %nextK = add nuw nsw i64 %k, 1
  %onK = icmp ult i64 %nextK, 4
  br i1 %onK, label %inner, label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %start, 4
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %mine = add nsw i32 %line, %x
  %farMine = sext i32 %mine to i64
  %q = getelementptr float, ptr %c, i64 %farMine
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @byData(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %top = shl i32 %block, 2
  %row = add i32 %top, %y
  %line = mul nsw i32 %row, %n
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %y to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %begin = ashr i32 %n, 1
  br label %loop
loop:
  %start = phi i32 [ 0, %0 ], [ %next, %end ]
  %sum = phi float [ 0.0, %0 ], [ %more, %end ]
  %here = add nsw i32 %start, %x
  %farHere = sext i32 %here to i64
  %flagAt = getelementptr inbounds i32, ptr %c, i64 %farHere
  %flag = load i32, ptr %flagAt
  %passes = icmp slt i32 %flag, %n
  br i1 %passes, label %copy, label %filled
copy:
  %at = add nsw i32 %start, %x
  %i = add nsw i32 %line, %at
  %far = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %far
  %v = load float, ptr %p
  br label %filled
filled:
  %w = phi float [ %v, %copy ], [ 0.0, %loop ]
  store float %w, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %inner
inner:
  %k = phi i64 [ 0, %filled ], [ %nextK, %inner ]
  %soFar = phi float [ %sum, %filled ], [ %more, %inner ]
  %place = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %k
  %r = load float, ptr addrspace(3) %place
  %more = fadd float %soFar, %r
  %nextK = add nuw nsw i64 %k, 1
  %onK = icmp ult i64 %nextK, 4
  br i1 %onK, label %inner, label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %start, 4
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %mine = add nsw i32 %line, %x
  %farMine = sext i32 %mine to i64
  %q = getelementptr float, ptr %c, i64 %farMine
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @unrolled(i32 %n, ptr %a, ptr %c) {
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
  %p5 = getelementptr float, ptr addrspace(3) @tile, i64 5
  %w5 = load float, ptr addrspace(3) %p5
  %m5 = fmul float %w5, %v
  %s5 = fadd float %s4, %m5
  %p6 = getelementptr float, ptr addrspace(3) @tile, i64 6
  %w6 = load float, ptr addrspace(3) %p6
  %m6 = fmul float %w6, %v
  %s6 = fadd float %s5, %m6
  %p7 = getelementptr float, ptr addrspace(3) @tile, i64 7
  %w7 = load float, ptr addrspace(3) %p7
  %m7 = fmul float %w7, %v
  %s7 = fadd float %s6, %m7
  %p8 = getelementptr float, ptr addrspace(3) @tile, i64 8
  %w8 = load float, ptr addrspace(3) %p8
  %m8 = fmul float %w8, %v
  %s8 = fadd float %s7, %m8
  %p9 = getelementptr float, ptr addrspace(3) @tile, i64 9
  %w9 = load float, ptr addrspace(3) %p9
  %m9 = fmul float %w9, %v
  %s9 = fadd float %s8, %m9
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
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
