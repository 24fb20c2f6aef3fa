// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/module/problems.h"

#include "frontend/ptx/cursor.h"

#include <algorithm>
#include <functional>

using namespace llvm;

namespace heddle::frontend::ptx {

unsigned Problems::lineOf(const char *at) const {
  const bool isInside =
      at && std::less_equal<>()(text_.begin(), at) && std::less<>()(at, text_.end());
  return 1 + unsigned(std::count(text_.begin(), isInside ? at : text_.end(), '\n'));
}

void Problems::note(Error error, const char *at) {
  handleAllErrors(
      std::move(error),
      [&](const PlacedError &placed) {
        this->error(placed.at ? placed.at : at, placed.message, placed.isFatal);
      },
      [&](const ErrorInfoBase &other) { this->error(at, other.message()); });
}

void Problems::error(const char *at, const Twine &message, bool isFatal) {
  refusal_ = std::max(refusal_, Refusal::Invalid);
  isFatal_ |= isFatal || ++count_ == Most;
  log_ += ("ptxas application ptx input, line " + Twine(lineOf(at)) + "; " +
           (isFatal ? "fatal  " : "error  ") + " : " + message + "\n")
              .str();
}

void Problems::fatal(const Twine &message) {
  refusal_ = std::max(refusal_, Refusal::Invalid);
  isFatal_ = isWhole_ = true;
  log_ += ("ptxas fatal   : " + message + "\n").str();
}

std::string Problems::log() const {
  return isWhole_ ? StringRef(log_).rtrim().str()
                  : log_ + "ptxas fatal   : Ptx assembly aborted due to errors";
}

} // namespace heddle::frontend::ptx
