// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/sites.h"

#include "base/abi/kernel_abi.h"
#include "device/checks.h"

namespace heddle::check {

std::string describeAccess(const AccessSite &site, uint64_t length) {
  static constexpr const char *Spaces[] = {"global ",   "shared ", "local ",
                                           "constant ", "param ",  ""};
  static constexpr const char *Kinds[] = {"read", "write", "atomic operation"};
  return std::string(Spaces[static_cast<unsigned>(site.space)]) +
         Kinds[static_cast<unsigned>(site.kind)] + " of " + std::to_string(length) +
         (length == 1 ? " byte" : " bytes");
}

std::string hexadecimal(const void *address) {
  char text[24];
  snprintf(text, sizeof(text), "0x%zx", reinterpret_cast<size_t>(address));
  return text;
}

std::vector<Frame> framesOf(const AccessSite &site) {
  std::vector<Frame> frames;
  for (uint32_t i = 0; i < site.frameCount; ++i) {
    const SourceFrame &frame = site.frames[i];
    frames.push_back({frame.function, frame.file, frame.line, frame.column});
  }
  return frames;
}

void placeFinding(Finding &finding, const Launch &launch, const uint32_t (&block)[3],
                  uint32_t thread) {
  const uint32_t *dim = launch.blockDim;
  finding.hasThread = true;
  finding.thread.thread = {thread % dim[0], thread / dim[0] % dim[1], thread / (dim[0] * dim[1])};
  finding.thread.block = {block[0], block[1], block[2]};
}

void placeFinding(Finding &finding, const Block *block, uint32_t warp, uint32_t lane,
                  const AccessSite &site) {
  const Launch *launch = block->launch;
  finding.frames = framesOf(site);
  finding.kernel = device::kernelNameOf(launch);
  finding.launch = device::originOf(launch);
  finding.threads = 1;
  placeFinding(finding, *launch, block->blockIdx, warp * device::lanesOf(launch) + lane);
}

} // namespace heddle::check
