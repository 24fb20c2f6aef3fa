// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters by nvprof's and ncu's names: what the rules of each generation make of a copy with an offset,
// a column of a tile, and a sum by warps.
// RUN: %heddle cc -O3 %s -o %t
// RUN: env HEDDLE_DEVICE=c1060 %heddle profile --metrics gld_transactions,gst_transactions --events gld_request,shared_load_replay %t 2>&1 | FileCheck %s --check-prefix=TESLA
// RUN: env HEDDLE_DEVICE=k20 %heddle profile --csv --quiet -m gld_transactions,gst_efficiency,shared_load_transactions_per_request,flop_count_sp --log-file - %t | FileCheck %s --check-prefix=KEPLER
// RUN: env HEDDLE_DEVICE=k20 %heddle profile -m inst_executed,inst_issued,shared_replay_overhead,global_replay_overhead --events shared_ld_bank_conflict %t 2>&1 | FileCheck %s --check-prefix=REPLAYS
// RUN: env HEDDLE_DEVICE=h200 %build/lib/heddle/bin/ncu --csv --metrics l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,launch__block_size %t | FileCheck %s --check-prefix=NCU
// RUN: env HEDDLE_DEVICE=h200 %build/lib/heddle/bin/ncu -k column --set full %t | FileCheck %s --check-prefix=PAGE
// RUN: env HEDDLE_DEVICE=h200 %build/lib/heddle/bin/ncu --csv --page raw -c 1 --metrics launch__grid_size %t | FileCheck %s --check-prefix=RAW
// RUN: %heddle profile -m gld_transactions %t 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: env HEDDLE_DEVICE=k20 not %heddle profile -m gld_odd,gld_transactions %t 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: %build/lib/heddle/bin/nvprof --query-metrics | FileCheck %s --check-prefix=NAMES
// RUN: %build/lib/heddle/bin/ncu --query-metrics | FileCheck %s --check-prefix=NCUNAMES
#include <cstdio>

__global__ void offset(float *to, const float *from, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i + by] + 1;
}

__global__ void column(float *to, const float *from) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = from[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  to[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  constexpr int N = 4096;
  float *from, *to;
  cudaMalloc(&from, 2 * N * sizeof(float));
  cudaMalloc(&to, N * sizeof(float));
  cudaMemset(from, 0, 2 * N * sizeof(float));
  offset<<<N / 256, 256>>>(to, from, 8);
  column<<<1, dim3(32, 16)>>>(to, from);
  return cudaDeviceSynchronize();
}

// 128 warps, of each half 2 segments where one is split.
// TESLA: Event result:
// TESLA: Kernel: offset(float*, float const*, int)
// TESLA: 1 gld_request 128 128 128 128
// TESLA: Kernel: column(float*, float const*)
// TESLA: 1 gld_request 16 16 16 16
// TESLA: 1 shared_load_replay 480 480 480 480
// TESLA: Metric result:
// TESLA: 1 gld_transactions Global Load Transactions 384 384 384
// TESLA: 1 gst_transactions Global Store Transactions 256 256 256

// KEPLER: "Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"
// KEPLER-NEXT: "Tesla K20c (0)","offset(float*, float const*, int)",1,"gld_transactions","Global Load Transactions",512,512,512
// KEPLER-NEXT: "gst_efficiency","Global Memory Store Efficiency",100.00%,100.00%,100.00%
// KEPLER-NEXT: "flop_count_sp",{{.*}},4096,4096,4096
// KEPLER-NEXT: "column(float*, float const*)",1,"gld_transactions",{{.*}},64,64,64
// KEPLER-NEXT: "gst_efficiency"
// KEPLER-NEXT: "shared_load_transactions_per_request",{{.*}},16,16,16

// A load off by 32 bytes touches two lines; 16 loads of a column take 16 passes each.
// REPLAYS: shared_ld_bank_conflict 0
// REPLAYS: shared_ld_bank_conflict 240 240
// REPLAYS: Kernel: offset
// REPLAYS-NEXT: Invocations
// REPLAYS-NEXT: inst_executed Instructions Executed [[#EXECUTED:]]
// REPLAYS-NEXT: inst_issued Instructions Issued [[#EXECUTED+128]]
// REPLAYS: Kernel: column
// REPLAYS-NEXT: Invocations
// REPLAYS-NEXT: inst_executed Instructions Executed [[#EXECUTED:]]
// REPLAYS-NEXT: inst_issued Instructions Issued [[#EXECUTED+240]]
// REPLAYS-NEXT: shared_replay_overhead Shared Memory Replay Overhead 0.625000
// REPLAYS-NEXT: global_replay_overhead Global Memory Replay Overhead 0

// NCU: "ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
// NCU-NEXT: "0","{{[0-9]+}}","metrics.cu.tmp","127.0.0.1","offset(float*, float const*, int)","1","7","(256, 1, 1)","(16, 1, 1)","0","9.0","Command line profiler metrics","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","request","128"
// NCU-NEXT: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","512"
// NCU-NEXT: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum","","0"
// NCU-NEXT: "launch__block_size","","256"
// NCU: "1",{{.*}}"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum","","496"

// PAGE-NOT: offset
// PAGE: column(float*, float const*) (1, 1, 1)x(32, 16, 1), Context 1, Stream 7, Device 0, CC 9.0
// PAGE: Section: LaunchStats
// PAGE: launch__block_size 512

// RAW: "CC","launch__grid_size"
// RAW-NEXT: ""
// RAW-NEXT: "offset(float*, float const*, int)",{{.*}},"9.0","16"
// RAW-NOT: column

// CPU: heddle: counters are those of a GPU: name one by HEDDLE_DEVICE
// ODD: there is no counter gld_odd; --query-metrics and --query-events list them
// ODD-NOT: Kernel:
// NAMES: gld_efficiency:  Global Memory Load Efficiency
// NCUNAMES: smsp__inst_executed.sum:
