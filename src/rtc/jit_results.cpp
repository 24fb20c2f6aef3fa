// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rtc/jit_results.h"

#include "llvm/Support/thread.h"

#include <optional>

namespace heddle::rtc {

Result<std::string> taken(HeddleJitResult result) {
  Result<std::string> text =
      result.error ? Result<std::string>(Failure{result.error})
                   : std::string(reinterpret_cast<const char *>(result.data), result.size);
  heddleJitFree(&result);
  return text;
}

std::string runGuarded(const std::function<void()> &action) {
  constexpr unsigned Stack = 8 << 20;
  std::string fatal;
  llvm::thread thread(std::optional<unsigned>(Stack), [&] {
    auto call = [](void *given) { (*static_cast<const std::function<void()> *>(given))(); };
    Result<std::string> result =
        taken(heddleJitSurvive(call, const_cast<std::function<void()> *>(&action)));
    if (!result)
      fatal = result.error();
  });
  thread.join();
  return fatal;
}

} // namespace heddle::rtc
