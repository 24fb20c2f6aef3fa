// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: machine code that was just made, in this process.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::jit {

/// A shared object in memory, loaded. A failure is a failed expectation and a null symbol.
class LoadedObject {
public:
  explicit LoadedObject(llvm::ArrayRef<uint8_t> bytes);
  ~LoadedObject();
  LoadedObject(const LoadedObject &) = delete;
  LoadedObject &operator=(const LoadedObject &) = delete;

  template <typename T> T *symbol(const char *name) const { return static_cast<T *>(find(name)); }
  const std::string &path() const { return path_; }
  void *handle() const { return handle_; } ///< dlopen's

private:
  void *find(const char *name) const;

  int descriptor_;
  std::string path_;
  void *handle_ = nullptr;
};

/// Host IR for a CPU (null: this one), changed by `pass` and verified, as the bytes of a shared
/// object.
llvm::Expected<std::vector<uint8_t>>
buildObject(const std::string &text, const char *cpu,
            llvm::function_ref<void(llvm::Module &, llvm::TargetMachine &)> pass);

/// A page of zeros with inaccessible ones on both sides.
class LonePage {
public:
  LonePage();
  ~LonePage();
  LonePage(const LonePage &) = delete;
  LonePage &operator=(const LonePage &) = delete;

  char *begin() const { return begin_; }
  char *end() const { return begin_ + bytes_; }

private:
  size_t bytes_;
  char *begin_;
};

/// `text` with each first string in place of which the second stands, one pair after the other.
std::string filledIn(std::string text,
                     std::initializer_list<std::pair<std::string, std::string>> words);

} // namespace heddle::jit
