// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle::rtc {

/// Text of LLVM IR whose pointers have types, as up to LLVM 14, as text that LLVM of today reads:
/// each type of a pointer becomes `ptr`, and what an argument's attribute took from it is said there.
///
///     define void @f(i32 addrspace(1)* %p, %s* byval align 4 %q)
/// ->
///     define void @f(ptr addrspace(1) %p, ptr byval(%s) align 4 %q)
///
/// Other text stays. What is no IR stays something that is none.
std::string withoutPointerTypes(llvm::StringRef text);

} // namespace heddle::rtc
