// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic linker, which runs the constructors and destructors of libraries with its lock held:
// who waits there for work that needs the linker itself would wait for ever.
#pragma once

namespace heddle::driver {

/// While a thread is, or may be, inside the linker.
class LoaderUse {
public:
  LoaderUse();
  ~LoaderUse();
  LoaderUse(const LoaderUse &) = delete;
  LoaderUse &operator=(const LoaderUse &) = delete;

private:
  const bool counts_;
};
/// A thread that the device's work waits for is there.
bool isLoaderWanted();

/// dlopen, with all symbols bound and none given to others.
void *openLibrary(const char *path);

} // namespace heddle::driver
