// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: check-all
// RUN: %heddle cc -fatbin %S/Inputs/driver_calls_kernels.cu -o %t.fatbin
// RUN: %heddle cc -std=c++17 -O0 %s -lcuda -ldl -o %t
// RUN: env HEDDLE_DEVICE=h200 %t %t.fatbin > %t.out
// RUN: FileCheck %s < %t.out
// RUN: %python %S/Inputs/compare_probe.py --calls %S/Inputs/driver_calls/answers.txt \
// RUN:   %S/Inputs/driver_calls/deviations.txt %t.out
//
// CHECK-NOT: {{ends the process|the process ends|does not return}}
//
// Calls every function of driver.def: with arguments that are all zero in four states of a process (zeros.h), then with
// good arguments, and with one of them bad: null, of another context, of another kind, too small, too large, no flag. A
// second run gives handles of no object. To record what a GPU's driver answers:
//
//     nvcc -std=c++17 -o calls driver_calls.cpp -ldl
//     nvcc -fatbin -arch=native -o calls.fatbin Inputs/driver_calls_kernels.cu
//     ./calls calls.fatbin > recording
//
// Two such recordings of an H200 (driver 580, CUDA 13.0) agree on Inputs/driver_calls/answers.txt, which
// compare_probe.py --record makes; the calls with handles of no object of contexts, pointers, memory, other processes,
// pools, arrays and copies are in none. Run one after the other: handles of freed objects would differ.
//
// A call that ends its process has a line that says so. Which one does not return in five seconds, too.
#include "Inputs/driver_calls/copy_calls.h"
#include "Inputs/driver_calls/device_calls.h"
#include "Inputs/driver_calls/graph_calls.h"
#include "Inputs/driver_calls/memory_calls.h"
#include "Inputs/driver_calls/module_calls.h"
#include "Inputs/driver_calls/stream_calls.h"
#include "Inputs/driver_calls/texture_calls.h"
#include "Inputs/driver_calls/zeros.h"

struct Unit {
  const char *name;
  void (*run)();
  bool hasRisky; ///< it has handles that could be of no object
};
static const Unit units[] = {{"errors and initialisation", errorsAndInit, false},
                             {"devices", devices, false},
                             {"primary contexts", primaryContexts, false},
                             {"contexts", contexts, true},
                             {"pointers", pointers, true},
                             {"memory", memory, true},
                             {"other processes", ipc, true},
                             {"pools", pools, true},
                             {"virtual memory", virtualMemory, false},
                             {"arrays", arrays, true},
                             {"copies", copies, true},
                             {"flat and box copies", flatAndBoxCopies, false},
                             {"batches", batches, true},
                             {"fills", fills, true},
                             {"streams", streams, true},
                             {"events", events, true},
                             {"captures", captures, true},
                             {"external memory and semaphores", externals, true},
                             {"memory operations", memoryOperations, true},
                             {"modules", modules, true},
                             {"libraries", libraries, true},
                             {"links", links, true},
                             {"functions", functions, true},
                             {"launches", launches, true},
                             {"nodes of graphs", graphNodes, true},
                             {"shapes of graphs", graphShapes, true},
                             {"launches of graphs", graphLaunches, true},
                             {"texture references", textureReferences, true},
                             {"texture objects", textureObjects, false},
                             {"tensor maps", tensorMaps, false},
                             {"the rest", rest, false}};

/// driver_calls MODULE [UNIT]: all, or the units whose names begin so.
int main(int count, char **arguments) {
  const std::string only = count > 2 ? arguments[2] : "";
  if (count < 2 || !loadApi()) {
    std::fprintf(stderr, count < 2 ? "driver_calls MODULE [UNIT]\n" : "no libcuda.so.1\n");
    return 2;
  }
  moduleFile = arguments[1];
  void *page =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return 2;
  shared = static_cast<Shared *>(page);
  if (only.empty())
    everythingWithZeros();
  for (bool isRisky : {false, true})
    for (const Unit &unit : units)
      if (std::string(unit.name).rfind(only, 0) == 0 && (unit.hasRisky || !isRisky))
        runUnit(unit.name, isRisky, unit.run);
}
