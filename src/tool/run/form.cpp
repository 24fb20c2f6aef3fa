// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-form LIBRARY: compiles one form of a kernel for a program that measures which is the
// fastest (base/cache/form_request.h says what goes in and out). In a process of its own the compiler can
// be stopped at any time, takes none of the program's memory, and harms nobody if it fails. When the
// program is gone, however it ended, nobody reads the pipe any more, and this process ends too.
#include "base/cache/form_request.h"
#include "jit/jit.h"

#include <cstdio>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <poll.h>
#include <unistd.h>

using namespace heddle;

namespace {

bool read(void *to, size_t bytes) { return std::fread(to, 1, bytes, stdin) == bytes; }

bool read(std::string &text, size_t bytes) {
  text.resize(bytes);
  return read(text.data(), bytes);
}

bool write(const void *from, size_t bytes) { return std::fwrite(from, 1, bytes, stdout) == bytes; }

uint64_t processorTime() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

int fail(const char *what) {
  std::fprintf(stderr, "heddle-form: %s\n", what);
  return 1;
}

/// Ends the process when the reader of standard output is gone.
void endWithReader() {
  pollfd output = {STDOUT_FILENO, 0, 0};
  while (poll(&output, 1, -1) < 0)
    ;
  _exit(1);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return fail("usage: heddle-form LIBRARY <request >object");
  std::thread(endWithReader).detach();
  FormRequest head;
  std::string name, cpu, image;
  std::vector<uint32_t> objects;
  if (!read(&head, sizeof(head)) || head.version != FormRequestVersion)
    return fail("a request of another version");
  objects.resize(head.objects == FormRequest::NoObjects ? 0 : head.objects);
  if (!read(name, head.nameBytes) || !read(cpu, head.cpuBytes) ||
      !read(objects.data(), objects.size() * sizeof(uint32_t)) || !read(image, head.imageBytes))
    return fail("the request ends too early");
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(dlerror());
  auto compile =
      reinterpret_cast<decltype(&heddleJitCompileWith)>(dlsym(library, "heddleJitCompileWith"));
  auto release = reinterpret_cast<decltype(&heddleJitFree)>(dlsym(library, "heddleJitFree"));
  if (!compile || !release)
    return fail("the library has no heddleJitCompileWith or heddleJitFree");
  HeddleCompileRequest request = {reinterpret_cast<const uint8_t *>(image.data()),
                                  image.size(),
                                  name.c_str(),
                                  {head.blockDim[0], head.blockDim[1], head.blockDim[2]},
                                  head.width,
                                  cpu.empty() ? nullptr : cpu.c_str(),
                                  /*threadwise=*/false,
                                  objects.empty() ? nullptr : objects.data(),
                                  head.hasLongObjects != 0,
                                  static_cast<Mode>(head.mode)};
  HeddleJitResult result = compile(&request);
  if (result.error)
    return fail(result.error);
  FormReplyTail tail = {processorTime()};
  bool isWritten =
      write(result.data, result.size) && write(&tail, sizeof(tail)) && std::fflush(stdout) == 0;
  release(&result);
  return isWritten ? 0 : fail("cannot write the object");
}
