# Finds LLVM 22 and lld and gives them as two targets: heddle::llvm (the shared library) and heddle::lld
# (static libraries over it). LLVM's quirks stay in this file.
find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)

add_library(heddle_llvm INTERFACE)
add_library(heddle::llvm ALIAS heddle_llvm)
target_include_directories(heddle_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(heddle_llvm INTERFACE ${llvm_definitions})
target_link_libraries(heddle_llvm INTERFACE LLVM)

find_package(LLD REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)
add_library(heddle_lld INTERFACE)
add_library(heddle::lld ALIAS heddle_lld)
target_include_directories(heddle_lld SYSTEM INTERFACE ${LLD_INCLUDE_DIRS})
target_link_libraries(heddle_lld INTERFACE lldELF lldCommon heddle_llvm)

# LLVM's programs run where the build runs: a cross build takes this machine's (cmake/toolchains).
if(CMAKE_CROSSCOMPILING)
  set(HEDDLE_LLVM_TOOLS "")
else()
  set(HEDDLE_LLVM_TOOLS ${LLVM_TOOLS_BINARY_DIR})
endif()
find_program(HEDDLE_CLANG NAMES clang-22 HINTS ${HEDDLE_LLVM_TOOLS} REQUIRED)
find_program(HEDDLE_CLANGXX NAMES clang++-22 HINTS ${HEDDLE_LLVM_TOOLS} REQUIRED)
find_program(HEDDLE_FILECHECK NAMES FileCheck-22 FileCheck HINTS ${HEDDLE_LLVM_TOOLS})
