// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included in front of each source of a library with a table: its functions get symbols of their own,
// heddle_own_NAME. The public names are jumps, to these or to the machine's library (forward.h).
#define HEDDLE_OWN_PRAGMA(text) _Pragma(#text)
#define HEDDLE_FUNCTION(group, name, state)                                                        \
  HEDDLE_OWN_PRAGMA(redefine_extname name heddle_own_##name)
#include HEDDLE_LIBRARY_TABLE
#undef HEDDLE_FUNCTION
#undef HEDDLE_OWN_PRAGMA
