// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler driver includes this in the host half of CUDA sources; programs never do. It notes
// in the object where the toolkit lies, so that a program that is linked with libcudart_static.a by
// any linker, with no run path, finds the JIT library when it meets a kernel that is not in the
// cache.
#pragma once

#if defined(__HEDDLE_TOOLKIT__) && !defined(__CUDA_ARCH__)
extern "C" {
extern const char __heddle_toolkit[];
__attribute__((weak, visibility("hidden"))) const char __heddle_toolkit[] = __HEDDLE_TOOLKIT__;
}
#endif
