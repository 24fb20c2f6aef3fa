// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs use what NVIDIA's headers include of the standard library, without including it.
// RUN: g++ -std=c++11 -fsyntax-only -I%build/lib/heddle/include -DHEADER='"driver_types.h"' %s
// RUN: g++ -std=c++11 -fsyntax-only -I%build/lib/heddle/include -DHEADER='"vector_functions.h"' %s
// RUN: g++ -std=c++11 -fsyntax-only -I%build/lib/heddle/include -DHEADER='"texture_types.h"' %s
// RUN: g++ -std=c++11 -fsyntax-only -I%build/lib/heddle/include -DHEADER='"cuda_runtime.h"' -DUTILITY %s
// RUN: g++ -std=c++11 -fsyntax-only -I%build/lib/heddle/include -DHEADER='"cuda.h"' -DNO_LIMITS -DSTDLIB %s
// RUN: g++ -std=c++11 -fsyntax-only -I%build/lib/heddle/include -DHEADER='"cuda_fp16.h"' -DUTILITY -DSTRING %s
// RUN: g++ -std=c++11 -fsyntax-only -I%build/lib/heddle/include -DHEADER='"cuda_bf16.h"' -DUTILITY -DSTRING %s
// RUN: g++ -std=c++11 -fsyntax-only -I%build/lib/heddle/include -DHEADER='"curand_kernel.h"' -DSTDLIB -DSTRING %s
// RUN: g++ -std=c++11 -fsyntax-only -I%build/lib/heddle/include -DHEADER='"cusolverDn.h"' -DINTTYPES %s
#include HEADER

#ifndef NO_LIMITS
static_assert(USHRT_MAX > 255 && sizeof(size_t) > 2 && CHAR_BIT == 8, "");
#endif
#ifdef UTILITY
std::pair<int, int> pair = std::make_pair(1, 2);
#endif
#ifdef STDLIB
char *end = nullptr;
long number = strtol("12", &end, 10);
#endif
#ifdef STRING
size_t length = strlen("12");
#endif
#ifdef INTTYPES
const char *format = PRId64;
#endif
