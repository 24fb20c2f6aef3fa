// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What simt makes an instruction of (simt/lower), for PTX text.
#include "../native.h"

HEDDLE_PURE int __heddle_int_of(float x) { return (int)x; }
