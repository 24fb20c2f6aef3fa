// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libculibos.a, which programs name after a static library of CUDA's: NVIDIA's have their threads from there. Ours need
// nothing of it, so it is empty.
