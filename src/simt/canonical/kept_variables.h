// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace heddle::simt {

/// LLVM's clean-ups merge the address of a variable with what is added to it, and drop an offset of
/// zero, and with it the note of what lies there (frontend/variable_note.h). From `hideVariables` to
/// `showVariables` they cannot look into it:
///
///     %a = getelementptr i8, %shared, 128, !heddle.variable
///       ->  %h = getelementptr i8, %shared, 128
///           %a = call ptr @llvm.strip.invariant.group(%h), !heddle.variable
void hideVariables(llvm::Function &);
void showVariables(llvm::Function &);

} // namespace heddle::simt
