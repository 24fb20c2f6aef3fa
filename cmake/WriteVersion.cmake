# Writes the source of the version: VERSION and a hash over the files listed in INPUTS. Run by src/base/CMakeLists.txt.
file(STRINGS ${INPUTS} files)
set(hashes "")
foreach(file ${files})
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUTPUT}
  "// Written by cmake/WriteVersion.cmake.\n#include \"base/cache/version.h\"\n\n"
  "const char *heddle::compilerVersion() { return \"heddle ${VERSION} ${hash}\"; }\n")
