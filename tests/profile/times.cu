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
// RUN: env HEDDLE_DEVICE=h200 %build/lib/heddle/bin/ncu --csv --quiet --kernel-id "::scale:2" --metrics dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_lookup_hit.sum,lts__t_sectors_op_read_lookup_miss.sum,lts__t_sector_hit_rate.pct,sm__inst_executed.avg,dram__bytes_read.sum.per_second,lts__t_sectors_op_read.sum.per_cycle_elapsed %t | FileCheck %s --check-prefix=COLD
// RUN: env HEDDLE_DEVICE=h200 %build/lib/heddle/bin/ncu --csv --quiet --kernel-id "::scale:2|3" --cache-control none --metrics dram__bytes_read.sum,lts__t_sector_hit_rate.pct %t | FileCheck %s --check-prefix=WARM
// RUN: env HEDDLE_DEVICE=h200 not %build/lib/heddle/bin/ncu --metrics lts__t_odd.sum,sm__inst_executed.max %t 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: env HEDDLE_DEVICE=p100 %heddle profile -m l2_tex_hit_rate,l2_tex_read_transactions,tex_cache_hit_rate,dram_utilization,flop_sp_efficiency -e elapsed_cycles_sm %t 2>&1 | FileCheck %s --check-prefix=PASCAL
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

// The second launch finds empty caches, and what it writes stays in L2, whose stores are hits.
// COLD: "dram__bytes_read.sum","byte","4194304"
// COLD: "dram__bytes_write.sum","byte","0"
// COLD: "lts__t_sectors_lookup_hit.sum","sector","196608"
// COLD: "lts__t_sectors_op_read_lookup_miss.sum","sector","196608"
// COLD: "lts__t_sector_hit_rate.pct","%","50.00"
// COLD: "sm__inst_executed.avg","inst","{{[0-9.]+}}"
// COLD: "dram__bytes_read.sum.per_second","byte/s","{{[0-9.]+}}"
// COLD: "lts__t_sectors_op_read.sum.per_cycle_elapsed","sector/cycle","{{[0-9.]+}}"
// WARM: "1",{{.*}}"dram__bytes_read.sum","byte","0"
// WARM: "lts__t_sector_hit_rate.pct","%","100.00"
// UNKNOWN: there is no counter lts__t_odd.sum, sm__inst_executed.max

// PASCAL: elapsed_cycles_sm
// PASCAL: l2_tex_hit_rate L2 Cache Hit Rate {{[0-9.]+}}%
// PASCAL: l2_tex_read_transactions L2 Transactions (Texture Reads)
// PASCAL: tex_cache_hit_rate Unified Cache Hit Rate 0.00%
// PASCAL: dram_utilization Device Memory Utilization {{(Low|Mid|High) \([0-9]\)}}
// PASCAL: flop_sp_efficiency FLOP Efficiency(Peak Single) {{[0-9.]+}}%

// BAD: --kernel-id{{.*}}is not context:stream:name:invocation
