# heddle_target(name): the flags that every target of ours has.
set(HEDDLE_SANITIZE "" CACHE STRING "Comma list for -fsanitize=")

add_library(heddle_flags INTERFACE)
target_compile_options(heddle_flags INTERFACE
  -Wall -Wextra -Werror -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)
target_include_directories(heddle_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
if(HEDDLE_SANITIZE)
  # CUDA's functions are called through pointers of other types: by tests, and from a table of symbols. They are
  # called with numbers that are no enumerators, too, as C allows, and check them: clang takes them as they are.
  # Any other report ends the program, so that a test fails.
  target_compile_options(heddle_flags INTERFACE -fsanitize=${HEDDLE_SANITIZE} -fno-sanitize=function,enum
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(heddle_flags INTERFACE -fsanitize=${HEDDLE_SANITIZE})
endif()

function(heddle_target name)
  target_link_libraries(${name} PRIVATE heddle_flags)
endfunction()

# heddle_unit_test(name SOURCES ... LIBRARIES ...): a GoogleTest program that ctest runs.
find_package(GTest REQUIRED)
function(heddle_unit_test name)
  cmake_parse_arguments(test "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${test_SOURCES})
  heddle_target(${name})
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
