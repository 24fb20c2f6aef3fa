// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// topo -m: who sits where; topo -p2p r: who can access whose memory.
#include "toolkit/smi/reports.h"

#include <cstdio>
#include <functional>

namespace smi {

namespace {

const char *connection(const Gpu &a, const Gpu &b) {
  nvmlGpuTopologyLevel_t level = NVML_TOPOLOGY_SYSTEM;
  nvmlDeviceGetTopologyCommonAncestor(a.device, b.device, &level);
  switch (level) {
  case NVML_TOPOLOGY_INTERNAL:
  case NVML_TOPOLOGY_SINGLE:
    return "PIX";
  case NVML_TOPOLOGY_MULTIPLE:
    return "PXB";
  case NVML_TOPOLOGY_HOSTBRIDGE:
    return "PHB";
  case NVML_TOPOLOGY_NODE:
    return "NODE";
  case NVML_TOPOLOGY_SYSTEM:
    break;
  }
  return "SYS";
}

const char *access(const Gpu &a, const Gpu &b, nvmlGpuP2PCapsIndex_t index) {
  nvmlGpuP2PStatus_t status = NVML_P2P_STATUS_UNKNOWN;
  nvmlDeviceGetP2PStatus(a.device, b.device, index, &status);
  switch (status) {
  case NVML_P2P_STATUS_OK:
    return "OK";
  case NVML_P2P_STATUS_CHIPSET_NOT_SUPPORTED:
    return "CNS";
  case NVML_P2P_STATUS_GPU_NOT_SUPPORTED:
    return "GNS";
  case NVML_P2P_STATUS_IOH_TOPOLOGY_NOT_SUPPORTED:
    return "TNS";
  case NVML_P2P_STATUS_DISABLED_BY_REGKEY:
    return "DR";
  case NVML_P2P_STATUS_NOT_SUPPORTED:
    return "NS";
  case NVML_P2P_STATUS_UNKNOWN:
    break;
  }
  return "U";
}

/// "0-3,8" of bits.
std::string processors(const Gpu &gpu) {
  constexpr unsigned Words = 16, Bits = 64;
  unsigned long set[Words] = {};
  nvmlDeviceGetCpuAffinity(gpu.device, Words, set);
  auto has = [&](unsigned i) { return i < Words * Bits && set[i / Bits] >> i % Bits & 1; };
  std::string text;
  for (unsigned i = 0; i < Words * Bits; ++i) {
    if (!has(i))
      continue;
    const unsigned first = i;
    while (has(i + 1))
      ++i;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    text += i > first ? "-" + std::to_string(i) : "";
  }
  return text;
}

void printMatrix(const Gpus &gpus, bool hasAffinity,
                 const std::function<const char *(const Gpu &, const Gpu &)> &cell) {
  for (const Gpu &gpu : gpus)
    std::printf("\tGPU%u", gpu.index);
  std::puts(hasAffinity ? "\tCPU Affinity\tNUMA Affinity" : "");
  for (const Gpu &row : gpus) {
    std::printf("GPU%u", row.index);
    for (const Gpu &column : gpus)
      std::printf("\t%s", row.index == column.index ? " X " : cell(row, column));
    if (hasAffinity)
      std::printf("\t%s\t0", processors(row).c_str());
    std::puts("");
  }
}

int printConnections() {
  printMatrix(allGpus(), true, connection);
  std::puts("\nLegend:\n\n"
            "  X    = the GPU itself\n"
            "  SYS  = behind different hubs\n"
            "  PHB  = behind the same hub\n"
            "  PIX  = on the same board");
  return 0;
}

int printAccess(nvmlGpuP2PCapsIndex_t index) {
  printMatrix(allGpus(), false, [&](const Gpu &a, const Gpu &b) { return access(a, b, index); });
  std::puts("\nLegend:\n\n"
            "  X    = the GPU itself\n"
            "  OK   = can access the other's memory\n"
            "  GNS  = not supported between these GPUs\n"
            "  TNS  = not supported behind different hubs\n"
            "  NS   = not supported");
  return 0;
}

} // namespace

int printTopology(const std::vector<std::string> &options) {
  const std::string what = options.empty() ? "" : options[0];
  if (what == "-m" || what == "--matrix")
    return printConnections();
  const std::string kind = options.size() > 1 ? options[1] : "";
  if (what == "-p2p" || what == "--p2pstatus")
    for (auto [letter, index] : {std::pair{"r", NVML_P2P_CAPS_INDEX_READ},
                                 {"w", NVML_P2P_CAPS_INDEX_WRITE},
                                 {"n", NVML_P2P_CAPS_INDEX_NVLINK},
                                 {"a", NVML_P2P_CAPS_INDEX_ATOMICS},
                                 {"p", NVML_P2P_CAPS_INDEX_PCI}})
      if (kind == letter)
        return printAccess(index);
  std::puts("usage: nvidia-smi topo -m | -p2p r|w|n|a|p");
  return what.empty() || what == "-h" || what == "--help" ? 0 : NVML_ERROR_INVALID_ARGUMENT;
}

} // namespace smi
