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

constexpr unsigned Lanes = 32;

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

#define METRIC(NAME, UNIT, HELP, VALUE)                                                            \
  {MetricSource::NvprofMetric, NAME, UNIT, "", HELP, [](L l) -> Value { return VALUE; }}
#define TIMED(NAME, UNIT, HELP, VALUE)                                                             \
  {MetricSource::NvprofMetric, NAME, UNIT, "", HELP, [](L l) -> Value { return VALUE; }, true}
#define OF_RUN(FIELD) ofTime(l, [](const model::LaunchTime &t) { return FIELD; })
#define STALL(NAME, HELP, ...)                                                                     \
  TIMED("stall_" NAME, "%", "Issue Stall Reasons (" HELP ")", (stallShare(l, {__VA_ARGS__})))
#define EVENT(NAME, HELP, VALUE)                                                                   \
  {MetricSource::NvprofEvent, NAME, "", "", HELP, [](L l) -> Value { return VALUE; }}

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
    METRIC("atomic_transactions", "", "Atomic Transactions",
           (memory<Atomic, Global, &Memory::transactions>(l) +
            memory<Reduce, Global, &Memory::transactions>(l))),
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
    METRIC("inst_fp_32", "", "FP Instructions(Single)", l.operations(isFloat<32>, true)),
    METRIC("inst_fp_64", "", "FP Instructions(Double)", l.operations(isFloat<64>, true)),
    METRIC("inst_integer", "", "Integer Instructions", l.operations(isInteger, true)),
    METRIC("inst_control", "", "Control-Flow Instructions", control(l, true)),
    METRIC("inst_compute_ld_st", "", "Load/Store Instructions", l.operations(isMemory, true)),
    METRIC("cf_executed", "", "Executed Control-Flow Instructions", control(l, false)),
    METRIC("ldst_executed", "", "Executed Load/Store Instructions", l.operations(isMemory)),
    METRIC("branch_efficiency", "%", "Branch Efficiency",
           uniformBranches(l)),
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
    TIMED("dram_read_transactions", "", "Device Memory Read Transactions",
          OF_RUN(t.dramRead / 32)),
    TIMED("dram_write_transactions", "", "Device Memory Write Transactions",
          OF_RUN(t.dramWritten / 32)),
    TIMED("dram_read_bytes", "", "Total bytes read from DRAM to L2 cache", OF_RUN(t.dramRead)),
    TIMED("dram_write_bytes", "", "Total bytes written from L2 cache to DRAM",
          OF_RUN(t.dramWritten)),
    TIMED("dram_read_throughput", "B/s", "Device Memory Read Throughput",
          OF_RUN(t.dramRead / t.seconds)),
    TIMED("dram_write_throughput", "B/s", "Device Memory Write Throughput",
          OF_RUN(t.dramWritten / t.seconds)),
    TIMED("l2_read_transactions", "", "L2 Read Transactions", l2Reads(l)),
    TIMED("l2_write_transactions", "", "L2 Write Transactions", l2Writes(l)),
    TIMED("l2_read_throughput", "B/s", "L2 Throughput (Reads)",
          (l.time ? perSecond(l, *l2Reads(l) * 32) : std::nullopt)),
    TIMED("l2_write_throughput", "B/s", "L2 Throughput (Writes)",
          (l.time ? perSecond(l, *l2Writes(l) * 32) : std::nullopt)),
    TIMED("l2_tex_hit_rate", "%", "L2 Cache Hit Rate",
          (l.time ? ratio(l.time->l2Hits, l.time->l2Sectors, 100) : std::nullopt)),
    TIMED("global_hit_rate", "%", "Global Hit Rate in unified l1/tex",
          (l.time ? ratio(l.time->l1Hits, l.time->l1Sectors, 100) : std::nullopt)),
    TIMED("l1_cache_global_hit_rate", "%", "L1 Global Hit Rate",
          (l.time ? ratio(l.time->l1Hits, l.time->l1Sectors, 100) : std::nullopt)),
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
    EVENT("l1_shared_bank_conflict", "conflicts of banks of shared memory",
          (shared<Load, &Shared::conflicts>(l) + shared<Store, &Shared::conflicts>(l))),
    EVENT("warp_serialize", "1.x: warps that conflicts of banks serialise",
          isOld(l)
              ? Value(shared<Load, &Shared::conflicts>(l) + shared<Store, &Shared::conflicts>(l))
              : std::nullopt),
    EVENT("global_ld_mem_divergence_replays", "further passes of loads of global memory",
          (memory<Load, Global, &Memory::passes>(l) - requests<Load, Global>(l))),
    EVENT("global_st_mem_divergence_replays", "further passes of stores to global memory",
          (memory<Store, Global, &Memory::passes>(l) - requests<Store, Global>(l))),
    EVENT("gld_coherent", "1.0, 1.1: coalesced transactions of loads", (coalesced<Load, true>(l))),
    EVENT("gld_incoherent", "1.0, 1.1: transactions of loads that are not coalesced",
          (coalesced<Load, false>(l))),
    EVENT("gst_coherent", "1.0, 1.1: coalesced transactions of stores",
          (coalesced<Store, true>(l))),
    EVENT("gst_incoherent", "1.0, 1.1: transactions of stores that are not coalesced",
          (coalesced<Store, false>(l))),
    EVENT("atom_count", "atomic operations on global memory by warps",
          (requests<Atomic, Global>(l))),
    EVENT("branch", "branches of warps", branches(l, false)),
    EVENT("divergent_branch", "branches whose threads go both ways", branches(l, true)),
    EVENT("gred_count", "reductions in global memory by warps", (requests<Reduce, Global>(l))),
};

#undef METRIC
#undef EVENT
#undef TIMED
#undef OF_RUN
#undef STALL

} // namespace

std::span<const Metric> nvprofMetrics() { return NvprofMetrics; }
std::span<const Metric> nvprofEvents() { return Events; }

} // namespace heddle::profile
