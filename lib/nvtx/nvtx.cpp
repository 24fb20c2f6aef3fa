// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libnvToolsExt.so: the functions of the NVTX headers (nvtx3/nvToolsExt.h), for what links them by
// name.
#define NVTX_DECLSPEC __attribute__((visibility("default")))

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtSync.h>
