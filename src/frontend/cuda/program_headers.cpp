// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers that a program of NVRTC brings are found by the very text of an #include, whoever includes
// them, and before files: one that is named "../block/load.cuh" lies in no folder. They have files
// of their own, and `#line` gives them their names.
#include "frontend/cuda/program_headers.h"
#include "frontend/cuda/wrap.h"

#include "clang/Basic/FileManager.h"
#include "clang/Lex/HeaderSearch.h"

using namespace clang;

#define LOOKUP                                                                                     \
  "_ZN5clang12HeaderSearch10LookupFileEN4llvm9StringRefENS_14SourceLocationEbNS_6detail21SearchDi" \
  "rIteratorImplILb1EEEPS6_NS1_8ArrayRefISt4pairINS_20CustomizableOptionalINS_12FileEntryRefEEENS" \
  "_17DirectoryEntryRefEEEEPNS1_15SmallVectorImplIcEESI_PNS_6ModuleEPNS_9ModuleMap11KnownHeaderEP" \
  "bSO_bbbb"

namespace heddle::cuda {

using Includers = llvm::ArrayRef<std::pair<OptionalFileEntryRef, DirectoryEntryRef>>;

OptionalFileEntryRef clangsLookup(HeaderSearch &, StringRef name, SourceLocation, bool isAngled,
                                  ConstSearchDirIterator from, ConstSearchDirIterator *current,
                                  Includers, llvm::SmallVectorImpl<char> *searchPath,
                                  llvm::SmallVectorImpl<char> *relativePath, Module *,
                                  ModuleMap::KnownHeader *, bool *isMapped, bool *isFramework, bool,
                                  bool, bool, bool) HEDDLE_REAL(LOOKUP);
OptionalFileEntryRef lookup(HeaderSearch &, StringRef name, SourceLocation, bool isAngled,
                            ConstSearchDirIterator from, ConstSearchDirIterator *current, Includers,
                            llvm::SmallVectorImpl<char> *searchPath,
                            llvm::SmallVectorImpl<char> *relativePath, Module *,
                            ModuleMap::KnownHeader *, bool *isMapped, bool *isFramework, bool, bool,
                            bool, bool) HEDDLE_WRAP(LOOKUP);

OptionalFileEntryRef lookup(HeaderSearch &search, StringRef name, SourceLocation place,
                            bool isAngled, ConstSearchDirIterator from,
                            ConstSearchDirIterator *current, Includers includers,
                            llvm::SmallVectorImpl<char> *searchPath,
                            llvm::SmallVectorImpl<char> *relativePath, Module *module,
                            ModuleMap::KnownHeader *suggested, bool *isMapped, bool *isFramework,
                            bool skipsCache, bool isOfBuild, bool opens, bool cachesFailures) {
  FileManager &files = search.getFileMgr();
  if (!from && files.getOptionalDirectoryRef(HeaderFolder))
    if (OptionalFileEntryRef own = files.getOptionalFileRef(headerPath(name))) {
      if (current)
        *current = nullptr;
      return own;
    }
  return clangsLookup(search, name, place, isAngled, from, current, includers, searchPath,
                      relativePath, module, suggested, isMapped, isFramework, skipsCache, isOfBuild,
                      opens, cachesFailures);
}

std::string headerPath(StringRef name) {
  std::string path = HeaderFolder;
  for (char c : name) {
    if (c == '/' || c == '%')
      path += c == '/' ? "%s" : "%%";
    else
      path += c;
  }
  return path;
}

} // namespace heddle::cuda
