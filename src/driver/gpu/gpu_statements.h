// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/table.h"

namespace heddle::driver {

/// A library of the GPU's driver, in whose code kernels may print statements.
void noteStatements(CUlibrary library);
void forgetStatements(CUlibrary library); ///< before it is unloaded
void forgetStatementStreams();            ///< when a context has ended
void interceptStatements(Table &table);

} // namespace heddle::driver
