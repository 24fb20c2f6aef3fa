// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metrics and events of nvprof and of the profilers before it (Profiler User's Guide, "Metrics
// Reference"; the Visual Profiler's counters of compute capability 1.x and 2.x).
#include "profile/metric_values.h"
#include "profile/metrics.h"
#include "profile/time_values.h"

namespace heddle::profile {

namespace {

using L = const CountedLaunch &;
using Memory = MemorySums;
using Shared = SharedSums;
constexpr Operation Load = Operation::Load, Store = Operation::Store, Atomic = Operation::Atomic,
                    Reduce = Operation::Reduce;
constexpr Space Global = Space::Global, Local = Space::Local;

constexpr unsigned Lanes = 32, SectorBytes = 32, SectorsOfLine = 4;

bool isOld(L l) { return l.gpu.major == 1; }

double control(L l, bool byThreads) {
  return l.operations(
      [](const model::CodeOperation &o) {
        return o.operation == Operation::Branch || o.operation == Operation::Call ||
               o.operation == Operation::Return || o.operation == Operation::Exit;
      },
      byThreads);
}

bool isInteger(const model::CodeOperation &o) {
  switch (o.operation) {
  case Operation::Add:
  case Operation::Multiply:
  case Operation::MultiplyHigh:
  case Operation::MultiplyAdd:
  case Operation::MinMax:
  case Operation::Compare:
  case Operation::Logic:
  case Operation::Shift:
  case Operation::BitField:
  case Operation::BitCount:
  case Operation::SumOfDifferences:
    return o.kind == ValueKind::Integer;
  default:
    return false;
  }
}

template <unsigned Bits> bool isFloat(const model::CodeOperation &o) {
  return o.kind == ValueKind::Float && o.bits == Bits && o.operation != Operation::Load &&
         o.operation != Operation::Store && o.operation != Operation::Move &&
         o.operation != Operation::Select && o.operation != Operation::Convert;
}

bool isMemory(const model::CodeOperation &o) {
  return o.operation == Load || o.operation == Store || o.operation == Atomic ||
         o.operation == Reduce || o.operation == Operation::Texture ||
         o.operation == Operation::Surface;
}

/// Of accesses of so many bytes a thread.
template <Operation Op, uint32_t Bytes> Value instructionsOf(L l) {
  return l.accesses(
      [](const model::CodeAccess &a) { return isAccess<Op, Global>(a) && a.bytes == Bytes; },
      [](const auto &, const AccessSums &s) { return s.requests - s.sharedRequests; });
}

/// 1.0 and 1.1: in order, or one transaction for each thread.
template <Operation Op, bool IsCoherent> Value coalesced(L l) {
  if (l.rules() != model::MemoryRules::InOrder)
    return std::nullopt;
  return l.accesses(isAccess<Op, Global>, [&](const auto &, const AccessSums &s) {
    const MemorySums &m = l.memory(s);
    uint64_t apart =
        m.bytes == m.transactions * 32 && m.transactions > 4 * s.requests ? m.transactions : 0;
    return IsCoherent ? m.transactions - apart : apart;
  });
}

/// Passes of accesses beyond the first.
template <Operation Op, Space Where> double furtherPasses(L l) {
  return memory<Op, Where, &Memory::passes>(l) - requests<Op, Where>(l);
}
double sharedReplays(L l) {
  return shared<Load, &Shared::conflicts>(l) + shared<Store, &Shared::conflicts>(l);
}
double globalReplays(L l) {
  return furtherPasses<Load, Global>(l) + furtherPasses<Store, Global>(l);
}
double localReplays(L l) { return furtherPasses<Load, Local>(l) + furtherPasses<Store, Local>(l); }
double atomicReplays(L l) {
  return furtherPasses<Atomic, Global>(l) + furtherPasses<Reduce, Global>(l);
}

/// Before 5.0 each further pass of an access is issued anew.
bool issuesReplays(L l) { return l.gpu.major < 5; }
double allReplays(L l) {
  return issuesReplays(l) ? sharedReplays(l) + globalReplays(l) + localReplays(l) + atomicReplays(l)
                          : 0;
}
Value overhead(L l, double replays) {
  return issuesReplays(l) ? ratio(replays, warpInstructions(l)) : std::nullopt;
}

double localTransactions(L l) {
  return memory<Load, Local, &Memory::transactions>(l) +
         memory<Store, Local, &Memory::transactions>(l);
}
double atomicTransactions(L l) {
  return memory<Atomic, Global, &Memory::transactions>(l) +
         memory<Reduce, Global, &Memory::transactions>(l);
}

/// 2.x and 3.x: L1 is a cache beside that of textures, whose transactions are sectors. From 5.0 on one
/// is both.
bool hasOwnL1(L l) { return l.gpu.major == 2 || l.gpu.major == 3; }
Value texSectors(L l) {
  return ofTime(l, [&](const model::LaunchTime &t) {
    return l.gpu.major < 5 ? t.textureSectors : t.l1Sectors;
  });
}
Value texHitRate(L l) { return l.gpu.major < 5 ? textureHitRate(l) : l1HitRate(l); }

Value bytesPerSecond(L l, Value sectors) {
  return sectors ? perSecond(l, *sectors * SectorBytes) : std::nullopt;
}
/// `perClock`: results of a multiprocessor, each of two operations.
Value ofPeakFlops(L l, double operations, double perClock) {
  Value all = cyclesElapsed(l);
  return all ? ratio(operations, 2 * perClock * l.gpu.multiprocessors * *all, 100) : std::nullopt;
}
/// What all banks give in a pass: 4 bytes each, in 3.x 8; 16 of them in 1.x.
double bankBytes(L l) { return l.gpu.major == 1 ? 64 : l.gpu.major == 3 ? 256 : 128; }

#define METRIC(NAME, UNIT, HELP, VALUE)                                                            \
  {MetricSource::NvprofMetric, NAME, UNIT, "", HELP, [](L l) -> Value { return VALUE; }}
#define TIMED(NAME, UNIT, HELP, VALUE)                                                             \
  {MetricSource::NvprofMetric, NAME, UNIT, "", HELP, [](L l) -> Value { return VALUE; }, true}
#define OF_RUN(FIELD) ofTime(l, [](const model::LaunchTime &t) { return FIELD; })
#define STALL(NAME, HELP, ...)                                                                     \
  TIMED("stall_" NAME, "%", "Issue Stall Reasons (" HELP ")", (stallShare(l, {__VA_ARGS__})))
#define L2(NAME, TRANSACTIONS, THROUGHPUT, VALUE)                                                  \
  TIMED(NAME "_transactions", "", TRANSACTIONS, VALUE),                                            \
      TIMED(NAME "_throughput", "B/s", THROUGHPUT, bytesPerSecond(l, VALUE))
#define EXECUTED(NAME, HELP, VALUE)                                                                \
  METRIC("inst_executed_" NAME, "", "Warp level instructions for " HELP, (VALUE))
#define EVENT(NAME, HELP, VALUE)                                                                   \
  {MetricSource::NvprofEvent, NAME, "", "", HELP, [](L l) -> Value { return VALUE; }}
#define TIMED_EVENT(NAME, HELP, VALUE)                                                             \
  {MetricSource::NvprofEvent, NAME, "", "", HELP, [](L l) -> Value { return VALUE; }, true}

constexpr Metric NvprofMetrics[] = {
    METRIC("inst_executed", "", "Instructions Executed", warpInstructions(l)),
    METRIC("inst_per_warp", "", "Instructions per warp", ratio(warpInstructions(l), l.warps())),
    METRIC("warp_execution_efficiency", "%", "Warp Execution Efficiency",
           ratio(threadInstructions(l), warpInstructions(l) * Lanes, 100)),
    METRIC("gld_transactions", "", "Global Load Transactions",
           (memory<Load, Global, &Memory::transactions>(l))),
    METRIC("gst_transactions", "", "Global Store Transactions",
           (memory<Store, Global, &Memory::transactions>(l))),
    METRIC("gld_transactions_per_request", "", "Global Load Transactions Per Request",
           ratio(memory<Load, Global, &Memory::transactions>(l), requests<Load, Global>(l))),
    METRIC("gst_transactions_per_request", "", "Global Store Transactions Per Request",
           ratio(memory<Store, Global, &Memory::transactions>(l), requests<Store, Global>(l))),
    METRIC("gld_efficiency", "%", "Global Memory Load Efficiency",
           ratio(requested<Load, Global>(l), memory<Load, Global, &Memory::bytes>(l), 100)),
    METRIC("gst_efficiency", "%", "Global Memory Store Efficiency",
           ratio(requested<Store, Global>(l), memory<Store, Global, &Memory::bytes>(l), 100)),
    METRIC("local_load_transactions", "", "Local Load Transactions",
           (memory<Load, Local, &Memory::transactions>(l))),
    METRIC("local_store_transactions", "", "Local Store Transactions",
           (memory<Store, Local, &Memory::transactions>(l))),
    METRIC("shared_load_transactions", "", "Shared Load Transactions",
           (shared<Load, &Shared::passes>(l))),
    METRIC("shared_store_transactions", "", "Shared Store Transactions",
           (shared<Store, &Shared::passes>(l))),
    METRIC("shared_load_transactions_per_request", "",
           "Shared Memory Load Transactions Per Request",
           ratio(shared<Load, &Shared::passes>(l), requests<Load, Space::Shared>(l))),
    METRIC("shared_store_transactions_per_request", "",
           "Shared Memory Store Transactions Per Request",
           ratio(shared<Store, &Shared::passes>(l), requests<Store, Space::Shared>(l))),
    METRIC("shared_efficiency", "%", "Shared Memory Efficiency",
           ratio(shared<Load, &Shared::ideal>(l) + shared<Store, &Shared::ideal>(l),
                 shared<Load, &Shared::passes>(l) + shared<Store, &Shared::passes>(l), 100)),
    METRIC("atomic_transactions", "", "Atomic Transactions", atomicTransactions(l)),
    METRIC("atomic_transactions_per_request", "", "Atomic Transactions Per Request",
           ratio(atomicTransactions(l), requests<Atomic, Global>(l) + requests<Reduce, Global>(l))),
    METRIC("local_load_transactions_per_request", "", "Local Memory Load Transactions Per Request",
           ratio(memory<Load, Local, &Memory::transactions>(l), requests<Load, Local>(l))),
    METRIC("local_store_transactions_per_request", "",
           "Local Memory Store Transactions Per Request",
           ratio(memory<Store, Local, &Memory::transactions>(l), requests<Store, Local>(l))),
    METRIC("local_memory_overhead", "%", "Local Memory Overhead",
           ratio(localTransactions(l),
                 localTransactions(l) + memory<Load, Global, &Memory::transactions>(l) +
                     memory<Store, Global, &Memory::transactions>(l),
                 100)),
    METRIC("shared_replay_overhead", "", "Shared Memory Replay Overhead",
           overhead(l, sharedReplays(l))),
    METRIC("global_replay_overhead", "", "Global Memory Replay Overhead",
           overhead(l, globalReplays(l))),
    METRIC("local_replay_overhead", "", "Local Memory Cache Replay Overhead",
           overhead(l, localReplays(l))),
    METRIC("atomic_replay_overhead", "", "Atomic Replay Overhead", overhead(l, atomicReplays(l))),
    METRIC("inst_replay_overhead", "", "Instruction Replay Overhead",
           ratio(allReplays(l), warpInstructions(l))),
    METRIC("inst_issued", "", "Instructions Issued", warpInstructions(l) + allReplays(l)),
    METRIC("cf_issued", "", "Issued Control-Flow Instructions", control(l, false)),
    METRIC("ldst_issued", "", "Issued Load/Store Instructions",
           l.operations(isMemory) + allReplays(l)),
    METRIC("flop_count_sp", "", "Floating Point Operations(Single Precision)", flops<32>(l)),
    METRIC("flop_count_sp_add", "", "Floating Point Operations(Single Precision Add)",
           (floatThreads<Operation::Add, 32>(l))),
    METRIC("flop_count_sp_mul", "", "Floating Point Operation(Single Precision Mul)",
           (floatThreads<Operation::Multiply, 32>(l))),
    METRIC("flop_count_sp_fma", "", "Floating Point Operations(Single Precision FMA)",
           (floatThreads<Operation::MultiplyAdd, 32>(l))),
    METRIC("flop_count_dp", "", "Floating Point Operations(Double Precision)", flops<64>(l)),
    METRIC("flop_count_dp_add", "", "Floating Point Operations(Double Precision Add)",
           (floatThreads<Operation::Add, 64>(l))),
    METRIC("flop_count_dp_mul", "", "Floating Point Operations(Double Precision Mul)",
           (floatThreads<Operation::Multiply, 64>(l))),
    METRIC("flop_count_dp_fma", "", "Floating Point Operations(Double Precision FMA)",
           (floatThreads<Operation::MultiplyAdd, 64>(l))),
    METRIC("flop_count_hp", "", "Floating Point Operations(Half Precision)", flops<16>(l)),
    METRIC("inst_fp_16", "", "HP Instructions(Half)", l.operations(isFloat<16>, true)),
    METRIC("inst_fp_32", "", "FP Instructions(Single)", l.operations(isFloat<32>, true)),
    METRIC("inst_fp_64", "", "FP Instructions(Double)", l.operations(isFloat<64>, true)),
    METRIC("inst_integer", "", "Integer Instructions", l.operations(isInteger, true)),
    METRIC("inst_control", "", "Control-Flow Instructions", control(l, true)),
    METRIC("inst_compute_ld_st", "", "Load/Store Instructions", l.operations(isMemory, true)),
    METRIC("cf_executed", "", "Executed Control-Flow Instructions", control(l, false)),
    METRIC("ldst_executed", "", "Executed Load/Store Instructions", l.operations(isMemory)),
    METRIC("inst_bit_convert", "", "Bit-Convert Instructions",
           l.operations([](const auto &o) { return o.operation == Operation::Convert; }, true)),
    METRIC("inst_inter_thread_communication", "", "Inter-Thread Instructions",
           l.operations([](const auto &o) { return o.operation == Operation::Shuffle; }, true)),
    METRIC("global_load_requests", "", "Total number of global load requests",
           (requests<Load, Global>(l))),
    METRIC("global_store_requests", "", "Total number of global store requests",
           (requests<Store, Global>(l))),
    METRIC("global_atomic_requests", "", "Total number of global atomic requests",
           (requests<Atomic, Global>(l))),
    METRIC("global_reduction_requests", "", "Total number of global reduction requests",
           (requests<Reduce, Global>(l))),
    METRIC("local_load_requests", "", "Total number of local load requests",
           (requests<Load, Local>(l))),
    METRIC("local_store_requests", "", "Total number of local store requests",
           (requests<Store, Local>(l))),
    METRIC("texture_load_requests", "", "Total number of texture Load requests", samples(l)),
    EXECUTED("tex_ops", "texture", samples(l)),
    EXECUTED("global_loads", "global loads", (requests<Load, Global>(l))),
    EXECUTED("global_stores", "global stores", (requests<Store, Global>(l))),
    EXECUTED("local_loads", "local loads", (requests<Load, Local>(l))),
    EXECUTED("local_stores", "local stores", (requests<Store, Local>(l))),
    EXECUTED("shared_loads", "shared loads", (requests<Load, Space::Shared>(l))),
    EXECUTED("shared_stores", "shared stores", (requests<Store, Space::Shared>(l))),
    EXECUTED("global_atomics", "global atom and atom cas", (requests<Atomic, Global>(l))),
    EXECUTED("global_reductions", "global reductions", (requests<Reduce, Global>(l))),
    EXECUTED("shared_atomics", "atom shared",
             (requests<Atomic, Space::Shared>(l) + requests<Reduce, Space::Shared>(l))),
    METRIC("branch_efficiency", "%", "Branch Efficiency", uniformBranches(l)),
    TIMED("achieved_occupancy", "", "Achieved Occupancy", OF_RUN(t.achievedOccupancy)),
    TIMED("sm_efficiency", "%", "Multiprocessor Activity",
          OF_RUN(1) ? Value(100 * busyMultiprocessors(l) / l.gpu.multiprocessors) : std::nullopt),
    TIMED("ipc", "", "Executed IPC", ipc(l, false)),
    TIMED("issued_ipc", "", "Issued IPC", ipc(l, false)),
    TIMED("issue_slot_utilization", "%", "Issue Slot Utilization", issueShare(l, false)),
    TIMED("gld_throughput", "B/s", "Global Load Throughput",
          perSecond(l, memory<Load, Global, &Memory::bytes>(l))),
    TIMED("gst_throughput", "B/s", "Global Store Throughput",
          perSecond(l, memory<Store, Global, &Memory::bytes>(l))),
    TIMED("gld_requested_throughput", "B/s", "Requested Global Load Throughput",
          perSecond(l, requested<Load, Global>(l))),
    TIMED("gst_requested_throughput", "B/s", "Requested Global Store Throughput",
          perSecond(l, requested<Store, Global>(l))),
    TIMED("local_load_throughput", "B/s", "Local Memory Load Throughput",
          perSecond(l, memory<Load, Local, &Memory::bytes>(l))),
    TIMED("local_store_throughput", "B/s", "Local Memory Store Throughput",
          perSecond(l, memory<Store, Local, &Memory::bytes>(l))),
    TIMED("dram_read_transactions", "", "Device Memory Read Transactions", OF_RUN(t.dramRead / 32)),
    TIMED("dram_write_transactions", "", "Device Memory Write Transactions",
          OF_RUN(t.dramWritten / 32)),
    TIMED("dram_read_bytes", "", "Total bytes read from DRAM to L2 cache", OF_RUN(t.dramRead)),
    TIMED("dram_write_bytes", "", "Total bytes written from L2 cache to DRAM",
          OF_RUN(t.dramWritten)),
    TIMED("dram_read_throughput", "B/s", "Device Memory Read Throughput",
          OF_RUN(t.dramRead / t.seconds)),
    TIMED("dram_write_throughput", "B/s", "Device Memory Write Throughput",
          OF_RUN(t.dramWritten / t.seconds)),
    TIMED("dram_utilization", "level", "Device Memory Utilization", dramShare(l)),
    TIMED("l2_utilization", "level", "L2 Cache Utilization", (fullest(l, {model::Resource::L2}))),
    TIMED("ldst_fu_utilization", "level", "Load/Store Function Unit Utilization",
          (fullest(l, {model::Resource::LoadStore}))),
    L2("l2_read", "L2 Read Transactions", "L2 Throughput (Reads)", l2Reads(l)),
    L2("l2_write", "L2 Write Transactions", "L2 Throughput (Writes)", l2Writes(l)),
    L2("l2_atomic", "L2 Transactions (Atomic requests)", "L2 Throughput (Atomic requests)",
       l.time ? Value(atomicTransactions(l)) : std::nullopt),
    L2("l2_tex_read", "L2 Transactions (Texture Reads)", "L2 Throughput (Texture Reads)",
       l2Reads(l)),
    L2("l2_tex_write", "L2 Transactions (Texture Writes)", "L2 Throughput (Texture Writes)",
       l2Writes(l)),
    L2("l2_l1_read", "L2 Read Transactions (L1 read requests)", "L2 Throughput (L1 Reads)",
       hasOwnL1(l) ? l2Reads(l) : std::nullopt),
    L2("l2_l1_write", "L2 Write Transactions (L1 write requests)", "L2 Throughput (L1 Writes)",
       hasOwnL1(l) ? l2Writes(l) : std::nullopt),
    TIMED("l2_tex_hit_rate", "%", "L2 Cache Hit Rate", l2HitRate(l)),
    TIMED("l2_tex_read_hit_rate", "%", "L2 Texture Read Hit Rate", l2ReadHitRate(l)),
    TIMED("l2_tex_write_hit_rate", "%", "L2 Texture Write Hit Rate",
          l.time ? ratio(l.time->l2Writes, l.time->l2Writes, 100) : std::nullopt),
    TIMED("l2_l1_read_hit_rate", "%", "L2 Hit Rate (L1 Reads)",
          hasOwnL1(l) ? l2ReadHitRate(l) : std::nullopt),
    TIMED("tex_cache_hit_rate", "%", "Unified Cache Hit Rate", texHitRate(l)),
    TIMED("tex_cache_transactions", "", "Unified Cache Transactions",
          times(texSectors(l), l.gpu.major < 5 ? 1 : 1.0 / SectorsOfLine)),
    TIMED("tex_cache_throughput", "B/s", "Unified Cache Throughput",
          bytesPerSecond(l, texSectors(l))),
    TIMED("global_hit_rate", "%", "Global Hit Rate in unified l1/tex", loadHitRate(l)),
    TIMED("l1_cache_global_hit_rate", "%", "L1 Global Hit Rate", loadHitRate(l)),
    TIMED("flop_sp_efficiency", "%", "FLOP Efficiency(Peak Single)",
          ofPeakFlops(l, flops<32>(l), l.gpu.parameters().fp32)),
    TIMED("flop_dp_efficiency", "%", "FLOP Efficiency(Peak Double)",
          ofPeakFlops(l, flops<64>(l), l.gpu.fp64PerClock())),
    TIMED("shared_load_throughput", "B/s", "Shared Memory Load Throughput",
          perSecond(l, shared<Load, &Shared::passes>(l) * bankBytes(l))),
    TIMED("shared_store_throughput", "B/s", "Shared Memory Store Throughput",
          perSecond(l, shared<Store, &Shared::passes>(l) * bankBytes(l))),
    STALL("exec_dependency", "Execution Dependency", model::Wait::Dependence),
    STALL("memory_dependency", "Data Request", model::Wait::L1, model::Wait::L2, model::Wait::Dram,
          model::Wait::Shared, model::Wait::Atomic),
    STALL("sync", "Synchronization", model::Wait::Barrier),
    STALL("pipe_busy", "Pipe Busy", model::Wait::Pipe),
    STALL("memory_throttle", "Memory Throttle", model::Wait::LoadStore),
    STALL("constant_memory_dependency", "Immediate constant", model::Wait::Constant),
    STALL("not_selected", "Not Selected", model::Wait::Issue),
};

constexpr Metric Events[] = {
    EVENT("warps_launched", "warps of the grid", l.warps()),
    EVENT("threads_launched", "threads of the grid",
          double(l.counts.shape.blocks()) * l.counts.shape.threads()),
    EVENT("sm_cta_launched", "blocks", double(l.counts.shape.blocks())),
    EVENT("inst_executed", "instructions that warps executed", warpInstructions(l)),
    EVENT("thread_inst_executed", "instructions that threads executed", threadInstructions(l)),
    EVENT("gld_request", "loads of global memory by warps", (requests<Load, Global>(l))),
    EVENT("gst_request", "stores to global memory by warps", (requests<Store, Global>(l))),
    EVENT("shared_load", "loads of shared memory by warps", (requests<Load, Space::Shared>(l))),
    EVENT("shared_store", "stores to shared memory by warps", (requests<Store, Space::Shared>(l))),
    EVENT("local_load", "loads of local memory by warps", (requests<Load, Local>(l))),
    EVENT("local_store", "stores to local memory by warps", (requests<Store, Local>(l))),
    EVENT("gld_inst_8bit", "loads of bytes by warps", (instructionsOf<Load, 1>(l))),
    EVENT("gld_inst_16bit", "loads of 2 bytes by warps", (instructionsOf<Load, 2>(l))),
    EVENT("gld_inst_32bit", "loads of 4 bytes by warps", (instructionsOf<Load, 4>(l))),
    EVENT("gld_inst_64bit", "loads of 8 bytes by warps", (instructionsOf<Load, 8>(l))),
    EVENT("gld_inst_128bit", "loads of 16 bytes by warps", (instructionsOf<Load, 16>(l))),
    EVENT("gst_inst_8bit", "stores of bytes by warps", (instructionsOf<Store, 1>(l))),
    EVENT("gst_inst_16bit", "stores of 2 bytes by warps", (instructionsOf<Store, 2>(l))),
    EVENT("gst_inst_32bit", "stores of 4 bytes by warps", (instructionsOf<Store, 4>(l))),
    EVENT("gst_inst_64bit", "stores of 8 bytes by warps", (instructionsOf<Store, 8>(l))),
    EVENT("gst_inst_128bit", "stores of 16 bytes by warps", (instructionsOf<Store, 16>(l))),
    EVENT("shared_load_replay", "loads of shared memory that conflicts repeat",
          (shared<Load, &Shared::conflicts>(l))),
    EVENT("shared_store_replay", "stores to shared memory that conflicts repeat",
          (shared<Store, &Shared::conflicts>(l))),
    EVENT("l1_shared_bank_conflict", "conflicts of banks of shared memory", sharedReplays(l)),
    EVENT("shared_ld_bank_conflict", "conflicts of banks by loads",
          (shared<Load, &Shared::conflicts>(l))),
    EVENT("shared_st_bank_conflict", "conflicts of banks by stores",
          (shared<Store, &Shared::conflicts>(l))),
    EVENT("shared_ld_transactions", "transactions of loads of shared memory",
          (shared<Load, &Shared::passes>(l))),
    EVENT("shared_st_transactions", "transactions of stores to shared memory",
          (shared<Store, &Shared::passes>(l))),
    EVENT("warp_serialize", "1.x: warps that conflicts of banks serialise",
          isOld(l) ? Value(sharedReplays(l)) : std::nullopt),
    EVENT("global_load", "loads of global memory by warps", (requests<Load, Global>(l))),
    EVENT("global_store", "stores to global memory by warps", (requests<Store, Global>(l))),
    EVENT("inst_issued", "instructions that schedulers issued",
          warpInstructions(l) + allReplays(l)),
    EVENT("global_ld_mem_divergence_replays", "further passes of loads of global memory",
          (furtherPasses<Load, Global>(l))),
    EVENT("global_st_mem_divergence_replays", "further passes of stores to global memory",
          (furtherPasses<Store, Global>(l))),
    EVENT("gld_coherent", "1.0, 1.1: coalesced transactions of loads", (coalesced<Load, true>(l))),
    EVENT("gld_incoherent", "1.0, 1.1: transactions of loads that are not coalesced",
          (coalesced<Load, false>(l))),
    EVENT("gst_coherent", "1.0, 1.1: coalesced transactions of stores",
          (coalesced<Store, true>(l))),
    EVENT("gst_incoherent", "1.0, 1.1: transactions of stores that are not coalesced",
          (coalesced<Store, false>(l))),
    EVENT("atom_count", "atomic operations on global memory by warps",
          (requests<Atomic, Global>(l))),
    EVENT("tex0_cache_sector_queries", "sectors of samples of textures", texels(l)),
    EVENT("branch", "branches of warps", branches(l, false)),
    EVENT("divergent_branch", "branches whose threads go both ways", branches(l, true)),
    TIMED_EVENT("active_cycles", "cycles in which multiprocessors have warps",
                times(cycles(l), busyMultiprocessors(l))),
    TIMED_EVENT("active_warps", "warps of multiprocessors, summed over cycles",
                times(activeWarps(l), cycles(l).value_or(0) * busyMultiprocessors(l))),
    TIMED_EVENT("elapsed_cycles_sm", "cycles of all multiprocessors",
                times(cyclesElapsed(l), l.gpu.multiprocessors)),
    EVENT("gred_count", "reductions in global memory by warps", (requests<Reduce, Global>(l))),
};

#undef METRIC
#undef EVENT
#undef TIMED_EVENT
#undef TIMED
#undef OF_RUN
#undef STALL
#undef L2
#undef EXECUTED

} // namespace

std::span<const Metric> nvprofMetrics() { return NvprofMetrics; }
std::span<const Metric> nvprofEvents() { return Events; }

} // namespace heddle::profile
