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
// compare_probe.py --record makes. Not on a machine of several GPUs: cuMulticastCreate is called.
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

/// Whether a unit has handles that could be of no object, and how it is run with them: in one process, or each call in
/// one of its own.
enum Risky { None, Together, Alone };
struct Unit {
  const char *name;
  void (*run)();
  Risky risky;
};
static const Unit units[] = {{"errors and initialisation", errorsAndInit, None},
                             {"devices", devices, None},
                             {"primary contexts", primaryContexts, None},
                             {"contexts", contexts, Alone},
                             {"pointers", pointers, Alone},
                             {"memory", memory, Alone},
                             {"other processes", ipc, Alone},
                             {"pools", pools, Alone},
                             {"virtual memory", virtualMemory, None},
                             {"arrays", arrays, Alone},
                             {"copies", copies, Alone},
                             {"flat and box copies", flatAndBoxCopies, None},
                             {"batches", batches, Together},
                             {"fills", fills, Together},
                             {"streams", streams, Together},
                             {"events", events, Together},
                             {"captures", captures, Together},
                             {"external memory and semaphores", externals, Together},
                             {"memory operations", memoryOperations, Together},
                             {"modules", modules, Together},
                             {"libraries", libraries, Together},
                             {"links", links, Together},
                             {"functions", functions, Together},
                             {"launches", launches, Together},
                             {"nodes of graphs", graphNodes, Together},
                             {"shapes of graphs", graphShapes, Together},
                             {"launches of graphs", graphLaunches, Together},
                             {"texture references", textureReferences, Together},
                             {"texture objects", textureObjects, None},
                             {"tensor maps", tensorMaps, None},
                             {"the rest", rest, None}};

static void runRisky(const Unit &unit) {
  if (unit.risky == Alone)
    runCallsAlone(unit.name, unit.run);
  else if (unit.risky == Together)
    runUnit(unit.name, true, unit.run);
}

/// driver_calls MODULE [UNIT | alone]: all, the units whose names begin so, or what each needs a process of its own.
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
  for (const Unit &unit : units)
    if (std::string(unit.name).rfind(only, 0) == 0)
      runUnit(unit.name, false, unit.run);
  for (const Unit &unit : units)
    if (std::string(unit.name).rfind(only, 0) == 0 || (only == "alone" && unit.risky == Alone))
      runRisky(unit);
}
