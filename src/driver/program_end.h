// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::driver {

/// Has a report written, once, before the program ends in a way that destructors of statics do not see:
/// by _exit, quick_exit, or a signal for which it has no action of its own. Signals whose action the
/// program sets later are the program's. The report is left out where it cannot be had: its thread
/// waits for what the one holds that ends the program. `report` may be called at any time, and again
/// by destructors. Several reports are written in the order in which they were asked for.
void reportAtAnyEnd(void (*report)());

} // namespace heddle::driver
