// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/emitter.h"

namespace heddle::frontend::ptx {

/// How a floating-point format of at most 16 bits lies in its bits, below the sign.
struct SmallFormat {
  llvm::StringRef name;
  unsigned exponentBits, digits; ///< digits behind the point
  unsigned bias;
  unsigned largest;  ///< the code of the largest number
  unsigned infinity; ///< the code that stands for what is too large, where nothing saturates
  unsigned nan;

  unsigned bits() const { return 1 + exponentBits + digits; }
};

/// f16 and the formats of fewer bits, by the name of the type or of its pair; null: another type.
const SmallFormat *findFormat(llvm::StringRef type);

/// The bits of a float in the format, as i16: rounded by "rn", "rz", "rm", "rp" or "rna"; what is
/// too large is the largest number if it saturates. NaN has no sign.
llvm::Value *encode(Emitter &, const SmallFormat &, llvm::Value *number, llvm::StringRef rounding,
                    bool saturates);

/// The float that a code, an integer, means.
llvm::Value *decode(Emitter &, const SmallFormat &, llvm::Value *code);

/// `number`, a double, as a float from which any rounding to fewer than 23 digits is right: cut
/// off, with the last bit set if that lost anything.
llvm::Value *oddFloat(Emitter &, llvm::Value *number);

} // namespace heddle::frontend::ptx
