// RUN: %nvcc -O1 -I%S/Inputs %s -lnvrtc -lcuda -lpthread -o %t
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eight threads compile at once, good and bad programs, while others run what was compiled.
#include "rtc.h"

#include <atomic>
#include <thread>

int main() {
  useDevice();
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; thread++)
    threads.emplace_back([&, thread] {
      useDevice();
      for (int round = 0; round < 3; round++) {
        std::string value = std::to_string(thread * 10 + round);
        Rtc good(("extern \"C\" __global__ void kernel(int *out) { out[threadIdx.x] = " + value + "; }").c_str());
        CHECK(good.compile({"-arch=sm_90"}).result == NVRTC_SUCCESS);
        CHECK(run(load(round ? good.cubin() : good.ptx()), "kernel")[1] == thread * 10 + round);
        Rtc bad(("int x" + value).c_str(), ("program" + value).c_str());
        CHECK(bad.compile().result == NVRTC_ERROR_COMPILATION);
        CHECK(bad.log().compare(0, 8 + value.size(), "program" + value + "(") == 0);
        done++;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(done == 24);
}
