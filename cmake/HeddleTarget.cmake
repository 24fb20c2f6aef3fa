# heddle_target(name): the flags that every target of ours has.
set(HEDDLE_SANITIZE "" CACHE STRING "Comma list for -fsanitize=")

add_library(heddle_plain_flags INTERFACE)
target_compile_options(heddle_plain_flags INTERFACE
  -Wall -Wextra -Werror -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti> "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
target_include_directories(heddle_plain_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_link_options(heddle_plain_flags INTERFACE -fuse-ld=lld-22)
add_library(heddle_flags INTERFACE)
target_link_libraries(heddle_flags INTERFACE heddle_plain_flags)
if(HEDDLE_SANITIZE)
  # CUDA's functions are called through pointers of other types: by tests, and from a table of symbols. They are
  # called with numbers that are no enumerators, too, as C allows, and check them: clang takes them as they are.
  # Any other report ends the program, so that a test fails.
  target_compile_options(heddle_flags INTERFACE -fsanitize=${HEDDLE_SANITIZE} -fno-sanitize=function,enum
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(heddle_flags INTERFACE -fsanitize=${HEDDLE_SANITIZE})
endif()

# The headers that most sources parse, compiled once: the standard library's, with LLVM's, with GoogleTest's.
# -fno-pch-timestamp lets a compiler cache take a precompiled header that another folder made.
set(heddle_standard_headers <algorithm> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional> <string>
  <string_view> <utility> <vector>)
set(heddle_llvm_headers <llvm/ADT/DenseMap.h> <llvm/ADT/SetVector.h> <llvm/Analysis/ScalarEvolution.h>
  <llvm/Analysis/VectorUtils.h> <llvm/IR/IRBuilder.h> <llvm/IR/InstIterator.h> <llvm/IR/IntrinsicInst.h>
  <llvm/IR/IntrinsicsNVPTX.h> <llvm/IR/Module.h> <llvm/IR/PatternMatch.h> <llvm/Target/TargetMachine.h>)
function(heddle_precompiled_headers name)
  add_library(${name} OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/cmake/empty.cpp)
  target_link_libraries(${name} PRIVATE heddle_flags)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
heddle_precompiled_headers(heddle_pch ${heddle_standard_headers})
heddle_precompiled_headers(heddle_llvm_pch ${heddle_standard_headers} ${heddle_llvm_headers})
target_link_libraries(heddle_llvm_pch PRIVATE heddle::llvm)

# heddle_joined_sources(name): the compiler reads the sources of a folder at once. What they take from LLVM's and Clang's
# headers is instantiated once for all of them, which is most of the work: names that a source keeps to itself must be its
# own in its folder.
function(heddle_joined_sources name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${name} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "in_${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# heddle_target(name [HEADERS pch] [JOINED]): HEADERS is one of the precompiled headers above; without it there are none.
# JOINED: heddle_joined_sources.
function(heddle_target name)
  cmake_parse_arguments(target "JOINED" "HEADERS" "" ${ARGN})
  if(target_JOINED)
    heddle_joined_sources(${name})
  endif()
  target_link_libraries(${name} PRIVATE heddle_flags)
  if(target_HEADERS)
    target_precompile_headers(${name} REUSE_FROM ${target_HEADERS})
    get_target_property(type ${name} TYPE)
    get_target_property(headers_type ${target_HEADERS} TYPE)
    if(type STREQUAL EXECUTABLE AND NOT headers_type STREQUAL EXECUTABLE)
      target_compile_options(${name} PRIVATE -fPIC) # as the headers, instead of -fPIE
    endif()
  endif()
endfunction()

# heddle_plain_target(name): the same without sanitizers, for what is loaded into clang's process.
function(heddle_plain_target name)
  target_link_libraries(${name} PRIVATE heddle_plain_flags)
endfunction()

# heddle_api_library(name exports sources...): a shared library that exports what the version script says, and finds those
# of ours that it needs beside itself.
function(heddle_api_library name exports)
  add_library(${name} SHARED ${ARGN})
  heddle_target(${name})
  target_link_libraries(${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  cmake_path(ABSOLUTE_PATH exports BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE script)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS ${script}
    BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "$ORIGIN")
  target_link_options(${name} PRIVATE -Wl,--version-script=${script} -Wl,-Bsymbolic)
  if(NOT HEDDLE_SANITIZE) # a sanitizer's library is in the program, not in the shared library
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
endfunction()

# heddle_major_library(library major version TABLE table [DEFINES table...] [SOURCES ...]): lib<library>.so.<version>, by
# which programs of CUDA <major> find the functions of `table` in our one library (tools/major_library.py). The target
# <library>_<version> makes it.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(heddle_major_library library major version)
  cmake_parse_arguments(own "" "TABLE" "DEFINES;SOURCES" ${ARGN})
  set(name ${library}_${version})
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${name})
  cmake_path(ABSOLUTE_PATH own_TABLE NORMALIZE)
  get_target_property(target ${library} SOVERSION)
  add_custom_command(OUTPUT ${made}.inc ${made}.map
    COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/major_library.py ${major} lib${library}.so.${version}
      lib${library}.so.${target} ${own_TABLE} ${made}.inc ${made}.map
    DEPENDS ${own_TABLE} ${own_DEFINES} ${CMAKE_SOURCE_DIR}/tools/major_library.py
      ${CMAKE_SOURCE_DIR}/tools/runtime_table.py ${CMAKE_SOURCE_DIR}/tools/library_tables.py)
  file(WRITE ${made}.cpp "#include \"jumps.h\"\n#include \"${name}.inc\"\n")
  heddle_api_library(${name} ${made}.map ${made}.cpp ${own_SOURCES})
  set_source_files_properties(${made}.cpp PROPERTIES OBJECT_DEPENDS ${made}.inc)
  target_sources(${name} PRIVATE ${made}.inc ${made}.map)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${library})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${library} SUFFIX .so.${version})
  install(TARGETS ${name} LIBRARY DESTINATION lib/heddle/lib64)
endfunction()

# heddle_unit_test(name [OPTIMIZED] SOURCES ... LIBRARIES ...): a GoogleTest program that ctest runs. The target
# unit-tests makes all of them; a plain build makes none. They are compiled without optimization, unless they compute
# so much (OPTIMIZED) that it would show.
find_package(GTest REQUIRED)
add_custom_target(unit-tests)
heddle_precompiled_headers(heddle_test_pch <gtest/gtest.h> ${heddle_standard_headers})
heddle_precompiled_headers(heddle_llvm_test_pch <gtest/gtest.h> ${heddle_standard_headers} ${heddle_llvm_headers})
foreach(pch heddle_test_pch heddle_llvm_test_pch)
  set_target_properties(${pch} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  target_compile_options(${pch} PRIVATE -O0)
  target_link_libraries(${pch} PRIVATE GTest::gtest)
endforeach()
target_link_libraries(heddle_llvm_test_pch PRIVATE heddle::llvm)
function(heddle_unit_test name)
  cmake_parse_arguments(test "OPTIMIZED;LLVM" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${test_SOURCES})
  add_dependencies(unit-tests ${name})
  set(headers heddle_test_pch)
  if(test_LLVM)
    set(headers heddle_llvm_test_pch)
  endif()
  if(test_OPTIMIZED)
    heddle_target(${name})
  else()
    heddle_target(${name} HEADERS ${headers})
    target_compile_options(${name} PRIVATE -O0)
  endif()
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  # A sanitizer's handler of faults would be the program's, which the driver leaves to it. ThreadSanitizer sleeps for a
  # second at the end of a process, of which some tests make hundreds.
  set_tests_properties(${name} PROPERTIES ENVIRONMENT
    "ASAN_OPTIONS=handle_segv=0:handle_sigbus=0;TSAN_OPTIONS=handle_segv=0:handle_sigbus=0:die_after_fork=0:atexit_sleep_ms=0:suppressions=${PROJECT_SOURCE_DIR}/cmake/tsan_suppressions.txt")
endfunction()

# heddle_input_test(name SOURCES ... LIBRARIES ...): a program that tries inputs at random (base/test_inputs.h), which
# ctest runs, too.
function(heddle_input_test name)
  cmake_parse_arguments(test "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${test_SOURCES})
  add_dependencies(unit-tests ${name})
  heddle_target(${name})
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES})
  add_test(NAME ${name} COMMAND ${name})
endfunction()
