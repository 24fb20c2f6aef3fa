// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters that need the model's run: the same digits each time. Of three launches of a kernel two are
// chosen by --kernel-id.
// RUN: %heddle cc -O3 %s -o %t
// RUN: env HEDDLE_DEVICE=h200 %build/lib/heddle/bin/ncu --csv --kernel-id "::regex:scale|part:1|3" --metrics gpu__time_duration.sum,sm__warps_active.avg.pct_of_peak_sustained_active,sm__inst_executed.avg.per_cycle_active,dram__bytes_read.sum,lts__t_sectors_op_write.sum,smsp__inst_executed_op_branch.sum,smsp__sass_branch_targets_threads_divergent.sum %t > %t.one
// RUN: env HEDDLE_DEVICE=h200 %build/lib/heddle/bin/ncu --csv --kernel-id "::regex:scale|part:1|3" --metrics gpu__time_duration.sum,sm__warps_active.avg.pct_of_peak_sustained_active,sm__inst_executed.avg.per_cycle_active,dram__bytes_read.sum,lts__t_sectors_op_write.sum,smsp__inst_executed_op_branch.sum,smsp__sass_branch_targets_threads_divergent.sum %t > %t.other
// RUN: grep gpu__time %t.one | cut -d, -f12- > %t.times && grep gpu__time %t.other | cut -d, -f12- | diff - %t.times
// RUN: FileCheck %s --check-prefix=NCU < %t.one
// RUN: env HEDDLE_DEVICE=k20 %heddle profile -m achieved_occupancy,ipc,gld_throughput,dram_read_bytes,branch_efficiency,stall_memory_dependency --events divergent_branch %t 2>&1 | FileCheck %s --check-prefix=NVPROF
// RUN: not %build/lib/heddle/bin/ncu --kernel-id scale %t 2>&1 | FileCheck %s --check-prefix=BAD

__global__ void scale(float *to, const float *from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = 2 * from[i];
}

/// Each warp goes both ways; a division is too long for a predicate.
__global__ void part(float *to) {
  if (threadIdx.x % 2)
    atomicAdd(&to[threadIdx.x], 1);
  else
    atomicExch(&to[threadIdx.x], to[threadIdx.x + 64] / to[threadIdx.x + 128]);
}

int main() {
  constexpr int N = 1 << 20;
  float *from, *to;
  cudaMalloc(&from, N * sizeof(float));
  cudaMalloc(&to, N * sizeof(float));
  cudaMemset(from, 0, N * sizeof(float));
  for (int i = 0; i < 3; ++i)
    scale<<<N / 256, 256>>>(to, from);
  part<<<1, 64>>>(to);
  return cudaDeviceSynchronize();
}

// NCU: "0",{{.*}}"scale(float*, float const*)",{{.*}}"gpu__time_duration.sum","ns","{{[0-9.]+}}"
// NCU: "sm__warps_active.avg.pct_of_peak_sustained_active","%","{{[0-9.]+}}"
// NCU: "sm__inst_executed.avg.per_cycle_active","inst/cycle","{{[0-9.]+}}"
// NCU: "dram__bytes_read.sum","byte","{{[0-9]+}}
// Sectors that pass both halves of L2 count twice.
// NCU: "lts__t_sectors_op_write.sum","sector","196608"
// NCU: "smsp__inst_executed_op_branch.sum","inst","32768"
// NCU: "smsp__sass_branch_targets_threads_divergent.sum","branches","0"
// NCU: "1",{{.*}}"scale(float*, float const*)"
// NCU: "2",{{.*}}"part(float*)"
// NCU-NOT: "3",

// NVPROF: 1 divergent_branch 2 2 2 2
// NVPROF: Kernel: scale(float*, float const*)
// NVPROF: achieved_occupancy Achieved Occupancy 0.{{[0-9]+}}
// NVPROF: gld_throughput Global Load Throughput {{[0-9.]+}}GB/s
// NVPROF: branch_efficiency Branch Efficiency 100.00% 100.00% 100.00%
// NVPROF: Kernel: part(float*)
// NVPROF: branch_efficiency Branch Efficiency 0.00% 0.00% 0.00%
// NVPROF: stall_memory_dependency

// BAD: --kernel-id{{.*}}is not context:stream:name:invocation
