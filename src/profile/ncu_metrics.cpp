// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics by Nsight Compute's names ("Metrics Structure" and "Metrics Guide" of its documentation):
// unit__counter.rollup.
#include "profile/metric_values.h"
#include "profile/metrics.h"
#include "profile/time_values.h"

namespace heddle::profile {

namespace {

using L = const CountedLaunch &;
using Memory = MemorySums;
using Shared = SharedSums;
using model::Pipe;
using model::Wait;
constexpr Operation Load = Operation::Load, Store = Operation::Store, Atomic = Operation::Atomic,
                    Reduce = Operation::Reduce;
constexpr Space Global = Space::Global, Local = Space::Local, InShared = Space::Shared;

constexpr unsigned Lanes = 32, SectorBytes = 32;

/// With atomic operations, which ncu counts as one of its own.
template <uint64_t SharedSums::*Field> double inShared(L l) {
  return shared<Load, Field>(l) + shared<Store, Field>(l) + shared<Atomic, Field>(l) +
         shared<Reduce, Field>(l);
}

template <Operation Op> Value bytesPerSector(L l, double factor) {
  return ratio(requested<Op, Global>(l), memory<Op, Global, &Memory::sectors>(l), factor);
}
template <Operation Op> Value sectorsPerRequest(L l) {
  return ratio(memory<Op, Global, &Memory::sectors>(l), requests<Op, Global>(l));
}

/// Instructions that warps execute, those of which no lane is active because of a predicate too. Of
/// generic ones those that went there.
template <Operation Op, Space Where> double executed(L l) {
  double generic = l.accesses(
      [](const model::CodeAccess &a) { return isAccess<Op, Where>(a) && a.space == Space::Generic; },
      [](const auto &, const AccessSums &s) {
        return Where == Space::Shared ? s.sharedRequests : s.requests - s.sharedRequests;
      });
  return generic + l.instructions([&](const model::MachineInstruction &i) {
    return i.access != model::None && l.counts.code->accesses[i.access].operation == Op &&
           l.counts.code->accesses[i.access].space == Where;
  });
}

double exits(L l) {
  return l.instructions([](const model::MachineInstruction &i) {
    return i.operation == Operation::Exit || i.operation == Operation::Return;
  });
}

double waves(L l) {
  double fit = double(l.occupancy.blocks) * l.gpu.multiprocessors;
  return fit > 0 ? double(l.counts.shape.blocks()) / fit : 0;
}

#define METRIC(NAME, UNIT, SECTION, HELP, VALUE)                                                   \
  {MetricSource::Ncu, NAME, UNIT, SECTION, HELP, [](L l) -> Value { return VALUE; }}
#define TIMED(NAME, UNIT, SECTION, HELP, VALUE)                                                    \
  {MetricSource::Ncu, NAME, UNIT, SECTION, HELP, [](L l) -> Value { return VALUE; }, true}
#define OF_RUN(FIELD) ofTime(l, [](const model::LaunchTime &t) { return FIELD; })
#define STALL(NAME, HELP, ...)                                                                     \
  TIMED("smsp__average_warps_issue_stalled_" NAME "_per_issue_active.ratio", "inst",               \
        "WarpStateStats", "cycles of an instruction: " HELP, (stallCycles(l, {__VA_ARGS__}))),     \
      TIMED("smsp__warp_issue_stalled_" NAME "_per_warp_active.pct", "%", "WarpStateStats",        \
            "the share of warps: " HELP, (stallShare(l, {__VA_ARGS__})))
#define MEMORY(OP, SPACE, Op, Where)                                                               \
  METRIC("l1tex__t_requests_pipe_lsu_mem_" SPACE "_op_" OP ".sum", "request",                      \
         "MemoryWorkloadAnalysis_Tables", "requests", (requests<Op, Where>(l))),                   \
      METRIC("l1tex__t_sectors_pipe_lsu_mem_" SPACE "_op_" OP ".sum", "sector",                    \
             "MemoryWorkloadAnalysis_Tables", "sectors", (memory<Op, Where, &Memory::sectors>(l)))
#define TEXTURE_AS(KIND, WHAT, END, UNIT, HELP, VALUE)                                             \
  KIND("l1tex__t_" WHAT "_pipe_tex_mem_texture" END ".sum", UNIT,                                  \
       "MemoryWorkloadAnalysis_Tables", HELP, VALUE),                                              \
      KIND("l1tex__t_" WHAT "_pipe_tex_mem_texture_op_tex" END ".sum", UNIT,                       \
           "MemoryWorkloadAnalysis_Tables", HELP, VALUE),                                          \
      KIND("l1tex__t_" WHAT "_pipe_tex" END ".sum", UNIT, "MemoryWorkloadAnalysis_Tables", HELP,   \
           VALUE)
#define TEXTURE(...) TEXTURE_AS(METRIC, __VA_ARGS__)
#define TIMED_TEXTURE(...) TEXTURE_AS(TIMED, __VA_ARGS__)
#define SHARED(OP, Op)                                                                             \
  METRIC("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" OP ".sum", "",                           \
         "MemoryWorkloadAnalysis_Tables", "wavefronts of shared memory",                           \
         (shared<Op, &Shared::passes>(l))),                                                        \
      METRIC("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" OP ".sum", "",                   \
             "MemoryWorkloadAnalysis_Tables", "bank conflicts",                                    \
             (shared<Op, &Shared::conflicts>(l)))
#define EXECUTED(OP, Op, Where)                                                                    \
  METRIC("smsp__inst_executed_op_" OP ".sum", "inst", "InstructionStats", "executed by warps",     \
         (executed<Op, Where>(l))),                                                                \
      METRIC("smsp__sass_inst_executed_op_" OP ".sum", "inst", "InstructionStats",                 \
             "executed by warps", (executed<Op, Where>(l)))
#define THREADS(OP, VALUE)                                                                         \
  METRIC("smsp__sass_thread_inst_executed_op_" OP "_pred_on.sum", "inst", "InstructionStats",      \
         "executed by threads", (VALUE)),                                                          \
      METRIC("sm__sass_thread_inst_executed_op_" OP "_pred_on.sum", "inst", "InstructionStats",    \
             "executed by threads", (VALUE))
#define PIPE(NAME, P)                                                                              \
  METRIC("smsp__inst_executed_pipe_" NAME ".sum", "inst", "ComputeWorkloadAnalysis",               \
         "executed by warps", onPipe<Pipe::P>(l)),                                                 \
      METRIC("sm__inst_executed_pipe_" NAME ".sum", "inst", "ComputeWorkloadAnalysis",             \
             "executed by warps", onPipe<Pipe::P>(l))
#define L2(WHICH, HELP, VALUE)                                                                     \
  TIMED("lts__t_sectors" WHICH ".sum", "sector", "MemoryWorkloadAnalysis_Tables", HELP, VALUE),    \
      TIMED("lts__t_sectors_srcunit_tex" WHICH ".sum", "sector", "MemoryWorkloadAnalysis_Tables",  \
            HELP, VALUE)
#define LAUNCH(NAME, UNIT, HELP, VALUE) METRIC("launch__" NAME, UNIT, "LaunchStats", HELP, VALUE)
#define DIMENSIONS(NAME, FIELD)                                                                    \
  LAUNCH(NAME "_dim_x", "", NAME " in x", double(l.counts.shape.FIELD[0])),                        \
      LAUNCH(NAME "_dim_y", "", NAME " in y", double(l.counts.shape.FIELD[1])),                    \
      LAUNCH(NAME "_dim_z", "", NAME " in z", double(l.counts.shape.FIELD[2]))

constexpr Metric Metrics[] = {
    METRIC("smsp__inst_executed.sum", "inst", "InstructionStats",
           "instructions that warps executed", warpInstructions(l)),
    METRIC("sm__inst_executed.sum", "inst", "InstructionStats", "instructions that warps executed",
           warpInstructions(l)),
    METRIC("smsp__inst_executed.avg", "inst", "InstructionStats", "the same of a scheduler",
           warpInstructions(l) / (double(l.gpu.parameters().schedulers) * l.gpu.multiprocessors)),
    METRIC("smsp__thread_inst_executed.sum", "inst", "InstructionStats",
           "instructions that threads executed", threadInstructions(l)),
    METRIC("smsp__thread_inst_executed_per_inst_executed.ratio", "", "WarpStateStats",
           "active threads of a warp", ratio(threadInstructions(l), warpInstructions(l))),
    METRIC("smsp__thread_inst_executed_per_inst_executed.pct", "%", "WarpStateStats",
           "the same of 32", ratio(threadInstructions(l), warpInstructions(l) * Lanes, 100)),
    METRIC("smsp__warps_launched.sum", "warp", "LaunchStats", "warps of the grid", l.warps()),
    METRIC("sm__warps_launched.sum", "warp", "LaunchStats", "warps of the grid", l.warps()),
    METRIC("sm__ctas_launched.sum", "block", "LaunchStats", "blocks",
           double(l.counts.shape.blocks())),
    MEMORY("ld", "global", Load, Global),
    MEMORY("st", "global", Store, Global),
    MEMORY("atom", "global", Atomic, Global),
    MEMORY("red", "global", Reduce, Global),
    MEMORY("ld", "local", Load, Local),
    MEMORY("st", "local", Store, Local),
    TEXTURE("requests", "", "request", "samples of textures by warps", samples(l)),
    TEXTURE("sectors", "", "sector", "sectors of samples of textures", texels(l)),
    TIMED_TEXTURE("sectors", "_lookup_hit", "sector", "... that L1 has",
                  OF_RUN(t.textureHits)),
    TIMED_TEXTURE("sectors", "_lookup_miss", "sector", "... that L1 does not have",
                  OF_RUN(t.textureSectors - t.textureHits)),
    TIMED("l1tex__t_sector_pipe_tex_mem_texture_op_tex_hit_rate.pct", "%",
          "MemoryWorkloadAnalysis_Tables", "... that L1 has", textureHitRate(l)),
    TIMED("l1tex__t_sector_pipe_tex_hit_rate.pct", "%", "MemoryWorkloadAnalysis_Tables",
          "sectors of textures and surfaces that L1 has", textureHitRate(l)),
    METRIC("l1tex__average_t_sectors_per_request_pipe_tex.ratio", "sector/request",
           "SourceCounters", "sectors of a sample", ratio(texels(l), samples(l))),
    METRIC("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request",
           "SourceCounters", "sectors of a load", sectorsPerRequest<Load>(l)),
    METRIC("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "sector/request",
           "SourceCounters", "sectors of a store", sectorsPerRequest<Store>(l)),
    METRIC("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "%", "SourceCounters",
           "bytes of a sector that are asked for", bytesPerSector<Load>(l, 100.0 / SectorBytes)),
    METRIC("smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "%", "SourceCounters",
           "bytes of a sector that are written", bytesPerSector<Store>(l, 100.0 / SectorBytes)),
    METRIC("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", "byte/sector",
           "SourceCounters", "bytes of a sector that are asked for", bytesPerSector<Load>(l, 1)),
    METRIC("smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", "byte/sector",
           "SourceCounters", "bytes of a sector that are written", bytesPerSector<Store>(l, 1)),
    SHARED("ld", Load),
    SHARED("st", Store),
    SHARED("atom", Atomic),
    METRIC("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "", "MemoryWorkloadAnalysis_Tables",
           "wavefronts of shared memory", inShared<&Shared::passes>(l)),
    METRIC("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "",
           "MemoryWorkloadAnalysis_Tables", "bank conflicts", inShared<&Shared::conflicts>(l)),
    METRIC("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared.sum", "", "SourceCounters",
           "wavefronts of shared memory", inShared<&Shared::passes>(l)),
    METRIC("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_ideal.sum", "", "SourceCounters",
           "those without conflicts", inShared<&Shared::ideal>(l)),
    EXECUTED("global_ld", Load, Global),
    EXECUTED("global_st", Store, Global),
    EXECUTED("global_atom", Atomic, Global),
    EXECUTED("global_red", Reduce, Global),
    EXECUTED("shared_ld", Load, InShared),
    EXECUTED("shared_st", Store, InShared),
    EXECUTED("shared_atom", Atomic, InShared),
    EXECUTED("local_ld", Load, Local),
    EXECUTED("local_st", Store, Local),
    EXECUTED("texture", Operation::Texture, Space::Texture),
    THREADS("fadd", (floatThreads<Operation::Add, 32>(l))),
    THREADS("fmul", (floatThreads<Operation::Multiply, 32>(l))),
    THREADS("ffma", (floatThreads<Operation::MultiplyAdd, 32>(l))),
    THREADS("dadd", (floatThreads<Operation::Add, 64>(l))),
    THREADS("dmul", (floatThreads<Operation::Multiply, 64>(l))),
    THREADS("dfma", (floatThreads<Operation::MultiplyAdd, 64>(l))),
    THREADS("hadd", (floatThreads<Operation::Add, 16>(l))),
    THREADS("hmul", (floatThreads<Operation::Multiply, 16>(l))),
    THREADS("hfma", (floatThreads<Operation::MultiplyAdd, 16>(l))),
    PIPE("fp64", Fp64),
    PIPE("fp16", Half),
    PIPE("xu", Special),
    PIPE("lsu", Memory),
    PIPE("tex", Texture),
    PIPE("tensor", Tensor),
    // From 7.0 on a thread has 16 at least.
    LAUNCH("registers_per_thread", "register/thread", "registers of a thread",
           std::max(l.machine.registers, l.gpu.major >= 7 ? 16 : 0)),
    LAUNCH("grid_size", "", "blocks", double(l.counts.shape.blocks())),
    LAUNCH("block_size", "", "threads of a block", double(l.counts.shape.threads())),
    LAUNCH("thread_count", "thread", "threads of the grid",
           double(l.counts.shape.blocks()) * l.counts.shape.threads()),
    LAUNCH("shared_mem_per_block_static", "byte/block", "static shared memory",
           double(l.counts.code->staticShared)),
    LAUNCH("shared_mem_per_block_dynamic", "byte/block", "dynamic shared memory",
           double(l.counts.shape.dynamicShared)),
    LAUNCH("shared_mem_per_block_driver", "byte/block", "what the system takes of it",
           double(l.gpu.architecture().sharedReserved)),
    LAUNCH("shared_mem_per_block", "byte/block", "static and dynamic shared memory",
           double(l.counts.code->staticShared) + l.counts.shape.dynamicShared),
    DIMENSIONS("grid", grid),
    DIMENSIONS("block", block),
    LAUNCH("sm_count", "SM", "multiprocessors of the board", double(l.gpu.multiprocessors)),
    LAUNCH("waves_per_multiprocessor", "", "blocks over those that run at a time", waves(l)),
    LAUNCH("occupancy_limit_blocks", "block", "blocks that fit, by their number",
           double(l.occupancy.byBlocks)),
    LAUNCH("occupancy_limit_registers", "block", "... by registers",
           double(l.occupancy.byRegisters)),
    LAUNCH("occupancy_limit_shared_mem", "block", "... by shared memory",
           double(l.occupancy.byShared)),
    LAUNCH("occupancy_limit_warps", "block", "... by warps", double(l.occupancy.byWarps)),
    METRIC("sm__maximum_warps_per_active_cycle_pct", "%", "Occupancy", "occupancy in theory",
           100 * l.occupancy.share),
    METRIC("sm__maximum_warps_avg_per_active_cycle", "warp", "Occupancy",
           "warps that fit on a multiprocessor",
           l.occupancy.share *l.gpu.architecture().warpsPerSm),
    METRIC("smsp__inst_executed_op_branch.sum", "inst", "SourceCounters", "branches of warps",
           branches(l, false) + exits(l)),
    METRIC("smsp__sass_branch_targets_threads_divergent.sum", "branches", "SourceCounters",
           "branches whose threads go both ways", branches(l, true)),
    METRIC("smsp__sass_average_branch_targets_threads_uniform.pct", "%", "SourceCounters",
           "branches whose threads go one way",
           uniformBranches(l)),
    TIMED("gpu__time_duration.sum", "ns", "SpeedOfLight", "time", OF_RUN(t.seconds * 1e9)),
    TIMED("sm__cycles_elapsed.max", "cycle", "SpeedOfLight", "cycles", cyclesElapsed(l)),
    TIMED("sm__cycles_elapsed.avg", "cycle", "SpeedOfLight", "cycles", cyclesElapsed(l)),
    TIMED("gpc__cycles_elapsed.max", "cycle", "SpeedOfLight", "cycles", cyclesElapsed(l)),
    TIMED("sm__cycles_active.avg", "cycle", "SpeedOfLight", "cycles with warps",
          times(cycles(l), busyMultiprocessors(l) / l.gpu.multiprocessors)),
    TIMED("smsp__cycles_active.avg", "cycle", "SpeedOfLight", "cycles with warps",
          times(cycles(l), busySchedulers(l) / l.gpu.multiprocessors)),
    TIMED("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "SpeedOfLight",
          "how full the multiprocessors are",
          (fullest(l, {model::Resource::Issue, model::Resource::Arithmetic,
                       model::Resource::LoadStore}))),
    TIMED("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", "SpeedOfLight",
          "how full memory and caches are",
          (fullest(l, {model::Resource::LoadStore, model::Resource::L2, model::Resource::Dram}))),
    TIMED("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%", "SpeedOfLight",
          "bytes of memory, of the most", dramShare(l)),
    TIMED("l1tex__throughput.avg.pct_of_peak_sustained_active", "%", "SpeedOfLight",
          "how full the load and store units are", (fullest(l, {model::Resource::LoadStore}))),
    TIMED("lts__throughput.avg.pct_of_peak_sustained_elapsed", "%", "SpeedOfLight",
          "how full L2 is", (fullest(l, {model::Resource::L2}))),
    TIMED("dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", "MemoryWorkloadAnalysis",
          "bytes of memory, of the most", dramShare(l)),
    TIMED("dram__bytes_read.sum", "byte", "MemoryWorkloadAnalysis_Chart", "read from memory",
          OF_RUN(t.dramRead)),
    TIMED("dram__bytes_write.sum", "byte", "MemoryWorkloadAnalysis_Chart", "written to memory",
          OF_RUN(t.dramWritten)),
    TIMED("dram__bytes.sum", "byte", "MemoryWorkloadAnalysis_Chart", "both",
          OF_RUN(t.dramRead + t.dramWritten)),
    TIMED("dram__bytes.sum.per_second", "byte/s", "MemoryWorkloadAnalysis", "both, in a second",
          OF_RUN(t.bandwidth())),
    TIMED("dram__bytes_read.sum.pct_of_peak_sustained_elapsed", "%", "MemoryWorkloadAnalysis_Chart",
          "read, of the most", ofPeak(l, OF_RUN(t.dramRead / t.seconds))),
    TIMED("dram__bytes_write.sum.pct_of_peak_sustained_elapsed", "%",
          "MemoryWorkloadAnalysis_Chart", "written, of the most",
          ofPeak(l, OF_RUN(t.dramWritten / t.seconds))),
    TIMED("dram__sectors_read.sum", "sector", "MemoryWorkloadAnalysis_Tables", "of 32 bytes, read",
          OF_RUN(t.dramRead / SectorBytes)),
    TIMED("dram__sectors_write.sum", "sector", "MemoryWorkloadAnalysis_Tables", "... written",
          OF_RUN(t.dramWritten / SectorBytes)),
    L2("", "sectors of L2", l2Sectors(l)),
    L2("_op_read", "... of loads", l2Reads(l)),
    L2("_op_write", "... of stores", l2Writes(l)),
    L2("_lookup_hit", "... that were there, or are written", l2Hits(l)),
    L2("_lookup_miss", "... that memory had", l2Misses(l)),
    L2("_op_read_lookup_hit", "... of loads that were there", l2ReadHits(l)),
    L2("_op_read_lookup_miss", "... of loads that memory had",
       difference(l2Reads(l), l2ReadHits(l))),
    TIMED("lts__t_bytes.sum", "byte", "MemoryWorkloadAnalysis_Tables", "bytes of L2's sectors",
          times(l2Sectors(l), SectorBytes)),
    TIMED("lts__t_sector_hit_rate.pct", "%", "MemoryWorkloadAnalysis",
          "sectors that L2 has, or that are written", l2HitRate(l)),
    TIMED("lts__t_sector_op_read_hit_rate.pct", "%", "MemoryWorkloadAnalysis_Tables",
          "... of loads", l2ReadHitRate(l)),
    TIMED("l1tex__t_sector_hit_rate.pct", "%", "MemoryWorkloadAnalysis", "sectors that L1 has",
          l1HitRate(l)),
    TIMED("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%",
          "MemoryWorkloadAnalysis_Tables", "sectors of loads that L1 has", loadHitRate(l)),
    TIMED("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector",
          "MemoryWorkloadAnalysis_Tables", "sectors of loads that L1 has",
          OF_RUN(t.l1Hits - t.textureHits)),
    TIMED("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "sector",
          "MemoryWorkloadAnalysis_Tables", "sectors of loads that L1 does not have",
          OF_RUN(t.l1Sectors - t.l1Hits - t.textureSectors + t.textureHits)),
    TIMED("l1tex__m_xbar2l1tex_read_bytes.sum", "byte", "MemoryWorkloadAnalysis_Chart",
          "from L2 to L1", OF_RUN(t.l2Reads * SectorBytes)),
    TIMED("l1tex__m_l1tex2xbar_write_bytes.sum", "byte", "MemoryWorkloadAnalysis_Chart",
          "of stores, from L1 to L2", OF_RUN(t.l2Writes * SectorBytes)),
    TIMED("sm__warps_active.avg.pct_of_peak_sustained_active", "%", "Occupancy",
          "achieved occupancy", OF_RUN(100 * t.achievedOccupancy)),
    TIMED("sm__warps_active.avg.per_cycle_active", "warp", "Occupancy",
          "warps of a multiprocessor, in the mean", activeWarps(l)),
    TIMED("sm__inst_executed.avg.per_cycle_active", "inst/cycle", "ComputeWorkloadAnalysis",
          "instructions of a cycle", ipc(l, false)),
    TIMED("sm__inst_executed.avg.per_cycle_elapsed", "inst/cycle", "ComputeWorkloadAnalysis",
          "instructions of a cycle, of all multiprocessors", ipc(l, true)),
    TIMED("sm__inst_issued.avg.per_cycle_active", "inst/cycle", "ComputeWorkloadAnalysis",
          "instructions of a cycle", ipc(l, false)),
    TIMED("sm__instruction_throughput.avg.pct_of_peak_sustained_active", "%",
          "ComputeWorkloadAnalysis", "of what can be issued", issueShare(l, false)),
    TIMED("smsp__issue_active.avg.pct_of_peak_sustained_active", "%", "SchedulerStats",
          "cycles in which schedulers issue", issueShare(l, false)),
    TIMED("smsp__issue_active.avg.per_cycle_active", "", "SchedulerStats",
          "the same as a share",
          (issueShare(l, false) ? Value(*issueShare(l, false) / 100) : std::nullopt)),
    TIMED("smsp__average_warp_latency_per_inst_issued.ratio", "cycle", "WarpStateStats",
          "cycles of a warp for an instruction",
          (ipc(l, false) ? Value(*activeWarps(l) / *ipc(l, false)) : std::nullopt)),
    STALL("long_scoreboard", "data of global and local memory", Wait::L1, Wait::L2, Wait::Dram,
          Wait::Atomic),
    STALL("short_scoreboard", "data of shared memory", Wait::Shared),
    STALL("wait", "results of arithmetic", Wait::Dependence),
    STALL("math_pipe_throttle", "a pipeline of arithmetic", Wait::Pipe),
    STALL("lg_throttle", "the load and store units", Wait::LoadStore),
    STALL("barrier", "barriers", Wait::Barrier),
    STALL("imc_miss", "constant memory", Wait::Constant),
    STALL("not_selected", "the scheduler", Wait::Issue),
};

#undef METRIC
#undef MEMORY
#undef TEXTURE
#undef TEXTURE_AS
#undef TIMED_TEXTURE
#undef SHARED
#undef EXECUTED
#undef THREADS
#undef PIPE
#undef LAUNCH
#undef L2
#undef DIMENSIONS
#undef TIMED
#undef OF_RUN
#undef STALL

} // namespace

std::span<const Metric> ncuMetrics() { return Metrics; }

} // namespace heddle::profile
