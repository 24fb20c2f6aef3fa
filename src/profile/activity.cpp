// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/activity.h"

namespace heddle::profile {

static char letterOf(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Pageable:
  case MemoryKind::Pinned:
    return 'H';
  case MemoryKind::Array:
    return 'A';
  case MemoryKind::Device:
  case MemoryKind::Managed:
    break;
  }
  return 'D';
}

std::string directionOf(const Activity &copy) {
  if (copy.toDevice >= 0)
    return "PtoP";
  return std::string{letterOf(copy.from), 't', 'o', letterOf(copy.to)};
}

std::string labelOf(const Activity &activity) {
  switch (activity.kind) {
  case ActivityKind::Copy:
    return "[CUDA memcpy " + directionOf(activity) + "]";
  case ActivityKind::Fill:
    return "[CUDA memset]";
  case ActivityKind::Kernel:
    break;
  }
  return activity.kernel.name;
}

} // namespace heddle::profile
