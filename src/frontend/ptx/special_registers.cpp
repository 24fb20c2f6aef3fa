// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Special registers (PTX ISA, "Special Registers"): those of special_registers.def, and those that are
// computed.
#include "frontend/ptx/emitter.h"
#include "frontend/ptx/module/reserved_memory.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::frontend::ptx {

/// %envreg0 to 31. The upper and lower half of the address of a cooperative launch's workspace, whose
/// second word blocks count in when they wait for each other, are 1 and 2 (what nvcc makes of
/// grid.sync()); the others are 0.
Value *Emitter::environment(StringRef number) {
  unsigned which = 0;
  if (number.getAsInteger(10, which) || which > 31)
    return nullptr;
  if (which != 1 && which != 2)
    return b.getInt32(0);
  Value *isCooperative = library("__heddle_is_cooperative", b.getInt1Ty(), {});
  Value *address =
      b.CreatePtrToInt(library("__heddle_grid_barrier", b.getPtrTy(), {}), b.getInt64Ty());
  Value *half = b.CreateTrunc(b.CreateLShr(address, which == 1 ? 32 : 0), b.getInt32Ty());
  return b.CreateSelect(isCooperative, half, b.getInt32(0));
}

/// begin, end, cap, which is the end of what may be reserved, and the parts 0, which is CUDA's own, and
/// 1, which cooperative groups use.
Value *Emitter::reservedOffset(StringRef which) {
  const int64_t offset = StringSwitch<int64_t>(which)
                             .Cases({"begin", "0"}, 0)
                             .Case("1", ReservedBytes / 2)
                             .Cases({"end", "cap"}, ReservedBytes)
                             .Default(-1);
  if (offset < 0)
    return nullptr;
  Register memory;
  memory.value = reservedMemory(*b.GetInsertBlock()->getModule());
  memory.space = "shared";
  return b.CreateTrunc(b.CreateAdd(addressOf(memory), b.getInt64(offset)), b.getInt32Ty());
}

/// %nsmid: the device's multiprocessors, which the device runtime tells.
Value *Emitter::multiprocessorCount() {
  constexpr uint32_t MultiProcessorCount = 16; // cudaDevAttrMultiProcessorCount
  BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  Value *answer = IRBuilder<>(&entry, entry.getFirstInsertionPt()).CreateAlloca(b.getInt32Ty());
  library("cudaGetDevice", b.getInt32Ty(), {answer}, /*readsNothing=*/false);
  library("cudaDeviceGetAttribute", b.getInt32Ty(),
          {answer, b.getInt32(MultiProcessorCount), b.CreateLoad(b.getInt32Ty(), answer)},
          /*readsNothing=*/false);
  return b.CreateLoad(b.getInt32Ty(), answer);
}

/// %pm0 to 7 and %pm0_64 to 7_64, which count what a profiler has chosen, as nothing is: 0.
Value *Emitter::performanceCounter(StringRef number) {
  const bool isWide = number.consume_back("_64");
  if (number.size() != 1 || number[0] < '0' || number[0] > '7')
    return nullptr;
  return b.getIntN(isWide ? 64 : 32, 0);
}

Value *Emitter::specialRegister(StringRef name) {
  auto half = [&](Intrinsic::ID id, unsigned shift) {
    return b.CreateTrunc(b.CreateLShr(intrinsic(id, {}), shift), b.getInt32Ty());
  };
  if (name == "%clock_hi")
    return half(Intrinsic::nvvm_read_ptx_sreg_clock64, 32);
  if (name == "%globaltimer_hi")
    return half(Intrinsic::nvvm_read_ptx_sreg_globaltimer, 32);
  if (name == "%globaltimer_lo")
    return half(Intrinsic::nvvm_read_ptx_sreg_globaltimer, 0);
  if (name.consume_front("%reserved_smem_offset_"))
    return registers_.hasOuter() ? reservedOffset(name) : nullptr;
  if (name == "%is_explicit_cluster")
    return intrinsic(Intrinsic::nvvm_is_explicit_cluster, {});
  if (name.starts_with("%envreg"))
    return environment(name.drop_front(7));
  if (name.starts_with("%pm"))
    return performanceCounter(name.drop_front(3));
  if (name == "%nsmid")
    return multiprocessorCount();
  if (name == "%current_graph_exec")
    return b.CreatePtrToInt(
        library("cudaGetCurrentGraphExec", b.getPtrTy(), {}, /*readsNothing=*/false),
        b.getInt64Ty());
  if (name == "%aggr_smem_size")
    return b.CreateAdd(intrinsic(Intrinsic::nvvm_read_ptx_sreg_total_smem_size, {}),
                       b.getInt32(ReservedBytes));
  // The fourth elements of these are 0.
  if (name.consume_back(".w"))
    return is_contained({"%tid", "%ntid", "%ctaid", "%nctaid", "%cluster_ctaid", "%cluster_nctaid",
                         "%clusterid", "%nclusterid"},
                        name)
               ? b.getInt32(0)
               : nullptr;
  if (name == "%gridid")
    return b.CreateZExt(intrinsic(Intrinsic::nvvm_read_ptx_sreg_gridid, {}), b.getInt64Ty());
#define PTX_SPECIAL_REGISTER(NAME, INTRINSIC)                                                      \
  if (name == "%" #NAME)                                                                           \
    return intrinsic(Intrinsic::nvvm_read_ptx_sreg_##INTRINSIC, {});
#include "frontend/ptx/special_registers.def"
  return nullptr;
}

} // namespace heddle::frontend::ptx
