// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does the program ever make streams?
//
// A launch that nothing runs beside may be proven free of races, and then leaves no records
// (device/launch_proof.cpp). Whether a stream comes later that does not wait for it shows in what
// the program and its libraries take from ours: they import the functions that make such streams, or
// the linker has taken these from libcudart_static.a (runtime/static/stream_makers.cpp), or they ask
// for a function by its name (entry_points.cpp). Who finds one by dlsym is not seen before the stream
// is there.
#include "driver/launch/stream_makers.h"

#include "device/checks.h"

#include <atomic>
#include <cstdint>
#include <elf.h>
#include <link.h>

namespace heddle::driver {

namespace {

struct Symbols {
  const ElfW(Sym) *first = nullptr;
  const char *names = nullptr;
  size_t undefined = 0; ///< those that are not defined are among so many
};

/// Some dynamic linkers have written addresses to the section, others have not.
template <typename T> const T *at(const dl_phdr_info &info, ElfW(Addr) value) {
  return reinterpret_cast<const T *>(value < info.dlpi_addr ? value + info.dlpi_addr : value);
}

Symbols symbolsOf(const dl_phdr_info &info) {
  Symbols symbols;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC)
      continue;
    auto *entry = reinterpret_cast<const ElfW(Dyn) *>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry)
      switch (entry->d_tag) {
      case DT_SYMTAB:
        symbols.first = at<ElfW(Sym)>(info, entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        symbols.names = at<char>(info, entry->d_un.d_ptr);
        break;
      case DT_GNU_HASH: // the first symbol that is defined
        symbols.undefined = at<uint32_t>(info, entry->d_un.d_ptr)[1];
        break;
      case DT_HASH: // all symbols
        if (!symbols.undefined)
          symbols.undefined = at<uint32_t>(info, entry->d_un.d_ptr)[1];
        break;
      }
  }
  return symbols;
}

bool importsMaker(const dl_phdr_info &info) {
  Symbols symbols = symbolsOf(info);
  if (!symbols.first || !symbols.names)
    return false;
  for (size_t i = 0; i < symbols.undefined; ++i)
    if (symbols.first[i].st_shndx == SHN_UNDEF &&
        makesStreams(symbols.names + symbols.first[i].st_name))
      return true;
  return false;
}

/// Of all objects, unless none has come since.
int look(dl_phdr_info *info, size_t, void *) {
  static std::atomic<unsigned long long> looked = 0;
  thread_local bool isNew = false;
  bool isFirst = !info->dlpi_name || !*info->dlpi_name;
  if (isFirst) // the program
    isNew = looked.exchange(info->dlpi_adds) != info->dlpi_adds;
  if (!isNew)
    return 1;
  std::string_view name = isFirst ? "" : info->dlpi_name;
  bool isOurs = name.find("/libcuda") != name.npos || name.find("/libcublas") != name.npos;
  if (!isOurs && importsMaker(*info)) {
    device::noteStreams();
    return 1;
  }
  return 0;
}

} // namespace

bool makesStreams(std::string_view function) {
  for (std::string_view maker :
       {"cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cuStreamCreate",
        "cuStreamCreateWithPriority", "cuGreenCtxStreamCreate"})
    if (function == maker)
      return true;
  return false;
}

void lookForStreamMakers() { dl_iterate_phdr(look, nullptr); }

} // namespace heddle::driver

/// Of libcudart_static.a.
extern "C" __attribute__((visibility("default"))) void heddle_program_makes_streams() {
  heddle::device::noteStreams();
}
